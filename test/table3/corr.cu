//===- corr.cu - CORR of the CATT paper's table 3 --------------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Correlations of the 2048 columns of a 2048 x 2048 matrix, float.
//
//===----------------------------------------------------------------------===//
#define M 2048
#define N 2048
#define EPSILON 0.005f

// #1
__global__ void corr_mean(float *mean, float *data) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < M) {
    mean[j] = 0.0f;
    for (int i = 0; i < N; i++)
      mean[j] += data[i * M + j];
    mean[j] /= N;
  }
}

// #2
__global__ void corr_stddev(float *mean, float *stddev, float *data) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < M) {
    stddev[j] = 0.0f;
    for (int i = 0; i < N; i++)
      stddev[j] += (data[i * M + j] - mean[j]) * (data[i * M + j] - mean[j]);
    stddev[j] = sqrtf(stddev[j] / N);
    if (stddev[j] <= EPSILON)
      stddev[j] = 1.0f;
  }
}

// #3: no loop.
__global__ void corr_reduce(float *mean, float *stddev, float *data) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < N && j < M) {
    data[i * M + j] -= mean[j];
    data[i * M + j] /= sqrtf((float)N) * stddev[j];
  }
}

// #4, loop 1: column j1 with all later ones. The loop over j2 starts elsewhere
// in each thread, so that its body is no place for a barrier.
__global__ void corr_corr(float *symmat, float *data) {
  int j1 = blockIdx.x * blockDim.x + threadIdx.x;
  if (j1 < M - 1) {
    symmat[j1 * M + j1] = 1.0f;
    for (int j2 = j1 + 1; j2 < M; j2++) {
      symmat[j1 * M + j2] = 0.0f;
      for (int i = 0; i < N; i++)
        symmat[j1 * M + j2] += data[i * M + j1] * data[i * M + j2];
      symmat[j2 * M + j1] = symmat[j1 * M + j2];
    }
  }
}

void corr(float *mean, float *stddev, float *data, float *symmat) {
  dim3 columns((M + 255) / 256);
  dim3 line(256);
  dim3 elements((M + 31) / 32, (N + 7) / 8);
  dim3 tile(32, 8);
  corr_mean<<<columns, line>>>(mean, data);
  corr_stddev<<<columns, line>>>(mean, stddev, data);
  corr_reduce<<<elements, tile>>>(mean, stddev, data);
  corr_corr<<<columns, line>>>(symmat, data);
}
