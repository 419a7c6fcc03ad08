//===- StagePlan.h - Which loops get rows in tiles, or sums in registers --===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   lane 0   a a a a a a a a ...   a load of one element of each row: 32 lines
//   lane 1   b b b b b b b b ...   a load of 32 consecutive elements: 1 or 2
//   ...      |<- Columns ->|       a tile: 32 rows of Columns elements
//
// Rows whose lines do not fit in L1 are fetched once for each line that they
// cross, if they stay there; loaded tile by tile, each sector is fetched once
// whatever L1 holds (docs/model.md). It pays where a row has leastElements()
// (WorthTiles.h): shorter ones were measured to lose up to half of their speed.
// The 32 look-ups of a load are gone, too, and more is on its way at a time:
// rows are staged though all their lines fit in L1. With fewer warps than
// EnoughWarps on an SM they are if a few write them, or if all of what is in
// tiles as wide as a line is read.
//
// Rows that stay while a loop around runs are loaded once, before it, if all of
// a row has its place in shared memory:
//
//   for (c ...)                      a point against each of k centres: as it
//     for (j ...)                    is, k loads of 32 lines for each element
//       s += P[i * d + j] * C[c * d + j];
//
// Rows that begin where data says (A[idx[i] * m + j]) are staged where as many
// warps are there, if lanes load different words of that data: what they touch
// together is not counted.
//
// Left alone: rows of lanes that data leaves out (a warp with few lanes loads
// slowly), rows whose length differs from lane to lane (triangles: what is
// short of them costs more than what is long gains), rows of a loop that
// contends for L1 with its tiles, too, because of what cannot be in them, and
// those that a loop around reads again if there are few warps or they are, or
// may be, as short as to stay in registers. Those that stay are left to the
// compiler where it can keep them in registers itself.
//
// Where only the run knows the block, tiles are planned for a usual one, and
// each launch asks for as many rows as its block has threads: no wider ones
// than leave room for the largest.
//
// Limits: innermost loops, or those around one; rows a line apart or more;
// sm_80.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_STAGE_STAGEPLAN_H
#define CATT_ANALYSIS_PLAN_STAGE_STAGEPLAN_H

#include "analysis/plan/throttle/Setting.h"

namespace catt {

/// Loops that get another version, and why others that contend do not.
struct Stages {
  std::vector<LoopVersion> Loops;
  TileMemory Tiles;
  std::vector<Refusal> Refusals;
  bool OnlyWide = false; ///< tiles of fewer bytes than a line do not pay
};

/// By the profiles of the kernel as it is. LargestBlock: the threads of the
/// largest block that there may be, if that of the setting is only a usual one.
/// Without: loops whose rows stay where they are.
Stages stagesFor(const Setting &S, const std::vector<LoopProfile> &Profiles,
                 const AnalysisOptions &Options,
                 std::optional<int64_t> LargestBlock = std::nullopt,
                 llvm::ArrayRef<unsigned> Without = {});

/// A loop of a function that the kernel calls twice has one text: all of its
/// calls want the same of it in tiles, or none has any.
void keepOneText(const Kernel &K, std::vector<LoopVersion> &Versions);

/// Tiles for the launches of both, if each can have its own. MayAsk: launches
/// can be asked for them.
std::optional<TileMemory> tilesOfBoth(const TileMemory &A, const TileMemory &B,
                                      bool MayAsk);

/// The kernel as it is with these versions: what is in tiles or in registers
/// bypasses L1. Dynamic tiles are a matter of its launches.
Kernel withStages(const Kernel &K, const Stages &Found);

/// The loop that walks a row: Loop::Id.
unsigned walkerOf(const RowLoop &Rows, const RowRead &Read);

/// "A[i * m + j] and B[i * m + j]"
std::string namesOf(const RowLoop &Rows, const LoopVersion &Version);

} // namespace catt

#endif
