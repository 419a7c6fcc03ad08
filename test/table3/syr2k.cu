//===- syr2k.cu - SYR2K of the CATT paper's table 3 ------------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C = alpha (A B^T + B A^T) + beta C, 2048 x 2048, float, blocks of 32 x 8.
//
//===----------------------------------------------------------------------===//
#define N 2048
#define M 2048
#define ALPHA 12435.0f
#define BETA 4546.0f

// #1, loop 1: the lanes of a warp share row i and walk 32 rows j.
__global__ void syr2k_kernel(float *a, float *b, float *c) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < N && j < N) {
    c[i * N + j] *= BETA;
    for (int k = 0; k < M; k++) {
      c[i * N + j] += ALPHA * a[i * M + k] * b[j * M + k] +
                      ALPHA * b[i * M + k] * a[j * M + k];
    }
  }
}

void syr2k(float *a, float *b, float *c) {
  dim3 block(32, 8);
  dim3 grid((N + 31) / 32, (N + 7) / 8);
  syr2k_kernel<<<grid, block>>>(a, b, c);
}
