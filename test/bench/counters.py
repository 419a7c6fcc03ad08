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
  counters.py --predict ... --rows original.json --ncu counters.csv --seed S
              [--kinds all] [--part report]

The first asks for the points of docs/results/h200-throttle.json that
h200-throttle-counters.json has counters of, contended loops only, and prints how
far the hit rates and the times are. Nothing was fitted to these hit rates.

The second asks for kernels as rows/bench draws them, prepared by

  rows/bench --prepare DIR --originals --seed S --count 500 --kinds all

timed by `DIR/run -o original.json`, and counted by

  ncu --clock-control none --csv --page raw --print-units base
      --print-kernel-base function -k 'regex:_[0-9]+$' --log-file counters.csv
      --metrics METRICS DIR/run --once

METRICS are those that drawn() reads, separated by commas.
"""
import argparse
import json
import math
import subprocess
import tempfile
from collections import namedtuple

import fit
from fit import points as rows

RESULTS = fit.ROOT / "docs/results"

# As catt-predict prints a point.
Simulated = namedtuple("Simulated", "ms hit dram to_l2 not_run")


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
    """[Simulated] of all points in order."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(cases, file)
        file.flush()
        said = subprocess.run([program, file.name], text=True, check=True,
                              input=" ".join(["simulate", *constants]) + "\n",
                              capture_output=True).stdout
    return [Simulated(*map(float, word.split(":"))) for word in said.split()]


def drawn(arguments, folder):
    """Of kernels that rows/bench drew, as points() has them."""
    tool = fit.Tool(arguments.tool, "h200")
    for case, seen, ms in rows.counted(arguments.rows, arguments.ncu,
                                       arguments.seed, arguments.kinds,
                                       arguments.part, tool, folder):
        loaded = seen["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]
        hit = seen["l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"]
        yield case, {"l1_hit_percent": 100 * hit / max(1, loaded),
                     "l2_sectors": seen["lts__t_sectors_srcunit_tex.sum"]}, ms


class Errors:
    """What the simulation is off by, over points."""

    def __init__(self):
        self.hits, self.times, self.sectors = [], [], []

    def add(self, said, counter, ms):
        self.hits.append(abs(said.hit - counter["l1_hit_percent"]))
        self.times.append(abs(math.log(said.ms / ms)))
        if "l2_sectors" in counter:
            self.sectors.append(abs(said.to_l2 / counter["l2_sectors"] - 1))

    def __str__(self):
        def of(values, text):
            values = sorted(values)
            return (text.format(values[len(values) // 2]) + " in the median, " +
                    text.format(values[len(values) * 9 // 10]) +
                    " at the 90th percentile")
        out = (f"{len(self.hits)} points: hit rate off by "
               f"{of(self.hits, '{:.1f} points')}; time by a factor of "
               f"{of(map(math.exp, self.times), '{:.2f}')}")
        if self.sectors:
            out += f"; sectors of L2 by {of(self.sectors, '{:.0%}')}"
        return out


def print_sweep(arguments):
    found = list(points())
    answers = iter(simulated(arguments.predict,
                             [asked(case, l1d, c) for case, l1d, c, _ in found],
                             arguments.constants))
    errors = Errors()
    for case, l1d, counters, measured in found:
        for counter, ms in zip(counters, measured):
            said = next(answers)
            errors.add(said, counter, ms)
            if arguments.verbose:
                print(f"{case['case']:26s} {l1d:4s} {counter['warps']:2} warps "
                      f"of {counter['blocks']:2} blocks: hits "
                      f"{counter['l1_hit_percent']:5.1f} %, simulated "
                      f"{said.hit:5.1f}; {ms:.3f} ms, simulated {said.ms:.3f}")
    print(errors)


def print_drawn(arguments):
    with tempfile.TemporaryDirectory() as folder:
        found = list(drawn(arguments, folder))
        answers = simulated(arguments.predict, [case for case, _, _ in found],
                            arguments.constants)
    errors, left = Errors(), 0
    for (case, counter, ms), said in zip(found, answers):
        if said.not_run or said.ms == 0:
            left += 1
            continue
        errors.add(said, counter, ms)
        if arguments.verbose:
            print(f"{case['id']:26s} hits {counter['l1_hit_percent']:5.1f} %, "
                  f"simulated {said.hit:5.1f}; sectors of L2 "
                  f"{counter['l2_sectors']:.3g}, simulated {said.to_l2:.3g}; "
                  f"{ms:.4f} ms, simulated {said.ms:.4f}")
    print(f"{errors}; {left} kernels could not be simulated")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--predict", required=True)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--rows", help="what DIR/run measured of drawn kernels")
    parser.add_argument("--ncu", help="what ncu counted of them")
    parser.add_argument("--tool", default=str(fit.ROOT / "build/release/bin/"
                                              "catt-rewrite"))
    rows.generate.add_options(parser)
    parser.add_argument("constants", nargs="*", metavar="NAME=VALUE")
    arguments = parser.parse_args()
    (print_drawn if arguments.rows else print_sweep)(arguments)


if __name__ == "__main__":
    main()
