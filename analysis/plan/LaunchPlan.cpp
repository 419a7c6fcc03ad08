//===- LaunchPlan.cpp - What one launch of a kernel asks for -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/plan/LaunchPlan.h"
#include "analysis/memory/Footprint.h"
#include "analysis/plan/StagedPlan.h"
#include "analysis/plan/runtime/Agreement.h"
#include "analysis/plan/runtime/GridPlan.h"
#include "analysis/plan/runtime/RuntimeInputs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <vector>

namespace catt {

/// No plan, and why.
static LaunchPlan refused(const Kernel &K, Refusal Why) {
  LaunchPlan Result;
  for (const Loop &Each : K.Loops)
    Result.Profiles.push_back({Each.Id, {}, std::nullopt, std::nullopt});
  Result.Plan.Refusals.push_back(std::move(Why));
  return Result;
}

/// The plan of a launch that cannot run.
static LaunchPlan refused(const Kernel &K, const Launch &L, llvm::Error Why) {
  return refused(
      K, {Reason::NeverResident, L.Where, llvm::toString(std::move(Why))});
}

/// The plan where not all of it could be counted: the first loop that was left
/// out is named.
static LaunchPlan outOfQuota(const Kernel &K, const LaunchPlan &Shown) {
  for (const LoopProfile &P : Shown.Profiles)
    if (P.Unknown && P.Unknown->Kind == Reason::TooComplex)
      return refused(K, *P.Unknown);
  return refused(K, {Reason::TooComplex, K.Loops[0].Where, K.Loops[0].Header});
}

/// The paper's rule and the user's own decisions are about warps and blocks.
static bool isDecided(const Setting &S, const AnalysisOptions &Options) {
  return Options.Counting == Model::Catt || !S.Throttle.Forced.empty() ||
         (!Options.May.Stage && !Options.May.Sums);
}

LaunchPlan planForLaunch(const Kernel &K, const Launch &L,
                         const AnalysisOptions &Options, bool MayReserve) {
  llvm::Expected<Setting> S = settingFor(K, L, Options, MayReserve);
  if (!S)
    return refused(K, L, S.takeError());
  if (isDecided(*S, Options))
    return planIn(*S, L);
  return planStaged(*S, L, Options, MayReserve);
}

//===-- Unknown block sizes ----------------------------------------------===//

static std::vector<unsigned> allLoops(const Kernel &K) {
  std::vector<unsigned> Ids;
  for (const Loop &L : K.Loops)
    Ids.push_back(L.Id);
  return Ids;
}

/// What the host must do for a launch with the blocks of a plan.
static LaunchCase launchCase(const KernelPlan &Plan, int64_t Threads) {
  return {Threads, Plan.ReserveSharedBytes.value_or(0), Plan.CarveoutPercent};
}

/// Where nothing but the block decides, the report says what the rule does with
/// the block that it shows.
static void showRule(const Setting &S, LaunchPlan &Result) {
  const int64_t Whole = S.Before.WarpsPerBlock;
  for (LoopPlan &P : Result.Plan.Loops) {
    auto ByBlock = [](const RuntimeCase &C) {
      return isBlockSize(C.Parameter) && C.And.empty();
    };
    if (P.Why || P.Cases.empty() || !llvm::all_of(P.Cases, ByBlock))
      continue;
    int64_t Groups = 1;
    for (const RuntimeCase &C : P.Cases)
      if (C.From <= Whole * WarpLanes)
        Groups = C.Groups ? C.Groups : llvm::divideCeil(Whole, C.WarpsPerGroup);
    if (Groups == 1)
      continue;
    P.Groups = Groups;
    P.WarpsPerGroup = llvm::divideCeil(Whole, Groups);
    judge(S, Result, P);
  }
}

static bool asksHost(const LaunchCase &C) {
  return C.ReserveBytes || C.CarveoutPercent;
}

/// A launch's rule passes a review with three arms at most, and if what a
/// larger block gets is not taken from a still larger one.
static bool isPlain(llvm::ArrayRef<LaunchCase> Cases) {
  auto First = llvm::find_if(Cases, asksHost);
  return Cases.size() <= 3 && std::all_of(First, Cases.end(), asksHost);
}

/// Blocks of whole warps that the kernel may be launched with, ascending.
static std::vector<Shape> blocksOf(const Kernel &K, const BlockShapes &Shapes) {
  const int64_t Largest =
      std::clamp<int64_t>(K.MaxThreads.value_or(1024), WarpLanes, 1024);
  std::vector<Shape> Blocks;
  for (int64_t Threads = WarpLanes; Threads <= Largest; Threads += WarpLanes)
    llvm::append_range(Blocks, Shapes.withThreads(Threads));
  return Blocks;
}

static AnalysisOptions withoutLaunchEdits(AnalysisOptions Options) {
  Options.May.Reserve = Options.May.Carveout = false;
  return Options;
}

/// A look at blocks of 256 and 1024 threads, with which an SM is full: most
/// kernels of two dimensions need not be counted for every block.
static bool contendsWhereFull(const Kernel &K, const Launch &L,
                              const BlockShapes &Shapes,
                              const AnalysisOptions &Options) {
  std::vector<Setting> Settings;
  for (int64_t Threads : {256, 1024})
    for (const Shape &Block : Shapes.withThreads(Threads)) {
      Launch At = L;
      At.Block = Block;
      if (auto S = settingFor(K, At, Options, /*MayReserve=*/false))
        Settings.push_back(std::move(*S));
      else
        llvm::consumeError(S.takeError());
    }
  return Settings.empty() || contendsAnywhere(Settings);
}

namespace {
/// What is planned for each block size, ascending.
struct PlansByBlock {
  std::vector<Setting> Settings;
  std::vector<LaunchCase> Launches; ///< where they differ
  std::optional<LaunchPlan> Shown;  ///< of the block that the report shows

  void add(Setting S, int64_t Threads);
};
} // namespace

void PlansByBlock::add(Setting S, int64_t Threads) {
  constexpr int64_t Usual = 256; // threads of the block that is shown if it can
  LaunchPlan Plan = planKnown(S);
  // A block of fewer threads than whole warps has as many warps.
  LaunchCase Case = launchCase(Plan.Plan, Threads - WarpLanes + 1);
  if (Launches.empty() || Launches.back().ReserveBytes != Case.ReserveBytes ||
      Launches.back().CarveoutPercent != Case.CarveoutPercent)
    Launches.push_back(Case);
  if (Plan.Plan.After)
    S.Before = *Plan.Plan.After;
  S.Throttle.MayReserve = false;
  Settings.push_back(std::move(S));
  bool Divides = llvm::any_of(Plan.Plan.Loops, isDivided);
  bool DidDivide = Shown && llvm::any_of(Shown->Plan.Loops, isDivided);
  if (!Shown ||
      (Threads <= Usual ? Divides || !DidDivide : Divides && !DidDivide))
    Shown = std::move(Plan);
}

/// One plan for all block sizes; Input: what is tested for a block's threads.
static LaunchPlan ruleOf(const Kernel &K, const Launch &L,
                         const std::string &Input, PlansByBlock All) {
  LaunchPlan Rule = std::move(*All.Shown);
  Rule.Plan.ReserveSharedBytes.reset();
  Rule.Plan.CarveoutPercent.reset();
  if (llvm::any_of(All.Launches, asksHost))
    Rule.Plan.ByThreads = All.Launches;
  leaveBlockToRunTime(Input, All.Settings, Rule);
  for (const Setting &S : All.Settings)
    if (Rule.Plan.Before &&
        S.Before.WarpsPerBlock == Rule.Plan.Before->WarpsPerBlock)
      showRule(S, Rule);
  if (All.Settings.back().Footprint.isSpent())
    return outOfQuota(K, Rule);
  divideOnlyFullGrids(All.Settings.back(), L, Input, Rule);
  return Rule;
}

/// The plan of a loop that runs as it is after all.
static LoopPlan leftAlone(const LoopPlan &P, const KernelPlan &Plan,
                          Refusal Why) {
  LoopPlan Out;
  Out.Loop = P.Loop;
  Out.WarpsPerGroup = Plan.Before->WarpsPerBlock;
  Out.FootprintBytes = Out.FootprintBytesAfter = P.FootprintBytes;
  Out.LinesPerWarp = P.LinesPerWarp;
  Out.LaneStrideBytes = P.LaneStrideBytes;
  Out.Reference = P.Reference;
  Out.Why = std::move(Why);
  return Out;
}

LaunchPlan stagesForAnyBlock(const Kernel &K, const Launch &L,
                             const AnalysisOptions &Given) {
  constexpr int64_t Usual = 256; // threads
  const int64_t Largest = K.MaxThreads.value_or(1024);
  AnalysisOptions Options = withoutLaunchEdits(Given);
  Launch At = L;
  At.Block = {std::min(Usual, Largest), 1, 1};
  llvm::Expected<Setting> S = settingFor(K, At, Options, /*MayReserve=*/false);
  if (!S)
    return refused(K, L, S.takeError());
  if (isDecided(*S, Options))
    return planIn(*S, At);
  Options.May.Carveout = Given.May.Carveout;
  LaunchPlan Result =
      planStaged(*S, At, Options, /*MayReserve=*/false, Largest);
  for (LoopPlan &P : Result.Plan.Loops)
    if (isDivided(P))
      P = leftAlone(P, Result.Plan, {Reason::UnknownLaunch, L.Where, ""});
  return Result;
}

LaunchPlan planForAnyBlock(const Kernel &K, const Launch &L,
                           const BlockShapes &Shapes,
                           const AnalysisOptions &Given, bool MayReserve) {
  // A launch asks for so many threads, however they lie.
  const AnalysisOptions Options =
      Shapes.isAlongX() ? Given : withoutLaunchEdits(Given);
  if (!Shapes.isAlongX() && !contendsWhereFull(K, L, Shapes, Options))
    return refused(K, {Reason::UnknownLaunch, L.Where, ""});
  PlansByBlock All;
  for (const Shape &Block : blocksOf(K, Shapes)) {
    Launch At = L;
    At.Block = Block;
    llvm::Expected<Setting> S = settingFor(K, At, Options, MayReserve);
    if (!S) {
      if (!All.Shown)
        return refused(K, L, S.takeError());
      llvm::consumeError(S.takeError());
      break;
    }
    if (!All.Shown && !isCheap(*S, {}, allLoops(K)))
      return refused(K, {Reason::TooComplex, L.Where,
                         "its loops take too long to count for every block "
                         "size"});
    All.add(std::move(*S), *Block.count());
  }
  if (!All.Shown)
    return refused(K, {Reason::UnknownLaunch, L.Where, ""});
  if (!isPlain(All.Launches))
    return planForAnyBlock(K, L, Shapes, withoutLaunchEdits(Options),
                           /*MayReserve=*/false);
  return ruleOf(K, L, Shapes.input(), std::move(All));
}

} // namespace catt
