#!/usr/bin/env python3
# ===- judge.py - Register decisions against the default --------------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Holds a finished sweep to what the decisions about registers promise.

  judge.py spill.json [--part fit|choose|report] [--verbose]

Over the default: the time of `chosen` by that of the kernel as nvcc has it.
Over the best: by the least time of all points, those of the tool among them.
Gain: of the kernels that the best point makes 5 % faster or more, what the
choice gains beside what the best does (geometric means). The same for the
choices of other selectors, without limits. --part leaves one kernel of three:
constants may be fitted to `fit`, rules chosen by `choose`, and what is reported
stands on `report`.

Ends with 1 if a kernel is slower as chosen than 1.02 of its default, if an
output differs, or if nothing was measured. Kernels that could not be prepared
or measured are named. Needs no GPU.
"""
import argparse
import json
import math
import sys
from collections import namedtuple
from pathlib import Path

SLOWER_WORST, GAIN_FROM = 1.02, 1.05
PARTS = ("fit", "choose", "report")

# Times in ms; whether the chosen PTX differs from the default's.
Row = namedtuple("Row", "case default chosen best best_name changed")


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 1


def part_of(case):
    return PARTS[int(case[1:]) % len(PARTS)]


def row_of(case, variant="chosen"):
    """None where the default or the choice was not measured."""
    times = {p["point"]: p["median_ms"] for p in case["points"]}
    if "default" not in times or variant not in times:
        return None
    best = min(times, key=times.get)
    point = next(p for p in case["points"] if p["point"] == variant)
    return Row(case, times["default"], times[variant], times[best], best,
               point.get("same_as") != "default")


def over_default(row):
    return row.chosen / row.default


def over_best(row):
    return row.chosen / row.best


def percentile(values, share):
    """The least value that so many do not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def gains(rows):
    """(kernels whose best gains 5 % or more, what is gained, what could be)"""
    there = [r for r in rows if r.default >= GAIN_FROM * r.best]
    return (len(there), mean([r.default / r.chosen for r in there]),
            mean([r.default / r.best for r in there]))


def print_summary(rows):
    over, best = list(map(over_default, rows)), list(map(over_best, rows))
    print(f"  over the default: {mean(over):.3f}, worst {max(over):.3f}, "
          f"{sum(o > SLOWER_WORST for o in over)} above {SLOWER_WORST}")
    print(f"  over the best: {mean(best):.3f}, 95 % below "
          f"{percentile(best, 0.95):.3f}, worst {max(best):.3f}")
    count, gained, possible = gains(rows)
    print(f"  {count} whose best gains 5 % or more: {gained:.3f} of "
          f"{possible:.3f}")


def print_family(name, rows):
    over = list(map(over_default, rows))
    count, gained, possible = gains(rows)
    print(f"  {name:12}{len(rows):4} kernels, {sum(r.changed for r in rows):3} "
          f"changed, over default {mean(over):.3f} (worst {max(over):.3f}), "
          f"over best {mean(list(map(over_best, rows))):.3f}"
          + (f", {count} gain {gained:.3f} of {possible:.3f}" if count else ""))


def said(row):
    c, points = row.case, {p["point"]: p for p in row.case["points"]}
    return (f"  {c['case']} {c['family']:12}{c['type']:7}block "
            f"{c['block'][0]:5} registers {points['default']['registers']:4} "
            f"chosen {points['chosen']['registers']:4}  default "
            f"{row.default:8.4f} chosen {row.chosen:8.4f} "
            f"({over_default(row):6.3f}) best {row.best:8.4f} {row.best_name}")


def grouped(rows):
    out = {}
    for row in rows:
        out.setdefault(row.case["family"], []).append(row)
    return sorted(out.items())


def wrong(cases):
    return [f"{c['case']} {p['point']}" for c in cases for p in c["points"]
            if not p["equal"]]


def report(cases, verbose):
    """The kernels that are slower as chosen."""
    rows = [r for r in map(row_of, cases) if r]
    print(f"{len(rows)} kernels, {sum(r.changed for r in rows)} changed")
    if not rows:
        return []
    print_summary(rows)
    others = sorted({p["variant"] for c in cases for p in c["points"]
                     if p["variant"].startswith("chosen-")})
    for variant in others:
        there = [r for r in (row_of(c, variant) for c in cases) if r]
        print(f"{variant}: {sum(r.changed for r in there)} of {len(there)} "
              "changed")
        print_summary(there)
    print("by family:")
    for name, mine in grouped(rows):
        print_family(name, mine)
    if verbose:
        print("\n".join(map(said, sorted(rows, key=over_best))))
    return [r for r in rows if over_default(r) > SLOWER_WORST]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results")
    parser.add_argument("--part", choices=PARTS)
    parser.add_argument("--verbose", action="store_true",
                        help="every kernel, the farthest from its best last")
    options = parser.parse_args()
    results = json.loads(Path(options.results).read_text())

    def mine(cases):
        return [c for c in cases if options.part in (None, part_of(c["case"]))]
    cases = mine(results["cases"])
    for each in mine(results.get("failed", [])):
        print(f"not prepared: {each['case']} {each['family']}: "
              f"{each['reason']}")
    for case in cases:
        if not row_of(case):
            print(f"not measured: {case['case']} {case['family']}")
    slower, differ = report(cases, options.verbose), wrong(cases)
    print("outputs: " + ("all equal" if not differ else "DIFFERENT"))
    for text in differ:
        print(f"judge: the output differs: {text}")
    for row in sorted(slower, key=over_default):
        print(f"judge: slower than {SLOWER_WORST}:{said(row)}")
    nothing = not any(map(row_of, cases))
    if nothing:
        print("judge: nothing was measured")
    sys.exit(1 if differ or slower or nothing else 0)


if __name__ == "__main__":
    main()
