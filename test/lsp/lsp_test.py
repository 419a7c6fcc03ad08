#!/usr/bin/env python3
# ===- lsp_test.py - The language server, seen from an editor -----------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""usage: lsp_test.py <catt-lsp> <catt-rewrite> [unittest arguments]"""

import json
import subprocess

from client import BASE, CAPABILITIES, apply, units
from scene import (FILE_KIND, FINE, FOR, HEAVY, KERNEL, KERNEL_KIND, LAUNCH,
                   REWRITE, ROWS, SPLIT, UNKNOWN, ServerTest, main)


class Shown(ServerTest):
    def test_says_what_it_can_do(self):
        with self.client() as c:
            can = c.hello["capabilities"]
            self.assertEqual(can["positionEncoding"], "utf-16")
            self.assertIn(SPLIT, can["codeActionProvider"]["codeActionKinds"])
            self.assertIn("catt.showReport",
                          can["executeCommandProvider"]["commands"])
            self.assertEqual(c.hello["serverInfo"]["name"], "catt-lsp")
        self.assertEqual(c.status, 0)

    def test_contended_loop_is_a_warning(self):
        with self.client() as c:
            uri = c.open(self.path(), ROWS)
            found = c.diagnostics(uri)
            loop = [d for d in found if d["range"]["start"]["line"] == FOR]
            self.assertEqual(len(loop), 1, found)
            self.assertEqual(loop[0]["severity"], 2)
            self.assertEqual(loop[0]["source"], "catt")
            self.assertIn("loop over j", loop[0]["message"])
            self.assertIn("L1D holds", loop[0]["message"])
            self.assertEqual(loop[0]["range"]["start"]["character"], 2)
            notes = loop[0]["relatedInformation"]
            self.assertTrue(any("16,384 bytes apart" in n["message"]
                                for n in notes), notes)

    def test_notes_are_in_the_message_where_editors_have_no_place(self):
        with self.client(capabilities={}) as c:
            uri = c.open(self.path(), ROWS)
            loop = [d for d in c.diagnostics(uri)
                    if d["range"]["start"]["line"] == FOR][0]
            self.assertNotIn("relatedInformation", loop)
            self.assertIn("16,384 bytes apart", loop["message"])

    def test_refusal_is_a_hint(self):
        with self.client() as c:
            uri = c.open(self.path(), UNKNOWN)
            codes = {d["code"]: d["severity"] for d in c.diagnostics(uri)}
            self.assertEqual(codes, {"unknown-launch": 4})

    def test_registers_that_limit_the_blocks_are_named(self):
        with self.client() as c:
            found = c.diagnostics(c.open(self.path(), HEAVY))
            limits = [d for d in found if d["code"] == "register-limited"]
            self.assertEqual(len(limits), 1, found)
            self.assertEqual(limits[0]["severity"], 3)
            self.assertIn("limited by registers", limits[0]["message"])
            self.assertIn("1 block of 8 warps", limits[0]["message"])
            self.assertNotIn("split-warp-groups", [d["code"] for d in found])

    def test_nothing_to_say(self):
        with self.client() as c:
            uri = c.open(self.path(), FINE)
            self.assertEqual(c.diagnostics(uri), [])

    def test_hover(self):
        with self.client() as c:
            uri = c.open(self.path(), ROWS)
            loop = c.hover(uri, FOR, 4)
            for words in ("**loop over j** in `rows`", "| L1D |",
                          "with the change", "limited by", "A[i * 4096 + j]"):
                self.assertIn(words, loop)
            kernel = c.hover(uri, 0, 20)
            for words in ("**kernel** `rows`", "<<<320, 256>>>",
                          "64 of 64 (100%)", "blocks per SM"):
                self.assertIn(words, kernel)
            self.assertIsNone(c.hover(uri, 5))
            self.assertIsNone(c.hover(uri, 4711))

    def test_inlay_hints(self):
        with self.client() as c:
            uri = c.open(self.path(), ROWS)
            everything = {"start": {"line": 0, "character": 0},
                          "end": {"line": 99, "character": 0}}
            hints = c.call("textDocument/inlayHint", {
                "textDocument": {"uri": uri}, "range": everything})
            self.assertEqual([h["position"]["line"] for h in hints], [FOR])
            self.assertRegex(hints[0]["label"], r"KiB of \d+ KiB L1D")
            none = c.call("textDocument/inlayHint", {
                "textDocument": {"uri": uri},
                "range": {"start": {"line": 5, "character": 0},
                          "end": {"line": 9, "character": 0}}})
            self.assertEqual(none, [])

    def test_code_lens(self):
        with self.client() as c:
            uri = c.open(self.path(), ROWS + FINE)
            lenses = c.call("textDocument/codeLens",
                            {"textDocument": {"uri": uri}})
            shown = [(l["range"]["start"]["line"], l["command"]["command"])
                     for l in lenses]
            fine = ROWS.count("\n")
            self.assertEqual(shown, [(0, "catt.showReport"),
                                     (0, "catt.applyKernel"),
                                     (fine, "catt.showReport")])
            self.assertIn("1 loop beyond it", lenses[0]["command"]["title"])
            self.assertIn("0 loops beyond it", lenses[2]["command"]["title"])

    def test_report(self):
        with self.client() as c:
            uri = c.open(self.path(), ROWS + FINE)
            whole = c.command("catt.showReport", uri)
            self.assertIn("kernel 'rows'", whole)
            self.assertIn("kernel 'fine'", whole)
            one = c.command("catt.showReport", uri, 0)
            self.assertIn("kernel 'rows'", one)
            self.assertNotIn("kernel 'fine'", one)


class Actions(ServerTest):
    def test_each_kind(self):
        with self.client() as c:
            uri = c.open(self.path(), ROWS)
            actions = c.actions(uri, FOR)
            split = self.one(actions, SPLIT)
            self.assertIn("loop over j", split["title"])
            self.assertIn("cattGroup", json.dumps(split["edit"]))
            self.one(actions, KERNEL_KIND)
            self.one(actions, FILE_KIND)

    def test_file_action_is_the_command_lines(self):
        text = ROWS + FINE + KERNEL.format(name="more") + LAUNCH.format(
            name="more")
        expected = self.command_line(self.path(), text)
        self.assertNotEqual(expected, text)
        with self.client() as c:
            uri = c.open(self.path(), text)
            edit = self.one(c.actions(uri, 0), FILE_KIND)["edit"]
            self.assertEqual(apply(text, c.edits(edit, uri)), expected)
            self.assertEqual(edit["documentChanges"][0]["textDocument"],
                             {"uri": uri, "version": 1})

    def test_kernel_action_leaves_other_kernels_alone(self):
        text = ROWS + KERNEL.format(name="more") + LAUNCH.format(name="more")
        expected = self.command_line(self.path(), text, "--kernel=more")
        line = ROWS.count("\n")
        with self.client() as c:
            uri = c.open(self.path(), text)
            edit = self.one(c.actions(uri, line), KERNEL_KIND)["edit"]
            self.assertEqual(apply(text, c.edits(edit, uri)), expected)

    def test_one_transform_is_the_command_lines(self):
        names = subprocess.run([REWRITE, "--list-transforms"], check=True,
                               capture_output=True, text=True).stdout
        tried = 0
        with self.client() as c:
            uri = c.open(self.path(), ROWS)
            for name in (line.split()[0] for line in names.splitlines()
                         if line.strip() and not line.startswith(" " * 6)):
                kind = "refactor.rewrite.catt." + name
                found = [a for a in c.actions(uri, FOR, [kind])
                         if "edit" in a]
                expected = self.command_line(self.path(), ROWS,
                                             "--transforms=" + name)
                # Numbers of blocks are planned where somebody asks for them.
                offered = expected != ROWS and name != "try-occupancy"
                self.assertEqual(len(found), int(offered), name)
                for action in found:
                    self.assertEqual(
                        apply(ROWS, c.edits(action["edit"], uri)), expected)
                    tried += 1
        self.assertGreater(tried, 0)

    def test_only_filters_by_kind(self):
        with self.client() as c:
            uri = c.open(self.path(), ROWS)
            self.assertEqual([a["kind"] for a in
                              c.actions(uri, FOR, [SPLIT])], [SPLIT])
            self.assertEqual(len(c.actions(uri, FOR, ["refactor"])),
                             len(c.actions(uri, FOR)))
            self.assertEqual(c.actions(uri, FOR, ["quickfix"]), [])
            self.assertEqual(c.actions(uri, FOR, ["refactor.rew"]), [])

    def test_refusal_disables_the_action(self):
        text = ROWS.replace("    sum += A", "    if (A[j] < 0) break; "
                            "else __syncthreads(), sum += A")
        with self.client() as c:
            uri = c.open(self.path(), text)
            split = self.one(c.actions(uri, FOR, [SPLIT]), SPLIT)
            self.assertNotIn("edit", split)
            self.assertIn("__syncthreads", split["disabled"]["reason"])

    def test_no_disabled_action_for_editors_without_them(self):
        with self.client(capabilities={}) as c:
            uri = c.open(self.path(), UNKNOWN)
            self.assertEqual(c.actions(uri, FOR), [])

    def test_unversioned_edit_for_editors_without_versions(self):
        with self.client(capabilities={}) as c:
            uri = c.open(self.path(), ROWS)
            edit = self.one(c.actions(uri, FOR), FILE_KIND)["edit"]
            self.assertEqual(list(edit), ["changes"])
            self.assertEqual(list(edit["changes"]), [uri])

    def test_text_that_is_not_ascii_before_the_edit(self):
        text = ("// \u00e9\u4e2d\U0001d4d0 before everything\n"
                + ROWS.replace("float sum = 0;",
                               "float sum = 0; /* \U0001f600 */"))
        self.assertNotEqual(units(text), len(text))
        expected = self.command_line(self.path(), text)
        with self.client() as c:
            uri = c.open(self.path(), text)
            edit = self.one(c.actions(uri, FOR + 1), FILE_KIND)["edit"]
            self.assertEqual(apply(text, c.edits(edit, uri)), expected)

    def test_edit_on_the_line_of_a_wide_character(self):
        # The loop stands behind a comment of 2 units, 4 bytes, 1 code point.
        text = ROWS.replace("  for (", "  /*\U0001f600*/ for (")
        expected = self.command_line(self.path(), text)
        with self.client() as c:
            uri = c.open(self.path(), text)
            loop = [d for d in c.diagnostics(uri)
                    if d["range"]["start"]["line"] == FOR][0]
            self.assertEqual(loop["range"]["start"]["character"],
                             units("  /*\U0001f600*/ "))
            edit = self.one(c.actions(uri, FOR), FILE_KIND)["edit"]
            self.assertEqual(apply(text, c.edits(edit, uri)), expected)

    def test_commands_send_the_edit(self):
        expected = self.command_line(self.path(), ROWS)
        for arguments in (["catt.applyFile"], ["catt.applyKernel", 0]):
            with self.client() as c:
                uri = c.open(self.path(), ROWS)
                self.assertTrue(c.command(arguments[0], uri, *arguments[1:]))
                while not c.applied:
                    c.receive()
                self.assertEqual(apply(ROWS, c.edits(c.applied[0], uri)),
                                 expected)

    def test_a_command_without_anything_to_do(self):
        with self.client() as c:
            uri = c.open(self.path(), FINE)
            self.assertFalse(c.command("catt.applyFile", uri))

    def test_applied_edits_settle_the_file_and_can_be_taken_back(self):
        with self.client() as c:
            uri = c.open(self.path(), ROWS)
            edit = self.one(c.actions(uri, FOR), FILE_KIND)["edit"]
            edited = apply(ROWS, c.edits(edit, uri))
            c.change(uri, [edited])
            self.assertEqual([d for d in c.diagnostics(uri)
                              if d["severity"] == 2], [])
            again = c.actions(uri, 0)
            self.assertEqual([a for a in again if a["kind"] == FILE_KIND], [])
            back = self.one(again, "refactor.rewrite.catt.revert")["edit"]
            self.assertEqual(apply(edited, c.edits(back, uri)), ROWS)


class Documents(ServerTest):
    def test_unsaved_text_counts(self):
        self.path().write_text(ROWS)
        with self.client() as c:
            uri = c.open(self.path(), FINE)
            self.assertEqual(c.diagnostics(uri), [])
        self.assertEqual(self.path().read_text(), ROWS)

    def test_a_file_that_is_on_no_disk(self):
        with self.client() as c:
            uri = c.open(self.path("nowhere.cu"), ROWS)
            self.assertEqual(len(c.diagnostics(uri)), 1)

    def test_incremental_edits(self):
        with self.client() as c:
            uri = c.open(self.path(), ROWS)
            self.one(c.actions(uri, FOR), SPLIT)
            # 4096 columns become 1: neighbouring lanes share their lines.
            start = ROWS.split("\n")[4].index("4096")
            c.change(uri, [({"start": {"line": 4, "character": start},
                             "end": {"line": 4, "character": start + 4}},
                            "1")])
            self.assertEqual([d for d in c.diagnostics(uri)
                              if d["severity"] == 2], [])
            # Two changes in one message, the second counted after the first.
            c.change(uri, [({"start": {"line": 4, "character": start},
                             "end": {"line": 4, "character": start + 1}},
                            "\u4e2d\n"),
                           ({"start": {"line": 4, "character": start},
                             "end": {"line": 5, "character": 0}}, "4096")])
            edit = self.one(c.actions(uri, FOR), FILE_KIND)["edit"]
            self.assertEqual(apply(ROWS, c.edits(edit, uri)),
                             self.command_line(self.path(), ROWS))

    def test_answers_are_for_the_newest_text(self):
        with self.client() as c:
            uri = c.open(self.path(), ROWS)
            c.change(uri, [FINE])
            waiting = c.begin("textDocument/codeAction", {
                "textDocument": {"uri": uri}, "context": {"diagnostics": []},
                "range": {"start": {"line": FOR, "character": 0},
                          "end": {"line": FOR, "character": 0}}})
            c.change(uri, [ROWS])
            kinds = [a["kind"] for a in c.answer(waiting)["result"]]
            self.assertIn(SPLIT, kinds)

    def test_two_files(self):
        with self.client() as c:
            rows = c.open(self.path("rows.cu"), ROWS)
            fine = c.open(self.path("fine.cu"), FINE)
            self.assertEqual(len(c.diagnostics(rows)), 1)
            self.assertEqual(c.diagnostics(fine), [])
            c.change(fine, [ROWS])
            self.assertEqual(len(c.diagnostics(fine)), 1)
            self.assertTrue(c.actions(rows, FOR))

    def test_unsaved_header_of_another_file(self):
        self.path("size.h").write_text("constexpr int Columns = 1;\n")
        text = '#include "size.h"\n' + ROWS.replace("i * 4096", "i * Columns")
        with self.client() as c:
            uri = c.open(self.path(), text)
            self.assertEqual([d for d in c.diagnostics(uri)
                              if d["severity"] == 2], [])
            c.open(self.path("size.h"), "constexpr int Columns = 4096;\n")
            c.change(uri, [text + "\n"])
            self.assertEqual(len([d for d in c.diagnostics(uri)
                                  if d["severity"] == 2]), 1)

    def test_compile_commands(self):
        self.path("compile_commands.json").write_text(json.dumps([{
            "directory": str(self.directory), "file": "k.cu",
            "arguments": ["nvcc", "-DCOLUMNS=4096", "-c", "k.cu"]}]))
        text = ROWS.replace("i * 4096", "i * COLUMNS")
        with self.client() as c:
            uri = c.open(self.path(), text)
            self.assertEqual(len([d for d in c.diagnostics(uri)
                                  if d["severity"] == 2]), 1)

    def test_a_broken_database_is_named(self):
        self.path("compile_commands.json").write_text("[{]")
        with self.client() as c:
            uri = c.open(self.path(), ROWS)
            found = c.diagnostics(uri)
            self.assertEqual([d["code"] for d in found], ["not-analysed"])
            self.assertIn("compile_commands.json", found[0]["message"])

    def test_closing_takes_the_diagnostics_away(self):
        with self.client() as c:
            uri = c.open(self.path(), ROWS)
            c.diagnostics(uri)
            c.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
            error = c.error("textDocument/hover", c.at(uri, 0))
            self.assertIn("is not open", error["message"])
            last = [m for m in c.heard
                    if m["method"] == "textDocument/publishDiagnostics"][-1]
            self.assertEqual(last["params"]["diagnostics"], [])

    def test_parse_errors_do_not_end_it(self):
        broken = ["", "\n", "}", "__global__ void f( {", "#include <nowhere.h>",
                  "for for for", ROWS.replace(";", ""), ROWS[:200],
                  "/* open", '"open', "#if 1", "template <class T", "\\",
                  "a" * 10000, "(" * 3000, "\u4e2d\U0001f600"]
        with self.client() as c:
            uri = c.open(self.path(), ROWS)
            for text in broken:
                c.change(uri, [text])
                c.diagnostics(uri)
                c.actions(uri, FOR)
            c.change(uri, [ROWS])
            self.assertEqual(len(c.diagnostics(uri)), 1)


class Configured(ServerTest):
    def test_the_gpu(self):
        with self.client(options={**BASE, "gpu": "h200"}) as c:
            uri = c.open(self.path(), ROWS)
            self.assertIn("h200", c.hover(uri, 0))
            gpu = [m["params"] for m in c.heard if m["method"] == "catt/gpu"]
            self.assertEqual(gpu, [{"architecture": "sm_90", "name": "h200",
                                    "origin": "the editor's settings"}])
            c.versions[uri] = 1
            c.notify("workspace/didChangeConfiguration", {"settings": {
                "catt": {**BASE, "gpu": "sm_70"}}})
            self.assertIn("sm_70", c.hover(uri, 0))
            # What says nothing about this server changes nothing.
            for settings in ({}, None, [], {"catt": None}, {"clangd": {"x": 1}}):
                c.notify("workspace/didChangeConfiguration",
                         {"settings": settings})
            self.assertIn("sm_70", c.hover(uri, 0))

    def test_numbers_of_blocks_where_they_are_chosen(self):
        expected = self.command_line(self.path(), ROWS,
                                     "--transforms=try-occupancy")
        options = {**BASE, "transforms": ["try-occupancy"]}
        with self.client(options=options) as c:
            uri = c.open(self.path(), ROWS)
            edit = self.one(c.actions(uri, FOR), KERNEL_KIND)["edit"]
            self.assertEqual(apply(ROWS, c.edits(edit, uri)), expected)

    def test_transforms_launches_and_thresholds(self):
        with self.client(options={**BASE, "launch": ["rows=320:256"]}) as c:
            uri = c.open(self.path(), KERNEL.format(name="rows"))
            self.one(c.actions(uri, FOR), SPLIT)
        with self.client(options={**BASE, "transforms": ["prefer-l1"]}) as c:
            uri = c.open(self.path(), ROWS)
            self.assertEqual(c.actions(uri, FOR, [SPLIT]), [])
        with self.client(options={**BASE, "transforms": ["all"]}) as c:
            uri = c.open(self.path(), ROWS)
            self.one(c.actions(uri, FOR), SPLIT)
        with self.client(options={**BASE, "l1d": 1024}) as c:
            uri = c.open(self.path(), ROWS)
            self.assertEqual([d for d in c.diagnostics(uri)
                              if d["severity"] == 2], [])

    def test_registers(self):
        with self.client(options={**BASE, "selector": "orion"}) as c:
            uri = c.open(self.path(), ROWS)
            self.assertIn("decided by orion", c.command("catt.showReport", uri))
        with self.client() as c:
            uri = c.open(self.path(), ROWS)
            self.assertNotIn("orion", c.command("catt.showReport", uri))
            self.path(".catt").write_text("selector: dru\n")
            c.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
            self.assertIn("decided by dru", c.command("catt.showReport", uri))

    def test_a_configuration_file_beside_the_source(self):
        self.path(".catt").write_text("l1d: 1024\ngpu: h200\n")
        with self.client() as c:
            uri = c.open(self.path(), ROWS)
            self.assertEqual([d for d in c.diagnostics(uri)
                              if d["severity"] == 2], [])
            # What the editor says goes before.
            self.assertIn("sm_80", c.hover(uri, 0))
            self.path(".catt").write_text("l1d: 16\n")
            c.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
            self.one(c.actions(uri, FOR), SPLIT)
            self.path(".catt").write_text("l2d: 16\n")
            c.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
            self.assertEqual(c.actions(uri, FOR), [])
            self.assertIn("unknown key 'l2d'",
                          c.diagnostics(uri)[0]["message"])

    def test_hints_and_lenses_can_be_switched_off(self):
        with self.client(options={**BASE, "inlayHints": False,
                                  "codeLens": False}) as c:
            uri = c.open(self.path(), ROWS)
            everything = {"start": {"line": 0, "character": 0},
                          "end": {"line": 99, "character": 0}}
            self.assertEqual(c.call("textDocument/inlayHint", {
                "textDocument": {"uri": uri}, "range": everything}), [])
            self.assertEqual(c.call("textDocument/codeLens", {
                "textDocument": {"uri": uri}}), [])

    def test_bad_settings_are_named(self):
        with self.client(options={"gpu": "voodoo2", "colour": "red",
                                  "minGain": 400, "transforms": ["faster"],
                                  "noCuda": True}) as c:
            uri = c.open(self.path(), ROWS)
            c.hover(uri, 0)
            said = [m["params"]["message"] for m in c.heard
                    if m["method"] == "window/showMessage"]
            for words in ("catt.gpu: ", "catt.minGain", "'faster'",
                          "no setting catt.colour"):
                self.assertEqual(len([s for s in said if words in s]), 1, said)

    def test_progress_of_the_first_analysis(self):
        can = {**CAPABILITIES, "window": {"workDoneProgress": True}}
        with self.client(capabilities=can) as c:
            uri = c.open(self.path(), ROWS)
            c.diagnostics(uri)
            c.hover(uri, 0)
            asked = [m for m in c.heard
                     if m["method"] == "window/workDoneProgress/create"]
            self.assertEqual(len(asked), 1)
            steps = [m["params"]["value"]["kind"] for m in c.heard
                     if m["method"] == "$/progress"]
            self.assertIn(steps, ([], ["begin"], ["begin", "end"]))


if __name__ == "__main__":
    main()
