//===- Order.cpp - Which variants to try first ----------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/tune/Order.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <array>

using namespace llvm;

namespace catt {

/// 0: the model cannot judge it; else whether groups and whether blocks are.
static size_t kindOf(const Recipe &P, std::optional<double> Gain) {
  return Gain ? (P.Groups > 1) + 2 * (P.BlocksRemoved > 0) : 0;
}

std::vector<size_t> promisingFirst(ArrayRef<Recipe> All,
                                   ArrayRef<std::optional<double>> Gains) {
  SmallVector<size_t> Left = to_vector(seq(All.size()));
  stable_sort(Left, [&](size_t A, size_t B) {
    const bool First = All[A].isModelsChoice(),
               Second = All[B].isModelsChoice();
    return First != Second ? First
                           : Gains[A].value_or(1) > Gains[B].value_or(1);
  });
  std::array<size_t, 4> Turns = {}; // that each kind has had
  auto TurnsOf = [&](size_t I) { return Turns[kindOf(All[I], Gains[I])]; };
  std::vector<size_t> Order;
  while (!Left.empty()) {
    auto Next = min_element(
        Left, [&](size_t A, size_t B) { return TurnsOf(A) < TurnsOf(B); });
    // The model's own choice is nobody's turn.
    if (!All[*Next].isModelsChoice())
      ++Turns[kindOf(All[*Next], Gains[*Next])];
    Order.push_back(*Next);
    Left.erase(Next);
  }
  return Order;
}

} // namespace catt
