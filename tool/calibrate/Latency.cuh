//===- Latency.cuh - How long one load takes, and what L1 keeps -*- CUDA -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   line -> line -> line ...   one thread, each address from the last value
//
// Limits: one thread sees an idle memory; a full one is slower.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_CALIBRATE_LATENCY_CUH
#define CATT_CALIBRATE_LATENCY_CUH

#include "Sample.cuh"
#include <numeric>
#include <random>

constexpr unsigned LineWords = 16; ///< pointers in a line of 128 bytes

/// Follows `Warm` pointers, then `Steps`; out: the cycles of these, and where
/// the walk ended, so that it is not left out.
__global__ void followPointers(const uint64_t *Next, int Warm, int Steps,
                               long long *Out) {
  const uint64_t *At = Next;
  for (int I = 0; I < Warm; ++I)
    At = reinterpret_cast<const uint64_t *>(*At);
  Out[1] = reinterpret_cast<long long>(At);
  long long Begin = clock64();
  for (int I = 0; I < Steps; ++I)
    At = reinterpret_cast<const uint64_t *>(*At);
  Out[2] = reinterpret_cast<long long>(At);
  Out[0] = clock64() - Begin;
}

/// One circle through all lines, in order or by Sattolo's shuffle.
inline void writeCircle(Buffer<uint64_t> &Next, size_t Lines, bool Shuffled) {
  std::vector<unsigned> Order(Lines);
  std::vector<uint64_t> Words(Lines * LineWords);
  std::iota(Order.begin(), Order.end(), 0u);
  std::mt19937 Random(1);
  if (Shuffled)
    for (size_t I = Lines - 1; I > 0; --I)
      std::swap(Order[I], Order[Random() % I]);
  for (size_t I = 0; I < Lines; ++I)
    Words[size_t(Order[I]) * LineWords] = reinterpret_cast<uint64_t>(
        Next.Data + size_t(Order[(I + 1) % Lines]) * LineWords);
  check(cudaMemcpy(Next.Data, Words.data(), Words.size() * 8,
                   cudaMemcpyHostToDevice),
        "take the pointers");
}

/// Cycles per load inside so many lines. `Evict`: memory that L2 forgets the
/// lines for, or null where they are to stay.
inline Sample latency(size_t Lines, int Warm, Buffer<unsigned> *Evict) {
  constexpr int Steps = 4096;
  Buffer<uint64_t> Next(Lines * LineWords);
  Buffer<long long> Out(3);
  writeCircle(Next, Lines, Lines > 1024);
  return sample([&] {
    if (Evict)
      check(cudaMemset(Evict->Data, 0, Evict->Size * 4), "empty L2");
    followPointers<<<1, 1>>>(Next.Data, Warm, Steps, Out.Data);
    return medianOf(Out, 1) / Steps;
  });
}

/// The part of the loads that hit L1 when `Lines` are walked in a circle, from
/// the mean time of a load and the times of a hit and of a miss.
inline double cyclicHits(size_t Lines, double Hit, double Miss) {
  Buffer<uint64_t> Next(Lines * LineWords);
  Buffer<long long> Out(3);
  writeCircle(Next, Lines, false);
  int Steps = int(4 * Lines);
  followPointers<<<1, 1>>>(Next.Data, Steps, Steps, Out.Data);
  double Mean = medianOf(Out, 1) / Steps;
  return std::min(1.0, std::max(0.0, (Miss - Mean) / (Miss - Hit)));
}

#endif
