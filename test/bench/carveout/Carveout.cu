//===- Carveout.cu - What the driver makes of shared memory
//----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches kernels of random shapes, with and without a preferred carve-out,
// and prints one line for each; carveout.py runs it under Nsight Compute and
// writes down the carve-out that each launch got.
//
//   carveout <seed> <launches>
//
//===----------------------------------------------------------------------===//
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <random>

/// `Live` values at a time, and `Words` words of static shared memory.
template <int Live, int Words>
__global__ void shape(float *out, int n, int dynamicWords) {
  extern __shared__ float given[];
  __shared__ float own[Words + 1];
  if (Words)
    own[threadIdx.x % (Words + 1)] = n;
  if (dynamicWords)
    given[threadIdx.x % dynamicWords] = threadIdx.x;
  __syncthreads();
  float v[Live];
#pragma unroll
  for (int i = 0; i < Live; ++i)
    v[i] = n * i;
  for (int r = 0; r < n; ++r)
#pragma unroll
    for (int i = 0; i < Live; ++i)
      v[i] = v[i] * v[(i + 7) % Live] + r;
  for (int i = 0; i < n; ++i)
    out[i] = v[i % Live] + (Words ? own[i % (Words + 1)] : 0) +
             (dynamicWords ? given[i % dynamicWords] : 0);
}

template <int Live, int Words>
static void launch(int threads, int dynamic, int grid, int percent) {
  auto *kernel = shape<Live, Words>;
  cudaFuncAttributes has;
  if (cudaFuncGetAttributes(&has, kernel) != cudaSuccess)
    exit(1);
  int fixed = int(has.sharedSizeBytes);
  if (dynamic + fixed > 227 * 1024)
    return;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       227 * 1024 - fixed);
  cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                       percent);
  int blocks = 0; // 0: more registers than there are
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                dynamic);
  if (blocks == 0)
    return;
  kernel<<<grid, threads, dynamic>>>(nullptr, 0, dynamic / 4);
  printf("%d,%d,%d,%d,%d,%d\n", threads, fixed, dynamic, has.numRegs, grid,
         percent);
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  std::mt19937 random(atoi(argv[1]));
  auto below = [&](int n) { return int(random() % unsigned(n)); };
  for (int i = 0; i < atoi(argv[2]); ++i) {
    int threads = below(4) ? 32 * (1 + below(32)) : 1 + below(1024);
    int dynamic = below(6) ? 4 * below(1 << below(17)) : 0;
    int grid = 1 + below(1 << below(12));
    int percent = below(2) ? -1 : below(101);
    switch (below(5)) {
    case 0:
      launch<1, 0>(threads, dynamic, grid, percent);
      break;
    case 1:
      launch<24, 0>(threads, dynamic, grid, percent);
      break;
    case 2:
      launch<40, 300>(threads, dynamic, grid, percent);
      break;
    case 3:
      launch<70, 2500>(threads, dynamic, grid, percent);
      break;
    default:
      launch<1, 9000>(threads, dynamic, grid, percent);
    }
  }
  cudaError_t end = cudaDeviceSynchronize();
  fprintf(stderr, "%s\n", cudaGetErrorString(end));
  return end == cudaSuccess ? 0 : 1;
}
