#!/usr/bin/env python3
# ===- generate.py - Kernels whose lanes walk rows -------------------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Writes row walks as programs have them.

  generate.py [--seed S] [--count N] [--first I] [--group G] [--kinds all] DIR

DIR/k0017.cu is one kernel with the host function that launches it, and nothing
else; DIR/kernels.json says what was drawn, and which arrays the host function
takes. Kernel 17 of a seed is the same text whatever else is asked for.
"""
import argparse
import json
import random
from collections import namedtuple
from dataclasses import asdict
from pathlib import Path

import forms
from draft import Draft
from shapes import pick

# name "k0017"; function "dot_17"; call: the kernel with its template arguments;
# arrays: Buffers; sizes: integers that the host function takes behind them.
Kernel = namedtuple("Kernel", "name function call text arrays sizes facts")


def kernel(seed, number, kinds="rows"):
    rng = random.Random(f"{seed}/{number}")
    drawn = forms.KINDS[kinds]
    form = pick(rng, {k: f.weight for k, f in enumerate(drawn)})
    draft = Draft(rng, number, drawn[form])
    text = draft.text()
    call = draft.name
    if draft.templates:
        call += "<" + ", ".join(str(v) for _, v in draft.templates) + ">"
    return Kernel(f"k{number:04}", draft.name, call, text, draft.pointers,
                  [v for _, v, literal in draft.integers if not literal],
                  draft.facts())


# Of ten kernels, what each is for: constants are fitted on it, a form of the
# model is chosen by it, or it is looked at once, in what is reported.
PARTS = ("fit",) * 4 + ("choose",) * 3 + ("report",) * 3


def part_of(number):
    return PARTS[number % len(PARTS)]


def kernels(seed, first, count, group=None, kinds="rows", part=None):
    drawn = (kernel(seed, n, kinds) for n in range(first, first + count)
             if part in (None, part_of(n)))
    return [k for k in drawn if group in (None, k.facts["group"])]


def add_options(parser):
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--group", choices=sorted({f.group for f in forms.CORPUS}),
                        help="of these kernels, only those of this group")
    parser.add_argument("--kinds", choices=sorted(forms.KINDS), default="rows",
                        help="row walks, or all that programs do")
    parser.add_argument("--part", choices=list(dict.fromkeys(PARTS)),
                        help="of these kernels, only those of this part")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("directory", metavar="DIR")
    options = parser.parse_args()
    into = Path(options.directory)
    into.mkdir(parents=True, exist_ok=True)
    drawn = kernels(options.seed, options.first, options.count, options.group,
                    options.kinds, options.part)
    for each in drawn:
        (into / f"{each.name}.cu").write_text(each.text)
    (into / "kernels.json").write_text(json.dumps(
        [each._asdict() | {"arrays": [asdict(a) for a in each.arrays]}
         for each in drawn], indent=1) + "\n")


if __name__ == "__main__":
    main()
