//===- BodySize.h - How much one iteration of a loop is --------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for (int j = 0; j < 64; ++j)       a load, a difference, a call, a sum
//     s += expf(a[j] - most);
//
// Compilers unroll a loop whole if all of its iterations together are small
// enough. Only then can what it loads stay in registers until another loop
// wants it.
//
// Limits: a lower bound. Integers, conversions and what stays the same in all
// iterations are not counted, nor is a sum that may be fused with its product.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SYNTAX_BODYSIZE_H
#define CATT_ANALYSIS_SOURCE_SYNTAX_BODYSIZE_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"

namespace catt {

/// Instructions of one iteration, as compilers count them to unroll a loop, at
/// least. Those of a loop inside are counted once.
unsigned leastInstructions(const clang::Stmt &Loop,
                           const clang::ASTContext &Context);

} // namespace catt

#endif
