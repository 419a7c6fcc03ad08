//===- Accessors.cpp - Functions that lead to elements --------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/syntax/Accessors.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace catt {

/// A parameter that is passed by value, or a member of one or of the object.
static bool isHandedOver(const Expr *E) {
  while (auto *M = dyn_cast<MemberExpr>(E->IgnoreParenImpCasts())) {
    const QualType T = M->getMemberDecl()->getType();
    if (!isa<FieldDecl>(M->getMemberDecl()) || T->isReferenceType() ||
        T->isArrayType() || T.isVolatileQualified())
      return false;
    E = M->getBase()->IgnoreParenImpCasts();
    if (isa<CXXThisExpr>(E))
      return true;
    if (M->isArrow())
      return false;
  }
  auto *D = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  auto *P = D ? dyn_cast<ParmVarDecl>(D->getDecl()) : nullptr;
  return P && !P->getType()->isReferenceType() &&
         !P->getType().isVolatileQualified();
}

/// Arithmetic on what is handed over, by which nothing can go wrong.
static bool isArithmetic(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (isa<IntegerLiteral, SubstNonTypeTemplateParmExpr>(E) || isHandedOver(E))
    return true;
  if (auto *C = dyn_cast<ExplicitCastExpr>(E))
    return C->getType()->isIntegerType() && isArithmetic(C->getSubExpr());
  if (auto *U = dyn_cast<UnaryOperator>(E))
    return U->isArithmeticOp() && isArithmetic(U->getSubExpr());
  auto *B = dyn_cast<BinaryOperator>(E);
  return B && (B->isAdditiveOp() || B->getOpcode() == BO_Mul) &&
         isArithmetic(B->getLHS()) && isArithmetic(B->getRHS());
}

/// `p[i]`, `*p` or `*(p + i)`.
static bool isElement(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (auto *S = dyn_cast<ArraySubscriptExpr>(E))
    return S->getBase()->getType()->isPointerType() &&
           isArithmetic(S->getBase()) && isArithmetic(S->getIdx());
  auto *U = dyn_cast<UnaryOperator>(E);
  return U && U->getOpcode() == UO_Deref && isArithmetic(U->getSubExpr());
}

/// What a function returns that does nothing else; null for every other.
static const Expr *returnedBy(const FunctionDecl &F) {
  const FunctionDecl *Def = nullptr;
  auto *Body = dyn_cast_or_null<CompoundStmt>(F.getBody(Def));
  auto *Method = dyn_cast<CXXMethodDecl>(&F);
  if (!Body || Body->size() != 1 || (Method && Method->isVirtual()))
    return nullptr;
  auto *Return = dyn_cast<ReturnStmt>(Body->body_front());
  return Return ? Return->getRetValue() : nullptr;
}

bool isAccessor(const FunctionDecl &F) {
  const Expr *E = returnedBy(F);
  return E && F.getReturnType()->isLValueReferenceType() && isElement(E);
}

bool isIndexFunction(const FunctionDecl &F) {
  const Expr *E = returnedBy(F);
  return E && F.getReturnType()->isIntegerType() && isArithmetic(E);
}

} // namespace catt
