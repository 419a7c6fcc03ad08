//===- TextAround.h - Can a statement be written before another? -*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   x = 1;   for (...)       after `;` `{` `}`: another statement fits
//   if (c)   for (...)       after the head of what holds it: so it does
//   [[foo]]  for (...)       after anything else: what stands there may belong
//   MACRO(x) for (...)       to the statement
//
// The AST does not show everything that stands before a statement: attributes
// that clang does not know leave no trace, macros may expand to half of
// anything. So the token before has to be one of those after which a statement
// begins.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SAFETY_TEXTAROUND_H
#define CATT_ANALYSIS_SOURCE_SAFETY_TEXTAROUND_H

#include "analysis/model/Refusal.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"

namespace catt {

/// Why nothing can be written before the span, which begins with a statement
/// that Parent holds in the body of F, if so.
std::optional<Refusal> cannotPrecede(const clang::FunctionDecl &F,
                                     const clang::Stmt &Parent,
                                     const clang::Stmt &Statement,
                                     const SourceSpan &Span,
                                     const clang::ASTContext &Context);

} // namespace catt

#endif
