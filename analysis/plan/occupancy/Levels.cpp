//===- Levels.cpp - Numbers of blocks that launches may try ---------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/occupancy/Levels.h"
#include "llvm/ADT/STLExtras.h"

namespace catt {

/// Copies of one kernel. Orion has at most five versions, the original and one
/// for the other direction among them.
constexpr size_t MostCopies = 3;

/// Threads of the largest block, if those of all launches are known.
static int64_t boundedThreads(const Kernel &K) {
  int64_t Most = 0;
  for (const Launch &L : K.Launches) {
    std::optional<int64_t> Threads = L.Block.count();
    if (!Threads)
      return 0;
    Most = std::max(Most, *Threads);
  }
  return Most;
}

LevelPlan planLevels(const Kernel &K, const RegisterUse *Use,
                     const RegisterPlan *Registers, const Device &Gpu) {
  LevelPlan Out;
  Out.Threads = boundedThreads(K);
  if (!Use || !Registers || !Out.Threads || K.MaxThreads || K.MaxRegisters)
    return Out;
  Out.MoreFirst = orionDirection(Use->MaxLive, Gpu) == Direction::Increasing;
  for (const DesignPoint &P : Registers->Points)
    if (P.Blocks > Registers->Before.BlocksPerSM)
      Out.MoreBlocks.push_back(P.Blocks);
  llvm::sort(Out.MoreBlocks);
  Out.MoreBlocks.erase(llvm::unique(Out.MoreBlocks), Out.MoreBlocks.end());
  if (Out.MoreBlocks.size() > MostCopies)
    Out.MoreBlocks.resize(MostCopies);
  return Out;
}

} // namespace catt
