//===- GridTime.cpp - A grid of blocks, of what one warp takes ------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/time/GridTime.h"
#include "analysis/time/TimeModel.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

namespace catt {

/// Cycles of a scheduler for an instruction, and of an SM for an access of
/// local and of shared memory.
constexpr double IssueCycles = 1.5, LocalCycles = 5, SharedCycles = 2;
/// Of what a warp has of global memory, the part that comes through L1 between
/// a spill and its reload.
constexpr double Between = 0.3;

/// Share of the local accesses that go below L1.
static double lostLocal(const ResidentBlocks &Of, double Warps, double Blocks,
                        const Device &Gpu) {
  if (Of.LocalBytes <= 0)
    return 0;
  const double Local = double(Of.LocalBytes * Of.ThreadsPerBlock);
  const double Global = Of.Warp.Global * Warps * double(WarpLanes) * 4;
  const double Bytes = (Local + Between * Global) * Blocks;
  const double L1 = double(Gpu.UnifiedBytes) - double(Of.SharedBytes) * Blocks;
  return std::clamp(1 - L1 / Bytes, 0.0, 1.0);
}

double waveCycles(const ResidentBlocks &Of, double Busiest, double Average,
                  const Device &Gpu) {
  constexpr double Sectors = double(WarpLanes) * 4 / SectorBytes;
  const double Warps =
      double(llvm::divideCeil(uint64_t(Of.ThreadsPerBlock), WarpLanes));
  const WarpCost &W = Of.Warp;
  const double Below =
      (W.Global + W.Local * lostLocal(Of, Warps, Busiest, Gpu)) * Sectors;
  const double Memory = Average * Warps * Below * memoryRates(Gpu).Sector;
  const double Issuing = Busiest * Warps * W.Issued * IssueCycles /
                         double(std::max<int64_t>(1, Gpu.SubPartitions));
  const double Spills =
      Busiest * Warps * (W.Local * LocalCycles + W.Shared * SharedCycles);
  return std::sqrt(Memory * Memory + Issuing * Issuing + Spills * Spills +
                   W.Cycles * W.Cycles);
}

double gridCycles(const ResidentBlocks &Of, int64_t GridBlocks, int64_t SMs,
                  const Device &Gpu) {
  const int64_t AtOnce = std::max<int64_t>(1, SMs * Of.BlocksPerSM);
  const int64_t Waves = GridBlocks / AtOnce, Rest = GridBlocks % AtOnce;
  const double Full = double(Of.BlocksPerSM);
  double Sum = double(Waves) * waveCycles(Of, Full, Full, Gpu);
  if (Rest != 0)
    Sum +=
        waveCycles(Of, double(llvm::divideCeil(uint64_t(Rest), uint64_t(SMs))),
                   double(Rest) / double(SMs), Gpu);
  return Sum;
}

double cyclesOfBlock(const ResidentBlocks &Of, const Device &Gpu) {
  const double Blocks = double(std::max<int64_t>(1, Of.BlocksPerSM));
  return waveCycles(Of, Blocks, Blocks, Gpu) / Blocks;
}

} // namespace catt
