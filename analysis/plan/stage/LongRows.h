//===- LongRows.h - Which launches have rows that are long -----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for (int j = 0; j < m; ++j)          rows<<<grid, 256>>>(A, y, c * 2);
//                                        --> "(c * 2) >= 32"
//
// Tiles take shared memory from every block that asks for them. A launch whose
// loops turn out to be short asks for none, and runs them as they were. So does
// one whose rows have no room: "m >= 16 && m <= 64".
//
// Limits: sums of parameters and numbers, whose arguments can be read twice.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_STAGE_LONGROWS_H
#define CATT_ANALYSIS_PLAN_STAGE_LONGROWS_H

#include "analysis/model/Kernel.h"
#include "analysis/model/Plan.h"

namespace catt {

/// What is behind `max(0, trips)`.
AffineIndex withoutFloor(const AffineIndex &Trips);

/// All lanes run as many iterations, but for those whose rows the end of the
/// data cuts short: `min(first + n, end) - first`.
bool areEven(const AffineIndex &Trips);

/// The most iterations of any lane: of a triangle's `i % m + 1` m, of `n - i`
/// n, and of `i + 1` behind `i < n` n. std::nullopt: that is not known.
std::optional<AffineIndex> longestTrips(const Kernel &K, const RowLoop &Rows);

/// "m", "(m - 1)": what can stand behind a minus.
std::string termOf(const std::string &Text);

/// The loop inside that walks the rows of a version, which stay; absent: the
/// loop itself does.
const std::optional<RowWalk> &walkInside(const RowLoop &Rows,
                                         const LoopVersion &Version);

/// Whether two loops walk as many elements, from the same first one on.
bool walkAlike(const RowWalk &A, const RowWalk &B);

/// The first elements of iterations that a tile has room for.
int64_t windowOf(const RowLoop &Rows, const LoopVersion &Version);

/// Of a version that asks for MinTrips: the most iterations for which rows that
/// stay have room; absent: any number.
std::optional<int64_t> mostTrips(const RowLoop &Rows,
                                 const LoopVersion &Version);

/// A condition in the words of the launch: one of the loops with rows in tiles
/// has enough iterations. std::nullopt if the launch cannot tell.
std::optional<std::string> longRowsAt(const Launch &L, const Kernel &K,
                                      const std::vector<LoopVersion> &Versions);

} // namespace catt

#endif
