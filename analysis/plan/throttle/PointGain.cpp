//===- PointGain.cpp - What a way to throttle gains -----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/throttle/PointGain.h"
#include "analysis/plan/throttle/Force.h"
#include "analysis/plan/throttle/Prediction.h"
#include "analysis/plan/throttle/Setting.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;

namespace catt {
namespace {

/// Operations to count for all points of one kernel.
constexpr uint64_t OperationsToJudge = 300'000'000;

/// One launch, and what all its loops ask of the memory.
struct CountedLaunch {
  Setting S;
  std::vector<LoopProfile> Profiles;
};

bool isInGroups(const LoopPlan &P) { return P.Groups > 1 && !P.Why; }

/// Loops around one that is divided: their time is that of the loops inside.
std::set<unsigned> aroundDivided(const Kernel &K, const KernelPlan &Plan) {
  std::set<unsigned> Around;
  for (const LoopPlan &P : Plan.Loops)
    if (isInGroups(P))
      for (auto L = K.Loops[P.Loop].Parent; L; L = K.Loops[*L].Parent)
        Around.insert(*L);
  return Around;
}

/// How often a loop runs in one run of the kernel.
double runsOf(const CountedLaunch &In, const Loop &L) {
  double Runs = 1;
  for (auto Outer = L.Parent; Outer; Outer = In.S.K.Loops[*Outer].Parent) {
    const LoopProfile &P = In.Profiles[*Outer];
    Runs *= double(P.Work ? P.Work->Iterations.value_or(UnknownTrips)
                          : UnknownTrips);
  }
  return Runs;
}

double cyclesOf(const CountedLaunch &In, const Loop &L, int64_t WarpsPerGroup,
                const KernelPlan &Plan, const MemoryRates &Rates) {
  BlockChoice Blocks;
  Blocks.Removed = Plan.BlocksRemoved;
  Blocks.After = *Plan.After;
  return runsOf(In, L) *
         predictedCycles(In.S.K, In.Profiles, L.Id,
                         makeCandidate(In.Profiles[L.Id].Levels.front(),
                                       WarpsPerGroup, Blocks, In.S.Throttle),
                         In.S.Throttle, Rates);
}

/// Cycles of all warps of a launch, as it is and as it is planned.
struct PointCycles {
  double Before = 0, After = 0;
};

/// Nothing: a loop that the plan divides has no times.
std::optional<PointCycles> cyclesOf(const CountedLaunch &In,
                                    const KernelPlan &Plan) {
  const Kernel &K = In.S.K;
  const MemoryRates Rates = memoryRates(In.S.Throttle.Gpu);
  const int64_t Warps = In.S.Before.WarpsPerBlock;
  KernelPlan AsItIs;
  AsItIs.After = In.S.Before;
  const std::set<unsigned> Around = aroundDivided(K, Plan);
  PointCycles Sum;
  for (const Loop &L : K.Loops) {
    const LoopProfile &P = In.Profiles[L.Id];
    const LoopPlan &Its = Plan.Loops[L.Id];
    const bool Counted = P.Work && !P.Levels.empty();
    if (isInGroups(Its) && !Counted)
      return std::nullopt;
    if (!Counted || Around.count(L.Id) ||
        (L.Parent && !Around.count(*L.Parent)))
      continue;
    const int64_t Group = isInGroups(Its) ? Its.WarpsPerGroup : Warps;
    Sum.Before += cyclesOf(In, L, Warps, AsItIs, Rates);
    Sum.After += cyclesOf(In, L, Group, Plan, Rates);
  }
  const double All =
      double(Warps) * double(In.S.Throttle.Block.GridBlocks.value_or(1));
  return PointCycles{Sum.Before * All, Sum.After * All};
}

std::vector<CountedLaunch> countedLaunches(const Kernel &K,
                                           const AnalysisOptions &Options) {
  std::vector<CountedLaunch> All;
  for (const Launch &L : K.Launches) {
    Expected<Setting> S = L.Block.count()
                              ? settingFor(K, L, Options, /*MayReserve=*/true)
                              : createStringError("its block is not known");
    if (!S) {
      consumeError(S.takeError());
      return {};
    }
    All.push_back({std::move(*S), {}});
    for (const Loop &Each : K.Loops)
      All.back().Profiles.push_back(
          profileOf(All.back().S, Each.Id, /*AlwaysWork=*/true));
  }
  return All;
}

std::optional<double> gainAt(ArrayRef<CountedLaunch> Launches,
                             const ThrottlePoint &Point) {
  PointCycles Sum;
  for (const CountedLaunch &L : Launches) {
    CountedLaunch At = L;
    At.S.Throttle.Forced = Point;
    At.S.Throttle.MayReserve = Launches.size() == 1;
    const KernelPlan Plan = planWith(At.S, At.Profiles);
    if (any_of(Point, [&](const ForcedChoice &F) {
          return !forceError(F, {{&At.S.K, &Plan}}).empty();
        }))
      return std::nullopt;
    std::optional<PointCycles> Of = cyclesOf(At, Plan);
    if (!Of)
      return std::nullopt;
    Sum.Before += Of->Before;
    Sum.After += Of->After;
  }
  if (Sum.After <= 0)
    return std::nullopt;
  return Sum.Before / Sum.After;
}

} // namespace

std::vector<std::optional<double>>
predictedGains(const Kernel &K, const AnalysisOptions &Options,
               ArrayRef<ThrottlePoint> Points) {
  CountingQuota Quota(OperationsToJudge);
  ProfileMemo Counted;
  AnalysisOptions Mine = Options;
  Mine.Quota = &Quota;
  Mine.Counted = &Counted;
  Mine.May.Groups = Mine.May.Reserve = Mine.May.Carveout = true;
  std::vector<CountedLaunch> Launches;
  if (Options.Counting == Model::Exact)
    Launches = countedLaunches(K, Mine);
  std::vector<std::optional<double>> Gains;
  for (const ThrottlePoint &Point : Points)
    Gains.push_back(gainAt(Launches, Point));
  return Gains;
}

} // namespace catt
