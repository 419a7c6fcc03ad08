//===- Selectors.cpp - Which registers, how many blocks --------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/strategies/Selectors.h"
#include "analysis/time/TimeModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>
#include <limits>

using llvm::ArrayRef;
using llvm::StringRef;

namespace catt {

ArrayRef<Selector> allSelectors() {
  static constexpr Selector All[] = {Selector::Model, Selector::Tpsc,
                                     Selector::Orion, Selector::Unified,
                                     Selector::Dru};
  return All;
}

StringRef name(Selector By) {
  switch (By) {
  case Selector::Model:
    return "model";
  case Selector::Tpsc:
    return "tpsc";
  case Selector::Orion:
    return "orion";
  case Selector::Unified:
    return "unified";
  case Selector::Dru:
    return "dru";
  }
  llvm_unreachable("all selectors are covered");
}

std::optional<Selector> findSelector(StringRef Name) {
  const auto *Found = llvm::find_if(
      allSelectors(), [&](Selector By) { return name(By) == Name; });
  if (Found == allSelectors().end())
    return std::nullopt;
  return *Found;
}

/// Instructions that move spilled values, 4 bytes each, for one thread;
/// weighted as those of an InstructionMix.
static double spillAccesses(const RegisterPoint &P) {
  return P.SpillWeight * double(P.spilledBytes()) / 4;
}

/// The second pruning of CRAT section 4.2. The kernel as it is stays.
static bool isPruned(const SelectorInput &In, size_t Point) {
  return Point != 0 && In.OptBlocks && In.Points[Point].Blocks > *In.OptBlocks;
}

//===-- CRAT --------------------------------------------------------------===//

double tlpGain(int64_t Threads, int64_t MaxThreads) {
  return 1 - double(Threads) / double(Threads + MaxThreads);
}

double tpsc(const DesignPoint &P, int64_t ThreadsPerBlock, int64_t MaxThreads,
            const SpillCosts &Costs) {
  return tlpGain(P.Blocks * ThreadsPerBlock, MaxThreads) *
         spillAccesses(P.Compiled) * Costs.Local;
}

static Selection selectTpsc(const SelectorInput &In) {
  size_t Best = 0;
  auto Value = [&](size_t I) {
    return tpsc(In.Points[I], In.ThreadsPerBlock, In.Gpu.MaxThreadsPerSM, {});
  };
  // Among equals (no spill at all costs nothing) more blocks are better.
  for (size_t I = 1; I < In.Points.size(); ++I)
    if (!isPruned(In, I) && Value(I) <= Value(Best))
      Best = I;
  return {Selector::Tpsc, Best,
          llvm::formatv("TPSC {0:f1} is the least", Value(Best)).str(),
          std::nullopt};
}

namespace {
/// A block on its way through its segments.
struct RunningBlock {
  size_t Next = 0;       ///< segment
  double ReadyCycle = 0; ///< when its last access is back
  bool Started = false;
};
} // namespace

int64_t greedyThenOldest(ArrayRef<Segment> Block, int64_t MaxBlocks,
                         double BandwidthCycles) {
  if (Block.empty() || MaxBlocks <= 1)
    return 1;
  std::vector<RunningBlock> Blocks{size_t(MaxBlocks)};
  double Now = 0, MemoryFree = 0;
  while (true) {
    // Greedy: a block runs until it waits. Then the oldest that is ready.
    auto Runs = llvm::find_if(
        Blocks, [&](const RunningBlock &B) { return B.ReadyCycle <= Now; });
    if (Runs == Blocks.end()) {
      Now = llvm::min_element(Blocks, [](const auto &A, const auto &B) {
              return A.ReadyCycle < B.ReadyCycle;
            })->ReadyCycle;
      continue;
    }
    if (Runs->Next == Block.size())
      break; // the oldest block ends first: it goes before all others
    Runs->Started = true;
    const Segment &S = Block[Runs->Next++];
    Now += S.ComputeCycles;
    if (S.MemoryCycles > 0) {
      double Begins = std::max(Now, MemoryFree);
      MemoryFree = Begins + BandwidthCycles;
      Runs->ReadyCycle = Begins + S.MemoryCycles;
    }
  }
  return llvm::count_if(Blocks,
                        [](const RunningBlock &B) { return B.Started; });
}

//===-- Orion -------------------------------------------------------------===//

Direction orionDirection(unsigned MaxLive, const Device &Gpu) {
  return int64_t(MaxLive) >= minRegisters(Gpu) ? Direction::Increasing
                                               : Direction::Decreasing;
}

size_t conservativePoint(const SelectorInput &In) {
  size_t Best = 0;
  for (size_t I = 1; I < In.Points.size(); ++I) {
    const DesignPoint &P = In.Points[I];
    int64_t Spilled =
        int64_t(P.Compiled.StackBytes) * P.Blocks * In.ThreadsPerBlock;
    int64_t OnChip = In.Gpu.UnifiedBytes - P.Blocks * In.SharedBytesPerBlock;
    if (Spilled <= OnChip)
      Best = I;
  }
  return Best;
}

static Selection selectOrion(const SelectorInput &In) {
  Selection S{Selector::Orion, std::nullopt, "MaxLive is not known",
              std::nullopt};
  if (In.MaxLive == 0)
    return S;
  bool Up = orionDirection(In.MaxLive, In.Gpu) == Direction::Increasing;
  S.Point = Up ? conservativePoint(In) : 0;
  S.Why = llvm::formatv(
              "MaxLive {0} is {1} the {2} registers of full occupancy",
              In.MaxLive, Up ? "not below" : "below", minRegisters(In.Gpu))
              .str();
  return S;
}

//===-- Unified -----------------------------------------------------------===//

double computePerAccess(const DesignPoint &P, const InstructionMix &Mix) {
  double Accesses = Mix.OffChip + spillAccesses(P.Compiled);
  if (Accesses == 0)
    return std::numeric_limits<double>::infinity();
  return Mix.Compute * Mix.DispatchInterval / Accesses;
}

int64_t coresPerSM(const Device &Gpu) {
  switch (Gpu.Capability) {
  case 20:
    return 32;
  case 30:
    return 192;
  case 60:
  case 70:
  case 72:
  case 75:
  case 80:
    return 64;
  default:
    return 128;
  }
}

static Selection selectUnified(const SelectorInput &In) {
  Selection S{Selector::Unified, std::nullopt,
              "the instructions of the kernel are not known", std::nullopt};
  if (!In.Mix)
    return S;
  S.Point = 0;
  double Interval = In.Mix->DispatchInterval;
  S.Why = llvm::formatv("a dispatch interval of {0:f1} cycles", Interval).str();
  if (Interval <= 1) { // one warp fills the pipeline: not concurrency bound
    S.Why += " leaves nothing to hide";
    return S;
  }
  auto Beneficial = [&](size_t I) {
    return computePerAccess(In.Points[I], *In.Mix) > MaxComputePerAccess;
  };
  double Threads = Interval * double(coresPerSM(In.Gpu));
  size_t Start = 0;
  while (Start + 1 < In.Points.size() &&
         double(In.Points[Start].Blocks * In.ThreadsPerBlock) < Threads)
    ++Start;
  // Up while computation hides the accesses, else down to the first that does.
  if (Beneficial(Start)) {
    for (size_t I = Start; I < In.Points.size(); ++I)
      if (Beneficial(I))
        S.Point = I;
  } else {
    size_t I = Start;
    while (I > 0 && In.Points[I].spills() && !Beneficial(I))
      --I;
    S.Point = I;
  }
  S.Why += llvm::formatv(" asks for {0:f0} threads", Threads).str();
  return S;
}

//===-- TLP-RM ------------------------------------------------------------===//

static Selection selectDru(const SelectorInput &In) {
  Selection S{Selector::Dru, 0, "no more blocks fit", std::nullopt};
  if (In.Points.size() < 2)
    return S;
  const DesignPoint &Next = In.Points[1];
  if (Next.spills()) {
    S.Why = llvm::formatv("{0} registers, for one step more, would spill",
                          Next.Compiled.CapRegisters)
                .str();
    return S;
  }
  S.Point = 1;
  S.Why = llvm::formatv("{0} registers admit one step more",
                        Next.Compiled.CapRegisters)
              .str();
  return S;
}

//===-- model -------------------------------------------------------------===//

double InstructionMix::waits(int64_t Registers) const {
  auto Above = llvm::find_if(WaitsUnder, [&](const auto &Known) {
    return int64_t(Known.first) > Registers;
  });
  return Above == WaitsUnder.begin() ? Waits : std::prev(Above)->second;
}

/// Time for one of Customers that go round between two servers, if these take
/// so long for each.
static double roundTrip(double Longer, double Shorter, int64_t Customers) {
  double Ratio = Longer > 0 ? Shorter / Longer : 0, Sum = 0, Power = 1;
  for (int64_t I = 0; I < Customers; ++I, Power *= Ratio)
    Sum += Power;
  return Longer * (1 + Power / Sum);
}

double cyclesShared(const InstructionMix &Mix, const DesignPoint &P,
                    int64_t Warps, const Device &Gpu,
                    const KeptInShared &Kept) {
  MemoryRates Rates = memoryRates(Gpu);
  double Spills = spillAccesses(P.Compiled);
  double Issue = (Mix.instructions() + Spills + Kept.Accesses) /
                 double(std::max<int64_t>(1, Gpu.SubPartitions));
  constexpr double SectorsPerAccess = double(WarpLanes) * 4 / SectorBytes;
  double Memory = Mix.OffChip * SectorsPerAccess * Rates.Sector;
  double Wait = Mix.Compute * Mix.DispatchInterval +
                Mix.waits(P.Compiled.Registers + Kept.Registers) * Rates.Miss +
                Spills * Rates.Hit + Kept.Accesses * SpillCosts().Shared;
  // A warp's access of shared memory takes it for one cycle.
  double Computing = std::max({Issue, Kept.Accesses, Wait / double(Warps)});
  if (!Mix.isStraight())
    return std::max(Memory, Computing);
  Memory *= 1 + Rates.Far; // all of it is new, and goes through L2
  return roundTrip(std::max(Memory, Computing), std::min(Memory, Computing),
                   P.Blocks);
}

static int64_t warpsOf(const SelectorInput &In, size_t Point) {
  return In.Points[Point].Blocks *
         ((In.ThreadsPerBlock + WarpLanes - 1) / WarpLanes);
}

/// The roomiest point that keeps three quarters of the warps. A loop whose
/// loads do not wait for each other has as many under way as registers can
/// receive; measured on an H200, this gains 3 to 33 % on such loops, and loses
/// 1 to 5 % on kernels without a loop or whose addresses are loaded.
static std::optional<size_t> streamingPoint(const SelectorInput &In) {
  std::optional<size_t> Best;
  for (size_t I = 0; I < In.Roomier.size(); ++I)
    if (4 * In.Roomier[I].Blocks >= 3 * In.Points.front().Blocks)
      Best = In.Points.size() + I;
  return In.Mix->streams() ? Best : std::nullopt;
}

static Selection selectModel(const SelectorInput &In) {
  Selection S{Selector::Model, std::nullopt,
              "the instructions of the kernel are not known", std::nullopt};
  if (!In.Mix)
    return S;
  auto Cycles = [&](size_t I) {
    return cyclesShared(*In.Mix, In.Points[I], warpsOf(In, I), In.Gpu);
  };
  size_t Best = 0;
  for (size_t I = 1; I < In.Points.size(); ++I)
    if (!isPruned(In, I) && !In.Points[I].spills() &&
        Cycles(I) < Cycles(Best) * (1 - 1e-9))
      Best = I;
  double Gain = Cycles(Best) == 0 ? 1 : Cycles(0) / Cycles(Best);
  S.Point = 0;
  if (auto Roomier = streamingPoint(In);
      Roomier && (Best == 0 || Gain < 1 + In.MinGain)) {
    S.Point = Roomier;
    S.Why = "its loop streams: more registers keep more loads under way";
  } else if (Best == 0) {
    S.Why = "more warps would not shorten the time, or only by spilling";
  } else if (Gain < 1 + In.MinGain) {
    S.Why =
        llvm::formatv("a predicted gain of {0:f2} is too small", Gain).str();
  } else {
    S.Point = Best;
    S.PredictedGain = Gain;
    S.Why = llvm::formatv("{0} instead of {1} warps hide the waiting better",
                          warpsOf(In, Best), warpsOf(In, 0))
                .str();
  }
  return S;
}

Selection select(Selector By, const SelectorInput &In) {
  switch (By) {
  case Selector::Model:
    return selectModel(In);
  case Selector::Tpsc:
    return selectTpsc(In);
  case Selector::Orion:
    return selectOrion(In);
  case Selector::Unified:
    return selectUnified(In);
  case Selector::Dru:
    return selectDru(In);
  }
  llvm_unreachable("all selectors are covered");
}

} // namespace catt
