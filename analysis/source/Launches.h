//===- Launches.h - Which shapes kernels are launched with -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   constexpr int B = 256;                    Grid  = {(40960 + 255) / 256}
//   k<<<(40960 + B - 1) / B, B>>>(A, x, y);   Block = {256}
//
// Host functions are run symbolically, in the order of their statements, so
// that a dim3 that is set again before each launch has its value of that
// place. Seen: <<<>>>, cudaLaunchKernel, cudaLaunchCooperativeKernel. What does
// not fold to a constant stays unknown. In a function with an error nothing is
// run: of its <<<>>> only the place is known.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_LAUNCHES_H
#define CATT_ANALYSIS_SOURCE_LAUNCHES_H

#include "analysis/model/Launch.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

namespace catt {

class BrokenCode;

using LaunchMap =
    llvm::DenseMap<const clang::FunctionDecl *, std::vector<Launch>>;

/// Launches in the given functions, by the kernel's canonical declaration.
LaunchMap findLaunches(clang::ASTContext &Context,
                       llvm::ArrayRef<const clang::FunctionDecl *> Functions,
                       BrokenCode &Broken);

} // namespace catt

#endif
