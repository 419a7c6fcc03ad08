//===- Prediction.cpp - The time of a loop under a choice -----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/plan/throttle/Prediction.h"
#include "analysis/nest/Nest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace catt {

const LoopProfile *profileOf(const std::vector<LoopProfile> &Profiles,
                             unsigned Loop) {
  auto P =
      find_if(Profiles, [&](const LoopProfile &P) { return P.Loop == Loop; });
  return P == Profiles.end() ? nullptr : &*P;
}

/// The loop and the loops inside it whose own reuse may miss.
static Running running(const Kernel &K,
                       const std::vector<LoopProfile> &Profiles, unsigned Loop,
                       const Candidate &C, const ThrottleOptions &Options) {
  Running Now;
  Now.WarpsPerBlock = divideCeil(Options.Block.Threads, WarpLanes);
  Now.WarpsPerGroup = C.WarpsPerGroup;
  Now.BlocksPerSM = C.BlocksPerSM;
  Now.L1Bytes = C.L1Bytes;
  if (Options.Block.GridBlocks && Options.Gpu.SMs)
    Now.BusySMs = std::min(*Options.Block.GridBlocks, *Options.Gpu.SMs);
  std::map<unsigned, double> Times; // in one iteration of the loop
  std::map<unsigned, size_t> Place; // of it, or what counts around it
  for (const catt::Loop &Each : K.Loops) {
    bool Inside = Each.Parent && Times.count(*Each.Parent);
    if (Each.Id != Loop && !Inside)
      continue;
    const LoopProfile *P = profileOf(Profiles, Each.Id);
    double Trips =
        double(P && P->Work ? P->Work->Iterations.value_or(UnknownTrips)
                            : UnknownTrips);
    Times[Each.Id] = Inside ? Times[*Each.Parent] * Trips : 1;
    size_t Around = Inside ? Place[*Each.Parent] : 0;
    Place[Each.Id] = Around;
    if (!P || !P->Work || P->Levels.empty())
      continue;
    Place[Each.Id] = Now.Levels.size();
    Now.Levels.push_back(
        {*P->Work,
         footprintBytes(P->Levels.front(), C.WarpsPerGroup, C.BlocksPerSM,
                        /*PaperRule=*/false),
         Times[Each.Id], Around, isInnermost(K, Each.Id)});
  }
  return Now;
}

double predictedCycles(const Kernel &K,
                       const std::vector<LoopProfile> &Profiles, unsigned Loop,
                       const Candidate &C, const ThrottleOptions &Options,
                       const MemoryRates &Rates) {
  int64_t Warps = divideCeil(Options.Block.Threads, WarpLanes);
  auto Group = [&](int64_t Size, int64_t Blocks) {
    Candidate Each = C;
    Each.WarpsPerGroup = Size;
    Each.BlocksPerSM = Blocks;
    Running Now = running(K, Profiles, Loop, Each, Options);
    return double(Size) * cyclesPerWarp(Now, Options.Gpu, Rates);
  };
  auto At = [&](int64_t Blocks) {
    int64_t Groups = Warps / C.WarpsPerGroup, Last = Warps % C.WarpsPerGroup;
    double Sum = double(Groups) * Group(C.WarpsPerGroup, Blocks);
    return (Last ? Sum + Group(Last, Blocks) : Sum) / double(Warps);
  };
  double Full = At(C.BlocksPerSM);
  if (!Options.Block.GridBlocks || !Options.Gpu.SMs)
    return Full;
  int64_t Blocks = divideCeil(*Options.Block.GridBlocks, *Options.Gpu.SMs);
  int64_t Rest = Blocks % C.BlocksPerSM;
  if (Rest == 0 || Blocks < C.BlocksPerSM)
    return Full;
  double Whole = double(Blocks - Rest) * Full, Last = double(Rest) * At(Rest);
  double Longest = std::max(Last, double(C.BlocksPerSM) * Full);
  if (C.BlocksRemoved > 0)
    Last += (Longest - Last) / double(C.WarpsPerGroup);
  return (Whole + Last) / double(Blocks);
}

std::vector<TimedCandidate>
predictedTimes(const Kernel &K, const std::vector<LoopProfile> &Profiles,
               unsigned Loop, const BlockChoice &Blocks,
               const ThrottleOptions &Options, const MemoryRates &Rates) {
  const LevelFootprint &Level = profileOf(Profiles, Loop)->Levels.front();
  std::vector<TimedCandidate> Times;
  for (int64_t Warps : warpChoices(Blocks.After.WarpsPerBlock, false)) {
    Candidate C = makeCandidate(Level, Warps, Blocks, Options);
    Times.push_back({C, predictedCycles(K, Profiles, Loop, C, Options, Rates)});
  }
  return Times;
}

const TimedCandidate &fastest(llvm::ArrayRef<TimedCandidate> Times) {
  const TimedCandidate *Best = &Times.front();
  for (const TimedCandidate &Each : Times)
    if (Each.Cycles < 0.99 * Best->Cycles)
      Best = &Each;
  return *Best;
}

int64_t mostWarps(llvm::ArrayRef<TimedCandidate> Times,
                  const TimedCandidate &Best) {
  const TimedCandidate *Most =
      llvm::find_if(Times, [&](const TimedCandidate &Each) {
        return Each.Cycles <= 1.03 * Best.Cycles;
      });
  return Most->Choice.WarpsPerGroup;
}

} // namespace catt
