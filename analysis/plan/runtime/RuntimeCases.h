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
//   n >= 10 ? 8 : n >= 4 ? 4 : 8
//
// Neighbours that can do with the same warps, each losing less than 3 % by
// that, are one piece.
//
// One input: every value up to LargestMeasured is looked at, so no piece can be
// missed; above, the far values that the caller names stand for all. Somebody
// has to read what is written: of all rules with MostCases bounds the one is
// taken that divides most, and nowhere further than the model would with the
// value known.
//
// Two inputs: a grid of values, cut into boxes. A box has the most warps of its
// corners, and a case those of all boxes above its bounds, so this, too, errs
// to the side of dividing less; it takes for granted that inside a box no value
// lies above all corners, for which the grid holds every kind of alignment.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_RUNTIME_RUNTIMECASES_H
#define CATT_ANALYSIS_PLAN_RUNTIME_RUNTIMECASES_H

#include "analysis/model/Plan.h"
#include "llvm/ADT/ArrayRef.h"
#include <limits>
#include <string>

namespace catt {

/// Comparisons that a kernel makes before a loop: with the block as it is where
/// none holds, three arms.
constexpr size_t MostCases = 2;

/// Warps at a time: the fewest are what the time model chose, the most lose
/// little against them.
struct WarpBounds {
  int64_t Least, Most;
  constexpr WarpBounds(int64_t Warps) : WarpBounds(Warps, Warps) {}
  constexpr WarpBounds(int64_t Least, int64_t Most)
      : Least(Least), Most(Most) {}
  friend bool operator==(const WarpBounds &, const WarpBounds &) = default;
};

/// To divide gains, but less than is worth a rule, so that any that is decided
/// around it will do.
constexpr WarpBounds AnyWarps(0, std::numeric_limits<int64_t>::max());

/// Of a loop that is divided.
WarpBounds warpsPerGroup(const LoopPlan &P);

/// What both can do with; nothing if the most is then less than the least.
WarpBounds common(WarpBounds A, WarpBounds B);

/// From this value on (up to the next piece's) so many warps at a time.
struct Piece {
  int64_t From = 1;
  int64_t Warps = 0;
};

/// The pieces of a sequence, the first of which is at value 1.
std::vector<Piece> piecesOf(llvm::ArrayRef<WarpBounds> Warps);

/// The cases of a function of one input, of which as much is kept as MostCases
/// can say; an octave of values counts as much as any other. End: where the
/// last piece ends. Whole: warps of an undivided block, which hold below the
/// first case.
std::vector<RuntimeCase> casesOf(const std::string &Input,
                                 llvm::ArrayRef<Piece> Pieces, int64_t End,
                                 int64_t Whole);

/// The same for a sequence.
std::vector<RuntimeCase> casesOf(const std::string &Input,
                                 llvm::ArrayRef<WarpBounds> Warps,
                                 int64_t Whole);

/// The cases of scores of blocks with 1, 2, ... warps. A block whose last warp
/// is not full counts as one where it is.
std::vector<RuntimeCase> casesByThreads(const std::string &Input,
                                        llvm::ArrayRef<WarpBounds> Scores,
                                        int64_t Whole);

/// Warps on a grid: Warps[I][J] at First[I] and Second[J], both ascending.
struct WarpGrid {
  std::string FirstInput, SecondInput;
  std::vector<int64_t> First, Second;
  std::vector<std::vector<WarpBounds>> Warps;
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
