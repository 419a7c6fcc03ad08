//===- GridTime.h - A grid of blocks, of what one warp takes ----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   WarpCost (registers/WarpTimeline), blocks that share an SM --> cycles
//
//   SM 0  | b b b | b b b | b      |     three blocks at a time; the last wave
//   SM 1  | b b b | b b b |        |     takes what one block takes
//
// A wave takes the root of the sum of the squares of
//
//   memory   sectors below L1 * MemoryRates::Sector, of what all SMs have on
//            average: global accesses, and the share of the local ones that L1
//            does not keep: by which the local memory of the resident threads,
//            and a part of their global accesses, exceed it
//   issue    instructions * IssueCycles / schedulers, on the busiest SM
//   spills   local accesses * LocalCycles, shared ones * SharedCycles, there,
//   too warp     the cycles of one warp
//
// Waves follow each other. The constants were chosen on generated kernels with
// 32 to 255 registers (docs/registers.md), on an H200.
//
// Limits: every access of global memory is taken to touch 4 sectors below L1;
// what blocks lose to each other in L1 is CRAT's OptTLP. Branches are taken for
// straight code, and loops for ten rounds.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_TIME_GRIDTIME_H
#define CATT_ANALYSIS_TIME_GRIDTIME_H

#include "analysis/device/Device.h"
#include "analysis/model/RegisterUse.h"

namespace catt {

/// A kernel under one cap, and the blocks of it that an SM holds.
struct ResidentBlocks {
  WarpCost Warp;
  int64_t ThreadsPerBlock = 0;
  int64_t BlocksPerSM = 0;
  int64_t LocalBytes = 0;  ///< of local memory, of one thread
  int64_t SharedBytes = 0; ///< of one block: what it leaves is L1
};

/// Cycles of one wave, if the busiest SM has so many blocks, and all SMs so
/// many on average.
double waveCycles(const ResidentBlocks &Of, double Busiest, double Average,
                  const Device &Gpu);

/// Cycles until so many blocks are done, on a GPU with this many SMs.
double gridCycles(const ResidentBlocks &Of, int64_t GridBlocks, int64_t SMs,
                  const Device &Gpu);

/// Cycles of an SM for one block while all of them are busy, whatever the grid.
double cyclesOfBlock(const ResidentBlocks &Of, const Device &Gpu);

} // namespace catt

#endif
