//===- SharedSlots.h - Where spilled values lie -----------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   values, where each is live --(colourSlots)--> offsets in a thread's frame
//
//   a |==========|                a, c at 0: never live together
//   b      |=========|            b at 4
//   c             |======|        a frame of 8 bytes instead of 12
//
// A frame is what one thread keeps in shared memory; a block keeps one for each
// of its threads, interleaved so that the lanes of a warp meet no bank
// conflict. All sizes and offsets are bytes of one thread, unless they say
// "block".
//
// Threads of a block run apart, so a value may lie where another one lay only
// if both put each thread's bytes in the same places of the block's array: an
// element of b bytes at offset o of thread t is at o * threads + t * b, and
// only elements of equal width may share. Each is one access.
//
// Source: the order in which values are coloured is that of linear scan
// (Poletto and Sarkar, 1999), which takes as many slots as are live at once
// where live ranges are intervals.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_SPILL_SHAREDSLOTS_H
#define CATT_ANALYSIS_PLAN_SPILL_SHAREDSLOTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include <vector>

namespace catt {

/// A value that is to be kept in shared memory.
struct SlotValue {
  unsigned ElementBytes = 4; ///< of one access: 1, 2, 4, 8 or 16
  unsigned Elements = 1;     ///< more than one: an array, or a float3
  /// The program points of its function from its first store to its last load,
  /// both included, and all between on any path.
  llvm::BitVector LiveAt;

  unsigned bytes() const { return ElementBytes * Elements; }
};

/// Where each value lies in the frame.
struct Slots {
  std::vector<unsigned> Offsets; ///< bytes, one per value
  unsigned FrameBytes = 0;       ///< a multiple of 4
};

/// Places values so that those live together never overlap, in a frame as small
/// as it finds: the smallest if all live ranges are intervals and all values
/// equally large. Depends on the order of the values, and on nothing else.
Slots colourSlots(llvm::ArrayRef<SlotValue> Values);

} // namespace catt

#endif
