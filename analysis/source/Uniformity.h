//===- Uniformity.h - What all threads of a block do together -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value is uniform if every thread of a block that computes it gets the same;
// a statement is uniform if all threads of the block that have not exited reach
// it together, each time. Both are answered conservatively:
//
//   - threadIdx, what memory holds, and results of warp intrinsics differ;
//     kernel parameters, blockIdx, blockDim, gridDim and constants do not;
//   - a variable is uniform if everything ever assigned to it is, and every
//     assignment is reached uniformly; one whose address is taken is not;
//   - a loop is uniform if its condition is and no thread can leave it alone.
//
// Memory counts as uniform only where the program cannot change it: constant
// memory, and `const T *__restrict__` parameters, at a uniform address.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_UNIFORMITY_H
#define CATT_ANALYSIS_SOURCE_UNIFORMITY_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseSet.h"

namespace catt {

class Uniformity {
public:
  /// `DivergentParameters` holds the parameters whose argument differs between
  /// threads; none for a kernel.
  Uniformity(const clang::FunctionDecl &Function, bool IsKernel,
             llvm::DenseSet<const clang::VarDecl *> DivergentParameters = {});

  bool isUniform(const clang::Expr *E) const;
  /// True if the statements inside (branch, loop body) are reached together by
  /// all threads that reach the statement together.
  bool insideIsUniform(const clang::Stmt *S) const;
  /// Where some threads, not all, leave the function before its end.
  const llvm::SmallVectorImpl<const clang::Stmt *> &divergentReturns() const {
    return DivergentReturns;
  }
  /// The function has goto or labels: nothing in it counts as uniform.
  bool hasJumps() const { return HasJumps; }

private:
  void visit(const clang::Stmt *S, bool Divergent,
             const clang::Stmt *InnermostLoop, bool DivergentInLoop);
  void visitLoop(const clang::Stmt *S, bool Divergent);
  void assigned(const clang::Expr *LValue, bool Divergent);
  bool isUniformCall(const clang::CallExpr *E) const;
  bool isUniformLoad(const clang::Expr *LValue) const;
  bool mark(const clang::VarDecl *V);

  llvm::DenseSet<const clang::VarDecl *> Divergent;
  llvm::DenseSet<const clang::Stmt *> DivergentLoops;
  llvm::SmallVector<const clang::Stmt *, 4> DivergentReturns;
  bool IsKernel;
  bool HasJumps = false;
  bool Changed = false;
};

} // namespace catt

#endif
