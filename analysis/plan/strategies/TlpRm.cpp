//===- TlpRm.cpp - Registers for one more block ---------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TLP-RM section 2.1: the desired register usage (DRU) is that of one more
// block on an SM. It is taken if nothing is spilled for it to local memory.
// Where it would, variant/PointStrategy goes on as the paper does: computes
// values again, moves others to shared memory, asks ptxas, and asks this again.
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/strategies/Selectors.h"
#include "llvm/Support/FormatVariadic.h"

namespace catt {

static Selection selectDru(const SelectorInput &In) {
  if (In.Points.size() < 2)
    return {0, "no more blocks fit"};
  const DesignPoint &Next = In.Points[1];
  const char *Text =
      Next.spills()   ? "{0} registers, for one step more, would spill"
      : Next.By.any() ? "{0} registers and what they relieve admit one "
                        "step more"
                      : "{0} registers admit one step more";
  return {size_t(Next.spills() ? 0 : 1),
          llvm::formatv(Text, Next.Compiled.CapRegisters).str()};
}

constinit const Selector Selector::Dru{"dru", selectDru, false};

} // namespace catt
