//===- CalledFunctions.h - Functions whose loops are a kernel's -*- C++ -*-===//
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
//   __global__ void rows(...) { y[i] = dot(A + i * m, x, m) +
//                                      dot(B + i * m, x, m); }
//   __global__ void others(...) { y[i] += dot(A + i * m, x, m); }
//
// Where others call it, too, it can be written so for these calls alone: as a
// template of a flag that they give, and that is false for all others.
//
// A lambda of the kernel is in its text anyway:
//
//   auto dot = [&](const float *a) { ... };
//   y[i] = dot(A + i * m);
//
// Limits: no methods, no lambda that is more than called by its name and no
// generic one, no function of a header or that the host
// compiles, too, and none that another object file may call. Of a kernel that
// is a template, all instantiations call it; of a function that is one, a
// kernel calls one instantiation.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_VALUES_CALLEDFUNCTIONS_H
#define CATT_ANALYSIS_SOURCE_VALUES_CALLEDFUNCTIONS_H

#include "analysis/model/RowLoop.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>
#include <vector>

namespace catt {

/// Where the user's code names a function.
struct NamesOfFunction {
  unsigned All = 0;
  unsigned Calls = 0;         ///< of these: `f(x)`
  unsigned WithArguments = 0; ///< of these: `f<T>(x)`
};

/// How the user's code names each function. Counted when first asked.
class FunctionUses {
public:
  explicit FunctionUses(clang::ASTContext &Context) : Context(Context) {}
  NamesOfFunction of(const clang::FunctionDecl &F);

private:
  clang::ASTContext &Context;
  std::optional<llvm::DenseMap<const clang::FunctionDecl *, NamesOfFunction>>
      Counts;
};

struct CalledFunction {
  const clang::FunctionDecl *Definition;
  /// If it can be told which kernel calls it.
  std::optional<FlaggedCallee> Flagged;
  size_t Calls = 1; ///< by the kernel, where others call it, or of a lambda
  bool IsLambda = false; ///< of the kernel's own text
};

/// The definitions of functions that the kernel's code alone names, once each,
/// and of those whose calls in the kernel's own body can be told from others;
/// in the order of their calls. Behind them its lambdas.
std::vector<CalledFunction> calledFunctions(const clang::FunctionDecl &Kernel,
                                            FunctionUses &Uses);

/// A function that a kernel calls, and nothing else.
struct OnlyCalled {
  const clang::FunctionDecl *Definition;
  size_t Calls; ///< in the text of the kernel and of its own functions
};

/// The functions whose text can be changed as if it stood in the kernel: all
/// that names them are calls by the kernel, or by others of these, so that no
/// other kernel reaches them and they do not call themselves. They are inlined
/// whatever is added to them: called once, or __forceinline__. Callers before
/// what they call. Others: why the user's other functions are none.
/// Limits: no template, and no function of a kernel that is one.
std::vector<OnlyCalled> onlyCalled(const clang::FunctionDecl &Kernel,
                                   FunctionUses &Uses,
                                   std::vector<Refusal> &Others);

/// Offsets in the file of a definition.
struct FunctionPlace {
  unsigned Top = 0; ///< of the declaration at file scope that it stands in
  unsigned BodyBegin = 0; ///< behind the body's opening brace
};

FunctionPlace placeOf(const clang::FunctionDecl &F);

/// Whether a copy of the statement would be another one.
bool isBoundToItsFunction(const clang::Stmt *S);

bool isAtNamespaceScope(const clang::Decl &D);

} // namespace catt

#endif
