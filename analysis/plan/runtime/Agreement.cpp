//===- Agreement.cpp - What several plans of a kernel agree to ------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/runtime/Agreement.h"
#include "analysis/plan/runtime/BlockShapes.h"
#include "analysis/plan/runtime/RuntimeCases.h"
#include "analysis/plan/throttle/Prediction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace catt {

bool isDivided(const LoopPlan &P) {
  return !P.Why && (P.Groups > 1 || !P.Cases.empty());
}

/// True if the first keeps more warps active than the second, or as many but
/// not always.
static bool throttlesLess(const LoopPlan &A, const LoopPlan &B) {
  if ((A.Groups == 1) != (B.Groups == 1))
    return A.Groups == 1;
  if (A.WarpsPerGroup != B.WarpsPerGroup)
    return A.WarpsPerGroup > B.WarpsPerGroup;
  return !A.Cases.empty() && B.Cases.empty();
}

/// Two launches decide by the same parameter: at each of its values the one
/// that divides less counts. False if they do not.
static bool agreeByValue(KernelPlan &Plan, LoopPlan &Into,
                         const KernelPlan &Other, const LoopPlan &From) {
  if (Into.Why || From.Why || Into.Cases.empty() || From.Cases.empty() ||
      !Plan.Before || !Other.Before)
    return false;
  int64_t Whole =
      std::max(Plan.Before->WarpsPerBlock, Other.Before->WarpsPerBlock);
  auto Cases = lessDivided(Into.Cases, From.Cases, Whole);
  if (!Cases || Cases->empty())
    return false;
  Into.Cases = std::move(*Cases);
  Into.WarpsPerGroup = Whole;
  for (const RuntimeCase &C : Into.Cases)
    Into.WarpsPerGroup = std::min(Into.WarpsPerGroup, C.WarpsPerGroup);
  Into.Groups = llvm::divideCeil(Whole, Into.WarpsPerGroup);
  return true;
}

void agree(KernelPlan &Plan, const KernelPlan &Other, unsigned LaunchIndex) {
  for (size_t I = 0; I < Plan.Loops.size() && I < Other.Loops.size(); ++I)
    if (!agreeByValue(Plan, Plan.Loops[I], Other, Other.Loops[I]) &&
        throttlesLess(Other.Loops[I], Plan.Loops[I])) {
      Plan.Loops[I] = Other.Loops[I];
      Plan.LaunchIndex = LaunchIndex;
    }
  if (Plan.CarveoutPercent != Other.CarveoutPercent)
    Plan.CarveoutPercent.reset();
}

//===-- Several numbers of registers --------------------------------------===//

bool reservesAlike(const KernelPlan &A, const KernelPlan &B) {
  return A.ReserveSharedBytes == B.ReserveSharedBytes &&
         llvm::equal(A.ByThreads, B.ByThreads,
                     [](const LaunchCase &L, const LaunchCase &R) {
                       return L.FromThreads == R.FromThreads &&
                              L.ReserveBytes == R.ReserveBytes;
                     });
}

static bool sameCarveouts(const KernelPlan &A, const KernelPlan &B) {
  return reservesAlike(A, B) &&
         llvm::equal(A.ByThreads, B.ByThreads,
                     [](const LaunchCase &L, const LaunchCase &R) {
                       return L.CarveoutPercent == R.CarveoutPercent;
                     });
}

/// A plan that always divides, as a rule that tests what the other's tests.
static std::vector<RuntimeCase> casesLike(const LoopPlan &P,
                                          const LoopPlan &Other) {
  if (!P.Cases.empty() || Other.Cases.empty())
    return P.Cases;
  RuntimeCase Always = Other.Cases.front();
  Always.From = 1;
  Always.WarpsPerGroup = P.WarpsPerGroup;
  Always.Groups = 0;
  return {Always};
}

/// Both wait for the stricter of two bounds on the same inputs. More blocks
/// have to be there before all SMs are full if more fit on each.
static void raiseBounds(std::vector<RuntimeCase> &A,
                        std::vector<RuntimeCase> &B) {
  std::map<std::string, int64_t> Highest;
  for (auto *Cases : {&A, &B})
    for (const RuntimeCase &C : *Cases)
      for (const RuntimeBound &Bound : C.And)
        Highest[Bound.Parameter] =
            std::max(Highest[Bound.Parameter], Bound.From);
  std::vector<RuntimeBound> All;
  for (const auto &[Name, From] : Highest)
    All.push_back({Name, From});
  for (auto *Cases : {&A, &B})
    for (RuntimeCase &C : *Cases)
      C.And = All;
}

/// Numbers of groups as warps of the largest block, and back: either way more
/// is less divided, and the largest block stays whole.
static void swapGroups(std::vector<RuntimeCase> &Cases, bool ToWarps) {
  constexpr int64_t Largest = 1024 / WarpLanes;
  for (RuntimeCase &C : Cases) {
    int64_t Swapped = Largest + 1 - (ToWarps ? C.Groups : C.WarpsPerGroup);
    C.WarpsPerGroup = ToWarps ? Swapped : 0;
    C.Groups = ToWarps ? 0 : Swapped;
  }
}

/// The rule that divides no further than either; empty: there is none.
static std::vector<RuntimeCase>
lessOf(std::vector<RuntimeCase> A, std::vector<RuntimeCase> B, int64_t Whole) {
  raiseBounds(A, B);
  auto HasGroups = [](const RuntimeCase &C) { return C.Groups != 0; };
  bool ByGroups = llvm::all_of(A, HasGroups) && llvm::all_of(B, HasGroups);
  for (auto *Cases : {&A, &B})
    if (ByGroups)
      swapGroups(*Cases, /*ToWarps=*/true);
  bool ByBlock = !A.empty() && isBlockSize(A.front().Parameter);
  auto Cases = lessDivided(A, B, ByBlock ? 1024 / WarpLanes : Whole);
  if (!Cases)
    return {};
  if (ByGroups)
    swapGroups(*Cases, /*ToWarps=*/false);
  return std::move(*Cases);
}

/// Narrows a divided loop to what another plan of it does.
static void narrow(LoopPlan &Into, const LoopPlan &Other, int64_t Whole) {
  if (Into.Cases.empty() && Other.Cases.empty()) {
    Into.WarpsPerGroup = std::max(Into.WarpsPerGroup, Other.WarpsPerGroup);
    Into.Groups = llvm::divideCeil(Whole, Into.WarpsPerGroup);
    return;
  }
  Into.Cases = lessOf(casesLike(Into, Other), casesLike(Other, Into), Whole);
  int64_t Warps = Whole, Groups = 1;
  for (const RuntimeCase &C : Into.Cases) {
    if (C.Groups)
      Groups = std::max(Groups, C.Groups);
    else
      Warps = std::min(Warps, C.WarpsPerGroup);
  }
  Into.Groups = std::max<int64_t>(Groups, llvm::divideCeil(Whole, Warps));
  Into.WarpsPerGroup = llvm::divideCeil(Whole, Into.Groups);
}

void judge(const Setting &S, const LaunchPlan &Likely, LoopPlan &P) {
  const std::vector<LoopProfile> &Nest = Likely.profilesFor(P.Loop);
  const LoopProfile *Known = profileOf(Nest, P.Loop);
  if (!Known || Known->Levels.empty() || !Likely.Plan.Before)
    return;
  BlockChoice AsItIs{0, 0, *Likely.Plan.Before};
  BlockChoice Then{Likely.Plan.BlocksRemoved,
                   Likely.Plan.ReserveSharedBytes.value_or(0),
                   Likely.Plan.After.value_or(*Likely.Plan.Before)};
  const LevelFootprint &Level = Known->Levels.front();
  Candidate Whole =
      makeCandidate(Level, AsItIs.After.WarpsPerBlock, AsItIs, S.Throttle);
  Candidate Divided = makeCandidate(Level, P.WarpsPerGroup, Then, S.Throttle);
  P.FootprintBytes = Whole.FootprintBytes;
  P.FootprintBytesAfter = Divided.FootprintBytes;
  P.LinesPerWarp = Level.LinesPerWarp;
  P.PredictedGain.reset();
  if (!Known->Work)
    return;
  MemoryRates Rates = memoryRates(S.Throttle.Gpu);
  auto Cycles = [&](const Candidate &C) {
    return predictedCycles(S.K, Nest, P.Loop, C, S.Throttle, Rates);
  };
  P.PredictedGain = Cycles(Whole) / Cycles(Divided);
}

static void leaveWhole(const Setting &S, const std::string &Between,
                       LoopPlan &P) {
  P.Groups = 1;
  P.Cases.clear();
  P.WarpsPerGroup = S.Before.WarpsPerBlock;
  P.FootprintBytesAfter = P.FootprintBytes;
  P.PredictedGain.reset();
  P.Why = Refusal{Reason::RegistersEstimated, S.K.Loops[P.Loop].Where, Between};
}

LaunchPlan agreeWithin(const Setting &S, std::vector<LaunchPlan> Plans,
                       const std::string &Between) {
  LaunchPlan Result = Plans.front();
  auto Others = llvm::drop_begin(Plans);
  for (LoopPlan &P : Result.Plan.Loops) {
    auto Divides = [&](const LaunchPlan &Each) {
      return P.Loop < Each.Plan.Loops.size() &&
             isDivided(Each.Plan.Loops[P.Loop]);
    };
    if (llvm::none_of(Plans, Divides))
      continue;
    bool All = llvm::all_of(Plans, Divides);
    for (const LaunchPlan &Each : Others)
      if (All)
        narrow(P, Each.Plan.Loops[P.Loop], S.Before.WarpsPerBlock);
    if (!All || P.Groups <= 1)
      leaveWhole(S, Between, P);
    else
      judge(S, Plans.front(), P);
  }
  for (const LaunchPlan &Each : Others) {
    if (Result.Plan.CarveoutPercent != Each.Plan.CarveoutPercent)
      Result.Plan.CarveoutPercent.reset();
    if (!sameCarveouts(Result.Plan, Each.Plan))
      Result.Plan.ByThreads.clear();
  }
  return Result;
}

} // namespace catt
