//===- Order.h - Which variants to try first --------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   default, then in turns, the largest predicted gain of each kind first:
//     groups of warps | blocks fewer | both | what the time model cannot judge
//
// Points with equally many warps have nearly equal predictions, so that the
// best eight by themselves may be one point eight times. Whether warps are to
// be fewer by groups or by blocks the model knows least, and so each has its
// turn. What it cannot judge counts as no gain: it comes behind the first
// points of which the model expects one, and before those that are to lose.
//
// On the stored sweep of 39 loops (docs/results/h200-throttle.json) the first 8
// points of each hold one within 5 % of its best; so do the 8 best predicted
// ones, and not those of which any two differ in warps by a quarter or more.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_TUNE_ORDER_H
#define CATT_TOOL_TUNE_ORDER_H

#include "tool/optimize/Recipes.h"

namespace catt {

/// Indices into All, the most promising first. Gains: predicted, one for each;
/// nothing: it is not known.
std::vector<size_t> promisingFirst(llvm::ArrayRef<Recipe> All,
                                   llvm::ArrayRef<std::optional<double>> Gains);

} // namespace catt

#endif
