//===- Arrays.h - What the arrays of a kernel hold -------------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Filled are, with numbers that depend on array and place alone:
//
//   values           -2.5 to 2.5 in steps that no sum represents exactly; small
//                    integers; for structs and vectors each member
//   zero, mask       0; 0 or 1
//   index:N          0 to N - 1
//   lengths:N        1 to N
//   starts-even:N, starts-jitter:N, starts-skewed:N
//                    rows of N elements each; of up to 2 N; of 64 rows the last
//                    has 3 N, the first none. On the average N.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_BENCH_ROWS_ARRAYS_H
#define CATT_BENCH_ROWS_ARRAYS_H

#include "Rows.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace rows {

__host__ __device__ inline uint64_t mixed(uint64_t X) {
  X = (X ^ (X >> 30)) * 0xbf58476d1ce4e5b9ull;
  X = (X ^ (X >> 27)) * 0x94d049bb133111ebull;
  return X ^ (X >> 31);
}

enum class Fill { Values, Zero, Mask, Index, Lengths, Even, Jitter, Skewed };

struct Filling {
  Fill Kind;
  uint64_t Seed, Limit, Count;
};

__device__ inline void set(float &To, uint64_t H) {
  To = int(H % 2047 - 1023) / 409.f;
}
__device__ inline void set(double &To, uint64_t H) {
  To = int(H % 2047 - 1023) / 409.;
}
__device__ inline void set(int &To, uint64_t H) { To = int(H % 31) - 15; }
__device__ inline void set(short &To, uint64_t H) {
  To = short(int(H % 401) - 200);
}
__device__ inline void set(unsigned char &To, uint64_t H) { To = H & 255; }

__device__ inline int64_t integerAt(const Filling &F, uint64_t I) {
  const uint64_t H = mixed(I ^ F.Seed), Row = I * F.Limit, Of64 = I % 64;
  switch (F.Kind) {
  case Fill::Mask:
    return H & 1;
  case Fill::Index:
    return H % F.Limit;
  case Fill::Lengths:
    return 1 + H % F.Limit;
  case Fill::Even:
    return Row;
  case Fill::Jitter:
    return I && I + 1 < F.Count ? Row + H % F.Limit : Row;
  case Fill::Skewed:
    return (I - Of64) * F.Limit + F.Limit * Of64 * Of64 * Of64 / 4096;
  default:
    return 0;
  }
}

template <class T> __global__ void fill(T *To, Filling F) {
  for (uint64_t I = blockIdx.x * uint64_t(blockDim.x) + threadIdx.x;
       I < F.Count; I += uint64_t(blockDim.x) * gridDim.x)
    if (F.Kind == Fill::Values)
      set(To[I], mixed(I ^ F.Seed));
    else
      To[I] = T(integerAt(F, I));
}

template <class T> void filled(void *At, const Filling &F) {
  fill<<<132 * 8, 256>>>(static_cast<T *>(At), F);
}

/// Bytes of an element, and numbers in it.
struct Element {
  const char *Type;
  unsigned Bytes, Members;
  void (*Filled)(void *, const Filling &);
};

inline constexpr Element Elements[] = {
    {"float", 4, 1, filled<float>},
    {"double", 8, 1, filled<double>},
    {"int", 4, 1, filled<int>},
    {"short", 2, 1, filled<short>},
    {"float2", 8, 2, filled<float>},
    {"float4", 16, 4, filled<float>},
    {"Body", 16, 4, filled<float>},
    {"unsigned char", 1, 1, filled<unsigned char>},
};

inline const Element &elementOf(const Array &A) {
  for (const Element &E : Elements)
    if (!std::strcmp(E.Type, A.Type))
      return E;
  std::fprintf(stderr, "run: no element %s\n", A.Type);
  std::exit(2);
}

inline Filling fillingOf(const Array &A, int Number) {
  const std::string Text = A.Fill, Kind = Text.substr(0, Text.find(':'));
  static constexpr std::pair<const char *, Fill> Kinds[] = {
      {"values", Fill::Values},
      {"zero", Fill::Zero},
      {"mask", Fill::Mask},
      {"index", Fill::Index},
      {"lengths", Fill::Lengths},
      {"starts-even", Fill::Even},
      {"starts-jitter", Fill::Jitter},
      {"starts-skewed", Fill::Skewed}};
  for (auto [Name, Value] : Kinds)
    if (Kind == Name) {
      uint64_t Limit = 1;
      if (Kind.size() < Text.size())
        Limit = std::strtoull(Text.c_str() + Kind.size() + 1, nullptr, 10);
      return {Value, mixed(uint64_t(Number) + 1), Limit,
              A.Count * elementOf(A).Members};
    }
  std::fprintf(stderr, "run: nothing fills %s\n", A.Fill);
  std::exit(2);
}

/// The sum of all words, each mixed with its place: the same for the same bits.
static __global__ void digest(const uint64_t *Words, uint64_t Count,
                              unsigned long long *Sum) {
  unsigned long long Own = 0;
  for (uint64_t I = blockIdx.x * uint64_t(blockDim.x) + threadIdx.x; I < Count;
       I += uint64_t(blockDim.x) * gridDim.x)
    Own += mixed(Words[I] + mixed(I));
  for (int Lane = 16; Lane; Lane /= 2)
    Own += __shfl_down_sync(~0u, Own, Lane);
  if (threadIdx.x % 32 == 0)
    atomicAdd(Sum, Own);
}

} // namespace rows

#endif // CATT_BENCH_ROWS_ARRAYS_H
