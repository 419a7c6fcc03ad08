//===- GridPlan.cpp - Plans for grids known only at run time --------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/runtime/GridPlan.h"
#include "analysis/plan/runtime/Agreement.h"
#include "analysis/plan/runtime/RuntimeCases.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace catt {
namespace {

/// What the program tests for a number of blocks, and the blocks of one step of
/// it: the product of the extents that are not known, and of those that are.
struct GridInput {
  std::string Text;
  int64_t Known = 1;

  explicit GridInput(const Shape &Grid) {
    for (auto [Extent, Name] :
         {std::pair(Grid.X, "gridDim.x"), std::pair(Grid.Y, "gridDim.y"),
          std::pair(Grid.Z, "gridDim.z")})
      if (Extent)
        Known *= std::max<int64_t>(*Extent, 1);
      else
        Text += (Text.empty() ? "" : " * ") + std::string(Name);
  }
  /// The least value of the input with which every SM holds so many blocks. No
  /// SM holds less than one that matters.
  int64_t leastFor(int64_t Blocks, int64_t SMs) const {
    return Blocks == 1 ? 1 : llvm::divideCeil(Blocks * SMs, Known);
  }
};

/// Warps per group with 1, 2, ... blocks on each SM, for every loop.
std::vector<std::vector<WarpBounds>>
warpsByBlocks(const Setting &S, const LaunchPlan &Result, int64_t SMs) {
  std::vector<std::vector<WarpBounds>> Warps(S.K.Loops.size());
  for (int64_t Blocks = 1; Blocks <= S.Before.BlocksPerSM; ++Blocks) {
    Setting At = S;
    At.Before.BlocksPerSM = Blocks;
    At.Throttle.Block.GridBlocks = Blocks * SMs;
    KernelPlan Plan = planWith(At, Result.Profiles);
    for (auto [Of, P] : llvm::zip_equal(Warps, Plan.Loops))
      Of.push_back(isDivided(P) ? warpsPerGroup(P) : S.Before.WarpsPerBlock);
  }
  return Warps;
}

/// The cases of a grid. Full SMs run what the plan says, whatever else weighed
/// in it, and most grids are longer than one wave.
std::vector<RuntimeCase> casesByGrid(const GridInput &Input, int64_t SMs,
                                     std::vector<WarpBounds> Warps,
                                     const LoopPlan &Plan, int64_t Whole) {
  constexpr int64_t Longest = 1 << 20; // blocks of the input
  Warps.back() = warpsPerGroup(Plan);
  std::vector<Piece> Pieces = piecesOf(Warps);
  for (Piece &P : Pieces)
    P.From = Input.leastFor(P.From, SMs);
  if (Pieces.size() == 1)
    return {};
  return casesOf(Input.Text, Pieces, Longest, Whole);
}

} // namespace

static bool dependsOnGrid(const Setting &S, const Launch &L,
                          const LaunchPlan &Result) {
  return !L.Grid.count() && S.Throttle.Gpu.SMs && S.Counting != Model::Catt &&
         S.Throttle.Forced.empty() &&
         llvm::any_of(Result.Plan.Loops, isDivided);
}

void leaveGridToRunTime(Setting S, const Launch &L, LaunchPlan &Result) {
  if (!dependsOnGrid(S, L, Result))
    return;
  if (Result.Plan.After)
    S.Before = *Result.Plan.After;
  S.Throttle.MayReserve = false;
  const int64_t SMs = *S.Throttle.Gpu.SMs, Whole = S.Before.WarpsPerBlock;
  const GridInput Input(L.Grid);
  auto Warps = warpsByBlocks(S, Result, SMs);
  for (LoopPlan &Plan : Result.Plan.Loops) {
    if (!isDivided(Plan))
      continue;
    if (!Plan.Cases.empty()) {
      int64_t Full = Input.leastFor(S.Before.BlocksPerSM, SMs);
      for (RuntimeCase &C : Plan.Cases)
        if (Full > 1)
          C.And.push_back({Input.Text, Full});
      continue;
    }
    Plan.Cases = casesByGrid(Input, SMs, Warps[Plan.Loop], Plan, Whole);
  }
}

void divideOnlyFullGrids(const Setting &S, const Launch &L,
                         const std::string &BlockSize, LaunchPlan &Result) {
  if (!dependsOnGrid(S, L, Result))
    return;
  const GridInput Input(L.Grid);
  int64_t Threads = *S.Throttle.Gpu.SMs * S.Throttle.Gpu.MaxThreadsPerSM;
  RuntimeBound Full{Input.Text + " * " + BlockSize,
                    int64_t(llvm::divideCeil(Threads, Input.Known))};
  for (LoopPlan &Plan : Result.Plan.Loops)
    for (RuntimeCase &C : Plan.Cases)
      C.And.push_back(Full);
}

} // namespace catt
