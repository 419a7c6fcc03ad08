//===- LaunchUses.h - Where functions name kernels --------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   auto run = [&](int b) { k<<<1, b>>>(A); };     a launch
//   run(128);
//   std::for_each(v.begin(), v.end(), run);        run: called by others too
//   cudaFuncGetAttributes(&attributes, k);         launches nothing
//   cudaGraphAddKernelNode(..., node(k, 512));     another use
//
// All that a function's syntax holds, whatever a walk over it reaches, so that
// a launch that no walk saw counts as one of unknown shape.
//
// Limits: what is not instantiated is not read; device code is not.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SAFETY_LAUNCHUSES_H
#define CATT_ANALYSIS_SOURCE_SAFETY_LAUNCHUSES_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace catt {

struct LaunchUses {
  /// `<<<>>>`, cudaLaunchKernel and cudaLaunchCooperativeKernel of a kernel.
  std::vector<const clang::CallExpr *> Launches;
  /// Other mentions of a kernel that may launch it.
  struct Other {
    const clang::FunctionDecl *Kernel;
    const clang::Expr *Where; ///< the call around it, if there is one
  };
  std::vector<Other> Others;
  /// Lambdas and functions of local classes with launches inside that something
  /// else may call, with other arguments.
  std::vector<const clang::FunctionDecl *> CalledByOthers;
};

LaunchUses findLaunchUses(const clang::FunctionDecl &F);

/// The kernels of a launch that are named there: one, or several of which
/// `(c ? k : l)<<<>>>` chooses.
llvm::SmallVector<const clang::FunctionDecl *, 1>
launchedKernels(const clang::CallExpr &Call);

/// The kernel that an argument names: `k`, `&k`, `(void *)k<float>`; or null.
const clang::FunctionDecl *namedKernel(const clang::Expr *E);

/// The call operators of lambdas in an initializer outside functions.
void addLambdas(const clang::Stmt *Init,
                std::vector<const clang::FunctionDecl *> &Out);

} // namespace catt

#endif
