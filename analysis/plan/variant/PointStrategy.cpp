//===- PointStrategy.cpp - What brings a kernel under one cap -------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/variant/PointStrategy.h"
#include "llvm/ADT/STLExtras.h"

namespace catt {

PointStrategy::PointStrategy(const Kernel &K, const RegisterUse &Use,
                             const Variant &Start, const Means &May)
    : K(K), May(May), Known(Start) {
  if (May.Spill)
    Spill = Start.Spill;
  if (!May.Remat || !Start.Remat || Start.Remat->Values.empty()) {
    beginSpill();
    return;
  }
  Variant Alone = Start;
  Alone.Spill.reset(); // moves nothing meanwhile
  Now = std::make_unique<RematStrategy>(K, Use, Alone);
}

std::vector<Part> partsOfPoint(const Variant &V, const Means &May) {
  if (May.Spill && V.Spill && (V.Spill->Pragma || V.Spill->MovedRegisters != 0))
    return {Part::Spill};
  return {};
}

void PointStrategy::beginSpill() {
  Now.reset();
  if (!Spill)
    return;
  Known.Spill = std::exchange(Spill, std::nullopt);
  keepApart(K, Known); // not what is computed again
  Now = std::make_unique<SpillStrategy>(K, Known);
}

/// What the assembler made of the values that are computed again.
static const RematStep *stepTaken(const RematPlan &Plan) {
  auto Taken = llvm::find_if(Plan.Steps, [&](const RematStep &S) {
    return S.Values == Plan.Values.size();
  });
  return Taken == Plan.Steps.end() ? nullptr : &*Taken;
}

static bool spillsNothing(const RematPlan &Plan) {
  const RematStep *Step = stepTaken(Plan);
  return Step && !Step->Compiled.spills();
}

std::vector<Proposal> PointStrategy::propose() {
  while (Now) {
    std::vector<Proposal> Out = Now->propose();
    if (!Out.empty())
      return Out;
    if (std::optional<Variant> Found = Now->decide()) {
      Known = std::move(*Found);
      Decided = true;
    }
    if (Spill && spillsNothing(*Known.Remat))
      Spill.reset();
    beginSpill();
  }
  return {};
}

std::optional<Variant> PointStrategy::decide() {
  if (!Decided)
    return std::nullopt;
  return Known;
}

//===-- What it takes -----------------------------------------------------===//

/// The cheapest of the steps that spill nothing to local memory; null if each
/// does. enable_smem_spilling is none of them: without machine code, how often
/// it accesses shared memory is only guessed from how much it takes.
static const SpillStep *stepWithoutSpills(const SharedSpill &Spill) {
  const SpillStep *Best = nullptr;
  for (const SpillStep &S : Spill.Steps)
    if (!S.Pragma && !S.Compiled.spills() && (!Best || S.Cost < Best->Cost))
      Best = &S;
  return Best;
}

DesignPoint relieve(const Kernel &K, DesignPoint Point, bool MaySpill,
                    Variant &V) {
  const double Weight = Point.Compiled.SpillWeight;
  if (V.Remat && !V.Remat->Values.empty())
    if (const RematStep *Step = stepTaken(*V.Remat)) {
      Point.Compiled = Step->Compiled;
      Point.By.Registers += V.Remat->Freed;
      for (const Recomputation &R : V.Remat->Values)
        Point.By.Recomputed += double(R.Cost);
    }
  if (V.Spill && !V.Spill->Steps.empty()) {
    const SpillStep *Best = MaySpill ? nullptr : stepWithoutSpills(*V.Spill);
    SpillStep Step = Best ? *Best : V.Spill->Steps[bestStep(*V.Spill)];
    take(K, Step, *V.Spill);
    if (Step.MovedRegisters != 0 || Step.Pragma) {
      V.Spill->Refusals.clear();
      Point.Compiled = Step.Compiled;
      Point.By.Registers += Step.MovedRegisters;
      Point.By.SharedAccesses += Step.Accesses;
    }
  }
  Point.Compiled.SpillWeight = Weight;
  return Point;
}

} // namespace catt
