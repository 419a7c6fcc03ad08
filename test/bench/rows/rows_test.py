#!/usr/bin/env python3
# ===- rows_test.py - Generator, bundle and judge, without a GPU -------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""The same kernel for the same number, sizes within their limits, a program
without leftovers, and a judge that can say no."""
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "registers"))
import bundle
import forms
import generate
import judge
import points
import refusals
import shapes
from tool import predicted, remarks_of

BYTES = {"float": 4, "double": 8, "int": 4, "short": 2, "unsigned char": 1,
         "float2": 8, "float4": 16, "Body": 16}
KERNELS = generate.kernels(1, 0, 400)
CORPUS = generate.kernels(1, 0, 400, kinds="all")


def kernel(original, chosen, **more):
    """As Runner.cu writes it."""
    return {"name": "k0001", "form": "dot", "type": "float", "length": 8,
            "rows": 1, "waves": 1, "variants": [
                {"variant": "original", "ms": original, "equal": True},
                {"variant": "chosen", "ms": chosen, "equal": True} | more]}


class Generator(unittest.TestCase):
    def test_a_number_is_a_kernel(self):
        self.assertEqual(generate.kernels(1, 37, 2), KERNELS[37:39])
        self.assertNotEqual(generate.kernel(2, 37).text, KERNELS[37].text)

    def test_every_form_is_drawn(self):
        for kinds, drawn in forms.KINDS.items():
            seen = {k.facts["form"]
                    for k in generate.kernels(1, 0, 2000, kinds=kinds)}
            self.assertEqual(seen, {f.name for f in drawn})

    def test_row_walks_are_a_part_of_the_corpus(self):
        self.assertEqual(forms.CORPUS[:len(forms.ALL)], forms.ALL)

    def test_sizes_are_within_their_limits(self):
        for k in KERNELS + CORPUS:
            memory = sum(a.count * BYTES[a.type] for a in k.arrays)
            self.assertLess(memory, 2 << 30, k.name)
            self.assertTrue(all(a.count <= shapes.MOST_ELEMENTS
                                for a in k.arrays), k.name)
            x, y = k.facts["block"]
            self.assertTrue(32 <= x * y <= 1024, k.name)

    def test_some_array_is_written(self):
        for k in KERNELS + CORPUS:
            self.assertTrue(any(a.written for a in k.arrays), k.name)

    def test_braces_match(self):
        for k in KERNELS + CORPUS:
            self.assertEqual(k.text.count("{"), k.text.count("}"), k.name)


class Bundle(unittest.TestCase):
    def test_includes_stand_first_and_macros_end(self):
        text = "#include <a>\n#define M 3\n" + KERNELS[0].text
        unit = bundle.unit([(KERNELS[0], "chosen", text)])
        self.assertLess(unit.index("#include <a>"), unit.index("namespace"))
        self.assertGreater(unit.index("#undef M"), unit.index("#define M 3"))

    def test_a_variant_without_code_names_another(self):
        table = bundle.table([(KERNELS[0], [("original", None, True),
                                            ("chosen", "original", False)])],
                             "nvcc")
        self.assertIn('{"chosen", "original", nullptr}', table)
        self.assertNotIn("k0000_chosen_variant", table)


class Points(unittest.TestCase):
    def test_sizes_reach_the_launch(self):
        for k in KERNELS:
            given = points.arguments(k)
            self.assertEqual([n for n in k.sizes if n not in given], [], k.name)

    def test_a_text_counts_once_and_only_if_it_is_right(self):
        row = kernel(2, 2, same_as="original")
        row["variants"] += [
            {"variant": "groups-2", "ms": 1, "equal": False},
            {"variant": "groups-4", "ms": 3, "equal": True},
            {"variant": "blocks-1", "error": "launch"}]
        self.assertEqual(points.times(row), {"original": 2, "groups-4": 3})

    def test_the_last_group_may_be_smaller(self):
        there = {"warpsPerBlock": 6, "blocksPerSM": 8, "l1Bytes": 1024}
        self.assertEqual(points.point(there, 4), [2, 8, 1024])
        self.assertEqual(points.point(there, 1), [6, 8, 1024])


class Judge(unittest.TestCase):
    def test_what_is_the_same_is_not_changed(self):
        same = judge.row_of(kernel(1, 1, same_as="original"))
        self.assertFalse(same.changed)
        self.assertTrue(judge.row_of(kernel(1, 1)).changed)

    def test_slower_is_named(self):
        rows = [judge.row_of(kernel(1, t)) for t in (0.5, 1.02, 1.03)]
        with open("/dev/null", "w") as nowhere:
            out, sys.stdout = sys.stdout, nowhere
            try:
                self.assertEqual(judge.summary(rows), rows[2:])
            finally:
                sys.stdout = out

    def test_first_launches_are_held_against_the_better_kernel(self):
        tried = {"variant": "tried", "ms": 2, "first_ms": 3, "equal": True}
        fewer, same = kernel(4, 2), kernel(4, 2)
        fewer["variants"].append(tried)
        same["variants"].append(tried | {"same_as": "original"})
        self.assertEqual(judge.first_launches([fewer, same, kernel(4, 2)]),
                         [("k0001", 0.75, 1.5)])
        self.assertEqual(judge.row_of(fewer).best_name, "chosen")

    def test_promises_are_held_against_what_came(self):
        told = {"gain": 2, "least": 1, "most": 4}
        rows = [judge.row_of(kernel(t, 1) | {"predicted": told})
                for t in (4, 5, 0.5)]
        self.assertEqual(judge.promises(rows), [
            (0.5, True, True), (0.4, True, False), (4, False, False)])
        same = kernel(1, 1, same_as="original") | {"predicted": told}
        self.assertEqual(judge.promises(
            [judge.row_of(same), judge.row_of(kernel(1, 1))]), [])

    def test_what_is_predicted_for_a_kernel(self):
        tiles = {"gain": 3, "least": 1, "most": 9, "ofLongRows": False}
        self.assertEqual(predicted({"predictedByTiles": tiles}),
                         {"gain": 3, "least": 1, "most": 9})
        self.assertIsNone(predicted(
            {"predictedByTiles": tiles | {"ofLongRows": True}}))
        loop = {"split": True, "predictedGain": 1.4}
        one = {"predictedByTiles": None, "loops": [loop]}
        self.assertAlmostEqual(predicted(one)["least"], 1)
        self.assertIsNone(predicted(one | {"loops": [loop, loop]}))

    def test_differences_and_failures_are_named(self):
        failed = kernel(1, 1)
        failed["variants"][1] = {"variant": "chosen", "error": "hung"}
        differ, broken = judge.wrong([kernel(1, 1, equal=False), failed,
                                      kernel(1, 1)])
        self.assertEqual(differ, ["k0001 dot chosen"])
        self.assertEqual(broken, ["k0001 dot chosen: hung"])

    def test_lengths_have_groups(self):
        self.assertEqual([judge.length_group(n) for n in (1, 8, 31, 5000)],
                         ["1-7", "8-31", "8-31", "1024-"])


class Refusals(unittest.TestCase):
    def test_what_stage_rows_says_comes_first(self):
        said = remarks_of(
            "/x/k0001.cu:5:3: remark: loop over j: 1 line: left [small-gain]\n"
            "/x/k0001.cu:5:9: remark: it may alias [may-alias]\n"
            "k0002.cu:5:3: remark: loads 1 row of each lane [stage-rows]\n")
        self.assertEqual(refusals.said(said["k0001"]), "may-alias")
        self.assertEqual(refusals.said(said["k0002"]), "staged")
        self.assertIsNone(refusals.said(said["k0001"][:1]))


if __name__ == "__main__":
    unittest.main()
