#!/usr/bin/env python3
# ===- levels.py - What launches choose beside every level -----------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Measures Orion.cu as written, as try-occupancy writes it, and at each level.

  nvcc -O3 -std=c++17 -arch=native Orion.cu -o orion
  catt-rewrite --transforms=try-occupancy --ptxas Orion.cu >Tried.cu
  nvcc -O3 -std=c++17 -arch=native -I<include> Tried.cu -o tried
  levels.py ./orion ./tried [--runs 5] [--launches 200] [--out levels.json]
  levels.py --table levels.json

A level is forced by a file of choices (CATT_TRIALS), so that it costs what it
costs once it is chosen; one that a kernel does not have is its last one. What
launches choose by themselves has the trials in its time. Needs a GPU, for the
table nothing.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import tempfile
from pathlib import Path

LEVELS = range(-4, 4)
LINE = re.compile(r"(\w+) ([\d.]+) ms ([0-9a-f]{8})")
STEP = re.compile(r"(\S+:(\w+)) (-?\d+) to (-?\d+)\t([^\t]+)\t(\w+)\t")


def run(program, launches, choices=None):
    """Milliseconds and checksum by kernel."""
    env = {k: v for k, v in os.environ.items() if k != "CATT_TRIALS"}
    if choices:
        env["CATT_TRIALS"] = str(choices)
    text = subprocess.run([program, str(launches)], env=env, check=True,
                          text=True, stdout=subprocess.PIPE).stdout
    return {name: (float(ms), bits) for name, ms, bits in LINE.findall(text)}


def forced(steps, level):
    """The choices that lead to a level. steps: by kernel, the name of its
    launch, the device, and the direction that is tried first."""
    lines = []
    for name, device, first in steps.values():
        turned = level == 0 or (level > 0) != (first > 0)
        path = [(0, first, False)] if turned else []
        way = -first if turned else first
        path += [(at, at + way, True) for at in range(0, level, way)]
        path.append((level, level + way, False))
        for begin, end, better in path:
            word, ns = ("changed", "2 1") if better else ("original", "1 2")
            lines.append(f"{name} {begin} to {end}\t{device}\t{word}\t{ns}\n")
    return "".join(lines)


def measure(args):
    """Everything, in turns: what is measured together has the same clocks."""
    with tempfile.TemporaryDirectory() as folder:
        choices = Path(folder) / "choices"
        bits = run(args.original, args.launches)
        run(args.tried, args.launches, choices)
        found = STEP.findall(choices.read_text())
        steps, chosen = {}, {}
        for name, kernel, begin, end, device, word in found:
            if begin == "0" and kernel not in chosen:
                chosen[kernel] = 0
        for _, kernel, begin, end, _, word in found:
            if word == "changed":
                chosen[kernel] = max(chosen[kernel], int(end), key=abs)
        source = args.source.read_text()
        for name, kernel, begin, end, device, word in found:
            first = re.search(f'"{re.escape(name)}", catt::Levels::First::(\\w+)',
                              " ".join(source.split())).group(1)
            steps[kernel] = (name, device, 1 if first == "More" else -1)
        times = {kernel: {} for kernel in bits}

        def add(what, result):
            for kernel, (ms, sum_) in result.items():
                if sum_ != bits[kernel][1]:
                    raise SystemExit(f"{kernel} computes other bits: {what}")
                times[kernel].setdefault(what, []).append(ms)

        for _ in range(args.runs):
            add("original", run(args.original, args.launches))
            add("trials", run(args.tried, args.launches))
            for level in LEVELS:
                choices.write_text(forced(steps, level))
                add(str(level), run(args.tried, args.launches, choices))
    return {"launches": args.launches, "chosen": chosen,
            "first": {k: s[2] for k, s in steps.items()}, "ms": times}


def table(result):
    """Times in ms, medians of the runs."""
    print("| kernel | as written | " +
          " | ".join(str(l) for l in LEVELS) +
          " | chosen | with trials | trials / best | as written / trials |")
    print("|---" * (len(LEVELS) + 6) + "|")
    ratios = []
    for kernel, ms in result["ms"].items():
        of = {what: statistics.median(all_) for what, all_ in ms.items()}
        best = min(of[str(l)] for l in LEVELS)
        ratios.append((of["trials"] / best, of["original"] / of["trials"]))
        print(f"| {kernel} | {of['original']:.1f} | " +
              " | ".join(f"{of[str(l)]:.1f}" for l in LEVELS) +
              f" | {result['chosen'].get(kernel, 0)} | {of['trials']:.1f} | "
              f"{ratios[-1][0]:.3f} | {ratios[-1][1]:.3f} |")
    for i, what in enumerate(("trials / best", "as written / trials")):
        mean = statistics.geometric_mean(r[i] for r in ratios)
        print(f"\n{what}: {mean:.3f} in the geometric mean, "
              f"{min(r[i] for r in ratios):.3f} to "
              f"{max(r[i] for r in ratios):.3f}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("original", nargs="?")
    parser.add_argument("tried", nargs="?")
    parser.add_argument("--source", type=Path, default=Path("Tried.cu"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--launches", type=int, default=200)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--table", type=Path)
    args = parser.parse_args()
    if args.table:
        return table(json.loads(args.table.read_text()))
    if not args.tried:
        parser.error("the program as written and as rewritten are needed")
    result = measure(args)
    if args.out:
        args.out.write_text(json.dumps(result, indent=1) + "\n")
    table(result)
    return None


if __name__ == "__main__":
    main()
