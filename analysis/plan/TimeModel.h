//===- TimeModel.h - What a choice costs and gains -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cycles that an SM spends on one iteration of one warp, for K active warps
// (MODEL.md section 5: the largest of three):
//
//   look-ups  lines looked up * Lookup               L1 has one tag port
//   traffic   sectors missed * Sector * (1 + 0.6 l)  bandwidth below L1
//   latency   (loads * Hit + missing loads * Miss) / K
//
// Missed are the sectors that no earlier iteration touched, always; and of the
// others the share that an overflowing L1 loses:
//
//   m = 0 up to C, then 3 * (1 - C / footprint), at most 1
//
// C is L1 less 10 KiB, which the sweep never sees filled; l is the same for the
// footprints of all SMs in 40 % of L2 (a line may be kept in both partitions).
// In a nest the loops inside lose their own reuse by their own footprint. Where
// a loop stores nothing, the compiler issues the loads of several iterations
// together, which use a sector before anything can evict it: Batch. Around the
// iterations stand one barrier and one start-up latency for each group.
//
// The constants are fitted on test/unit/data/h200-throttle-sweep.csv (an H200);
// TimeModelTest bounds how far the choice is from the best of that sweep and
// prints the model's own error. Other devices are scaled by their data sheets'
// bandwidth, and marked Estimated.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_TIMEMODEL_H
#define CATT_ANALYSIS_PLAN_TIMEMODEL_H

#include "analysis/Types.h"
#include "analysis/device/Device.h"

namespace catt {

/// What the memory of one SM can do, in cycles of its clock.
struct MemoryRates {
  double Lookup = 1.08; ///< one line in L1
  double Hit = 40;      ///< a load that hits
  double Miss = 800;    ///< a load that goes below L1
  double Sector = 2.2;  ///< one 32-byte sector from below L1
  double Barrier = 40;  ///< __syncthreads and one turn of the group loop
  double Batch = 2;     ///< iterations issued together where nothing is stored
  int64_t L2Bytes = 0;  ///< 0: not known
  Origin From = Origin::Estimated;
};

MemoryRates memoryRates(const Device &Gpu);

/// Share of the reuse that a cache loses.
double lostShare(double FootprintBytes, double CacheBytes);

/// One loop of a nest, run by a number of warps.
struct NestLevel {
  LoopWork Work;
  int64_t FootprintBytes = 0;
  double Times = 1; ///< iterations of it in one iteration of the outermost
};

/// How a nest is run: its outermost loop first, then the loops inside whose
/// own reuse can be lost.
struct Running {
  std::vector<NestLevel> Levels;
  int64_t WarpsPerBlock = 0; ///< W
  int64_t WarpsPerGroup = 0; ///< w; W: undivided
  int64_t BlocksPerSM = 0;   ///< T
  int64_t L1Bytes = 0;
};

/// Cycles per iteration of the outermost loop and warp.
double cyclesPerIteration(const Running &How, const Device &Gpu,
                          const MemoryRates &Rates);

/// Cycles of an SM per warp for the whole loop, barriers included.
double cyclesPerWarp(const Running &How, const Device &Gpu,
                     const MemoryRates &Rates);

} // namespace catt

#endif
