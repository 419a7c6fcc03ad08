//===- PlainReads.h - Where a name does nothing but read --------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   A[i] = i + 2;            plain: the value is read, whatever i is declared
//   as decltype(i) t;  f(&i);   not plain: its type, or itself, is seen
//   [&] { return i; };       not plain: it is captured
//
// A variable may be declared anew, or its const left out, where every mention
// of its name is plain. The list is kept by place in the text: a word that is
// on it is known, in all that a template or a macro makes of it, to be a read;
// a word that is not may be anything.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SAFETY_PLAINREADS_H
#define CATT_ANALYSIS_SOURCE_SAFETY_PLAINREADS_H

#include "analysis/model/Kernel.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"

namespace catt {

/// Fills in PlainReads and MacroMentions of a kernel.
void findPlainReads(const clang::FunctionDecl &F,
                    const clang::ASTContext &Context, Kernel &K);

} // namespace catt

#endif
