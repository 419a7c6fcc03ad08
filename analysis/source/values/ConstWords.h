//===- ConstWords.h - Variables that need not be const ----------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   const float x = A[i];              the word: nothing depends on it
//   const float a = A[0], b = A[1];    one word for both
//   y[i] = x * fmaxf(a, b);            all uses read the value
//
// A const object cannot be loaded back from memory. Where the word can be left
// out and the code means the same, it can: if every use of the variable reads
// it, and overload resolution, deduced types and constant expressions do not
// see the difference. Anything that is bound to a reference, named in
// decltype, captured, or read by a call that has an overload which would take
// the variable itself, keeps its const; so do values that are known to the
// compiler.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_VALUES_CONSTWORDS_H
#define CATT_ANALYSIS_SOURCE_VALUES_CONSTWORDS_H

#include "analysis/model/Location.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace catt {

class ConstWords {
public:
  /// Looks at every variable of a function that has a body.
  ConstWords(const clang::FunctionDecl &F, const clang::ASTContext &Context);

  /// The word that makes D const and can be left out, in the statement that
  /// declares it. Empty: there is none, it is not the only one, or something
  /// depends on it.
  std::optional<SourceSpan> of(const clang::VarDecl &D,
                               const SourceSpan &Statement) const;

private:
  bool isNeeded(const clang::VarDecl &D, bool Alone) const;

  const clang::ASTContext &Context;
  llvm::DenseMap<const clang::VarDecl *, const clang::DeclStmt *> Statements;
  llvm::DenseSet<const clang::VarDecl *> Kept; ///< used by more than reads
};

} // namespace catt

#endif
