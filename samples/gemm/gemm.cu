//===- gemm.cu - C = A B, by tiles in shared memory ------------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To be left alone: every load of A and B is coalesced, each element is read
// once per tile, and the loop waits for all threads of the block at every step,
// so that no warp can run ahead of another.
//
//   nvcc -O3 -arch=native gemm.cu -o gemm
//   ./gemm [n]                      default 2048
//
// All inputs are small integers, so that every sum is exact in float in any
// order, and about 16 rows of the result are compared for equality.
//
//===----------------------------------------------------------------------===//
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

constexpr int Tile = 16;

__global__ void gemm(const float *A, const float *B, float *C, int n) {
  __shared__ float a[Tile][Tile];
  __shared__ float b[Tile][Tile];
  const int row = blockIdx.y * Tile + threadIdx.y;
  const int column = blockIdx.x * Tile + threadIdx.x;

  float sum = 0.0f;
  for (int first = 0; first < n; first += Tile) {
    const int k = first + threadIdx.x, l = first + threadIdx.y;
    a[threadIdx.y][threadIdx.x] = row < n && k < n ? A[row * n + k] : 0.0f;
    b[threadIdx.y][threadIdx.x] =
        l < n && column < n ? B[l * n + column] : 0.0f;
    __syncthreads();
    for (int t = 0; t < Tile; t++)
      sum += a[threadIdx.y][t] * b[t][threadIdx.x];
    __syncthreads();
  }
  if (row < n && column < n)
    C[row * n + column] = sum;
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

int main(int argc, char **argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 2048;
  if (n < 1 || n > 46340) {
    std::fprintf(stderr, "usage: gemm [n, 1 to 46340]\n");
    return 1;
  }

  std::vector<float> a(size_t(n) * n), b(size_t(n) * n);
  for (size_t k = 0; k < a.size(); k++) {
    a[k] = value(unsigned(k), 3);
    b[k] = value(unsigned(k) + 77777777, 3);
  }
  float *dA = upload(a), *dB = upload(b), *dC;
  CUDA(cudaMalloc(&dC, a.size() * sizeof(float)));

  cudaEvent_t start, stop;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&stop));
  const dim3 block(Tile, Tile);
  const dim3 grid((n + Tile - 1) / Tile, (n + Tile - 1) / Tile);
  float ms = 0;
  for (int run = 0; run < 2; run++) { // the first one warms up
    CUDA(cudaEventRecord(start));
    gemm<<<grid, block>>>(dA, dB, dC, n);
    CUDA(cudaEventRecord(stop));
    CUDA(cudaGetLastError());
    CUDA(cudaEventSynchronize(stop));
    CUDA(cudaEventElapsedTime(&ms, start, stop));
  }

  const std::vector<float> c = download(dC, a.size());
  const int step = n <= 64 ? 1 : n / 16 + 1;
  int wrong = 0, checked = 0;
  for (int i = n - 1; i >= 0; i -= step, checked++) {
    std::vector<double> expected(n, 0.0);
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        expected[j] += double(a[size_t(i) * n + k]) * b[size_t(k) * n + j];
    for (int j = 0; j < n; j++)
      wrong += c[size_t(i) * n + j] != float(expected[j]);
  }
  std::printf("gemm: %d x %d, %.3f ms, %s (%d rows checked)\n", n, n, ms,
              wrong ? "WRONG" : "OK", checked);
  CUDA(cudaFree(dA));
  CUDA(cudaFree(dB));
  CUDA(cudaFree(dC));
  return wrong != 0;
}
