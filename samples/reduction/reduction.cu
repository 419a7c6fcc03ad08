//===- reduction.cu - the sum of an array ----------------------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To be left alone: the grid walks the array together, every load is coalesced,
// and no line is used twice. The second loop lives in shared memory and waits
// for the block at every step.
//
//   nvcc -O3 -arch=native reduction.cu -o reduction
//   ./reduction [elements]          default 16777216
//
// Sums of unsigned integers: compared for equality.
//
//===----------------------------------------------------------------------===//
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define THREADS 256
#define BLOCKS 512

__global__ void reduction(const unsigned *in, unsigned *sum, int n) {
  __shared__ unsigned partial[THREADS];
  unsigned own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += blockDim.x * gridDim.x)
    own += in[i];
  partial[threadIdx.x] = own;
  __syncthreads();
  for (unsigned s = THREADS / 2; s > 0; s /= 2) {
    if (threadIdx.x < s)
      partial[threadIdx.x] += partial[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    atomicAdd(sum, partial[0]);
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
  const int n = argc > 1 ? std::atoi(argv[1]) : 16777216;
  if (n < 1 || n > 2000000000) {
    std::fprintf(stderr, "usage: reduction [elements, 1 to 2000000000]\n");
    return 1;
  }

  std::vector<unsigned> in(n);
  unsigned expected = 0; // modulo 2^32, as on the device
  for (int i = 0; i < n; i++)
    expected += in[i] = unsigned(i) * 2654435761u >> 8;
  unsigned *dIn = upload(in), *dSum;
  CUDA(cudaMalloc(&dSum, sizeof(unsigned)));

  cudaEvent_t start, stop;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&stop));
  float ms = 0;
  for (int run = 0; run < 2; run++) { // the first one warms up
    CUDA(cudaMemset(dSum, 0, sizeof(unsigned)));
    CUDA(cudaEventRecord(start));
    reduction<<<BLOCKS, THREADS>>>(dIn, dSum, n);
    CUDA(cudaEventRecord(stop));
    CUDA(cudaGetLastError());
    CUDA(cudaEventSynchronize(stop));
    CUDA(cudaEventElapsedTime(&ms, start, stop));
  }

  const bool ok = download(dSum, 1)[0] == expected;
  std::printf("reduction: %d x %d, %.3f ms, %s\n", n, 1, ms,
              ok ? "OK" : "WRONG");
  CUDA(cudaFree(dIn));
  CUDA(cudaFree(dSum));
  return ok ? 0 : 1;
}
