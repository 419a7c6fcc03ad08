//===- Setting.cpp - What a launch fixes, and a plan for it -----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/throttle/Setting.h"
#include "analysis/device/Occupancy.h"
#include "analysis/memory/CattFootprint.h"
#include "analysis/memory/Footprint.h"
#include "analysis/memory/LoopWork.h"
#include "analysis/plan/throttle/Force.h"
#include "analysis/plan/throttle/SecondOpinion.h"
#include "analysis/plan/throttle/ThrottlePlan.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace catt {

BlockResources blockOf(const Kernel &K, const Launch &L) {
  BlockResources R;
  R.Threads = L.Block.count().value_or(0);
  R.StaticSharedBytes = K.StaticSharedBytes;
  R.DynamicSharedBytes = L.DynamicSharedBytes.value_or(0);
  R.GridBlocks = L.Grid.count();
  return R;
}

namespace {

/// An estimate above what one block can have is none: the launch runs.
std::optional<int64_t> registersFor(const Kernel &K, int64_t Threads,
                                    const Device &Gpu) {
  if (!K.Registers)
    return std::nullopt;
  int64_t Most = registersForBlocks(Gpu, Threads, 1);
  bool Told = K.Registers->From != Origin::Estimated || Most == 0;
  return Told ? K.Registers->Likely : std::min(K.Registers->Likely, Most);
}

BlockResources resourcesOf(const Kernel &K, const Launch &L,
                           const Device &Gpu) {
  BlockResources R = blockOf(K, L);
  R.RegistersPerThread = registersFor(K, R.Threads, Gpu);
  return R;
}

LoopProfile tooComplex(const Setting &S, unsigned Loop,
                       const std::string &Why) {
  return {Loop,
          {},
          Refusal{Reason::TooComplex, S.K.Loops[Loop].Where, Why},
          std::nullopt};
}

void countProfile(const Setting &S, unsigned Loop, LoopCounts &To) {
  if (To.Profile)
    return;
  llvm::Expected<LoopProfile> P = profileLoop(S.K, Loop, S.Footprint);
  To.Profile =
      P ? std::move(*P) : tooComplex(S, Loop, llvm::toString(P.takeError()));
}

void countWork(const Setting &S, unsigned Loop, LoopCounts &To) {
  if (To.Work || !To.WorkError.empty())
    return;
  llvm::Expected<LoopWork> Work = loopWork(S.K, Loop, S.Footprint);
  if (Work)
    To.Work = *Work;
  else
    To.WorkError = llvm::toString(Work.takeError());
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
  if (S.Counting == Model::Catt)
    return cattProfile(S.K, Loop, S.Footprint);
  LoopCounts Own;
  LoopCounts &Counts = S.Counted ? S.Counted->at(Loop, S.Footprint) : Own;
  countProfile(S, Loop, Counts);
  LoopProfile P = *Counts.Profile;
  bool Needed = contends(S, P);
  if (!Needed && (!AlwaysWork || P.Levels.empty()))
    return P;
  countWork(S, Loop, Counts);
  P.Work = Counts.Work;
  return P.Work || !Needed ? P : tooComplex(S, Loop, Counts.WorkError);
}

/// Fewer blocks on an SM would slow down a grid that leaves the last of them
/// idle, so that the grid must be known; the paper does not ask.
static bool mayReserve(const Kernel &K, const Launch &L,
                       const AnalysisOptions &Options) {
  return Options.May.Reserve &&
         (L.Grid.count() || Options.Counting == Model::Catt ||
          Options.OptBlocks || !forcedFor(K, Options.Forced).empty());
}

llvm::Expected<Setting> settingFor(const Kernel &K, const Launch &L,
                                   const AnalysisOptions &Options,
                                   bool MayReserve) {
  ThrottleOptions Throttle{Options.Gpu,
                           resourcesOf(K, L, Options.Gpu),
                           Options.Counting == Model::Catt,
                           Options.L1Bytes,
                           Options.May.Groups,
                           MayReserve && mayReserve(K, L, Options),
                           Options.May.Carveout,
                           Options.MayGuess,
                           Options.MinGain,
                           forcedFor(K, Options.Forced),
                           Options.OptBlocks};
  llvm::Expected<Residency> Before = residency(Options.Gpu, Throttle.Block);
  if (!Before)
    return Before.takeError();
  if (Options.L1Bytes)
    Before->L1Bytes = *Options.L1Bytes;
  if (K.Registers && K.Registers->From == Origin::Estimated)
    Before->From = Origin::Estimated;
  FootprintOptions Footprint;
  Footprint.Block = L.Block;
  Footprint.Grid = L.Grid;
  Footprint.Quota = Options.Quota;
  Footprint.Parameters = L.Arguments;
  for (const auto &[Name, Value] : Options.Assumed)
    Footprint.Parameters[Name] = Value;
  return Setting{K,
                 Footprint,
                 Throttle,
                 *Before,
                 Options.Counting,
                 Options.Counted,
                 Options.Rules};
}

LaunchPlan planKnown(const Setting &S) {
  LaunchPlan Result;
  for (const Loop &Each : S.K.Loops)
    Result.Profiles.push_back(profileOf(S, Each.Id));
  auto Ask = [&](unsigned Loop, const Candidate &Whole,
                 const Candidate &Split) {
    return simulatedGain(S.K, Loop, Whole, Split, S.Footprint, S.Throttle);
  };
  Result.Plan = planThrottle(S.K, Result.Profiles, S.Before, S.Throttle, Ask);
  if (S.Throttle.L1Bytes && Result.Plan.After)
    Result.Plan.After->L1Bytes = *S.Throttle.L1Bytes;
  return Result;
}

/// To predict one loop under one choice of groups and blocks.
static constexpr uint64_t OperationsToPredict = 100;

KernelPlan planWith(const Setting &S, std::vector<LoopProfile> Known) {
  S.Footprint.spend(OperationsToPredict * S.K.Loops.size() *
                    S.Before.WarpsPerBlock);
  for (LoopProfile &P : Known)
    if (P.Work && !contends(S, P))
      P.Work.reset();
  return planThrottle(S.K, Known, S.Before, S.Throttle);
}

} // namespace catt
