//===- Replan.cpp - What is written is what was judged -----------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/Replan.h"
#include "analysis/plan/Decide.h"
#include "analysis/plan/runtime/Agreement.h"
#include "transforms/SourceEdit.h"
#include "llvm/ADT/STLExtras.h"
#include <set>
#include <utility>

namespace catt {

/// "4 warp groups", of the split that the loop stands in; or empty.
static std::string groupsAround(const std::string &Text,
                                const SourceSpan &Loop) {
  llvm::StringRef Head;
  for (const Marker &M : findMarkers(Text)) {
    llvm::StringRef Comment = llvm::StringRef(Text).slice(M.Begin, M.End);
    if (Loop.Begin < M.Begin)
      break;
    if (M.K == Marker::Kind::Head && M.Transform == "split-warp-groups")
      Head = Comment;
    else if (M.K == Marker::Kind::Done)
      Head = "";
  }
  llvm::StringRef Groups = Head.split('(').second.split(')').first;
  return Groups.empty() ? "" : Groups.str() + " warp groups";
}

/// Takes back what is decided about kernels that an earlier run has throttled.
static void keepDecided(Report &R) {
  Edits Facts;
  for (KernelReport &K : R.Kernels) {
    if (!isThrottled(K.Source, R.Texts, Facts))
      continue;
    K.Plan.After = K.Plan.Before;
    K.Plan.BlocksRemoved = 0;
    K.Plan.ReserveSharedBytes.reset();
    K.Plan.CarveoutPercent.reset();
    K.Plan.ByThreads.clear();
    for (LoopPlan &P : K.Plan.Loops) {
      const Loop &L = K.Source.Loops[P.Loop];
      auto Text = R.Texts.find(L.Span.File);
      P.Groups = 1;
      P.Cases.clear();
      P.PredictedGain.reset();
      P.FootprintBytesAfter = P.FootprintBytes;
      P.Why = Refusal{
          Reason::AlreadyRewritten, L.Where,
          Text == R.Texts.end() ? "" : groupsAround(Text->second, L.Span)};
    }
  }
}

/// Loops that are planned in groups and were not written so.
static bool withdrawLoops(KernelReport &K, const Shortfall &S) {
  bool Any = false;
  for (const LoopPlan &P : K.Plan.Loops) {
    Loop &L = K.Source.Loops[P.Loop];
    auto AtLoop = [&](const Location &Where) { return Where == L.Where; };
    if (!isDivided(P) || llvm::any_of(S.Done, AtLoop))
      continue;
    auto Own =
        llvm::find_if(S.Why, [&](const Refusal &R) { return AtLoop(R.Where); });
    L.Refusals.push_back(Own == S.Why.end() ? S.Why.front() : *Own);
    Any = true;
  }
  return Any;
}

/// Takes away what was refused. False if the plan did not have it.
static bool withdraw(KernelReport &K, const Shortfall &S) {
  if (llvm::any_of(S.Why, [](const Refusal &R) {
        return R.Kind == Reason::AlreadyRewritten;
      }))
    return false;
  if (S.Transform == "reserve-shared")
    return std::exchange(K.May.Reserve, false);
  if (S.Transform == "prefer-l1")
    return std::exchange(K.May.PreferL1, false);
  return S.Transform == "split-warp-groups" && withdrawLoops(K, S);
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
