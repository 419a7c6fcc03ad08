//===- Decide.cpp - What is done to one kernel ----------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/Decide.h"
#include "analysis/memory/Footprint.h"
#include "analysis/model/Reasons.h"
#include "analysis/plan/LaunchPlan.h"
#include "analysis/plan/StagedPlan.h"
#include "analysis/plan/runtime/Agreement.h"
#include "analysis/plan/stage/StagePlan.h"
#include "analysis/plan/throttle/Force.h"
#include "analysis/plan/throttle/ProfileMemo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

namespace catt {
namespace {

/// Operations to count for one decision.
constexpr uint64_t OperationsPerKernel = 300'000'000;

void keepCommon(std::optional<int64_t> &Known, std::optional<int64_t> Other) {
  if (Known != Other)
    Known.reset();
}

/// A launch of which is known what all of these agree to. Its place is that of
/// the first.
Launch anyLaunch(const Kernel &K) {
  if (K.Launches.empty()) {
    Launch Any;
    Any.Where = K.Where;
    return Any;
  }
  Launch Any = K.Launches.front();
  for (const Launch &L : llvm::drop_begin(K.Launches)) {
    for (auto Of : {&Shape::X, &Shape::Y, &Shape::Z}) {
      keepCommon(Any.Block.*Of, L.Block.*Of);
      keepCommon(Any.Grid.*Of, L.Grid.*Of);
    }
    keepCommon(Any.DynamicSharedBytes, L.DynamicSharedBytes);
    std::erase_if(Any.Arguments, [&](const auto &Argument) {
      auto Found = L.Arguments.find(Argument.first);
      return Found == L.Arguments.end() || Found->second != Argument.second;
    });
  }
  return Any;
}

std::vector<unsigned> launchesWithBlock(const Kernel &K) {
  std::vector<unsigned> Known;
  for (unsigned I = 0; I < K.Launches.size(); ++I)
    if (K.Launches[I].Block.count())
      Known.push_back(I);
  return Known;
}

LaunchPlan planNothing(const Kernel &K) {
  LaunchPlan Result;
  for (const Loop &L : K.Loops)
    Result.Profiles.push_back({L.Id, {}, std::nullopt, std::nullopt});
  return Result;
}

bool stages(const LaunchPlan &P) { return P.Plan.Tiles.Threads != 0; }

/// A kernel whose block size no launch gives.
LaunchPlan planUnknown(const Kernel &K, const AnalysisOptions &Options,
                       bool MayReserve) {
  LaunchPlan Result = planNothing(K);
  const Launch Any = anyLaunch(K);
  std::optional<BlockShapes> Shapes = BlockShapes::of(K, Any);
  if (K.Refusals.empty() && Shapes) {
    LaunchPlan Staged = planNothing(K);
    if (Shapes->isAlongX() && !K.Launches.empty() && !K.RowLoops.empty())
      Staged = stagesForAnyBlock(K, Any, Options);
    if (stages(Staged))
      return Staged;
    LaunchPlan P = planForAnyBlock(K, Any, *Shapes, Options,
                                   MayReserve && K.Launches.size() == 1);
    bool Divides = llvm::any_of(
        P.Plan.Loops, [](const LoopPlan &L) { return !L.Cases.empty(); });
    if (Divides || !P.Plan.ByThreads.empty())
      Result = std::move(P);
    else if (!Staged.Plan.Versions.empty())
      return Staged;
    else if (Options.Quota && Options.Quota->isSpent())
      Result.Plan.Refusals = std::move(P.Plan.Refusals);
  }
  Result.Plan.Refusals.push_back({Reason::UnknownLaunch, K.Where, ""});
  return Result;
}

bool dividesAny(const KernelPlan &Plan, const std::set<unsigned> &Loops) {
  return llvm::any_of(Plan.Loops, [&](const LoopPlan &P) {
    return isDivided(P) && Loops.count(P.Loop);
  });
}

/// Launches that want different things of a loop, as run-time cases.
/// std::nullopt where these cannot be told apart so.
std::optional<LaunchPlan> planByRun(const Kernel &K,
                                    const AnalysisOptions &Options,
                                    const std::set<unsigned> &Wanted) {
  Launch Any = anyLaunch(K);
  std::optional<BlockShapes> Shapes = BlockShapes::of(K, Any);
  if (!Shapes || Any.Block.Z != 1 || Wanted.empty() || !K.Refusals.empty() ||
      !forcedFor(K, Options.Forced).empty())
    return std::nullopt;
  Kernel Seen = K;
  Seen.MaxThreads = 0;
  for (const Launch &L : K.Launches)
    Seen.MaxThreads =
        std::max(*Seen.MaxThreads, L.Block.count().value_or(1024));
  LaunchPlan ByRun =
      planForAnyBlock(Seen, Any, *Shapes, Options, /*MayReserve=*/false);
  if (!dividesAny(ByRun.Plan, Wanted))
    return std::nullopt;
  return ByRun;
}

/// Without tiles, or else without sums in registers.
AnalysisOptions withoutVersions(AnalysisOptions Options) {
  if (Options.May.Stage)
    Options.May.Stage = false;
  else
    Options.May.Sums = false;
  return Options;
}

/// What two launches stage alike; false: they do not.
bool agreeToStages(KernelPlan &Plan, const KernelPlan &Other,
                   const AnalysisOptions &Options) {
  std::optional<TileMemory> Tiles =
      tilesOfBoth(Plan.Tiles, Other.Tiles, Options.May.LaunchTiles);
  if (!Tiles || Plan.Versions != Other.Versions)
    return false;
  Plan.Tiles = *Tiles;
  return true;
}

/// What all launches agree to.
LaunchPlan planAll(const Kernel &K, const AnalysisOptions &Options,
                   bool MayReserve) {
  std::vector<unsigned> Known = launchesWithBlock(K);
  if (Known.empty())
    return planUnknown(K, Options, MayReserve);
  // Reserved shared memory is the same for every launch of the kernel, so only
  // a single launch can ask for it.
  MayReserve &= Known.size() == 1;
  LaunchPlan Result;
  std::set<unsigned> Wanted; // loops that some launch divides
  for (unsigned I : Known) {
    LaunchPlan P = planForLaunch(K, K.Launches[I], Options, MayReserve);
    for (const LoopPlan &Loop : P.Plan.Loops)
      if (isDivided(Loop))
        Wanted.insert(Loop.Loop);
    if (I != Known.front()) {
      if (!agreeToStages(Result.Plan, P.Plan, Options))
        return planAll(K, withoutVersions(Options), MayReserve);
      agree(Result.Plan, P.Plan, I);
      continue;
    }
    Result = std::move(P);
    Result.Plan.LaunchIndex = I;
  }
  for (const LoopPlan &Loop : Result.Plan.Loops)
    if (isDivided(Loop))
      Wanted.erase(Loop.Loop);
  if (std::optional<LaunchPlan> ByRun = planByRun(K, Options, Wanted))
    return std::move(*ByRun);
  return Result;
}

//===-- Registers that are an estimate -----------------------------------===//

/// The launches that residency is looked at for: blocks of each size where none
/// is known.
std::vector<Launch> launchesToCount(const Kernel &K) {
  std::vector<Launch> All;
  for (unsigned I : launchesWithBlock(K))
    All.push_back(K.Launches[I]);
  for (int64_t Threads = WarpLanes; All.empty() || Threads <= 1024;
       Threads += WarpLanes) {
    if (!launchesWithBlock(K).empty())
      break;
    All.push_back(anyLaunch(K));
    All.back().Block = {Threads, 1, 1};
  }
  return All;
}

/// Blocks on an SM under each launch; -1: the block cannot run.
std::vector<int64_t> blocksOf(const Kernel &K, const AnalysisOptions &Options) {
  std::vector<int64_t> Blocks;
  for (const Launch &L : launchesToCount(K)) {
    llvm::Expected<Setting> S = settingFor(K, L, Options, /*MayReserve=*/false);
    Blocks.push_back(S ? S->Before.BlocksPerSM : -1);
    if (!S)
      llvm::consumeError(S.takeError());
  }
  return Blocks;
}

/// Plans that differ, at the likely registers first.
std::vector<LaunchPlan> planWithin(Kernel K, const AnalysisOptions &Options,
                                   bool MayReserve) {
  const RegisterRange Range = *K.Registers;
  std::vector<LaunchPlan> Plans;
  std::vector<std::vector<int64_t>> Done;
  for (int64_t Each : {Range.Likely, Range.Least, Range.Most}) {
    K.Registers = RegisterRange{Each, Each, Each, Range.From};
    std::vector<int64_t> Blocks = blocksOf(K, Options);
    if (llvm::is_contained(Done, Blocks))
      continue;
    Plans.push_back(planAll(K, Options, MayReserve));
    Done.push_back(std::move(Blocks));
  }
  return Plans;
}

/// The setting of the launch whose numbers the report shows.
llvm::Expected<Setting> shownSetting(const Kernel &K, const KernelPlan &Plan,
                                     const AnalysisOptions &Options) {
  Launch L = Plan.LaunchIndex ? K.Launches[*Plan.LaunchIndex] : anyLaunch(K);
  if (!L.Block.count())
    L.Block = {Plan.Before->WarpsPerBlock * WarpLanes, 1, 1};
  return settingFor(K, L, Options, /*MayReserve=*/false);
}

/// Fewer warps run at a time.
bool throttles(const KernelPlan &Plan) {
  return Plan.BlocksRemoved > 0 || llvm::any_of(Plan.Loops, isDivided);
}

} // namespace

bool changes(const KernelPlan &Plan) {
  return !Plan.Versions.empty() || Plan.CarveoutPercent || throttles(Plan);
}

namespace {

LaunchPlan planEstimated(const Kernel &K, AnalysisOptions Options) {
  std::vector<LaunchPlan> Plans = planWithin(K, Options, /*MayReserve=*/true);
  if (Plans.size() > 1 && llvm::any_of(Plans, stages)) {
    bool Alike = llvm::all_of(Plans, [&](const LaunchPlan &Each) {
      return Each.Plan.Versions == Plans.front().Plan.Versions &&
             Each.Plan.Tiles == Plans.front().Plan.Tiles;
    });
    // Whatever the registers are, the same is staged and asked for, and that is
    // all.
    if (Alike && llvm::all_of(Plans, [&](const LaunchPlan &Each) {
          return !throttles(Each.Plan) &&
                 Each.Plan.CarveoutPercent ==
                     Plans.front().Plan.CarveoutPercent;
        }))
      return std::move(Plans.front());
    if (Alike)
      Options.May.Groups = Options.May.Reserve = Options.May.Carveout = false;
    else
      Options.May.Stage = false;
    Plans = planWithin(K, Options, /*MayReserve=*/true);
    if (Alike)
      return std::move(Plans.front());
  }
  bool Alike = llvm::all_of(Plans, [&](const LaunchPlan &Each) {
    return reservesAlike(Each.Plan, Plans.front().Plan);
  });
  if (!Alike)
    Plans = planWithin(K, Options, /*MayReserve=*/false);
  if (Plans.size() == 1 || !Plans.front().Plan.Before)
    return std::move(Plans.front());
  llvm::Expected<Setting> S = shownSetting(K, Plans.front().Plan, Options);
  if (!S) {
    llvm::consumeError(S.takeError());
    return std::move(Plans.front());
  }
  std::string Range = llvm::formatv("between {0} and {1} of a thread",
                                    K.Registers->Least, K.Registers->Most);
  LaunchPlan Result = agreeWithin(
      *S, std::move(Plans), Range + ", not all of which want the loop divided");
  if (!Alike)
    Result.Plan.Refusals.push_back(
        {Reason::RegistersEstimated, K.Where,
         Range + ", not all of which want the same blocks on an SM"});
  return Result;
}

} // namespace

std::vector<Launch> launchesOf(const Kernel &K,
                               const AnalysisOptions &Options) {
  for (const std::string &Name : {K.Name, K.UnqualifiedName})
    if (auto It = Options.Told.find(Name); It != Options.Told.end())
      return It->second;
  std::vector<Launch> Comments;
  for (const Launch &L : K.Launches)
    if (L.From == Origin::Told)
      Comments.push_back(L);
  return Comments.empty() ? K.Launches : Comments;
}

static LaunchPlan plan(const Kernel &K, const AnalysisOptions &Options) {
  if (K.Loops.empty()) {
    LaunchPlan Result;
    if (K.Refusals.empty())
      Result.Plan.Refusals.push_back({Reason::NoLoop, K.Where, ""});
    return Result;
  }
  if (K.Registers && !K.Registers->isExact() &&
      forcedFor(K, Options.Forced).empty())
    return planEstimated(K, Options);
  return planAll(K, Options, /*MayReserve=*/true);
}

/// What launches try may be less sure: the same as for registers.
constexpr double MinGainOfTrials = 0.05;

/// A plan whose kernel is tried beside the one as it was: of parts that one of
/// two kernels can have alone, as its carve-out. What the model would leave as
/// it is, is tried from the original on. Without any, the model decides.
static LaunchPlan planTrials(const Kernel &K, const AnalysisOptions &Options) {
  AnalysisOptions Tried = Options;
  Tried.May.Reserve = false;
  LaunchPlan Out = plan(K, Tried);
  const bool IsDoubtful = !changes(Out.Plan);
  if (IsDoubtful && !Options.MinGain) {
    Tried.MinGain = MinGainOfTrials;
    Tried.MayGuess = true;
    Out = plan(K, Tried);
  }
  if (!changes(Out.Plan))
    return plan(K, Options);
  Out.Plan.ByTrials = true;
  Out.Plan.InSlices = Options.May.Slices;
  Out.Plan.IsDoubtful = IsDoubtful;
  return Out;
}

bool hasKnownBlock(const Kernel &K) { return !launchesWithBlock(K).empty(); }

AnalysisOptions optionsFor(const KernelReport &K, AnalysisOptions OfFile) {
  if (!K.Own)
    return OfFile;
  RegisterSource Ask = std::move(OfFile.Registers.Ask);
  OfFile.May = K.Own->May;
  OfFile.Registers = K.Own->Registers;
  if (!OfFile.Registers.Ask)
    OfFile.Registers.Ask = std::move(Ask);
  OfFile.Forced = K.Own->Forced;
  OfFile.TileBytes = K.Own->TileBytes;
  OfFile.OptBlocks = K.Own->OptBlocks;
  return OfFile;
}

/// Takes back whatever is decided: the kernel was measured to be best so.
static void leaveAsWritten(const Kernel &K, KernelPlan &Plan) {
  Plan.After = Plan.Before;
  Plan.BlocksRemoved = 0;
  Plan.ReserveSharedBytes.reset();
  Plan.CarveoutPercent.reset();
  Plan.ByThreads.clear();
  Plan.Versions.clear();
  Plan.NotStaged.clear();
  Plan.Tiles = {};
  for (LoopPlan &P : Plan.Loops) {
    if (P.Why && info(P.Why->Kind).Kind == ReasonKind::NothingToDo)
      continue;
    P.Groups = 1;
    P.Cases.clear();
    P.PredictedGain.reset();
    P.FootprintBytesAfter = P.FootprintBytes;
    P.Why = Refusal{Reason::MeasuredAsWritten, K.Loops[P.Loop].Where, ""};
  }
}

void decide(KernelReport &Report, const AnalysisOptions &Options) {
  uint64_t OfFile = Options.Quota ? Options.Quota->left() : UINT64_MAX;
  uint64_t Share = std::min(OfFile, OperationsPerKernel);
  CountingQuota Quota(Share);
  ProfileMemo Own;
  AnalysisOptions Mine = optionsFor(Report, Options);
  Mine.Quota = &Quota;
  if (!Mine.Counted)
    Mine.Counted = &Own;
  Mine.May.Reserve &= Report.May.Reserve;
  Mine.May.Carveout &= Report.May.Carveout;
  Mine.May.LaunchTiles &= Report.May.LaunchTiles;
  Mine.May.Trials &= Report.May.Trials;
  Mine.May.Slices &= Report.May.Slices;
  LaunchPlan Decided = Mine.May.Trials ? planTrials(Report.Source, Mine)
                                       : plan(Report.Source, Mine);
  if (Options.Quota)
    Options.Quota->spend(Share - Quota.left());
  Report.Profiles = std::move(Decided.Profiles);
  Report.Plan = std::move(Decided.Plan);
  if (Report.Own && Report.Own->AsWritten)
    leaveAsWritten(Report.Source, Report.Plan);
  else
    Report.Plan.ByTiles = predictTiles(Report.Source, Report.Plan, Mine);
}

bool dependsOnRegisters(const KernelReport &Report) {
  const KernelPlan &Plan = Report.Plan;
  auto Contends = [](const LoopPlan &P) {
    return isDivided(P) || (P.Why && (P.Why->Kind == Reason::CannotFit ||
                                      P.Why->Kind == Reason::SmallGain));
  };
  const bool MayNotFit = !Plan.Tiles.IfLong &&
                         llvm::any_of(Plan.Versions, [](const LoopVersion &V) {
                           return V.BoundThreads != 0;
                         });
  // Beside tiles it is what some warps need, however many there may be.
  const bool AsksForBlocks = Plan.CarveoutPercent && Plan.Tiles.Threads == 0;
  return MayNotFit || AsksForBlocks || Plan.BlocksRemoved > 0 ||
         !Plan.ByThreads.empty() || llvm::any_of(Plan.Loops, Contends);
}

} // namespace catt
