//===- Footprint.h - Cache lines that a loop touches -------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The exact model (docs/model.md): the set of distinct 128-byte lines that one
// iteration of a loop level touches, all loops inside it run completely.
//
//   for (int c = 0; c < 5; ++c)          level 1: 34 floats of 32 points a warp
//     for (int f = 0; f < 34; ++f)       level 0: 1 float of 32 points a warp
//       ans += feature[point * 34 + f] - centre[c * 34 + f];
//
// How it is counted (LineWalk.h): an access is a function of thread and
// iterators. Dimensions along which it is linear, unguarded and dense stand for
// one interval of lines at once, and the others are walked. Where that would
// take more than WalkLimit steps, isl gives hull and stride of the addresses
// (LineHull.h): exact where they fill it, else an upper bound.
//
// What stands for the whole grid: one block (`representative`), in the middle
// of the grid unless guards switch off part of it and another one runs fuller;
// and iteration T / 2 of each loop of T iterations around, 1 where T is not
// known. Counts are exact for that block and those iterations.
//
// Limits, and what happens then:
//   index depends on loaded data   one line per warp and access; Estimated
//   value of a parameter not known
//     it multiplies a thread or an inner iterator   Unknown: UnknownStride
//     it only shifts the address   taken as a multiple of a line; Estimated
//     it is in a guard             the guard is taken to hold; Estimated
//   trip count of an inner loop not known   Unknown: UnknownTripCount; the
//                                  levels below it are still there
//   early exits, guards not known  Estimated (upper bounds)
//   addresses beyond 64 bits, non-constant divisors that may be zero, isl's
//   quota of operations            Unknown: TooComplex
//   accesses to other spaces than global memory, or not through L1: not counted
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_MEMORY_FOOTPRINT_H
#define CATT_ANALYSIS_MEMORY_FOOTPRINT_H

#include "analysis/model/Facts.h"
#include "analysis/model/Kernel.h"
#include "llvm/Support/Error.h"
#include <algorithm>
#include <array>

namespace catt {

/// Operations left for counting: about as many additions. All that is counted
/// for one kernel shares them, so that neither the number of its loops and
/// launches nor the values that are tried can make the analysis long. Once they
/// are spent, what is not yet counted is too complex.
class CountingQuota {
public:
  explicit CountingQuota(uint64_t Operations) : Left(Operations) {}
  void spend(uint64_t Operations) { Left -= std::min(Left, Operations); }
  bool isSpent() const { return Left == 0; }
  uint64_t left() const { return Left; }

private:
  uint64_t Left;
};

struct FootprintOptions {
  /// Block must be known (else Unknown: UnknownLaunch). An axis of the grid
  /// that is not known counts as long enough.
  Shape Block, Grid;
  /// Values of kernel parameters.
  std::map<std::string, int64_t> Parameters;
  /// Leave out what bypasses L1 (Access::ThroughL1 is false).
  bool ThroughL1Only = true;
  /// Intervals of lines that one level may walk before isl takes over.
  uint64_t WalkLimit = 1 << 20;
  /// isl's quota of operations for one access of one warp.
  unsigned long IslOperations = 200000;
  /// For everything together; none: without end.
  CountingQuota *Quota = nullptr;

  void spend(uint64_t Operations) const {
    if (Quota)
      Quota->spend(Operations);
  }
  bool isSpent() const { return Quota && Quota->isSpent(); }
};

/// The block and the iterations that stand for all.
struct Representative {
  std::array<int64_t, 3> Block = {0, 0, 0}; ///< blockIdx
  /// Of the loop and of those around it, by Loop::Id.
  std::map<unsigned, int64_t> Iteration;
  /// The largest trip count among the block's threads, where it is known.
  std::map<unsigned, int64_t> TripCount;
};

/// Chooses the block and iterations for a loop. The block must be known.
Representative representative(const Kernel &K, unsigned LoopId,
                              const FootprintOptions &Options);

/// A level's Reuse is true if two of these many successive iterations (or of
/// all, if there are fewer) touch a common line: 32 steps, over which a walk of
/// 4-byte words enters exactly one new line.
constexpr int64_t ReuseWindow = 33;

/// Intervals of addresses that one iteration of the loop, and of each around
/// it, lists: what profileLoop costs, in a unit that is the same on every
/// machine.
uint64_t stepsToProfile(const Kernel &K, unsigned LoopId,
                        const FootprintOptions &Options);

/// The footprint of a loop and of each loop around it, innermost first; levels
/// from the first unknown one on are missing, and Unknown says why. Error: the
/// loop does not exist, or a defect of this tool.
llvm::Expected<LoopProfile> profileLoop(const Kernel &K, unsigned LoopId,
                                        const FootprintOptions &Options);

/// Bytes between threads that are neighbours along the axis, where that is one
/// number for all. std::nullopt: as below.
std::optional<int64_t> strideBytes(const Access &A, Axis Along,
                                   const FootprintOptions &Options);

/// Bytes between neighbouring lanes (threadIdx.x + 1), where that is one number
/// for the whole warp: "lanes are 16,384 bytes apart". std::nullopt: irregular,
/// not linear in threadIdx.x, or dependent on an unknown parameter.
std::optional<int64_t> laneStrideBytes(const Access &A,
                                       const FootprintOptions &Options);

} // namespace catt

#endif
