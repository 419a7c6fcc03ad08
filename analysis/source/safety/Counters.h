//===- Counters.h - Variables that move on with a loop ----------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for (k = r[i]; k < r[i + 1]; k += 32)      k is a counter, of sign +1
//     ... c[k + 3] ...                         moves: another place each time
//
// A counter is a local integer or pointer that the loop changes at one place
// alone, once in every iteration, by a step that is never zero: a constant, or
// a product and sum of blockDim, gridDim, warpSize and positive constants.
//
// Limits: no counters in functions with goto; a step in a variable counts if
// that variable has a single definition.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SAFETY_COUNTERS_H
#define CATT_ANALYSIS_SOURCE_SAFETY_COUNTERS_H

#include "analysis/source/safety/Reach.h"

namespace catt {

class Counters {
public:
  /// L null: the whole function, which has no counters.
  Counters(const FunctionBody &B, const LoopShape *L) : B(B), L(L) {}

  bool isInLoop(const Guarded *Under) const {
    return !L || (Under && Under->isInside(L->Loop));
  }
  /// A variable of this function, or a lambda's own copy.
  bool isOwn(const clang::VarDecl *V) const;
  bool isCounter(const clang::VarDecl *V) const { return sign(V) != 0; }
  /// `i < bound` that ends by itself, whatever the bound is.
  bool isCounted(const clang::Expr *Test) const;
  /// The element is another one in each iteration.
  bool moves(const clang::Expr *Element) const;

private:
  const FunctionBody &B;
  const LoopShape *L;

  int sign(const clang::VarDecl *V) const;
  int signOfStep(const clang::Expr *Change, const clang::VarDecl *V) const;
  bool isPositive(const clang::Expr *E, unsigned Depth = 0) const;
  bool isFixed(const clang::Expr *E) const;
  int coefficient(const clang::Expr *E, bool &Known) const;
};

} // namespace catt

#endif
