//===- corr.cu - correlation of the columns of a data matrix ---*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Four kernels: mean and standard deviation of each column, centring, and the
// correlation of every pair of columns. The last one gives column j1 with all
// later ones to one thread: each pass over j2 reads M-wide rows again, one line
// per row and warp. No number of warps makes that fit, so the loop is to be
// left alone: what it needs is another algorithm.
//
//   nvcc -O3 -arch=native corr.cu -o corr && ./corr
//   nvcc -O3 -arch=native -DM=512 -DN=512 corr.cu               (another size)
//
// Compared with a double-precision reference: |difference| <= 1e-3, on
// correlations between -1 and 1.
//
//===----------------------------------------------------------------------===//
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#ifndef M
#define M 2048 // variables: columns
#endif
#ifndef N
#define N 2048 // observations: rows
#endif
#define EPSILON 0.005f

__global__ void corr_mean(float *mean, const float *data) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < M) {
    mean[j] = 0.0f;
    for (int i = 0; i < N; i++)
      mean[j] += data[i * M + j];
    mean[j] /= N;
  }
}

__global__ void corr_stddev(const float *mean, float *stddev,
                            const float *data) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < M) {
    stddev[j] = 0.0f;
    for (int i = 0; i < N; i++)
      stddev[j] += (data[i * M + j] - mean[j]) * (data[i * M + j] - mean[j]);
    stddev[j] = sqrtf(stddev[j] / N);
    if (stddev[j] <= EPSILON) // a constant column correlates with nothing
      stddev[j] = 1.0f;
  }
}

__global__ void corr_centre(const float *mean, const float *stddev,
                            float *data) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < N && j < M) {
    data[i * M + j] -= mean[j];
    data[i * M + j] /= sqrtf(float(N)) * stddev[j];
  }
}

__global__ void corr_pairs(float *symmat, const float *data) {
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

// One column, centred and scaled to length 1, in double.
static std::vector<double> unitColumn(const std::vector<float> &data, int j) {
  std::vector<double> column(N);
  double mean = 0, square = 0;
  for (int i = 0; i < N; i++)
    mean += data[size_t(i) * M + j];
  mean /= N;
  for (int i = 0; i < N; i++) {
    column[i] = data[size_t(i) * M + j] - mean;
    square += column[i] * column[i];
  }
  double deviation = std::sqrt(square / N);
  if (deviation <= EPSILON)
    deviation = 1;
  for (double &x : column)
    x /= std::sqrt(double(N)) * deviation;
  return column;
}

int main() {
  // Columns of noise, each with a share of its left neighbour, so that the
  // correlations differ; column 1 is constant.
  std::vector<float> data(size_t(N) * M);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      float &x = data[size_t(i) * M + j];
      x = value(unsigned(i) * M + j, 8);
      if (j == 1)
        x = 4;
      else if (j > 1)
        x += data[size_t(i) * M + j - 1] / 2;
    }

  float *dMean, *dStddev, *dSymmat, *dData = upload(data);
  CUDA(cudaMalloc(&dMean, M * sizeof(float)));
  CUDA(cudaMalloc(&dStddev, M * sizeof(float)));
  CUDA(cudaMalloc(&dSymmat, size_t(M) * M * sizeof(float)));

  cudaEvent_t start, stop;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&stop));
  CUDA(cudaEventRecord(start));
  dim3 block, grid; // one pair for all launches, set before each
  block = dim3(256);
  grid = dim3((M + 255) / 256);
  corr_mean<<<grid, block>>>(dMean, dData);
  corr_stddev<<<grid, block>>>(dMean, dStddev, dData);
  block = dim3(32, 8);
  grid = dim3((M + 31) / 32, (N + 7) / 8);
  corr_centre<<<grid, block>>>(dMean, dStddev, dData);
  block = dim3(256);
  grid = dim3((M + 255) / 256);
  corr_pairs<<<grid, block>>>(dSymmat, dData);
  CUDA(cudaEventRecord(stop));
  CUDA(cudaGetLastError());
  CUDA(cudaEventSynchronize(stop));
  float ms = 0;
  CUDA(cudaEventElapsedTime(&ms, start, stop));

  // Four columns against all others, on both sides of the diagonal.
  const std::vector<float> symmat = download(dSymmat, size_t(M) * M);
  double worst = 0;
  for (int j1 : {0, 1, M / 2, M - 2}) {
    const std::vector<double> first = unitColumn(data, j1);
    for (int j2 = 0; j2 < M - 1; j2++) {
      const std::vector<double> second = unitColumn(data, j2);
      double expected = 0;
      for (int i = 0; i < N; i++)
        expected += first[i] * second[i];
      if (j1 == j2)
        expected = 1;
      worst =
          std::fmax(worst, std::fabs(symmat[size_t(j1) * M + j2] - expected));
      worst =
          std::fmax(worst, std::fabs(symmat[size_t(j2) * M + j1] - expected));
    }
  }
  const bool ok = worst <= 1e-3; // false for NaN, too
  std::printf("corr: %d x %d, %.3f ms, %s (largest difference %.1e)\n", M, N,
              ms, ok ? "OK" : "WRONG", worst);
  CUDA(cudaFree(dData));
  CUDA(cudaFree(dMean));
  CUDA(cudaFree(dStddev));
  CUDA(cudaFree(dSymmat));
  return ok ? 0 : 1;
}
