#!/usr/bin/env python3
# ===- long_file.py - A CUDA file of any length ----------------------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""usage: long_file.py <pairs> > file.cu

Prints so many pairs of kernels, one that walks rows and one that does not, each
launched once: 25 lines a pair. docs/performance.md measures the tool on it.
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


def main():
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit(__doc__)
    print("#include <cuda_runtime.h>\n#include <cstdio>")
    for k in range(int(sys.argv[1])):
        print(PAIR.format(k=k, columns=4096 + 32 * k, stride=65536 + k), end="")


main()
