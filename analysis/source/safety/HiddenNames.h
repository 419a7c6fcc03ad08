//===- HiddenNames.h - Does a name still mean CUDA's? -----------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   auto [threadIdx, n] = f();      from here on, another threadIdx
//   for (...) ...                   where we would write CUDA's
//
// A name that is written into the user's code has to mean there what it means
// to CUDA. So every place in which C++ looks for an unqualified name is asked:
// the blocks, heads and lambdas around, parameters, template parameters,
// classes and their bases, namespaces, using directives, and macros. Whatever
// is found but CUDA's own declaration hides it.
//
// Limits: a macro that exists anywhere in the translation unit counts, wherever
// it is defined; a class with a base that is not known hides every name.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SAFETY_HIDDENNAMES_H
#define CATT_ANALYSIS_SOURCE_SAFETY_HIDDENNAMES_H

#include "analysis/model/Refusal.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"

namespace catt {

/// What hides a name of CUDA that rewrites write (threadIdx, blockDim,
/// gridDim, __syncthreads) at a statement of F, if something does. At: null for
/// the whole body.
std::optional<Refusal> hiddenCudaName(const clang::FunctionDecl &F,
                                      const clang::Stmt *At,
                                      const clang::ASTContext &Context);

/// The same for declarations alone: the transforms check the macros of a file
/// themselves.
std::optional<Refusal> hiddenByDeclaration(const clang::FunctionDecl &F,
                                           const clang::Stmt *At,
                                           const clang::ASTContext &Context);

} // namespace catt

#endif
