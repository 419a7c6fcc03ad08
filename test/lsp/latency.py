#!/usr/bin/env python3
# ===- latency.py - How long an editor waits -------------------------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Measures a catt-lsp on a generated file of 500 lines, kernel by kernel, with
<cuda_runtime.h>, <cstdio> and <vector> included, or on a file that is there. Prints one table row for each
thing that an editor waits for, and the server's memory over the edits.

usage: latency.py <catt-lsp> [--edits N] [--lines N | --file FILE] [--gpu NAME]
                  [--toolkit]
"""

import argparse
import os
import pathlib
import statistics
import tempfile
import time

from client import CAPABILITIES, Client

HEAD = "#include <cstdio>\n#include <cuda_runtime.h>\n#include <vector>\n"
# Every third kernel contends for the cache.
ROWS = """\

__global__ void rows{n}(const float *A, const float *x, float *y, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {{
    float sum = 0;
    for (int j = 0; j < 4096; ++j)
      sum += A[i * 4096 + j] * x[j];
    y[i] = sum;
  }}
}}
void launchRows{n}(const float *A, const float *x, float *y) {{
  rows{n}<<<320, 256>>>(A, x, y, 81920);
}}
"""
COLUMNS = """\

__global__ void columns{n}(const float *A, float *y, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int j = 0; j < 64; ++j)
    y[i] += A[i + 65536 * j];
}}
void launchColumns{n}(const float *A, float *y) {{
  columns{n}<<<256, 256>>>(A, y, 65536);
}}
"""


def generate(lines):
    text, n = HEAD, 0
    while text.count("\n") < lines - 13:
        text += (COLUMNS if n % 3 else ROWS).format(n=n)
        n += 1
    return text


def rss_mib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return float("nan")


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1]
    user, system = fields.split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def row(name, seconds):
    ms = sorted(1000 * s for s in seconds)
    print(f"| {name} | {len(ms)} | {statistics.median(ms):.0f} | "
          f"{ms[int(0.95 * (len(ms) - 1))]:.0f} | {ms[-1]:.0f} |")


class Session:
    """Types into the middle of the file and takes the time."""

    def __init__(self, client, path, text):
        self.c, self.text = client, text
        lines = text.split("\n")
        self.loops = [n for n, line in enumerate(lines)
                      if line.lstrip().startswith("for (")]
        self.target = self.loops[len(self.loops) // 2]
        begin = time.monotonic()
        self.uri = client.open(path, text)
        client.diagnostics(self.uri)
        self.first = time.monotonic() - begin

    def type(self, character):
        """Seconds from a keystroke in a comment line to the diagnostics."""
        place = {"line": self.target, "character": 0}
        end = {"line": self.target, "character": 0 if character else 1}
        begin = time.monotonic()
        self.c.change(self.uri, [({"start": place, "end": end}, character)])
        self.c.diagnostics(self.uri)
        return time.monotonic() - begin

    def timed(self, call):
        begin = time.monotonic()
        call()
        return time.monotonic() - begin

    def requests(self):
        whole = {"start": {"line": 0, "character": 0},
                 "end": {"line": 10000, "character": 0}}
        document = {"textDocument": {"uri": self.uri}}
        calls = {
            "code actions on a loop":
                lambda: self.c.actions(self.uri, self.target),
            "hover on a loop": lambda: self.c.hover(self.uri, self.target),
            "inlay hints of the file": lambda: self.c.call(
                "textDocument/inlayHint", {**document, "range": whole}),
            "code lenses of the file": lambda: self.c.call(
                "textDocument/codeLens", document),
        }
        for name, call in calls.items():
            row(name, [self.timed(call) for _ in range(50)])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("server")
    parser.add_argument("--edits", type=int, default=1000)
    parser.add_argument("--lines", type=int, default=500)
    parser.add_argument("--file", type=pathlib.Path)
    parser.add_argument("--gpu", default="h200")
    parser.add_argument("--toolkit", action="store_true",
                        help="the CUDA toolkit instead of the built-in headers")
    arguments = parser.parse_args()
    text = (arguments.file.read_text() if arguments.file
            else generate(arguments.lines))
    print(f"{text.count(chr(10))} lines, {text.count('__global__')} kernels, "
          f"load {pathlib.Path('/proc/loadavg').read_text().split()[0]}\n")
    options = {"gpu": arguments.gpu, "noCuda": not arguments.toolkit}
    with tempfile.TemporaryDirectory() as scratch, \
            Client(arguments.server, CAPABILITIES, options) as c:
        path = pathlib.Path(scratch) / "k.cu"
        s = Session(c, path, text)
        print("| what | times | median ms | 95 % ms | longest ms |")
        print("|---|---|---|---|---|")
        row("diagnostics after opening", [s.first])
        seconds, memory = [], []
        before = cpu_seconds(c.server.pid)
        for edit in range(arguments.edits):
            seconds.append(s.type("" if edit % 2 else " "))
            memory.append(rss_mib(c.server.pid))
            c.heard.clear()
            c.transcript.clear()
        cpu = cpu_seconds(c.server.pid) - before
        row("diagnostics after a keystroke (100 ms of rest included)", seconds)
        s.requests()
        tenth = max(1, len(memory) // 10)
        print(f"\nCPU time: {1000 * cpu / len(seconds):.0f} ms an edit")
        print(f"memory: {memory[0]:.0f} MiB after the first edit, "
              f"{statistics.median(memory[tenth:2 * tenth] or memory):.0f} MiB "
              f"after a tenth, {memory[-1]:.0f} MiB after {len(memory)}, "
              f"{max(memory):.0f} MiB at most")


if __name__ == "__main__":
    main()
