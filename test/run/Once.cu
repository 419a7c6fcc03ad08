//===- Once.cu - Kernels that a program launches once ----------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Four kernels, each launched once over a grid of many waves: what a program
// gains that finds out in parts of the grid what is faster.
//
//   rows      each thread adds up a row
//   planes    the same in a grid of two dimensions
//   chosen    two rows, where data says so: here for all threads
//   lengths   rows whose lengths are data: here 3 elements of 64
//
//   nvcc -O3 -std=c++17 -arch=native Once.cu -o once; ./once [rows]
//
// Prints, for each kernel, what its launch took (from the call until the device
// was done), and a checksum, which is the same for equal bits.
//
//===----------------------------------------------------------------------===//
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

__global__ void rows(const float *A, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float s = 0;
  for (int j = 0; j < m; ++j)
    s += A[(size_t)i * m + j];
  y[i] = s;
}

__global__ void planes(const float *A, float *y, int m) {
  size_t i =
      ((size_t)blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = 0; j < m; ++j)
    s = s * 0.5f + A[i * m + j];
  y[i] = s;
}

__global__ void chosen(const float *A, const int *length, float *y, int n,
                       int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  if (i < n && length[i] > 0)
    for (int j = 0; j < m; ++j)
      s += A[(size_t)i * m + j] * A[(size_t)(n - 1 - i) * m + j];
  if (i < n)
    y[i] = s;
}

__global__ void lengths(const float *A, const int *length, float *y, int n,
                        int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float s = 0;
  const int count = length[i];
  for (int j = 0; j < count; ++j)
    s += A[(size_t)i * m + j];
  y[i] = s;
}

__global__ void fill(float *A, size_t count) {
  const size_t step = (size_t)gridDim.x * blockDim.x;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
    A[i] = (float)(i % 1009) * 0.25f;
}

static void require(cudaError_t error) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "once: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

/// Begins now, and tells what it took until the device has nothing to do.
struct Clock {
  using Now = std::chrono::steady_clock;
  const char *const name;
  const float *const result;
  const size_t count;
  const Now::time_point begin = Now::now();
  ~Clock() {
    require(cudaDeviceSynchronize());
    const std::chrono::duration<double, std::milli> ms = Now::now() - begin;
    std::vector<unsigned> bits(count);
    require(cudaMemcpy(bits.data(), result, count * sizeof(float),
                       cudaMemcpyDeviceToHost));
    unsigned sum = 0;
    for (unsigned each : bits)
      sum = sum * 31 + each;
    std::printf("%s: %.3f ms, checksum %08x\n", name, ms.count(), sum);
  }
};

int main(int argc, char **argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1 << 26, m = 64;
  const std::vector<int> three(n, 3);
  float *A, *y;
  int *length;
  require(cudaMalloc(&A, (size_t)n * m * sizeof(float)));
  require(cudaMalloc(&y, n * sizeof(float)));
  require(cudaMalloc(&length, n * sizeof(int)));
  require(cudaMemcpy(length, three.data(), n * sizeof(int),
                     cudaMemcpyHostToDevice));
  fill<<<1024, 256>>>(A, (size_t)n * m);
  require(cudaDeviceSynchronize());
  const int blocks = (n + 255) / 256;
  {
    Clock clock{"rows", y, (size_t)n};
    rows<<<blocks, 256>>>(A, y, n, m);
  }
  {
    Clock clock{"planes", y, (size_t)n};
    planes<<<dim3(32, n / (32 * 256)), 256>>>(A, y, m);
  }
  {
    Clock clock{"chosen", y, (size_t)n};
    chosen<<<blocks, 256>>>(A, length, y, n, m);
  }
  {
    Clock clock{"lengths", y, (size_t)n};
    lengths<<<blocks, 256>>>(A, length, y, n, m);
  }
  require(cudaDeviceSynchronize());
}
