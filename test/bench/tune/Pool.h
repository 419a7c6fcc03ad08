//===- Pool.h - What a benchmark loop by itself runs on ---------*- CUDA
//-*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arrays of ../Harness.h, filled as ../Measure.cu does, for a program that
// launches one kernel and prints a sum of what it wrote:
//
//   int main() {
//     Arrays arrays;
//     for (int run = 0; run < 3; ++run) {
//       arrays.clear(arrays.out + 0, 4096);
//       rows<<<8, 128>>>(arrays.in + 0, arrays.out + 0, 1024);
//     }
//     return arrays.finish(arrays.out + 0, 4096);
//   }
//
// It stands in place of Harness.h: loops are as their author wrote them.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_BENCH_TUNE_POOL_H
#define CATT_BENCH_TUNE_POOL_H

#include "Fill.h"
#include <cstdio>
#include <cstdlib>

#define BY_WARPS(Warps)

namespace bench {
struct Case;
struct Pool;
} // namespace bench

namespace pool {

inline void check(cudaError_t Status, const char *What) {
  if (Status == cudaSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", What, cudaGetErrorString(Status));
  std::exit(1);
}

/// The sum of all words: whatever order, the same for the same words.
static __global__ void addWords(const unsigned *Words, size_t Count,
                                unsigned long long *Sum) {
  const size_t Stride = size_t(gridDim.x) * blockDim.x;
  unsigned long long Mine = 0;
  for (size_t K = size_t(blockIdx.x) * blockDim.x + threadIdx.x; K < Count;
       K += Stride)
    Mine += (unsigned long long)(Words[K]) * (K % 8191 + 1);
  atomicAdd(Sum, Mine);
}

/// A place in one of the arrays, for a parameter of any pointer type.
struct Place {
  char *At;
  template <typename T> operator T *() const {
    return reinterpret_cast<T *>(At);
  }
  Place operator+(size_t Bytes) const { return {At + Bytes}; }
};

struct Arrays {
  static constexpr size_t FloatBytes = size_t(5) << 29, IntBytes = 1 << 28,
                          OutBytes = size_t(3) << 29;
  Place in, out;

  Arrays() {
    check(cudaMalloc(&in.At, 2 * FloatBytes + IntBytes), "cudaMalloc");
    check(cudaMalloc(&out.At, OutBytes), "cudaMalloc");
    fillNumbers<float><<<4096, 256>>>(in, FloatBytes / 4, 7, -3);
    fillNumbers<double><<<4096, 256>>>(in + FloatBytes, FloatBytes / 8, 7, -3);
    fillNumbers<int>
        <<<4096, 256>>>(in + 2 * FloatBytes, IntBytes / 4, 1 << 20, 0);
  }

  /// Waits for nothing: launches queue up behind each other.
  static void clear(Place At, size_t Bytes) {
    check(cudaMemsetAsync(At.At, 0, Bytes), "cudaMemset");
  }

  static int finish(Place At, size_t Bytes) {
    check(cudaDeviceSynchronize(), "the kernel");
    unsigned long long *Sum, Found = 0;
    check(cudaMalloc(&Sum, sizeof(*Sum)), "cudaMalloc");
    check(cudaMemset(Sum, 0, sizeof(*Sum)), "cudaMemset");
    addWords<<<1024, 256>>>(At, Bytes / 4, Sum);
    check(cudaMemcpy(&Found, Sum, sizeof(Found), cudaMemcpyDeviceToHost),
          "the sum");
    std::printf("sum %llx\n", Found);
    return 0;
  }
};

} // namespace pool

#endif // CATT_BENCH_TUNE_POOL_H
