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
//     __device__ float *row(int i) const { return d + i * c; }
//     __device__ float &of(int i, int j) const { return row(i)[j]; }
//   };
//   __device__ int at(int i, int j, int m) { return i * m + j; }
//   __device__ float get(const float *p, int i) { return p[i]; }
//
//   A(i, k)           as if it were A.d[i * A.c + k]
//   B[at(i, k, m)]    as if it were B[i * m + k]
//   A.of(i, k)        as if it were (A.d + i * A.c)[k]
//   A.columns()       as if it were A.c
//   get(B, k + 1)     as if it were B[k + 1]
//
// They may be called at any time and by any thread: nothing else is loaded,
// nothing stored or checked on the way.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SYNTAX_ACCESSORS_H
#define CATT_ANALYSIS_SOURCE_SYNTAX_ACCESSORS_H

#include "clang/AST/Expr.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>
#include <string>

namespace catt {

/// Whether all that a function does is to give the element of an array that its
/// arguments, and members of its object, lead to: a reference to it, or what it
/// holds.
bool isAccessor(const clang::FunctionDecl &F);

/// Whether a call does that, and the array is none of the caller's variables:
/// what these hold may not be in memory yet.
bool givesElement(const clang::CallExpr &Call);

/// Of these functions, those that load the element: what they give has no
/// address.
bool loadsElement(const clang::FunctionDecl &F);

/// The element of a call of such a one, as its caller would write it: "A.d[i *
/// A.c + k]". TextOf: of an expression of the caller. std::nullopt: it is not
/// the caller's to name, or looks different in each instantiation.
std::optional<std::string> elementText(
    const clang::CallExpr &Call, const clang::FunctionDecl &Caller,
    llvm::function_ref<std::optional<std::string>(const clang::Expr &)> TextOf);

/// Whether all that it does is to add and multiply its arguments and members of
/// its object.
bool isIndexFunction(const clang::FunctionDecl &F);

} // namespace catt

#endif
