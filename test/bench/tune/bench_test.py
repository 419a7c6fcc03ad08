#!/usr/bin/env python3
# ===- bench_test.py - The tuned benchmark loops, without a GPU -----------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Programs, searches by a stand-in for catt-tune, and what is judged of them."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent

CASES = [
    {"case": "bicg/rows", "kernel": "rowsAny<float, 0>", "group": "contended",
     "grid": [1056, 1, 1], "block": [256, 1, 1],
     "arguments": [None, None, None, 270336, 1000],
     "values": ["in + 0", "in + 64", "out + 0", "270336", "1000"],
     "output": "out + 0", "output_bytes": 1081344},
    {"case": "attention/d", "kernel": "scores<0>", "group": "contended",
     "grid": [8448, 1, 1], "block": [256, 1, 1],
     "arguments": [None, None, None, 2162688, 128, None],
     "values": ["in + 0", "in + 4096", "out + 0", "2162688", "128",
                "0.125000f"],
     "output": "out + 0", "output_bytes": 8650752}]

# Stands in for catt-tune: $MODE is what happens.
TUNE = """#!/usr/bin/env python3
import json, os, re, sys
said = dict(re.match('--([a-z]+)=?(.*)', a).groups() for a in sys.argv[1:]
            if re.match('--[a-z]', a))
open('calls', 'a').write(' '.join(sys.argv[1:]) + chr(10))
mode = os.environ.get('MODE')
if mode == 'fail':
    print('catt-tune: error: no such thing', file=sys.stderr)
    sys.exit(3)
if mode == 'late':
    print('The budget ended before all variants were tried.')
times = {'as written': 100.0, 'default': 80.0, 'groups-2-of-loop-0': 40.0,
         'groups-8-of-loop-0': 'RuntimeFailedConfig'}
if 'most' not in said:
    times['blocks-1-fewer-in-loop-0'] = 39.0
json.dump({'cache': {str(i): {'name': n, 'variant': i, 'time': t}
                     for i, (n, t) in enumerate(times.items())}},
          open(said['export'], 'w'))
sys.exit(1 if mode == 'none' else 0)
"""


class BenchTest(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        self.home = tempfile.TemporaryDirectory()
        self.addCleanup(self.home.cleanup)
        self.root = pathlib.Path(self.home.name)
        self.script("throttle", "#!/bin/sh\ncat <<'END'\n" + "\n".join(
            map(json.dumps, CASES)) + "\nEND\n")
        self.script("tune", TUNE)

    def script(self, name, text):
        (self.root / name).write_text(text)
        (self.root / name).chmod(0o755)

    def call(self, *command, status=0, **env):
        done = subprocess.run(
            [sys.executable, "-B", *map(str, command)], cwd=self.root,
            text=True, capture_output=True, check=False, timeout=60,
            env={"PATH": "/usr/bin:/bin", **env})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def prepare(self, *more, status=0):
        return self.call(HERE / "prepare.py", self.root / "made", "--list",
                         self.root / "throttle", *more, status=status)

    def run_all(self, *more, status=0, **env):
        return self.call(self.root / "made" / "run", "--tune=./tune",
                         "--out=results", "--jobs=2", *more, status=status,
                         **env)

    def calls(self, name):
        log = self.root / "results" / "programs" / name / "calls"
        return log.read_text().splitlines() if log.exists() else []


class Preparing(BenchTest):
    def test_a_program_has_its_kernel_and_its_launch(self):
        self.prepare()
        text = (self.root / "made/programs/bicg-rows/kernel.cu").read_text()
        self.assertIn("void rowsAny(", text)
        self.assertIn("rowsAny<float, 0><<<dim3(1056, 1, 1), dim3(256, 1, 1)>>>("
                      "arrays.in + 0, arrays.in + 64, arrays.out + 0, 270336, "
                      "1000);", text)
        self.assertIn("arrays.clear(arrays.out + 0, 1081344);", text)
        self.assertIn("run < 17;", text)  # 30 ms of 1.816
        self.assertIn('#include "../Pool.h"', text)
        for gone in ("Harness.h", "addRows", "P.in<"):
            self.assertNotIn(gone, text)
        text = (self.root / "made/programs/attention-d/kernel.cu").read_text()
        self.assertIn(", 128, 0.125000f);", text)
        for header in ("Pool.h", "Fill.h"):
            self.assertTrue((self.root / "made/programs" / header).exists())

    def test_an_unknown_case(self):
        self.assertIn("there is no case b",
                      self.prepare("--cases=bicg/rows,b", status=1))

    def test_an_old_list(self):
        old = {k: v for k, v in CASES[0].items() if k != "values"}
        self.script("throttle", f"#!/bin/sh\necho '{json.dumps(old)}'\n")
        self.assertIn("does not list the arguments", self.prepare(status=1))


class Running(BenchTest):
    def setUp(self):
        super().setUp()
        self.prepare()

    def test_both_searches_of_each(self):
        self.run_all("--most=5", "--gpus=2")
        for name, kernel in (("bicg-rows", "rowsAny"),
                             ("attention-d", "scores")):
            first, second = self.calls(name)
            self.assertIn("--bftt --build=nvcc -O3", first)
            self.assertIn(f"--kernel={kernel} ", first)
            self.assertEqual(first.replace("all.new", "most.new"),
                             second.replace(" --most=5", ""))
        self.assertIn("of 2 programs", self.run_all())
        self.assertEqual(len(self.calls("bicg-rows")), 2)  # not again

    def test_nothing_better_is_a_result(self):
        self.assertIn("2 of 2 programs", self.run_all(MODE="none"))

    def test_what_fails_is_tried_again(self):
        self.assertIn("catt-tune ended with 3: catt-tune: error: no such",
                      self.run_all(status=1, MODE="fail"))
        self.run_all()
        self.assertEqual(len(self.calls("bicg-rows")), 3)

    def test_what_was_late_is_no_result(self):
        self.assertIn("its time was up", self.run_all(status=1, MODE="late"))
        self.assertFalse(
            (self.root / "results/programs/bicg-rows/all.json").exists())

    def test_without_time_nothing_is_begun(self):
        self.assertIn("no time for it",
                      self.run_all("--minutes=0", status=1))
        self.assertEqual(self.calls("bicg-rows"), [])

    def test_usage(self):
        self.run_all("--cases=none", status=1)
        self.run_all("--tune=./no_such_program", status=2)


class Judging(BenchTest):
    def setUp(self):
        super().setUp()
        self.prepare()
        self.run_all()

    def table(self, status, *more):
        return self.call(self.root / "made" / "table", "results", *more,
                         status=status)

    def change(self, stage, **times):
        path = self.root / "results/programs/bicg-rows" / f"{stage}.json"
        out = json.loads(path.read_text())
        for entry in out["cache"].values():
            name = entry["name"].split("-")[0].replace(" ", "_")
            entry["time"] = times.get(name, entry["time"])
        path.write_text(json.dumps(out))

    def test_gains_and_what_is_missed(self):
        out = self.table(1)
        # The sweep has 2.70, and no gain of the other.
        self.assertIn("| bicg/rows | 4 | blocks-1-fewer-in-loop-0 | 2.564 | 2 | "
                      "groups-2-of-loop-0 | 2.500 | 0.975 | 2.697 |", out)
        self.assertIn("after 2 variants: 2. Within 2 % of the best of the "
                      "sweep: 1.", out)
        self.assertIn("behind the sweep: bicg/rows\n", out)
        self.assertNotIn("missed by the few", out)

    def test_all_is_well(self):
        self.change("all", blocks=37.0)
        self.change("all", groups=38.0)
        self.table(0)

    def test_a_time_is_found_again_where_the_original_is_another(self):
        # 17 launches of 0.67 ms, as in the sweep.
        self.change("all", as_written=22.0, blocks=11.5, groups=11.6)
        out = self.table(0)
        self.assertIn("| 2.697 | 0.6765 | 0.6734 |", out)

    def test_the_few_have_the_times_of_all(self):
        self.change("most", groups=30.0)
        self.assertIn("| groups-2-of-loop-0 | 2.500 |", self.table(1))

    def test_throttles_alone(self):
        self.change("all", default=20.0, blocks=37.0)
        self.assertIn("| bicg/rows | 4 | default |", self.table(0))
        self.assertIn("| bicg/rows | 3 | blocks-1-fewer-in-loop-0 |",
                      self.table(1, "--throttles"))

    def test_few_that_miss_the_best(self):
        self.change("all", blocks=30.0)
        self.assertIn("missed by the few: bicg/rows\n", self.table(1))

    def test_what_was_not_measured(self):
        (self.root / "results/programs/attention-d/most.json").unlink()
        self.assertIn("not measured: attention/d\n", self.table(1))


if __name__ == "__main__":
    unittest.main()
