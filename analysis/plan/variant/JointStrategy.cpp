//===- JointStrategy.cpp - A cap together with what it spills -------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/variant/JointStrategy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace catt {

static double cyclesAt(const RegisterPlan &Plan, DesignPoint Point,
                       const KeptInShared &Kept, const Device &Gpu) {
  return cyclesShared(Plan.Mix, Point, Plan.warps(Point), Gpu, Kept);
}

/// As much faster as a point would be if it spilled nothing, and its values
/// took no registers.
static double bestGain(const RegisterPlan &Alone, DesignPoint Point,
                       const Device &Gpu) {
  Point.Compiled.SpillLoadBytes = Point.Compiled.SpillStoreBytes = 0;
  KeptInShared Kept;
  Kept.Registers = int64_t(Alone.Points.front().Compiled.Registers) -
                   int64_t(Point.Compiled.Registers);
  return cyclesAt(Alone, Alone.chosen(), {}, Gpu) /
         cyclesAt(Alone, Point, Kept, Gpu);
}

static bool mayGainByWarps(const InstructionMix &Mix) {
  return !Mix.streams() && 10 * Mix.DependentAccesses < Mix.OffChip;
}

std::vector<Variant> jointVariants(const Kernel &K, const RegisterUse &Use,
                                   const Variant &Start,
                                   const RegisterOptions &Options) {
  std::vector<Variant> Out;
  const RegisterPlan &Alone = *Start.Registers;
  if (Alone.By != Selector::Model || Alone.Target ||
      !mayGainByWarps(Alone.Mix) || Alone.Forced)
    return Out;
  for (size_t I = 0; I < Alone.Points.size(); ++I) {
    const DesignPoint &P = Alone.Points[I];
    if (!P.spills() || P.Compiled.From != Origin::Measured ||
        P.Blocks <= Alone.chosen().Blocks ||
        (Alone.OptBlocks && P.Blocks > *Alone.OptBlocks) ||
        bestGain(Alone, P, Options.Gpu) < 1 + Options.MinGain)
      continue;
    Variant Joint = Start;
    Joint.Spill = planSpill(K, Use, P.Compiled.CapRegisters, Options);
    choosePoint(K, I, Options, *Joint.Registers);
    if (Joint.Registers->Bounds && Joint.Registers->Refusals.empty() &&
        Joint.Spill->Refusals.empty())
      Out.push_back(std::move(Joint));
  }
  return Out;
}

/// The cheapest of the steps that were tried which spills nothing to local
/// memory; null if each does. enable_smem_spilling is none of them: how often
/// it accesses shared memory is only guessed from how much it takes.
static const SpillStep *stepWithoutSpills(const SharedSpill &Spill) {
  const SpillStep *Best = nullptr;
  for (const SpillStep &S : Spill.Steps)
    if (!S.Pragma && !S.Compiled.spills() && (!Best || S.Cost < Best->Cost))
      Best = &S;
  return Best;
}

/// Predicted time at the point that the registers alone have chosen, over that
/// of the variant with this step.
double JointStrategy::gain(const Variant &V, const SpillStep &Step) const {
  DesignPoint Point{Step.Compiled, V.Registers->chosen().Blocks};
  KeptInShared Kept{Step.MovedRegisters, Step.Cost};
  return cyclesAt(Alone, Alone.chosen(), {}, Gpu) /
         cyclesAt(*V.Registers, Point, Kept, Gpu);
}

/// Looks at what was tried at one point.
void JointStrategy::judge(const std::optional<Variant> &Tried) {
  const SpillStep *Cheapest =
      Tried ? stepWithoutSpills(*Tried->Spill) : nullptr;
  if (!Cheapest) {
    Next = Points.size();
    return;
  }
  SpillStep Step = *Cheapest;
  Found F{*Tried, gain(*Tried, Step)};
  take(K, Step, *F.As.Spill);
  F.As.Spill->Refusals.clear();
  for (auto [By, S] :
       llvm::zip_equal(allSelectors(), F.As.Registers->Selections))
    if (By == Selector::Model)
      S = {F.As.Registers->Chosen,
           llvm::formatv("nothing is spilled with {0} registers of each thread "
                         "in shared memory",
                         Step.MovedRegisters)
               .str()};
  Good.push_back(std::move(F));
}

std::vector<Proposal> JointStrategy::propose() {
  while (true) {
    if (Now) {
      std::vector<Proposal> Out = Now->propose();
      if (!Out.empty())
        return Out;
      judge(Now->decide());
      Now.reset();
    }
    if (Next == Points.size())
      return {};
    Now.emplace(K, Points[Next++], CanSpillItself);
  }
}

std::vector<Part> JointStrategy::needs(const Variant &V) const {
  if (V.Spill->Pragma || V.Spill->MovedRegisters != 0)
    return {Part::Bounds, Part::Spill};
  return {Part::Bounds};
}

/// The one with the fewest blocks of those that are about as good as the best:
/// what they move less is certain, what more warps gain is predicted. One that
/// moves nothing is not it: the point was said to spill.
std::optional<Variant> JointStrategy::decide() {
  double Enough = 1 + Alone.MinGain, Most = Enough;
  for (const Found &F : Good)
    Most = std::max(Most, F.Gain);
  auto Best = llvm::find_if(Good, [&](const Found &F) {
    return F.Gain >= Enough && F.Gain * Enough >= Most;
  });
  if (Best == Good.end() || Best->As.Spill->MovedRegisters == 0)
    return std::nullopt;
  return Best->As;
}

} // namespace catt
