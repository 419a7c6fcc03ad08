//===- LaunchPlan.cpp - What one launch of a kernel asks for -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/plan/LaunchPlan.h"
#include "analysis/memory/Footprint.h"
#include "analysis/nest/Nest.h"
#include "analysis/plan/runtime/Agreement.h"
#include "analysis/plan/runtime/GridPlan.h"
#include "analysis/plan/runtime/RuntimeInputs.h"
#include "analysis/plan/stage/StagePlan.h"
#include "analysis/plan/stage/TileLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <limits>
#include <set>
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

/// What divides a loop divides all that runs inside the same statement: a loop
/// around it that cannot fit by itself is no second finding.
static void settleAround(const Kernel &K, KernelPlan &Plan) {
  for (const LoopPlan &Inner : Plan.Loops) {
    if (Inner.Why || (Inner.Groups <= 1 && Inner.Cases.empty()))
      continue;
    for (auto L = K.Loops[Inner.Loop].Parent; L; L = K.Loops[*L].Parent) {
      LoopPlan &Outer = Plan.Loops[*L];
      if (Outer.Why && Outer.Why->Kind == Reason::CannotFit)
        Outer.Why = Refusal{Reason::CoveredByOther, K.Loops[*L].Where,
                            "that of the loop at line " +
                                std::to_string(K.Loops[Inner.Loop].Where.Line) +
                                " inside it"};
    }
  }
}

/// The reference whose lanes lie farthest apart, where they share no line.
static void fillLayout(const Kernel &K, const FootprintOptions &Footprint,
                       LoopPlan &Plan) {
  for (const Access &A : K.Accesses) {
    if (!isInside(K, A.Loop, Plan.Loop) || A.Space != AddressSpace::Global ||
        !A.ThroughL1)
      continue;
    auto Stride = laneStrideBytes(A, Footprint);
    if (!Stride || std::abs(*Stride) <= int64_t(A.SizeBytes))
      continue;
    if (!Plan.LaneStrideBytes ||
        std::abs(*Stride) > std::abs(*Plan.LaneStrideBytes)) {
      Plan.LaneStrideBytes = Stride;
      Plan.Reference = A.Text;
    }
  }
}

static LaunchPlan planIn(const Setting &S, const Launch &L) {
  LaunchPlan Result = planKnown(S);
  leaveToRunTime(S, Result);
  leaveGridToRunTime(S, L, Result);
  settleAround(S.K, Result.Plan);
  for (LoopPlan &Plan : Result.Plan.Loops)
    fillLayout(S.K, S.Footprint, Plan);
  return Result;
}

/// The blocks that are left if L1 keeps what so many warps with tiles do not
/// need. std::nullopt: L1 would not be twice as large.
static std::optional<BlockChoice> keptFor(const Setting &Staged,
                                          int64_t Warps) {
  const Residency &Now = Staged.Before;
  BlockChoice Fewer;
  Fewer.After = Now;
  Fewer.After.BlocksPerSM = std::min(
      Now.BlocksPerSM, int64_t(llvm::divideCeil(Warps, Now.WarpsPerBlock)));
  std::optional<BlockChoice> Asked = withLargestL1(Fewer, Staged.Throttle);
  if (!Asked || Asked->After.L1Bytes < 2 * Now.L1Bytes)
    return std::nullopt;
  const int64_t Held =
      Asked->After.CarveoutBytes /
      allocatedSharedBytes(Staged.Throttle.Gpu, Staged.Throttle.Block);
  if (Held < Now.BlocksPerSM)
    Asked->After.LimitedBy = Limiter::SharedMemory;
  Asked->After.BlocksPerSM = std::min(Now.BlocksPerSM, Held);
  return Asked;
}

/// The driver leaves shared memory for as many blocks as would fit on an SM. A
/// small grid brings few, and few suffice to load tiles as fast as DRAM gives
/// them: what is on its way has a place in L1, and with the 28 KiB that are
/// left beside full shared memory, less can be. 24 warps with the L1 that this
/// leaves were up to 1.5 times as fast on an H200 (docs/verification.md). Where
/// any block may come, two of 512 threads have to fit.
static void keepL1(const Setting &Staged, bool AnyBlock, KernelPlan &Plan) {
  const Residency &Now = Staged.Before;
  const int64_t OnTheWay =
      Now.BlocksPerSM *
      allocatedSharedBytes(Staged.Throttle.Gpu, Staged.Throttle.Block);
  // A tile's row may cross a line.
  if (Plan.BlocksRemoved || Plan.CarveoutPercent || 2 * OnTheWay <= Now.L1Bytes)
    return;
  std::vector<int64_t> Enough = {24, EnoughWarps};
  if (AnyBlock)
    Enough = {32};
  if (llvm::any_of(Plan.Loops, isDivided)) // for the blocks that there are
    Enough = {Now.activeWarps()};
  for (int64_t Warps : Enough)
    if (std::optional<BlockChoice> Asked = keptFor(Staged, Warps)) {
      Plan.After = Asked->After;
      Plan.CarveoutPercent = Asked->CarveoutPercent;
      return;
    }
}

/// A loop inside is split: its version, which may run in divergent code, would
/// hold barriers of the block.
static bool isThrottledInside(const Kernel &K, const KernelPlan &Plan,
                              unsigned Loop) {
  return llvm::any_of(Plan.Loops, [&](const LoopPlan &P) {
    return P.Loop != Loop && isInside(K, P.Loop, Loop) && !P.Why;
  });
}

/// Its lines were not counted, for the effort.
static bool isUncounted(const LoopProfile &P) {
  return P.Levels.empty() && P.Unknown && P.Unknown->Kind == Reason::TooComplex;
}

static std::optional<int64_t> tripsOf(const Loop &L) {
  return L.TripCount ? L.TripCount->constant() : std::nullopt;
}

/// A loop that takes little of the time beside one with tiles: 13 stores behind
/// 80 iterations, for one, whose tiles made a kernel 1.7 times as fast.
static bool isShortBeside(const Loop &L, const Loop &WithTiles) {
  constexpr int64_t Part = 4, Least = 32;
  return tripsOf(L).value_or(std::numeric_limits<int64_t>::max()) <=
         tripsOf(WithTiles).value_or(Least) / Part;
}

/// Whether there is a loop without tiles whose lines stay in L1 as the kernel
/// is, and no longer beside the tiles of others; or nobody knows.
static bool crowdsOut(const Setting &S, const LaunchPlan &AsItIs,
                      const Setting &Staged, const Stages &Found,
                      const LaunchPlan &Result) {
  Setting Beside = Staged;
  Beside.Before = Result.Plan.After.value_or(Staged.Before);
  for (const Loop &L : S.K.Loops) {
    const bool MaySuffer =
        llvm::none_of(Found.Loops, [&](const LoopVersion &V) {
          const unsigned Its = S.K.RowLoops[V.Rows].Loop;
          return !V.Reads.empty() &&
                 (isInside(S.K, L.Id, Its) || isInside(S.K, Its, L.Id) ||
                  (!L.Parent && isShortBeside(L, S.K.Loops[Its])));
        });
    const LoopProfile &Then = Result.Profiles[L.Id];
    if (MaySuffer && !contends(S, AsItIs.Profiles[L.Id]) &&
        (contends(Beside, Then) || isUncounted(Then)))
      return true;
  }
  return false;
}

/// The plan of the kernel whose rows are staged where that helps, and whose
/// sums are in registers: the tiles take shared memory, and neither takes L1.
/// LargestBlock, Without as those of stagesFor.
static LaunchPlan planStaged(const Setting &S, const Launch &L,
                             const AnalysisOptions &Options, bool MayReserve,
                             LaunchPlan AsItIs,
                             std::optional<int64_t> LargestBlock = std::nullopt,
                             std::vector<unsigned> Without = {}) {
  Stages Found = stagesFor(S, AsItIs.Profiles, Options, LargestBlock, Without);
  AsItIs.Plan.NotStaged = std::move(Found.Refusals);
  if (Found.Loops.empty())
    return AsItIs;
  const Kernel With = withStages(S.K, Found);
  Launch Asking = L;
  if (Found.Tiles.IsDynamic)
    Asking.DynamicSharedBytes = Found.Tiles.DynamicOffset + Found.Tiles.bytes();
  // What launches of short rows do not ask for, they would not have allowed.
  llvm::Expected<Setting> Staged =
      settingFor(With, Asking, Options, MayReserve && !Found.Tiles.IfLong);
  if (!Staged) {
    llvm::consumeError(Staged.takeError());
    return AsItIs;
  }
  Staged->Counted = nullptr; // it has counted the kernel as it is
  // To throttle, each block would need its own carve-out.
  Setting Throttled = *Staged;
  Throttled.Throttle.MayPreferL1 &= !LargestBlock;
  LaunchPlan Result = planIn(Throttled, L);
  const size_t Before = Without.size();
  for (const LoopVersion &Each : Found.Loops) {
    const RowLoop &Rows = S.K.RowLoops[Each.Rows];
    auto Contends = [&](unsigned R) {
      return contends(*Staged, Result.Profiles[walkerOf(Rows, Rows.Reads[R])]);
    };
    if (!Each.Reads.empty() &&
        (isThrottledInside(S.K, Result.Plan, Rows.Loop) ||
         (!Options.TileBytes && llvm::any_of(Each.Reads, Contends))))
      Without.push_back(Rows.Loop);
  }
  if (Found.Tiles.bytes() && Without.size() == Before) {
    keepL1(*Staged, LargestBlock.has_value(), Result.Plan);
    if (!Options.TileBytes && crowdsOut(S, AsItIs, *Staged, Found, Result))
      for (const LoopVersion &Each : Found.Loops)
        if (!Each.Reads.empty())
          Without.push_back(S.K.RowLoops[Each.Rows].Loop);
  }
  if (Without.size() != Before)
    return planStaged(S, L, Options, MayReserve, std::move(AsItIs),
                      LargestBlock, std::move(Without));
  for (const LoopVersion &Each : Found.Loops) {
    if (Each.Reads.empty())
      continue;
    const RowLoop &Rows = S.K.RowLoops[Each.Rows];
    std::set<unsigned> Loops = {Rows.Loop};
    for (unsigned R : Each.Reads)
      Loops.insert(walkerOf(Rows, Rows.Reads[R]));
    for (unsigned Loop : Loops) {
      LoopPlan &Plan = Result.Plan.Loops[Loop];
      Plan.FootprintBytes = AsItIs.Plan.Loops[Loop].FootprintBytes;
      if (Plan.Why)
        Plan.Why = Refusal{Reason::RowsStaged, S.K.Loops[Loop].Where,
                           namesOf(Rows, Each)};
    }
  }
  Result.Plan.NotStaged = std::move(AsItIs.Plan.NotStaged);
  Result.Plan.Versions = std::move(Found.Loops);
  Result.Plan.Tiles = Found.Tiles;
  return Result;
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
  LaunchPlan Result = planIn(*S, L);
  if (isDecided(*S, Options))
    return Result;
  return planStaged(*S, L, Options, MayReserve, std::move(Result));
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
  LaunchPlan Result = planIn(*S, At);
  if (isDecided(*S, Options))
    return Result;
  Options.May.Carveout = Given.May.Carveout;
  Result = planStaged(*S, At, Options, /*MayReserve=*/false, std::move(Result),
                      Largest);
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
