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
//===----------------------------------------------------------------------===//
#include "analysis/plan/strategies/Selectors.h"
#include "llvm/Support/FormatVariadic.h"

namespace catt {

double tlpGain(int64_t Threads, int64_t MaxThreads) {
  return 1 - double(Threads) / double(Threads + MaxThreads);
}

double tpsc(const DesignPoint &P, int64_t ThreadsPerBlock, int64_t MaxThreads) {
  const SpillCosts Costs;
  return tlpGain(P.Blocks * ThreadsPerBlock, MaxThreads) *
         (P.spillAccesses() * Costs.Local + P.By.SharedAccesses * Costs.Shared +
          P.By.Recomputed);
}

static Selection selectTpsc(const SelectorInput &In) {
  size_t Best = 0;
  auto Value = [&](size_t I) {
    return tpsc(In.Points[I], In.ThreadsPerBlock, In.Gpu.MaxThreadsPerSM);
  };
  // Among equals (no spill at all costs nothing) more blocks are better.
  for (size_t I = 1; I < In.Points.size(); ++I)
    if (!In.isPruned(I) && Value(I) <= Value(Best))
      Best = I;
  return {Best, llvm::formatv("TPSC {0:f1} is the least", Value(Best)).str()};
}

constinit const Selector Selector::Tpsc{"tpsc", selectTpsc, true};

} // namespace catt
