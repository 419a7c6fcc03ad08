//===- WorthTiles.h - Which rows are worth tiles ---------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   lane 0   a a a a a ...      A[i * m + j]: apart, 32 look-ups a load; worth
//   lane 1   b b b b b ...      tiles if they are long, and not read again
//   all      x x x x x ...      x[j]: the same for all lanes
//
// What measurement showed of rows that may run in tiles (docs/model.md,
// docs/verification.md).
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_STAGE_WORTHTILES_H
#define CATT_ANALYSIS_PLAN_STAGE_WORTHTILES_H

#include "analysis/plan/throttle/Setting.h"
#include <vector>

namespace catt {

/// Iterations for which sums stay in registers, and elements that are enough
/// for any row in tiles; less are for none.
inline constexpr int64_t EnoughElements = 32, LeastElements = 8;

/// Elements from which on a row is worth tiles.
int64_t leastElements(const Kernel &K, const RowLoop &Rows,
                      const RowRead &Read);

/// Warps on an SM, in the mean: a small grid leaves some with a block fewer.
double meanWarps(const Setting &S);

/// Where only the run knows how long rows are, long ones: of short ones the
/// loop runs as it is.
Setting withLongRows(const Setting &S);

/// Whether neighbouring lanes touch different lines.
bool isApart(const Setting &S, const Access &A);

/// Whether lanes walk so many rows that tiles save look-ups where all lines
/// fit: with 8 rows of floats they took 1.5 and 1.7 times as long, with 16 0.6
/// and 0.3 times. Of doubles a tile takes twice as much to fill and to read;
/// with 16 rows it took 1.45 times as long, and with 32 of float4 1.15 times.
/// Rows that lie in different banks of L1 are read in few turns: 16 of 70, 325
/// and 370 floats, 4 cycles a load, took 0.98 to 1.18 times as long; 32 take 8.
bool savesLookUps(const Setting &S, const RowRead &Read);

/// A row of which data says how much of it the loop walks, in a place for many
/// elements: `for (j = 0; j < length[i]; ++j) s += A[i * 480 + j];`. With tiles
/// of 128 bytes 14 such kernels took 0.42 to 0.97 of their time on an H200,
/// with 8 warps on an SM in the mean 1.17 times it, with room for 16
/// elements 1.2 times it.
bool isPadded(const Setting &S, const RowRead &Read);

/// Lanes load different ones of many constants in the loop, which are served
/// one by one. Twelve such loops took 1.02 to 1.18 times as long with tiles on
/// an H200; with their tables in global or shared memory, 0.16 to 0.90 times;
/// one with a table of 16, 0.69 times.
bool waitsForConstants(const Kernel &K, const RowLoop &Rows);

/// A loop of few iterations that only stores its rows, beside another one that
/// may run many more, and none of whose rows are in tiles:
/// `for (j = 0; j < 32; ++j) best[i * 32 + j] = -1;` before a search. Nobody
/// waits for the stores, and the other loop has less L1: HeCBench's s8n took
/// 1.18 times as long on an H200, and kalman, which loads, 0.72 times.
bool isMinor(const Kernel &K, const LoopVersion &V,
             llvm::ArrayRef<unsigned> LoopsWithTiles);

/// What decides about the rows of a loop beside these.
struct RowContext {
  bool Counted = false;  ///< the lines of the loop are
  bool Contends = false; ///< and do not fit in L1
  bool Busy = false;     ///< with many warps, tiles help wherever the rows are
  bool Forced = false;   ///< the user asks for tiles
  bool HasRoom = false;  ///< other loops of the kernel have tiles anyway
};

/// The reads, by their index in RowLoop::Reads, of lanes that stand a line or
/// more apart. Where data decides which lanes are there, few may be, and shared
/// memory is not taken for these alone: rows that are divided by their length
/// (`if (length == 0) return;`) were 6.2 times as fast on an H200 if the loop
/// behind had the tiles of the one before. Refusals: why others may not run in
/// tiles.
std::vector<unsigned> rowsApart(const Setting &S, const RowLoop &Rows,
                                const RowContext &In,
                                std::vector<Refusal> &Refusals);

} // namespace catt

#endif
