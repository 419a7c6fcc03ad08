//===- histogram.cu - how often each byte occurs ---------------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To be left alone: the loads are coalesced, and where the counts fall depends
// on the data; they are kept in shared memory, which is no cache.
//
//   nvcc -O3 -arch=native histogram.cu -o histogram
//   ./histogram [words]             default 16777216, four bytes each
//
// Counts are compared for equality.
//
//===----------------------------------------------------------------------===//
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

enum { NumBins = 256 };

__global__ void histogram(const unsigned *data, unsigned *bins, int numWords) {
  __shared__ unsigned local[NumBins];
  for (int i = threadIdx.x; i < NumBins; i += blockDim.x)
    local[i] = 0;
  __syncthreads();

  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < numWords;
       i += stride) {
    const unsigned word = data[i];
    atomicAdd(&local[word & 255], 1u);
    atomicAdd(&local[word >> 8 & 255], 1u);
    atomicAdd(&local[word >> 16 & 255], 1u);
    atomicAdd(&local[word >> 24], 1u);
  }
  __syncthreads();

  for (int i = threadIdx.x; i < NumBins; i += blockDim.x)
    atomicAdd(&bins[i], local[i]);
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
  const int numWords = argc > 1 ? std::atoi(argv[1]) : 16777216;
  if (numWords < 1 || numWords > 1000000000) {
    std::fprintf(stderr, "usage: histogram [words, 1 to 1000000000]\n");
    return 1;
  }

  std::vector<unsigned> data(numWords), expected(NumBins, 0u);
  for (int i = 0; i < numWords; i++) {
    data[i] = unsigned(i) * 2654435761u;
    data[i] ^= data[i] >> 13;
    for (int shift = 0; shift < 32; shift += 8)
      expected[data[i] >> shift & 255]++;
  }
  unsigned *dData = upload(data), *dBins;
  CUDA(cudaMalloc(&dBins, NumBins * sizeof(unsigned)));

  cudaEvent_t start, stop;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&stop));
  float ms = 0;
  for (int run = 0; run < 2; run++) { // the first one warms up
    CUDA(cudaMemset(dBins, 0, NumBins * sizeof(unsigned)));
    CUDA(cudaEventRecord(start));
    histogram<<<240, 256>>>(dData, dBins, numWords);
    CUDA(cudaEventRecord(stop));
    CUDA(cudaGetLastError());
    CUDA(cudaEventSynchronize(stop));
    CUDA(cudaEventElapsedTime(&ms, start, stop));
  }

  const bool ok = download(dBins, NumBins) == expected;
  std::printf("histogram: %d x %d, %.3f ms, %s\n", numWords, int(NumBins), ms,
              ok ? "OK" : "WRONG");
  CUDA(cudaFree(dData));
  CUDA(cudaFree(dBins));
  return ok ? 0 : 1;
}
