#!/usr/bin/env python3
# ===- rows_test.py - Rows in tiles, seen from an editor -----------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""The two actions of a loop with rows, and the picture in its hover.

usage: rows_test.py <catt-lsp> <catt-rewrite> [unittest arguments]"""

import re
import subprocess

from client import apply
from scene import REWRITE, ROWS, SPLIT, ServerTest, main

STAGE = "refactor.rewrite.catt.stage-rows"
SUMS = "refactor.rewrite.catt.promote-accumulators"
PREFER = "refactor.rewrite.catt.prefer-l1"
THROTTLES = "split-warp-groups,reserve-shared,prefer-l1"
STAGES = "stage-rows,promote-accumulators,prefer-l1"
H200 = {"gpu": "h200", "noCuda": True, "delay": 10}
# Each load waits for a store: throttling helps, and so do tiles.
BOTH = """\
__global__ void both(const float *A, const float *B, const float *x, float *y,
                     float *t) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 4096; ++j) {
    t[i] += A[i * 4096 + j] * x[j];
    y[i] += B[i * 4096 + j] * x[j];
  }
}
void run(const float *A, const float *B, const float *x, float *y, float *t) {
  both<<<1056, 256>>>(A, B, x, y, t);
}
"""
FOR = 3
# Rows as long as only the run knows, in two loops.
LONG = """\
__global__ void twice(const float *A, const float *B, float *y, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0, most = 0;
  for (int j = 0; j < m; ++j)
    sum += A[i * m + j];
  for (int k = 0; k < m; ++k)
    most = fmaxf(most, B[i * m + k]);
  y[i] = sum * most;
}
void run(const float *A, const float *B, float *y, int m) {
  twice<<<320, 256>>>(A, B, y, m);
}
"""


class RowsTest(ServerTest):
    def h200(self, **more):
        return self.client(options={**H200, **more})

    def rewritten(self, text, *options):
        """What the command line prints, and what it says."""
        self.path().write_text(text)
        done = subprocess.run(
            [REWRITE, "--gpu=h200", "--no-cuda", *options, str(self.path())],
            capture_output=True, check=True, text=True)
        return done.stdout, done.stderr

    def after(self, c, uri, text, action):
        return apply(text, c.edits(action["edit"], uri))


class Rows(RowsTest):
    def test_both_actions_with_their_predictions(self):
        staged, _ = self.rewritten(BOTH, "--transforms=" + STAGES)
        limited, said = self.rewritten(BOTH, "--transforms=" + THROTTLES)
        predicted = re.search(r"predicted: [^)]*", said)[0]
        with self.h200() as c:
            uri = c.open(self.path(), BOTH)
            actions = c.actions(uri, FOR)
            rows, limit = self.one(actions, STAGE), self.one(actions, SPLIT)
            self.assertEqual(actions[:2], [rows, limit])
            self.assertRegex(
                rows["title"],
                r"^Load rows together \(loop over j\), 1 line per load instead "
                r"of 32; 2 sums in registers, predicted: \d+\.\d times as fast "
                r"with tiles, \d+\.\d to \d+\.\d in nine of ten cases$")
            self.assertIn("Limit active warps (loop over j), " + predicted,
                          limit["title"])
            self.assertRegex(predicted, r"^predicted: [2-9]\.\d times as fast")
            self.assertEqual(self.after(c, uri, BOTH, rows), staged)
            self.assertEqual(self.after(c, uri, BOTH, limit), limited)
            self.assertNotEqual(staged, limited)

    def test_tiles_alone_where_limiting_gains_too_little(self):
        with self.h200(gpu="sm_80") as c:
            uri = c.open(self.path(), ROWS)
            actions = c.actions(uri, FOR)
            self.assertIn("edit", self.one(actions, STAGE))
            limit = self.one(actions, SPLIT)
            self.assertEqual(limit["title"], "Limit active warps (loop over j)")
            self.assertNotIn("edit", limit)
            self.assertIn("predicted to gain", limit["disabled"]["reason"])

    def test_limiting_alone_where_a_macro_begins_the_loop(self):
        text = "#define ROW(j) for (int j = 0; j < 4096; ++j)\n" + BOTH.replace(
            "for (int j = 0; j < 4096; ++j)", "ROW(j)")
        limited, said = self.rewritten(text, "--transforms=" + THROTTLES)
        with self.h200() as c:
            uri = c.open(self.path(), text)
            actions = c.actions(uri, FOR + 1)
            limit = self.one(actions, SPLIT)
            self.assertIn(re.search(r"predicted: [^)]*", said)[0],
                          limit["title"])
            self.assertEqual(self.after(c, uri, text, limit), limited)
            rows = self.one(actions, STAGE)
            self.assertEqual(rows["title"], "Load rows together (loop over j)")
            self.assertIn("a macro", rows["disabled"]["reason"])
            self.assertNotIn("```", c.hover(uri, FOR + 1))

    def in_macro(self):
        """The loop is a part of what a macro stands for."""
        lines = BOTH.split("\n")
        return "\n".join([f"#define ROWS {lines[2]} {lines[FOR]}".rstrip("{"),
                          *lines[:2], "  ROWS {", *lines[FOR + 1:]])

    def test_fewer_blocks_alone(self):
        limited, _ = self.rewritten(self.in_macro(), "--transforms=" + THROTTLES)
        with self.h200() as c:
            uri = c.open(self.path(), self.in_macro())
            limit = self.one(c.actions(uri, FOR), SPLIT)
            # There is no prediction: what is known is how much is touched.
            self.assertRegex(limit["title"], r"\(loop over j\), [\d.]+ KiB of "
                             r"\d+ KiB L1D instead of [\d.]+ KiB: reserved")
            self.assertEqual(self.after(c, uri, self.in_macro(), limit),
                             limited)

    def test_neither_where_macros_hold_the_loop_and_the_launch(self):
        launch = "both<<<1056, 256>>>(A, B, x, y, t)"
        self.assertIn("the macro ROWS", self.refused(
            f"#define GO {launch}\n"
            + self.in_macro().replace(launch, "GO"), FOR + 1))

    def test_neither_where_instantiations_differ(self):
        text = BOTH.replace("__global__", "template <int Apart> __global__")
        text = text.replace("i * 4096", "i * Apart")
        text = text.replace("both<<<", "both<4096><<<").replace(
            ", t);\n}", ", t);\n  both<1><<<1056, 256>>>(A, B, x, y, t);\n}")
        reason = self.refused(text, FOR)
        self.assertIn("instantiations of the template", reason)

    def refused(self, text, line):
        """Neither action can be taken; why."""
        with self.h200() as c:
            uri = c.open(self.path(), text)
            actions = c.actions(uri, line)
            self.assertEqual([a for a in actions if "edit" in a
                              and a["kind"] in (STAGE, SPLIT)], [])
            return " ".join(a["disabled"]["reason"] for a in actions
                            if a["kind"] in (STAGE, SPLIT))

    def test_nothing_that_the_editor_cannot_show(self):
        with self.client(capabilities={},
                         options={**H200, "gpu": "sm_80"}) as c:
            uri = c.open(self.path(), ROWS)
            kinds = [a["kind"] for a in c.actions(uri, FOR)]
            self.assertIn(STAGE, kinds)
            self.assertNotIn(SPLIT, kinds)

    def test_chosen_transforms(self):
        for chosen, offered in (("stage-rows", STAGE),
                                ("split-warp-groups", SPLIT)):
            with self.h200(transforms=[chosen]) as c:
                uri = c.open(self.path(), BOTH)
                found = [a["kind"] for a in c.actions(uri, FOR)
                         if a["kind"] in (STAGE, SPLIT)]
                self.assertEqual(found, [offered])

    def test_one_loop_of_two(self):
        whole, _ = self.rewritten(LONG)
        self.assertEqual(whole.count("stage-rows(32)"), 2)
        with self.h200() as c:
            uri = c.open(self.path(), LONG)
            for line, name in ((3, "j"), (5, "k")):
                rows = self.one(c.actions(uri, line), STAGE)
                self.assertIn(f"loop over {name}", rows["title"])
                text = self.after(c, uri, LONG, rows)
                self.assertEqual(text.count("stage-rows(32)"), 1)
                self.assertEqual(text.split("stage-rows(32)")[1].count(
                    "cattLoadRow<"), 1)
                self.assertIn(f"for (int {name} = 0; __any_sync", text)

    def test_no_action_names_what_it_does_not_write(self):
        # What divides L1 would call the second kernel, which comes with tiles.
        with self.h200() as c:
            uri = c.open(self.path(), LONG)
            for action in c.actions(uri, 3):
                if "edit" not in action:
                    continue
                text = self.after(c, uri, LONG, action)
                self.assertEqual("cattRows_" in text, "cattBody_" in text,
                                 action["title"])


class Pictures(RowsTest):
    def picture(self, text, line=FOR):
        with self.h200() as c:
            shown = c.hover(c.open(self.path(), text), line)
            parts = shown.split("```")
            self.assertEqual(len(parts), 3, shown)
            lines = parts[1].split("\n")
            self.assertEqual(lines[0], "text")
            self.assertLessEqual(len(lines[1:-1]), 8)
            return [line.rstrip() for line in lines[1:-1]]

    def test_floats(self):
        dots, full = "." * 32, "#" * 32
        self.assertEqual(self.picture(ROWS), [
            "A[i * 4096 + j]: 4 bytes each, lanes 16,384 bytes apart; "
            "# is one load",
            "         as written: 32 lines               rows together: 1 line",
            f"lane  0  #{dots[1:]}   {full}",
            f"lane  1  #{dots[1:]}   {dots}",
            " ...",
            f"lane 31  #{dots[1:]}   {dots}",
            "         128 bytes of each row; a cache line has 128"])

    def test_doubles_have_tiles_of_half_as_many(self):
        shown = self.picture(ROWS.replace("float", "double"))
        self.assertIn("8 bytes each, lanes 32,768 bytes apart", shown[0])
        self.assertIn("32 lines   rows together: 2 lines", shown[1])
        self.assertTrue(shown[2].endswith(" " + "#" * 16), shown)
        self.assertTrue(shown[3].endswith(" " + "#" * 16), shown)
        self.assertTrue(shown[5].endswith(" " + "." * 16), shown)

    def test_names_are_the_loops_own(self):
        text = ROWS.replace("A[i * 4096 + j]", "A[i * 4099 + j]")
        shown = self.picture(text)
        self.assertIn("A[i * 4099 + j]: 4 bytes each, lanes 16,396 bytes",
                      shown[0])
        # Rows that begin inside of a cache line.
        self.assertIn("rows together: 1 or 2 lines", shown[1])

    def test_a_distance_that_only_the_run_knows(self):
        shown = self.picture(LONG)
        self.assertIn("A[i * m + j]: 4 bytes each, a row for each lane",
                      shown[0])
        self.assertIn("as written: up to 32 lines", shown[1])

    def test_rows_that_are_stored(self):
        text = ROWS.replace("sum += A[i * 4096 + j] * x[j]",
                            "y[i * 4096 + j] = x[j] + A[0]").replace(
                                "  y[i] = sum;\n", "")
        shown = self.picture(text)
        self.assertIn("# is one store", shown[0])

    def test_several_rows(self):
        shown = self.picture(BOTH)
        self.assertEqual(shown[-1].strip(), "of 2 rows in tiles, this is one")

    def test_both_columns_of_the_table(self):
        with self.h200() as c:
            shown = c.hover(c.open(self.path(), BOTH), FOR)
            lines = re.search(r"lines of one warp \| (\d+) \| (\d+)", shown)
            self.assertGreater(int(lines[1]), 64)
            self.assertLess(int(lines[2]), 4)


if __name__ == "__main__":
    main()
