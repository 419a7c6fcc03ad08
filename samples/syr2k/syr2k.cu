//===- syr2k.cu - C = alpha (A B^T + B A^T) + beta C -----------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks of 32 x 8 threads: the 32 lanes of a warp share row i and walk 32
// rows j, of A and of B. The eight warps of a block walk the *same* 32 rows j,
// which a sum over warps counts eight times, and a set of lines once.
//
//   nvcc -O3 -arch=native syr2k.cu -o syr2k && ./syr2k
//   nvcc -O3 -arch=native -DN=512 -DM=256 syr2k.cu              (another size)
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

#ifndef N
#define N 2048
#endif
#ifndef M
#define M 2048
#endif
#define DIM_X 32
#define DIM_Y 8
#define ALPHA 2.0f
#define BETA 3.0f

__global__ void syr2k(const float *a, const float *b, float *c) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if ((i < N) && (j < N)) {
    c[i * N + j] *= BETA;
    for (int k = 0; k < M; k++) {
      c[i * N + j] += ALPHA * a[i * M + k] * b[j * M + k] +
                      ALPHA * b[i * M + k] * a[j * M + k];
    }
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

// An integer in [-range, range] that looks random and is the same everywhere.
static float value(unsigned k, int range) {
  k *= 2654435761u;
  k ^= k >> 15;
  k *= 2246822519u;
  k ^= k >> 13;
  return static_cast<float>(static_cast<int>(k % (2 * range + 1)) - range);
}

template <typename T> static T *upload(const std::vector<T> &host) {
  T *device;
  CUDA(cudaMalloc(&device, host.size() * sizeof(T)));
  CUDA(cudaMemcpy(device, host.data(), host.size() * sizeof(T),
                  cudaMemcpyHostToDevice));
  return device;
}

template <typename T>
static std::vector<T> download(const T *device, size_t count) {
  std::vector<T> host(count);
  CUDA(cudaMemcpy(host.data(), device, count * sizeof(T),
                  cudaMemcpyDeviceToHost));
  return host;
}

int main() {
  std::vector<float> a(size_t(N) * M), b(size_t(N) * M), c(size_t(N) * N);
  for (size_t k = 0; k < a.size(); k++) {
    a[k] = value(unsigned(k), 3);
    b[k] = value(unsigned(k) + 77777777, 3);
  }
  for (size_t k = 0; k < c.size(); k++)
    c[k] = value(unsigned(k) + 5555555, 3);
  float *dA = upload(a), *dB = upload(b), *dC = upload(c);

  dim3 block(DIM_X, DIM_Y);
  dim3 grid((N + DIM_X - 1) / DIM_X, (N + DIM_Y - 1) / DIM_Y);
  cudaEvent_t start, stop;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&stop));
  float ms = 0;
  for (int run = 0; run < 2; run++) { // the first one warms up
    CUDA(cudaMemcpy(dC, c.data(), c.size() * sizeof(float),
                    cudaMemcpyHostToDevice));
    CUDA(cudaEventRecord(start));
    syr2k<<<grid, block>>>(dA, dB, dC);
    CUDA(cudaEventRecord(stop));
    CUDA(cudaGetLastError());
    CUDA(cudaEventSynchronize(stop));
    CUDA(cudaEventElapsedTime(&ms, start, stop));
  }

  // Every row of a small matrix, about 16 rows of a large one: a stride that
  // is out of step with blocks, and always the last row.
  const std::vector<float> got = download(dC, c.size());
  const int step = N <= 64 ? 1 : N / 16 + 1;
  int wrong = 0, checked = 0;
  for (int i = N - 1; i >= 0; i -= step, checked++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < M; k++)
        sum += double(a[size_t(i) * M + k]) * b[size_t(j) * M + k] +
               double(b[size_t(i) * M + k]) * a[size_t(j) * M + k];
      const size_t at = size_t(i) * N + j;
      wrong += got[at] != float(ALPHA * sum + BETA * c[at]);
    }
  std::printf("syr2k: %d x %d, %.3f ms, %s (%d rows checked)\n", N, M, ms,
              wrong ? "WRONG" : "OK", checked);
  CUDA(cudaFree(dA));
  CUDA(cudaFree(dB));
  CUDA(cudaFree(dC));
  return wrong != 0;
}
