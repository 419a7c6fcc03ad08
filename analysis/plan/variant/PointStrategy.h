//===- PointStrategy.h - What brings a kernel under one cap -----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   RematStrategy   as few spilled bytes as values computed again can leave
//   SpillStrategy   of the others, how many wait in shared memory
//
// TLP-RM section 2 (its figure 2): computing again comes first, as it takes
// fewer instructions; moving values goes on from what is left, and the
// assembler is asked after each step. Where nothing is spilled any more, the
// second is not begun.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_VARIANT_POINTSTRATEGY_H
#define CATT_ANALYSIS_PLAN_VARIANT_POINTSTRATEGY_H

#include "analysis/plan/variant/RematStrategy.h"
#include "analysis/plan/variant/SpillStrategy.h"
#include <memory>

namespace catt {

/// The parts without which the text is not that of the variant. A value that
/// cannot be computed again there is left out, and measured so.
std::vector<Part> partsOfPoint(const Variant &V, const Means &May);

/// Looks for what a kernel is to compute again and to move under a cap.
class PointStrategy final : public Strategy {
public:
  /// Of the Remat and the Spill that Start has, those that May allows are
  /// tried. K and Use must outlive this.
  PointStrategy(const Kernel &K, const RegisterUse &Use, const Variant &Start,
                const Means &May);

  std::vector<Proposal> propose() override;
  std::vector<Part> needs(const Variant &V) const override {
    return partsOfPoint(V, May);
  }
  void refuse() override { Now->refuse(); }
  void learn(const Variant &V, const RegisterPoint &Compiled) override {
    Now->learn(V, Compiled);
  }
  std::optional<Variant> decide() override;

private:
  void beginSpill();

  const Kernel &K;
  Means May;
  std::optional<SharedSpill> Spill; ///< to be tried when Remat is decided
  Variant Known;                    ///< as decided so far
  bool Decided = false;             ///< something was
  std::unique_ptr<Strategy> Now;    ///< null: nothing is left to try
};

/// What a kernel under a cap became by the Remat and the Spill that were tried:
/// what the assembler said of it, and what it takes. As it was where nothing is
/// computed again or moved. Where MaySpill is false and there is a step that
/// spills nothing to local memory, takes the cheapest of those.
DesignPoint relieve(const Kernel &K, DesignPoint Point, bool MaySpill,
                    Variant &V);

} // namespace catt

#endif
