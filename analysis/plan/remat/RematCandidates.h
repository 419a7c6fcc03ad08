//===- RematCandidates.h - Values that can be computed again ----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   peaks (lines) --(regionOf)--> regions (statements)
//   a variable    --(needsBehind)--> before which statements it is needed again
//                 --(unfit, bindOperands)--> a candidate, or why it is none
//
// The conditions of TLP-RM, section 2.2, as RematPlan.h numbers them, for one
// variable at a time. Which candidates are taken, RematPlan.cpp decides.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_REMAT_REMATCANDIDATES_H
#define CATT_ANALYSIS_PLAN_REMAT_REMATCANDIDATES_H

#include "analysis/plan/remat/RematPlan.h"
#include "llvm/ADT/StringRef.h"

namespace catt {

/// A peak of pressure, as statements.
struct RematRegion {
  const PressurePeak *Peak = nullptr;
  unsigned First = 0, Last = 0; ///< the innermost statements that it touches
  std::vector<bool> Holds;      ///< those that hold a part of it
  unsigned Excess = 0;          ///< registers too many
};

/// The statements of a peak; those that call the function that it stands in,
/// where it stands in another one. Empty if there are none.
std::optional<RematRegion> regionOf(const Kernel &K, const PressurePeak &Peak);

/// A value that could be computed again.
struct RematCandidate {
  Recomputation What;
  /// Operands that are variables of the kernel, by index in Kernel::Values.
  std::vector<unsigned> Operands;
  /// Of these, those that nothing else uses where the value is needed again.
  std::vector<unsigned> Missing;
  std::vector<unsigned> Covers; ///< indices of regions
  std::vector<unsigned> Freed;  ///< registers, for each of them
};

class RematCandidates {
public:
  RematCandidates(const Kernel &K, const std::vector<RematRegion> &Regions)
      : K(K), Regions(Regions) {}

  /// Every variable that is live across some region; the others' refusals are
  /// added to Refusals.
  std::vector<RematCandidate> find(std::vector<Refusal> &Refusals) const;

  /// The same for a variable that is to be computed before these statements,
  /// whatever its uses are. Empty if it cannot be.
  std::optional<RematCandidate>
  helper(unsigned Value, const std::vector<unsigned> &Before) const;

  /// Whether the value that a statement computes still holds at a later one of
  /// the same block: no region lies between them.
  bool leads(unsigned Earlier, unsigned Later) const;

  uint64_t costOf(unsigned Value, const std::vector<unsigned> &Before) const;

private:
  bool comesAround(const ThreadValue &V, const RematRegion &R,
                   unsigned Use) const;
  unsigned topOf(const RematRegion &R, unsigned Use) const;
  std::vector<unsigned> needsBehind(const ThreadValue &V,
                                    const RematRegion &R) const;
  unsigned registersIn(const ThreadValue &V, const RematRegion &R) const;
  std::optional<Refusal> unfit(const ThreadValue &V) const;
  std::optional<unsigned> findOperand(const ThreadValue &V,
                                      llvm::StringRef Name) const;
  bool isHidden(const ThreadValue &V, unsigned Before) const;
  bool isUsedBehind(const ThreadValue &W, unsigned Statement) const;
  std::optional<Refusal>
  unfitOperand(const ThreadValue &V, const ThreadValue &W,
               const std::vector<unsigned> &Before) const;
  std::optional<Refusal> bindOperands(const ThreadValue &V,
                                      RematCandidate &C) const;

  const Kernel &K;
  const std::vector<RematRegion> &Regions;
};

} // namespace catt

#endif
