#!/usr/bin/env python3
# ===- executor.py - The suite's rewrites on the CPU ------------------ ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Compares the suite's kernels with their rewrites on the SIMT executor.

  executor.py DIR                    what `bench --prepare DIR` made points from
  executor.py --rewrite FILE --caps 80,64 DIR
                                     writes the texts first, with all transforms
                                     and without a toolkit, to DIR/sources

Needs catt-spill-equal (and catt-rewrite for --rewrite), no toolkit and no GPU.
Ends with 1 if an output differs, the executor finds something, or nothing was
compared. A process takes up to 1 GiB of memory.
"""
import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import suite


def rewrite(options, into):
    """{text: its cases}, of texts that the tool writes now."""
    cases = suite.cases(subprocess.run(
        [options.equal, "--list"], check=True, text=True,
        capture_output=True).stdout)
    texts = {}
    for cap in options.caps.split(","):
        text = into / f"{options.rewrite}.both.{cap}.cu"
        with text.open("w") as out:
            subprocess.run(
                [options.tool, "--quiet", "--no-cuda", "--gpu=h200", "--force",
                 *suite.under_cap(cap, suite.TRANSFORMS["both"]),
                 *suite.launches(cases, options.rewrite),
                 suite.SOURCES[options.rewrite], "--", "-std=c++17", "-O3",
                 "-arch=sm_90"], check=True, stdout=out)
        texts[text] = [c["case"] for c in cases
                       if c["file"] == options.rewrite]
    return texts


def prepared(into, points):
    """{text: its cases}, of those whose machine code is their own."""
    files = {c["case"]: c["file"] for c in points["cases"]}
    texts = {}
    for p in points["points"]:
        if p["variant"] in (*suite.TRANSFORMS, "chosen") and "same_as" not in p:
            name = f"{files[p['case']]}.{p['variant']}"
            name += f".{p['cap']}.cu" if p["cap"] else ".cu"
            texts.setdefault(into / name, []).append(p["case"])
    return texts


def compare(options, text, cases):
    """How many of the cases are equal; prints what the program says."""
    original = suite.SOURCES[text.name.split(".")[0]]
    done = subprocess.run([options.equal, original, text, *cases], text=True,
                          capture_output=True)
    equal = sum(": equal, " in line for line in done.stdout.splitlines())
    said = "".join(f"{text.stem}: {line}\n"
                   for line in (done.stdout + done.stderr).splitlines())
    print(said, end="", flush=True)
    return equal if done.returncode in (0, 1) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--rewrite", choices=suite.SOURCES, metavar="FILE")
    parser.add_argument("--caps", help="registers, for --rewrite")
    parser.add_argument("--tool", default=suite.BIN / "catt-rewrite")
    parser.add_argument("--equal", default=suite.BIN / "catt-spill-equal")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    into = options.directory / "sources"
    into.mkdir(parents=True, exist_ok=True)
    texts = rewrite(options, into) if options.rewrite else prepared(
        into, json.loads((options.directory / "points.json").read_text()))
    with ThreadPoolExecutor(options.jobs) as pool:
        equal = sum(pool.map(lambda item: compare(options, *item),
                             texts.items()))
    compared = sum(map(len, texts.values()))
    print(f"spill: {compared} compared, {compared - equal} differ")
    sys.exit(0 if compared and equal == compared else 1)


if __name__ == "__main__":
    main()
