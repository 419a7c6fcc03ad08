//===- mvt.cu - MVT of the CATT paper's table 3 ----------------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// x1 += A y1 and x2 += A^T y2, 40960 x 40960, float; launched as ATAX is.
//
//===----------------------------------------------------------------------===//
#define N 40960

// #1, loop 1: one row per thread.
__global__ void mvt_kernel1(float *a, float *x1, float *y1) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    for (int j = 0; j < N; j++) {
      x1[i] += a[i * N + j] * y1[j];
    }
  }
}

// #2, loop 2: one column per thread.
__global__ void mvt_kernel2(float *a, float *x2, float *y2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    for (int j = 0; j < N; j++) {
      x2[i] += a[j * N + i] * y2[j];
    }
  }
}

void mvt(float *a, float *x1, float *x2, float *y1, float *y2) {
  const int Blocks = 80 * 4;
  mvt_kernel1<<<Blocks, 256>>>(a, x1, y1);
  mvt_kernel2<<<Blocks, 256>>>(a, x2, y2);
}
