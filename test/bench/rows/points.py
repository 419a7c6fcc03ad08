# ===- points.py - A sweep as the time model is asked for it ----------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""What `rows/bench --sweep` measured -> the cases that fit.py hands on.

  cases()   one for each kernel whose groups of warps were measured; the first
            point is the kernel as written, others with the blocks it had
"""
import json
import re
from pathlib import Path

import generate
from tool import THROTTLES

GROUPS = re.compile(r"groups-(\d+|all)")
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


def measured(row, before):
    """{(warps in a group, blocks on an SM): ms}, the original first."""
    warps, out = before["warpsPerBlock"], {}
    for v in row["variants"]:
        groups = GROUPS.fullmatch(v["variant"])
        if "ms" not in v or v.get("equal") is False or \
                (v["variant"] != "original" and not groups) or \
                (groups and v.get("same_as") == "original"):
            continue
        divided = warps if groups and groups[1] == "all" else \
            int(groups[1]) if groups else 1
        out.setdefault((-(-warps // divided), before["blocksPerSM"]), v["ms"])
    return out


def cases(results, seed, tool, folder):
    """results: of a sweep; folder: where the kernels are written to."""
    rows = {r["name"]: r for r in json.loads(Path(results).read_text())["kernels"]}
    kernels = [k for k in generate.kernels(
        seed, 0, 1 + max(int(name[1:]) for name in rows)) if k.name in rows]
    files = [Path(folder) / f"{k.name}.cu" for k in kernels]
    for k, file in zip(kernels, files):
        file.write_text(k.text)
    reports = tool.report(files, ["--transforms=" + ",".join(THROTTLES)])
    for k, file in zip(kernels, files):
        row, before = rows[k.name], reports[k.name]["before"]
        points = measured(row, before) if before else {}
        if len(points) > 1:
            yield {"id": f"{k.name} {row['form']} {row['length']}",
                   "l1d": "max", "kernel": k.call, "fitted": False,
                   "drawn": True, "source": str(file), "arguments": arguments(k),
                   "grid": row["grid"] + [1], "block": row["block"] + [1],
                   "points": [[w, b, before["l1Bytes"]] for w, b in points],
                   "ms": list(points.values())}
