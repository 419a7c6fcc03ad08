//===- gesummv.cu - y = alpha A x + beta B x -------------------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every thread walks one row of A and the same row of B:
//
//        j ->                       lanes of a warp stand one below the other,
//   i    a a a a a a a ...          M floats apart: one load of A touches 32
//   |    a a a a a a a ...          cache lines, one of B another 32. Each line
//   v    a a a a a a a ...          serves 32 iterations, if it lives so long.
//
//   nvcc -O3 -arch=native gesummv.cu -o gesummv
//   ./gesummv [rows]                default 131072; M columns, -DM= changes it
//
// All inputs are small integers, so that every sum is exact in float in any
// order, and the result is compared for equality.
//
//===----------------------------------------------------------------------===//
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#ifndef M
#define M 4096 // columns
#endif
#define BLOCK 256
#define ALPHA 2.0f
#define BETA 3.0f

__global__ void gesummv(const float *A, const float *B, const float *x,
                        float *y, float *tmp, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    for (int j = 0; j < M; j++) {
      tmp[i] += A[i * M + j] * x[j];
      y[i] += B[i * M + j] * x[j];
    }
    y[i] = ALPHA * tmp[i] + BETA * y[i];
  }
}

#define CUDA(call)                                                             \
  do {                                                                         \
    cudaError_t status = (call);                                               \
    if (status != cudaSuccess) {                                               \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                  \
                   cudaGetErrorString(status));                                \
      std::exit(1);                                                            \
    }                                                                          \
  } while (0)

// An integer in [-3, 3] that looks random and is the same everywhere.
static float value(unsigned k) {
  k *= 2654435761u;
  k ^= k >> 15;
  k *= 2246822519u;
  k ^= k >> 13;
  return static_cast<float>(k % 7) - 3;
}

// The matrices repeat a pattern of this many rows: the host needs to compute
// only so many, and still checks every row. A prime, so that it is out of step
// with blocks and warps.
constexpr int Period = 509;

static std::vector<float> pattern(unsigned seed) {
  std::vector<float> rows(size_t(Period) * M);
  for (size_t k = 0; k < rows.size(); k++)
    rows[k] = value(seed + unsigned(k));
  return rows;
}

static float *uploadRepeated(const std::vector<float> &rows, int n) {
  float *device;
  CUDA(cudaMalloc(&device, size_t(n) * M * sizeof(float)));
  for (int i = 0; i < n; i += Period) {
    size_t count = size_t(n - i < Period ? n - i : Period) * M;
    CUDA(cudaMemcpy(device + size_t(i) * M, rows.data(), count * sizeof(float),
                    cudaMemcpyHostToDevice));
  }
  return device;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? std::atoi(argv[1]) : 131072;
  if (n < 1 || n > 2147483647 / M) {
    std::fprintf(stderr, "usage: gesummv [rows, 1 to %d]\n", 2147483647 / M);
    return 1;
  }

  std::vector<float> a = pattern(1), b = pattern(77777777), x(M), y(n);
  for (int j = 0; j < M; j++)
    x[j] = value(99 + j);
  float *dA = uploadRepeated(a, n), *dB = uploadRepeated(b, n);
  float *dX, *dY, *dTmp;
  CUDA(cudaMalloc(&dX, M * sizeof(float)));
  CUDA(cudaMalloc(&dY, n * sizeof(float)));
  CUDA(cudaMalloc(&dTmp, n * sizeof(float)));
  CUDA(cudaMemcpy(dX, x.data(), M * sizeof(float), cudaMemcpyHostToDevice));

  cudaEvent_t start, stop;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&stop));
  float ms = 0;
  for (int run = 0; run < 2; run++) { // the first one warms up
    CUDA(cudaMemset(dY, 0, n * sizeof(float)));
    CUDA(cudaMemset(dTmp, 0, n * sizeof(float)));
    CUDA(cudaEventRecord(start));
    gesummv<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(dA, dB, dX, dY, dTmp, n);
    CUDA(cudaEventRecord(stop));
    CUDA(cudaGetLastError());
    CUDA(cudaEventSynchronize(stop));
    CUDA(cudaEventElapsedTime(&ms, start, stop));
  }
  CUDA(cudaMemcpy(y.data(), dY, n * sizeof(float), cudaMemcpyDeviceToHost));

  int wrong = 0;
  for (int r = 0; r < Period && r < n; r++) {
    double ax = 0, bx = 0;
    for (int j = 0; j < M; j++) {
      ax += double(a[size_t(r) * M + j]) * x[j];
      bx += double(b[size_t(r) * M + j]) * x[j];
    }
    for (int i = r; i < n; i += Period)
      wrong += y[i] != float(ALPHA * ax + BETA * bx);
  }
  std::printf("gesummv: %d x %d, %.3f ms, %s\n", n, M, ms,
              wrong ? "WRONG" : "OK");
  CUDA(cudaFree(dA));
  CUDA(cudaFree(dB));
  CUDA(cudaFree(dX));
  CUDA(cudaFree(dY));
  CUDA(cudaFree(dTmp));
  return wrong != 0;
}
