#!/usr/bin/env python3
# ===- run_spill.py - Measures prepared ways to keep under a cap ----- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Measures every prepared point; needs the driver, no toolkit.

  run [--out DIR] [--runs 15] [--passes 2] [--seconds 330] [--ncu]
  run --sanitize [--out DIR] [--seconds 1800] [--case-seconds 90] [--blocks 8]
      [--kernels A,B]

Writes DIR/spill.json: per case its points, each with the least median of all
passes and whether its output is that of the default, bit for bit. A case that
hangs or fails costs its own points only. --ncu adds the bytes of local memory
and the accesses of shared memory of every point, if ncu is there.

--sanitize measures nothing. It runs the points that catt-rewrite made under
memcheck, racecheck and initcheck of compute-sanitizer, one process per case and
tool, and launches the first blocks of each dimension only (racecheck slows a
kernel down a hundredfold). Writes DIR/sanitizers.json: per case and tool how
many of its points ran, the errors, how many outputs differ from the default's,
and why the process failed if it did. What a process printed stays in
DIR/CASE.TOOL.log.
"""
import argparse
import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import sweep

HERE = Path(__file__).resolve().parent
OURS = ("chosen", "spill-shared", "rematerialize", "both")
SANITIZERS = ("memcheck", "racecheck", "initcheck")
FOUND = 99  # exit code of compute-sanitizer where it found something
METRICS = {"l1tex__t_bytes_pipe_lsu_mem_local_op_ld.sum": "local_load_bytes",
           "l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum": "local_store_bytes",
           "smsp__inst_executed_op_shared_ld.sum": "shared_loads",
           "smsp__inst_executed_op_shared_st.sum": "shared_stores"}


def rows_of(log):
    """The whole lines: a program that is stopped may leave half of one."""
    return [json.loads(line) for line in log.read_text().splitlines(True)
            if line.endswith("}\n")] if log.is_file() else []


def measure(case, log, options, deadline):
    """Whether the program came to its end."""
    limit = min(options.case_seconds, deadline - time.monotonic())
    if limit <= 0:
        print(f"run: no time left for {case}")
        return False
    try:
        return subprocess.run(
            [HERE / "spill", HERE, case, log, str(options.runs),
             str(options.passes)], timeout=limit).returncode == 0
    except subprocess.TimeoutExpired:
        print(f"run: {case} was stopped after {limit:.0f} s")
        return False


def merged(points, rows):
    """The points with what was measured; those that were not are left out."""
    least = {}
    for row in rows:
        row.pop("pass")
        point = least.setdefault(row["point"], row)
        point["equal"] = point["equal"] and row["equal"]
        for key in ("median_ms", "least_ms"):
            point[key] = min(point[key], row[key])
    return [p | least[p.get("same_as", p["point"])] | {"point": p["point"]}
            for p in points if p.get("same_as", p["point"]) in least]


def counters(case, points, out, deadline):
    """ncu's counters, one launch of each point."""
    log = out / f"{case}.counters.jsonl"
    log.unlink(missing_ok=True)
    command = ["ncu", "--csv", "--page", "raw", "-k", f"regex:^{case}$",
               "--metrics", ",".join(METRICS), HERE / "spill", HERE, case, log,
               "0", "1"]
    try:
        answer = subprocess.run(
            command, capture_output=True, text=True,
            timeout=max(1, deadline - time.monotonic())).stdout
    except subprocess.TimeoutExpired as late:
        answer = (late.stdout or b"").decode(errors="replace")
    table = [x for x in answer.splitlines() if x.startswith('"')]
    counted = [row for row in csv.DictReader(io.StringIO("\n".join(table)))
               if row.get("Kernel Name")]
    by_point = {row["point"]: {name: float(seen[metric].replace(",", ""))
                               for metric, name in METRICS.items()
                               if seen.get(metric)}
                for row, seen in zip(rows_of(log), counted)}
    for point in points:
        seen = by_point.get(point.get("same_as", point["point"]))
        if seen:
            point["counters"] = seen


def sanitizer():
    """The path of compute-sanitizer; None if it is not there."""
    places = [os.environ.get("PATH", ""), "/usr/local/cuda/bin",
              "/usr/local/cuda/compute-sanitizer"]
    return shutil.which("compute-sanitizer", path=os.pathsep.join(places))


def status_of(command, log, seconds):
    """The exit code; None if it, and all that it started, had to be stopped."""
    with log.open("w") as said:
        process = subprocess.Popen(list(map(str, command)), stdout=said,
                                   stderr=subprocess.STDOUT,
                                   stdin=subprocess.DEVNULL,
                                   start_new_session=True)
        try:
            return process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return None


def check(program, tool, case, points, options, deadline):
    """What one tool says of a case's points."""
    seconds = min(options.case_seconds, deadline - time.monotonic())
    if seconds <= 0:
        return {"points": 0, "of": len(points), "failed": "no time left"}
    out = Path(options.out)
    log, rows = out / f"{case}.{tool}.log", out / f"{case}.{tool}.jsonl"
    rows.unlink(missing_ok=True)
    status = status_of(
        [program, "--tool", tool, "--error-exitcode", FOUND, HERE / "spill",
         HERE, case, rows, 0, 1, f"--blocks={options.blocks}", *points], log,
        seconds)
    seen = [row for row in rows_of(rows) if row["point"] in points]
    said = log.read_text(errors="replace")
    found = re.findall(r"(?:ERROR|RACECHECK) SUMMARY: (\d+)", said)
    answer = {"points": len(seen), "of": len(points),
              "different": sum(not row["equal"] for row in seen)}
    if status is None:
        return answer | {"failed": f"stopped after {seconds:.0f} s"}
    if not found or status not in (0, FOUND):
        return answer | {
            "failed": f"exit code {status}: " + " ".join(said[-300:].split())}
    # An exit code without an error in the summary is an error all the same.
    return answer | {"errors": max(int(found[-1]), int(status == FOUND))}


def is_clean(answer):
    return answer.get("errors") == 0 and answer["different"] == 0 and \
        answer["points"] == answer["of"]


def sanitize(prepared, options, deadline):
    """Whether every tool came to its end on every case, and found nothing."""
    program = sanitizer()
    if not program:
        print("run: there is no compute-sanitizer on the PATH", file=sys.stderr)
        return False
    results = {"machine": sweep.machine(HERE), "blocks": options.blocks,
               "cases": {}}
    good = True
    for tool in SANITIZERS:
        for case in [c["case"] for c in prepared["cases"]]:
            points = [p["point"] for p in prepared["points"]
                      if p["case"] == case and p["variant"] in OURS and
                      "same_as" not in p]
            if not points or options.kernels and \
                    case not in options.kernels.split(","):
                continue
            began = time.monotonic()
            answer = check(program, tool, case, points, options, deadline)
            good &= is_clean(answer)
            results["cases"].setdefault(case, {})[tool] = answer
            (Path(options.out) / "sanitizers.json").write_text(
                json.dumps(results, indent=1) + "\n")
            said = answer.get("failed") or (
                f"{answer['errors']} errors, {answer['different']} differ")
            print(f"{tool} {case}: {answer['points']} of {answer['of']} "
                  f"points, {said} ({time.monotonic() - began:.0f} s)",
                  flush=True)
    return good and bool(results["cases"])


def show(case):
    print(case["case"])
    default = case["points"][0]["median_ms"]
    for p in case["points"]:
        print(f"  {p['point']:20}registers {p['registers']:4} local "
              f"{p['local_bytes']:5} shared {p['shared_bytes']:6} blocks "
              f"{p['blocks']:3} {p['median_ms']:9.4f} ms "
              f"{default / p['median_ms']:6.3f}"
              f"{'  as ' + p['same_as'] if 'same_as' in p else ''}"
              f"{'' if p['equal'] else '  DIFFERS'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default=".")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--seconds", type=float,
                        help="limit of everything (330; 1800 with --sanitize)")
    parser.add_argument("--case-seconds", type=float, default=90,
                        help="limit of one process")
    parser.add_argument("--ncu", action="store_true")
    parser.add_argument("--sanitize", action="store_true")
    parser.add_argument("--blocks", type=int, default=8, help="of each "
                        "dimension, launched with --sanitize")
    parser.add_argument("--kernels", default="",
                        help="only these, with --sanitize")
    options = parser.parse_args()
    deadline = time.monotonic() + (
        options.seconds or (1800 if options.sanitize else 330))
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    prepared = json.loads((HERE / "points.json").read_text())
    if options.sanitize:
        sys.exit(0 if sanitize(prepared, options, deadline) else 1)
    cases, good = [], True
    for case in prepared["cases"]:
        log = out / f"{case['case']}.jsonl"
        log.unlink(missing_ok=True)
        good &= measure(case["case"], log, options, deadline)
        mine = [p for p in prepared["points"] if p["case"] == case["case"]]
        points = merged(mine, rows_of(log))
        if points:
            cases.append(case | {"points": points})
            show(cases[-1])
    if options.ncu and not shutil.which("ncu"):
        print("run: no ncu, no counters")
    elif options.ncu:
        for case in cases:
            counters(case["case"], case["points"], out, deadline)
    more = {k: v for k, v in prepared.items() if k not in ("cases", "points")}
    (out / "spill.json").write_text(json.dumps(
        {"machine": sweep.machine(HERE)} | more | {"cases": cases},
        indent=1) + "\n")
    sys.exit(0 if good and len(cases) == len(prepared["cases"]) else 1)


if __name__ == "__main__":
    main()
