//===- TileLayout.h - Where the rows of tiles lie ---------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   thread 0   a a a a a a a a b b b b b b b b .    rows of A and B, each
//   thread 1   a a a a a a a a b b b b b b b b .    Columns wide; one element
//   ...        |<------ ThreadBytes ------->|       keeps banks apart
//
// Tiles are as wide as a cache line, or as leaves enough warps on an SM, and in
// dynamic shared memory where a block cannot have that much unasked. Rows that
// stay have room for twice as much, or for all that they are known to have.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_STAGE_TILELAYOUT_H
#define CATT_ANALYSIS_PLAN_STAGE_TILELAYOUT_H

#include "analysis/plan/stage/StagePlan.h"

namespace catt {

/// Warps on an SM that hide the latency of a tile: with 16, tiles of 128 bytes
/// were measured to be the fastest on an H200, with 8 others were. With as
/// many, tiles of any width are faster than 32 look-ups for each load even
/// where all lines stay in L1 (1.2 to 2.6 times).
inline constexpr int64_t EnoughWarps = 16;

inline constexpr unsigned WordBytes = 4;

/// Whether tiles of the row are loaded and stored by words that hold several
/// elements. The row has room for a word in front, as it may begin in one.
bool isInWords(const RowRead &Read);

/// Bytes that the tile of a thread has for one of the version's reads, by its
/// index in RowLoop::Reads.
int64_t rowBytes(const RowLoop &Rows, const LoopVersion &V, unsigned Read);

/// Bytes of a thread's row: the tiles of the version's reads side by side, and
/// a word or two more, so that the lanes of a warp read from different banks.
int64_t threadBytes(const RowLoop &Rows, const LoopVersion &V);

/// The elements of a row that stays, where that is known.
std::optional<int64_t> knownLength(const Kernel &K, const RowRead &Read);

/// Bytes of an element; of a template's, the least of any instantiation.
unsigned narrowBytes(const RowRead &Read);

/// Gives elements of a row of a template the room of the widest one that is
/// instantiated, so that all instantiations can have the tiles of one text.
void layOutAlike(std::vector<Kernel> &Kernels);

/// Lays out the tiles of versions: their Columns, and Tiles. False: they do not
/// fit. LargestBlock as that of stagesFor.
bool chooseTiles(const Setting &S, const AnalysisOptions &Options,
                 std::optional<int64_t> LargestBlock, Stages &Out);

} // namespace catt

#endif
