//===- Accessors.h - Functions that lead to elements ------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   struct Mat {
//     float *d;
//     int c;
//     __device__ float &operator()(int i, int j) { return d[i * c + j]; }
//     __device__ int columns() const { return c; }
//   };
//   __device__ int at(int i, int j, int m) { return i * m + j; }
//
//   A(i, k)           as if it were A.d[i * A.c + k]
//   B[at(i, k, m)]    as if it were B[i * m + k]
//   A.columns()       as if it were A.c
//
// They may be called at any time and by any thread: nothing is loaded, stored
// or checked on the way.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SYNTAX_ACCESSORS_H
#define CATT_ANALYSIS_SOURCE_SYNTAX_ACCESSORS_H

#include "clang/AST/Decl.h"

namespace catt {

/// Whether all that a function does is to give a reference to the element of an
/// array that its arguments, and members of its object, lead to.
bool isAccessor(const clang::FunctionDecl &F);

/// Whether all that it does is to add and multiply its arguments and members of
/// its object.
bool isIndexFunction(const clang::FunctionDecl &F);

} // namespace catt

#endif
