#!/usr/bin/env python3
# ===- judge.py - A tool's choices against a stored sweep ------------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Looks up what catt-rewrite chooses today in a sweep that was measured before.

  judge.py SWEEP.json --tool catt-rewrite [--gpu h200] [--update]

Needs no GPU. For each benchmark and L1D setting: the time of the tool's choice,
of the paper's rule, of the original and of the best point. --update stores the
choices in the file, for plot.py.
"""
import argparse
import importlib.machinery
import importlib.util
import json
import math
from pathlib import Path

HERE = Path(__file__).resolve().parent


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
    for l1d, size in (("max", []), ("28", ["--l1d=28"])):
        for model in ("exact", "catt"):
            kernels = {}
            for source in throttle.SOURCES[2:]:
                kernels.update(throttle.report(tool, source, cases, [
                    f"--gpu={gpu}", f"--model={model}", *size]))
            for case in cases:
                if kernel := kernels.get(case["kernel"]):
                    case.setdefault("choices", {}).setdefault(
                        l1d, {})[model] = throttle.choice(kernel)


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


def judge(cases):
    rows = {}
    for case in cases:
        for l1d in ("default", "max", "28"):
            points = [p for p in case["points"] if p["l1d"] == l1d]
            asked = case.get("choices", {}).get(
                "max" if l1d == "default" else l1d, {})
            if not points or "exact" not in asked or "catt" not in asked:
                continue
            if not any(p["original"] for p in points):
                continue
            best = min(p["median_ms"] for p in points)
            original = next(p for p in points if p["original"])["median_ms"]
            ours = point_of(asked["exact"], points)["median_ms"]
            paper = point_of(asked["catt"], points)["median_ms"]
            rows.setdefault((case["group"], l1d), []).append(
                (case["case"], ours, paper, original, best))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sweep")
    parser.add_argument("--tool", required=True)
    parser.add_argument("--gpu", default="h200")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    result = json.loads(Path(arguments.sweep).read_text())
    choose(arguments.tool, arguments.gpu, result["cases"])
    for (group, l1d), rows in sorted(judge(result["cases"]).items()):
        if arguments.verbose:
            for case, ours, paper, original, best in rows:
                print(f"  {case:34s} {l1d:8s} ours/best {ours / best:5.2f}  "
                      f"paper/best {paper / best:5.2f}  ours/original "
                      f"{ours / original:5.2f}")
        print(f"{group:12s} {l1d:8s} {len(rows):2d} loops: ours/best "
              f"{mean([r[1] / r[4] for r in rows]):.3f} (worst "
              f"{max(r[1] / r[4] for r in rows):.2f}), paper/best "
              f"{mean([r[2] / r[4] for r in rows]):.3f}, speed-up "
              f"{mean([r[3] / r[1] for r in rows]):.2f}, slowest "
              f"{max(r[1] / r[3] for r in rows):.3f} of the original")
    if arguments.update:
        Path(arguments.sweep).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
