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
// it together, each time. Both have to be proved:
//
//   int n = rows / 32;               kernel parameters, blockIdx, blockDim,
//                                    gridDim, constants, and what is computed
//                                    from them by constructs that are listed
//   int u = n;  u += blockIdx.x;     a local, if all that is assigned to it is
//                                    uniform, all its assignments are reached
//                                    uniformly, and nothing else mentions it
//   if (u < n) f();                  f() is reached together
//   for (...) { if (...) break; }    a loop is uniform if its condition is and
//                                    no thread can leave it alone
//
// Memory counts as uniform only where the program cannot change it: constant
// memory, and `const T *__restrict__` parameters, at a uniform address.
//
// Limits: everything else differs between threads. goto, labels, try,
// coroutines, arrays of variable size, break or return out of a statement
// expression, or more than 4,000,000 steps end the proof for the whole
// function: unknown() says at which statement.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SAFETY_UNIFORMITY_H
#define CATT_ANALYSIS_SOURCE_SAFETY_UNIFORMITY_H

#include "analysis/source/safety/LocalMentions.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseSet.h"
#include <memory>
#include <string>

namespace catt {

class Uniformity {
public:
  /// `DivergentParameters` holds the parameters whose argument differs between
  /// threads; none for a kernel.
  Uniformity(const clang::FunctionDecl &Function, bool IsKernel,
             llvm::DenseSet<const clang::VarDecl *> DivergentParameters = {});
  ~Uniformity();

  bool isUniform(const clang::Expr *E) const;
  /// True if the statements inside (branch, loop body) are reached together by
  /// all threads that reach the statement together.
  bool insideIsUniform(const clang::Stmt *S) const;
  /// Where some threads, not all, leave the function before its end.
  const llvm::SmallVectorImpl<const clang::Stmt *> &divergentReturns() const {
    return DivergentReturns;
  }
  /// Where a thread may end that does not return: noreturn calls, assembly.
  const llvm::SmallVectorImpl<const clang::Stmt *> &exits() const {
    return Exits;
  }
  /// Control flow that is not followed, so that nothing in the function counts
  /// as uniform; null if there is none.
  const clang::Stmt *unknown() const { return Unknown; }
  /// What it is, in the user's words: "a goto".
  std::string unknownName() const;

private:
  class Rules;
  /// Where control stands: relative to what, and what a jump leaves.
  struct Control {
    bool Divergent = false;
    bool DivergentInLoop = false;   ///< since the loop was entered
    bool DivergentInTarget = false; ///< since what a break leaves was entered
    const clang::Stmt *Loop = nullptr, *Target = nullptr;
    bool InLambda = false, InExpression = false;

    Control split(bool Splits) const;
  };
  bool variable(const clang::VarDecl &V) const;
  void walk();
  void visit(const clang::Stmt *S, const Control &C);
  void visitChildren(const clang::Stmt &S, const Control &C);
  void visitBranches(const clang::Expr &Condition,
                     llvm::ArrayRef<const clang::Expr *> Operands,
                     const Control &C);
  void visitExpr(const clang::Expr &E, const Control &C);
  void visitBranch(const clang::IfStmt &S, const Control &C);
  void visitSwitch(const clang::SwitchStmt &S, const Control &C);
  void visitLoop(const clang::Stmt &S, const Control &C);
  void visitReturn(const clang::ReturnStmt &S, const Control &C);
  void visitDeclaration(const clang::DeclStmt &S, const Control &C);
  void visitCall(const clang::CallExpr &E, const Control &C);
  void assignments(const clang::Expr &E, const Control &C);
  void mark(const clang::VarDecl *V);
  void markLoop(const clang::Stmt *S);
  void giveUp(const clang::Stmt &S);

  ComputeProof Proof;
  LocalMentions Uses;
  std::unique_ptr<Rules> Values;
  const clang::Stmt *Body;
  /// Only variables whose declaration the walk has seen are followed.
  llvm::DenseSet<const clang::VarDecl *> Declared;
  llvm::DenseSet<const clang::VarDecl *> Divergent;
  llvm::DenseSet<const clang::Expr *> Reached;          ///< of Uses.Writes
  llvm::DenseSet<const clang::Stmt *> Seen;             ///< loops
  llvm::DenseSet<const clang::Stmt *> DivergentTargets; ///< loops and switches
  llvm::SmallVector<const clang::Stmt *, 4> Loops;      ///< around the walk
  llvm::SmallVector<const clang::Stmt *, 4> DivergentReturns, Exits;
  const clang::Stmt *Unknown = nullptr;
  unsigned Steps = 0;
  bool IsKernel;
  bool Changed = false;
};

} // namespace catt

#endif
