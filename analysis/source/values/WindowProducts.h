//===- WindowProducts.h - Products that two iterations share ----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for (int i = 1; i < n; ++i) {
//     float d = x[i] - x[i - 1];
//     s += d * d;                     of x[i] and x[i - 1]: no other
//     iteration's t += c * x[i] + c * x[i - 1];   c * x[i] is c * x[i - 1] of
//     the next one
//   }
//
// Where iterations run together, a compiler takes equal products for one, and
// fuses it with no sum or with both. At the end of a tile it cannot. Two
// products are equal if what they are made of is, so that the elements of one,
// moved on by some iterations, have to be those of the other.
//
// What is found is an upper bound: all constants count as alike, and what is
// not understood as equal to anything.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_VALUES_WINDOWPRODUCTS_H
#define CATT_ANALYSIS_SOURCE_VALUES_WINDOWPRODUCTS_H

#include "analysis/source/safety/LocalMentions.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace catt {

/// What an expression loads in one iteration of a loop.
struct WindowElement {
  unsigned Row;  ///< elements of one row are a constant number of bytes apart
  int64_t Bytes; ///< from the first that was seen of it
  int64_t Step;  ///< bytes further in the next iteration; 0: it stays
  bool IsOne;    ///< not another one in each iteration of a loop inside
};

/// Whether two iterations of the loop may compute one product. ElementOf says
/// what an expression that reads memory loads; none: it is not known.
bool iterationsShareProducts(
    const clang::Stmt &Loop, const clang::Stmt &Body,
    const LocalMentions &Locals, const clang::ASTContext &Context,
    llvm::function_ref<std::optional<WindowElement>(const clang::Expr &)>
        ElementOf);

} // namespace catt

#endif
