#!/usr/bin/env python3
# ===- ways_test.py - Ways through the search, with stand-ins -------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""usage: ways_test.py <catt-tune> [unittest arguments]

--most, --opt-tlp and --strategy, with the stand-ins of tune_testing.py."""

import re

from tune_testing import KERNEL, ROWS, TuneTest, main

MANY = ROWS.replace("320,", "3200,")


class Most(TuneTest):
    """--most: the most promising, and no more."""

    def test_the_most_promising_are_tried_first(self):
        out = self.tune("fine", "--most=3", variants=None)
        tried = [line.split()[0] for line in out.splitlines()
                 if line.endswith((" fine", " best"))]
        self.assertEqual(len(tried), 3)
        self.assertEqual(tried[0], "default")
        self.assertRegex(tried[1], "^(groups|blocks)-")  # judged to gain
        self.assertEqual(self.runs(), 1 + 3 + 2)
        self.assertRegex(out, r"registers-64 +not tried\n")
        # Predictions stand beside times, and where there is none.
        self.assertRegex(out, tried[1] + r" +\d+\.\d+ +\d\.\d\dx +\d\.\d\dx +")
        self.assertRegex(out, r"groups-\d-of-loop-0 +\d\.\d\dx +not tried\n")
        self.assertRegex(out, r"variant +ms +gain +predicted +verdict\n")

    def test_equal_texts_and_refusals_do_not_count(self):
        out = self.tune("fine", "--most=2",
                        variants="l1,again,default,tiles-32,tiles-128,tiles-64")
        tried = [line for line in out.splitlines()
                 if line.endswith((" fine", " best"))]
        self.assertEqual(len(tried), 2, out)

    def test_a_search_of_a_part_says_nothing_of_the_original(self):
        self.tune("never", "--settings", "--most=2", config=None,
                  variants=None, status=1)
        self.assertFalse((self.root / ".catt").exists())

    def test_all_points_in_order(self):
        out = self.tune("fine", "--bftt", "--most=2", variants=None)
        self.assertRegex(out, r"-and-blocks-\d-fewer-in-loop-0 +\d\.\d\dx +"
                              r"not tried\n")
        self.assertNotIn("tiles-32", out)


class OptTlp(TuneTest):
    """--opt-tlp: the fastest number of blocks, then bounds for it."""

    def setUp(self):
        super().setUp()
        self.file.write_text(MANY)

    def test_bounds_are_tried_with_the_fastest_number_of_blocks(self):
        out = self.tune("blocks", "--opt-tlp", variants=None)
        best = re.search(r"at-most-(\d)-blocks +5\.\d+ +\d\.\d\dx +best", out)[1]
        self.assertIn(f"OptTLP of 'rows': {best} of 8 blocks on an SM.\n", out)
        self.assertEqual(len(re.findall(r"at-most-\d-blocks? ", out)), 7)
        for what in ("bounds", "spill"):
            self.assertRegex(
                out, rf"{what}-by-tpsc-with-{best}-blocks +(?!not tried)")
        self.assertNotIn("default", out)
        self.assert_restored(MANY)

    def test_none_fewer_are_all(self):
        out = self.tune("never", "--opt-tlp", variants=None, status=1)
        self.assertIn("OptTLP of 'rows': 8 of 8 blocks on an SM.", out)

    def test_each_kernel_has_its_own_and_one_table(self):
        self.file.write_text(MANY + KERNEL.format(name="more"))
        out = self.tune("blocks", "--opt-tlp", variants=None)
        self.assertIn("OptTLP of 'more': ", out)
        self.assertEqual(out.count("variant  "), 2)

    def test_no_fewer_than_the_grid_brings(self):
        self.file.write_text(ROWS)  # 3 blocks for each of 132 SMs
        out = self.tune("blocks", "--opt-tlp", "--gpu=h200", variants=None)
        self.assertRegex(out, r"at-most-3-blocks +refused: an SM holds no more "
                              r"of its blocks as it is\n")
        self.assertRegex(out, r"at-most-2-blocks +5\.\d+ ")

    def test_where_none_can_be_fewer_it_is_not_known(self):
        again = "  rows<<<3200, 256>>>(A, x, y);\n"
        self.file.write_text(MANY.replace(again, again + again))
        out = self.tune("never", "--opt-tlp", variants=None, status=1)
        self.assertIn("OptTLP of 'rows' is not known", out)
        self.assertNotIn("by-tpsc", out)

    def test_without_time_there_is_no_second_step(self):
        out = self.tune("blocks", "--opt-tlp", "--budget=0", variants=None,
                        status=1)
        self.assertNotIn("OptTLP", out)

    def test_it_is_a_search_of_its_own(self):
        for more in (["--bftt"], ["--strategy=crat"]):
            self.tune("fine", "--opt-tlp", *more, status=2)
            self.assertIn("searches of their own", self.done.stderr)


class Strategy(TuneTest):
    """--strategy: what a paper's method writes. Without a toolkit nothing."""

    def names(self, strategy):
        out = self.tune("fine", f"--strategy={strategy}", variants=None,
                        status=1)
        self.assertNotIn("not tried", out)
        return re.findall(r"^  (\S+) +refused: ", out, re.M)

    def test_each_method_has_what_its_paper_does(self):
        self.assertEqual(self.names("crat"), ["bounds-by-tpsc", "spill-by-tpsc"])
        self.assertEqual(self.names("tlp-rm"), [
            "bounds-by-dru", "spill-by-dru", "again-by-dru", "both-by-dru"])
        self.assertEqual(self.names("unified"),
                         ["bounds-by-unified", "spill-by-unified"])
        self.assertEqual(self.names("orion"),
                         ["bounds-by-orion", "spill-by-orion"])

    def test_as_written_is_not_the_best_of_everything(self):
        self.tune("never", "--strategy=model", "--settings", config=None,
                  variants=None, status=1)
        self.assertFalse((self.root / ".catt").exists())

    def test_another_name(self):
        self.tune("fine", "--strategy=catt", status=2)
        self.assertIn("there are crat, orion, unified, tlp-rm and model",
                      self.done.stderr)


if __name__ == "__main__":
    main()
