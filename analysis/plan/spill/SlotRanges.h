//===- SlotRanges.h - When the slot of a value is in use --------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   { float a[8]; ... }      statements 1 to 4    a and b are never live
//   { float b[8]; ... }      statements 5 to 8    together, and may share
//
// A value that waits around the peak is stored before a statement and loaded
// behind one of the same block: its slot is in use over these and all between.
// The slot of one that is touched there is stored behind each definition and
// loaded before each use, maybe in another iteration of a loop that began
// behind its declaration: it is in use over every statement of the value's
// scope, from the first that holds an access to the last. Either is in use
// while a function runs that one of these statements calls.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_SPILL_SLOTRANGES_H
#define CATT_ANALYSIS_PLAN_SPILL_SLOTRANGES_H

#include "analysis/plan/spill/MovableValues.h"
#include "llvm/ADT/BitVector.h"

namespace catt {

/// One bit for each of Kernel::Statements. There are no jumps: a kernel with a
/// goto has no movable values.
llvm::BitVector slotRange(const Kernel &K, const MovableValue &M);

} // namespace catt

#endif
