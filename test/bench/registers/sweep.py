# ===- sweep.py - What the sweeps over machine code share ------------ ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Preparing where a toolkit is, measuring where a GPU is.

  Toolkit       nvcc and ptxas, and what they are called with
  main()        --prepare, or both steps, or "skipped"
  machine()     what a finished sweep says of where it ran

Copied beside the prepared run scripts, which import machine().
"""
import argparse
import datetime
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


class Failure(Exception):
    """One line for the user."""


class Toolkit:
    """The toolkit of CUDA_PATH, of nvcc on the PATH, or where it installs."""

    def __init__(self, root, arch):
        self.root, self.arch = root, arch
        self.nvcc, self.ptxas = root / "bin" / "nvcc", root / "bin" / "ptxas"

    @staticmethod
    def find():
        nvcc = shutil.which("nvcc")
        for root in (os.environ.get("CUDA_PATH"),
                     nvcc and Path(nvcc).resolve().parent.parent,
                     "/usr/local/cuda"):
            if root and (Path(root) / "bin" / "nvcc").is_file():
                return Path(root)
        return None

    def run(self, *words):
        done = subprocess.run(list(map(str, words)), capture_output=True,
                              text=True)
        if done.returncode:
            raise Failure(f"{words[0]} failed with {done.returncode}: "
                          f"{done.stderr.strip()}")
        return done.stdout + done.stderr

    def to_ptx(self, source, ptx, *flags):
        self.run(self.nvcc, "-std=c++17", "-O3", f"-arch={self.arch}", *flags,
                 "-ptx", source, "-o", ptx)

    def assemble(self, ptx, cubin, *flags):
        """What ptxas -v says."""
        return self.run(self.ptxas, "-v", f"-arch={self.arch}", "-O3", *flags,
                        ptx, "-o", cubin)

    def program(self, source, into):
        self.run(self.nvcc, "-std=c++17", "-O3", f"-arch={self.arch}",
                 "-Xcompiler", "-static-libstdc++,-static-libgcc", source,
                 f"-L{self.root}/lib64/stubs", "-lcuda", "-o", into)

    def built_with(self):
        release = self.run(self.nvcc, "--version").split("release ")[-1]
        return f"nvcc {release.split(',')[0]} -O3 -arch={self.arch}"


def has_gpu():
    return bool(shutil.which("nvidia-smi")) and subprocess.run(
        ["nvidia-smi", "-L"], capture_output=True).returncode == 0


def make_run(script, into, toolkit):
    """Puts the run script and what it needs beside the machine code."""
    shutil.copy(script, into / "run")
    shutil.copy(__file__, into / "sweep.py")
    (into / "run").chmod(0o755)
    (into / "built-with").write_text(toolkit.built_with() + "\n")


def main(name, prepare, parser):
    """prepare(options, directory, toolkit) fills the directory."""
    parser.add_argument("--prepare", metavar="DIR")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--if-available", action="store_true")
    options, rest = parser.parse_known_args()

    def prepare_into(directory):
        root = Toolkit.find()
        if not root:
            raise Failure("there is no nvcc: put the CUDA toolkit's bin on the "
                          "PATH, or its root into CUDA_PATH")
        into = Path(directory).resolve()
        into.mkdir(parents=True, exist_ok=True)
        prepare(options, into, Toolkit(root, options.arch))
        print(f"{name}: prepared {into}; run {into}/run where the GPU is")

    try:
        if options.prepare:
            if rest:
                parser.error(f"--prepare takes no {' '.join(rest)}")
            return prepare_into(options.prepare)
        lacking = [what for what, there in (
            ("nvcc", Toolkit.find()), ("a GPU with its driver", has_gpu()))
                   if not there]
        if lacking and options.if_available:
            return print(f"{name}: skipped; missing: {' and '.join(lacking)}")
        if lacking:
            raise Failure(f"missing: {' and '.join(lacking)} (--prepare DIR "
                          "needs only nvcc, DIR/run only the GPU)")
        with tempfile.TemporaryDirectory() as directory:
            prepare_into(directory)
            sys.exit(subprocess.run([directory + "/run", *rest]).returncode)
    except Failure as failure:
        print(f"{name}: {failure}", file=sys.stderr)
        sys.exit(2)


def parser(description, run_script):
    return argparse.ArgumentParser(
        description=description,
        epilog="Everything else is handed to the prepared run script; see "
               f"{run_script} --help.")


def machine(here):
    """The GPU, its driver, what the code was built with, the day."""
    facts = {}
    if has_gpu():
        answer = subprocess.run(
            ["nvidia-smi", "--query-gpu=name,driver_version,clocks.max.sm",
             "--format=csv,noheader"], capture_output=True, text=True)
        facts = dict(zip(("gpu", "driver_version", "clocks.max.sm"),
                         answer.stdout.splitlines()[0].split(", ")))
    facts["built_with"] = (here / "built-with").read_text().strip()
    facts["date"] = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    return facts
