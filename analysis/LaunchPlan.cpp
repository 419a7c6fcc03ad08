//===- LaunchPlan.cpp - What one launch of a kernel asks for -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/LaunchPlan.h"
#include "analysis/GridPlan.h"
#include "analysis/device/Occupancy.h"
#include "analysis/memory/CattFootprint.h"
#include "analysis/memory/Footprint.h"
#include "analysis/memory/LoopWork.h"
#include "analysis/plan/Force.h"
#include "analysis/plan/ThrottlePlan.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace catt {
namespace {

BlockResources resourcesOf(const Kernel &K, const Launch &L) {
  BlockResources R;
  R.Threads = *L.Block.count();
  R.StaticSharedBytes = K.StaticSharedBytes;
  R.DynamicSharedBytes = L.DynamicSharedBytes.value_or(0);
  R.GridBlocks = L.Grid.count();
  return R;
}

LoopProfile tooComplex(const Setting &S, unsigned Loop, llvm::Error E) {
  return {Loop,
          {},
          Refusal{Reason::TooComplex, S.K.Loops[Loop].Where,
                  llvm::toString(std::move(E))},
          std::nullopt};
}

/// The reference whose lanes lie farthest apart, where they share no line.
void fillLayout(const Kernel &K, const FootprintOptions &Footprint,
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

} // namespace

bool contends(const Setting &S, const LoopProfile &P) {
  if (P.Levels.empty() || !P.Levels.front().Reuse)
    return false;
  return footprintBytes(P.Levels.front(), S.Before.WarpsPerBlock,
                        S.Before.BlocksPerSM, /*PaperRule=*/false) >
         S.Throttle.L1Bytes.value_or(S.Before.L1Bytes);
}

LoopProfile profileOf(const Setting &S, unsigned Loop, bool AlwaysWork) {
  if (S.How == Model::Catt)
    return cattProfile(S.K, Loop, S.Footprint);
  llvm::Expected<LoopProfile> P = profileLoop(S.K, Loop, S.Footprint);
  if (!P)
    return tooComplex(S, Loop, P.takeError());
  bool Needed = contends(S, *P);
  if (!Needed && (!AlwaysWork || P->Levels.empty()))
    return std::move(*P);
  llvm::Expected<LoopWork> Work = loopWork(S.K, Loop, S.Footprint);
  if (Work)
    P->Work = *Work;
  else if (Needed)
    return tooComplex(S, Loop, Work.takeError());
  else
    llvm::consumeError(Work.takeError());
  return std::move(*P);
}

llvm::Expected<Setting> settingFor(const Kernel &K, const Launch &L,
                                   const AnalysisOptions &Options,
                                   bool MayReserve) {
  ThrottleOptions Throttle{Options.Gpu,
                           resourcesOf(K, L),
                           Options.How == Model::Catt,
                           Options.L1Bytes,
                           MayReserve,
                           Options.MinGain.value_or(DefaultMinGain),
                           forcedFor(K, Options.Forced)};
  llvm::Expected<Residency> Before = residency(Options.Gpu, Throttle.Block);
  if (!Before)
    return Before.takeError();
  if (Options.L1Bytes)
    Before->L1Bytes = *Options.L1Bytes;
  FootprintOptions Footprint;
  Footprint.Block = L.Block;
  Footprint.Grid = L.Grid;
  Footprint.Quota = Options.Quota;
  Footprint.Parameters = L.Arguments;
  for (const auto &[Name, Value] : Options.Assumed)
    Footprint.Parameters[Name] = Value;
  return Setting{K, Footprint, Throttle, *Before, Options.How};
}

LaunchPlan planKnown(const Setting &S) {
  LaunchPlan Result;
  for (const Loop &Each : S.K.Loops)
    Result.Profiles.push_back(profileOf(S, Each.Id));
  Result.Plan = planThrottle(S.K, Result.Profiles, S.Before, S.Throttle);
  if (S.Throttle.L1Bytes && Result.Plan.After)
    Result.Plan.After->L1Bytes = *S.Throttle.L1Bytes;
  return Result;
}

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
      K, {Reason::UnknownLaunch, L.Where, llvm::toString(std::move(Why))});
}

/// The plan where not all of it could be counted: the first loop that was left
/// out is named.
static LaunchPlan outOfQuota(const Kernel &K, const LaunchPlan &Shown) {
  for (const LoopProfile &P : Shown.Profiles)
    if (P.Unknown && P.Unknown->Why == Reason::TooComplex)
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
      if (Outer.Why && Outer.Why->Why == Reason::CannotFit)
        Outer.Why = Refusal{Reason::Fits, K.Loops[*L].Where,
                            "its lines are those of the loop at line " +
                                std::to_string(K.Loops[Inner.Loop].Where.Line) +
                                ", which is split"};
    }
  }
}

LaunchPlan planForLaunch(const Kernel &K, const Launch &L,
                         const AnalysisOptions &Options, bool MayReserve) {
  llvm::Expected<Setting> S = settingFor(K, L, Options, MayReserve);
  if (!S)
    return refused(K, L, S.takeError());
  LaunchPlan Result = planKnown(*S);
  leaveToRunTime(*S, Result);
  leaveGridToRunTime(*S, L, Result);
  settleAround(K, Result.Plan);
  for (LoopPlan &Plan : Result.Plan.Loops)
    fillLayout(K, S->Footprint, Plan);
  return Result;
}

//===-- Unknown block sizes ----------------------------------------------===//

bool isAlongX(const Kernel &K) {
  auto Across = [](const AffineIndex &Index) {
    return Index.mentions([](const Atom &A) {
      return (A.K == Atom::Kind::ThreadIdx || A.K == Atom::Kind::BlockDim) &&
             A.Dim != Axis::X;
    });
  };
  return llvm::none_of(K.Accesses,
                       [&](const Access &A) {
                         return (A.Offset && Across(*A.Offset)) ||
                                llvm::any_of(A.Guards, [&](const Guard &G) {
                                  return Across(G.Condition);
                                });
                       }) &&
         llvm::none_of(K.Loops, [&](const Loop &L) {
           return L.TripCount && Across(*L.TripCount);
         });
}

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

LaunchPlan planForAnyBlock(const Kernel &K, const Launch &L,
                           const AnalysisOptions &Options, bool MayReserve) {
  constexpr int64_t Usual = 256; // threads of the block that the report shows
  const int64_t Largest =
      std::clamp<int64_t>(K.MaxThreads.value_or(1024), WarpLanes, 1024);
  std::vector<Setting> Settings;
  std::vector<LaunchCase> ByThreads;
  std::optional<LaunchPlan> Shown;
  for (int64_t Threads = WarpLanes; Threads <= Largest; Threads += WarpLanes) {
    Launch At = L;
    At.Block = {Threads, 1, 1};
    llvm::Expected<Setting> S = settingFor(K, At, Options, MayReserve);
    if (!S) {
      if (!Shown)
        return refused(K, L, S.takeError());
      llvm::consumeError(S.takeError());
      break;
    }
    if (!Shown && !isCheap(*S, {}, allLoops(K)))
      return refused(K, L,
                     llvm::createStringError("its loops take too long to count "
                                             "for every block size"));
    LaunchPlan Plan = planKnown(*S);
    // A block of fewer threads than whole warps has as many warps.
    LaunchCase Case = launchCase(Plan.Plan, Threads - WarpLanes + 1);
    bool Same = !ByThreads.empty() &&
                ByThreads.back().ReserveBytes == Case.ReserveBytes &&
                ByThreads.back().CarveoutPercent == Case.CarveoutPercent;
    if (!Same)
      ByThreads.push_back(Case);
    if (Plan.Plan.After)
      S->Before = *Plan.Plan.After;
    S->Throttle.MayReserve = false;
    Settings.push_back(std::move(*S));
    if (!Shown || Threads <= Usual)
      Shown = std::move(Plan);
  }
  Shown->Plan.ReserveSharedBytes.reset();
  Shown->Plan.CarveoutPercent.reset();
  for (const LaunchCase &C : ByThreads)
    if (C.ReserveBytes || C.CarveoutPercent)
      Shown->Plan.ByThreads = ByThreads;
  leaveBlockToRunTime(Settings, *Shown);
  if (Settings.back().Footprint.isSpent())
    return outOfQuota(K, *Shown);
  divideOnlyFullGrids(Settings.back(), L, *Shown);
  return std::move(*Shown);
}

} // namespace catt
