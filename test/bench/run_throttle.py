#!/usr/bin/env python3
# ===- run_throttle.py - Measures a prepared sweep ------------------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Runs the prepared sweep; needs the NVIDIA driver and python3, nothing else.

  run [--out DIR] [--cases A,B] [--l1d default,max,28] [--passes 2] [--runs 7]
      [--minutes M] [--ncu]

Resumable: what DIR/throttle.jsonl holds already is not measured again. The
sweep runs as a process of its own; if a launch hangs, the process ends itself,
the case is noted as failed, and the next one goes on. At the end, or whenever
time is up, DIR/throttle.json holds everything that was measured.
"""
import argparse
import csv
import datetime
import io
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAM = HERE / "throttle"
METRICS = {
    "l1tex__t_sector_hit_rate.pct": "l1_hit_percent",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "l1_load_sectors",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "l1_load_requests",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum":
        "l1_missed_sectors",
    "lts__t_sectors_srcunit_tex.sum": "l2_sectors",
    "dram__bytes.sum": "dram_bytes",
    "gpu__time_duration.sum": "duration_ns",
    "smsp__inst_executed.sum": "instructions",
    # Cycles that a warp waits for loads, for each instruction.
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio":
        "load_stall",
}
# Kernels of the program that are no benchmarks.
HELPERS = ("fillNumbers", "countDifferences", "countResident", "chase")


def read_lines(path):
    """The objects of a file of JSON lines; a line cut short counts as none."""
    if not path.exists():
        return []
    rows = []
    for line in path.read_text().splitlines():
        try:
            rows.append(json.loads(line))
        except ValueError:
            pass
    return rows


def finished(rows):
    return {row["end"] for row in rows if "end" in row}


def machine():
    """What the GPU is, and what drives it."""
    facts = {}
    found = subprocess.run([PROGRAM, "--device"], capture_output=True, text=True,
                           timeout=120)
    if found.returncode == 0:
        facts.update(json.loads(found.stdout))
    else:
        sys.exit("run: no GPU that can be used: " + found.stderr.strip())
    if shutil.which("nvidia-smi"):
        query = "driver_version,clocks.max.sm,clocks.max.mem,power.limit"
        answer = subprocess.run(
            ["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"],
            capture_output=True, text=True, timeout=60)
        if answer.returncode == 0:
            first = answer.stdout.splitlines()[0].split(", ")
            facts.update(zip(query.split(","), first))
    built = HERE / "built-with"
    if built.exists():
        facts["built_with"] = built.read_text().strip()
    facts["date"] = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    return facts


def one_pass(number, cases, options, directory, deadline):
    """Measures the cases that this pass lacks. False if time ran out."""
    log = directory / f"pass{number}.jsonl"
    failed = set()
    while True:
        rows = read_lines(log)
        left = [c for c in cases if c not in finished(rows) and c not in failed]
        if not left:
            return True
        seconds = deadline - time.monotonic()
        if seconds < 5:
            return False
        # A case that was begun and not ended is measured afresh.
        keep = [r for r in rows if next(
            r[k] for k in ("case", "begin", "end", "failed") if k in r)
            not in left]
        log.write_text("".join(json.dumps(r) + "\n" for r in keep))
        command = [PROGRAM, f"--cases={','.join(left)}", f"--pass={number}",
                   f"--l1d={options.l1d}", f"--runs={options.runs}",
                   f"--seconds={options.seconds}", f"--out={log}"]
        try:
            status = subprocess.run(command, timeout=seconds).returncode
        except subprocess.TimeoutExpired:
            return False
        rows = read_lines(log)
        open_cases = [r["begin"] for r in rows if "begin" in r
                      and r["begin"] not in finished(rows)]
        if status == 0:
            continue
        if not open_cases:
            sys.exit(f"run: the sweep ended with {status} before any case")
        failed.add(open_cases[-1])
        print(f"run: {open_cases[-1]} failed with {status}", flush=True)
        with open(log, "a") as out:
            out.write(json.dumps({"failed": open_cases[-1],
                                  "status": status}) + "\n")


def join(cases, passes, directory, facts):
    """One object per case, its points with the medians of all passes."""
    table = {name: dict(about, points=[]) for name, about in cases.items()}
    points = {}
    for number in range(1, passes + 1):
        for row in read_lines(directory / f"pass{number}.jsonl"):
            if "failed" in row:
                table[row["failed"]]["failed"] = row["status"]
            if "median_ms" not in row:
                continue
            key = (row["case"], row["l1d"], row["warps"], row["blocks"])
            point = points.setdefault(key, dict(row, medians_ms=[], ms=[]))
            point["medians_ms"].append(row["median_ms"])
            point["ms"].append(row["ms"])
            point["equal"] = point["equal"] and row["equal"]
    for (case, *_), point in points.items():
        for field in ("case", "pass"):
            point.pop(field)
        medians = point["medians_ms"]
        point["median_ms"] = round(sum(medians) / len(medians), 5)
        table[case]["points"].append(point)
    return {"machine": facts, "cases": [c for c in table.values() if c["points"]
                                        or "failed" in c]}


def add_choices(result, chosen):
    """What the tool and the paper's rule chose when this was prepared."""
    for case in result["cases"]:
        if case["case"] in chosen:
            case["choices"] = chosen[case["case"]]


def best(points):
    return min(points, key=lambda p: p["median_ms"])


def print_table(result):
    print(f"{'case':34}{'L1D':>8}{'original':>10}{'best':>9}{'gain':>7}"
          f"   at (warps x blocks)  equal")
    for case in result["cases"]:
        for l1d in ("default", "max", "28"):
            points = [p for p in case["points"] if p["l1d"] == l1d]
            base = [p for p in points if p["original"]]
            if not base:
                continue
            top = best(points)
            print(f"{case['case']:34}{l1d:>8}{base[0]['median_ms']:10.3f}"
                  f"{top['median_ms']:9.3f}"
                  f"{base[0]['median_ms'] / top['median_ms']:7.2f}"
                  f"   {top['warps']:4} x {top['blocks_seen']}"
                  f"{'':12}{'yes' if all(p['equal'] for p in points) else 'NO'}")


def hit_rates(result, deadline):
    """ncu's counters for the originals and the best points, at the largest and
    the smallest L1D, in one run of the program."""
    ncu = shutil.which("ncu")
    if not ncu:
        print("run: no ncu, no hit rates")
        return
    table, names = {}, []
    for case in result["cases"]:
        for point in case["points"]:
            table[(case["case"], point["l1d"], point["warps"],
                   point["blocks"])] = point
        if case["group"] == "contended" and case["points"]:
            names += [key_of(case, best([p for p in case["points"]
                                         if p["l1d"] == l1d]))
                      for l1d in ("max", "28")]
    cases = ",".join(dict.fromkeys(name.split(":")[0] for name in names))
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "points"
        command = [ncu, "--clock-control", "none", "--csv", "--page", "raw",
                   "--metrics", ",".join(METRICS), str(PROGRAM), "--runs=0",
                   f"--cases={cases}", "--l1d=max,28",
                   f"--points={','.join(names)}", f"--out={log}"]
        try:
            answer = subprocess.run(
                command, capture_output=True, text=True,
                timeout=max(1, deadline - time.monotonic())).stdout
        except subprocess.TimeoutExpired as late:
            answer = (late.stdout or b"").decode(errors="replace")
        rows = [r for r in read_lines(log) if "median_ms" in r]
    for row, counters in zip(rows, counted(answer)):
        table[(row["case"], row["l1d"], row["warps"],
               row["blocks"])]["counters"] = counters


def key_of(case, point):
    """The name of a point, as --points takes it."""
    block = case["block"][0] * case["block"][1] * case["block"][2]
    warps = 0 if point["warps"] * 32 == block else point["warps"]
    return f"{case['case']}:{point['l1d']}:{warps}:{point['blocks']}"


def counted(answer):
    """The counters of each launch of a benchmark, in order."""
    lines = [x for x in answer.splitlines() if x.startswith('"')]
    for row in csv.DictReader(io.StringIO("\n".join(lines))):
        kernel = row.get("Kernel Name") or ""
        if not kernel or any(helper in kernel for helper in HELPERS):
            continue  # the row of units, and what is no benchmark
        yield {name: float(row[metric].replace(",", ""))
               for metric, name in METRICS.items() if row.get(metric)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="throttle-results")
    parser.add_argument("--cases", default="all")
    parser.add_argument("--l1d", default="default,max,28")
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=5,
                        help="limit of one launch")
    parser.add_argument("--minutes", type=float, default=60,
                        help="limit of everything")
    parser.add_argument("--ncu", action="store_true",
                        help="hit rates of the original and of the best point")
    options = parser.parse_args()
    deadline = time.monotonic() + options.minutes * 60
    directory = Path(options.out)
    directory.mkdir(parents=True, exist_ok=True)
    listed = subprocess.run([PROGRAM, "--list"], capture_output=True, text=True,
                            check=True).stdout
    cases = {c["case"]: c for c in map(json.loads, listed.splitlines())}
    wanted = list(cases) if options.cases == "all" else options.cases.split(",")
    if unknown := [c for c in wanted if c not in cases]:
        sys.exit(f"run: there is no case {', '.join(unknown)}; there are: "
                 + " ".join(cases))
    facts = machine()
    complete = all([one_pass(n, wanted, options, directory, deadline)
                    for n in range(1, options.passes + 1)])
    result = join(cases, options.passes, directory, facts)
    result["complete"] = complete
    chosen = HERE / "choices.json"
    if chosen.exists():
        add_choices(result, json.loads(chosen.read_text()))
    path = directory / "throttle.json"
    if options.ncu:
        path.write_text(dump(result))
        hit_rates(result, deadline)
    path.write_text(dump(result))
    print_table(result)
    print(f"run: {'complete' if complete else 'NOT complete, run again'}; "
          f"results in {path}")
    differs = any(not p["equal"] for c in result["cases"] for p in c["points"])
    failed = any("failed" in c for c in result["cases"])
    return 1 if differs or failed or not complete else 0


def dump(result):
    """JSON with one point a line, so that files can be compared by eye."""
    text = ['{"machine": ' + json.dumps(result["machine"]),
            f' "complete": {json.dumps(result.get("complete"))}', ' "cases": [']
    cases = []
    for case in result["cases"]:
        about = {k: v for k, v in case.items() if k != "points"}
        rows = ",\n    ".join(json.dumps(p) for p in case["points"])
        cases.append(f'  {json.dumps(about)[:-1]},\n   "points": [\n'
                     f'    {rows}]}}')
    return ",\n".join(text[:2]) + ",\n" + text[2] + "\n" + ",\n".join(cases) \
        + "]}\n"


if __name__ == "__main__":
    sys.exit(main())
