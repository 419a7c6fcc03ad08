//===- SpillStrategy.h - How much waits in shared memory --------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   eighths of what the target lacks, and the pragma   all at once
//   halfway to the neighbours of the best              two at a time, 3 rounds
//   at the end, the best that was seen
//
// CRAT section 6, TLP-RM section 2.4: compile, look, keep what is better.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_VARIANT_SPILLSTRATEGY_H
#define CATT_ANALYSIS_PLAN_VARIANT_SPILLSTRATEGY_H

#include "analysis/plan/variant/Strategy.h"

namespace catt {

/// Looks for how much of the values of a kernel is to wait in shared memory.
class SpillStrategy final : public Strategy {
public:
  /// Start has a Spill. K must outlive the strategy.
  SpillStrategy(const Kernel &K, const Variant &Start);

  std::vector<Proposal> propose() override;
  std::vector<Part> needs(const Variant &V) const override;
  void refuse() override { Over = true; }
  void learn(const Variant &V, const RegisterPoint &Compiled) override;
  std::optional<Variant> decide() override;

private:
  const Kernel &K;
  Variant Tried;     ///< its Spill has every step that was tried
  bool Over = false; ///< there is nothing to try, or the text stands against it
  unsigned Rounds = 0;
};

} // namespace catt

#endif
