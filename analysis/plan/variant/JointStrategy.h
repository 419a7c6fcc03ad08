//===- JointStrategy.h - A cap together with what it spills -----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   the kernel as planned: 127 registers, 2 blocks; tighter points spill, and
//   are not trusted
//     80 registers, 4 blocks  + what of the values is to wait elsewhere
//     64 registers, 5 blocks  + what of the values is to wait elsewhere
//
// The model takes no point that spills to local memory (docs/registers.md). A
// tighter one may be worth its cap all the same if everything that it spills is
// moved to shared memory instead. Which are: those that would gain if moving
// cost nothing. Whether one is: a trial, in which the assembler spills nothing
// any more, and the predicted time with the accesses that this takes.
//
// Trying ends at the first point that spills whatever is moved: at a tighter
// one there is more to move.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_VARIANT_JOINTSTRATEGY_H
#define CATT_ANALYSIS_PLAN_VARIANT_JOINTSTRATEGY_H

#include "analysis/plan/variant/SpillStrategy.h"

namespace catt {

/// The kernel at each point that is worth a trial, with Registers and Spill,
/// fewest blocks first. None where the user or another selector has decided,
/// where no bound may be written, or where more warps are not known to help:
/// loops that stream want registers, and what more dependent loads do to the
/// cache cannot be told. Alone, the kernel as planned, has Registers.
std::vector<Variant> jointVariants(const Kernel &K, const RegisterUse &Use,
                                   const Variant &Alone,
                                   const RegisterOptions &Options);

/// Looks for the point with about the largest predicted gain.
class JointStrategy final : public Strategy {
public:
  /// Points as jointVariants() gives them. K, Points and Gpu must outlive the
  /// strategy; CanSpillItself as for SpillStrategy.
  JointStrategy(const Kernel &K, const Variant &Alone,
                const std::vector<Variant> &Points, const Device &Gpu,
                bool CanSpillItself)
      : K(K), Alone(*Alone.Registers), Points(Points), Gpu(Gpu),
        CanSpillItself(CanSpillItself) {}

  std::vector<Proposal> propose() override;
  std::vector<Part> needs(const Variant &V) const override;
  void refuse() override { Now->refuse(); }
  void learn(const Variant &V, const RegisterPoint &Compiled) override {
    Now->learn(V, Compiled);
  }
  std::optional<Variant> decide() override;

private:
  /// A point at which nothing need be spilled.
  struct Found {
    Variant As;
    double Gain = 1; ///< over the kernel as it was planned
  };
  void judge(const std::optional<Variant> &Tried);
  double gain(const Variant &V, const SpillStep &Step) const;

  const Kernel &K;
  RegisterPlan Alone;
  const std::vector<Variant> &Points;
  const Device &Gpu;
  bool CanSpillItself;
  size_t Next = 0;                  ///< of Points
  std::optional<SpillStrategy> Now; ///< at the point before Next
  std::vector<Found> Good;          ///< fewest blocks first
};

} // namespace catt

#endif
