//===- JointPlan.cpp - A cap together with what it spills -----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/spill/JointPlan.h"

namespace catt {

static double cyclesAt(const RegisterPlan &Plan, DesignPoint Point,
                       const KeptInShared &Kept, const Device &Gpu) {
  return cyclesShared(*Plan.Mix, Point, Plan.warps(Point), Gpu, Kept);
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
  return !Mix.streams() && 10 * Mix.ChasedAccesses < Mix.OffChip;
}

std::vector<JointPlan> jointPlans(const Kernel &K, const RegisterUse &Use,
                                  const RegisterPlan &Alone,
                                  const RegisterOptions &Options) {
  std::vector<JointPlan> Out;
  if (Alone.By != Selector::Model || Alone.Target || !Alone.Mix ||
      !mayGainByWarps(*Alone.Mix) || Alone.Forced)
    return Out;
  for (size_t I = 0; I < Alone.Points.size(); ++I) {
    const DesignPoint &P = Alone.Points[I];
    if (!P.spills() || P.Compiled.From != Origin::Measured ||
        P.Blocks <= Alone.chosen().Blocks ||
        (Alone.OptBlocks && P.Blocks > *Alone.OptBlocks) ||
        bestGain(Alone, P, Options.Gpu) < 1 + Options.MinGain)
      continue;
    JointPlan Joint{Alone, planSpill(K, Use, P.Compiled.CapRegisters, Options),
                    Options.MinGain};
    choosePoint(K, I, Options, Joint.Registers);
    if (Joint.Registers.Bounds && Joint.Registers.Refusals.empty() &&
        Joint.Spill.Refusals.empty())
      Out.push_back(std::move(Joint));
  }
  return Out;
}

const SpillStep *stepWithoutSpills(const SharedSpill &Spill) {
  const SpillStep *Best = nullptr;
  for (const SpillStep &S : Spill.Steps)
    if (!S.Pragma && !S.Compiled.spills() && (!Best || S.Cost < Best->Cost))
      Best = &S;
  return Best;
}

double gainOver(const RegisterPlan &Alone, const JointPlan &Joint,
                const SpillStep &Step, const Device &Gpu) {
  DesignPoint Point{Step.Compiled, Joint.Registers.chosen().Blocks};
  KeptInShared Kept{Step.MovedRegisters, Step.Cost};
  return cyclesAt(Alone, Alone.chosen(), {}, Gpu) /
         cyclesAt(Joint.Registers, Point, Kept, Gpu);
}

} // namespace catt
