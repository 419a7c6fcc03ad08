//===- SharedSlots.h - Where spilled values lie -----------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   values, where each is live --(colourSlots)--> offsets in a thread's frame
//   frames, calls between them --(placeFrames)--> where each function's begins
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
// if both put each thread's bytes in the same places of the block's array.
// SlotLayout says how that is kept.
//
// Sources: Unified section 3.2 (slots across calls, figure 3); the order in
// which values are coloured is that of linear scan (Poletto and Sarkar, 1999),
// which takes as many slots as are live at once where live ranges are
// intervals.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_SPILL_SHAREDSLOTS_H
#define CATT_ANALYSIS_PLAN_SPILL_SHAREDSLOTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace catt {

/// A value that is to be kept in shared memory.
struct SlotValue {
  unsigned ElementBytes = 4; ///< of one access: 1, 2, 4, 8 or 16
  unsigned Elements = 1;     ///< more than one: an array, or a float3
  /// The program points of its function from its first store to its last load,
  /// both included, and all between on any path.
  llvm::BitVector LiveAt;
  uint64_t Accesses = 0; ///< loads and stores, weighted by how often they run

  unsigned bytes() const { return ElementBytes * Elements; }
};

/// How the frames of the threads are interleaved, slot-major.
enum class SlotLayout : uint8_t {
  /// Word by word: word w of thread t is at (w * threads + t) * 4. All values
  /// may share; wider elements are moved one word at a time.
  Words,
  /// Element by element: an element of b bytes at offset o of thread t is at
  /// o * threads + t * b. Each element is one access; only elements of equal
  /// width may share.
  Widths,
};

/// Where each value lies in the frame.
struct Slots {
  std::vector<unsigned> Offsets; ///< bytes, one per value
  unsigned FrameBytes = 0;       ///< a multiple of 4
};

/// Places values so that those live together never overlap, in a frame as small
/// as it finds: the smallest if all live ranges are intervals and all values
/// equally large. Depends on the order of the values, and on nothing else.
Slots colourSlots(llvm::ArrayRef<SlotValue> Values, SlotLayout Layout);

/// No frame can be smaller: the most bytes that are live at one point.
unsigned maxLiveBytes(llvm::ArrayRef<SlotValue> Values);

/// Where a byte of a value lies in the array of the block, which has
/// Threads * FrameBytes bytes.
uint64_t blockByte(const SlotValue &V, unsigned Offset, unsigned Byte,
                   SlotLayout Layout, unsigned Thread, unsigned Threads);

//===-- Across calls ------------------------------------------------------===//
//
// No program calls these yet. SpillPlan will, once values of device functions
// that are called can be spilled too.

/// A call of a function that keeps values in shared memory too.
struct SlotCall {
  unsigned Callee = 0; ///< index of the function
  unsigned Point = 0;  ///< of the caller; what is live here outlives the call
  uint64_t Times = 1;  ///< how often it runs, for weights
};

struct SlotFunction {
  std::vector<SlotValue> Values;
  std::vector<SlotCall> Calls;
};

/// Where a callee's frame begins (Unified figure 3).
enum class StackDiscipline : uint8_t {
  Traditional,   ///< behind the frame of its caller
  RegisterStack, ///< behind the last word that is live at the call
  /// Behind as many words as are live at the call, which are moved together
  /// before it and back after it: see CompressibleStack.
  MovingStack,
};

struct StackPlan {
  std::vector<unsigned> Bases; ///< of each function's frame; 0 if never called
  unsigned Bytes = 0;          ///< of all frames together
};

/// Functions reachable from Kernel, callers before callees; empty if one can
/// call itself, as no fixed place would do for its frame then.
std::optional<std::vector<unsigned>>
callOrder(llvm::ArrayRef<SlotFunction> Functions, unsigned Kernel);

/// One fixed place for the frame of each function, behind what any of its
/// callers keeps live there (Unified section 3.2.1). Frames holds one entry
/// per function. With SlotLayout::Widths, elements of one width at a time:
/// frames of different widths must not share. Empty: recursion.
std::optional<StackPlan> placeFrames(llvm::ArrayRef<SlotFunction> Functions,
                                     llvm::ArrayRef<Slots> Frames,
                                     unsigned Kernel, StackDiscipline How);

/// The words of the frame that hold something live at a point.
llvm::BitVector liveWords(const SlotFunction &F, const Slots &Frame,
                          unsigned Point);

} // namespace catt

#endif
