//===- ThreadValues.h - What a thread keeps in registers --------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   float v[8], s = A[i];        ThreadValue v, s: the statements that define
//   for (...)                    and that use them, in the order of the text
//     v[j] = v[j] * s;           event of v: element v[j], index (j), folds
//
// The statements are those of the kernel's body, and behind them those of the
// functions that it alone calls (CalledFunctions.h). Every variable that may be
// in a register is listed, and carries refusals where it cannot be stored away
// and loaded back by statements of its own.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_VALUES_THREADVALUES_H
#define CATT_ANALYSIS_SOURCE_VALUES_THREADVALUES_H

#include "analysis/model/Kernel.h"
#include "analysis/source/values/CalledFunctions.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"

namespace catt {

/// Fills in Functions, Statements and Values of a kernel whose Loops are known.
void findThreadValues(const clang::FunctionDecl &F,
                      const clang::ASTContext &Context, FunctionUses &Names,
                      Kernel &K);

} // namespace catt

#endif
