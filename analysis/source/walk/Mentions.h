//===- Mentions.h - What code does to the variables it names ----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   int b = 128, c = 64, d = 32;
//   b += c;                                    b: Assigns   c: Reads
//   each(v, [&](int s) { c = max(c, s); });    c: Escapes
//   scanf("%d", &d);                           d: Escapes
//   k<<<grid, b>>>();                          b is known; c and d are not
//
// A walk that runs a function statement by statement knows a variable only if
// it sees every change. So each mention of the variable must be of a form that
// is listed here as harmless: its value is read, or it is assigned where the
// walk runs the assignment exactly when the program does. By all others it
// escapes: an address, a reference that is bound to what is not seen, a lambda
// that assigns it, an assignment within an expression that the walk does not
// run, inline assembly, a union's member, a base class. An escape anywhere in
// the function counts everywhere in it. Arguments bound to references are
// judged by the body of the callee.
//
// Limits: labels, `case` within an inner statement, coroutines, blocks, setjmp
// and OpenMP let every variable of the function escape. Global variables are
// not followed: the walk takes those that are not const for unknown.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_WALK_MENTIONS_H
#define CATT_ANALYSIS_SOURCE_WALK_MENTIONS_H

#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <map>

namespace catt {

/// What is done to a variable; a later one includes those before it.
enum class VariableEffect : uint8_t {
  Reads,   ///< its value is read
  Assigns, ///< changed where a walk over the statements sees it
  Escapes, ///< something else may change it
};

/// What one function does.
struct FunctionMentions {
  llvm::DenseMap<const clang::VarDecl *, VariableEffect> Variables;
  VariableEffect This =
      VariableEffect::Reads; ///< to the object that it is called for

  VariableEffect of(const clang::VarDecl *V) const {
    return Variables.lookup(V);
  }
};

class Mentions {
public:
  /// Of a definition. The result lives as long as this object.
  const FunctionMentions &of(const clang::FunctionDecl &Definition);
  /// What a call does to the argument of a parameter that is a reference.
  VariableEffect ofParameter(const clang::FunctionDecl &F, unsigned Index);
  /// What a call does to its object.
  VariableEffect ofObject(const clang::CXXMethodDecl &M);

  /// The definition, if a call of F surely runs it.
  static const clang::FunctionDecl *bodyOf(const clang::FunctionDecl &F);

private:
  const FunctionMentions *seen(const clang::FunctionDecl &F);

  std::map<const clang::FunctionDecl *, FunctionMentions> Known;
  llvm::DenseSet<const clang::FunctionDecl *> Open; ///< being read
};

/// True if the language forbids every change after the initialization.
bool isFixed(const clang::VarDecl &V);

} // namespace catt

#endif
