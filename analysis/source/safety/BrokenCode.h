//===- BrokenCode.h - Functions that clang could not read -------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   auto t = missing();     an error of clang on line 2      error(f): line 2
//   y[i] = t;               what is left of it in the AST     reached(k): f's
//
// After an error clang goes on with an AST that has holes: recovery
// expressions, types that were never deduced, declarations marked invalid,
// statements that are missing altogether. Asking such a type for its size
// crashes, and what is missing cannot be proved harmless. So a function in
// which clang found an error, or whose AST shows the traces of one, is told
// apart before anything else walks it.
//
// A statement that calls a function which clang gave up may be dropped without
// a message of its own. So a function whose text has the name of a declaration
// with an error in it counts as one that has the error, too.
//
// What a function reaches: functions that it names (calls, addresses),
// constructors, and the destructors of its variables, as far as there are
// bodies.
//
// Limits: an error that leaves no trace and is reported in another place (a
// macro's definition counts as the place where it is expanded) is not seen.
// What clang rejects and nvcc accepts (CudaFrontEnd.h) is no error, but its
// traces in the AST are: the function is refused all the same.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SAFETY_BROKENCODE_H
#define CATT_ANALYSIS_SOURCE_SAFETY_BROKENCODE_H

#include "analysis/model/Diagnostic.h"
#include "analysis/model/Refusal.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

namespace catt {

/// True if clang can lay out the type: complete, deduced and free of errors, as
/// are all members and bases of a class.
bool hasLayout(clang::QualType T);

class BrokenCode {
public:
  BrokenCode(const clang::ASTContext &Context,
             const std::vector<Diagnostic> &Diagnostics);

  /// The error in the function's own definition, or nothing. The function must
  /// not be a template.
  const std::optional<Refusal> &error(const clang::FunctionDecl &Definition);
  /// The first error in the function or in what it reaches.
  std::optional<Refusal> reached(const clang::FunctionDecl &Definition);

private:
  struct Known {
    std::optional<Refusal> Why;
    std::vector<const clang::FunctionDecl *> Reaches; ///< definitions
  };
  const Known &look(const clang::FunctionDecl &Definition);
  const Diagnostic *diagnosticIn(const clang::FunctionDecl &Definition) const;
  void collectNames(const clang::Decl *D);
  std::optional<Refusal> namedIn(const clang::FunctionDecl &Definition) const;

  const clang::ASTContext &Context;
  std::vector<Diagnostic> Errors;
  /// False if clang did not complain at all: then nothing is looked at.
  bool Possible = false;
  llvm::StringSet<> Names; ///< of declarations with errors
  llvm::DenseMap<const clang::FunctionDecl *, std::unique_ptr<Known>> Memo;
};

} // namespace catt

#endif
