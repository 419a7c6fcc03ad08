//===- stencil.cu - seven points in three dimensions -----------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To be left alone: each thread walks along z, so that the lanes of a warp read
// neighbouring words, and a whole SM full of warps needs a few lines per row.
//
//   nvcc -O3 -arch=native stencil.cu -o stencil
//   ./stencil [n]                   default 256: n x n x n points
//
// Inputs are small integers and the weights are powers of two, so that every
// sum is exact in float in any order; every point is compared for equality.
//
//===----------------------------------------------------------------------===//
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define INDEX(x, y, z) (((z) * n + (y)) * n + (x))

__global__ void stencil(const float *in, float *out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
    return;
  for (int z = 1; z < n - 1; z++)
    out[INDEX(x, y, z)] =
        0.5f * in[INDEX(x, y, z)] +
        0.125f * (in[INDEX(x - 1, y, z)] + in[INDEX(x + 1, y, z)] +
                  in[INDEX(x, y - 1, z)] + in[INDEX(x, y + 1, z)] +
                  in[INDEX(x, y, z - 1)] + in[INDEX(x, y, z + 1)]);
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
  const int n = argc > 1 ? std::atoi(argv[1]) : 256;
  if (n < 3 || n > 1290) {
    std::fprintf(stderr, "usage: stencil [n, 3 to 1290]\n");
    return 1;
  }

  std::vector<float> in(size_t(n) * n * n);
  for (size_t k = 0; k < in.size(); k++)
    in[k] = value(unsigned(k), 100);
  float *dIn = upload(in), *dOut;
  CUDA(cudaMalloc(&dOut, in.size() * sizeof(float)));
  CUDA(cudaMemset(dOut, 0, in.size() * sizeof(float)));

  cudaEvent_t start, stop;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&stop));
  dim3 threadsPerBlock(32, 8);
  dim3 numBlocks((n + threadsPerBlock.x - 1) / threadsPerBlock.x,
                 (n + threadsPerBlock.y - 1) / threadsPerBlock.y);
  float ms = 0;
  for (int run = 0; run < 2; run++) { // the first one warms up
    CUDA(cudaEventRecord(start));
    stencil<<<numBlocks, threadsPerBlock>>>(dIn, dOut, n);
    CUDA(cudaEventRecord(stop));
    CUDA(cudaGetLastError());
    CUDA(cudaEventSynchronize(stop));
    CUDA(cudaEventElapsedTime(&ms, start, stop));
  }

  const std::vector<float> out = download(dOut, in.size());
  int wrong = 0;
  for (int z = 0; z < n; z++)
    for (int y = 0; y < n; y++)
      for (int x = 0; x < n; x++) {
        float expected = 0; // the boundary stays as it was
        if (x > 0 && y > 0 && z > 0 && x < n - 1 && y < n - 1 && z < n - 1)
          expected = in[INDEX(x, y, z)] / 2 +
                     (in[INDEX(x, y, z - 1)] + in[INDEX(x, y, z + 1)] +
                      in[INDEX(x, y - 1, z)] + in[INDEX(x, y + 1, z)] +
                      in[INDEX(x - 1, y, z)] + in[INDEX(x + 1, y, z)]) /
                         8;
        wrong += out[INDEX(x, y, z)] != expected;
      }
  std::printf("stencil: %d x %d x %d, %.3f ms, %s\n", n, n, n, ms,
              wrong ? "WRONG" : "OK");
  CUDA(cudaFree(dIn));
  CUDA(cudaFree(dOut));
  return wrong != 0;
}
