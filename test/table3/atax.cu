//===- atax.cu - ATAX of the CATT paper's table 3 --------------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// y = A^T (A x), 40960 x 40960, float. The launch is the one of the paper's
// figure 1: 80 * 4 blocks, twice as many threads as rows.
//
//===----------------------------------------------------------------------===//
#define NX 40960
#define NY 40960

// #1, loop 1: one row per thread.
__global__ void atax_kernel1(float *A, float *x, float *tmp) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < NX) {
    for (int j = 0; j < NY; j++) {
      tmp[i] += A[i * NY + j] * x[j];
    }
  }
}

// #2, loop 2: one column per thread.
__global__ void atax_kernel2(float *A, float *y, float *tmp) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < NY) {
    for (int i = 0; i < NX; i++) {
      y[j] += A[i * NY + j] * tmp[i];
    }
  }
}

void atax(float *A, float *x, float *y, float *tmp) {
  atax_kernel1<<<80 * 4, 256>>>(A, x, tmp);
  atax_kernel2<<<80 * 4, 256>>>(A, y, tmp);
}
