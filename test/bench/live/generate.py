#!/usr/bin/env python3
# ===- generate.py - Kernels with many live values --------------------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Writes kernels that keep 40 to 255 registers' worth of values.

  generate.py [--seed S] [--count N] [--first I] DIR

DIR/k0017.cu is one kernel (const float *in, float *out, int n) and nothing
else; DIR/kernels.json says what was drawn. Kernel 17 of a seed is the same text
whatever else is asked for.
"""
import argparse
import json
import random
from collections import namedtuple
from pathlib import Path

import families
from draft import Draft
from launch import pick

# outputs: floats that are compared
Kernel = namedtuple("Kernel", "name text launch outputs facts")


def kernel(seed, number):
    rng = random.Random(f"{seed}.{number}")
    chosen = pick(rng, {k: f.weight for k, f in enumerate(families.ALL)})
    draft = Draft(rng, number, families.ALL[chosen])
    text = draft.text()
    work, launch = draft.work, draft.launch
    per_thread = work.writes + launch.rounds * work.round_writes
    return Kernel(draft.name, text, launch, per_thread * launch.n, {
        "family": draft.family.name, "live": draft.live, "type": draft.type,
        "rounds": launch.rounds if work.loops else 0})


def kernels(seed, first, count):
    return [kernel(seed, k) for k in range(first, first + count)]


def case(drawn, launch):
    """As the suite spill describes its cases."""
    return {"case": drawn.name, "file": drawn.name, "n": launch.n,
            "grid": [launch.grid, 1, 1], "block": [launch.block, 1, 1],
            "outputs": drawn.outputs} | drawn.facts


def add_options(parser):
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("directory", metavar="DIR")
    options = parser.parse_args()
    into = Path(options.directory)
    into.mkdir(parents=True, exist_ok=True)
    drawn = kernels(options.seed, options.first, options.count)
    for each in drawn:
        (into / f"{each.name}.cu").write_text(each.text)
    (into / "kernels.json").write_text(json.dumps(
        [case(each, each.launch) for each in drawn], indent=1) + "\n")


if __name__ == "__main__":
    main()
