//===- Rates.cuh - What a sector, a port and a barrier cost ----*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   1 block per SM, 1024 threads, loads that do not wait for one another
//     coalesced   a warp reads 4 lines: 16 sectors
//     scattered   each lane reads one sector of a line of its own
//
// Limits: lines are read 16 bytes a lane, scattered sectors 4.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_CALIBRATE_RATES_CUH
#define CATT_CALIBRATE_RATES_CUH

#include "Sample.cuh"

constexpr int Threads = 1024, Loads = 256;

/// What load `Number` of this thread takes, of `Size` elements, a power of two:
/// an odd factor takes each line once before any comes again.
__device__ inline size_t place(int Number, bool Scattered, size_t Size) {
  size_t Thread =
      (size_t(Number) * gridDim.x + blockIdx.x) * Threads + threadIdx.x;
  return (Scattered ? Thread * 2654435761u * 32 : Thread) & (Size - 1);
}

__device__ inline float first(float Value) { return Value; }
__device__ inline float first(float4 Value) {
  return Value.x + Value.y + Value.z + Value.w;
}

template <typename T>
__global__ void readAll(const T *Data, size_t Size, bool Scattered,
                        long long *Cycles, float *Sink) {
  float Sum = 0;
  __syncthreads();
  long long Begin = clock64();
#pragma unroll 8
  for (int I = 0; I < Loads; ++I)
    Sum += first(__ldcg(&Data[place(I, Scattered, Size)]));
  if (Sum == 1) // never: the memory is zero
    *Sink = Sum;
  __syncthreads();
  if (threadIdx.x == 0)
    Cycles[blockIdx.x] = clock64() - Begin;
}

template <typename T>
__global__ void writeAll(T *Data, size_t Size, bool Scattered,
                         long long *Cycles) {
  __syncthreads();
  long long Begin = clock64();
#pragma unroll 8
  for (int I = 0; I < Loads; ++I)
    Data[place(I, Scattered, Size)] = T{};
  __syncthreads();
  if (threadIdx.x == 0)
    Cycles[blockIdx.x] = clock64() - Begin;
}

/// Each warp loads from `Lines` lines at once, of 64 KiB that L1 holds. The
/// places change, or one load would do for all. The second round counts.
__global__ void readPort(const float *Data, int Lines, long long *Cycles,
                         float *Sink) {
  int Lane = threadIdx.x % 32, Mine = (Lane % Lines) * 32 + Lane;
  float Sum = 0;
  for (int Round = 0; Round < 2; ++Round) {
    __syncthreads();
    long long Begin = clock64();
#pragma unroll 8
    for (int I = 0; I < Loads; ++I)
      Sum += __ldca(&Data[(I * 1024 + Mine) & 16383]);
    if (Sum == 1)
      *Sink = Sum;
    __syncthreads();
    if (threadIdx.x == 0)
      Cycles[blockIdx.x] = clock64() - Begin;
  }
}

template <int Rounds> __global__ void waitAtBarriers(long long *Cycles) {
  __syncthreads();
  long long Begin = clock64();
  for (int I = 0; I < Rounds; ++I)
    __syncthreads();
  if (threadIdx.x == 0)
    Cycles[blockIdx.x] = clock64() - Begin;
}

/// SM cycles per sector of one SM, with so many SMs at work on so many words.
/// `T`: float where the sectors are scattered, float4 where lines are read.
template <typename T>
Sample sectorCost(Buffer<float> &Data, size_t Words, bool Writes, int SMs) {
  constexpr bool Scattered = sizeof(T) == 4;
  Buffer<long long> Cycles(SMs);
  Buffer<float> Sink(1);
  T *All = reinterpret_cast<T *>(Data.Data);
  size_t Size = Words * sizeof(float) / sizeof(T);
  double Sectors = double(Threads) * Loads / (Scattered ? 1 : 2);
  return sample([&] {
    if (Writes)
      writeAll<<<SMs, Threads>>>(All, Size, Scattered, Cycles.Data);
    else
      readAll<<<SMs, Threads>>>(All, Size, Scattered, Cycles.Data, Sink.Data);
    return medianOf(Cycles, SMs) / Sectors;
  });
}

/// SM cycles per load of a warp from so many lines of L1.
inline Sample portCost(Buffer<float> &Data, int Lines) {
  Buffer<long long> Cycles(1);
  Buffer<float> Sink(1);
  return sample([&] {
    readPort<<<1, Threads>>>(Data.Data, Lines, Cycles.Data, Sink.Data);
    return medianOf(Cycles, 1) / (Loads * (Threads / 32));
  });
}

/// Cycles of a barrier with 8 blocks of 256 threads on each SM.
inline Sample barrierCost(int SMs) {
  Buffer<long long> Cycles(8 * SMs);
  return sample([&] {
    waitAtBarriers<Loads><<<8 * SMs, 256>>>(Cycles.Data);
    return medianOf(Cycles, 8 * SMs) / Loads;
  });
}

#endif
