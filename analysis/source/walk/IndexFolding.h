//===- IndexFolding.h - Is an index constant once loops unroll? -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   #pragma unroll
//   for (int i = 0; i < 8; ++i)
//     v[(i + 1) % 8]             folds: i counts through constants
//
// A local array stays in registers only where every index is such.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_WALK_INDEXFOLDING_H
#define CATT_ANALYSIS_SOURCE_WALK_INDEXFOLDING_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>

namespace catt {

/// The variable of `for (int i = c; i < d; i += e)` with constants, if the loop
/// is unrolled completely: by its pragma, or because it has few iterations.
/// Null otherwise.
const clang::VarDecl *unrolledVariable(const clang::ForStmt &Loop,
                                       const clang::AttributedStmt *Pragma,
                                       const clang::ASTContext &Context);

/// What the pragma says of a loop with so many iterations: true to unroll it,
/// false not to, or only in part.
std::optional<bool> pragmaSays(const clang::AttributedStmt *Pragma,
                               std::optional<int64_t> Trips,
                               const clang::ASTContext &Context);

/// Whether E is constant if these variables are.
bool foldsGiven(const llvm::DenseSet<const clang::VarDecl *> &Constant,
                const clang::Expr &E, const clang::ASTContext &Context);

} // namespace catt

#endif
