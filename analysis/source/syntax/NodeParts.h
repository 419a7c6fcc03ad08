//===- NodeParts.h - What a node of the syntax consists of ------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for (int i = 0; i < n; ++i) f(i);     loopParts(): Init, Cond, Inc, Body
//   x                                     namedVariable(): x, of x.f null
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SYNTAX_NODEPARTS_H
#define CATT_ANALYSIS_SOURCE_SYNTAX_NODEPARTS_H

#include "analysis/model/Location.h"
#include "clang/AST/Expr.h"
#include <optional>

namespace catt {

/// for, while, do or a range-based for; null is none.
bool isLoop(const clang::Stmt *S);

/// The parts of a loop; null where it has none. Of a range-based for only Init,
/// Range and Body: what the compiler makes of it is left out.
struct LoopParts {
  const clang::Stmt *Init = nullptr;
  const clang::Stmt *Variable = nullptr; ///< declared in the condition
  const clang::Stmt *Range = nullptr;
  const clang::Expr *Cond = nullptr, *Inc = nullptr;
  const clang::Stmt *Body = nullptr;
  bool AtLeastOnce = false; ///< do ... while
};
LoopParts loopParts(const clang::Stmt &Loop);

/// n of the condition `n-- > 0`, `n-- != 0` or `n--`; null for every other one.
const clang::VarDecl *countdownOf(const clang::Expr *Cond);

/// The variable that a DeclRefExpr names; null for every other node and null.
const clang::VarDecl *namedVariable(const clang::Stmt *S);

/// "" for null, operators, constructors and others without an identifier.
llvm::StringRef identifierOf(const clang::NamedDecl *D);

/// Text with single blanks for all that is white.
std::string onOneLine(llvm::StringRef Text);

/// Its value, if the compiler knows it; null has none.
std::optional<int64_t> constantValue(const clang::Expr *E,
                                     const clang::ASTContext &Context);

/// Where a place, or the macro around it, stands in its file.
Location locationOf(clang::SourceLocation L, const clang::ASTContext &Context);

/// Calls Visit(const Stmt &) for S and all that stands inside, outermost first.
template <typename VisitT>
void forEachStmt(const clang::Stmt *S, const VisitT &Visit) {
  if (!S)
    return;
  Visit(*S);
  for (const clang::Stmt *Child : S->children())
    forEachStmt(Child, Visit);
}

} // namespace catt

#endif
