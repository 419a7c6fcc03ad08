//===- KnownMath.h - Functions of CUDA that only compute --------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   sqrtf(x) of math_functions.h   -> known
//   sqrtf(x) that the user wrote   -> not: its body has to show it
//   __half2float(h), h * h         -> known, of CUDA's headers
//   clock(), __shfl_sync(...)      -> not
//
// Limits: a short list of names, for functions over numbers alone, and all that
// cuda_fp16.h and cuda_bf16.h have for their classes but what moves data. A
// user who declares one of the names in a header of -isystem, over numbers, is
// believed.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SAFETY_KNOWNMATH_H
#define CATT_ANALYSIS_SOURCE_SAFETY_KNOWNMATH_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

namespace catt {

/// True for functions of CUDA and of the C library whose result depends on
/// nothing but the values of their arguments, and which do nothing else.
bool isKnownToCompute(const clang::FunctionDecl &F);

/// Of these, arithmetic and conversions of __half, __nv_bfloat16 and their
/// pairs (isNarrowFloat), operators among them. Their bodies are assembly.
bool isOfNarrowFloats(const clang::FunctionDecl &F);

/// `h += x` of these classes: it reads both, and changes h.
bool isNarrowFloatUpdate(const clang::FunctionDecl &F);

/// Calls of the functions above for sums, quotients and conversions: what they
/// return is rounded. A product, its sign and its halves are not, unless the
/// name ends in _rn (CUDA Math API, "Half Arithmetic Functions").
bool isRoundedNarrowFloat(const clang::CallExpr &C);

/// True for CUDA's own blockIdx, blockDim, gridDim and warpSize, which all
/// threads of a block read alike.
bool isLaunchVariable(const clang::ValueDecl &D);

} // namespace catt

#endif
