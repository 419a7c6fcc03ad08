//===- RowLoops.h - Loops that can run in tiles -----------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for (int j = 0; j < m; ++j)     its step is constant; m stays what it is
//     s += A[i * m + j] * x[j];     A[i * m + j]: A, i and m stay, j has the
//                                   factor 1, every iteration reads it
//
// Such a read may be done ahead, for several iterations at once, by whichever
// lane of the warp, if nothing that the thread itself does in between changes
// what is read: the row belongs to a __restrict__ parameter through which the
// loop stores nothing, or each store goes to a place that can be compared with
// the row before the loop. What other threads store meanwhile would be a race
// in the loop as it is.
//
// Reads of one row near each other are one: those of A[i * m + j] and of
// A[i * m + j + 1] differ by their offset. What only some iterations read is
// one of them if it lies between those that all do.
//
// A row that every iteration writes once, y[i * m + j] = e, may be written
// later in the same way if the loop touches it nowhere else, or touches that
// element alone: y[i * m + j] = 2 * y[i * m + j], or y[i * m + j] *= 2.
//
// A row that stays while a loop runs, and that each of its iterations walks in
// one and the same loop inside, may be read once before it all:
//   for (int c = 0; c < k; ++c)
//     for (int j = 0; j < d; ++j)
//       s += P[i * d + j] * C[c * d + j];
//
// Limits: only loops that count by a constant (CountedLoops.h), of the kernel's
// own body or of a function that it calls alone (CalledFunctions.h), without
// break and return, whose calls only compute. Reads in a branch alone are left
// where they are. Index arithmetic is taken not to wrap.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_VALUES_ROWLOOPS_H
#define CATT_ANALYSIS_SOURCE_VALUES_ROWLOOPS_H

#include "analysis/model/Kernel.h"
#include "analysis/source/values/CalledFunctions.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"

namespace catt {

/// Fills in RowLoops of a kernel whose Accesses and Statements are known.
void findRowLoops(const clang::FunctionDecl &F,
                  const clang::ASTContext &Context, FunctionUses &Uses,
                  Kernel &K);

} // namespace catt

#endif
