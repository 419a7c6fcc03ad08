#!/usr/bin/env python3
# ===- accuracy.py - The estimate of registers beside ptxas ----------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
#
#   *.ptx of nvcc --ptxas -v, -maxrregcount=32|48|64--> what it takes, spills
#                   (launch bounds taken out: they override the cap)
#   *.ptx --catt-registers-------------------------> what is estimated
#                                                        |
#                    median error, rank correlation <----+
#
# usage: accuracy.py <catt-registers> <ptxas> <directory of .ptx> [--write F]
#
# ===----------------------------------------------------------------------===#
"""Compares estimated registers and spills with those of ptxas."""

import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

CAPS = (32, 48, 64)


def without_bounds(text):
    """PTX without .maxntid and the like, under which ptxas ignores a cap."""
    return re.sub(r"^\s*\.(maxntid|reqntid|minnctapersm|maxnreg)\b[^\n{]*", "",
                  text, flags=re.MULTILINE)


def ask_ptxas(ptxas, file, cap):
    """kernel -> (registers, spill bytes), of one run; without the kernels for
    which ptxas has no code under the cap."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as text:
        text.write(without_bounds(file.read_text("utf-8")))
        text.flush()
        command = [ptxas, "-v", "-arch=sm_80", "-o", "/dev/null", text.name]
        if cap:
            command.append(f"-maxrregcount={cap}")
        run = subprocess.run(command, capture_output=True, text=True,
                             check=False)
    found, kernel, spills = {}, None, 0
    for line in run.stderr.splitlines():
        if match := re.search(r"Compiling entry function '([^']+)'", line):
            kernel, spills = match.group(1), 0
        elif match := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill",
                                line):
            spills += int(match.group(1)) + int(match.group(2))
        elif (match := re.search(r"Used (\d+) registers", line)) and kernel:
            found[kernel] = (int(match.group(1)), spills)
            kernel = None
    return found


def estimates(program, file):
    run = subprocess.run([program, str(file)], capture_output=True, text=True,
                         check=False)
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    return {line["kernel"]: line for line in lines}


def collect(program, ptxas, directory):
    """One row for each kernel; those with the same numbers in one file (the
    instantiations of one template) count once."""
    rows, unreadable = [], 0
    for file in sorted(pathlib.Path(directory).glob("*.ptx")):
        told = estimates(program, file)
        truth = {cap: ask_ptxas(ptxas, file, cap) for cap in (0, *CAPS)}
        if truth[0] and not told:
            unreadable += 1
        seen = set()
        for kernel in sorted(set(told) & set(truth[0])):
            row = dict(told[kernel], truth=truth[0][kernel][0],
                       truth_spills=[truth[cap].get(kernel, (0, None))[1]
                                     for cap in CAPS])
            del row["kernel"]
            key = json.dumps(row, sort_keys=True)
            if key not in seen:
                seen.add(key)
                rows.append(row)
    return rows, unreadable


def ranks(values):
    """Ranks from 0; equal values share their mean."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    result, i = [0.0] * len(values), 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] == values[order[i]]:
            j += 1
        for k in range(i, j + 1):
            result[order[k]] = (i + j) / 2
        i = j + 1
    return result


def spearman(a, b):
    if len(set(a)) < 2 or len(set(b)) < 2:
        return None
    return round(statistics.correlation(ranks(a), ranks(b)), 3)


def summary(rows):
    errors = sorted(abs(r["registers"] - r["truth"]) for r in rows)
    result = {
        "kernels": len(rows),
        "median_absolute_error": statistics.median(errors),
        "ninetieth_percentile": errors[len(errors) * 9 // 10],
        "spearman": spearman([r["registers"] for r in rows],
                             [r["truth"] for r in rows]),
        "spills": {},
    }
    for at, cap in enumerate(CAPS):
        told = [(r["spills"][at], r["truth_spills"][at]) for r in rows
                if r["truth_spills"][at] is not None]
        # Where neither spills there is nothing to rank.
        both = [(e, t) for e, t in told if e or t]
        result["spills"][str(cap)] = {
            "kernels_that_spill": sum(t > 0 for _, t in both),
            "predicted_to_spill": sum(e > 0 for e, _ in both),
            "rightly": sum(e > 0 and t > 0 for e, t in both),
            "kernels": len(told),
            "spearman_all": spearman([e for e, _ in told],
                                     [t for _, t in told]),
            "spearman_where_either_spills": spearman(
                [e for e, _ in both], [t for _, t in both]),
        }
    return result


def main(arguments):
    if len(arguments) not in (4, 6):
        sys.exit(__doc__ + "\nusage: accuracy.py <catt-registers> <ptxas> "
                 "<directory of .ptx> [--write F]")
    rows, unreadable = collect(*arguments[1:4])
    if not rows:
        sys.exit("no kernel was both estimated and assembled")
    result = summary(rows)
    result["files_not_read"] = unreadable
    text = json.dumps(result, indent=2)
    print(text)
    if len(arguments) == 6:
        pathlib.Path(arguments[5]).write_text(
            json.dumps(dict(result, rows=rows)) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
