#!/usr/bin/env python3
# ===- refusals.py - Which row walks the tool leaves as they are, and why ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Counts what stage-rows says of the kernels of generate.py, form by form.

  refusals.py [--seed S] [--count N] [--first I] [--l1d KiB] [--verbose]

A kernel counts once, for the first of these that is so of one of its loops:
staged; a refusal of stage-rows; why the loop is left alone (fits, irregular,
...). Where the tool says nothing, what is likely is put behind "silent". --l1d 1 lets
every loop contend, which shows what the shape of the code is refused for. Needs
neither a GPU nor nvcc.
"""
import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "registers"))
import generate
import sweep
from tool import Tool, add_options

SHORT = 32  # elements: shorter rows are not staged (StagePlan.cpp)


def likely(kernel):
    """What a kernel of which nothing is said lacks."""
    facts, form = kernel.facts, kernel.facts["form"]
    if facts["group"] == "control":
        return "no row walk"
    if facts["length"] < SHORT and facts["sizes"] != "parameter":
        return "silent: short rows"
    if form in ("gather", "csr", "helper", "moving-pointer"):
        return "silent: " + {"helper": "loop in a device function",
                             "moving-pointer": "*p++"}.get(
                                 form, "rows begin where memory says")
    if form in ("conditional", "arg-max"):
        return "silent: read under a condition"
    if facts["type"] not in ("float", "double", "int"):
        return "silent: type of the elements"
    if "#pragma unroll" in kernel.text:
        return "silent: #pragma unroll"
    return "silent"


def said(remarks):
    """The outcome by remarks of stage-rows, if there is one. Those of the
    throttle begin with the loop, but for a reason that it has not."""
    own = [r.reason for r in remarks
           if r.reason != "promote-accumulators" and
           (r.reason == "not-counted" or not r.text.startswith("loop over"))]
    if "stage-rows" in own:
        return "staged"
    return own[0] if own else None


def left_alone(kernel, loops):
    """The outcome where stage-rows says nothing."""
    inner = {loop["id"] for loop in loops} - {loop["parent"] for loop in loops}
    reasons = {loop["contended"]: (loop["leftAlone"] or {}).get("reason")
               for loop in loops if loop["id"] in inner}
    if True in reasons:
        # That throttling gains nothing is no reason to stage nothing.
        throttle = (None, "small-gain", "covered-by-other")
        return likely(kernel) if reasons[True] in throttle else reasons[True]
    return reasons.get(False) or likely(kernel)


def outcomes(tool, kernels, words):
    """{kernel: outcome}"""
    table = {}
    with tempfile.TemporaryDirectory() as folder:
        files = {k.name: Path(folder) / f"{k.name}.cu" for k in kernels}
        for k in kernels:
            files[k.name].write_text(k.text)
        for first in range(0, len(kernels), 20):
            some = kernels[first:first + 20]
            remarks = tool.remarks([files[k.name] for k in some], words)
            table |= {k.name: said(remarks.get(k.name, [])) for k in some}
            silent = [k for k in some if not table[k.name]]
            loops = tool.report([files[k.name] for k in silent], words) \
                if silent else {}
            for k in silent:
                found = loops.get(k.name, {"loops": []})["loops"]
                table[k.name] = left_alone(k, found)
            print(f"refusals: {first + len(some)} of {len(kernels)}",
                  file=sys.stderr, flush=True)
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    generate.add_options(parser)
    add_options(parser)
    parser.add_argument("--l1d", type=int, help="KiB of L1, instead of the GPU's")
    parser.add_argument("--verbose", action="store_true",
                        help="name the kernels")
    options = parser.parse_args()
    kernels = generate.kernels(options.seed, options.first, options.count)
    try:
        tool = Tool(options.tool, options.gpu)
        table = outcomes(tool, kernels, [tool.stages] + (
            [f"--l1d={options.l1d}"] if options.l1d else []))
    except sweep.Failure as failure:
        sys.exit(f"refusals: {failure}")
    by_reason = {}
    for k in kernels:
        by_reason.setdefault(table[k.name], []).append(k)
    for reason, members in sorted(by_reason.items(), key=lambda x: -len(x[1])):
        forms = Counter(k.facts["form"] for k in members)
        print(f"{len(members):4}  {reason:38}" + ", ".join(
            f"{form} {count}" for form, count in forms.most_common()))
        if options.verbose:
            print("      " + " ".join(k.name for k in members))


if __name__ == "__main__":
    main()
