//===- Usual.h - Memory and clock for the usual kernels ---------*- CUDA
//-*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for each case:  outputs filled, launched, timed    five times
//                   name, least time, digest of all outputs    one line
//
// The same lines but for the times come of a program that computes the same.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_BENCH_USUAL_USUAL_H
#define CATT_TEST_BENCH_USUAL_USUAL_H

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <iterator>

constexpr int Rows = 1 << 17, Columns = 1024, Threads = 256,
              Blocks = Rows / Threads;
constexpr size_t Elements = size_t(Rows) * Columns; ///< of In, Other and Out
constexpr size_t Square = size_t(16384) * 16384, Short = 1 << 20,
                 Integers = 1 << 24, IdsOfARow = 64;

static float *In, *Other, *Out, *X, *Y;
static double *Doubles, *DoubleX, *DoubleOut;
static int *Ints, *Labels, *Ids, *RowStarts;
static unsigned char *Bytes;
static __half *Halves;

struct Case {
  const char *Name;
  void (*Launch)();
};

static void check(cudaError_t Error) {
  if (Error == cudaSuccess)
    return;
  std::fprintf(stderr, "usual: %s\n", cudaGetErrorString(Error));
  std::exit(1);
}

template <class T> T *allocate(size_t Count) {
  void *Memory = nullptr;
  check(cudaMalloc(&Memory, Count * sizeof(T)));
  return static_cast<T *>(Memory);
}

/// Scattered multiples of a thousandth below 1, from First on.
template <class T> __global__ void fill(T *To, size_t Count, float First) {
  for (size_t I = blockIdx.x * blockDim.x + threadIdx.x; I < Count;
       I += gridDim.x * blockDim.x)
    To[I] = T(First + float((I * 2654435761u >> 7) % 1000) * 0.001f);
}

/// Scattered numbers below Limit.
__global__ void scatter(int *To, size_t Count, int Limit) {
  for (size_t I = blockIdx.x * blockDim.x + threadIdx.x; I < Count;
       I += gridDim.x * blockDim.x)
    To[I] = int((I * 2654435761u >> 5) % Limit);
}

__global__ void multiples(int *To, size_t Count, int Of) {
  for (size_t I = blockIdx.x * blockDim.x + threadIdx.x; I < Count;
       I += gridDim.x * blockDim.x)
    To[I] = int(I) * Of;
}

/// Adds a number that depends on each word and on its place.
__global__ void digest(const unsigned *Words, size_t Count,
                       unsigned long long *Sum) {
  unsigned long long Own = 0;
  for (size_t I = blockIdx.x * blockDim.x + threadIdx.x; I < Count;
       I += gridDim.x * blockDim.x)
    Own += (Words[I] + 1ull) * (I * 0x9E3779B97F4A7C15ull | 1);
  atomicAdd(Sum, Own);
}

static void allocateAll() {
  In = allocate<float>(Elements), Other = allocate<float>(Elements);
  Out = allocate<float>(Elements);
  X = allocate<float>(Short), Y = allocate<float>(Short);
  Doubles = allocate<double>(Square), DoubleX = allocate<double>(Short);
  DoubleOut = allocate<double>(Short);
  Ints = allocate<int>(Integers), Labels = allocate<int>(Rows);
  Ids = allocate<int>(Rows * IdsOfARow), RowStarts = allocate<int>(Rows + 1);
  Bytes = allocate<unsigned char>(Square), Halves = allocate<__half>(Square);
  fill<<<1024, 256>>>(In, Elements, 0.1f);
  fill<<<1024, 256>>>(Other, Elements, 0.2f);
  fill<<<1024, 256>>>(X, Short, 0.3f);
  fill<<<1024, 256>>>(Y, Short, 0.4f);
  fill<<<1024, 256>>>(Doubles, Square, 0);
  fill<<<1024, 256>>>(DoubleX, Short, 0);
  fill<<<1024, 256>>>(Halves, Square, 0);
  scatter<<<1024, 256>>>(Labels, Rows, Columns);
  scatter<<<1024, 256>>>(Ids, Rows * IdsOfARow, Rows);
  multiples<<<1024, 256>>>(RowStarts, Rows + 1, 48);
  check(cudaMemset(Bytes, 7, Square));
}

static void fillOutputs() {
  fill<<<1024, 256>>>(Out, Elements, 0.5f);
  check(cudaMemset(Ints, 0, Integers * sizeof(int)));
  check(cudaMemset(DoubleOut, 0, Short * sizeof(double)));
}

static unsigned long long digestOfOutputs(unsigned long long *Sum) {
  unsigned long long Host = 0;
  check(cudaMemset(Sum, 0, sizeof(Host)));
  digest<<<1024, 256>>>((const unsigned *)Out, Elements, Sum);
  digest<<<1024, 256>>>((const unsigned *)Ints, Integers, Sum);
  digest<<<1024, 256>>>((const unsigned *)DoubleOut, 2 * Short, Sum);
  check(cudaMemcpy(&Host, Sum, sizeof(Host), cudaMemcpyDeviceToHost));
  return Host;
}

static int measure(const Case *Cases, size_t Count) {
  constexpr int Times = 5;
  allocateAll();
  auto *Sum = allocate<unsigned long long>(1);
  cudaEvent_t Begin, End;
  check(cudaEventCreate(&Begin));
  check(cudaEventCreate(&End));
  for (const Case *Each = Cases; Each != Cases + Count; ++Each) {
    float Least = 0;
    for (int I = 0; I < Times; ++I) {
      fillOutputs();
      check(cudaEventRecord(Begin));
      Each->Launch();
      check(cudaEventRecord(End));
      check(cudaEventSynchronize(End));
      float Milliseconds = 0;
      check(cudaEventElapsedTime(&Milliseconds, Begin, End));
      Least = I ? std::min(Least, Milliseconds) : Milliseconds;
    }
    check(cudaGetLastError());
    std::printf("%s %.4f %llx\n", Each->Name, Least, digestOfOutputs(Sum));
    std::fflush(stdout);
  }
  return 0;
}

#endif
