#!/usr/bin/env python3
# ===- judge.py - Spilling by the tool against the compiler's -------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Holds a finished sweep to what spill-shared and rematerialize promise.

  judge.py spill.json [--verbose]

Same cap: for each variant of the tool, how many times faster it is than
spilling to local memory and than the pragma, over the points of kernels that
spill inside loops (geometric means), and what is left of the local traffic
where counters were taken. By hand: the tool's best of `wide` over the best of
WideByHand.cu. Choice: `chosen` against the default and against the best of all
points. A broken limit ends with 1. Needs no GPU.
"""
import argparse
import json
import math
import sys
from pathlib import Path

OURS = ("spill-shared", "rematerialize", "both")
# Their values are live through a loop that is not unrolled; what the others
# spill, they spill in straight code.
SPILL_IN_LOOPS = {"lookup", "particles", "waves", "recursive", "wide",
                  "wideRows"}
OVER_LOCAL, OVER_PRAGMA, LOCAL_LEFT, OVER_HAND = 1.5, 1.3, 0.2, 1.10
SLOWER_WORST, GAIN_MEAN, GAIN_FROM = 1.01, 1.10, 1.05


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 1


def by_stair(case):
    """{cap: {variant: point}}"""
    caps = {}
    for point in case["points"]:
        if point["cap"]:
            caps.setdefault(point["cap"], {})[point["variant"]] = point
    return caps


def traffic(point):
    counters = point.get("counters")
    return counters and (counters.get("local_load_bytes", 0) +
                         counters.get("local_store_bytes", 0))


def same_cap(cases, verbose):
    """{variant: (over local, over pragma, local traffic left), lists}"""
    ratios = {v: ([], [], []) for v in (*OURS, "best")}
    for case in cases:
        if case["case"] not in SPILL_IN_LOOPS:
            continue
        for cap, there in by_stair(case).items():
            ours = [there[v] for v in OURS if v in there]
            local, pragma = there.get("local"), there.get("pragma")
            if not ours or not local:
                continue
            best = min(ours, key=lambda p: p["median_ms"])
            for point, name in [(p, p["variant"]) for p in ours] + [
                    (best, "best")]:
                over_local, over_pragma, left = ratios[name]
                over_local.append(local["median_ms"] / point["median_ms"])
                if pragma:
                    over_pragma.append(pragma["median_ms"] /
                                       point["median_ms"])
                if traffic(local) and traffic(point) is not None:
                    left.append(traffic(point) / traffic(local))
            if verbose:
                print(f"  {case['case']:14}cap {cap:3}  " + "  ".join(
                    f"{v} {p['median_ms']:.4f}" for v, p in there.items()))
    return ratios


def by_hand(cases):
    """Best of the tool over best by hand, at each cap that has both."""
    out = {}
    for case in cases:
        for cap, there in by_stair(case).items():
            hand = [p["median_ms"] for v, p in there.items()
                    if v.startswith("hand")]
            ours = [there[v]["median_ms"] for v in OURS if v in there]
            if hand and ours:
                out[case["case"], cap] = min(ours) / min(hand)
    return out


def choices(cases, variant="chosen"):
    """(case, chosen over default, default over best)"""
    rows = []
    for case in cases:
        times = {p["point"]: p["median_ms"] for p in case["points"]}
        best = min(p["median_ms"] for p in case["points"]
                   if not p["variant"].startswith("hand"))
        if variant in times and "default" in times:
            rows.append((case["case"], times[variant] / times["default"],
                         times["default"] / best))
    return rows


def print_choices(name, rows):
    gains = [1 / r[1] for r in rows if r[2] >= GAIN_FROM]
    print(f"{name}: {len(rows)} kernels: over default "
          f"{mean([r[1] for r in rows]):.3f} (worst "
          f"{max(r[1] for r in rows):.3f}), over best "
          f"{mean([r[1] * r[2] for r in rows]):.3f}; {mean(gains):.3f} of "
          f"{mean([r[2] for r in rows if r[2] >= GAIN_FROM]):.3f} on the "
          f"{len(gains)} whose best gains 5 % or more")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sweep")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    cases = json.loads(Path(options.sweep).read_text())["cases"]
    broken = []

    def hold(good, text):
        if not good:
            broken.append(text)

    print("same cap, kernels that spill inside loops:")
    ratios = same_cap(cases, options.verbose)
    for name, (local, pragma, left) in ratios.items():
        if local:
            print(f"  {name:14}{len(local):3} points: {mean(local):.3f} over "
                  f"local spills (worst {min(local):.3f}), {mean(pragma):.3f} "
                  "over the pragma" + (f", {sum(left) / len(left):.2f} of the "
                                       "local traffic" if left else ""))
    local, pragma, left = ratios["best"]
    if local:
        hold(mean(local) >= OVER_LOCAL, f"over local: below {OVER_LOCAL}")
        hold(mean(pragma) >= OVER_PRAGMA, f"over pragma: below {OVER_PRAGMA}")
        hold(not left or sum(left) / len(left) <= LOCAL_LEFT,
             f"local traffic left: above {LOCAL_LEFT}")
    for (case, cap), ratio in by_hand(cases).items():
        print(f"by hand: {case} at {cap}: {ratio:.3f} of its time")
    hands = by_hand(cases).values()
    hold(not hands or max(hands) <= OVER_HAND, f"over by hand: above {OVER_HAND}")
    rows = choices(cases)
    gains = [1 / r[1] for r in rows if r[2] >= GAIN_FROM]
    if rows:
        print_choices("chosen", rows)
        for other in sorted({p["variant"] for c in cases for p in c["points"]
                             if p["variant"].startswith("chosen-")}):
            print_choices(other, choices(cases, other))
        if options.verbose:
            for case, over, best in rows:
                print(f"  {case:14}over default {over:.3f}, best gains "
                      f"{best:.3f}")
        hold(max(r[1] for r in rows) <= SLOWER_WORST,
             f"chosen over default: above {SLOWER_WORST}")
        hold(not gains or mean(gains) >= GAIN_MEAN,
             f"chosen where there is a gain: below {GAIN_MEAN}")
    wrong = [f"{c['case']} {p['point']}" for c in cases for p in c["points"]
             if not p["equal"]]
    hold(not wrong, "results differ: " + ", ".join(wrong))
    for text in broken:
        print(f"judge: {text}")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
