//===- TimeModel.h - What a choice costs and gains -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cycles that an SM spends on one iteration of one warp while K = w * (T - M)
// warps are active, of three terms of which the largest nearly rules
// (MODEL.md section 5):
//
//   port     lines * Line + bank turns * Bank              L1's tags and banks
//   traffic  sectors below L1 * Sector * (1 + Far * min(1, U / L2))
//            + Dram * (new / 2 + lost in L2)               L2, then DRAM
//   latency  ((loads * Hit + missing loads * Miss) / together + port) / K
//   time     (port^Power + traffic^Power + latency^Power)^(1 / Power)
//
// Below L1 go the sectors that no earlier iteration touched, those stored, and
// of those touched before the share that a cache loses which the footprint F
// overflows:
//
//   lostShare = min(1, Slope * (1 - (L1 - UnusedKiB) / F))
//
// A warp waits for its own turn at the port, too: that is what one warp alone
// is bound by. Where a loop stores nothing, the compiler issues the loads of
// several iterations together (Unroll; all of a loop of few): only the first
// finds what all others have used meanwhile, the rest follows after a part of
// it, Near * F. What one iteration touches twice (the fields of a struct) it
// touches with two loads; in between the other warps take their turn, and what
// these touch with one load each is what can evict it. In a nest each touch is
// lost by the footprint of the innermost loop whose earlier iteration made it:
// the first in an iteration of the outer loop by that of the outer loop, the
// others by that of the loop inside. U is what all busy SMs keep L2 busy with:
// F, but no more than Flight * L1 for each load, as a load in flight holds a
// line of L1; L2 loses 1 - L2Share * L2 / U of what L1 asks it again. A sector
// lost in L2 costs two from DRAM, which reads 64 bytes at once; new ones are
// read in order. Fewer blocks than SMs share DRAM among themselves. Around the
// iterations of a group stand a barrier and a start-up latency. Prediction.h
// adds up the groups and the waves of blocks.
//
// The constants are fitted by test/bench/fit.py, which says on what and how far
// they are off; docs/model.md has the result. They are an H200's; those of
// others are scaled by what was measured of both, or by data sheets
// (RateScale).
//
// Not seen: that ptxas issues fewer loads at a time in a split loop (SpMV: 3
// before the first wait where 10 were; most others a third less), and why
// k-means with 6 or 4 of 8 warps is slower than its lines say, whose loads are
// issued as before.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_TIME_TIMEMODEL_H
#define CATT_ANALYSIS_TIME_TIMEMODEL_H

#include "analysis/device/Device.h"
#include "analysis/model/Facts.h"

namespace catt {

/// How many times those of an H200, which the constants of this folder are, the
/// rates of a card are: by what ./dev calibrate measured of both (Measured), or
/// by their data sheets' bandwidth.
struct RateScale {
  double Hit = 1, L2 = 1, Dram = 1, L2Sector = 1, DramSector = 1, Port = 1,
         Barrier = 1;
  std::optional<int64_t> L2Bytes;
  Origin From = Origin::Estimated;
};
RateScale rateScale(const Device &Gpu);

/// That H200, as ./dev calibrate measured it (docs/results/h200-card.json).
const CardRates &fittedCard();

/// What the memory of one SM can do, in cycles of its clock.
struct MemoryRates {
  double Line = 0.216;  ///< one line looked up in L1
  double Bank = 0.708;  ///< one turn of its most crowded bank
  double Hit = 44.4;    ///< a load that hits
  double Miss = 427;    ///< a load that goes below L1, beside others
  double Sector = 1.6;  ///< one sector between L1 and L2
  double Far = 0.3;     ///< more of it where all footprints fill L2
  double Dram = 2.4;    ///< one sector that L2 lost; half of it for a new one
  double Barrier = 40;  ///< __syncthreads and one turn of the group loop
  double Unroll = 1.92; ///< iterations issued together where nothing is stored
  double Near = 0.12;   ///< of the footprint, lies between two of these
  double Slope = 1.235; ///< of L1, see lostShare
  double UnusedKiB = 8.64; ///< of L1, never holds data of the loop
  double L2Share = 0.4;    ///< of L2, that one SM's data can use
  double Flight = 2; ///< times L1 that the loads of a warp keep L2 busy with
  double Power = 3;  ///< how sharply the largest term rules
  double GainError = 0.4; ///< of a predicted gain, half unfitted: LoopPlan
  std::optional<int64_t> L2Bytes;
  Origin From = Origin::Estimated;
};

MemoryRates memoryRates(const Device &Gpu);

/// Share of the reuse that a cache loses: none while all fits, then
/// Slope * (1 - cache / footprint), at most all.
double lostShare(double FootprintBytes, double CacheBytes, double Slope);

/// One loop of a nest, run by a number of warps.
struct NestLevel {
  LoopWork Work;
  int64_t FootprintBytes = 0;
  double Times = 1;      ///< iterations of it in one iteration of the outermost
  size_t Around = 0;     ///< index of the level around it; the first has none
  bool Innermost = true; ///< no loop stands inside
};

/// What the caches do not keep, per iteration of the outermost loop and warp.
struct Lost {
  double Sectors = 0; ///< that L1 misses, the new ones included
  double Loads = 0;   ///< that wait for them
};

/// How a nest is run: its outermost loop first, then the loops inside whose
/// own reuse can be lost.
struct Running {
  std::vector<NestLevel> Levels;
  int64_t WarpsPerBlock = 0; ///< W
  int64_t WarpsPerGroup = 0; ///< w; W: undivided
  int64_t BlocksPerSM = 0;   ///< T
  int64_t L1Bytes = 0;
  std::optional<int64_t> BusySMs = std::nullopt; ///< absent: all have blocks
};

/// Cycles per iteration of the outermost loop and warp.
double cyclesPerIteration(const Running &How, const Device &Gpu,
                          const MemoryRates &Rates);

/// Cycles of an SM per warp of a group for its whole loop, the barrier behind
/// it included.
double cyclesPerWarp(const Running &How, const Device &Gpu,
                     const MemoryRates &Rates);

} // namespace catt

#endif
