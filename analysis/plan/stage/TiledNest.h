//===- TiledNest.h - A loop nest whose rows are in tiles --------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for (j ...)               for (tile ...)
//     load A, 32 lines          fetch: 32 loads of 4 sectors, then a wait
//     load x[j]                 for (j of the tile)
//                                 load x[j]
//                               write back, where the loop writes the row
//
// What the simulation of L1 runs to tell how many times as fast tiles make a
// kernel: the nest without what is in tiles, and beside it the fetches. Rows
// that stay are fetched before the loop around.
//
// Limits: what a row's last tile has less, the elements between those that a
// loop loads, and barriers are left out; sectors that are stored whole take as
// long as parts.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_STAGE_TILEDNEST_H
#define CATT_ANALYSIS_PLAN_STAGE_TILEDNEST_H

#include "analysis/plan/stage/StagePlan.h"
#include <optional>

namespace catt {

/// Of what is predicted, nine of ten kernels gain at least and at most these
/// parts (docs/model.md, "Tiles on the simulated L1").
constexpr double LeastOfTiles = 0.5, MostOfTiles = 2;

/// How many times as fast a kernel is with rows in tiles, by the simulation of
/// all its nests: as it is in S, and with what Found has in tiles under After.
/// std::nullopt: the addresses or the lengths of its loops are not known.
std::optional<double> gainByTiles(const Setting &S, const Stages &Found,
                                  const Residency &After);

} // namespace catt

#endif
