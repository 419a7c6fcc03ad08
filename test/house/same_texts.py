#!/usr/bin/env python3
# ===- same_texts.py - Do two builds write the same? ------------------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Compares what two builds of catt-rewrite write, for a change that is to keep it.

  same_texts.py OLD NEW [--kernels 2000] [--options=-O] [--new-options=-O]

Rewrites the samples, the bench kernels, the inputs of the lit tests and kernels
that catt-fuzz beside NEW generates (half of them contended), and prints the
files whose texts differ but for the hashes of markers. Ends with 1 if any does.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("samples", "test/bench", "test/lit")
HASH = re.compile(r"(catt: (?:done|begin)) [0-9a-f]{6}")
AT_ONCE = 10  # generated kernels in a file


def generated(fuzz, kernels, folder):
    """Files of kernels, which depend on their number alone."""
    for first in range(0, kernels, AT_ONCE):
        kind = ["--contended"] if first // AT_ONCE % 2 else []
        text = subprocess.run(
            [fuzz, *kind, "--print", f"--kernels={AT_ONCE}", "--seed=41",
             f"--first={first}"], capture_output=True, text=True, check=True)
        path = folder / f"generated-{first}.cu"
        path.write_text(text.stdout)
        yield path


def written(tool, options, path):
    run = subprocess.run(
        [tool, "--no-cuda", "--gpu=h200", *options, path, "--"],
        capture_output=True, text=True, errors="replace", check=False)
    return run.returncode, HASH.sub(r"\1", run.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--kernels", type=int, default=2000)
    parser.add_argument("--options", action="append", default=[],
                        help="of both")
    parser.add_argument("--new-options", action="append", default=[])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        files = [f for folder in FOLDERS
                 for f in sorted((ROOT / folder).rglob("*.cu"))]
        files += generated(given.new.resolve().with_name("catt-fuzz"),
                           given.kernels, Path(scratch))

        def same(path):
            return (written(given.old, given.options, path) ==
                    written(given.new, given.options + given.new_options, path))

        with ThreadPoolExecutor(2) as pool:
            differ = [path for path, equal in zip(files, pool.map(same, files))
                      if not equal]
    for path in differ:
        print(f"differs: {path}")
    print(f"{len(files)} files, {len(differ)} differ")
    return bool(differ)


if __name__ == "__main__":
    sys.exit(main())
