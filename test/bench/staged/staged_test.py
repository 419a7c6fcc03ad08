#!/usr/bin/env python3
# ===- staged_test.py - Rule, table and picture, without a GPU ---------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Which loops are compared, the arithmetic of the table, one more bar where
there is something to show; and that programs compile where nvcc is (CATT_REWRITE
names the tool)."""
import copy
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
import suite
import plot
import table

SWEEP = HERE.parents[2] / "docs" / "results" / "h200-throttle.json"
STORED = json.loads(SWEEP.read_text())
WALKS = suite.row_walks(STORED)
MACHINE = {"gpu": "a card", "built_with": "nvcc",
           "copy_bytes_per_second": {"cudaMemcpyAsync": 1e12, "kernel": 2e12}}


def case(original, throttled, rewritten, **more):
    """As Runner.cu writes it."""
    return {"case": "c", "type": "float", "runtime_size": False,
            "streaming": True, "bytes": 1e9, "tool_finds_contended": True,
            "did": {"stage-rows": ["loads 1 row"]}, "original_ms": original,
            "throttled_ms": throttled, "rewritten_ms": rewritten, "equal": True,
            "throttled_equal": True} | more


class Rule(unittest.TestCase):
    def test_row_walks_are_contended_and_of_every_kind(self):
        self.assertEqual({c["group"] for c in WALKS}, {"contended"})
        self.assertEqual({(c["type"], c["runtime_size"]) for c in WALKS},
                         {(t, r) for t in ("float", "double")
                          for r in (False, True)})

    def test_the_rule_looks_at_the_lines_alone(self):
        one = copy.deepcopy(WALKS[0]) | {"case": "another", "kernel": "other<0>"}
        self.assertTrue(suite.is_row_walk(one))
        self.assertFalse(suite.is_row_walk(one | {"own_lines_per_warp": 2}))
        self.assertFalse(suite.is_row_walk(one | {"iterations_per_line": 1}))
        self.assertFalse(suite.is_row_walk(one | {"group": "insensitive"}))

    def test_the_best_point_is_one_of_the_default_l1(self):
        for c in WALKS:
            best = suite.best_point(c)
            self.assertEqual(best["l1d"], "default")
            self.assertTrue(best["equal"])
            self.assertFalse(best["cut"])

    def test_all_warps_of_a_block_are_the_variant_0(self):
        one = {"block": [32, 8, 1]}
        self.assertEqual(suite.warps_of(one, {"warps": 8}), 0)
        self.assertEqual(suite.warps_of(one, {"warps": 3}), 3)

    def test_the_bytes_of_what_is_walked_again_are_not_told(self):
        for c in WALKS:
            known = suite.facts(c, {}, True)
            self.assertEqual(known["bytes"] is None, c["rounds"] > 1)

    def test_the_text_launches_with_the_arguments_of_the_suite(self):
        text = suite.text(WALKS[0])
        self.assertIn("staged::argument(values, 0)", text)
        self.assertIn(", 270336);", text)
        self.assertNotIn("{}", text.split("void LAUNCH")[-1])


class Table(unittest.TestCase):
    def test_means(self):
        cases = [case(8, 4, 1), case(2, 1, 1)]
        gain, over, share = table.means(cases, MACHINE)
        self.assertAlmostEqual(gain, 4)
        self.assertAlmostEqual(over, 2)
        self.assertAlmostEqual(share, 0.5)  # 1 GB in 1 ms of 2 TB/s

    def test_what_does_not_stream_has_no_share(self):
        cases = [case(8, 4, 1), case(8, 4, 1, streaming=False, bytes=None)]
        self.assertIsNone(table.share(cases[1], MACHINE))
        self.assertAlmostEqual(table.means(cases, MACHINE)[2], 0.5)
        self.assertEqual(table.means(cases[1:], MACHINE)[2], None)

    def test_differences_and_failures_are_named(self):
        failed = {"case": "f", "did": {}, "error": "it took too long"}
        cases = [case(1, 1, 1, equal=False), failed, case(1, 1, 1)]
        self.assertEqual(table.wrong(cases),
                         ["f: it took too long",
                          "c: the output of the rewrite differs"])
        self.assertIn("| f | nothing | it took too long |",
                      table.row(failed, MACHINE))

    def test_all_rows_have_the_columns_of_their_head(self):
        failed = case(1, 1, 1) | {"error": "it failed"}
        said = "\n".join(table.lines({"machine": MACHINE, "cases": [
            case(8, 4, 1), case(2, 1, 1, bytes=None, streaming=False), failed]}))
        for part in said.split("\n\n"):
            rows = [x for x in part.splitlines() if x.startswith("|")]
            self.assertEqual(len({x.count("|") for x in rows}), bool(rows))
        self.assertIn("4.00 times as fast as written, 3.0 wanted: met", said)


class Picture(unittest.TestCase):
    def bars(self, compared, l1d="default"):
        cases = copy.deepcopy(STORED["cases"])
        plot.add_staged(cases, {"cases": compared})
        return plot.bars(cases, l1d, {"staged": "a card"})

    def test_one_bar_for_what_was_measured(self):
        colour, name = plot.COLOURS["staged"], plot.NAMES["staged"]
        here = case(8, 4, 1, case=WALKS[0]["case"])
        picture = self.bars([here])
        self.assertEqual(picture.count(colour), 2)  # and the legend
        self.assertIn(name, picture)
        self.assertIn(">0.12<", picture)
        self.assertEqual(self.bars([here], "max"), self.bars([], "max"))

    def test_nothing_new_without_tiles(self):
        without = self.bars([])
        self.assertNotIn(plot.NAMES["staged"], without)
        split = case(8, 4, 1, case=WALKS[0]["case"],
                     did={"split-warp-groups": [""]})
        self.assertEqual(self.bars([split]), without)


class Preparation(unittest.TestCase):
    def test_a_program_with_what_was_asked_for(self):
        tool = os.environ.get("CATT_REWRITE")
        if not tool or not suite.THROTTLE.find_nvcc():
            self.skipTest("no nvcc, or no tool")
        some = [next(c for c in WALKS if (c["type"], c["runtime_size"]) == kind)
                for kind in (("float", False), ("double", True))]
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([str(HERE / "bench"), "--prepare", folder, "--tool",
                            tool, "--cases", ",".join(c["case"] for c in some)],
                           check=True)
            listed = subprocess.run([folder + "/run", "--list"], check=True,
                                    capture_output=True, text=True).stdout
            texts = {side: {f.name: f.read_text()
                            for f in (Path(folder) / "sources" / side).iterdir()}
                     for side in ("original", "rewritten")}
        for line, c in zip(listed.splitlines(), some, strict=True):
            shown = json.loads(line)
            self.assertEqual((shown["case"], shown["grid"], shown["block"]),
                             (c["case"], c["grid"], c["block"]))
            name = c["case"].replace("/", "-") + ".cu"
            self.assertEqual(texts["original"][name] != texts["rewritten"][name],
                             bool(shown["did"]))


if __name__ == "__main__":
    unittest.main()
