//===- Contraction.h - May a value be rounded differently? ------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   float w = a * b;      one use, w + c: one instruction, rounded once
//                         another use of w, or one far away: rounded twice
//
// nvcc (unless -fmad=false) and clang fuse a product with a sum across
// statements, and whether they do depends on where the product stands and on
// how often it is used (CUDA C++ Programming Guide, "Floating-Point Standard";
// seen with nvcc 13.0: a second use of a product takes the fusion away). So an
// expression with a product is not computed again, and a variable that is one
// stays where it is.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SAFETY_CONTRACTION_H
#define CATT_ANALYSIS_SOURCE_SAFETY_CONTRACTION_H

#include "analysis/model/Refusal.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

namespace catt {

/// Whether a compiler may fuse the operation with another one (not with
/// -fmad=false, nor where a pragma forbids it).
bool mayFuse(const clang::BinaryOperator &B, const clang::ASTContext &Context);

/// Whether the value is a power of two, as a constant: a product with it, and a
/// quotient by it, is exact, fused or not, unless it leaves the range of normal
/// numbers.
bool isPowerOfTwo(const clang::Expr &E, const clang::ASTContext &Context);

/// Whether a quotient by a constant may be a product with its inverse: with
/// -use_fast_math or -prec-div=false, and inexactly. Else nvcc divides, and
/// rounds what comes of it.
bool mayMultiplyByInverse(const clang::BinaryOperator &B,
                          const clang::ASTContext &Context);

/// The first part of the expression that may be fused with what is around it: a
/// floating-point product or what may be one, unless it is exact, or a call
/// that returns a floating-point value. Variables that are read are taken to
/// hold finished values.
std::optional<Refusal> mayContract(const clang::Expr &E,
                                   const clang::ASTContext &Context);

/// Whether E is one of those: it may be fused with a sum that it is part of.
bool isProduct(const clang::Expr &E, const clang::ASTContext &Context);

/// The variable that a place belongs to: v of `v[i].x`; null if a pointer
/// refers there.
const clang::VarDecl *variableOf(const clang::Expr *Place);

/// Whether what E gives to a variable may still be an unrounded product: one
/// that a compiler fuses with the sum that it is used in. If the variable waits
/// in memory for a while, it is rounded. `Copies` gets the local variables
/// whose own value it may be; what is not understood counts as a product.
bool mayBeProduct(const clang::Expr &E, const clang::ASTContext &Context,
                  llvm::SmallVectorImpl<const clang::VarDecl *> &Copies);

} // namespace catt

#endif
