//===- LocalMentions.h - Every mention of a local variable ------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A variable can be followed only if every mention of it is one that is known
// to read it, or to write it in plain sight:
//
//   x + 1, x.f, x[i]                  a read
//   x = e, x.f += e, ++x[i]           a write, if nothing is done with the
//                                     place that it leaves
//   f(x), f takes const T &           a read, if f only computes
//   &x, int &r = x, [&] { ... x },    anything else: `exposed`; what it holds
//   asm("" : "=r"(x)), (c ? x : y) =    is not known from then on, nor before
//
// All names in the function are collected first, and all that were not found
// in a listed form are exposed: a construct that this file does not know
// exposes what it mentions.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SAFETY_LOCALMENTIONS_H
#define CATT_ANALYSIS_SOURCE_SAFETY_LOCALMENTIONS_H

#include "analysis/source/safety/ComputeProof.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace catt {

struct LocalMentions {
  llvm::DenseSet<const clang::VarDecl *> Exposed;
  /// Assignments of all forms to variables, each with what it assigns to.
  llvm::DenseMap<const clang::Expr *, const clang::VarDecl *> Writes;
  /// Variables that Writes names.
  llvm::DenseSet<const clang::VarDecl *> Written;
  /// An array whose size is computed; null if none.
  const clang::Stmt *VariableSize = nullptr;
};

LocalMentions mentionsIn(const clang::Stmt &Body, ComputeProof &Proof);

} // namespace catt

#endif
