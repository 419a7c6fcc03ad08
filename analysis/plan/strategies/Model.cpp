//===- Model.cpp - The least predicted time -------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   where ptxas gave machine code: the point whose grid is done first, spills
//   and all (GridTime), if it gains enough; else, by the PTX
//
//   cycles of an SM for one warp, at each point that spills nothing:
//     issuing its instructions | what the memory delivers | waiting / warps
//   the least is taken if it gains enough; else, for a loop that streams, the
//   most registers that keep three quarters of the warps
//   points that were relieved (By: values moved to shared memory, computed
//   again) have to gain as much over that
//
// This tool's own rule; measured in docs/registers.md.
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/strategies/Selectors.h"
#include "analysis/time/GridTime.h"
#include "analysis/time/TimeModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

namespace catt {

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
                    int64_t Warps, const Device &Gpu) {
  MemoryRates Rates = memoryRates(Gpu);
  double Spills = P.spillAccesses(), Shared = P.By.SharedAccesses;
  double Compute = Mix.Compute + P.By.Recomputed;
  double Issue = (Compute + Mix.OffChip + Spills + Shared) /
                 double(std::max<int64_t>(1, Gpu.SubPartitions));
  constexpr double SectorsPerAccess = double(WarpLanes) * 4 / SectorBytes;
  double Memory = Mix.OffChip * SectorsPerAccess * Rates.Sector;
  double Wait = Compute * Mix.DispatchInterval +
                Mix.waits(P.Compiled.Registers + P.By.Registers) * Rates.Miss +
                Spills * Rates.Hit + Shared * SpillCosts().Shared;
  // A warp's access of shared memory takes it for one cycle.
  double Computing = std::max({Issue, Shared, Wait / double(Warps)});
  if (!Mix.isStraight())
    return std::max(Memory, Computing);
  Memory *= 1 + Rates.Far; // all of it is new, and goes through L2
  return roundTrip(std::max(Memory, Computing), std::min(Memory, Computing),
                   P.Blocks);
}

static int64_t warpsOf(const SelectorInput &In, size_t Point) {
  return In.at(Point).Blocks *
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
  return In.Mix.streams() ? Best : std::nullopt;
}

static double cycles(const SelectorInput &In, size_t Point) {
  return cyclesShared(In.Mix, In.at(Point), warpsOf(In, Point), In.Gpu);
}

/// The best of the points that are what the compiler makes of a cap.
static Selection compiledPoint(const SelectorInput &In) {
  auto Cycles = [&](size_t I) { return cycles(In, I); };
  size_t Best = 0;
  for (size_t I = 1; I < In.Points.size(); ++I)
    if (!In.isPruned(I) && !In.Points[I].spills() && !In.Points[I].By.any() &&
        Cycles(I) < Cycles(Best) * (1 - 1e-9))
      Best = I;
  double Gain = Cycles(Best) == 0 ? 1 : Cycles(0) / Cycles(Best);
  if (auto Roomier = streamingPoint(In);
      Roomier && (Best == 0 || Gain < 1 + In.MinGain))
    return {*Roomier,
            "its loop streams: more registers keep more loads under way"};
  if (Best == 0)
    return {0, "more warps would not shorten the time, or only by spilling"};
  if (Gain < 1 + In.MinGain)
    return {
        0,
        llvm::formatv("a predicted gain of {0:f2} is too small", Gain).str()};
  return {Best,
          llvm::formatv("{0} instead of {1} warps hide the waiting better",
                        warpsOf(In, Best), warpsOf(In, 0))
              .str()};
}

/// Not loops that stream, which want registers, nor kernels whose addresses are
/// loaded: what more of their loads do to the cache cannot be told.
static bool mayGainByWarps(const InstructionMix &Mix) {
  return !Mix.streams() && 10 * Mix.DependentAccesses < Mix.OffChip;
}

/// Of the relieved points that gain enough over another one, and are about as
/// good as the best, the one with the fewest blocks: what it moves less is
/// certain, what more warps gain is predicted.
static std::optional<size_t> relievedPoint(const SelectorInput &In,
                                           size_t Other) {
  double Enough = 1 + In.MinGain, Most = Enough;
  auto Gain = [&](size_t I) { return cycles(In, Other) / cycles(In, I); };
  std::vector<size_t> Good;
  for (size_t I = 1; I < In.Points.size(); ++I)
    if (const DesignPoint &P = In.Points[I];
        P.By.any() && !P.spills() && !In.isPruned(I) &&
        P.Blocks > In.at(Other).Blocks && Gain(I) >= Enough) {
      Good.push_back(I);
      Most = std::max(Most, Gain(I));
    }
  auto First =
      llvm::find_if(Good, [&](size_t I) { return Gain(I) * Enough >= Most; });
  if (First == Good.end())
    return std::nullopt;
  return *First;
}

//===-- By machine code ---------------------------------------------------===//

static ResidentBlocks residentBlocks(const SelectorInput &In,
                                     const DesignPoint &P) {
  return {*P.Compiled.Warp, In.ThreadsPerBlock, P.Blocks, P.Compiled.StackBytes,
          In.sharedBytes(P)};
}

static double gainOf(const SelectorInput &In, const ResidentBlocks &New,
                     const ResidentBlocks &Old) {
  if (In.GridBlocks && In.Gpu.SMs)
    return gridCycles(Old, *In.GridBlocks, *In.Gpu.SMs, In.Gpu) /
           gridCycles(New, *In.GridBlocks, *In.Gpu.SMs, In.Gpu);
  if (waveCycles(New, 1, 1, In.Gpu) > waveCycles(Old, 1, 1, In.Gpu))
    return 0;
  return cyclesOfBlock(Old, In.Gpu) / cyclesOfBlock(New, In.Gpu);
}

std::optional<double> gainByCode(const SelectorInput &In, const DesignPoint &Of,
                                 const DesignPoint &Over) {
  if (!Of.Compiled.Warp || !Over.Compiled.Warp)
    return std::nullopt;
  ResidentBlocks New = residentBlocks(In, Of), Old = residentBlocks(In, Over);
  const double Gain = gainOf(In, New, Old);
  if (New.Warp.Local + New.Warp.Shared <= Old.Warp.Local + Old.Warp.Shared)
    return Gain;
  for (ResidentBlocks *Each : {&New, &Old})
    Each->Warp.Cycles = Each->Warp.CyclesInL1;
  const double InL1 = gainOf(In, New, Old);
  return InL1 < 1 ? std::min(Gain, InL1) : Gain;
}

/// Gains that differ by less are equal.
constexpr double Near = 1.03;

/// Of the points that are about as good as the best, one that spills least to
/// local memory, and of these the one with the fewest blocks.
static Selection pointByCode(const SelectorInput &In) {
  struct Candidate {
    size_t Point;
    double Gain;
  };
  std::vector<Candidate> All;
  double Most = 1;
  for (size_t I = 1; I < In.Points.size() + In.Roomier.size(); ++I) {
    if (I < In.Points.size() && In.isPruned(I))
      continue;
    if (std::optional<double> Gain = gainByCode(In, In.at(I), In.at(0))) {
      All.push_back({I, *Gain});
      Most = std::max(Most, *Gain);
    }
  }
  if (Most < 1 + In.MinGain)
    return {0,
            llvm::formatv("the best predicted gain is {0:f2}, too little", Most)
                .str()};
  llvm::erase_if(All, [&](const Candidate &C) { return C.Gain * Near < Most; });
  auto Cost = [&](const Candidate &C) {
    const DesignPoint &P = In.at(C.Point);
    return std::pair(P.Compiled.Warp->Local, P.Blocks);
  };
  const Candidate &Best =
      *llvm::min_element(All, [&](const Candidate &A, const Candidate &B) {
        return Cost(A) < Cost(B);
      });
  return {Best.Point,
          llvm::formatv("by its machine code {0:f2} times as fast, in {1} "
                        "instead of {2} warps on an SM",
                        Best.Gain, warpsOf(In, Best.Point), warpsOf(In, 0))
              .str()};
}

static Selection selectModel(const SelectorInput &In) {
  if (In.at(0).Compiled.Warp)
    return pointByCode(In);
  Selection Plain = compiledPoint(In);
  if (!mayGainByWarps(In.Mix))
    return Plain;
  if (std::optional<size_t> I = relievedPoint(In, Plain.Point))
    return {*I, llvm::formatv("nothing is spilled with {0} registers of each "
                              "thread in shared memory or computed again",
                              In.Points[*I].By.Registers)
                    .str()};
  return Plain;
}

constinit const Selector Selector::Model{"model", selectModel, false};

} // namespace catt
