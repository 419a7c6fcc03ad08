//===- JointStrategy.cpp - A cap together with what it spills -------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/variant/JointStrategy.h"
#include "llvm/ADT/STLExtras.h"

namespace catt {

/// For the model, by machine code: New is not worth more than Old.
static bool isAsGood(const RegisterPlan &Plan, const DesignPoint &Old,
                     const DesignPoint &New) {
  return Plan.By == Selector::Model && Old.Compiled.Warp &&
         gainByCode(Plan.In, New, Old).value_or(0) < 1 + Plan.In.MinGain;
}

/// The rule would take the point if one access of shared memory were all that
/// it takes to spill nothing.
static bool isWorthTrial(const RegisterPlan &Alone, size_t Point) {
  SelectorInput In = Alone.In;
  DesignPoint &P = In.Points[Point];
  P.Compiled.SpillLoadBytes = P.Compiled.SpillStoreBytes = 0;
  P.Compiled.StackBytes = 0;
  P.By.Registers = int64_t(In.Points.front().Compiled.Registers) -
                   int64_t(P.Compiled.Registers);
  P.By.SharedAccesses = 1;
  P.Compiled.Warp = In.Points.front().Compiled.Warp;
  return Alone.By.Select(In).Point == Point &&
         !isAsGood(Alone, Alone.In.Points[Point], P);
}

/// Gives the variant what may be tried at its point; false: nothing.
static bool addTrial(const Kernel &K, const RegisterUse &Use, const Means &May,
                     const RegisterOptions &Options, Variant &V) {
  const int64_t Cap = V.Registers->chosen().Compiled.CapRegisters;
  if (May.Remat)
    V.Remat = planRemat(K, Use, unsigned(Cap));
  if (V.Remat && V.Remat->Values.empty())
    V.Remat.reset();
  if (May.Spill)
    V.Spill = planSpill(K, Use, Cap, Options);
  if (V.Spill && !V.Spill->Refusals.empty())
    V.Spill.reset();
  return V.Remat || V.Spill;
}

std::vector<Variant> jointVariants(const Kernel &K, const RegisterUse &Use,
                                   const Variant &Alone, const Means &May,
                                   const RegisterOptions &Options) {
  const RegisterPlan &Plan = *Alone.Registers;
  if (Plan.Target || Plan.Forced)
    return {};
  std::vector<Variant> Out;
  bool IsTrial = false;
  for (size_t I = 0; I < Plan.In.Points.size(); ++I) {
    const DesignPoint &P = Plan.In.Points[I];
    Variant V = Alone;
    V.Spill.reset();
    V.Remat.reset();
    choosePoint(K, I, Options, *V.Registers);
    if (I != 0 && (!V.Registers->Bounds || !V.Registers->Refusals.empty()))
      continue;
    if (I != 0 && P.spills() && P.Compiled.From == Origin::Measured &&
        isWorthTrial(Plan, I))
      IsTrial |= addTrial(K, Use, May, Options, V);
    Out.push_back(std::move(V));
  }
  if (!IsTrial)
    Out.clear();
  return Out;
}

/// Keeps what became of a point. False: a tighter one need not be tried.
bool JointStrategy::judge(const Variant &Start,
                          const std::optional<Variant> &Found) {
  Tried T{Found ? *Found : Start, Start.Registers->chosen()};
  const bool MaySpill = Start.Registers->By.MaySpill;
  if (!Found) { // nothing could be written
    T.As.Spill.reset();
    T.As.Remat.reset();
  }
  const DesignPoint Raw = T.Point;
  T.Point = relieve(K, Raw, MaySpill, T.As);
  if (isAsGood(*Start.Registers, Raw, T.Point)) {
    T.As.Spill.reset();
    T.As.Remat.reset();
    T.Point = Raw;
  }
  const bool Spills = T.Point.spills();
  Known.push_back(std::move(T));
  return MaySpill || !Spills;
}

std::vector<Proposal> JointStrategy::propose() {
  while (true) {
    if (Now) {
      std::vector<Proposal> Out = Now->propose();
      if (!Out.empty())
        return Out;
      if (!judge(Points[Next - 1], Now->decide()))
        Next = Points.size();
      Now.reset();
    }
    if (Next == Points.size())
      return {};
    const Variant &Start = Points[Next++];
    if (Start.Spill || Start.Remat)
      Now.emplace(K, Use, Start, May, CanSpillItself);
  }
}

/// Without its cap a point is no use.
std::vector<Part> JointStrategy::needs(const Variant &V) const {
  std::vector<Part> Out = partsOfPoint(V, May);
  if (V.Registers->Bounds)
    Out.push_back(Part::Bounds);
  return Out;
}

std::optional<Variant> JointStrategy::decide() {
  if (Known.empty())
    return std::nullopt;
  const RegisterPlan &Plan = *Points.front().Registers;
  SelectorInput In = Plan.In;
  std::map<size_t, DesignPoint> Relieved;
  for (const Tried &T : Known) {
    const size_t Point = T.As.Registers->Chosen;
    In.Points[Point] = T.Point;
    if (T.Point.By.any())
      Relieved[Point] = T.Point;
  }
  const Selection S = Plan.By.Select(In);
  std::optional<Variant> Out;
  for (const Variant &V : Points)
    if (V.Registers->Chosen == S.Point)
      Out = V;
  for (const Tried &T : Known)
    if (T.As.Registers->Chosen == S.Point)
      Out = T.As;
  if (!Out)
    return std::nullopt;
  for (auto [By, Of] :
       llvm::zip_equal(allSelectors(), Out->Registers->Selections))
    if (By == Plan.By)
      Of = S;
  Out->Registers->Relieved = std::move(Relieved);
  return Out;
}

} // namespace catt
