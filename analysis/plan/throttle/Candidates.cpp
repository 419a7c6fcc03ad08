//===- Candidates.cpp - The ways to run a loop -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/plan/throttle/Candidates.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace catt {

double minGain(const ThrottleOptions &Options,
               llvm::ArrayRef<LoopProfile> Profiles) {
  return Options.minGain(llvm::any_of(Profiles, [](const LoopProfile &P) {
    return P.Work && P.Work->HoldsBack;
  }));
}

int64_t l1Of(const Residency &R, const ThrottleOptions &Options) {
  return Options.L1Bytes.value_or(R.L1Bytes);
}

/// Lines of the group of `Warps` warps that touches most.
static int64_t linesOf(const LevelFootprint &Level, int64_t Warps) {
  auto Known = Level.LinesByWarps.lower_bound(Warps);
  bool Found = Known != Level.LinesByWarps.end();
  if (Found && Known->first == Warps)
    return Known->second;
  // More warps touch no less, and no warp touches more than LinesPerWarp.
  int64_t Larger = Found ? Known->second : Level.LinesPerBlock;
  return std::min(Larger, Level.LinesPerWarp * Warps);
}

Candidate makeCandidate(const LevelFootprint &Level, int64_t Warps,
                        const BlockChoice &Blocks,
                        const ThrottleOptions &Options) {
  const Residency &R = Blocks.After;
  Candidate C;
  C.WarpsPerGroup = Warps;
  C.Groups = divideCeil(R.WarpsPerBlock, Warps);
  C.BlocksPerSM = R.BlocksPerSM;
  C.BlocksRemoved = Blocks.Removed;
  C.FootprintBytes =
      footprintBytes(Level, Warps, R.BlocksPerSM, Options.PaperRule);
  C.L1Bytes = l1Of(R, Options);
  return C;
}

/// Whether another carve-out than the driver's is a choice.
static bool mayAskForCarveout(const ThrottleOptions &Options) {
  return Options.MayPreferL1 && Options.Gpu.UnifiedL1 && !Options.L1Bytes &&
         !Options.Block.CarveoutPercent;
}

/// The paper knows no carve-out that a kernel asks for.
static std::optional<Reservation> reservation(const ThrottleOptions &Options,
                                              int64_t Blocks) {
  std::optional<Reservation> Large =
      reserveShared(Options.Gpu, Options.Block, Blocks);
  if (Options.PaperRule || !mayAskForCarveout(Options))
    return Large;
  std::optional<Reservation> Small =
      reserveInCarveout(Options.Gpu, Options.Block, Blocks);
  if (!Small || (Large && Large->After.L1Bytes >= Small->After.L1Bytes))
    return Large;
  return Small;
}

std::vector<BlockChoice> blockChoices(const Residency &Before,
                                      const ThrottleOptions &Options) {
  std::vector<BlockChoice> Choices = {{0, 0, Before}};
  if (!Options.MayReserve)
    return Choices;
  for (int64_t Blocks = Before.BlocksPerSM - 1; Blocks >= 1; --Blocks) {
    std::optional<Reservation> R = reservation(Options, Blocks);
    if (R && R->After.BlocksPerSM == Blocks)
      Choices.push_back({Before.BlocksPerSM - Blocks, R->Bytes, R->After,
                         R->CarveoutPercent});
  }
  return Choices;
}

std::optional<BlockChoice> withLargestL1(const BlockChoice &Blocks,
                                         const ThrottleOptions &Options) {
  const Device &Gpu = Options.Gpu;
  if (!mayAskForCarveout(Options) || Blocks.CarveoutPercent)
    return std::nullopt;
  BlockResources Block = Options.Block;
  Block.DynamicSharedBytes += Blocks.ReserveBytes;
  if (Block.StaticSharedBytes + Block.DynamicSharedBytes == 0)
    return std::nullopt; // the driver leaves all of it to L1
  BlockChoice Asked = Blocks;
  Asked.CarveoutPercent = carveoutPercent(
      Gpu, Block, Blocks.After.BlocksPerSM * allocatedSharedBytes(Gpu, Block));
  Asked.After.CarveoutBytes = carveoutAsked(Gpu, Block, *Asked.CarveoutPercent);
  if (Asked.After.CarveoutBytes >= Blocks.After.CarveoutBytes)
    return std::nullopt;
  Asked.After.L1Bytes = Gpu.UnifiedBytes - Asked.After.CarveoutBytes;
  return Asked;
}

std::optional<Candidate> mostWarps(const LevelFootprint &Level,
                                   const BlockChoice &Blocks,
                                   const ThrottleOptions &Options) {
  for (int64_t Warps :
       warpChoices(Blocks.After.WarpsPerBlock, Options.PaperRule)) {
    Candidate C = makeCandidate(Level, Warps, Blocks, Options);
    if (C.fits())
      return C;
  }
  return std::nullopt;
}

int64_t footprintBytes(const LevelFootprint &Level, int64_t Warps,
                       int64_t Blocks, bool PaperRule) {
  if (PaperRule)
    return Level.LinesPerWarp * Warps * Blocks * LineBytes;
  int64_t Lines = linesOf(Level, Warps);
  int64_t Shared = std::min(Level.LinesShared, Lines);
  return (Lines * Blocks - Shared * (Blocks - 1)) * LineBytes;
}

std::string kib(int64_t Bytes) {
  if (Bytes % 1024 == 0)
    return llvm::formatv("{0} KiB", Bytes / 1024);
  return llvm::formatv("{0:f1} KiB", double(Bytes) / 1024);
}

std::vector<int64_t> warpChoices(int64_t Warps, bool PaperRule) {
  std::vector<int64_t> Choices;
  for (int64_t N = 1; N <= Warps; N = PaperRule ? 2 * N : N + 1) {
    int64_t W = divideCeil(Warps, N);
    if (Choices.empty() || Choices.back() != W)
      Choices.push_back(W);
  }
  return Choices;
}

std::vector<Candidate> candidates(const LevelFootprint &Level,
                                  const Residency &Before,
                                  const ThrottleOptions &Options) {
  std::vector<Candidate> All;
  for (const BlockChoice &Blocks : blockChoices(Before, Options))
    for (int64_t Warps : warpChoices(Before.WarpsPerBlock, Options.PaperRule))
      All.push_back(makeCandidate(Level, Warps, Blocks, Options));
  return All;
}

/// CUDA C++ Programming Guide, "Technical Specifications per Compute
/// Capability".
static constexpr int64_t MostThreads = 1024;

static int64_t boundOf(const Kernel &K) {
  return K.MaxThreads.value_or(0) ? *K.MaxThreads : MostThreads;
}

int64_t largestBlockInSight(const Kernel &K) {
  int64_t Largest = 0;
  for (const Launch &L : K.Launches)
    Largest = std::max(Largest, L.Block.count().value_or(boundOf(K)));
  return Largest ? Largest : boundOf(K);
}

int64_t largestBlock(const Kernel &K) {
  return K.AllLaunchesVisible ? largestBlockInSight(K) : boundOf(K);
}

bool mayLackRegisters(const Kernel &K, const Device &Gpu, int64_t Threads) {
  return K.MaxThreads.value_or(0) < Threads && !K.MaxRegisters &&
         registersForBlocks(Gpu, Threads, /*Blocks=*/1) <
             Gpu.MaxRegistersPerThread;
}

bool hasRegisters(const Kernel &K, const Device &Gpu, int64_t Threads,
                  int64_t More) {
  return !K.Registers || !mayLackRegisters(K, Gpu, Threads) ||
         K.Registers->Most + More <=
             registersForBlocks(Gpu, Threads, /*Blocks=*/1);
}

int64_t threadsToBound(const Kernel &K, const Device &Gpu, int64_t More) {
  const int64_t Largest = largestBlock(K);
  if (llvm::any_of(K.Launches, [&](const Launch &L) {
        return mayLackRegisters(K, Gpu, L.Block.count().value_or(0));
      }))
    return Largest;
  const bool Enough = !mayLackRegisters(K, Gpu, Largest) ||
                      (K.Registers && hasRegisters(K, Gpu, Largest, More));
  return Enough ? 0 : Largest;
}

} // namespace catt
