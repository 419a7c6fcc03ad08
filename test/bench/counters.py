#!/usr/bin/env python3
# ===- counters.py - The simulation of L1 beside an H200's counters --------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Compares analysis/time/L1Simulation with what ncu counted.

  counters.py --predict build/release/bin/catt-predict [--verbose] [Draws=1 ...]

Asks for the points of docs/results/h200-throttle.json that
h200-throttle-counters.json has counters of, contended loops only, and prints how
far the hit rates and the times are. Nothing was fitted to these hit rates.
"""
import argparse
import json
import math
import subprocess
import tempfile

import fit

RESULTS = fit.ROOT / "docs/results"


def points():
    """(case, l1d, counters, milliseconds), by case and setting of L1."""
    counted = {(c["case"], c["l1d"], c["warps"], c["blocks"]): c for c in
               json.loads((RESULTS / "h200-throttle-counters.json").read_text())}
    sweep = json.loads((RESULTS / "h200-throttle.json").read_text())["cases"]
    for case in sweep:
        if case["group"] != "contended" or case["case"] in fit.NOT_MODELLED:
            continue
        for l1d in fit.L1_KIB:
            found = {}
            for p in case["points"]:
                key = (case["case"], l1d, p["warps"], p["blocks_seen"])
                if p["l1d"] == l1d and not p["cut"] and key in counted:
                    found.setdefault(key, (counted[key], p["median_ms"]))
            if found:
                yield case, l1d, *zip(*found.values())


def asked(case, l1d, counters):
    name = case["case"].split("/")[0].split("-")[0]
    source = fit.SOURCES.get(name, "Contended") + ".cu"
    return {"kernel": case["kernel"], "grid": case["grid"],
            "block": case["block"], "arguments": case["arguments"],
            "source": str(fit.HERE / "kernels" / source),
            "points": [[c["warps"], c["blocks"], fit.L1_KIB[l1d] * 1024]
                       for c in counters]}


def simulated(program, cases, constants):
    """[(milliseconds, hit percent)] of all points in order."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(cases, file)
        file.flush()
        said = subprocess.run([program, file.name], text=True, check=True,
                              input=" ".join(["simulate", *constants]) + "\n",
                              capture_output=True).stdout
    return [tuple(map(float, word.split(":")[:2])) for word in said.split()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--predict", required=True)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("constants", nargs="*", metavar="NAME=VALUE")
    arguments = parser.parse_args()
    found = list(points())
    answers = iter(simulated(arguments.predict,
                             [asked(case, l1d, c) for case, l1d, c, _ in found],
                             arguments.constants))
    hits, times = [], []
    for case, l1d, counters, measured in found:
        for counter, ms in zip(counters, measured):
            time, hit = next(answers)
            hits.append(abs(hit - counter["l1_hit_percent"]))
            times.append(abs(math.log(time / ms)))
            if arguments.verbose:
                print(f"{case['case']:26s} {l1d:4s} {counter['warps']:2} warps "
                      f"of {counter['blocks']:2} blocks: hits "
                      f"{counter['l1_hit_percent']:5.1f} %, simulated {hit:5.1f};"
                      f" {ms:.3f} ms, simulated {time:.3f}")
    hits.sort()
    times.sort()
    print(f"{len(hits)} points: hit rate off by {hits[len(hits) // 2]:.1f} "
          f"points in the median, {hits[len(hits) * 9 // 10]:.1f} at the 90th "
          f"percentile; time by a factor of "
          f"{math.exp(times[len(times) // 2]):.2f} and "
          f"{math.exp(times[len(times) * 9 // 10]):.2f}")


if __name__ == "__main__":
    main()
