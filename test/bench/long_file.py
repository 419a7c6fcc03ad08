#!/usr/bin/env python3
# ===- long_file.py - A CUDA file of any length ----------------------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""usage: long_file.py <pairs> [--run-time] > file.cu

Prints so many pairs of kernels, one that walks rows and one that does not, each
launched once: 25 lines a pair. With --run-time both walk rows, in three loops
after and in one another, and only the run knows any size. docs/performance.md
measures the tool on it.
"""
import sys

PAIR = """
__global__ void rows{k}(const float *A, const float *B, const float *x,
                        float *y, float *z, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {{
    y[i] = 0;
    z[i] = 0;
    for (int j = 0; j < {columns}; ++j) {{
      y[i] += A[i * {columns} + j] * x[j];
      z[i] += B[i * {columns} + j] * x[j];
    }}
    y[i] += z[i];
  }}
}}
__global__ void columns{k}(const float *a, float *b) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < 64; ++j)
    sum += a[i + {stride} * j];
  b[i] = sum;
}}
void run{k}(float *A, float *x, float *y, float *z) {{
  rows{k}<<<1056, 256>>>(A, A + 1, x, y, z, 270336);
  columns{k}<<<320, 256>>>(A, y);
}}
"""

RUN_TIME_PAIR = """
__global__ void after{k}(const float *A, const float *B, float *y, int n,
                         int m) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float top = -1e30f, sum = 0;
  for (int j = 0; j < m; ++j)
    top = fmaxf(top, A[i * m + j]);
  for (int j = 0; j < m; ++j)
    sum += expf(A[i * m + j] - top);
  for (int j = 0; j < m; ++j)
    y[i * m + j] = expf(A[i * m + j] - top) / sum + B[i * m + j] * {k}.5f;
}}
__global__ void within{k}(const float *P, const float *C, float *y, int n,
                          int c, int d, int r) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float best = 1e30f;
  for (int q = 0; q < r; ++q)
    for (int s = 0; s < c; ++s) {{
      float sum = {k};
      for (int j = 0; j < d; ++j) {{
        float t = P[i * d + j] - C[(q * c + s) * d + j];
        sum += t * t;
      }}
      best = fminf(best, sum);
    }}
  y[i] = best;
}}
void run{k}(float *A, float *y, int n, int m, int c, int r) {{
  after{k}<<<(n + 255) / 256, 256>>>(A, A + 1, y, n, m);
  within{k}<<<(n + 127) / 128, 128>>>(A, A + 1, y, n, c, m, r);
}}
"""


def main():
    run_time = sys.argv[2:] == ["--run-time"]
    if len(sys.argv) != 2 + run_time or not sys.argv[1].isdigit():
        sys.exit(__doc__)
    print("#include <cuda_runtime.h>\n#include <cstdio>")
    pair = RUN_TIME_PAIR if run_time else PAIR
    for k in range(int(sys.argv[1])):
        print(pair.format(k=k, columns=4096 + 32 * k, stride=65536 + k), end="")


main()
