//===- WarpIndependence.h - May warps run one after another? -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Running the warps of a block one group after another through a statement is
// one of the orders that CUDA allows, so the result is the same, unless a warp
// waits inside for another one. This file finds what waits: block-wide and
// grid-wide barriers, polling of memory, locks, sleeping, assembly that is not
// known to be harmless. Calls are followed; a function whose body is not here
// is refused unless it is one of CUDA's own.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_WARPINDEPENDENCE_H
#define CATT_ANALYSIS_SOURCE_WARPINDEPENDENCE_H

#include "analysis/Types.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/ArrayRef.h"

namespace catt {

struct WarpDependences {
  std::vector<Refusal> Refusals;
  bool UsesWarpIntrinsics = false; ///< shuffles, votes, __syncwarp inside
  bool HasReturn = false;          ///< of the function that holds them
  bool LeavesByJump = false;       ///< break/continue of a loop around them
};

WarpDependences warpDependences(llvm::ArrayRef<const clang::Stmt *> Statements,
                                const clang::ASTContext &Context);

} // namespace catt

#endif
