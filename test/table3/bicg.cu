//===- bicg.cu - BICG of the CATT paper's table 3 --------------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// s = A^T r and q = A p, 40960 x 40960, float; launched as ATAX is.
//
//===----------------------------------------------------------------------===//
#define NX 40960
#define NY 40960

// #1, loop 1: one column per thread.
__global__ void bicg_kernel1(float *A, float *r, float *s) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < NY) {
    s[j] = 0.0f;
    for (int i = 0; i < NX; i++) {
      s[j] += A[i * NY + j] * r[i];
    }
  }
}

// #2, loop 2: one row per thread.
__global__ void bicg_kernel2(float *A, float *p, float *q) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < NX) {
    q[i] = 0.0f;
    for (int j = 0; j < NY; j++) {
      q[i] += A[i * NY + j] * p[j];
    }
  }
}

void bicg(float *A, float *r, float *s, float *p, float *q) {
  dim3 block(256, 1);
  dim3 grid(80 * 4, 1);
  bicg_kernel1<<<grid, block>>>(A, r, s);
  bicg_kernel2<<<grid, block>>>(A, p, q);
}
