//===- TileBodies.h - May iterations run in tiles? --------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for (tile)                 the lanes of a warp meet here
//     for (its iterations)     a body that ends, meets nobody and leaves
//       body                   the loop by its condition alone
//
// Only kinds of statements and expressions that are listed may stand in such a
// body. What a compiler fuses is another matter: safety/SplitRounding.h.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_VALUES_TILEBODIES_H
#define CATT_ANALYSIS_SOURCE_VALUES_TILEBODIES_H

#include "analysis/model/Refusal.h"
#include "analysis/source/safety/ComputeProof.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace catt {

/// Why the body of a loop cannot run in tiles, if so.
std::optional<Refusal> cannotRunInTiles(const clang::Stmt &Body,
                                        const clang::ASTContext &Context,
                                        ComputeProof &Proof);

/// Calls Visit for what every iteration of a body does: not in the branches of
/// a condition, nor behind a `continue`, nor for what stands in a loop inside,
/// unless Inside is given and the loop is sure to run and not to be left.
/// False: it may leave S and what follows.
bool forEachAlways(const clang::Stmt *S,
                   llvm::function_ref<void(const clang::Stmt &)> Visit,
                   const clang::ASTContext *Inside = nullptr);

} // namespace catt

#endif
