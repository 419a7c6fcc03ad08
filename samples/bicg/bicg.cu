//===- bicg.cu - q = A p and s = A^T r -------------------------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two products of a BiCGStab step. Here the width of A is a parameter of
// the kernel, as in most programs: how far apart the lanes are is known only to
// the caller.
//
//   nvcc -O3 -arch=native bicg.cu -o bicg
//   ./bicg [rows] [columns]         default 131072 4096
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

constexpr int Threads = 256;

// s[j] = sum over i of r[i] A[i][j]: neighbouring lanes, neighbouring columns.
__global__ void bicg_columns(const float *A, const float *r, float *s, int nx,
                             int ny) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= ny)
    return;
  float sum = 0.0f;
  for (int i = 0; i < nx; i++)
    sum += r[i] * A[i * ny + j];
  s[j] = sum;
}

// q[i] = sum over j of A[i][j] p[j]: one row per thread.
__global__ void bicg_rows(const float *A, const float *p, float *q, int nx,
                          int ny) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nx)
    return;
  for (int j = 0; j < ny; j++)
    q[i] += A[i * ny + j] * p[j];
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

// A repeats a pattern of this many rows: the host needs to compute only so
// many, and still checks everything. A prime, so that it is out of step with
// blocks and warps.
constexpr int Period = 509;

static float *uploadRepeated(const std::vector<float> &rows, int nx, int ny) {
  float *device;
  CUDA(cudaMalloc(&device, size_t(nx) * ny * sizeof(float)));
  for (int i = 0; i < nx; i += Period) {
    size_t count = size_t(nx - i < Period ? nx - i : Period) * ny;
    CUDA(cudaMemcpy(device + size_t(i) * ny, rows.data(), count * sizeof(float),
                    cudaMemcpyHostToDevice));
  }
  return device;
}

static int countWrong(const std::vector<float> &a, const std::vector<float> &p,
                      const std::vector<float> &r, const std::vector<float> &q,
                      const std::vector<float> &s) {
  const int nx = int(r.size()), ny = int(p.size());
  std::vector<double> expected(ny, 0.0);
  int wrong = 0;
  for (int first = 0; first < Period && first < nx; first++) {
    const float *row = &a[size_t(first) * ny];
    double dot = 0, weight = 0;
    for (int j = 0; j < ny; j++)
      dot += double(row[j]) * p[j];
    for (int i = first; i < nx; i += Period) {
      wrong += q[i] != float(dot);
      weight += r[i];
    }
    for (int j = 0; j < ny; j++)
      expected[j] += weight * row[j];
  }
  for (int j = 0; j < ny; j++)
    wrong += s[j] != float(expected[j]);
  return wrong;
}

int main(int argc, char **argv) {
  const int nx = argc > 1 ? std::atoi(argv[1]) : 131072;
  const int ny = argc > 2 ? std::atoi(argv[2]) : 4096;
  if (nx < 1 || ny < 1 || ny > 2147483647 / nx) {
    std::fprintf(stderr, "usage: bicg [rows] [columns], at most 2^31 - 1 "
                         "elements\n");
    return 1;
  }

  std::vector<float> a(size_t(Period) * ny), p(ny), r(nx);
  for (size_t k = 0; k < a.size(); k++)
    a[k] = value(unsigned(k), 3);
  for (int j = 0; j < ny; j++)
    p[j] = value(99 + j, 3);
  for (int i = 0; i < nx; i++)
    r[i] = value(5555 + i, 3);
  float *dA = uploadRepeated(a, nx, ny), *dP = upload(p), *dR = upload(r);
  float *dQ, *dS;
  CUDA(cudaMalloc(&dQ, nx * sizeof(float)));
  CUDA(cudaMalloc(&dS, ny * sizeof(float)));

  cudaEvent_t start, middle, stop;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&middle));
  CUDA(cudaEventCreate(&stop));
  float ms1 = 0, ms2 = 0;
  for (int run = 0; run < 2; run++) { // the first one warms up
    CUDA(cudaMemset(dQ, 0, nx * sizeof(float)));
    CUDA(cudaEventRecord(start));
    int blocks = (ny + Threads - 1) / Threads;
    bicg_columns<<<blocks, Threads>>>(dA, dR, dS, nx, ny);
    CUDA(cudaEventRecord(middle));
    blocks = (nx + Threads - 1) / Threads;
    bicg_rows<<<blocks, Threads>>>(dA, dP, dQ, nx, ny);
    CUDA(cudaEventRecord(stop));
    CUDA(cudaGetLastError());
    CUDA(cudaEventSynchronize(stop));
    CUDA(cudaEventElapsedTime(&ms1, start, middle));
    CUDA(cudaEventElapsedTime(&ms2, middle, stop));
  }

  const int wrong = countWrong(a, p, r, download(dQ, nx), download(dS, ny));
  std::printf("bicg: %d x %d, %.3f ms (%.3f + %.3f), %s\n", nx, ny, ms1 + ms2,
              ms1, ms2, wrong ? "WRONG" : "OK");
  CUDA(cudaFree(dA));
  CUDA(cudaFree(dP));
  CUDA(cudaFree(dR));
  CUDA(cudaFree(dQ));
  CUDA(cudaFree(dS));
  return wrong != 0;
}
