//===- StayingValues.cpp - What a loop leaves as it is --------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/syntax/Accessors.h"
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/values/CountedLoops.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace catt {

bool CountedLoop::stays(const Expr *E) const {
  E = E->IgnoreParens();
  if (E->isPRValue() && constantValue(E, Context))
    return true;
  if (auto *C = dyn_cast<CastExpr>(E)) {
    switch (C->getCastKind()) {
    case CK_LValueToRValue:
      return staysInPlace(C->getSubExpr()->IgnoreParens());
    case CK_ArrayToPointerDecay:
      return liesStill(C->getSubExpr()->IgnoreParens());
    case CK_IntegralCast:
    case CK_NoOp:
      return stays(C->getSubExpr());
    case CK_BitCast: // reinterpret_cast<const float4 *>(row)
      return C->getType()->isPointerType() && stays(C->getSubExpr());
    default:
      return false;
    }
  }
  if (auto *C = dyn_cast<CallExpr>(E)) { // A.columns()
    const FunctionDecl *Callee = C->getDirectCallee();
    const Expr *Object = objectOf(*C);
    return Callee && isIndexFunction(*Callee) &&
           (!Object || isPlainObject(Object)) &&
           llvm::all_of(argumentsOf(*C), [&](const Expr *A) {
             return stays(A) || isPlainObject(A);
           });
  }
  if (auto *P = dyn_cast<PseudoObjectExpr>(E)) // threadIdx.x
    return P->getType()->isIntegerType();
  if (auto *U = dyn_cast<UnaryOperator>(E))
    return U->isArithmeticOp() && stays(U->getSubExpr());
  auto *B = dyn_cast<BinaryOperator>(E);
  return B &&
         (B->isAdditiveOp() || B->isMultiplicativeOp() || B->isShiftOp()) &&
         stays(B->getLHS()) && stays(B->getRHS());
}

/// Nothing in the loop changes it. Long bodies mention a variable often.
bool CountedLoop::isLeft(const VarDecl &V) const {
  auto [Known, IsNew] = Left.try_emplace(&V, false);
  if (IsNew)
    Known->second = !mayModify(&Whole, V) && !mayModify(Parts.Inc, V);
  return Known->second;
}

/// What is loaded from a place is the same.
bool CountedLoop::staysInPlace(const Expr *Place) const {
  if (Place->getType().isVolatileQualified())
    return false;
  while (auto *M = dyn_cast<MemberExpr>(Place)) {
    if (M->isArrow() || M->getMemberDecl()->getType()->isReferenceType())
      return false;
    Place = M->getBase()->IgnoreParens();
  }
  if (auto *V = variableRead(Place))
    return V != Iterator && V->hasLocalStorage() &&
           !V->getType()->isReferenceType() && !Locals.Exposed.contains(V) &&
           !isInside(*V) && isLeft(*V);
  // Memory: only where the loop stores nothing.
  auto *S = dyn_cast<ArraySubscriptExpr>(Place);
  return S && StoresNothing &&
         isa_and_nonnull<ParmVarDecl>(variableRead(S->getBase())) &&
         stays(S->getBase()) && stays(S->getIdx());
}

/// An array lies where it lies, whatever is stored to it: one of a variable, of
/// arrays, or of an object, `y[i].q` or `p->q`.
bool CountedLoop::liesStill(const Expr *Array) const {
  if (Array->getType().isVolatileQualified())
    return false;
  if (auto *M = dyn_cast<MemberExpr>(Array))
    return isa<FieldDecl>(M->getMemberDecl()) &&
           !M->getMemberDecl()->getType()->isReferenceType() &&
           (M->isArrow() ? stays(M->getBase())
                         : liesStill(M->getBase()->IgnoreParens()));
  if (auto *S = dyn_cast<ArraySubscriptExpr>(Array))
    return stays(S->getBase()) && stays(S->getIdx());
  if (auto *U = dyn_cast<UnaryOperator>(Array)) // (*p).q
    return U->getOpcode() == UO_Deref && stays(U->getSubExpr());
  const VarDecl *V = namedVariable(Array);
  // A lambda may have an object of its own for what a reference names outside.
  return V && !isInside(*V) &&
         (!V->getType()->isReferenceType() ||
          (V->hasLocalStorage() &&
           !cast<DeclRefExpr>(Array)->refersToEnclosingVariableOrCapture()));
}

bool CountedLoop::isInside(const VarDecl &V) const {
  return Context.getSourceManager().isPointWithin(
      V.getLocation(), Whole.getBeginLoc(), Whole.getEndLoc());
}

bool CountedLoop::isPlain(const Expr *E) const {
  if (!stays(E))
    return false;
  bool Loads = false;
  forEachStmt(E, [&](const Stmt &S) {
    auto *C = dyn_cast<CastExpr>(&S);
    if (!C || C->getCastKind() != CK_LValueToRValue)
      return;
    const Expr *Place = C->getSubExpr()->IgnoreParens();
    while (auto *M = dyn_cast<MemberExpr>(Place))
      Place = M->getBase()->IgnoreParens();
    Loads |= isa<ArraySubscriptExpr>(Place);
  });
  return !Loads;
}

bool CountedLoop::isPlainObject(const Expr *E) const {
  E = withoutCopy(E);
  return E->getType()->isRecordType() && isa<DeclRefExpr, MemberExpr>(E) &&
         staysInPlace(E);
}

} // namespace catt
