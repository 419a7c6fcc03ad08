//===- ReachWalk.h - The walk that Reach.h promises -------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   visit(statement)     its parts in the order of execution, and then what it
//     |                  does to the objects of its operands (Effects.h)
//     v
//   event(), assigned(), escapes(), reads()     what FunctionBody holds
//
// Reach.cpp holds the statements and what is noted, ReachExpressions.cpp the
// expressions and calls. Limits: see Reach.h.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SAFETY_REACHWALK_H
#define CATT_ANALYSIS_SOURCE_SAFETY_REACHWALK_H

#include "analysis/source/safety/Reach.h"
#include "analysis/source/syntax/Effects.h"
#include "clang/AST/StmtCXX.h"
#include <algorithm>

namespace catt {

class ReachWalk {
public:
  ReachWalk(const clang::FunctionDecl &F, FunctionBody &B);
  void run();

private:
  const clang::FunctionDecl &F;
  clang::ASTContext &Context;
  FunctionBody &B;
  const Guarded *Under = nullptr;
  unsigned Order = 0;
  bool KeepsExtents;
  std::vector<const clang::Stmt *> BreakTargets, ContinueTargets;
  llvm::DenseSet<const clang::LabelDecl *> Labels;
  /// `&x` that is an output of a call.
  llvm::DenseSet<const clang::Expr *> Outputs;

  void event(ReachedEvent::Kind What, const clang::Stmt *At, std::string Text,
             const clang::FunctionDecl *Callee = nullptr);
  void unknown(const clang::Stmt *At, std::string Text) {
    event(ReachedEvent::Kind::Unknown, At, std::move(Text));
  }
  void reads(MemoryReads R) { B.Reads = std::max(B.Reads, R); }
  void callTo(const clang::FunctionDecl *Callee, const clang::Stmt *At);
  void destroy(clang::QualType T, const clang::Stmt *At);
  void destroyParts(const clang::CXXRecordDecl &R);

  const Guarded *push(const clang::Stmt *Construct, const clang::Expr *Value);
  void assigned(const clang::VarDecl *V, const clang::Expr *Value,
                const clang::Stmt *At);
  void assigned(const clang::Expr *LValue, const clang::Expr *Value,
                const clang::Stmt *At);
  /// All variables that the lvalue may be.
  void escapes(const clang::Expr *LValue);
  /// What the node does to its operands, which were visited.
  void apply(const clang::Stmt &Node, const OperandEffect &E);
  void applyAll(const clang::Stmt &Node);
  /// Of a call or a construction. A function that is known writes what is bound
  /// to it, and keeps no reference to it.
  void applyCall(const clang::Expr &Call, const clang::FunctionDecl &Callee,
                 Known What);

  void visit(const clang::Stmt *S);
  void visitChildren(const clang::Stmt &S);
  void visitStatement(const clang::Stmt &S);
  void visitDeclarations(const clang::DeclStmt &S);
  void visitVariable(const clang::VarDecl &V, const clang::Stmt &At);
  void visitIf(const clang::IfStmt &I);
  void visitSwitch(const clang::SwitchStmt &S);
  void visitLoop(const clang::Stmt &S);
  void visitJump(const clang::Stmt &S);
  void visitAssembly(const clang::GCCAsmStmt &S);

  void visitExpression(const clang::Expr &E);
  void visitObject(const clang::Expr &E);
  void visitConstruct(const clang::CXXConstructExpr &E);
  void visitLambda(const clang::LambdaExpr &L);
  void visitBinary(const clang::BinaryOperator &E);
  void visitCast(const clang::CastExpr &E);
  void visitSubscript(const clang::ArraySubscriptExpr &E);
  void visitConditional(const clang::AbstractConditionalOperator &E);
  void visitOther(const clang::Expr &E);

  void visitCall(const clang::CallExpr &E);
  void visitArguments(const clang::CallExpr &E,
                      const clang::FunctionDecl &Callee, Known What);
  void visitKnown(const clang::CallExpr &E, const clang::FunctionDecl &Callee,
                  Known What);
};

} // namespace catt

#endif
