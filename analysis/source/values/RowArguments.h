//===- RowArguments.h - Elements that functions load ------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   template <class T> T larger(const T &a, const T &b) { ... }
//   s = larger(s, A[i * m + j]);     loads A[i * m + j]
//   s += (float)H[i * m + j];        so does `__half::operator float`
//
// Limits: what a function takes by reference to const, always loads, and does
// nothing else with. It gives no reference, and has no overload that an element
// of a tile, which is not const, could mean.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_VALUES_ROWARGUMENTS_H
#define CATT_ANALYSIS_SOURCE_VALUES_ROWARGUMENTS_H

#include <vector>

namespace clang {
class CallExpr;
class Expr;
class Stmt;
} // namespace clang

namespace catt {

/// The place of a number that is loaded there, or of an object that is copied;
/// null if nothing is.
const clang::Expr *loadedOrCopied(const clang::Stmt &S);

/// The object and the arguments that each such call loads.
std::vector<const clang::Expr *> placesLoadedBy(const clang::CallExpr &Call);

} // namespace catt

#endif
