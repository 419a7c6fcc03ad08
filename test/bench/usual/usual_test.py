#!/usr/bin/env python3
# ===- usual_test.py - The table, and that the programs compile ---------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""The arithmetic of the table; and where nvcc is, that the programs compile as
they are and as the tool (CATT_REWRITE) writes them."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
import table

LINES = ("original sum 2.0 a1\nrewritten sum 1.0 a1\noriginal dot 1.0 b2\n"
         "rewritten dot 1.1 b2\noriginal sum 1.8 a1\nrewritten sum 0.9 a1\n")


class Table(unittest.TestCase):
    def test_the_least_time_of_each_side_counts(self):
        times, different = table.read(LINES)
        self.assertEqual(times["sum"], {"original": 1.8, "rewritten": 0.9})
        self.assertEqual(different, [])

    def test_the_last_line_says_what_was_lost(self):
        shown = table.show(*table.read(LINES)).splitlines()
        self.assertEqual(len(shown), 3)
        self.assertIn("2.00", shown[0])
        self.assertIn("2 kernels, 1 faster and 1 slower by more than 2 %; 1.348 "
                      "times as fast in the mean, 0.91 at least; no outputs",
                      shown[-1])

    def test_another_output_is_named_and_ends_with_1(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "lines"
            file.write_text(LINES.replace("0.9 a1", "0.9 a2"))
            done = subprocess.run([str(HERE / "table.py"), str(file)],
                                  capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("outputs differ", done.stdout.splitlines()[0])
        self.assertIn("1 outputs differ", done.stdout)


class Preparation(unittest.TestCase):
    def test_all_programs_compile_and_most_are_changed(self):
        tool = os.environ.get("CATT_REWRITE")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [str(HERE / "bench"), "--prepare", folder, "--tool", str(tool)],
                capture_output=True, text=True)
            if "there is no nvcc" in done.stderr:
                self.skipTest("no nvcc")
            self.assertEqual(done.returncode, 0, done.stderr)
            for file in HERE.glob("*.cu"):
                rewritten = Path(folder) / "rewritten" / file.name
                self.assertIn("catt: stage-rows", rewritten.read_text())
                self.assertTrue((rewritten.parent / file.stem).is_file())


if __name__ == "__main__":
    unittest.main()
