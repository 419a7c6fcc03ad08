#!/usr/bin/env python3
# ===- selftest.py - The GPU scripts notice what they have to --------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Runs run_gpu_test.py, run_throttle.py and run_spill.py --sanitize on programs
that only pretend, so that no GPU is needed: other bits, other text, a hang, a
crash and a finding of the sanitizer must each be reported; equal programs must
not be; a sweep that breaks off must go on where it stopped."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TEST = Path(__file__).resolve().parent.parent

SMI = """#!/bin/sh
echo "Pretended, 1.2, 9.0, 1000 MiB, 1000 MHz"
"""
SANITIZER = """#!/bin/sh
case "$2 $5" in
*memcheck*/finding) echo "========= ERROR SUMMARY: 3 errors"; exit 99 ;;
esac
echo "========= ERROR SUMMARY: 0 errors"
"""
PROGRAM = """#!/bin/sh
case $0 in
*/hang) sleep 9 ;;
*/crash) exit 1 ;;
*/silent) echo "x: 3 x 4, 1.500 ms, OK"; exit 0 ;;
*/text) echo "x: 3 x 5, 1.500 ms, OK" ;;
*/slow) echo "x: 3 x 4, 3.000 ms, OK" ;;
*) echo "x: 3 x 4, 1.500 ms, OK" ;;
esac
[ -z "$CATT_RECORD" ] || case $0 in
*/bits) echo "copy 4 2" >"$CATT_RECORD" ;;
*) echo "copy 4 1" >"$CATT_RECORD" ;;
esac
"""
SWEEP = """#!/usr/bin/env python3
import json, sys, os
a = dict((x[2:].split("=", 1) + [""])[:2] for x in sys.argv[1:])
if "list" in a:
    for name in "abc":
        print(json.dumps({"case": name, "group": "contended", "block": [256, 1, 1]}))
elif "device" in a:
    print('{"gpu": "pretended"}')
else:
    with open(a["out"], "a") as out, open(os.environ["CALLS"], "a") as calls:
        for case in a["cases"].split(","):
            calls.write(case + a["pass"] + " ")
            out.write(json.dumps({"begin": case}) + "\\n")
            for warps, ms in ((8, 2.0), (4, 1.0)):
                out.write(json.dumps({
                    "case": case, "pass": 1, "l1d": "max", "warps": warps,
                    "original": warps == 8, "blocks": 8, "blocks_seen": 8,
                    "equal": True, "median_ms": ms, "ms": [ms]}) + "\\n")
                out.flush()
                if case == os.environ.get("HANGS"):
                    sys.exit(3)
            out.write(json.dumps({"end": case}) + "\\n")
"""
# DIR CASE OUT RUNS PASSES --blocks=K POINT...
SPILL = """#!/bin/sh
case=$2 out=$3
shift 6
for point in default "$@"; do
  [ $case$point = differsb ] && equal=false || equal=true
  echo "{\\"point\\": \\"$point\\", \\"equal\\": $equal}" >>$out
done
[ $case != crashes ]
"""
# --tool T --error-exitcode N spill DIR CASE ...
SPILL_SANITIZER = """#!/bin/sh
tool=$2
shift 4
"$@" || exit
case "$tool $3" in
"memcheck found") echo "========= ERROR SUMMARY: 2 errors"; exit 99 ;;
"racecheck hangs") sleep 60 & sleep 60 ;;
racecheck*) echo "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)" ;;
*) echo "========= ERROR SUMMARY: 0 errors" ;;
esac
"""


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class Scripts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = Path(folder.name)
        script(self.at / "path" / "nvidia-smi", SMI)
        script(self.at / "path" / "compute-sanitizer", SANITIZER)
        self.environment = dict(os.environ, CALLS=str(self.at / "calls"),
                                PATH=f"{self.at}/path:{os.environ['PATH']}")

    def call(self, program, *arguments):
        return subprocess.run([str(program), *arguments], text=True,
                              capture_output=True, env=self.environment)

    def pair(self, rewrite, kind="large"):
        """Exit code and row of one original beside one rewrite."""
        root = self.at / "prepared"
        for name in ("original", rewrite):
            script(root / "bin" / name, PROGRAM)
        (root / "plan.json").write_text(json.dumps({
            "tool": "t", "gpu": "h200", "arch": "sm_90", "broken": [], "runs": [{
                "sample": "x", "plans": ["card"], "flags": "", "kind": kind,
                "arguments": [""], "carve_out": None, "original": "original",
                "rewrite": rewrite, "changed": True, "splits": 1}]}))
        shutil.copy(TEST / "run" / "run_gpu_test.py", root / "run")
        done = self.call(sys.executable, root / "run", "--out",
                         str(self.at / "out"), "--seconds", "2")
        result = json.loads((self.at / "out" / "gpu-test.json").read_text())
        return done.returncode, result["rows"][0]

    def test_equal(self):
        status, row = self.pair("same")
        self.assertEqual((status, row["equal"], row["speed_up"]), (0, True, 1))

    def test_time_is_no_difference(self):
        status, row = self.pair("slow")
        self.assertEqual((status, row["equal"], row["speed_up"]), (0, True, 0.5))

    def test_differences(self):
        for rewrite in ("bits", "text", "hang", "crash", "silent"):
            with self.subTest(rewrite):
                status, row = self.pair(rewrite)
                self.assertEqual((status, row["equal"]), (1, False))

    def test_sanitizer(self):
        self.assertEqual(self.pair("same", "small")[0], 0)
        status, row = self.pair("finding", "small")
        self.assertEqual((status, row["equal"], row["clean"]), (1, True, False))

    def test_no_gpu(self):
        script(self.at / "path" / "nvidia-smi", "#!/bin/sh\nexit 9\n")
        with self.assertRaises(FileNotFoundError):
            self.pair("same")

    def sweep(self, hangs=""):
        root = self.at / "sweep"
        script(root / "throttle", SWEEP)
        shutil.copy(TEST / "bench" / "run_throttle.py", root / "run")
        self.environment["HANGS"] = hangs
        (self.at / "calls").write_text("")
        done = self.call(sys.executable, root / "run", "--out",
                         str(self.at / "sweep-out"))
        result = json.loads(
            (self.at / "sweep-out" / "throttle.json").read_text())
        return done.returncode, result, (self.at / "calls").read_text().split()

    def test_sweep(self):
        status, result, calls = self.sweep()
        self.assertEqual(status, 0)
        self.assertEqual(calls, ["a1", "b1", "c1", "a2", "b2", "c2"])
        self.assertEqual([len(c["points"]) for c in result["cases"]], [2, 2, 2])

    def test_sweep_goes_on(self):
        status, result, _ = self.sweep(hangs="b")
        self.assertEqual(status, 1)
        self.assertEqual([c.get("failed") for c in result["cases"]],
                         [None, 3, None])
        status, result, calls = self.sweep()
        self.assertEqual((status, calls), (0, ["b1", "b2"]))
        self.assertEqual([c.get("failed") for c in result["cases"]], [None] * 3)
        self.assertEqual([len(c["points"]) for c in result["cases"]], [2, 2, 2])

    def sanitize(self, *cases):
        """Exit code, and what is said of the cases, which have three points."""
        root = self.at / "spill"
        script(root / "spill", SPILL)
        script(self.at / "path" / "compute-sanitizer", SPILL_SANITIZER)
        shutil.copy(TEST / "bench" / "spill" / "run_spill.py", root / "run")
        shutil.copy(TEST / "bench" / "registers" / "sweep.py", root)
        (root / "built-with").write_text("nvcc\n")
        points = [{"case": case, "point": point, "variant": variant}
                  for case in cases for point, variant in (
                      ("default", "default"), ("a", "both"), ("b", "chosen"))]
        points.append({"case": cases[0], "point": "c", "variant": "both",
                       "same_as": "default"})
        (root / "points.json").write_text(json.dumps({
            "cases": [{"case": case} for case in cases], "points": points}))
        done = self.call(sys.executable, root / "run", "--sanitize", "--out",
                         str(self.at / "out"), "--case-seconds", "2")
        result = json.loads((self.at / "out" / "sanitizers.json").read_text())
        return done.returncode, result["cases"]

    def test_sanitize(self):
        status, cases = self.sanitize("good")
        clean = {"points": 2, "of": 2, "different": 0, "errors": 0}
        self.assertEqual((status, cases["good"]), (0, {
            "memcheck": clean, "racecheck": clean, "initcheck": clean}))

    def test_sanitize_findings(self):
        status, cases = self.sanitize("found", "differs", "crashes", "hangs")
        self.assertEqual(status, 1)
        self.assertEqual(cases["found"]["memcheck"]["errors"], 2)
        self.assertEqual(cases["found"]["racecheck"]["errors"], 0)
        self.assertEqual(cases["differs"]["memcheck"]["different"], 1)
        self.assertIn("exit code 1", cases["crashes"]["initcheck"]["failed"])
        self.assertEqual(cases["hangs"]["racecheck"]["failed"],
                         "stopped after 2 s")
        self.assertEqual(cases["hangs"]["racecheck"]["points"], 2)
        self.assertEqual(cases["hangs"]["initcheck"]["errors"], 0)

    def test_timeline(self):
        head = "launch,host begin,host end,device begin,device end\n"
        (self.at / "old.csv").write_text(head + "0,0,140,10,1210\n"
                                         "1,150,154,1211,2281\n"
                                         "2,160,166,2282,3352\n")
        done = self.call(sys.executable, TEST / "run" / "timeline.py",
                         str(self.at / "out.svg"),
                         f"as <written>={self.at / 'old.csv'}", "--first", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "as <written>: 3 launches, in the median "
                         "host 6.0 us (the first 140.0, the others at most "
                         "6.0), device 1070.0 us (the first 1200.0, the others "
                         "at most 1070.0)\n")
        picture = (self.at / "out.svg").read_text()
        self.assertIn("as &lt;written&gt;", picture)
        # The paper, and a bar on each of two lanes for each of two launches.
        self.assertEqual(picture.count("<rect"), 5)


if __name__ == "__main__":
    unittest.main()
