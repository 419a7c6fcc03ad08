//===- RematStrategy.h - How many values are computed again -----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   nothing, the plan, halves of it   all at once
//   at the end, the one that spills the fewest bytes
//
// A plan that spills no fewer bytes than the kernel as it is, is dropped. Where
// the assembler spills nothing to begin with (clang's code may need less than
// that of the compiler that will be used), it cannot tell, and the estimate
// stays. (TLP-RM section 2.4.)
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_VARIANT_REMATSTRATEGY_H
#define CATT_ANALYSIS_PLAN_VARIANT_REMATSTRATEGY_H

#include "analysis/plan/variant/Strategy.h"

namespace catt {

/// Looks for how many values of a kernel are to be computed again.
class RematStrategy final : public Strategy {
public:
  /// Start has a Remat with values. K and Use must outlive the strategy.
  RematStrategy(const Kernel &K, const RegisterUse &Use, const Variant &Start);

  std::vector<Proposal> propose() override;
  std::vector<Part> needs(const Variant &V) const override;
  void refuse() override {}
  void learn(const Variant &V, const RegisterPoint &Compiled) override;
  std::optional<Variant> decide() override;

private:
  RematPlan planFor(unsigned Wanted) const;

  const Kernel &K;
  const RegisterUse &Use;
  Variant Start;
  RematPlan Best;
  std::vector<RematStep> Steps; ///< the first one: nothing computed again
  bool Proposed = false;
};

} // namespace catt

#endif
