//===- cub/cub.cuh - CUB's block primitives, written in CUDA ------- -*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stand-in without its text: Sum, Reduce, ExclusiveSum and InclusiveSum of
// one-dimensional blocks, each of which waits for the whole block.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_LIBRARY_CUB
#define CATT_LIBRARY_CUB

namespace cub {
struct Sum {
  template <class T> __device__ T operator()(T A, T B) const { return A + B; }
};

template <class T, int Threads> class BlockReduce {
public:
  struct TempStorage {
    T Values[Threads];
  };
  __device__ explicit BlockReduce(TempStorage &S) : Storage(S) {}
  template <class F> __device__ T Reduce(T V, F Op) {
    Storage.Values[threadIdx.x] = V;
    __syncthreads();
    T Result = Storage.Values[0];
    for (int I = 1; I < Threads; ++I)
      Result = Op(Result, Storage.Values[I]);
    return Result;
  }
  __device__ T Sum(T V) { return Reduce(V, cub::Sum()); }

private:
  TempStorage &Storage;
};

template <class T, int Threads> class BlockScan {
public:
  struct TempStorage {
    T Values[Threads];
  };
  __device__ explicit BlockScan(TempStorage &S) : Storage(S) {}
  __device__ void InclusiveSum(T V, T &Result) {
    ExclusiveSum(V, Result);
    Result += V;
  }
  __device__ void ExclusiveSum(T V, T &Result) {
    Storage.Values[threadIdx.x] = V;
    __syncthreads();
    Result = T();
    for (unsigned I = 0; I < threadIdx.x; ++I)
      Result += Storage.Values[I];
  }

private:
  TempStorage &Storage;
};
} // namespace cub

#endif
