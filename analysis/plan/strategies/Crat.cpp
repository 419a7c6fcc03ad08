//===- Crat.cpp - Spills against parallelism ------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   point      spills   threads   TLPgain   TPSC = Spillcost * TLPgain
//   2 blocks        0       512      0.80      0
//   3 blocks        0       768      0.73      0    <- the most blocks of the
//   4 blocks       12      1024      0.67    320       least TPSC: taken
//
// CRAT section 6. The stairs are Staircase.h's (section 4), whose second
// pruning is SelectorInput::isPruned.
//
// No program calls greedyThenOldest yet. The search over registers and blocks
// together will, for OptBlocks where no footprint gives it.
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/strategies/Selectors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace catt {

double tlpGain(int64_t Threads, int64_t MaxThreads) {
  return 1 - double(Threads) / double(Threads + MaxThreads);
}

double tpsc(const DesignPoint &P, int64_t ThreadsPerBlock, int64_t MaxThreads,
            const SpillCosts &Costs) {
  return tlpGain(P.Blocks * ThreadsPerBlock, MaxThreads) * P.spillAccesses() *
         Costs.Local;
}

static Selection selectTpsc(const SelectorInput &In) {
  size_t Best = 0;
  auto Value = [&](size_t I) {
    return tpsc(In.Points[I], In.ThreadsPerBlock, In.Gpu.MaxThreadsPerSM, {});
  };
  // Among equals (no spill at all costs nothing) more blocks are better.
  for (size_t I = 1; I < In.Points.size(); ++I)
    if (!In.isPruned(I) && Value(I) <= Value(Best))
      Best = I;
  return {Best, llvm::formatv("TPSC {0:f1} is the least", Value(Best)).str()};
}

namespace {
/// A block on its way through its segments.
struct RunningBlock {
  size_t Next = 0;       ///< segment
  double ReadyCycle = 0; ///< when its last access is back
  bool Started = false;
};
} // namespace

int64_t greedyThenOldest(llvm::ArrayRef<Segment> Block, int64_t MaxBlocks,
                         double BandwidthCycles) {
  if (Block.empty() || MaxBlocks <= 1)
    return 1;
  std::vector<RunningBlock> Blocks{size_t(MaxBlocks)};
  double Now = 0, MemoryFree = 0;
  while (true) {
    // Greedy: a block runs until it waits. Then the oldest that is ready.
    auto Runs = llvm::find_if(
        Blocks, [&](const RunningBlock &B) { return B.ReadyCycle <= Now; });
    if (Runs == Blocks.end()) {
      Now = llvm::min_element(Blocks, [](const auto &A, const auto &B) {
              return A.ReadyCycle < B.ReadyCycle;
            })->ReadyCycle;
      continue;
    }
    if (Runs->Next == Block.size())
      break; // the oldest block ends first: it goes before all others
    Runs->Started = true;
    const Segment &S = Block[Runs->Next++];
    Now += S.ComputeCycles;
    if (S.MemoryCycles > 0) {
      double Begins = std::max(Now, MemoryFree);
      MemoryFree = Begins + BandwidthCycles;
      Runs->ReadyCycle = Begins + S.MemoryCycles;
    }
  }
  return llvm::count_if(Blocks,
                        [](const RunningBlock &B) { return B.Started; });
}

constinit const Selector Selector::Tpsc{"tpsc", selectTpsc};

} // namespace catt
