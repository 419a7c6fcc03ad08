//===- NodeKinds.h - Every kind of clang's syntax tree, by role -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A proof about a program has to know every construct on its way. NodeKinds.def
// lists each kind of statement, expression, declaration and cast that clang 22
// has, with its role:
//
//   IfStmt -> Branch      IntegerLiteral -> Constant     CK_IntegralCast
//   ForStmt -> Loop       CXXThisExpr -> This              -> Converts
//   GotoStmt -> Unknown   CXXTypeidExpr -> Unknown       BO_Add -> Computes
//
// Analyses switch over the roles: one that a proof does not name is refused. A
// kind that a later clang adds breaks the build here, and
// test/unit/NodeKindsTest.cpp beside it.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SYNTAX_NODEKINDS_H
#define CATT_ANALYSIS_SOURCE_SYNTAX_NODEKINDS_H

#include "clang/AST/DeclBase.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"

namespace catt {

enum class NodeRole : uint8_t {
  // Expressions.
  Constant,  ///< evaluates nothing: literals, sizeof, traits, zero values
  Wrapper,   ///< has the value of one other expression: wrappedIn()
  Temporary, ///< an object that holds the value of its operand
  Name,      ///< DeclRefExpr
  Member,
  Subscript,
  Cast,
  Unary,
  Binary,
  Conditional,
  DefaultedConditional, ///< a ?: b
  Call,
  MemberCall,
  OperatorCall,
  Construct,
  InitList,
  Property, ///< threadIdx.x is one
  This,
  Lambda,
  StatementExpression,
  UnknownExpr,
  // Statements.
  Block,
  Nothing,
  Attributed,
  Declaration,
  Branch,
  Switch,
  Case,
  Loop,
  RangeLoop,
  Return,
  Break,
  Continue,
  Assembly,
  UnknownControl, ///< goto, labels, try, coroutines, OpenMP, ...
};

NodeRole roleOf(const clang::Stmt &S);

/// The expression whose value a Wrapper has; null if that is not known.
const clang::Expr *wrappedIn(const clang::Expr &Wrapper);

enum class DeclRole : uint8_t {
  Variable,
  Binding,  ///< of a structured binding
  Constant, ///< an enumerator
  Function,
  Field,
  NameOnly, ///< in a function: types, using, static_assert
  Unknown,
};

DeclRole roleOf(clang::Decl::Kind K);

enum class CastRole : uint8_t {
  Load,      ///< lvalue to rvalue
  SamePlace, ///< another view of the same object, or of a value as it is
  Converts,  ///< a value computed from a value
  Calls,     ///< wraps the call of a constructor or a conversion function
  Decay,     ///< the address of an array
  Drops,     ///< to void
  Unknown,
};

CastRole roleOf(clang::CastKind K);

enum class OperatorRole : uint8_t {
  Computes,
  Assigns, ///< `=`, `op=`, `++`, `--`
  Logical, ///< && and ||
  Comma,
  Dereference,
  Transparent, ///< __extension__
  Unknown,
};

OperatorRole roleOf(clang::BinaryOperatorKind K);
OperatorRole roleOf(clang::UnaryOperatorKind K);

} // namespace catt

#endif
