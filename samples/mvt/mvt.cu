//===- mvt.cu - x1 += A y1 and x2 += A^T y2 --------------------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same matrix, once along its rows and once along its columns.
//
//   nvcc -O3 -arch=native mvt.cu -o mvt && ./mvt
//   nvcc -O3 -arch=native -DN=40960 mvt.cu                   (the paper's size)
//
// A square matrix has only N rows for N threads: a GPU of many SMs puts few
// blocks on each, and then there may be no contention to remove.
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
#define N 16384
#endif
#define DIV_UP(a, b) (((a) + (b) - 1) / (b))
#define BLOCK_SIZE 256
#define GRID_SIZE DIV_UP(N, BLOCK_SIZE)

__global__ void mvt_kernel1(float *a, float *x1, float *y1) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N)
    for (int j = 0; j < N; j++)
      x1[i] += a[i * N + j] * y1[j];
}

__global__ void mvt_kernel2(float *a, float *x2, float *y2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N)
    for (int j = 0; j < N; j++)
      x2[i] += a[j * N + i] * y2[j];
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

// The matrix repeats a pattern of this many rows: the host needs to compute
// only so many, and still checks everything. A prime, so that it is out of step
// with blocks and warps.
constexpr int Period = 509;

static float *uploadRepeated(const std::vector<float> &rows) {
  float *device;
  CUDA(cudaMalloc(&device, size_t(N) * N * sizeof(float)));
  for (int i = 0; i < N; i += Period) {
    size_t count = size_t(N - i < Period ? N - i : Period) * N;
    CUDA(cudaMemcpy(device + size_t(i) * N, rows.data(), count * sizeof(float),
                    cudaMemcpyHostToDevice));
  }
  return device;
}

static int countWrong(const std::vector<float> &a, const std::vector<float> &y1,
                      const std::vector<float> &y2,
                      const std::vector<float> &x1,
                      const std::vector<float> &x2) {
  std::vector<double> expected(N, 1.0);
  int wrong = 0;
  for (int first = 0; first < Period && first < N; first++) {
    const float *row = &a[size_t(first) * N];
    double dot = 1, weight = 0;
    for (int j = 0; j < N; j++)
      dot += double(row[j]) * y1[j];
    for (int i = first; i < N; i += Period) {
      wrong += x1[i] != float(dot);
      weight += y2[i];
    }
    for (int j = 0; j < N; j++)
      expected[j] += weight * row[j];
  }
  for (int j = 0; j < N; j++)
    wrong += x2[j] != float(expected[j]);
  return wrong;
}

int main() {
  std::vector<float> a(size_t(Period) * N), y1(N), y2(N), ones(N, 1.0f);
  for (size_t k = 0; k < a.size(); k++)
    a[k] = value(unsigned(k), 3);
  for (int j = 0; j < N; j++) {
    y1[j] = value(99 + j, 3);
    y2[j] = value(5555555 + j, 3);
  }
  float *dA = uploadRepeated(a), *dY1 = upload(y1), *dY2 = upload(y2);
  float *dX1 = upload(ones), *dX2 = upload(ones);

  cudaEvent_t start, middle, stop;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&middle));
  CUDA(cudaEventCreate(&stop));
  float ms1 = 0, ms2 = 0;
  for (int run = 0; run < 2; run++) { // the first one warms up
    for (float *x : {dX1, dX2})
      CUDA(cudaMemcpy(x, ones.data(), N * sizeof(float),
                      cudaMemcpyHostToDevice));
    CUDA(cudaEventRecord(start));
    mvt_kernel1<<<GRID_SIZE, BLOCK_SIZE>>>(dA, dX1, dY1);
    CUDA(cudaEventRecord(middle));
    mvt_kernel2<<<GRID_SIZE, BLOCK_SIZE>>>(dA, dX2, dY2);
    CUDA(cudaEventRecord(stop));
    CUDA(cudaGetLastError());
    CUDA(cudaEventSynchronize(stop));
    CUDA(cudaEventElapsedTime(&ms1, start, middle));
    CUDA(cudaEventElapsedTime(&ms2, middle, stop));
  }

  const int wrong = countWrong(a, y1, y2, download(dX1, N), download(dX2, N));
  std::printf("mvt: %d x %d, %.3f ms (%.3f + %.3f), %s\n", N, N, ms1 + ms2, ms1,
              ms2, wrong ? "WRONG" : "OK");
  for (float *pointer : {dA, dX1, dX2, dY1, dY2})
    CUDA(cudaFree(pointer));
  return wrong != 0;
}
