//===- StagedPlan.cpp - The plan of a kernel with tiles -------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/StagedPlan.h"
#include "analysis/memory/Footprint.h"
#include "analysis/nest/Nest.h"
#include "analysis/plan/runtime/Agreement.h"
#include "analysis/plan/runtime/GridPlan.h"
#include "analysis/plan/runtime/RuntimeInputs.h"
#include "analysis/plan/runtime/RuntimePlan.h"
#include "analysis/plan/stage/StagePlan.h"
#include "analysis/plan/stage/TileLayout.h"
#include "analysis/plan/stage/TiledNest.h"
#include "analysis/plan/stage/WorthTiles.h"
#include "analysis/time/TimeModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <set>

namespace catt {

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

/// A plan for what is known, completed by rules for what only the run knows.
static LaunchPlan withRules(const Setting &S, const Launch &L,
                            LaunchPlan Result) {
  leaveToRunTime(S, Result);
  leaveGridToRunTime(S, L, Result);
  settleAround(S.K, Result.Plan);
  for (LoopPlan &Plan : Result.Plan.Loops)
    fillLayout(S.K, S.Footprint, Plan);
  return Result;
}

LaunchPlan planIn(const Setting &S, const Launch &L) {
  return withRules(S, L, planKnown(S));
}

/// What all resident warps touch in a loop that was counted.
static int64_t residentBytes(const Setting &S, const LoopProfile &P) {
  return footprintBytes(P.Levels.front(), S.Before.WarpsPerBlock,
                        S.Before.BlocksPerSM, /*PaperRule=*/false);
}

namespace {
/// The plan of the kernel as it is. Rules of the run, which take hundreds of
/// counts, are made if somebody asks for them: beside tiles few do.
class UnstagedPlan {
public:
  UnstagedPlan(const Setting &S, const Launch &L)
      : S(S), L(L), Known(planKnown(S)) {}

  /// Of loops that wait for the run, nothing.
  const std::vector<LoopProfile> &counted() const { return Known.Profiles; }
  const LaunchPlan &whole() {
    if (!Whole)
      Whole = withRules(S, L, Known);
    return *Whole;
  }
  /// Of a loop that waits for the run, with long rows.
  int64_t footprintBytes(unsigned Loop) {
    if (!isOpen(Known.Profiles[Loop]))
      return Known.Plan.Loops[Loop].FootprintBytes;
    const LoopProfile P = profileOf(withLongRows(S), Loop);
    return P.Levels.empty() ? whole().Plan.Loops[Loop].FootprintBytes
                            : residentBytes(S, P);
  }

private:
  const Setting S;
  const Launch &L;
  LaunchPlan Known;
  std::optional<LaunchPlan> Whole;
};
} // namespace

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

/// The share of what a loop uses again that L1 loses.
static double lostShareOf(const Setting &S, const LoopProfile &P) {
  const MemoryRates Rates;
  if (P.Levels.empty())
    return 0;
  return lostShare(double(residentBytes(S, P)),
                   double(S.Before.L1Bytes) - 1024 * Rates.UnusedKiB,
                   Rates.Slope);
}

/// Whether there is a loop without tiles whose lines stay in L1 as the kernel
/// is, and no longer beside the tiles of others; or nobody knows. Or of which
/// so much more is lost: 0.68 of 512 KiB with 240 KiB of L1, and all with 92,
/// by which a kernel took 1.6 times as long on an H200.
static bool crowdsOut(const Setting &S, UnstagedPlan &AsItIs,
                      const Setting &Staged, const Stages &Found,
                      const LaunchPlan &Result) {
  constexpr double MuchMore = 1.25;
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
    if (!MaySuffer || (!contends(Beside, Then) && !isUncounted(Then)))
      continue;
    const LoopProfile &Was = AsItIs.whole().Profiles[L.Id];
    if (!contends(S, Was) ||
        lostShareOf(Beside, Then) > MuchMore * lostShareOf(S, Was))
      return true;
  }
  return false;
}

/// Without: as that of stagesFor.
static LaunchPlan planStaged(const Setting &S, const Launch &L,
                             const AnalysisOptions &Options, bool MayReserve,
                             std::optional<int64_t> LargestBlock,
                             UnstagedPlan &AsItIs,
                             std::vector<unsigned> Without) {
  Stages Found = stagesFor(S, AsItIs.counted(), Options, LargestBlock, Without);
  auto Unstaged = [&] {
    LaunchPlan Result = AsItIs.whole();
    Result.Plan.NotStaged = Found.Refusals;
    return Result;
  };
  if (Found.Loops.empty())
    return Unstaged();
  const Kernel With = withStages(S.K, Found);
  Launch Asking = L;
  if (Found.Tiles.IsDynamic)
    Asking.DynamicSharedBytes = Found.Tiles.DynamicOffset + Found.Tiles.bytes();
  // What launches of short rows do not ask for, they would not have allowed.
  llvm::Expected<Setting> Staged =
      settingFor(With, Asking, Options, MayReserve && !Found.Tiles.IfLong);
  if (!Staged) {
    llvm::consumeError(Staged.takeError());
    return Unstaged();
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
    return planStaged(S, L, Options, MayReserve, LargestBlock, AsItIs,
                      std::move(Without));
  for (const LoopVersion &Each : Found.Loops) {
    if (Each.Reads.empty())
      continue;
    const RowLoop &Rows = S.K.RowLoops[Each.Rows];
    std::set<unsigned> Loops = {Rows.Loop};
    for (unsigned R : Each.Reads)
      Loops.insert(walkerOf(Rows, Rows.Reads[R]));
    for (unsigned Loop : Loops) {
      LoopPlan &Plan = Result.Plan.Loops[Loop];
      Plan.FootprintBytes = AsItIs.footprintBytes(Loop);
      if (Plan.Why)
        Plan.Why = Refusal{Reason::RowsStaged, S.K.Loops[Loop].Where,
                           namesOf(Rows, Each)};
    }
  }
  Result.Plan.NotStaged = std::move(Found.Refusals);
  Result.Plan.Versions = std::move(Found.Loops);
  Result.Plan.Tiles = Found.Tiles;
  return Result;
}

LaunchPlan planStaged(const Setting &S, const Launch &L,
                      const AnalysisOptions &Options, bool MayReserve,
                      std::optional<int64_t> LargestBlock) {
  UnstagedPlan AsItIs(S, L);
  return planStaged(S, L, Options, MayReserve, LargestBlock, AsItIs,
                    /*Without=*/{});
}

std::optional<PredictedGain> predictTiles(const Kernel &K,
                                          const KernelPlan &Plan,
                                          const AnalysisOptions &Options) {
  if (!Plan.LaunchIndex || !Plan.After || !Plan.Tiles.bytes())
    return std::nullopt;
  llvm::Expected<Setting> S = settingFor(K, K.Launches[*Plan.LaunchIndex],
                                         Options, /*MayReserve=*/false);
  if (!S) {
    llvm::consumeError(S.takeError());
    return std::nullopt;
  }
  const Setting Long = withLongRows(*S);
  Stages Found;
  Found.Loops = Plan.Versions;
  Found.Tiles = Plan.Tiles;
  const std::optional<double> Gain = gainByTiles(Long, Found, *Plan.After);
  if (!Gain)
    return std::nullopt;
  PredictedGain Out;
  Out.Gain = *Gain;
  Out.Least = LeastOfTiles * *Gain;
  Out.Most = MostOfTiles * *Gain;
  Out.OfLongRows = Long.Footprint.Parameters != S->Footprint.Parameters;
  Out.RatesOfAnother = rateScale(S->Throttle.Gpu).From != Origin::Measured;
  return Out;
}

} // namespace catt
