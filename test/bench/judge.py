#!/usr/bin/env python3
# ===- judge.py - A tool's choices against a stored sweep ------------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Looks up what catt-rewrite chooses today in a sweep that was measured before.

  judge.py SWEEP.json --tool catt-rewrite [--gpu h200] [--half] [--update]

Needs no GPU. For each benchmark and L1D setting: the time of the tool's choice,
of the paper's rule, of the original and of the best point; for programs of
several loops the best single setting; for sizes known only at run time the same
with the size compiled in. The tool is shown each kernel by itself, with the
launch that was measured. --update stores the choices in the file, for plot.py.
"""
import argparse
import importlib.machinery
import importlib.util
import json
import math
from pathlib import Path

HERE = Path(__file__).resolve().parent
L1DS = ("default", "max", "28")


def load_throttle():
    loader = importlib.machinery.SourceFileLoader("throttle",
                                                  str(HERE / "throttle"))
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("throttle", loader))
    loader.exec_module(module)
    return module


def choose(tool, gpu, cases):
    """Fills case["choices"] as `throttle --prepare` does."""
    throttle = load_throttle()
    chosen = throttle.choices_of(tool, cases, gpu)
    for case in cases:
        case["choices"] = chosen.get(case["case"], {})


def point_of(choice, points):
    """The measured point nearest to a choice: in active warps, then blocks."""
    original = next((p for p in points if p["original"]), None)
    if choice["original"] or not choice["warps"]:
        return original

    def distance(p):
        blocks = choice["blocks"] or p["blocks_seen"]
        return (abs(math.log2(p["warps"] * p["blocks_seen"] /
                              (choice["warps"] * blocks))) +
                0.5 * abs(math.log2(p["blocks_seen"] / blocks)))
    return min((p for p in points if not p["cut"] or p["original"]),
               key=distance)


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 1


def fitted(cases):
    """The half of the contended cases that fit.py may look at."""
    return set(sorted(c["case"] for c in cases
                      if c["group"] == "contended")[::2])


def points_at(case, l1d):
    """Points of one setting and what was asked for it; None if incomplete."""
    points = [p for p in case["points"] if p["l1d"] == l1d]
    asked = case.get("choices", {}).get("max" if l1d == "default" else l1d, {})
    if any(p["original"] for p in points) and {"exact", "catt"} <= set(asked):
        return points, asked
    return None


def judge(cases, halves):
    rows, half = {}, fitted(cases)
    for case in cases:
        for l1d in L1DS:
            if not (found := points_at(case, l1d)):
                continue
            points, asked = found
            best = min(p["median_ms"] for p in points)
            original = next(p for p in points if p["original"])["median_ms"]
            ours = point_of(asked["exact"], points)["median_ms"]
            paper = point_of(asked["catt"], points)["median_ms"]
            group = case["group"]
            if halves and group == "contended":
                group += " fitted" if case["case"] in half else " unfitted"
            rows.setdefault((group, l1d), []).append(
                (case["case"], ours, paper, original, best))
    return rows


def phases(cases):
    """For each program of several loops: the sum of our times, loop by loop,
    and of the best single setting for all of them (the paper's BFTT)."""
    programs = {}
    for case in cases:
        programs.setdefault(case["benchmark"], []).append(case)
    for name, members in programs.items():
        for l1d in L1DS:
            found = [points_at(case, l1d) for case in members]
            if len(members) < 2 or None in found:
                continue
            ours = sum(point_of(asked["exact"], points)["median_ms"]
                       for points, asked in found)
            original = sum(next(p for p in points if p["original"])["median_ms"]
                           for points, _ in found)
            settings = [{(p["warps"], p["blocks_seen"]): p["median_ms"]
                         for p in points} for points, _ in found]
            single = min(sum(times[key] for times in settings)
                         for key in set.intersection(*map(set, settings)))
            yield name, l1d, ours, single, original


def pairs(cases):
    """Each case whose size is known only at run time, over the same one with
    the size compiled in: original and choice."""
    table = {case["case"]: case for case in cases}
    for name, case in table.items():
        fixed = table.get(name.replace("-runtime/", "-fixed/"))
        if "-runtime/" not in name or not fixed:
            continue
        for l1d in L1DS:
            found = [points_at(c, l1d) for c in (case, fixed)]
            if None not in found:
                times = [point_of(asked["exact"], points)["median_ms"]
                         for points, asked in found]
                yield name, l1d, times[0] / times[1]


def print_groups(rows, verbose):
    for (group, l1d), cases in sorted(rows.items()):
        if verbose:
            for case, ours, paper, original, best in cases:
                print(f"  {case:34s} {l1d:8s} ours/best {ours / best:5.2f}  "
                      f"paper/best {paper / best:5.2f}  ours/original "
                      f"{ours / original:5.2f}  best/original "
                      f"{best / original:5.2f}")
        print(f"{group:18s} {l1d:8s} {len(cases):2d} loops: ours/best "
              f"{mean([r[1] / r[4] for r in cases]):.3f} (worst "
              f"{max(r[1] / r[4] for r in cases):.2f}), paper/best "
              f"{mean([r[2] / r[4] for r in cases]):.3f}, speed-up "
              f"{mean([r[3] / r[1] for r in cases]):.2f} of "
              f"{mean([r[3] / r[4] for r in cases]):.2f}, slowest "
              f"{max(r[1] / r[3] for r in cases):.3f} of the original")


def print_programs(cases):
    for name, l1d, ours, single, original in phases(cases):
        print(f"{name:18s} {l1d:8s} per loop {ours:.3f} ms, best single "
              f"setting {single:.3f} ({single / ours:.2f}), original "
              f"{original:.3f}")
    for name, l1d, ratio in pairs(cases):
        print(f"{name:28s} {l1d:8s} {ratio:.3f} of the size compiled in")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sweep")
    parser.add_argument("--tool", required=True)
    parser.add_argument("--gpu", default="h200")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--half", action="store_true",
                        help="report the half that fit.py never sees apart")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    result = json.loads(Path(arguments.sweep).read_text())
    choose(arguments.tool, arguments.gpu, result["cases"])
    print_groups(judge(result["cases"], arguments.half), arguments.verbose)
    print_programs(result["cases"])
    if arguments.update:
        Path(arguments.sweep).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
