//===- Replan.cpp - What is written is what was judged -----------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/Replan.h"
#include "analysis/plan/Decide.h"
#include "transforms/SourceEdit.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

namespace catt {

/// "4 warp groups", of what an earlier run has put around the loop; or empty.
static std::string foundAround(const Report &R, const SourceSpan &Loop) {
  auto Text = R.Texts.find(Loop.File);
  if (Text == R.Texts.end())
    return "";
  for (const Transform *T : allTransforms())
    if (std::string Found = T->foundAround(Text->second, Loop); !Found.empty())
      return Found;
  return "";
}

/// Takes back what is decided about kernels that an earlier run has throttled.
static void keepDecided(Report &R) {
  FileContexts Files = contextsOf(R.Texts);
  for (KernelReport &K : R.Kernels) {
    if (!isThrottled(K.Source, Files))
      continue;
    K.Plan.After = K.Plan.Before;
    K.Plan.BlocksRemoved = 0;
    K.Plan.ReserveSharedBytes.reset();
    K.Plan.CarveoutPercent.reset();
    K.Plan.ByThreads.clear();
    K.Plan.Versions.clear();
    K.Plan.ByTrials = false;
    K.Plan.Tiles = {};
    K.Plan.ByTiles.reset();
    K.Plan.Refusals.clear(); // what one would have to know to decide
    for (LoopPlan &P : K.Plan.Loops) {
      const Loop &L = K.Source.Loops[P.Loop];
      P.Groups = 1;
      P.Cases.clear();
      P.PredictedGain.reset();
      P.FootprintBytesAfter = P.FootprintBytes;
      P.Why =
          Refusal{Reason::AlreadyRewritten, L.Where, foundAround(R, L.Span)};
    }
  }
}

/// Takes away what was refused. False if the plan did not have it.
static bool withdraw(KernelReport &K, const Shortfall &S) {
  if (llvm::any_of(S.Why, [](const Refusal &R) {
        return R.Kind == Reason::AlreadyRewritten;
      }))
    return false;
  return S.By->giveUp(K, S);
}

llvm::Expected<Edits> rewriteWhole(Report &R, const AnalysisOptions &Options,
                                   const RewriteOptions &How) {
  keepDecided(R);
  std::vector<Refusal> Told;
  while (true) {
    llvm::Expected<Edits> E = rewrite(R, How);
    if (!E)
      return E.takeError();
    std::set<size_t> Again;
    for (const Shortfall &S : E->Shortfalls)
      if (withdraw(R.Kernels[S.Kernel], S))
        Again.insert(S.Kernel);
    for (const Refusal &Each : Told)
      if (!llvm::is_contained(E->Refused, Each))
        E->Refused.push_back(Each);
    if (Again.empty())
      return std::move(*E);
    Told = std::move(E->Refused);
    for (size_t I : Again)
      decide(R.Kernels[I], Options);
  }
}

} // namespace catt
