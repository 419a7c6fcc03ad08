#!/usr/bin/env python3
# ===- judge.py - What stage-rows gained, and what it cost ------------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Holds measured row walks to what the tool promises.

  judge.py results.json [--verbose]

Changed are kernels whose text the tool writes differently by default; their gain
is the time of the original over that of the variant `chosen`. Best is the
fastest of all variants but `tried`, the original among them. "staged" is what
differs from the throttles: rows staged, or sums in registers. The first launches
of `tried` are held against the faster of the original and what it chose. An output that differs, a
variant that fails, or a kernel that takes more than 1.02 of its time ends with 1.
Needs no GPU.
"""
import argparse
import json
import math
import sys
from collections import namedtuple
from pathlib import Path

SLOWER_WORST = 1.02
LENGTHS = (8, 32, 128, 1024)  # where a group of row lengths ends

# Times in ms; the best variant by its name; whether the text is that of
# `throttled`: no rows staged, no sums in registers.
Row = namedtuple("Row", "kernel original chosen best_name best changed throttle")


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 1


def row_of(kernel):
    """None where the original or the choice was not measured."""
    there = {v["variant"]: v for v in kernel["variants"] if "ms" in v}
    if "original" not in there or "chosen" not in there:
        return None
    best = min((v for v in there if v != "tried"),
               key=lambda v: there[v]["ms"])
    return Row(kernel, there["original"]["ms"], there["chosen"]["ms"], best,
               there[best]["ms"],
               there["chosen"].get("same_as") != "original",
               there.get("throttled", {}).get("same_as") == "chosen")


def gain(row):
    return row.original / row.chosen


def length_group(length):
    """\"8-31\" """
    low = 1
    for end in LENGTHS:
        if length < end:
            return f"{low}-{end - 1}"
        low = end
    return f"{low}-"


def grouped(rows, key):
    out = {}
    for row in rows:
        out.setdefault(key(row.kernel), []).append(row)
    return out


def print_group(name, rows):
    gains = [gain(r) for r in rows if r.changed]
    line = f"  {name:22}{len(rows):4} kernels, {len(gains):3} changed"
    if gains:
        line += f": {mean(gains):6.3f} times as fast, worst {min(gains):.3f}"
    missed = mean([r.chosen / r.best for r in rows])
    print(line + (f"; {missed:.3f} of the best" if missed > 1.001 else ""))


def said(row):
    k = row.kernel
    return (f"  {k['name']} {k['form']:15}{k['type'][-8:]:8} length {k['length']:5} "
            f"x {k['rows']:8} waves {k['waves']:6}  original "
            f"{row.original:8.4f} chosen {row.chosen:8.4f} ({gain(row):6.3f})"
            f"{' throttled' if row.changed and row.throttle else ''}"
            f"  best {row.best:8.4f} {row.best_name}")


def wrong(kernels):
    """(outputs that differ, variants that failed), named."""
    differ, failed = [], []
    for k in kernels:
        if "error" in k["variants"][0]:  # nothing of the tool's
            continue
        for v in k["variants"]:
            name = f"{k['name']} {k['form']} {v['variant']}"
            if v.get("equal") is False and "same_as" not in v:
                differ.append(name)
            elif "error" in v:
                failed.append(f"{name}: {v['error']}")
            elif "ms" not in v:
                failed.append(f"{name}: not measured")
    return differ, failed


def summary(rows):
    changed = [r for r in rows if r.changed]
    slower = [r for r in rows if r.chosen > SLOWER_WORST * r.original]
    print(f"{len(rows)} kernels, {len(changed)} changed"
          + (f": {mean([gain(r) for r in changed]):.3f} times as fast, worst "
             f"{min(map(gain, changed)):.3f}, best "
             f"{max(map(gain, changed)):.3f}" if changed else ""))
    for name, throttle in (("the throttles alone", True), ("staged", False)):
        gains = [gain(r) for r in changed if r.throttle == throttle]
        if gains:
            print(f"  {name:22}{len(gains):4} kernels: {mean(gains):6.3f} times "
                  f"as fast, worst {min(gains):.3f}")
    print(f"chosen over best: {mean([r.chosen / r.best for r in rows]):.3f}, "
          f"worst {max(r.chosen / r.best for r in rows):.3f}")
    return slower


def variants(kernels):
    """{variant: how many times as fast as the original} where it differs."""
    out = {}
    for k in kernels:
        there = {v["variant"]: v for v in k["variants"] if "ms" in v}
        for name, v in there.items():
            if name != "original" and v.get("same_as") != "original" and \
                    "original" in there:
                out.setdefault(name, []).append(
                    there["original"]["ms"] / v["ms"])
    return out


def first_launches(kernels):
    """[(kernel, over the original, over the faster of it and the choice)] of the
    first 100 launches of `tried`."""
    out = []
    for k in kernels:
        there = {v["variant"]: v for v in k["variants"] if "ms" in v}
        tried = there.get("tried", {})
        if "original" in there and "first_ms" in tried and \
                tried.get("same_as") != "original":
            original, first = there["original"]["ms"], tried["first_ms"]
            out.append((k["name"], first / original,
                        first / min(original, tried["ms"])))
    return out


# Of kernels that change and are told a gain: how many times too much is
# promised; whether it is right that they gain; whether the interval holds it.
Promise = namedtuple("Promise", "error sign holds")


def promises(rows):
    """[Promise], of what is predicted where all sizes are known."""
    out = []
    for row in rows:
        said = row.kernel.get("predicted")
        if not said or not row.changed:
            continue
        measured = gain(row)
        out.append(Promise(said["gain"] / measured,
                           (said["gain"] >= 1) == (measured >= 1),
                           said["least"] <= measured <= said["most"]))
    return out


def print_promises(rows):
    found = promises(rows)
    if not found:
        return
    errors = sorted(max(p.error, 1 / p.error) for p in found)
    share = lambda flags: f"{100 * sum(flags) / len(found):.0f} %"
    print(f"predicted for {len(found)}: off by {errors[len(errors) // 2]:.3f} "
          f"times in the median, {errors[len(errors) * 9 // 10]:.3f} for nine of "
          f"ten; sign right in {share(p.sign for p in found)}, interval holds "
          f"{share(p.holds for p in found)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results")
    parser.add_argument("--verbose", action="store_true",
                        help="every kernel that has variants")
    options = parser.parse_args()
    kernels = json.loads(Path(options.results).read_text())["kernels"]
    rows = [r for r in map(row_of, kernels) if r]
    if not rows:
        sys.exit("judge: nothing was measured")
    slower = summary(rows)
    for name, gains in variants(kernels).items():
        print(f"  {name:22}{len(gains):4} differ from the original: "
              f"{mean(gains):6.3f} times as fast, worst {min(gains):.3f}, "
              f"{sum(SLOWER_WORST * g < 1 for g in gains)} slower")
    print_promises(rows)
    if first := first_launches(kernels):
        name, most, _ = max(first, key=lambda each: each[1])
        print(f"  first 100 launches of tried: {mean([f[2] for f in first]):.3f} "
              f"of the better kernel, at most {most:.3f} of the original "
              f"({name}), {sum(f[1] > SLOWER_WORST for f in first)} slower")
    for what, key in (("group", lambda k: k["group"]),
                      ("form", lambda k: k["form"]),
                      ("elements of a row",
                       lambda k: length_group(k["length"]))):
        print(f"by {what}:")
        groups = grouped(rows, key)
        for name in sorted(groups, key=lambda n: groups[n][0].kernel["length"]
                           if n[0].isdigit() else 0):
            print_group(name, groups[name])
    if options.verbose:
        for row in sorted(rows, key=gain):
            if row.changed or row.best < row.original:
                print(said(row))
    differ, failed = wrong(kernels)
    print("outputs: " + ("all equal" if not differ else "DIFFERENT"))
    for text in differ:
        print(f"judge: the output differs: {text}")
    for text in failed:
        print(f"judge: {text}")
    for row in sorted(slower, key=gain):
        print(f"judge: slower than {SLOWER_WORST}:{said(row)}")
    sys.exit(1 if differ or failed or slower else 0)


if __name__ == "__main__":
    main()
