//===- JointStrategy.h - A cap together with what it spills -----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   127 registers, 2 blocks
//    80 registers, 3 blocks, spills   --(PointStrategy)--> 20 in shared memory
//    64 registers, 4 blocks, spills   --(PointStrategy)--> 36 in shared memory
//                  again: which of the points? <--(Selector)--'
//
// The papers' rules as closed loops: a rule is asked about the points as the
// compiler makes them (planRegisters), then about what becomes of those that
// spill if values are computed again or moved to shared memory. Tried are the
// points that it would take if hardly anything had to be moved, and the one
// that it takes as it is. By machine code, what a trial gains over the spills
// of ptxas has to be worth what is written, and trying goes on only at points
// that could still beat what was found.
//
// For a rule that takes no point with spills (Selector::MaySpill), trying ends
// at the first point that spills whatever is done: at a tighter one there is
// more to do.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_VARIANT_JOINTSTRATEGY_H
#define CATT_ANALYSIS_PLAN_VARIANT_JOINTSTRATEGY_H

#include "analysis/plan/variant/PointStrategy.h"

namespace catt {

/// The kernel at each point that the selector may come to, with Registers, and
/// with Remat and Spill, as May allows, where it is worth a trial; fewest
/// blocks first. None where no point is, where the user has decided, or where
/// no bound may be written. Alone, the kernel as planned, has Registers.
std::vector<Variant> jointVariants(const Kernel &K, const RegisterUse &Use,
                                   const Variant &Alone, const Means &May,
                                   const RegisterOptions &Options);

/// Looks for the point that the selector takes.
class JointStrategy final : public Strategy {
public:
  /// Points as jointVariants() gives them. K, Use and Points must outlive the
  /// strategy.
  JointStrategy(const Kernel &K, const RegisterUse &Use,
                const std::vector<Variant> &Points, const Means &May)
      : K(K), Use(Use), Points(Points), May(May) {}

  std::vector<Proposal> propose() override;
  std::vector<Part> needs(const Variant &V) const override;
  void refuse() override { Now->refuse(); }
  void learn(const Variant &V, const RegisterPoint &Compiled) override {
    Now->learn(V, Compiled);
  }
  std::optional<Variant> decide() override;

private:
  /// What became of one of Points.
  struct Tried {
    Variant As;
    DesignPoint Point;
  };
  bool judge(const Variant &Start, const std::optional<Variant> &Found);
  bool isBeaten(const Variant &Start) const;

  const Kernel &K;
  const RegisterUse &Use;
  const std::vector<Variant> &Points;
  Means May;
  size_t Next = 0;                  ///< of Points
  std::optional<PointStrategy> Now; ///< at the point before Next
  std::vector<Tried> Known;
};

} // namespace catt

#endif
