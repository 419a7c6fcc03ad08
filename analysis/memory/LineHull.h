//===- LineHull.h - Hull and stride of a set of addresses --------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For windows too large to walk: isl builds the set of byte offsets
//
//   { Offset(s) : 0 <= s[c] < Trips[c](s), Guards(s) >= 0, Fixed }
//
// and answers with the lattice Lo, Lo + Stride, ..., Lo + (Count-1) * Stride
// that holds it. Exact says that it is all of the lattice, or that it touches
// every line of it.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_MEMORY_LINEHULL_H
#define CATT_ANALYSIS_MEMORY_LINEHULL_H

#include "analysis/memory/Formula.h"
#include "llvm/Support/Error.h"

namespace catt {

/// Offsets in bytes. Every leaf of the indices has a slot below Slots.
struct LineHullQuery {
  AffineIndex Offset;
  unsigned SizeBytes = 0;
  unsigned Slots = 0;
  /// For each slot its range; for an iterator a bound on it.
  std::vector<Formula::Range> Ranges;
  /// Iterators: their slots and how many iterations there are.
  std::vector<std::pair<unsigned, AffineIndex>> Trips;
  std::vector<AffineIndex> Guards;
  llvm::function_ref<std::optional<unsigned>(const Atom &)> SlotOf;
  unsigned long IslOperations = 0;
};

struct LineHull {
  int64_t Lo = 0, Stride = 1, Count = 0;
  bool Exact = false;
};

/// std::nullopt: isl's quota ran out, or an index is not affine. Error: any
/// other failure of isl.
llvm::Expected<std::optional<LineHull>> lineHull(const LineHullQuery &Query);

} // namespace catt

#endif
