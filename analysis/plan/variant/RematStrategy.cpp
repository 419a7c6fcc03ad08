//===- RematStrategy.cpp - How many values are computed again -------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/variant/RematStrategy.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace catt {

RematStrategy::RematStrategy(const Kernel &K, const RegisterUse &Use,
                             const Variant &Start)
    : K(K), Use(Use), Start(Start) {}

/// The plan that frees so many registers; 0: none.
RematPlan RematStrategy::planFor(unsigned Wanted) const {
  const RematPlan &First = *Start.Remat;
  if (Wanted != 0)
    if (std::optional<RematPlan> Plan =
            planRemat(K, Use, First.TargetRegisters, Wanted))
      return *Plan;
  RematPlan None = First;
  None.Values.clear();
  None.Freed = 0;
  return None;
}

std::vector<Proposal> RematStrategy::propose() {
  std::vector<Proposal> Out;
  if (std::exchange(Proposed, true))
    return Out;
  for (unsigned Part : {0, 1, 2, 4, 8}) {
    Variant V = Start;
    V.Remat = planFor(Part ? std::max(1U, Start.Remat->Wanted / Part) : 0);
    if (Out.empty() ||
        Out.back().As.Remat->Values.size() != V.Remat->Values.size())
      Out.push_back({std::move(V), Start.Remat->TargetRegisters});
  }
  return Out;
}

/// A value that cannot be written is left out, and measured so.
std::vector<Part> RematStrategy::needs(const Variant &) const { return {}; }

void RematStrategy::learn(const Variant &V, const RegisterPoint &Compiled) {
  if (llvm::all_of(Steps, [&](const RematStep &S) {
        return Compiled.spilledBytes() < S.Compiled.spilledBytes();
      }))
    Best = *V.Remat;
  Steps.push_back({V.Remat->Values.size(), Compiled});
}

std::optional<Variant> RematStrategy::decide() {
  Variant Out = Start;
  if (!Steps.empty() && Steps.front().Compiled.spills())
    Out.Remat = Best;
  Out.Remat->Steps = Steps;
  if (Out.Remat->Values.empty())
    Out.Remat->Refusals.push_back({Reason::CannotReachTarget, K.Where,
                                   "each way that was tried spills as much"});
  return Out;
}

} // namespace catt
