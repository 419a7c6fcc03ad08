//===- Fill.h - What the arrays of the benchmarks hold ----------*- CUDA
//-*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_BENCH_FILL_H
#define CATT_BENCH_FILL_H

#include <cstddef>

static __device__ unsigned mixed(unsigned K) {
  K *= 2654435761u;
  K ^= K >> 15;
  K *= 2246822519u;
  return K ^ K >> 13;
}

/// Integers from Least on, Range of them. Any grid does, of blocks of one
/// dimension.
template <typename T>
static __global__ void fillNumbers(T *Out, size_t Count, unsigned Range,
                                   int Least) {
  const size_t Stride = size_t(gridDim.x) * blockDim.x;
  for (size_t K = size_t(blockIdx.x) * blockDim.x + threadIdx.x; K < Count;
       K += Stride)
    Out[K] = T(int(mixed(unsigned(K)) % Range) + Least);
}

#endif // CATT_BENCH_FILL_H
