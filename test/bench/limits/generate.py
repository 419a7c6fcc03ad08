#!/usr/bin/env python3
# ===- generate.py - Kernels for what a plan may not cost ------------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Writes programs that time one kernel each.

    generate.py DIR
    catt-rewrite --gpu=h200 DIR/registers/h05.cu >h05.cu
    nvcc -O3 -arch=native h05.cu -o h05 && ./h05

registers/: rows are walked while 8 to 200 values stay in registers, which limit
the blocks on an SM. Printed are the median of 7 times in ms and a checksum.

rules/: one or three walks over short or long rows; the blocks of the grid are an
argument, so that what is written holds a rule. With few blocks the kernel stays
whole, and the rule shows what it costs. Printed is the median of 41 times of ten
launches in ms.
"""

import pathlib
import random
import sys

HEAD = """#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>
"""


def registers(number, chance):
    held = chance.choice(
        [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 180, 200])
    walks = chance.randint(1, 3)
    block = chance.choice([64, 96, 128, 192, 256, 320, 384, 512, 768, 1024])
    row = chance.choice([512, 1024, 2048])
    grid = 132 * max(1, 2048 // block) * chance.choice([1, 2])
    rows = range(walks)
    take = ", ".join(f"const float *__restrict__ A{w}" for w in rows)
    give = ", ".join(f"A[{w}]" for w in rows)
    sums = "\n".join(f"  float s{w} = 0;" for w in rows)
    steps = "\n".join(f"    s{w} += A{w}[i * {row} + j] * x[j];" for w in rows)
    total = " + ".join(f"s{w}" for w in rows)
    return f"""{HEAD}__global__ void __launch_bounds__({block}) heavy{number}({take}, const float *__restrict__ x, float *y) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float acc[{held}];
#pragma unroll
  for (int k = 0; k < {held}; ++k)
    acc[k] = float(k + i);
{sums}
  for (int j = 0; j < {row}; ++j) {{
{steps}
    float a = x[j];
#pragma unroll
    for (int k = 0; k < {held}; ++k)
      acc[k] = acc[k] * a + float(j);
  }}
  float s = {total};
#pragma unroll
  for (int k = 0; k < {held}; ++k)
    s += acc[k];
  y[i] = s;
}}
int main() {{
  size_t n = size_t({grid}) * {block};
  float *A[{walks}], *x, *y;
  for (auto &a : A) {{ cudaMalloc(&a, n * {row} * 4); cudaMemset(a, 0x3c, n * {row} * 4); }}
  cudaMalloc(&x, 4 * {row}); cudaMalloc(&y, 4 * n);
  cudaMemset(x, 0x3d, 4 * {row});
  std::vector<float> times;
  cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b);
  for (int r = 0; r < 7; ++r) {{
    cudaEventRecord(a);
    heavy{number}<<<{grid}, {block}>>>({give}, x, y);
    cudaEventRecord(b); cudaEventSynchronize(b);
    float ms; cudaEventElapsedTime(&ms, a, b); times.push_back(ms);
  }}
  std::sort(times.begin(), times.end());
  std::vector<unsigned> h(n); cudaMemcpy(h.data(), y, n * 4, cudaMemcpyDeviceToHost);
  unsigned long long sum = 0; for (unsigned v : h) sum = sum * 31 + v;
  printf("%.4f %llx %s\\n", times[3], sum, cudaGetErrorString(cudaGetLastError()));
}}
"""


def rules(number, row, loops, block):
    walks = "\n".join(
        f"""  float s{n} = 0;
  for (int j = 0; j < {row}; ++j)
    s{n} += A[i * {row} + j] * x[j] + C[i * {row} + j];
  y[i] += s{n};""" if n % 2 == 0 else f"""  float s{n} = 0;
  for (int j = 0; j < {row}; ++j)
    s{n} = fmaxf(s{n}, A[i * {row} + j] - C[i * {row} + j]);
  y[i] += s{n};""" for n in range(loops))
    return f"""{HEAD}__global__ void walk{number}(const float *__restrict__ A, const float *__restrict__ C, const float *__restrict__ x, float *y) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
{walks}
}}
int main(int argc, char **argv) {{
  int grid = atoi(argv[1]);
  size_t n = size_t(grid) * {block};
  float *A, *C, *x, *y;
  cudaMalloc(&A, n * {row} * 4); cudaMemset(A, 0x3c, n * {row} * 4);
  cudaMalloc(&C, n * {row} * 4); cudaMemset(C, 0x3c, n * {row} * 4);
  cudaMalloc(&x, 4 * {row}); cudaMalloc(&y, 4 * n); cudaMemset(y, 0, 4 * n);
  cudaMemset(x, 0x3d, 4 * {row});
  std::vector<float> times;
  cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b);
  for (int r = 0; r < 41; ++r) {{
    cudaEventRecord(a);
    for (int k = 0; k < 10; ++k) walk{number}<<<grid, {block}>>>(A, C, x, y);
    cudaEventRecord(b); cudaEventSynchronize(b);
    float ms; cudaEventElapsedTime(&ms, a, b); times.push_back(ms);
  }}
  std::sort(times.begin(), times.end());
  printf("%.5f %s\\n", times[20], cudaGetErrorString(cudaGetLastError()));
}}
"""


def main(directory):
    root = pathlib.Path(directory)
    for kind in ("registers", "rules"):
        (root / kind).mkdir(parents=True, exist_ok=True)
    chance = random.Random(16)
    for number in range(26):
        (root / f"registers/h{number:02}.cu").write_text(registers(number, chance))
    shapes = [(row, loops, block) for row in (64, 2048) for loops in (1, 3)
              for block in (64, 256, 1024)]
    for number, shape in enumerate(shapes):
        (root / f"rules/w{number:02}.cu").write_text(rules(number, *shape))


main(*sys.argv[1:])
