#!/usr/bin/env python3
# ===- table.py - What the rewrites of the row walks gain --------------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Prints what DIR/run measured, as a table in Markdown, and its means.

  table.py staged.json

Gains are geometric means of original / rewritten, and of best throttling /
rewritten. The share of the copy bandwidth is what a streaming loop has to move at
least, each element of its arrays once, per second of the rewritten kernel, over
the faster of the two copies that were timed in the same run; its mean is the
arithmetic one. Ends with 1 if an output differs or a case was not measured.
"""
import json
import math
import sys
from pathlib import Path

WANTED = (("times as fast as written", 3.0),
          ("times as fast as the best throttling", 1.8),
          ("of the copy bandwidth, streaming loops", 0.6))
GROUPS = (("all", lambda c: True),
          ("loops that overflow L1 by the tool's count",
           lambda c: c["tool_finds_contended"]),
          ("rows in tiles", lambda c: "stage-rows" in c["did"]),
          ("streaming", lambda c: c["streaming"]),
          ("float", lambda c: c["type"] == "float"),
          ("double", lambda c: c["type"] == "double"),
          ("sizes compiled in", lambda c: not c["runtime_size"]),
          ("sizes known at run time", lambda c: c["runtime_size"]))


def measured(cases):
    return [c for c in cases if "error" not in c]


def gain(case):
    return case["original_ms"] / case["rewritten_ms"]


def over_throttled(case):
    return case["throttled_ms"] / case["rewritten_ms"]


def copy_bandwidth(machine):
    """Bytes per second, read and written."""
    return max(machine["copy_bytes_per_second"].values())


def share(case, machine):
    """Of the copy bandwidth; None where a loop reads its elements again."""
    if not case["bytes"]:
        return None
    return case["bytes"] / (case["rewritten_ms"] / 1e3) / copy_bandwidth(machine)


def geometric(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def arithmetic(values):
    return sum(values) / len(values) if values else None


def means(cases, machine):
    """(gain, gain over the throttling, share), None where there is none."""
    shares = [share(c, machine) for c in cases if c["bytes"]]
    return (geometric([gain(c) for c in cases]),
            geometric([over_throttled(c) for c in cases]), arithmetic(shares))


def wrong(cases):
    """What must not be, named."""
    return [f"{c['case']}: {c['error']}" for c in cases if "error" in c] + \
        [f"{c['case']}: the output of {what} differs" for c in measured(cases)
         for what, key in (("the rewrite", "equal"),
                           ("the throttling", "throttled_equal"))
         if not c[key]]


def number(value, digits=2, unit=""):
    return "" if value is None else f"{value:.{digits}f}{unit}"


def per_cent(value):
    return number(value and value * 100, 0, " %")


def row(case, machine):
    did = ", ".join(case["did"]) or "nothing"
    if "error" in case:
        return f"| {case['case']} | {did} | {case['error']} | | | | | | | |"
    gigabytes = case["bytes"] and case["bytes"] / 1e9
    return (f"| {case['case']} | {did} | {case['original_ms']:.3f} | "
            f"{case['throttled_ms']:.3f} | {case['rewritten_ms']:.3f} | "
            f"{gain(case):.2f} | {over_throttled(case):.2f} | "
            f"{number(gigabytes)} | {per_cent(share(case, machine))} | "
            f"{'yes' if case['equal'] else 'NO'} |")


def lines(result):
    machine, cases = result["machine"], result["cases"]
    yield (f"{machine['gpu']}, {machine['built_with']}; copies "
           f"{copy_bandwidth(machine) / 1e9:.0f} GB/s, read and written")
    yield ""
    yield ("| loop | the tool's transforms | as written, ms | best throttling | "
           "rewritten | times as fast as written | as the best throttling | "
           "GB at least | of the copy bandwidth | equal |")
    yield "|---" * 10 + "|"
    for case in cases:
        yield row(case, machine)
    yield ""
    yield ("| loops | number | times as fast as written | as the best throttling "
           "| of the copy bandwidth |")
    yield "|---" * 5 + "|"
    for name, belongs in GROUPS:
        some = [c for c in measured(cases) if belongs(c)]
        first, second, third = means(some, machine)
        yield (f"| {name} | {len(some)} | {number(first)} | {number(second)} | "
               f"{per_cent(third)} |")
    yield ""
    for (what, wanted), found in zip(WANTED, means(measured(cases), machine)):
        if found is not None:
            yield (f"{found:.2f} {what}, {wanted} wanted: "
                   f"{'met' if found >= wanted else 'missed'}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    result = json.loads(Path(sys.argv[1]).read_text())
    print("\n".join(lines(result)))
    faults = wrong(result["cases"])
    print("outputs: " + ("NOT all equal" if faults else "all equal"))
    for fault in faults:
        print(f"table: {fault}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
