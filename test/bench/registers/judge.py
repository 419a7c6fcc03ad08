#!/usr/bin/env python3
# ===- judge.py - Selectors against a finished sweep over caps ------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Asks catt-rewrite which cap each selector takes, and compares with the best.

  judge.py registers.json --tool build/release/bin/catt-rewrite [--update]
           [--ptx DIR] [--gpu h200] [--selector model] [--verbose]

Per selector: the time of its choice over the best time of the sweep and over
the time without a cap (geometric means, and the worst case), and its speed-up
where the best gains 5 % or more. The choices of the default selector are held
to the limits below; a broken one ends with 1. Needs no GPU. --update writes the
choices into the file.
"""
import argparse
import json
import math
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BEST_MEAN, BEST_WORST, SLOWER_WORST, GAIN_MEAN = 1.05, 1.10, 1.01, 1.08


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 1


def ask(tool, gpu, cases, extra, ptx):
    """{case: {selector: cap or None}} of the tool's reports."""
    launches = ["--launch={case}={0}:{1}".format(
        "x".join(map(str, c["grid"])), "x".join(map(str, c["block"])), **c)
        for c in cases]
    chosen = {}
    for file in sorted({c["file"] for c in cases}):
        done = subprocess.run(
            [tool, "--quiet", "--report=json", f"--gpu={gpu}", *extra,
             *([f"--ptx={ptx}/{file}.ptx"] if ptx else []), *launches, str(HERE / f"{file}.cu"), "--", "-std=c++17"],
            capture_output=True, text=True)
        if done.returncode > 1:
            sys.exit(f"judge: {tool} ended with {done.returncode} on "
                     f"{file}.cu: {done.stderr}")
        for kernel in json.loads(done.stdout)["files"][0]["report"]["kernels"]:
            plan = kernel["registers"]
            if plan:
                chosen[kernel["name"]] = {
                    s["selector"]: plan["points"][s["point"]]["cap"]
                    if s["point"] is not None else None
                    for s in plan["selections"]}
    return chosen


def rows_of(cases, selector):
    """(case, time of the choice, best, without a cap) where it is known."""
    rows = []
    for case in cases:
        points = {p["cap"]: p["median_ms"] for p in case["points"]}
        cap = case.get("choices", {}).get(selector)
        if cap is not None and 0 in points:
            if cap not in points:
                print(f"judge: {case['case']}: cap {cap} was not measured")
                continue
            rows.append((case["case"], points[cap], min(points.values()),
                         points[0], cap))
    return rows


def judge(selector, rows, verbose):
    best = [r[1] / r[2] for r in rows]
    slower = [r[1] / r[3] for r in rows]
    gains = [r[3] / r[1] for r in rows if r[3] / r[2] >= 1.05]
    possible = [r[3] / r[2] for r in rows if r[3] / r[2] >= 1.05]
    if verbose:
        for case, ours, top, default, cap in rows:
            print(f"  {selector:8}{case:14}cap {cap:3}  over best "
                  f"{ours / top:5.3f}  over default {ours / default:5.3f}")
    print(f"{selector:8}{len(rows):3} kernels: over best {mean(best):.3f} "
          f"(worst {max(best):.3f}), over default {mean(slower):.3f} (worst "
          f"{max(slower):.3f}), speed-up {mean(gains):.3f} of "
          f"{mean(possible):.3f} on {len(gains)}")
    return [text for broken, text in (
        (mean(best) > BEST_MEAN, f"over best in the mean: above {BEST_MEAN}"),
        (max(best) > BEST_WORST, f"over best at worst: above {BEST_WORST}"),
        (max(slower) > SLOWER_WORST, f"over default: above {SLOWER_WORST}"),
        (bool(gains) and mean(gains) < GAIN_MEAN,
         f"speed-up where there is one: below {GAIN_MEAN}")) if broken]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sweep")
    parser.add_argument("--tool", help="without it, the choices in the file")
    parser.add_argument("--gpu", default="h200")
    parser.add_argument("--ptx", metavar="DIR", help="the prepared folder, whose "
                        "PTX was measured; without it clang's own")
    parser.add_argument("--selector", default="model", help="held to the limits")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    arguments, extra = parser.parse_known_args()
    result = json.loads(Path(arguments.sweep).read_text())
    cases = result["cases"]
    if arguments.tool:
        chosen = ask(arguments.tool, arguments.gpu, cases,
                     extra or ["--ptxas"], arguments.ptx)
        for case in cases:
            case["choices"] = chosen.get(case["case"], {})
    broken = []
    for selector in ("model", "tpsc", "orion", "unified", "dru"):
        if rows := rows_of(cases, selector):
            found = judge(selector, rows, arguments.verbose)
            broken += found if selector == arguments.selector else []
    wrong = [c["case"] for c in cases
             if not all(p["equal"] for p in c["points"])]
    if wrong:
        broken.append("results differ between caps: " + ", ".join(wrong))
    for text in broken:
        print(f"judge: {text}")
    if arguments.update:
        Path(arguments.sweep).write_text(json.dumps(result, indent=1) + "\n")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
