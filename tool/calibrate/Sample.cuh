//===- Sample.cuh - Runs, medians, and what stops a run --------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   a function, run several times --sample--> median and half the distance of
//                                             the quartiles
//
// Limits: an error of CUDA ends the program: half a card would look like one.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_CALIBRATE_SAMPLE_CUH
#define CATT_CALIBRATE_SAMPLE_CUH

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int Runs = 9;

struct Sample {
  double Value, Spread;
};

inline void check(cudaError_t Error, const char *Doing) {
  if (Error == cudaSuccess)
    return;
  std::fprintf(stderr,
               "calibrate: the GPU could not %s: %s; free its memory or choose "
               "another with CUDA_VISIBLE_DEVICES\n",
               Doing, cudaGetErrorString(Error));
  std::exit(2);
}

/// Device memory, zeroed, freed with the object.
template <typename T> struct Buffer {
  T *Data = nullptr;
  size_t Size;
  explicit Buffer(size_t Size) : Size(Size) {
    check(cudaMalloc(&Data, Size * sizeof(T)), "allocate memory");
    check(cudaMemset(Data, 0, Size * sizeof(T)), "clear memory");
  }
  ~Buffer() { cudaFree(Data); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
};

/// The first run warms up and does not count.
template <typename Function> Sample sample(Function Run) {
  std::vector<double> Values;
  Run();
  for (int I = 0; I < Runs; ++I)
    Values.push_back(Run());
  std::sort(Values.begin(), Values.end());
  return {Values[Runs / 2], (Values[3 * Runs / 4] - Values[Runs / 4]) / 2};
}

/// Waits for a kernel; the median of what its blocks wrote.
inline double medianOf(const Buffer<long long> &Cycles, int Blocks) {
  check(cudaGetLastError(), "start a measurement");
  std::vector<long long> Values(Blocks);
  check(cudaMemcpy(Values.data(), Cycles.Data, Blocks * sizeof(long long),
                   cudaMemcpyDeviceToHost),
        "finish a measurement");
  std::sort(Values.begin(), Values.end());
  return double(Values[Blocks / 2]);
}

#endif
