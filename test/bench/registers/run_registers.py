#!/usr/bin/env python3
# ===- run_registers.py - Measures a prepared sweep over caps -------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Measures every kernel under every register cap; needs the driver, no toolkit.

  run [--out DIR] [--runs 15] [--passes 2]

Writes DIR/registers.json: per case its points, each with the least median of
all passes. judge.py compares them with what the selectors choose.
"""
import argparse
import json
import subprocess
import sys
from pathlib import Path

import sweep

HERE = Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default=".")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--passes", type=int, default=2)
    arguments = parser.parse_args()
    out = Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    listed = subprocess.run([HERE / "registers", "--list"], check=True,
                            capture_output=True, text=True).stdout
    cases = {c["case"]: c | {"points": {}} for c in map(
        json.loads, listed.splitlines())}
    caps = (HERE / "caps").read_text().split()
    log = out / "registers.jsonl"
    done = subprocess.run(
        [HERE / "registers", HERE, log, str(arguments.runs),
         str(arguments.passes), *caps])
    for line in log.read_text().splitlines():
        row = json.loads(line)
        row.pop("pass")
        points = cases[row.pop("case")]["points"]
        point = points.setdefault(row["cap"], row)
        point["equal"] = point["equal"] and row["equal"]
        for key in ("median_ms", "least_ms"):
            point[key] = min(point[key], row[key])
    for case in cases.values():
        case["points"] = list(case["points"].values())
    (out / "registers.json").write_text(json.dumps(
        {"machine": sweep.machine(HERE), "cases": list(cases.values())}, indent=1) + "\n")
    for case in cases.values():
        for p in case["points"]:
            print(f"{case['case']:14}cap {p['cap']:4} registers "
                  f"{p['registers']:4} local {p['local_bytes']:5} blocks "
                  f"{p['blocks']:3} {p['median_ms']:9.4f} ms"
                  f"{'' if p['equal'] else '  DIFFERS'}")
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
