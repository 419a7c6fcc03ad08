# ===- points.py - A sweep as the time model is asked for it ----------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""What `rows/bench` measured -> the cases that fit.py and counters.py hand on.

  cases()    one for each kernel of a sweep; its first point is the kernel as
             written, the others are groups of warps and fewer blocks
  counted()  one for each kernel that a profiler looked at, as it is written
"""
import csv
import json
import re
from pathlib import Path

import generate
from tool import THROTTLES

LAUNCH = re.compile(r"void run_\w+\(([^)]*)\).*?<<<[^;]*?>>>\(([^;]*)\);", re.S)


def arguments(kernel):
    """Of its launch: integers, and None for what is none."""
    taken, given = LAUNCH.search(kernel.text).groups()
    sizes = iter(kernel.sizes)
    values = {}
    for each in taken.split(","):
        if "*" not in each:
            values[each.split()[-1]] = next(sizes)
    out = []
    for each in map(str.strip, given.split(",")):
        value = values.get(each, each)
        out.append(int(value) if re.fullmatch(r"-?\d+", str(value)) else None)
    return out


def times(row):
    """{variant: ms}, each text once, the original first."""
    return {v["variant"]: v["ms"] for v in row["variants"]
            if "ms" in v and v.get("equal") is not False and
            v.get("same_as") is None}


def point(residency, groups):
    """[warps in a group, blocks on an SM, bytes of L1]"""
    return [-(-residency["warpsPerBlock"] // groups), residency["blocksPerSM"],
            residency["l1Bytes"]]


def swept(kernel, file, row, tool, before, loops):
    """(points, ms) of the variants of a sweep."""
    measured = times(row)
    points, ms = [point(before, 1)], [measured["original"]]
    asked = tool.points(kernel.function, {"before": before, "loops": loops})
    for variant, words in asked.items():
        if variant not in measured:
            continue
        groups = {"groups-2": 2, "groups-4": 4,
                  "groups-all": before["warpsPerBlock"]}.get(variant, 1)
        after = before
        if groups == 1:
            after = tool.report([file], words)[kernel.name]["after"]
        points.append(point(after, groups))
        ms.append(measured[variant])
    return points, ms


def reported(rows, seed, kinds, tool, folder):
    """(kernel, its file, its row, the tool's report) of rows of results.
    folder: where the kernels are written to."""
    rows = {r["name"]: r for r in rows}
    kernels = [k for k in generate.kernels(
        seed, 0, 1 + max(int(name[1:]) for name in rows), kinds=kinds)
               if k.name in rows]
    files = [Path(folder) / f"{k.name}.cu" for k in kernels]
    for k, file in zip(kernels, files):
        file.write_text(k.text)
    reports = tool.report(files, ["--transforms=" + ",".join(THROTTLES)])
    for k, file in zip(kernels, files):
        if reports[k.name]["before"]:
            yield k, file, rows[k.name], reports[k.name]


def case(kernel, file, row):
    return {"id": f"{kernel.name} {row['form']} {row['length']}", "l1d": "max",
            "kernel": kernel.call, "drawn": True, "source": str(file),
            "arguments": arguments(kernel), "grid": row["grid"] + [1],
            "block": row["block"] + [1]}


def cases(results, seed, tool, folder):
    """results: of a sweep."""
    rows = json.loads(Path(results).read_text())["kernels"]
    for k, file, row, report in reported(rows, seed, "rows", tool, folder):
        if "original" not in times(row):
            continue
        points, ms = swept(k, file, row, tool, report["before"],
                           report["loops"])
        yield case(k, file, row) | {
            "fitted": int(k.name[1:]) % 2 == 0, "points": points, "ms": ms}


def profiled(file):
    """{function: {metric: number}} of `ncu --csv --page raw --print-units base`,
    of the first launch of each."""
    lines = Path(file).read_text().splitlines()
    first = next(n for n, line in enumerate(lines) if line.startswith('"ID"'))
    out = {}
    for row in list(csv.DictReader(lines[first:]))[1:]:  # the first: units
        numbers = {k: float(v.replace(",", "")) for k, v in row.items()
                   if k and "__" in k and v}
        out.setdefault(row["Kernel Name"], numbers)
    return out


def counted(results, counters, seed, kinds, part, tool, folder):
    """(case, counters, ms) of the kernels of a part, as they are written."""
    metrics = profiled(counters)
    rows = [r for r in json.loads(Path(results).read_text())["kernels"]
            if r["function"] in metrics and "original" in times(r) and
            part in (None, generate.part_of(int(r["name"][1:])))]
    for k, file, row, report in reported(rows, seed, kinds, tool, folder):
        yield (case(k, file, row) | {"points": [point(report["before"], 1)]},
               metrics[k.function], times(row)["original"])
