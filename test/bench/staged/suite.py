# ===- suite.py - Which loops are compared, and their texts ------------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""From a stored sweep to what is compiled.

  row_walks()   the cases that are compared
  best_point()  the fastest throttling of a case
  facts()       what the results say of a case
  text()        a case's kernel and launch, before the tool
  table()       what Staged.h declares
"""
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from judge import load_throttle

THROTTLE = load_throttle()
LANES = 32
SIDES = ("original", "rewritten")
HEAD = '#include "Staged.h"\n'


def is_row_walk(case):
    """Of the suite's contended loops those in which each lane of a warp has
    cache lines of its own and comes back to a line in later iterations."""
    return (case["group"] == "contended"
            and case["own_lines_per_warp"] >= LANES
            and case["iterations_per_line"] > 1)


def row_walks(sweep):
    return [c for c in sweep["cases"] if is_row_walk(c) and c["points"]]


def is_streaming(case):
    """Each element is used in one pass."""
    return case["rounds"] == 1


def best_point(case):
    return min((p for p in case["points"] if p["l1d"] == "default"),
               key=lambda p: p["median_ms"])


def warps_of(case, point):
    """Warps at a time as the harness has them: 0 for all of a block."""
    x, y, z = case["block"]
    return 0 if point["warps"] * LANES >= x * y * z else point["warps"]


def facts(case, did, contended):
    """did: {transform: what it said}; contended: by the tool's count."""
    point = best_point(case)
    return {"case": case["case"], "kernel": case["kernel"],
            "type": case["type"], "runtime_size": case["runtime_size"],
            "streaming": is_streaming(case),
            "bytes": case["bytes"] if is_streaming(case) else None,
            "tool_finds_contended": contended, "did": did,
            "sweep": {k: point[k] for k in ("warps", "blocks_seen", "dynamic",
                                            "median_ms")}}


def symbol(case, side):
    """What LAUNCH is in a text."""
    return f"{side}_" + re.sub(r"\W", "_", case["case"])


def text(case):
    return HEAD + THROTTLE.shown(
        case, "void LAUNCH(void *const *values)",
        lambda number: f"staged::argument(values, {number})")


def table(rows, sms, built_with):
    """rows: (case, facts)."""
    out = [HEAD, *(f"void {symbol(case, side)}(void *const *values);"
                   for case, _ in rows for side in SIDES),
           "const staged::Prepared staged::Table[] = {"]
    for case, known in rows:
        point = best_point(case)
        out.append("  {" + ", ".join([
            json.dumps(case["case"]), json.dumps(json.dumps(known)[1:-1]),
            str(warps_of(case, point)), str(point["dynamic"]),
            str(point["carveout"]),
            *(symbol(case, side) for side in SIDES)]) + "},")
    return "\n".join([*out, "};", f"const int staged::TableSize = {len(rows)};",
                      f"const int staged::SMs = {sms};",
                      "const char *const staged::BuiltWith = "
                      f"{json.dumps(built_with)};", ""])
