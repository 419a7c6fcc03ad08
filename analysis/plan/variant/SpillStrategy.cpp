//===- SpillStrategy.cpp - How much waits in shared memory ----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/variant/SpillStrategy.h"
#include "llvm/ADT/STLExtras.h"

namespace catt {

/// Of refinement: an eighth, down to a 64th.
constexpr unsigned MaxRounds = 3;

SpillStrategy::SpillStrategy(const Kernel &K, const Variant &Start)
    : K(K), Tried(Start), Over(!Start.Spill->mayBeTried()) {
  Tried.Spill->Refusals.clear();
}

std::vector<Proposal> SpillStrategy::propose() {
  std::vector<Proposal> Out;
  if (Over || Rounds > MaxRounds)
    return Out;
  const SharedSpill &S = *Tried.Spill;
  for (SpillStep Step : Rounds++ == 0 ? stepsToTry(S) : stepsAround(S)) {
    Variant V = Tried;
    if (take(K, Step, *V.Spill) && llvm::none_of(Out, [&](const Proposal &C) {
          return C.As.Spill->MovedRegisters == Step.MovedRegisters &&
                 C.As.Spill->Pragma == Step.Pragma;
        }))
      Out.push_back({std::move(V), unsigned(S.CapRegisters)});
  }
  return Out;
}

std::vector<Part> SpillStrategy::needs(const Variant &V) const {
  if (V.Spill->Pragma || V.Spill->MovedRegisters != 0)
    return {Part::Spill};
  return {};
}

void SpillStrategy::learn(const Variant &V, const RegisterPoint &Compiled) {
  const SharedSpill &S = *V.Spill;
  addStep(K,
          {S.MovedRegisters, S.Pragma, S.accesses(), Compiled, 0, std::nullopt,
           S.dynamicBytes()},
          *Tried.Spill);
}

std::optional<Variant> SpillStrategy::decide() {
  if (Over || Tried.Spill->Steps.empty())
    return std::nullopt;
  Variant Best = Tried;
  SharedSpill &S = *Best.Spill;
  SpillStep Step = S.Steps[bestStep(S)];
  take(K, Step, S);
  S.From = Origin::Measured;
  if (S.Moved.empty() && !S.Pragma)
    S.Refusals.push_back({Reason::CannotReachTarget, K.Where,
                          "each way that was tried takes more accesses"});
  return Best;
}

} // namespace catt
