//===- Staircase.cpp - Registers against blocks ----------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/strategies/Staircase.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace catt {

int64_t minRegisters(const Device &Gpu) {
  return Gpu.RegistersPerSM / Gpu.MaxThreadsPerSM;
}

static llvm::Expected<int64_t>
blocksWith(const Device &Gpu, BlockResources Block, int64_t Registers) {
  Block.RegistersPerThread = Registers;
  llvm::Expected<Residency> R = residency(Gpu, Block);
  if (!R)
    return R.takeError();
  return R->BlocksPerSM;
}

llvm::Expected<std::vector<Stair>> staircase(const Device &Gpu,
                                             const BlockResources &Block,
                                             int64_t MaxRegisters) {
  // With more than this not even one block fits.
  if (int64_t Most = registersForBlocks(Gpu, Block.Threads, 1); Most > 0)
    MaxRegisters = std::min(MaxRegisters, Most);
  int64_t Least = std::min(minRegisters(Gpu), MaxRegisters);
  llvm::Expected<int64_t> First = blocksWith(Gpu, Block, MaxRegisters);
  if (!First)
    return First.takeError();
  llvm::Expected<int64_t> Last = blocksWith(Gpu, Block, Least);
  if (!Last)
    return Last.takeError();
  std::vector<Stair> Stairs = {{MaxRegisters, *First}};
  for (int64_t Blocks = *First + 1; Blocks <= *Last; ++Blocks) {
    int64_t Registers =
        std::min(MaxRegisters, registersForBlocks(Gpu, Block.Threads, Blocks));
    if (Registers == 0)
      break;
    // As many registers admit this block too: the stair is one of more blocks.
    if (Stairs.size() > 1 && Stairs.back().Registers == Registers)
      Stairs.back().Blocks = Blocks;
    else
      Stairs.push_back({Registers, Blocks});
  }
  return Stairs;
}

/// The kernel compiled so that it takes at most so many registers.
static const RegisterPoint *pointOf(const RegisterUse &Use, const Stair &S) {
  if (int64_t(Use.Default.Registers) <= S.Registers)
    return &Use.Default;
  auto Cap = llvm::find_if(Use.Caps, [&](const RegisterPoint &P) {
    return P.CapRegisters == S.Registers;
  });
  return Cap == Use.Caps.end() ? nullptr : &*Cap;
}

llvm::Expected<std::vector<DesignPoint>> designPoints(const Device &Gpu,
                                                      const BlockResources &Of,
                                                      const RegisterUse &Use) {
  llvm::Expected<std::vector<Stair>> Stairs =
      staircase(Gpu, Of, Use.Default.Registers);
  if (!Stairs)
    return Stairs.takeError();
  std::vector<DesignPoint> Points;
  for (const Stair &S : *Stairs) {
    const RegisterPoint *P = pointOf(Use, S);
    if (!P)
      continue;
    // The compiler may need fewer than it is given, or be given too few.
    llvm::Expected<int64_t> Blocks = blocksWith(Gpu, Of, P->Registers);
    if (!Blocks)
      return Blocks.takeError();
    if (Points.empty() || *Blocks > Points.back().Blocks)
      Points.push_back({*P, *Blocks});
  }
  if (Points.empty())
    return llvm::createStringError("no block fits with the registers that the "
                                   "kernel takes");
  return Points;
}

std::vector<DesignPoint> roomierPoints(const Device &Gpu,
                                       const BlockResources &Of,
                                       const RegisterUse &Use) {
  llvm::Expected<int64_t> Most = blocksWith(Gpu, Of, Use.Default.Registers);
  if (!Most) {
    llvm::consumeError(Most.takeError());
    return {};
  }
  std::vector<DesignPoint> Points;
  for (const RegisterPoint &P : Use.Caps) { // ascending: most blocks first
    DesignPoint Roomier{P, 0};
    if (P.Registers <= Use.Default.Registers || Roomier.spills())
      continue;
    llvm::Expected<int64_t> Blocks = blocksWith(Gpu, Of, P.Registers);
    if (!Blocks) {
      llvm::consumeError(Blocks.takeError());
      continue;
    }
    Roomier.Blocks = *Blocks;
    if (*Blocks > *Most)
      continue;
    if (Points.empty() || *Blocks < Points.back().Blocks)
      Points.push_back(Roomier);
    else if (P.Registers > Points.back().Compiled.Registers)
      Points.back() = Roomier; // the rightmost of its stair
  }
  return Points;
}

} // namespace catt
