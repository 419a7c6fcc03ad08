#!/usr/bin/env python3
# ===- replay_test.py - Launches that are replayed, as it were ------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""usage: replay_test.py <catt-tune> [unittest arguments]

--replay: launches that run several times, and nothing behind them."""

from tune_testing import ROWS, TWO, TuneTest, main


class Replaying(TuneTest):
    def replay(self, mode="fine", *more, **keys):
        return self.tune(mode, *(more or ["--replay"]), **keys)

    def kinds(self):
        return (self.root / "runs").read_text().split()

    def test_variants_run_up_to_their_launch(self):
        out = self.replay(variants="default,l1")
        self.assertIn("Replayed alone: rows (1 launch).", out)
        self.assertRegex(out, r"default +2\.000 +5\.00x +best")
        self.assertIn("10.000 ms -> 2.000 ms, 5.00x, on sm_80", out)
        # The original, twice to its launch; the variant; both in turns.
        self.assertEqual(self.kinds(),
                         ["run"] + ["replay"] * 3 + ["run"] * 2)
        self.assertNotIn("catt::", out)
        self.assert_restored()

    def test_another_number_of_runs(self):
        self.replay(runs=2, variants="tiles-32,l1")
        self.assertEqual(self.kinds(),
                         ["run"] * 2 + ["replay"] * 3 + ["run"] * 4)

    def test_settings_have_the_replays(self):
        self.tune("fine", "--settings", "--replay", config=None,
                  variants="default,tiles-32")
        self.assertRegex((self.root / ".catt").read_text(), r"launches: +7\n")

    def test_what_is_launched_often_is_not_replayed(self):
        out = self.replay("many")
        self.assertNotIn("eplayed", out)
        self.assertNotIn("replay", self.kinds())
        self.assertRegex(out, r"default +14\.000 +5\.00x +best")

    def test_what_is_named_is_replayed_all_the_same(self):
        out = self.replay("many", "--replay={rows,other}")
        self.assertIn("Replayed alone: rows (7 launches).", out)
        self.assertRegex(out, r"default +14\.000 +5\.00x +best")

    def test_one_of_two(self):
        self.file.write_text(TWO)
        out = self.replay("fine", "--replay=more", variants="tiles-32,l1")
        self.assertIn("Replayed alone: more (1 launch).", out)
        self.assertIn("20.000 ms -> 6.000 ms", out)
        self.assertEqual(self.kinds(), ["run"] + ["replay"] * 2 +
                         ["run", "replay"] + ["run"] * 2)

    def test_what_is_left_in_memory_is_compared(self):
        out = self.replay("wrong")
        self.assertRegex(out, r"tiles-32 .*what it leaves in memory is not")
        self.assertRegex(out, r"groups-\d.* best")

    def test_without_a_check_it_is_not(self):
        out = self.replay("wrong", "--replay", "--no-check")
        self.assertRegex(out, r"default .* best")

    def test_the_last_comparison_reads_the_output(self):
        out = self.replay("later", status=1, variants="tiles-32,l1")
        self.assertRegex(out, r"tiles-32 +3\.000 +3\.33x")
        self.assertIn("nothing is to be changed", out)

    def test_results_that_vary(self):
        out = self.replay("varies")
        self.assertIn("'rows' is not replayed: what it leaves in memory "
                      "differs between runs.", out)
        self.assertRegex(out, r"default +2\.000 +5\.00x +best")
        self.assertEqual(self.kinds()[:4], ["run", "replay", "replay", "run"])

    def test_a_run_that_refuses(self):
        out = self.replay("refused")
        self.assertIn("'rows' is not replayed: so it is.", out)
        self.assertRegex(out, r"default +2\.000 +5\.00x +best")

    def test_a_variant_that_the_run_refuses(self):
        out = self.replay("tiles-refused")
        self.assertRegex(out, r"tiles-32 .*it was not replayed: so it is")

    def test_a_run_that_writes_nothing(self):
        out = self.replay("nothing")
        self.assertIn("'rows' is not replayed: the run wrote no times of "
                      "replays.", out)

    def test_what_comes_behind_may_fail(self):
        self.assertRegex(self.replay("ends"), r"default .* best")

    def test_a_crash_ends_the_variant(self):
        self.assertRegex(self.replay("crash"), r"tiles-32 .*signal 11")

    def test_state_of_its_own_is_refused(self):
        self.file.write_text("__device__ float last;\n" + ROWS.replace(
            "  for", "  last = i;\n  for", 1))
        out = self.replay(variants="tiles-32,l1")
        self.assertIn("'rows' is not replayed: it uses the variable 'last'.",
                      out)
        self.assertNotIn("replay", self.kinds())

    def test_replays_are_another_search(self):
        self.tune()
        self.assertNotIn("earlier search", self.replay())
        self.assertIn("earlier search", self.replay())

    def test_an_original_that_is_not_built_so(self):
        self.tune("fine", "--replay", status=3,
                  build="cp a.cu app; ! grep -q 'catt::Replay' app")
        self.assertIn("with launches that can be replayed the build ended "
                      "with exit code 1; --replay=<glob>", self.done.stderr)
        self.assert_restored()

    def test_a_glob_that_is_none(self):
        for bad in ("--replay=[", "--replay="):
            self.tune("fine", bad, status=2)
            self.assertIn("--replay", self.done.stderr)


if __name__ == "__main__":
    main()
