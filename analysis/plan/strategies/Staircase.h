//===- Staircase.h - Registers against blocks ------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   registers that a thread may have --> blocks that an SM then holds
//
//   blocks
//     4  *--*
//     3     |--*            the rightmost point of each stair is a Stair
//     2        |-----*
//       24 32 40    64  registers
//
// CRAT section 4: of the points with equally many blocks only the one with most
// registers can be the best (first pruning), and points with more blocks than
// OptTLP lose more in the cache than they gain (second pruning).
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_STRATEGIES_STAIRCASE_H
#define CATT_ANALYSIS_PLAN_STRATEGIES_STAIRCASE_H

#include "analysis/device/Occupancy.h"
#include "analysis/model/RegisterUse.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace catt {

/// The most registers per thread with which so many blocks are resident.
struct Stair {
  int64_t Registers = 0;
  int64_t Blocks = 0;
  bool operator==(const Stair &) const = default;
};

/// CRAT section 4.1, MinReg: registers per thread below which no more threads
/// fit on an SM. Orion section 3.3 takes the same number as the threshold of
/// MaxLive.
int64_t minRegisters(const Device &Gpu);

/// The stairs from MaxRegisters (what the kernel takes without a cap; less
/// where not even one block fits so) down to minRegisters, fewest blocks first.
/// `Block` says what else limits the blocks; its own register count is ignored.
/// Error: as residency().
llvm::Expected<std::vector<Stair>>
staircase(const Device &Gpu, const BlockResources &Block, int64_t MaxRegisters);

/// What the text of a kernel does so that it needs fewer registers.
struct Relief {
  int64_t Registers = 0;     ///< of a thread, that are free for other values
  double SharedAccesses = 0; ///< of slots in shared memory
  double Recomputed = 0;     ///< operations that are done once more
  bool any() const { return Registers != 0 || SharedAccesses != 0; }
};

/// A kernel compiled under a cap, and the blocks that an SM then holds.
struct DesignPoint {
  RegisterPoint Compiled;
  int64_t Blocks = 0;
  Relief By = {}; ///< its counts are weighted as those of an InstructionMix
  bool spills() const { return Compiled.spills(); }
  /// Instructions that move spilled values, 4 bytes each, for one thread;
  /// weighted as those of an InstructionMix.
  double spillAccesses() const {
    return Compiled.SpillWeight * double(Compiled.spilledBytes()) / 4;
  }
};

/// The points of a kernel: first as it is compiled without a cap (or, where no
/// block fits then, with the largest cap that lets one fit), then one for each
/// higher stair whose cap `Use` knows.
/// Error: the block makes no sense or never fits.
llvm::Expected<std::vector<DesignPoint>> designPoints(const Device &Gpu,
                                                      const BlockResources &Of,
                                                      const RegisterUse &Use);

/// The points with more registers than without a cap, and as many blocks or
/// fewer, most blocks first. CRAT takes what the compiler takes without a cap
/// for the most that is of use. ptxas does not: it stops at a stair of its own
/// choice, and goes on beyond if a looser cap is asked for explicitly (on an
/// H200, 80 instead of 56 registers make a stencil 1.33 times as fast).
std::vector<DesignPoint> roomierPoints(const Device &Gpu,
                                       const BlockResources &Of,
                                       const RegisterUse &Use);

} // namespace catt

#endif
