//===- Model.cpp - The least predicted time -------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   cycles of an SM for one warp, at each point that spills nothing:
//     issuing its instructions | what the memory delivers | waiting / warps
//   the least is taken if it gains enough; else, for a loop that streams, the
//   most registers that keep three quarters of the warps
//
// This tool's own rule; measured in docs/registers.md.
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/strategies/Selectors.h"
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
                    int64_t Warps, const Device &Gpu,
                    const KeptInShared &Kept) {
  MemoryRates Rates = memoryRates(Gpu);
  double Spills = P.spillAccesses();
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
  return In.Mix.streams() ? Best : std::nullopt;
}

static Selection selectModel(const SelectorInput &In) {
  auto Cycles = [&](size_t I) {
    return cyclesShared(In.Mix, In.Points[I], warpsOf(In, I), In.Gpu);
  };
  size_t Best = 0;
  for (size_t I = 1; I < In.Points.size(); ++I)
    if (!In.isPruned(I) && !In.Points[I].spills() &&
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

constinit const Selector Selector::Model{"model", selectModel};

} // namespace catt
