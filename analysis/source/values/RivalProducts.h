//===- RivalProducts.h - Products of which one is fused ---------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   s = s * a + h * b;      fma(h, b, s * a)   h is from before the loop
//   h = *slot;
//   s = s * a + h * b;      fma(s, a, h * b)   h is loaded here
//
// A compiler fuses one of two products with their sum: the one on the left,
// once it has put the operands in its own order. LLVM orders them by where
// their values come from (Reassociate, which ranks a load or inline assembly by
// its place, and a sum by what it is of; seen with nvcc 13.0). So a value that
// is loaded or computed again elsewhere may have the other product fused, and
// the sum rounded differently.
//
// What is found is an upper bound: every variable whose value gets into such a
// sum by arithmetic. What is read from memory is ranked by its own place,
// wherever its index comes from.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_VALUES_RIVALPRODUCTS_H
#define CATT_ANALYSIS_SOURCE_VALUES_RIVALPRODUCTS_H

#include "analysis/source/values/SharedProducts.h"
#include "llvm/ADT/DenseMap.h"

namespace catt {

/// Sums inside S of two operands that may both be unrounded products.
std::vector<const clang::BinaryOperator *>
rivalSums(const clang::Stmt &S, const clang::ASTContext &Context,
          llvm::function_ref<bool(const clang::Expr &)> MayBeProduct);

/// Local variables on which it may depend which of two products is fused. Into:
/// sums of two, and what is handed to functions that have some.
SharedProducts::Variables
rivalFactors(llvm::ArrayRef<const clang::Stmt *> Into,
             SharedProducts::DefinitionsOf Definitions);

/// What a function is called with, if the user wrote it, it is none of Inlined,
/// may be inlined all the same, and may add two products, itself or by what it
/// calls. Else empty. Adding: of which functions that is known.
std::vector<const clang::Expr *>
rivalArguments(const clang::Stmt &Call, const InlinedFunctions &Inlined,
               llvm::DenseMap<const clang::FunctionDecl *, bool> &Adding);

} // namespace catt

#endif
