//===- JointStrategy.cpp - A cap together with what it spills -------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/variant/JointStrategy.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace catt {

/// The model decides, which knows the time of spills where it has machine code.
static bool isByCode(const RegisterPlan &Plan, const DesignPoint &P) {
  return Plan.By == Selector::Model && P.Compiled.Warp &&
         Plan.In.Points.front().Compiled.Warp;
}

/// By machine code: how many times as fast as under the cap alone.
static double reliefOf(const RegisterPlan &Plan, const DesignPoint &Alone,
                       const DesignPoint &New) {
  return gainByCode(Plan.In, New, Alone).value_or(0);
}

/// The least that a point could take: as it is under its cap, or without one,
/// whichever takes less, and all that it spills gone but for one access.
static DesignPoint atBest(const RegisterPlan &Plan, DesignPoint P) {
  const RegisterPoint &Free = Plan.In.Points.front().Compiled;
  RegisterPoint &Under = P.Compiled;
  Under.SpillLoadBytes = Under.SpillStoreBytes = Under.StackBytes = 0;
  P.By.Registers = int64_t(Free.Registers) - int64_t(Under.Registers);
  P.By.SharedAccesses = 1;
  if (!isByCode(Plan, P))
    return P;
  Under.Warp->Local = 0;
  for (double WarpCost::*Each : WarpCostMembers)
    (*Under.Warp).*Each = std::min((*Under.Warp).*Each, (*Free.Warp).*Each);
  return P;
}

/// The rule would take the point at its best, or has taken it as it is; and by
/// machine code, relief may be worth the least that can be written for it.
static bool isWorthTrial(const RegisterPlan &Alone, size_t Point,
                         const RegisterOptions &Options) {
  const DesignPoint &P = Alone.In.Points[Point];
  SelectorInput In = Alone.In;
  In.Points[Point] = atBest(Alone, P);
  const double Least = Alone.In.MinGain / (Options.HasSpillPragma ? 2 : 1);
  if (isByCode(Alone, P) && reliefOf(Alone, P, In.Points[Point]) < 1 + Least)
    return false;
  return Alone.Chosen == Point || Alone.By.Select(In).Point == Point;
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
  if (V.Spill && !V.Spill->mayBeTried())
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
        isWorthTrial(Plan, I, Options))
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
  const RegisterPlan &Plan = *Start.Registers;
  const DesignPoint Raw = Plan.chosen();
  const bool ByCode = isByCode(Plan, Raw), MaySpill = Plan.By.MaySpill;
  Tried T{Found ? *Found : Start, Raw};
  auto AsItWas = [&] {
    T.As.Spill.reset();
    T.As.Remat.reset();
    T.Point = Raw;
  };
  if (!Found) // nothing could be written
    AsItWas();
  T.Point = relieve(K, Raw, MaySpill || ByCode, T.As);
  const bool Again = T.As.Remat && !T.As.Remat->Values.empty();
  const double Worth = Again        ? Plan.In.MinGain
                       : T.As.Spill ? worthOf(*T.As.Spill, Plan.In.MinGain)
                                    : 0;
  if (ByCode && reliefOf(Plan, Raw, T.Point) < 1 + Worth)
    AsItWas();
  const bool Spills = T.Point.spills();
  Known.push_back(std::move(T));
  return MaySpill || ByCode || !Spills;
}

/// By machine code, what was found so far is as good as this can become.
bool JointStrategy::isBeaten(const Variant &Start) const {
  const RegisterPlan &Plan = *Start.Registers;
  const DesignPoint &P = Plan.chosen();
  return isByCode(Plan, P) && llvm::any_of(Known, [&](const Tried &T) {
           return reliefOf(Plan, T.Point, atBest(Plan, P)) <= 1;
         });
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
    if ((Start.Spill || Start.Remat) && !isBeaten(Start))
      Now.emplace(K, Use, Start, May);
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
