#!/usr/bin/env python3
# ===- run_gpu_test.py - Samples beside their rewrites --------------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Runs the prepared samples and their rewrites; needs the NVIDIA driver and
python3, and uses compute-sanitizer where it is.

  run [--out DIR] [--samples A,B] [--seconds 60] [--minutes 30] [--repeat 3]
      [--no-sanitizer]

Every pair must print the same, and leave the same bits in every buffer. The
results are DIR/gpu-test.json; the exit code is 0 if nothing differs, 1 if
something does or fails, 2 if there is no GPU.
"""
import argparse
import datetime
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOOLS = ("memcheck", "racecheck", "synccheck")
TIMES = re.compile(r"[0-9.]+(?= ms)|\([0-9.]+(?: \+ [0-9.]+)+\)")


def machine():
    query = "name,driver_version,compute_cap,memory.total,clocks.max.sm"
    facts = {"date": datetime.datetime.now(datetime.timezone.utc)
             .date().isoformat()}
    smi = shutil.which("nvidia-smi")
    if not smi:
        return None
    answer = subprocess.run([smi, f"--query-gpu={query}",
                             "--format=csv,noheader"],
                            capture_output=True, text=True, timeout=120)
    if answer.returncode != 0:
        return None
    facts.update(zip(query.split(","), answer.stdout.splitlines()[0].split(", ")))
    return facts


def execute(command, seconds, carve_out, record=None):
    """(exit code, output); 124 if the time limit was reached."""
    environment = dict(os.environ)
    environment.pop("CATT_RECORD", None)
    environment.pop("CATT_CARVEOUT", None)
    if record:
        environment["CATT_RECORD"] = str(record)
    if carve_out:
        environment["CATT_CARVEOUT"] = carve_out
    try:
        done = subprocess.run(command, capture_output=True, text=True,
                              env=environment, timeout=seconds,
                              stdin=subprocess.DEVNULL, errors="replace")
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return 124, "time limit"


def milliseconds(output):
    """The time that a sample prints of itself."""
    found = re.search(r"([0-9.]+) ms", output)
    return float(found[1]) if found else None


def observe(job, options):
    """What a program prints and records in one run."""
    program, arguments, carve_out = job
    command = [str(HERE / "bin" / program), *arguments.split()]
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record"
        status, output = execute(command, options.seconds, carve_out, record)
        text = record.read_text() if record.exists() else ""
    return {"status": status, "output": output.strip(), "record": text}


def observe_all(jobs, options, deadline):
    """All of them, several at a time: nothing is timed here."""
    def one(job):
        if time.monotonic() > deadline:
            return None
        return observe(job, options)

    with ThreadPoolExecutor(options.parallel) as pool:
        return dict(zip(jobs, pool.map(one, jobs)))


def clock(job, options, cache):
    """Milliseconds that a program prints of itself, one run after another."""
    program, arguments, carve_out = job
    if job not in cache:
        command = [str(HERE / "bin" / program), *arguments.split()]
        outputs = [execute(command, options.seconds, carve_out)[1]
                   for _ in range(options.repeat)]
        cache[job] = [ms for text in outputs
                      if (ms := milliseconds(text)) is not None]
    return cache[job]


def jobs_of(run, arguments):
    """The two programs of a pair, and how they are started."""
    return [(run[which], arguments, run["carve_out"])
            for which in ("original", "rewrite")]


def compare(run, arguments, seen):
    """One row of the table; None if time ran out before."""
    original, rewrite = (seen[job] for job in jobs_of(run, arguments))
    if original is None or rewrite is None:
        return None
    same_text = TIMES.sub("", original["output"]) == \
        TIMES.sub("", rewrite["output"])
    row = {key: run[key] for key in ("sample", "plans", "flags", "kind",
                                     "carve_out", "changed", "splits")}
    row.update(arguments=arguments, output=rewrite["output"],
               status=[original["status"], rewrite["status"]],
               buffers=len(re.findall("^(?:copy|free)", original["record"],
                                      re.M)),
               equal=bool(original["record"]) and same_text
               and original["record"] == rewrite["record"]
               and original["status"] == rewrite["status"] == 0)
    return row


def add_times(row, run, options, cache):
    """Times at the default size, of pairs that differ."""
    if row["arguments"] or run["kind"] != "large" or not run["changed"]:
        return
    times = [clock(job, options, cache) for job in jobs_of(run, "")]
    if all(times):
        row["original_ms"], row["rewrite_ms"] = map(statistics.median, times)
        row["all_ms"] = times
        row["speed_up"] = round(row["original_ms"] / row["rewrite_ms"], 3)


def check(sanitizer, tool, program, arguments, seconds):
    """What one of compute-sanitizer's tools says: "0" or what it found."""
    status, output = execute(
        [sanitizer, "--tool", tool, "--error-exitcode", "99",
         str(HERE / "bin" / program), *arguments.split()], seconds, None)
    summary = re.findall(r"(?:ERROR|RACECHECK) SUMMARY: ([^\n(]*)", output)
    if status == 0 and summary:
        return "0"
    if summary and status in (99, 1):
        return summary[-1].strip() + f" (exit code {status})"
    return f"exit code {status}: {output[-300:]}"


def sanitize(runs, options):
    """{(program, arguments): {tool: finding}} for all small runs."""
    found = shutil.which("compute-sanitizer")
    for place in ("/usr/local/cuda/bin/compute-sanitizer",):
        found = found or (place if Path(place).is_file() else None)
    if options.no_sanitizer or not found:
        return None
    wanted = sorted({(run[which], arguments) for run in runs
                     if run["kind"] == "small" for arguments in run["arguments"]
                     for which in ("original", "rewrite")})
    jobs = [(program, arguments, tool) for program, arguments in wanted
            for tool in TOOLS]
    with ThreadPoolExecutor(options.parallel) as pool:
        said = pool.map(lambda job: check(found, job[2], job[0], job[1],
                                          4 * options.seconds), jobs)
        results = {}
        for (program, arguments, tool), text in zip(jobs, said):
            results.setdefault((program, arguments), {})[tool] = text
    return results


def add_findings(row, run, findings):
    """What the sanitizer says of the rewrite, and whether that is new."""
    if findings is None or run["kind"] != "small":
        return
    of = [findings[(run[which], row["arguments"])]
          for which in ("original", "rewrite")]
    row["sanitizer"] = {"original": of[0], "rewrite": of[1]}
    row["clean"] = all(of[1][tool] == "0" or of[1][tool] == of[0][tool]
                       for tool in TOOLS)


def print_table(rows):
    print(f"{'sample':15}{'plans':27}{'size':22}{'splits':>6} {'equal':6}"
          f"{'original':>10}{'rewrite':>10}{'speed-up':>9}  sanitizer")
    for row in rows:
        size = " ".join(filter(None, (row["flags"], row["arguments"]))) or "default"
        times = (f"{row['original_ms']:10.3f}{row['rewrite_ms']:10.3f}"
                 f"{row.get('speed_up', 0):9.2f}" if "original_ms" in row
                 else f"{'':29}")
        clean = {True: "clean", False: "FINDINGS", None: ""}[row.get("clean")]
        print(f"{row['sample']:15}{','.join(row['plans']):27}{size:22}"
              f"{row['splits']:6} {'yes' if row['equal'] else 'NO':6}{times}"
              f"  {clean if row['changed'] else clean + ' unchanged'}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="gpu-test-results")
    parser.add_argument("--seconds", type=float, default=60,
                        help="limit of one program")
    parser.add_argument("--minutes", type=float, default=30,
                        help="limit of everything")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--parallel", type=int, default=6,
                        help="programs at a time, where nothing is timed")
    parser.add_argument("--samples", type=lambda text: text.split(","))
    parser.add_argument("--no-sanitizer", action="store_true")
    options = parser.parse_args()
    deadline = time.monotonic() + options.minutes * 60
    plan = json.loads((HERE / "plan.json").read_text())
    facts = machine()
    if not facts:
        print("run: nvidia-smi finds no GPU", file=sys.stderr)
        return 2
    directory = Path(options.out)
    directory.mkdir(parents=True, exist_ok=True)
    result = {"machine": facts, "tool": plan["tool"], "arch": plan["arch"],
              "gpu": plan["gpu"], "broken": plan["broken"], "rows": []}
    runs = [run for run in plan["runs"]
            if not options.samples or run["sample"] in options.samples]
    pairs = [(run, arguments) for run in runs
             for arguments in run["arguments"]]
    jobs = list(dict.fromkeys(job for pair in pairs for job in jobs_of(*pair)))
    seen = observe_all(jobs, options, deadline)
    findings = sanitize(runs, options)
    kept = []
    for run, arguments in pairs:
        if row := compare(run, arguments, seen):
            add_findings(row, run, findings)
            kept.append((row, run))
    rows = result["rows"] = [row for row, _ in kept]
    path = directory / "gpu-test.json"
    path.write_text(json.dumps(result, indent=1) + "\n")
    late, cache = len(pairs) - len(rows), {}
    # The plan for the card first: it is what people would run.
    for row, run in sorted(kept, key=lambda k: "card" not in k[0]["plans"]):
        if time.monotonic() < deadline:
            add_times(row, run, options, cache)
    path.write_text(json.dumps(result, indent=1) + "\n")
    print_table(rows)
    bad = [r for r in rows if not r["equal"] or r.get("clean") is False]
    for row in bad:
        print(f"run: {row['sample']} {row['plans']} {row['arguments']}: "
              f"{row['status']} {row['output'][-200:]} "
              f"{row.get('sanitizer', '')}")
    print(f"run: {len(rows)} pairs, {len(rows) - len(bad)} equal and clean, "
          f"{late} not run for lack of time, {len(plan['broken'])} not prepared;"
          f" sanitizer {'not used' if findings is None else 'used'}")
    return 1 if bad or late or plan["broken"] else 0


if __name__ == "__main__":
    sys.exit(main())
