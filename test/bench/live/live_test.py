#!/usr/bin/env python3
# ===- live_test.py - Generator, caps and judge, without a GPU --------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""The same kernel for the same number, launches and memory within their limits,
texts that clang reads, and a judge that can say no.

CATT_REWRITE names the tool; without it, texts are not read.
"""
import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "spill"), str(HERE.parent / "registers")]
import families
import generate
import judge
import launch
import ptx
import suite

KERNELS = generate.kernels(1, 0, 200)
TOOL = os.environ.get("CATT_REWRITE", str(suite.BIN / "catt-rewrite"))


def measured(default, chosen, *caps, equal=True, name="k0001", **more):
    """A case as run_spill.py writes it."""
    times = {"default": default, "chosen": chosen} | {
        f"local@{64 - 8 * k}": ms for k, ms in enumerate(caps)}
    return {"case": name, "family": "outer", "type": "float",
            "block": [128, 1, 1], "points": [
                {"point": p, "variant": p.split("@")[0], "registers": 99,
                 "median_ms": ms, "equal": equal or p != "chosen"}
                | (more if p == "chosen" else {}) for p, ms in times.items()]}


def judged(*cases):
    """(what it prints, the kernels that are slower)"""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        slower = judge.report(list(cases), True)
    return out.getvalue(), slower


class Generator(unittest.TestCase):
    def test_a_number_is_a_kernel(self):
        self.assertEqual(generate.kernels(1, 37, 2), KERNELS[37:39])
        self.assertNotEqual(generate.kernel(2, 37).text, KERNELS[37].text)

    def test_the_process_has_no_say(self):
        """Sets and hashes differ from process to process."""
        texts = {subprocess.run(
            [sys.executable, "-c", "import generate; print([k.text for k in "
             "generate.kernels(3, 0, 40)])"], cwd=HERE, text=True, check=True,
            capture_output=True, env=os.environ | {"PYTHONHASHSEED": seed}
        ).stdout for seed in ("1", "2")}
        self.assertEqual(len(texts), 1)

    def test_every_family_is_drawn(self):
        self.assertEqual({k.facts["family"] for k in KERNELS},
                         {f.name for f in families.ALL})

    def test_names_are_unique(self):
        self.assertEqual(len({k.name for k in KERNELS}), len(KERNELS))
        for k in KERNELS:
            self.assertIn(f"void {k.name}(", k.text)

    def test_launches_are_within_their_limits(self):
        for k in KERNELS:
            self.assertIn(k.launch.block, launch.BLOCKS, k.name)
            self.assertTrue(0 < k.outputs <= launch.FLOATS, k.name)
            self.assertTrue(launch.fits(k.launch.block, k.facts["live"]),
                            k.name)
            case = generate.case(k, k.launch)
            self.assertTrue(k.launch.n <= case["grid"][0] * case["block"][0]
                            < k.launch.n + case["block"][0], k.name)
            self.assertTrue(case["grid"][0] < 1 << 16, k.name)
            self.assertTrue(k.facts["rounds"] == 0 or 1 <
                            k.facts["rounds"] <= launch.MOST_ROUNDS, k.name)

    def test_a_thread_that_does_not_ask_is_there(self):
        for k in KERNELS:
            if "return;" not in k.text.split("__global__")[1].split("\n")[4]:
                self.assertEqual(k.launch.n % k.launch.block, 0, k.name)

    def test_blocks_shrink_until_they_fit(self):
        at = launch.Launch(12 * 1024, 1024, 1)
        self.assertEqual([launch.fitting(at, r).block for r in
                          (64, 65, 128, 129, 255)], [1024, 512, 512, 256, 256])
        self.assertEqual(launch.fitting(at, 255).grid, 48)

    def test_braces_match(self):
        for k in KERNELS:
            self.assertEqual(k.text.count("{"), k.text.count("}"), k.name)


class Text(unittest.TestCase):
    def test_one_of_each_family_is_read(self):
        if not Path(TOOL).is_file():
            self.skipTest(f"there is no {TOOL}")
        first = {k.facts["family"]: k for k in reversed(KERNELS)}
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for k in first.values():
                files.append(Path(folder) / f"{k.name}.cu")
                files[-1].write_text(k.text)
            done = subprocess.run(
                [TOOL, "--no-cuda", "--config=none", "--gpu=h200", "--quiet",
                 "--diff", *files, "--", "-std=c++17", "-arch=sm_90"],
                text=True, capture_output=True)
        self.assertIn(done.returncode, (0, 1), done.stderr)


class Caps(unittest.TestCase):
    def test_each_stair_holds_one_more_block(self):
        self.assertEqual(ptx.stairs(256),
                         [128, 80, 64, 48, 40, 32])
        self.assertEqual(ptx.stairs(512, 255), [128, 64, 40, 32])
        self.assertIn(200, ptx.stairs(64, 255))

    def test_a_case_is_a_line(self):
        with tempfile.TemporaryDirectory() as folder:
            into = Path(folder)
            case = generate.case(KERNELS[0], KERNELS[0].launch)
            suite.write(into, [case], [], failed=[])
            at = KERNELS[0].launch
            self.assertEqual(
                (into / "cases").read_text(), f"k0000 {at.n} {at.grid} 1 1 "
                f"{at.block} 1 {KERNELS[0].outputs}\n")


class Judge(unittest.TestCase):
    def test_slower_is_named(self):
        said, slower = judged(measured(1, 1.01), measured(1, 1.03, 0.5))
        self.assertEqual([r.chosen for r in slower], [1.03])
        self.assertIn("1 above 1.02", said)
        self.assertIn("worst 2.060", said)

    def test_what_is_the_same_is_not_changed(self):
        said, slower = judged(measured(1, 1, same_as="default"))
        self.assertIn("1 kernels, 0 changed", said)
        self.assertEqual(slower, [])

    def test_gains_are_those_of_kernels_that_can_gain(self):
        rows = [judge.row_of(measured(2, 1.6, 1)),
                judge.row_of(measured(1, 1, 0.97))]
        self.assertEqual(judge.gains(rows), (1, 1.25, 2.0))

    def test_differences_are_named(self):
        self.assertEqual(judge.wrong([measured(1, 1, equal=False)]),
                         ["k0001 chosen"])

    def test_parts_share_no_kernel(self):
        self.assertEqual([judge.part_of(f"k{n:04}") for n in (0, 1, 2, 3)],
                         ["fit", "choose", "report", "fit"])

    def test_of_twenty_one_may_be_worse(self):
        self.assertEqual(judge.percentile(list(range(20)), 0.95), 18)


if __name__ == "__main__":
    unittest.main()
