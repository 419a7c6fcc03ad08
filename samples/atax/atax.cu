//===- atax.cu - y = A^T (A x) ---------------------------------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two kernels with opposite needs. The first walks rows: the lanes of a warp
// are NY floats apart, and its lines live only if few warps run. The second
// walks columns: its loads are coalesced, and fewer warps would only be slower.
// One setting for the whole program is wrong for one of them.
//
//   nvcc -O3 -arch=native atax.cu -o atax && ./atax
//   nvcc -O3 -arch=native -DNX=40960 -DNY=40960 atax.cu      (the paper's size)
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

#ifndef NX
#define NX 131072 // rows
#endif
#ifndef NY
#define NY 4096 // columns
#endif

__global__ void atax_kernel1(float *A, float *x, float *tmp) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < NX) {
    for (int j = 0; j < NY; j++) {
      tmp[i] += A[i * NY + j] * x[j];
    }
  }
}

__global__ void atax_kernel2(float *A, float *y, float *tmp) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < NY) {
    for (int i = 0; i < NX; i++) {
      y[j] += A[i * NY + j] * tmp[i];
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

// A repeats a pattern of this many rows: the host needs to compute only so
// many, and still checks everything. A prime, so that it is out of step with
// blocks and warps.
constexpr int Period = 509;

static float *uploadRepeated(const std::vector<float> &rows) {
  float *device;
  CUDA(cudaMalloc(&device, size_t(NX) * NY * sizeof(float)));
  for (int i = 0; i < NX; i += Period) {
    size_t count = size_t(NX - i < Period ? NX - i : Period) * NY;
    CUDA(cudaMemcpy(device + size_t(i) * NY, rows.data(), count * sizeof(float),
                    cudaMemcpyHostToDevice));
  }
  return device;
}

static int countWrong(const std::vector<float> &a, const std::vector<float> &x,
                      const std::vector<float> &y) {
  std::vector<double> expected(NY, 0.0);
  for (int i = 0; i < Period && i < NX; i++) {
    double tmp = 0;
    for (int j = 0; j < NY; j++)
      tmp += double(a[size_t(i) * NY + j]) * x[j];
    const int repetitions = (NX - i + Period - 1) / Period;
    for (int j = 0; j < NY; j++)
      expected[j] += repetitions * tmp * a[size_t(i) * NY + j];
  }
  int wrong = 0;
  for (int j = 0; j < NY; j++)
    wrong += y[j] != float(expected[j]);
  return wrong;
}

int main() {
  std::vector<float> a(size_t(Period) * NY), x(NY);
  for (size_t k = 0; k < a.size(); k++)
    a[k] = value(unsigned(k), 1);
  for (int j = 0; j < NY; j++)
    x[j] = value(99 + j, 3);
  float *dA = uploadRepeated(a), *dX = upload(x);
  float *dTmp, *dY;
  CUDA(cudaMalloc(&dTmp, NX * sizeof(float)));
  CUDA(cudaMalloc(&dY, NY * sizeof(float)));

  const dim3 block(256);
  const dim3 rows((NX + block.x - 1) / block.x);
  const dim3 columns((NY + block.x - 1) / block.x);
  cudaEvent_t start, middle, stop;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&middle));
  CUDA(cudaEventCreate(&stop));
  float ms1 = 0, ms2 = 0;
  for (int run = 0; run < 2; run++) { // the first one warms up
    CUDA(cudaMemset(dTmp, 0, NX * sizeof(float)));
    CUDA(cudaMemset(dY, 0, NY * sizeof(float)));
    CUDA(cudaEventRecord(start));
    atax_kernel1<<<rows, block>>>(dA, dX, dTmp);
    CUDA(cudaEventRecord(middle));
    atax_kernel2<<<columns, block>>>(dA, dY, dTmp);
    CUDA(cudaEventRecord(stop));
    CUDA(cudaGetLastError());
    CUDA(cudaEventSynchronize(stop));
    CUDA(cudaEventElapsedTime(&ms1, start, middle));
    CUDA(cudaEventElapsedTime(&ms2, middle, stop));
  }

  const int wrong = countWrong(a, x, download(dY, NY));
  std::printf("atax: %d x %d, %.3f ms (%.3f + %.3f), %s\n", NX, NY, ms1 + ms2,
              ms1, ms2, wrong ? "WRONG" : "OK");
  CUDA(cudaFree(dA));
  CUDA(cudaFree(dX));
  CUDA(cudaFree(dTmp));
  CUDA(cudaFree(dY));
  return wrong != 0;
}
