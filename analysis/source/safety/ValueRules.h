//===- ValueRules.h - How values come from values ---------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules that two proofs share: an expression has a property (the same for
// all threads; a function of the parameters) if its kind is listed and what it
// is computed from has the property. Subclasses say what variables have:
//
//       value(E)                       place(E), of a glvalue
//   a + b      value(a), value(b)    x        variable(x)
//   (int)a     value(a)              x.f      place(x), f a plain field
//   x          place(x)              x[i]     place(x), value(i)
//   f(a, x)    computes(f),          p[i]     value(i), pointee(p)
//              value(a), place(x)    *this    object()
//
// Limits: what NodeKinds calls unknown, volatile and _Atomic objects, fields
// that are references or mutable, temporaries with destructors: not proved.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SAFETY_VALUERULES_H
#define CATT_ANALYSIS_SOURCE_SAFETY_VALUERULES_H

#include "analysis/source/syntax/Effects.h"
#include "clang/AST/DeclCXX.h"

namespace catt {

/// A variable of the program that no thread can change while a kernel runs and
/// that is the same for all: a constant, __constant__ memory, blockIdx.
bool isUnchangedGlobal(const clang::VarDecl &V);
/// The object can be followed by what is written to it: no volatile, no
/// reference, no destructor that runs.
bool isPlainObject(clang::QualType T, const clang::ASTContext &Context);
/// The parameter takes a value, or refers to what it cannot change.
bool takesAValue(const clang::ParmVarDecl &P);
/// The variable of the function that a written place is part of, reached by
/// fields and elements only; null if it is anything else.
const clang::VarDecl *rootOf(const clang::Expr *Place);
/// The same as it is named there.
const clang::DeclRefExpr *rootName(const clang::Expr *Place);
/// The variable that a name stands for: itself, or the object of a binding.
const clang::VarDecl *variableOf(const clang::ValueDecl *D);

class ValueRules {
public:
  virtual ~ValueRules() = default;
  bool value(const clang::Expr *E);
  bool place(const clang::Expr *E);
  /// What the call runs is seen, and only computes; its operands are not asked.
  bool callComputes(const clang::CallExpr &E);

protected:
  virtual bool variable(const clang::VarDecl &V) = 0;
  virtual bool computes(const clang::FunctionDecl &F) = 0;
  /// An assignment to the place is allowed, and leaves it with the property.
  virtual bool written(const clang::Expr &Place) = 0;
  /// The object of a member function.
  virtual bool object() { return false; }
  /// What is called may change what its arguments refer to.
  virtual bool mayChangeArguments() const { return false; }
  /// Memory that the pointer points to, where the pointer has the property.
  virtual bool pointee(const clang::Expr &) { return false; }
  /// One more step is within the quota.
  virtual bool step() = 0;

private:
  bool name(const clang::DeclRefExpr &E);
  bool member(const clang::MemberExpr &E);
  bool subscript(const clang::ArraySubscriptExpr &E);
  bool castValue(const clang::CastExpr &E);
  bool unary(const clang::UnaryOperator &E);
  bool binary(const clang::BinaryOperator &E);
  bool call(const clang::CallExpr &E);
  bool construct(const clang::CXXConstructExpr &E);
  bool list(const clang::Expr &E);
};

} // namespace catt

#endif
