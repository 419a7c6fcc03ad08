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

namespace catt {

/// Local variables on which it may hang which of two products of Body is fused.
/// MayBeProduct: whether an operand may be an unrounded product.
SharedProducts::Variables
rivalFactors(const clang::Stmt &Body, const clang::ASTContext &Context,
             llvm::function_ref<bool(const clang::Expr &)> MayBeProduct,
             SharedProducts::DefinitionsOf Definitions);

} // namespace catt

#endif
