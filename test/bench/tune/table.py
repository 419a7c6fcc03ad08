#!/usr/bin/env python3
# ===- table.py - What a search of few variants finds of all --------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Judges what `run` measured, as a table in Markdown.

  table.py DIR [--throttles]

For each program: the gain of its best point, that of the best among those that
`--most` tried first, by the same measurements, and that of the best point of the
stored sweep (of its L1D settings default and max, which are what a driver and
prefer-l1 give). Gains are the time as written over the time. The sweep's best is
found again if the gain or the time of a launch is within 2 % of it: the kernel as
written itself was up to 9 % faster or slower in the sweep, among other arrays.
Ends with 1 if a program was not measured, the few miss more than 5 % of the
best, or all miss the sweep's. --throttles leaves `default` out, which loads rows
in tiles: what the sweep has not, and what hides how throttles were ordered.
"""
import json
import sys
from pathlib import Path

AS_WRITTEN = "as written"
FEW_MISS, SWEEP_MISS = 1.05, 1.02


def times_of(path):
    """{variant: ms} of an export, in its order; failed ones left out."""
    entries = json.loads(path.read_text())["cache"].values()
    return {e["name"]: e["time"] for e in sorted(
        entries, key=lambda e: e["variant"]) if not isinstance(e["time"], str)}


def best(times):
    return min(times, key=times.get)


def swept_best(points):
    """(gain of the best point, 1 if that is the original; ms of a launch)."""
    settings = [[p for p in points if p["l1d"] == l1d]
                for l1d in ("default", "max")]
    pairs = [(next(p for p in at if p["original"])["median_ms"],
              min(p["median_ms"] for p in at)) for at in settings if at]
    return max(a / b for a, b in pairs), min(b for _, b in pairs)


def judge(case, folder, without=()):
    """The row of a case; None: it was not measured."""
    exports = [folder / f"{stage}.json" for stage in ("all", "most")]
    if not all(path.exists() for path in exports):
        return None
    every, tried = ({name: ms for name, ms in times_of(path).items()
                     if name not in without} for path in exports)
    few = {name: every.get(name, ms) for name, ms in tried.items()}
    original = every[AS_WRITTEN]
    swept, swept_ms = swept_best(case["points"])
    return {"case": case["case"], "group": case["group"], "points": len(every),
            "tried": len(few) - 1, "best": best(every), "few_best": best(few),
            "gain": original / every[best(every)],
            "few_gain": original / few[best(few)], "swept": swept,
            "ms": every[best(every)] / case["launches"], "swept_ms": swept_ms}


def misses(rows):
    """(those whose few miss the best, those that miss the sweep's)."""
    return ([r for r in rows if r["gain"] > FEW_MISS * r["few_gain"]],
            [r for r in rows if r["swept"] > SWEEP_MISS * r["gain"] and
             r["ms"] > SWEEP_MISS * r["swept_ms"]])


def print_table(rows):
    print("| loop | points | best | gain | tried | best of these | gain | "
          "of the best | sweep's gain | ms | sweep's ms |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for r in rows:
        print(f"| {r['case']} | {r['points']} | {r['best']} | {r['gain']:.3f} | "
              f"{r['tried']} | {r['few_best']} | {r['few_gain']:.3f} | "
              f"{r['few_gain'] / r['gain']:.3f} | {r['swept']:.3f} | "
              f"{r['ms']:.4f} | {r['swept_ms']:.4f} |")


def main():
    without = ["default"] if "--throttles" in sys.argv else []
    if len(sys.argv) != 2 + len(without):
        sys.exit("usage: table.py DIR [--throttles]")
    out = Path(sys.argv[1])
    cases = json.loads((out / "cases.json").read_text())
    judged = [(c, judge(c, out / "programs" / c["name"], without))
              for c in cases]
    rows = [row for _, row in judged if row]
    lacking = [c["case"] for c, row in judged if not row]
    print_table(rows)
    few, sweep = misses(rows)
    print(f"\n{len(rows)} of {len(cases)} loops, {sum(r['points'] for r in rows)} "
          f"points. Within 5 % of the best of all after "
          f"{max((r['tried'] for r in rows), default=0)} variants: "
          f"{len(rows) - len(few)}. Within 2 % of the best of the sweep: "
          f"{len(rows) - len(sweep)}.")
    for what, names in (("missed by the few", [r["case"] for r in few]),
                        ("behind the sweep", [r["case"] for r in sweep]),
                        ("not measured", lacking)):
        if names:
            print(f"{what}: {', '.join(names)}")
    return 1 if lacking or few or sweep else 0


if __name__ == "__main__":
    sys.exit(main())
