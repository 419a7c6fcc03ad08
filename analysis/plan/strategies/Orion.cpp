//===- Orion.cpp - Up or down by MaxLive ----------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   MaxLive < registers of full occupancy   the kernel as it is
//   else                                    the most blocks whose spilled
//                                           values still fit on the chip
//
// Orion section 3.3, figure 8: the static part of it. The paper goes on at run
// time, in the direction that is found here.
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/strategies/Selectors.h"
#include "llvm/Support/FormatVariadic.h"

namespace catt {

Direction orionDirection(unsigned MaxLive, const Device &Gpu) {
  return int64_t(MaxLive) >= minRegisters(Gpu) ? Direction::Increasing
                                               : Direction::Decreasing;
}

size_t conservativePoint(const SelectorInput &In) {
  size_t Best = 0;
  for (size_t I = 1; I < In.Points.size(); ++I) {
    const DesignPoint &P = In.Points[I];
    int64_t Spilled =
        int64_t(P.Compiled.StackBytes) * P.Blocks * In.ThreadsPerBlock;
    int64_t OnChip = In.Gpu.UnifiedBytes - P.Blocks * In.sharedBytes(P);
    if (Spilled <= OnChip)
      Best = I;
  }
  return Best;
}

static Selection selectOrion(const SelectorInput &In) {
  bool Up = orionDirection(In.MaxLive, In.Gpu) == Direction::Increasing;
  return {Up ? conservativePoint(In) : 0,
          llvm::formatv(
              "MaxLive {0} is {1} the {2} registers of full occupancy",
              In.MaxLive, Up ? "not below" : "below", minRegisters(In.Gpu))
              .str()};
}

constinit const Selector Selector::Orion{"orion", selectOrion, true};

} // namespace catt
