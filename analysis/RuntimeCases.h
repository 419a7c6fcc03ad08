//===- RuntimeCases.h - Decisions that wait for a value -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   warps per group at n = 1, 2, ...   8 8 8 4 3 3 2 2 2 8 8 8 ...
//     | pieces                         [4,4] [5,3] [7,2] [10,8]
//     v
//   n >= 10 ? 8 : n >= 7 ? 2 : n >= 5 ? 3 : n >= 4 ? 4 : 8
//
// One input: every value up to LargestMeasured is looked at, so no piece can be
// missed; above, the far values that the caller names stand for all. The cases
// are exact if there are no more than MostCases pieces. Where alignment makes
// more of them, the multiples of some power of two get cases of their own:
//
//   n >= 32 && n % 32 == 0 ? 2 : n >= 31 ? 1 : n >= 19 ? 2 : 8
//
// Where that does not do, neighbouring pieces are joined, and the most warps of
// both count: what is written never divides a block further than the model
// would with the value known.
//
// Two inputs: a grid of values, cut into boxes. A box has the most warps of its
// corners, so this, too, errs to the side of dividing less; it takes for
// granted that inside a box no value lies above all corners, for which the grid
// holds every kind of alignment.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_RUNTIMECASES_H
#define CATT_ANALYSIS_RUNTIMECASES_H

#include "analysis/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace catt {

/// Comparisons that a kernel makes before a loop: each costs one or two integer
/// instructions.
constexpr size_t MostCases = 12;

/// From this value on (up to the next piece's) so many warps at a time.
struct Piece {
  int64_t From = 1;
  int64_t Warps = 0;
};

/// The pieces of a sequence of warps, the first of which is at value 1, joined
/// until there are at most Most.
std::vector<Piece> piecesOf(llvm::ArrayRef<int64_t> Warps, size_t Most);

/// The cases of a function of one input. Whole: warps of an undivided block,
/// which hold below the first case.
std::vector<RuntimeCase> casesOf(const std::string &Input,
                                 llvm::ArrayRef<Piece> Pieces, int64_t Whole);

/// A function of one input, at every value up to a last one and beyond it.
struct WarpSequence {
  std::vector<int64_t> Warps; ///< at 1, 2, ...
  /// Beyond these: the most at the values that leave this remainder, modulo
  /// their number, a power of two.
  std::vector<int64_t> Beyond;
};

/// The cases of such a function, with those of multiples if that is nearer.
std::vector<RuntimeCase> casesOf(const std::string &Input,
                                 const WarpSequence &Of, int64_t Whole);

/// The cases of scores at 32, 64, ... threads of a block. Blocks that are no
/// multiple of a warp stay whole: where their last warp ends changes how many
/// are resident.
std::vector<RuntimeCase> casesByThreads(const std::string &Input,
                                        llvm::ArrayRef<int64_t> Scores,
                                        int64_t Whole);

/// The same cases, for multiples of a warp.
std::vector<RuntimeCase> inWholeWarps(std::vector<RuntimeCase> Cases);

/// Warps on a grid: Warps[I][J] at First[I] and Second[J], both ascending.
struct WarpGrid {
  std::string FirstInput, SecondInput;
  std::vector<int64_t> First, Second;
  std::vector<std::vector<int64_t>> Warps;
};

/// The cases of a function of two inputs.
std::vector<RuntimeCase> casesOf(WarpGrid Grid, int64_t Whole);

/// The warps that the cases give at these values of the inputs.
int64_t warpsBy(llvm::ArrayRef<RuntimeCase> Cases,
                const std::map<std::string, int64_t> &Values, int64_t Whole);

/// The cases that divide, at each value, no further than either of two
/// decisions does. std::nullopt if they test different inputs, or several that
/// not all cases test alike.
std::optional<std::vector<RuntimeCase>>
lessDivided(llvm::ArrayRef<RuntimeCase> A, llvm::ArrayRef<RuntimeCase> B,
            int64_t Whole);

} // namespace catt

#endif
