# ===- scene.py - What the tests of the language server share -----------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""A kernel that contends, one that does not, and a test with a directory."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from client import Client

SERVER, REWRITE = sys.argv[1:3]

# A row for each thread: 32 lanes touch 32 lines, and every line is used by 32
# iterations. 64 warps of an sm_80 touch 4 times what its L1 holds.
KERNEL = """\
__global__ void {name}(const float *A, const float *x, float *y) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < 4096; ++j)
    sum += A[i * 4096 + j] * x[j];
  y[i] = sum;
}}
"""
LAUNCH = """\
void launch{name}(const float *A, const float *x, float *y) {{
  {name}<<<320, 256>>>(A, x, y);
}}
"""
ROWS = KERNEL.format(name="rows") + LAUNCH.format(name="rows")
# Threads along y, and no launch in sight: nothing to decide by.
UNKNOWN = KERNEL.format(name="rows").replace("threadIdx.x", "threadIdx.y")
FOR = 3  # the line of the loop, from 0
FINE = """\
__global__ void fine(const float *a, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 64; ++j)
    b[i + 65536 * j] = a[i + 65536 * j];
}
void run(const float *a, float *b) { fine<<<320, 256>>>(a, b); }
"""
# Walks rows, and keeps so many values that one block fits on an SM.
HEAVY = """\
__global__ void heavy(const float *A, const float *x, float *y, float *t) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float acc[150];
#pragma unroll
  for (int k = 0; k < 150; ++k)
    acc[k] = float(k + i);
  for (int j = 0; j < 4096; ++j) {
    t[i] += A[i * 4096 + j] * x[j];
    y[i] += A[i * 4096 + j + 2] * x[j];
#pragma unroll
    for (int k = 0; k < 150; ++k)
      acc[k] = acc[k] * x[j] + float(j);
  }
#pragma unroll
  for (int k = 0; k < 150; ++k)
    y[i] += acc[k];
}
void run(const float *A, const float *x, float *y, float *t) {
  heavy<<<1056, 256>>>(A, x, y, t);
}
"""
SPLIT = "refactor.rewrite.catt.split-warp-groups"
KERNEL_KIND = "refactor.rewrite.catt.kernel"
FILE_KIND = "refactor.rewrite.catt.file"


class ServerTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.directory = pathlib.Path(self.scratch.name).resolve()

    def path(self, name="k.cu"):
        return self.directory / name

    def client(self, **arguments):
        return Client(SERVER, **arguments)

    def command_line(self, path, text, *options):
        """What catt-rewrite prints for the text."""
        path.write_text(text, newline="")
        done = subprocess.run(
            [REWRITE, "--gpu=sm_80", "--model=catt", "--no-cuda", *options,
             str(path)],
            capture_output=True, check=True)
        return done.stdout.decode()

    def one(self, actions, kind):
        found = [a for a in actions if a["kind"] == kind]
        self.assertEqual(len(found), 1, (kind, actions))
        return found[0]


def main():
    """Runs the tests of the script whose arguments these are."""
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
