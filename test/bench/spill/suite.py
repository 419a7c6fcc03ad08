# ===- suite.py - What the suite spill is made of --------------------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""The suite's files, and how catt-rewrite is called on them.

The cases themselves are C++ (Cases.h); --list of `spill` and catt-spill-equal
prints them.
"""
import json
from pathlib import Path

HERE = Path(__file__).resolve().parent
BIN = HERE.parents[2] / "build" / "release" / "bin"

SOURCES = {"Points": HERE.parent / "registers" / "Points.cu",
           "Grids": HERE.parent / "registers" / "Grids.cu",
           "Wide": HERE / "Wide.cu",
           "Straight": HERE / "Straight.cu",
           "Calls": HERE / "Calls.cu",
           "HeadlineCrat": HERE / "HeadlineCrat.cu",
           "HeadlineTlpRm": HERE / "HeadlineTlpRm.cu"}
TRANSFORMS = {"spill-shared": ["spill-shared"],
              "rematerialize": ["rematerialize"],
              "both": ["rematerialize", "spill-shared"]}


def cases(listed):
    """What --list prints."""
    return list(map(json.loads, listed.splitlines()))


def chosen_by(selector):
    """The variant that a selector's choice is."""
    return "chosen" if selector == "model" else f"chosen-{selector}"


def write(into, cases, points, **more):
    """What the program and the run script read."""
    (into / "points.json").write_text(json.dumps(
        {"cases": cases, "points": points} | more, indent=1) + "\n")
    (into / "cases").write_text("".join(
        " ".join(map(str, [c["case"], c["n"], *c["grid"], *c["block"][:2],
                           c["outputs"]])) + "\n" for c in cases))
    (into / "points").write_text("".join(
        "{case} {point} {cubin} {dynamic_bytes}\n".format(**p)
        for p in points if "same_as" not in p))


def launches(cases, file):
    """The options that tell catt-rewrite how a file's kernels are launched."""
    return ["--launch={case}={0}:{1}".format(
        "x".join(map(str, c["grid"])), "x".join(map(str, c["block"])), **c)
        for c in cases if c["file"] == file]


def under_cap(cap, transforms):
    """The options for at most `cap` registers by these transforms."""
    return [f"--target-registers={cap}", "--transforms=" + ",".join(transforms)]
