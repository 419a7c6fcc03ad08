//===- gsmv.cu - GSMV of the CATT paper's table 3 --------------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// y = alpha A x + beta B x, 20480 x 20480, float. 80 * 2 blocks: twice as many
// threads as rows, as in the paper's figure 1.
//
//===----------------------------------------------------------------------===//
#define N 20480
#define ALPHA 43532.0f
#define BETA 12313.0f

// #1, loop 1: one row of A and one of B per thread.
__global__ void gesummv_kernel(float *A, float *B, float *x, float *y,
                               float *tmp) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    for (int j = 0; j < N; j++) {
      tmp[i] += A[i * N + j] * x[j];
      y[i] += B[i * N + j] * x[j];
    }
    y[i] = ALPHA * tmp[i] + BETA * y[i];
  }
}

void gesummv(float *A, float *B, float *x, float *y, float *tmp) {
  gesummv_kernel<<<80 * 2, 256>>>(A, B, x, y, tmp);
}
