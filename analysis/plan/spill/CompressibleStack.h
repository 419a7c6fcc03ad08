//===- CompressibleStack.h - Frames that shrink for calls -------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   slots live at each call --(minimalMoves)--> which slot lies where
//
//   at the call   [var3|    |var1|var5]      four slots, three of them live
//   compressed    [var3|var5|var1|    ]      one move; the callee begins at 3
//   laid out so   [var3|var1|var5|    ]      no move
//
// Before a call the live slots of the caller are moved together, so that the
// frame of the callee can begin behind them; after it they are moved back. A
// slot moves only if it lies at or above the height that the frame is to have,
// so where slots lie decides how many move. The best order of the slots is a
// minimal assignment of slots to places.
//
// Slots are equally large and counted from 0, the bottom of the frame. A value
// of several words must keep them together: lay out the frame of each width by
// itself (SlotLayout::Widths).
//
// No program calls this yet. SharedSlots will lay out frames of functions by it
// where shared memory is too scarce for frames that stay.
//
// Sources: Orion section 3.2 (theorem 1, figures 6 and 7); the assignment is
// solved by the method of Kuhn and Munkres in O(slots^3).
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_SPILL_COMPRESSIBLESTACK_H
#define CATT_ANALYSIS_PLAN_SPILL_COMPRESSIBLESTACK_H

#include "analysis/plan/spill/SharedSlots.h"
#include <algorithm>

namespace catt {

/// What a call finds in the frame of its caller.
struct CallInFrame {
  llvm::BitVector Live; ///< L_ik: the slots whose content outlives the call
  /// B_k: slots that the caller may keep; fewer than are live means as many.
  unsigned Height = 0;
  uint64_t Times = 1; ///< how often the call runs; 1 each: the paper's count

  unsigned height() const { return std::max(Height, Live.count()); }
};

/// Moves are counted once, although each is undone after its call.
struct FrameLayout {
  std::vector<unsigned> Places; ///< of each slot; a permutation
  uint64_t Moves = 0;           ///< weighted by the times of the calls
};

/// The calls of a function, each compressed as far as it goes.
std::vector<CallInFrame> callsInFrame(const SlotFunction &F,
                                      const Slots &Frame);

/// W_ij of theorem 1: moves for slot i at place j, over all calls.
std::vector<std::vector<int64_t>>
movementCosts(llvm::ArrayRef<CallInFrame> Calls, unsigned SlotCount);

/// For each row of a square matrix a column of its own, so that the sum of
/// their entries is minimal. Ties depend on the order of rows and columns only.
std::vector<unsigned>
minimalAssignment(const std::vector<std::vector<int64_t>> &Costs);

/// The layout with the fewest moves.
FrameLayout minimalMoves(llvm::ArrayRef<CallInFrame> Calls, unsigned SlotCount);

/// The static layout, that of the colouring: slot i at place i.
FrameLayout staticLayout(llvm::ArrayRef<CallInFrame> Calls, unsigned SlotCount);

/// The frame with its words at these places, one place for each. Empty: a value
/// takes several words.
std::optional<Slots> relocate(const SlotFunction &F, Slots Frame,
                              llvm::ArrayRef<unsigned> Places);

/// One word of the frame to be copied before a call; back after it.
struct SlotMove {
  unsigned From = 0, To = 0; ///< places
  bool operator==(const SlotMove &) const = default;
};

/// The moves of one call, none of which overwrites what another one reads.
std::vector<SlotMove> movesBefore(const CallInFrame &Call,
                                  llvm::ArrayRef<unsigned> Places);

} // namespace catt

#endif
