//===- MentionReader.h - Reads the mentions of one function ----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MentionReader.cpp holds the expressions, MentionStatements.cpp the statements
// and calls of Mentions.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_WALK_MENTIONREADER_H
#define CATT_ANALYSIS_SOURCE_WALK_MENTIONREADER_H

#include "analysis/source/walk/Mentions.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

namespace catt {

class MentionReader {
public:
  MentionReader(Mentions &All, const clang::FunctionDecl &F,
                FunctionMentions &Out)
      : All(All), Out(Out), Inside(&F) {}
  void run();

private:
  using VarDecl = clang::VarDecl;
  using Stmt = clang::Stmt;
  using Expr = clang::Expr;

  Mentions &All;
  FunctionMentions &Out;
  const clang::FunctionDecl *Inside; ///< the function, or a lambda within it
  unsigned Lambdas = 0;              ///< around the place
  unsigned Unwalked = 0;             ///< above 0: the walk does not run this
  bool Unsupported = false;
  llvm::DenseMap<const VarDecl *, const VarDecl *> Aliases;
  llvm::DenseSet<const VarDecl *> Copied; ///< captured by value
  llvm::DenseSet<const Stmt *> PlainCases;

  void mention(const VarDecl *V, VariableEffect What);
  void mentionThis(VariableEffect What);
  void visit(const Stmt *S, VariableEffect What);
  void visitSpecial(const Stmt *S, VariableEffect What);
  void statement(const Stmt *S);
  bool visitWrapper(const Stmt *S, VariableEffect What);
  void operand(const Stmt *S);
  void operands(const Stmt *S);
  void unwalked(const Stmt *S);
  void escapeAll(const Stmt *S);

  void member(const clang::MemberExpr *E, VariableEffect What);
  void cast(const clang::CastExpr *E, VariableEffect What);
  void binary(const clang::BinaryOperator *E, VariableEffect What);
  void unary(const clang::UnaryOperator *E, VariableEffect What);
  void call(const clang::CallExpr *E, VariableEffect What);
  void object(const Expr *Object, VariableEffect What);
  void arguments(const clang::FunctionDecl *F,
                 llvm::ArrayRef<const Expr *> Given, VariableEffect What);
  void construct(const clang::CXXConstructExpr *E);
  void lambda(const clang::LambdaExpr *E);
  void variable(const VarDecl *V);
  void loop(const Stmt *S);
  void rangeFor(const clang::CXXForRangeStmt *S);
  void switchOver(const clang::SwitchStmt *S);
};

/// A copy or a move that copies each member's value.
bool copiesMembers(const clang::CXXConstructorDecl &C);

} // namespace catt

#endif
