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
// waits for another one. That no warp waits is proved, from all that is reached
// (safety/ReachedCode):
//
//       before        a wait, a lock: refused. A block-wide barrier: allowed
//    +--statement--+  inside: waits, block-wide barriers and whatever is not
//    |  S          |  known to be harmless refuse
//    +-------------+
//       after         a wait: allowed, see below
//
// A wait in a loop around the statement counts as before it. One that comes
// strictly after it is allowed: what it waits for is done by threads before, in
// or after the statement; those before and in it wait for no warps but those of
// their own block, so all leave it, and then the block continues as it did.
// Barriers of a part of the block (bar.sync n, m) refuse wherever they are: the
// barriers around the groups could meet them.
//
// Limits: a wait before the statement is refused even if it has nothing to do
// with it.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SAFETY_WARPINDEPENDENCE_H
#define CATT_ANALYSIS_SOURCE_SAFETY_WARPINDEPENDENCE_H

#include "analysis/model/Kernel.h"
#include "analysis/source/safety/ReachedCode.h"
#include "analysis/source/walk/SymbolicWalk.h"
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

/// Of statements at the end of Path, which begins in Kernel.
WarpDependences warpDependences(const clang::FunctionDecl &Kernel,
                                llvm::ArrayRef<PathElement> Path,
                                llvm::ArrayRef<const clang::Stmt *> Statements,
                                ReachedCode &Code,
                                const clang::ASTContext &Context);

/// Why blocks of the kernel may wait for each other; empty: they do not.
std::vector<Refusal> waitsOf(const clang::FunctionDecl &Kernel,
                             ReachedCode &Code,
                             const clang::ASTContext &Context);

} // namespace catt

#endif
