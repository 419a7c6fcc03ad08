//===- PureExpressions.h - May an expression be evaluated again? -*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   A[i] * 2.0f + b     Reads {A, b, i}, 2 operations, MayDiffer: A may be
//                       written; with const float *__restrict__ A: 1 load
//
// Known as pure are arithmetic, CUDA's arithmetic and mathematical functions,
// special registers, __ldg, __constant__ memory and memory read through a
// `const T *__restrict__` parameter, which must not change while the kernel
// runs (CUDA C++ Programming Guide, "__restrict__"). Any other call or load is
// taken to differ when it is evaluated again.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_VALUES_PUREEXPRESSIONS_H
#define CATT_ANALYSIS_SOURCE_VALUES_PUREEXPRESSIONS_H

#include "analysis/model/Kernel.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

namespace catt {

/// What the value of an expression depends on, and what it costs.
Initializer describeInitializer(const clang::Expr &E,
                                const clang::ASTContext &Context);

} // namespace catt

#endif
