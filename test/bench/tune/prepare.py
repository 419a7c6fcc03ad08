#!/usr/bin/env python3
# ===- prepare.py - The benchmark loops as programs to tune ---------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Writes each of the throttling benchmark's loops as a program of its own, for
catt-tune, and what measures and judges them all. Needs no GPU.

  prepare.py DIR --list DIR/throttle [--sweep SWEEP.json] [--cases A,B]

DIR/throttle is what `throttle --prepare` makes; it lists the cases and what they
are launched with. The stored sweep tells how often a kernel is to be launched:
for 30 ms by its time as it is written, 3 to 60 times. DIR then holds

  programs/CASE/kernel.cu  the kernel and a launch, the arrays as they were in
                           the sweep, and a sum of the output
  cases.json               the cases
  run                      run.py: tunes all of them on a machine with GPUs
  table                    table.py: judges what came of it
"""
import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
import judge

SWEEP = HERE.parents[2] / "docs" / "results" / "h200-throttle.json"
MILLISECONDS, FEWEST, MOST = 30, 3, 60  # of all launches; their number

MAIN = """int main() {{
  pool::Arrays arrays;
  for (int run = 0; run < {launches}; ++run) {{
    arrays.clear(arrays.{output}, {output_bytes});
    {kernel}<<<dim3({grid}), dim3({block})>>>({values});
  }}
  return arrays.finish(arrays.{output}, {output_bytes});
}}
"""


def name_of(case):
    """The case as the name of a folder."""
    return case["case"].replace("/", "-")


def original_ms(swept):
    return next(p["median_ms"] for p in swept["points"]
                if p["original"] and p["l1d"] == "default")


def launches_of(ms):
    return min(MOST, max(FEWEST, -(-MILLISECONDS // ms)))


def numbers(shape):
    return ", ".join(map(str, shape))


def kernels_of(case):
    """The text of the case's source up to its last kernel."""
    text = judge.load_throttle().shown(case)
    end = text.index("\n}\n", text.rindex("__global__ "))
    return text[:end].replace('"../Harness.h"', '"../Pool.h"') + \
        "\n}\n\n} // namespace\n\n"


def program(case, launches):
    """The text of the program."""
    values = [f"arrays.{v}" if v.startswith(("in ", "out ")) else v
              for v in case["values"]]
    return kernels_of(case) + MAIN.format(
        launches=int(launches), kernel=case["kernel"],
        grid=numbers(case["grid"]), block=numbers(case["block"]),
        values=", ".join(values), output=case["output"],
        output_bytes=case["output_bytes"])


def prepare(into, cases, sweep):
    programs = into / "programs"
    programs.mkdir(parents=True, exist_ok=True)
    for header in (HERE / "Pool.h", HERE.parent / "Fill.h"):
        shutil.copy(header, programs)
    swept = {c["case"]: c for c in sweep["cases"]}
    about = []
    for case in cases:
        ms = original_ms(swept[case["case"]])
        launches = launches_of(ms)
        folder = programs / name_of(case)
        folder.mkdir(exist_ok=True)
        text = program(case, launches)
        (folder / "kernel.cu").write_text(text)
        about.append({"case": case["case"], "name": name_of(case),
                      "kernel": case["kernel"].split("<")[0],
                      "group": case["group"], "launches": int(launches),
                      "ms": ms, "loops": loops_of(case, text),
                      "points": swept[case["case"]]["points"]})
    (into / "cases.json").write_text(json.dumps(about) + "\n")
    for script in ("run", "table"):
        shutil.copy(HERE / f"{script}.py", into / script)
        (into / script).chmod(0o755)


def loops_of(case, text):
    """How many the kernel's own text has."""
    body = text[text.index(f"__global__ void {case['kernel'].split('<')[0]}("):]
    return body[:body.index("\n}\n")].count("for (")


def main():
    parser = argparse.ArgumentParser(
        description="The benchmark loops as programs to tune.")
    parser.add_argument("into", type=Path, metavar="DIR")
    parser.add_argument("--list", required=True, help="the prepared `throttle`")
    parser.add_argument("--sweep", default=SWEEP, type=Path)
    parser.add_argument("--cases", default="all")
    options = parser.parse_args()
    listed = subprocess.run([options.list, "--list"], capture_output=True,
                            text=True, check=True).stdout
    cases = [json.loads(line) for line in listed.splitlines()]
    if options.cases != "all":
        wanted = options.cases.split(",")
        if unknown := set(wanted) - {c["case"] for c in cases}:
            sys.exit("prepare: there is no case " + ", ".join(sorted(unknown)))
        cases = [c for c in cases if c["case"] in wanted]
    if any("values" not in c for c in cases):
        sys.exit(f"prepare: {options.list} does not list the arguments; prepare "
                 "it again with this repository's `throttle`")
    prepare(options.into, cases, json.loads(options.sweep.read_text()))
    print(f"prepare: {len(cases)} programs in {options.into}; run "
          f"{options.into}/run where the GPU is")


if __name__ == "__main__":
    main()
