//===- Measure.h - Times of one way to run a loop --------------*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   L1D setting  carve-out asked for       blocks per SM held down by
//   default      none                      as little shared memory as does it
//   max          what the kernel's own     a carve-out of 8 KiB, filled
//                shared memory needs
//   28           100 %                     the whole 228 KiB, filled
//
// The driver need not follow: how many blocks an SM really held is measured
// with a kernel of the same block size and shared memory.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_BENCH_MEASURE_H
#define CATT_BENCH_MEASURE_H

#include "Harness.h"

#include <cstdio>
#include <cstdlib>

namespace bench {

#define CHECK(call)                                                            \
  do {                                                                         \
    cudaError_t Status = (call);                                               \
    if (Status != cudaSuccess) {                                               \
      std::fprintf(stderr, "throttle: %s:%d: %s\n", __FILE__, __LINE__,        \
                   cudaGetErrorString(Status));                                \
      std::exit(1);                                                            \
    }                                                                          \
  } while (0)

enum class L1d { Default, Max, Least };
const char *name(L1d);

struct Point {
  L1d Cache = L1d::Default;
  Variant How = {};
  int Blocks = 0; // per SM that are wanted
  bool HeldDown = false;
  int CarveOut = -1; // per cent, -1: the driver's choice
  int DynamicBytes = 0;
};

struct Result {
  std::vector<float> Ms;
  bool Equal = false;
  /// Given up after one run: far slower than the best so far.
  bool Cut = false;
  int Registers = 0;
  int BlocksByRegisters = 0; // what registers, threads and the grid allow
  int BlocksSeen = 0;        // what the SMs held
};

/// Seconds after which a launch is taken for hung; runs of each point behind
/// one that warms up (0: that one alone, for a profiler).
struct Limits {
  double LaunchSeconds = 5;
  int Runs = 7;
  double CutFactor = 3;
};

/// Lets the next launches of a kernel have so much dynamic shared memory, and
/// asks for a carve-out (per cent, -1: the driver's choice).
void configure(const void *Kernel, int CarveOut, int DynamicBytes);

/// Blocks per SM without any holding down.
int mostBlocks(const Case &C, const Pool &P);

/// The points of one case at one L1D setting, the original first.
std::vector<Point> points(const Case &C, const Pool &P, L1d Cache);

/// Runs a point. Reference is a buffer of OutBytes: the first call with
/// MakeReference fills it, later ones are compared with it. BestMs is the best
/// of this case and setting so far (0: none). Ends the process with exit code 3
/// if a launch runs into the limit.
Result measure(const Case &C, const Pool &P, const Point &At, const Limits &L,
               char *Reference, bool MakeReference, float BestMs);

/// Fills the inputs with small integers.
void fill(const Pool &P);

/// L1 data cache in KiB that a chain of dependent loads finds with a carve-out.
int findL1KiB(int CarveOut, int DynamicBytes);

} // namespace bench

#endif // CATT_BENCH_MEASURE_H
