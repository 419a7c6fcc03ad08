//===- Differences.h - Whether two outputs are equal -----------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_BENCH_DIFFERENCES_H
#define CATT_BENCH_DIFFERENCES_H

/// Adds the number of words in which A and B differ to *Differences. Any grid
/// does, of blocks of one dimension.
static __global__ void countDifferences(const unsigned *A, const unsigned *B,
                                        size_t Count, unsigned *Differences) {
  const size_t Stride = size_t(gridDim.x) * blockDim.x;
  unsigned Mine = 0;
  for (size_t K = size_t(blockIdx.x) * blockDim.x + threadIdx.x; K < Count;
       K += Stride)
    Mine += A[K] != B[K];
  if (Mine)
    atomicAdd(Differences, Mine);
}

#endif // CATT_BENCH_DIFFERENCES_H
