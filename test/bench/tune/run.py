#!/usr/bin/env python3
# ===- run.py - Tunes the prepared programs -------------------------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Runs catt-tune on every prepared program, with all points and with few.

  run --tune catt-tune [--out DIR] [--gpus N] [--jobs N] [--minutes 20]
      [--most 8] [--runs 1] [--arch sm_90] [--gpu h200] [--cases A,B]

Needs nvcc, a GPU and python3. First `--bftt` measures every point of a program;
then `--bftt --most=8` says which of them it would have tried, and finds their
times among the results of the first, so that it measures the original and the
comparison at the end alone. Programs are built side by side; on each of N GPUs
one runs at a time, which a lock file sees to.

Resumable: what DIR holds is not measured again. When time is up, searches end
after the variant that they are at. DIR/CASE then has all.json and most.json, as
catt-tune --export writes them, and what it printed.
"""
import argparse
import fcntl
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
STAGES = ("all", "most")
# 0: a variant is better; 1: none is.
FINE = (0, 1)


class Search:
    """The searches of one program."""

    def __init__(self, case, gpu, options):
        self.case, self.gpu, self.options = case, gpu, options
        self.folder = options.out / "programs" / case["name"]

    def put(self):
        """The sources, where no search has left others."""
        if not (self.folder / "kernel.cu").exists():
            shutil.copytree(HERE / "programs" / self.case["name"], self.folder,
                            dirs_exist_ok=True)

    def command(self, stage, seconds):
        o = self.options
        more = [f"--most={o.most}"] if stage == "most" else []
        return [*o.tune, "--bftt", *more,
                f"--build={o.nvcc} -O3 -std=c++17 -arch={o.arch} -o app "
                "kernel.cu",
                f'--run=flock "$BENCH_LOCK" {o.program}', f"--gpu={o.gpu}",
                "--config=none", f"--kernel={self.case['kernel']}",
                f"--runs={o.runs}", f"--budget={max(0, int(seconds))}s",
                "--limit=5m", "--no-diff", f"--export={stage}.new", "kernel.cu",
                "--", "-std=c++17"]

    def environment(self):
        # Loading code is no part of a kernel's time.
        return dict(os.environ, CUDA_VISIBLE_DEVICES=str(self.gpu),
                    CUDA_MODULE_LOADING="EAGER",
                    BENCH_LOCK=str(self.options.out / f"gpu{self.gpu}.lock"))

    def run(self, stage):
        """None, or why there is no result."""
        done = self.folder / f"{stage}.json"
        if done.exists():
            return None
        left = self.options.deadline - time.monotonic()
        if left <= 0:
            return "there was no time for it"
        self.put()
        with open(self.folder / f"{stage}.txt", "w") as out, \
                open(self.folder / f"{stage}.err", "w") as err:
            code = subprocess.run(
                self.command(stage, left), cwd=self.folder, stdout=out,
                stderr=err, env=self.environment()).returncode
        text = (self.folder / f"{stage}.txt").read_text()
        if code not in FINE:
            said = (self.folder / f"{stage}.err").read_text().splitlines()
            return f"catt-tune ended with {code}: {' '.join(said[-1:])}"
        if "The budget ended" in text:
            return "its time was up"
        new = self.folder / f"{stage}.new"
        if not new.exists():
            return "nothing was tried"
        new.rename(done)
        return None


def search(work):
    """Both stages of a program."""
    begun = time.monotonic()
    for stage in STAGES:
        why = work.run(stage)
        if why:
            print(f"run: {work.case['name']}, {stage}: {why}", flush=True)
            return False
    print(f"run: {work.case['name']} in {time.monotonic() - begun:.0f} s",
          flush=True)
    return True


def parse():
    parser = argparse.ArgumentParser(
        description="Tunes the prepared programs.")
    parser.add_argument("--tune", default="catt-tune",
                        help="the command that is catt-tune")
    parser.add_argument("--out", default="tune-results", type=Path)
    parser.add_argument("--gpus", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--most", type=int, default=8)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--gpu", default="h200")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--program", default="./app",
                        help="the command that runs what was built")
    parser.add_argument("--cases", default="all")
    options = parser.parse_args()
    options.tune = shlex.split(options.tune)
    if not (found := shutil.which(options.tune[0])):
        parser.error(f"--tune: there is no program '{options.tune[0]}'")
    options.tune[0] = os.path.abspath(found)
    options.out = options.out.resolve()
    options.deadline = time.monotonic() + 60 * options.minutes
    return options


def main():
    options = parse()
    cases = json.loads((HERE / "cases.json").read_text())
    if options.cases != "all":
        wanted = options.cases.split(",")
        if unknown := set(wanted) - {c["case"] for c in cases}:
            sys.exit("run: there is no case " + ", ".join(sorted(unknown)))
        cases = [c for c in cases if c["case"] in wanted]
    (options.out / "programs").mkdir(parents=True, exist_ok=True)
    for header in (HERE / "programs").glob("*.h"):
        shutil.copy(header, options.out / "programs")
    with open(options.out / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            sys.exit(f"run: another one works in {options.out}")
        work = [Search(case, n % options.gpus, options)
                for n, case in enumerate(cases)]
        # What takes longest begins first.
        work.sort(key=lambda w: -w.case["loops"])
        with ThreadPoolExecutor(options.jobs) as pool:
            fine = list(pool.map(search, work))
    shutil.copy(HERE / "cases.json", options.out)
    print(f"run: {sum(fine)} of {len(fine)} programs; results in {options.out}")
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
