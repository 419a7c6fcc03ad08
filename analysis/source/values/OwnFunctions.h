//===- OwnFunctions.h - Functions that one kernel calls alone ---*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   __device__ float dot(const float *a, const float *b, int n) { ... }
//   __global__ void rows(...) { y[i] = dot(A + i * m, x, m); }
//
// Where nothing else names dot, its body may be written as if it stood in the
// kernel: shared memory that it declares is the kernel's, and what its
// parameters are is known.
//
// Limits: no methods, lambdas or templates, no function of a header or that the
// host compiles, too, and none that another object file may call. Of a kernel
// that is a template, all instantiations call it.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_VALUES_OWNFUNCTIONS_H
#define CATT_ANALYSIS_SOURCE_VALUES_OWNFUNCTIONS_H

#include "analysis/model/RowLoop.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>
#include <vector>

namespace catt {

/// How often the user's code names each function. Counted when first asked.
class FunctionUses {
public:
  explicit FunctionUses(clang::ASTContext &Context) : Context(Context) {}
  unsigned of(const clang::FunctionDecl &F);

private:
  clang::ASTContext &Context;
  std::optional<llvm::DenseMap<const clang::FunctionDecl *, unsigned>> Counts;
};

/// The definitions of functions that nothing but the kernel's code names, once
/// each, in the order of their calls.
std::vector<const clang::FunctionDecl *>
ownFunctions(const clang::FunctionDecl &Kernel, FunctionUses &Uses);

/// Offsets in the file of a definition.
struct FunctionPlace {
  unsigned Top = 0; ///< of the declaration at file scope that it stands in
  unsigned BodyBegin = 0; ///< behind the body's opening brace
};

FunctionPlace placeOf(const clang::FunctionDecl &F);

/// Whether a copy of the statement would be another one.
bool isBoundToItsFunction(const clang::Stmt *S);

bool isAtNamespaceScope(const clang::Decl &D);

/// Of a function that nothing but the kernel names, and only once.
/// std::nullopt if it cannot be a template, or is called by another function.
std::optional<FlaggedCallee> flaggedCallee(const clang::FunctionDecl &Callee,
                                           const clang::FunctionDecl &Kernel);

} // namespace catt

#endif
