#!/usr/bin/env python3
# ===- tune_test.py - The search, with stand-ins for compiler and GPU ----===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""usage: tune_test.py <catt-tune> [unittest arguments]"""

import json
import pathlib
import signal
import subprocess

from tune_testing import MACRO, ROWS, TWO, TuneTest, main


class Found(TuneTest):
    def test_the_best_is_printed_as_a_diff(self):
        out = self.tune()
        self.assertRegex(out, r"default +2\.000 +5\.00x +best")
        self.assertIn("10.000 ms -> 2.000 ms, 5.00x, on sm_80", out)
        self.assertIn("+++ b/a.cu", out)
        self.assertNotIn("catt::Timed", out)
        self.assert_restored()

    def test_in_place(self):
        self.tune("fine", "-i")
        self.assertIn("cattLoadRow<32", self.file.read_text())
        self.assertNotIn("catt::Timed", self.file.read_text())

    def test_two_kernels_are_written_together(self):
        self.file.write_text(TWO)
        out = self.tune("fine", "-i")
        self.assertIn("20.000 ms -> 4.000 ms", out)
        self.assertEqual(self.file.read_text().count("cattLoadRow<32, "), 2)

    def test_equal_texts_are_tried_once(self):
        out = self.tune(runs=3, variants="default,tiles-32,tiles-128")
        self.assertIn("the same text as", out)
        tried = out.count(" fine\n") + out.count(" best\n")
        self.assertEqual(self.runs(), 3 + 3 * tried + 6)

    def test_refusals_say_why(self):
        out = self.tune(variants="default,l1,again,registers-32")
        for name in ("l1", "again", "registers-32"):
            self.assertRegex(out, rf"{name} +refused: (?!nothing)")

    def test_launches_in_macros_are_timed_by_the_whole_run(self):
        self.file.write_text(MACRO)
        self.tune("never", "--no-diff", status=None or self.either())
        self.assertIn("Times are of whole runs: of kernel 'rows'",
                      self.done.stdout)
        self.assert_restored(MACRO)

    def either(self):
        """0 or 1: times of whole runs are what they are."""
        class Either(int):
            def __eq__(self, other):
                return other in (0, 1)
            __hash__ = int.__hash__
        return Either()

    def test_a_program_without_times_is_timed_by_the_whole_run(self):
        self.tune("untimed", "--no-diff", status=self.either())
        self.assertIn("the run wrote no times", self.done.stdout)

    def test_page_has_pictures(self):
        self.tune("crash", "--page=out.html")
        page = (self.root / "out.html").read_text()
        self.assertIn("<h1>catt-tune on ", page)
        self.assertIn('class="as-written"', page)
        self.assertTrue(page.endswith("</html>\n"))

    def test_export_is_kernel_tuners(self):
        self.tune("crash", "--export=out.json")
        out = json.loads((self.root / "out.json").read_text())
        self.assertEqual(out["schema_version"], "1.0.0")
        self.assertEqual(out["kernel_name"], "rows")
        for key, entry in out["cache"].items():
            self.assertRegex(key, r"^\d+(,\d+)*$")
            for name in ("time", "compile_time", "verification_time",
                         "benchmark_time", "strategy_time", "framework_time",
                         "timestamp", *out["tune_params_keys"]):
                self.assertIn(name, entry)
        by_name = {e["name"]: e for e in out["cache"].values()}
        self.assertEqual(by_name["tiles-32"]["time"], "RuntimeFailedConfig")
        self.assertEqual(by_name["as written"]["time"], 10)
        self.assertNotIn("predicted_gain", by_name["default"])
        self.assertGreater(by_name["groups-4-of-loop-0"]["predicted_gain"], 0)


class Settings(TuneTest):
    """--settings: what was measured, in a .catt file."""

    def settle(self, mode="fine", *more, **keys):
        keys.setdefault("variants", "default,sums,tiles-32")
        self.tune(mode, "--settings", *more, config=None, **keys)
        return (self.root / ".catt").read_text()

    def test_a_file_beside_the_source(self):
        text = self.settle()
        self.assertIn("What was measured of 'rows' is in '.catt'.",
                      self.done.stdout)
        self.assertNotIn("+++", self.done.stdout)  # the diff is asked for
        self.assertRegex(text, r"""^measured:
  - kernel: +rows
    file: +a.cu
    variant: +default
    gpu: +sm_80
    text: +[0-9a-f]{16}
    gain: +5.00
    launches: +1
    date: +\d{4}-\d\d-\d\d
$""")
        self.assert_restored()

    def test_the_nearest_file_keeps_what_it_has(self):
        old = "# our card\ngpu: sm_80\n\nno-cuda: true # yes\n"
        (self.root / ".catt").write_text(old)
        text = self.settle("fine", "--diff")
        self.assertTrue(text.startswith(old + "measured:\n"), text)
        self.assertIn("+++ b/a.cu", self.done.stdout)

    def test_another_search_replaces_what_was_found(self):
        first = self.settle("fine", variants="sums,groups-8*")
        self.assertRegex(first, r"variant: +groups-8-of-loop-0\n")
        second = self.settle("fine", variants="tiles-32,tiles-64")
        self.assertEqual(second.count("kernel:"), 1)
        self.assertRegex(second, r"variant: +tiles-32\n")

    def test_more_launches_are_more(self):
        self.assertRegex(self.settle(runs=2), r"launches: +2\n")

    def test_where_nothing_is_faster_as_written_is_best(self):
        text = self.settle("never", variants=None, status=1)
        self.assertRegex(text, r"variant: +as written\n")
        self.assertRegex(text, r"gain: +1.00\n")

    def test_of_a_part_of_the_variants_nothing_is_said(self):
        self.tune("never", "--settings", config=None, status=1)
        self.assertFalse((self.root / ".catt").exists())

    def test_what_was_measured_is_measured_anew(self):
        first = self.settle()
        self.assertRegex(self.settle(), r"variant: +default\n")
        self.assertRegex(self.done.stdout, r"default +2\.000 +5\.00x +best")
        self.assertEqual((self.root / ".catt").read_text(), first)

    def test_a_named_file(self):
        (self.root / "ours.yaml").write_text("gpu: sm_80\n")
        self.tune("fine", "--settings", config="ours.yaml",
                  variants="tiles-32,tiles-64")
        self.assertIn("measured:\n", (self.root / "ours.yaml").read_text())
        self.assertFalse((self.root / ".catt").exists())

    def test_a_directory_that_is_a_link(self):
        other = pathlib.Path(self.home.name + "-link")
        other.symlink_to(self.root)
        self.addCleanup(other.unlink)
        self.root = other
        self.assertRegex(self.settle(), r"file: +a.cu\n")

    def refused(self, status, why, *more, config=None):
        self.tune("fine", "--settings", *more, status=status, config=config)
        self.assertIn(why, self.done.stderr)
        self.assertFalse((self.root / "runs").exists())

    def test_what_was_rewritten_is_refused(self):
        self.tune("fine", "-i")
        (self.root / "runs").unlink()
        self.refused(3, "'a.cu' holds what catt-rewrite has written")

    def test_without_a_file_for_it(self):
        self.refused(2, "--settings and --config=none contradict each other",
                     config="none")

    def test_a_file_that_is_wrong(self):
        (self.root / ".catt").write_text("measured:\n  - kernel: rows\n")
        self.refused(3, ".catt:2:5: missing required key 'file'")

    def test_a_file_in_braces(self):
        (self.root / ".catt").write_text("{gpu: sm_80}\n")
        self.refused(3, ".catt' cannot be extended; write each of its keys on")


class Failing(TuneTest):
    def test_nothing_better(self):
        out = self.tune("never", status=1)
        self.assertIn("Nothing was faster", out)
        self.assertNotIn("+++", out)

    def test_a_crash_ends_the_variant(self):
        out = self.tune("crash")
        self.assertRegex(out, r"tiles-32 .*signal 11")
        self.assertRegex(out, r"groups-\d.* best")
        self.assert_restored()

    def test_an_exit_code_ends_the_variant(self):
        self.assertRegex(self.tune("exit"), r"tiles-32 .*exit code 7")

    def test_another_output_ends_the_variant(self):
        out = self.tune("wrong")
        self.assertRegex(out, r"tiles-32 .*not that of the original")
        self.assertRegex(out, r"groups-\d.* best")

    def test_unchecked_output_is_said_so(self):
        out = self.tune("wrong", "--no-check")
        self.assertIn("not checked", out)
        self.assertRegex(out, r"default .* best")

    def test_a_check_that_says_no(self):
        out = self.tune("wrong", "--check=! grep -q 'cattLoadRow<' app",
                        "--builds=each")
        self.assertRegex(out, r"tiles-32 .*check said no")

    def test_a_hang_ends_the_variant(self):
        out = self.tune("hang", "--limit=1")
        self.assertRegex(out, r"tiles-32 .*more than 1 s")
        self.assertRegex(out, r"groups-\d.* best")

    def test_a_build_that_fails_ends_the_variant(self):
        out = self.tune(build="cp a.cu app; ! grep -q 'cattLoadRow<' app")
        self.assertRegex(out, r"tiles-32 .*build ended with exit code 1")

    def test_an_original_that_is_not_built(self):
        self.tune(build="false", status=3)
        self.assertIn("the original cannot be measured", self.done.stderr)
        self.assert_restored()

    def test_a_file_that_does_not_parse(self):
        self.file.write_text("__global__ void k( {\n")
        self.tune(status=3)
        self.assertFalse((self.root / "runs").exists())

    def test_no_kernel(self):
        self.tune("fine", "--kernel=no_such", status=3)
        self.assertIn("no kernel to tune", self.done.stderr)

    def test_a_read_only_source(self):
        self.file.chmod(0o444)
        self.tune(status=3)
        self.assertIn("read-only", self.done.stderr)

    def test_usage(self):
        for more in (["--budget=soon"], ["--runs=0"], ["--nonsense"],
                     ["--most=0"], ["--most=few"], ["--most=1001"],
                     ["--builds=two"], ["--builds="],
                     ["--check=true", "--no-check"], ["-i", "--diff"]):
            self.tune("fine", *more, status=2)
        self.assertFalse((self.root / ".catt-tune").exists())


class Going(TuneTest):
    def test_budget_of_nothing(self):
        out = self.tune("fine", "--budget=0", status=1)
        self.assertIn("budget ended", out)
        self.assertIn("not tried", out)
        self.assertEqual(self.runs(), 1)
        self.assert_restored()

    def test_what_was_tried_is_not_tried_again(self):
        self.tune()
        before = self.runs()
        out = self.tune()
        self.assertIn("from an earlier search", out)
        self.assertEqual(self.runs() - before, 1 + 2)
        self.tune("fine", "--restart")
        self.assertGreater(self.runs() - before, 2 * (1 + 2))

    def test_another_command_is_another_search(self):
        self.tune()
        self.assertNotIn("earlier search", self.tune("fine "))

    def start(self, *more):
        # pylint: disable=consider-using-with
        going = subprocess.Popen(
            self.command("slow", *more), cwd=self.root, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.until(lambda: (self.root / "runs").exists())
        self.assertIn("catt::Timed", self.file.read_text())
        return going

    def test_an_interrupted_search_restores(self):
        going = self.start()
        going.send_signal(signal.SIGINT)
        out, _ = going.communicate(timeout=60)
        self.assertEqual(going.returncode, 130)
        self.assertIn("Interrupted", out)
        self.assert_restored()

    def test_a_killed_search_is_restored_by_the_next(self):
        going = self.start()
        going.kill()
        going.communicate(timeout=60)
        self.assertIn("catt::Timed", self.file.read_text())
        self.tune()
        self.assertIn("as it was before a search that was killed",
                      self.done.stderr)
        self.assert_restored()

    def test_what_was_edited_after_a_kill_is_left_alone(self):
        going = self.start()
        going.kill()
        going.communicate(timeout=60)
        self.file.write_text("// mine\n")
        self.tune(status=3)
        self.assertIn("kept.json", self.done.stderr)
        self.assertEqual(self.file.read_text(), "// mine\n")

    def test_originals_that_cannot_be_read(self):
        for text in ("{", "[]", '{"a.cu": 1}', '{"a.cu": {"original": ""}}',
                     '{"a.cu": {"written": []}}'):
            (self.root / ".catt-tune").mkdir(exist_ok=True)
            (self.root / ".catt-tune/kept.json").write_text(text)
            self.tune(status=3)
            self.assertIn("it holds the originals", self.done.stderr)
            self.assertEqual(self.file.read_text(), ROWS)

    def test_two_searches_at_a_time(self):
        going = self.start()
        self.tune(status=3)
        self.assertIn("another search runs", self.done.stderr)
        going.send_signal(signal.SIGTERM)
        going.communicate(timeout=60)
        self.assert_restored()

    def test_an_edit_during_the_search_is_kept(self):
        going = self.start("--limit=2")
        self.file.write_text("// mine\n")
        going.communicate(timeout=60)
        self.assertEqual(going.returncode, 3)
        self.assertEqual(self.file.read_text(), "// mine\n")


if __name__ == "__main__":
    main()
