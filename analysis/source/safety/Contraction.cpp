//===- Contraction.cpp - May a value be rounded differently? --------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/safety/Contraction.h"
#include "analysis/source/safety/KnownMath.h"
#include "analysis/source/safety/WrapSites.h"
#include "analysis/source/syntax/Accessors.h"
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace catt {

bool mayFuse(const BinaryOperator &B, const ASTContext &Context) {
  return B.getFPFeaturesInEffect(Context.getLangOpts()).getFPContractMode() !=
         LangOptions::FPM_Off;
}

bool isPowerOfTwo(const Expr &E, const ASTContext &Context) {
  Expr::EvalResult Value;
  return !E.isValueDependent() && E.EvaluateAsRValue(Value, Context) &&
         Value.Val.isFloat() && Value.Val.getFloat().getExactInverse(nullptr);
}

bool mayMultiplyByInverse(const BinaryOperator &B, const ASTContext &Context) {
  return B.getFPFeaturesInEffect(Context.getLangOpts()).getAllowReciprocal() &&
         B.getRHS()->isEvaluatable(Context) &&
         !isPowerOfTwo(*B.getRHS(), Context);
}

/// `x * 0.5f`, `x / 128`, `x *= 2`.
static bool isExact(const BinaryOperator &B, const ASTContext &Context) {
  const bool IsProduct =
      B.getOpcode() == BO_Mul || B.getOpcode() == BO_MulAssign;
  return isPowerOfTwo(*B.getRHS(), Context) ||
         (IsProduct && isPowerOfTwo(*B.getLHS(), Context));
}

bool isProduct(const Expr &E, const ASTContext &Context) {
  if (E.isValueDependent() ||
      !(E.getType()->isFloatingType() || isNarrowFloat(E.getType())))
    return false;
  if (auto *C = dyn_cast<CallExpr>(&E))
    return !C->isEvaluatable(Context) && !givesElement(*C) &&
           !isRoundedNarrowFloat(*C);
  auto *B = dyn_cast<BinaryOperator>(&E);
  if (!B || B->isEvaluatable(Context) || !mayFuse(*B, Context) ||
      isExact(*B, Context))
    return false;
  return B->getOpcode() == BO_Mul || B->getOpcode() == BO_MulAssign ||
         (B->getOpcode() == BO_Div && mayMultiplyByInverse(*B, Context));
}

std::optional<Refusal> mayContract(const Expr &E, const ASTContext &Context) {
  if (isProduct(E, Context)) {
    SourceText Text(Context);
    const char *What = isa<CallExpr>(E) ? "the result of a call" : "a product";
    return Refusal{Reason::MayContract, Text.location(E.getExprLoc()), What};
  }
  for (const Stmt *Child : E.children())
    if (auto *C = dyn_cast_or_null<Expr>(Child))
      if (std::optional<Refusal> Why = mayContract(*C, Context))
        return Why;
  return std::nullopt;
}

const VarDecl *variableOf(const Expr *E) {
  while (true) {
    E = E->IgnoreParenImpCasts();
    if (auto *M = dyn_cast<MemberExpr>(E); M && !M->isArrow())
      E = M->getBase();
    else if (auto *S = dyn_cast<ArraySubscriptExpr>(E);
             S && S->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
      E = S->getBase();
    else
      break;
  }
  return namedVariable(E);
}

/// A place that is read: memory holds finished values. A parameter is what its
/// argument was, which a reference to it may be, too.
static bool placeMayBeProduct(const Expr &E,
                              llvm::SmallVectorImpl<const VarDecl *> &Copies) {
  const VarDecl *V = variableOf(&E);
  if (!V)
    return !isa<ArraySubscriptExpr, MemberExpr, UnaryOperator>(E);
  if (V->hasLocalStorage())
    Copies.push_back(V);
  return V->getType()->isReferenceType() && !isa<ParmVarDecl>(V);
}

static bool
operatorMayBeProduct(const BinaryOperator &B, const ASTContext &Context,
                     llvm::SmallVectorImpl<const VarDecl *> &Copies) {
  bool Fused = mayFuse(B, Context) && !isExact(B, Context);
  switch (B.getOpcode()) {
  case BO_Assign:
  case BO_Comma:
    return mayBeProduct(*B.getRHS(), Context, Copies);
  case BO_Add:
  case BO_Sub:
  case BO_AddAssign:
  case BO_SubAssign:
    return false;
  case BO_Div:
  case BO_DivAssign:
    return Fused && mayMultiplyByInverse(B, Context);
  default:
    return Fused;
  }
}

/// make_float4 and its like.
static bool isMaker(const Expr &E) {
  auto *C = dyn_cast<CallExpr>(&E);
  const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
  return F && F->getIdentifier() && F->getName().starts_with("make_") &&
         F->getReturnType()->isRecordType();
}

bool mayBeProduct(const Expr &Top, const ASTContext &Context,
                  llvm::SmallVectorImpl<const VarDecl *> &Copies) {
  const Expr *E = Top.IgnoreParens();
  if (auto *C = dyn_cast<FullExpr>(E))
    return mayBeProduct(*C->getSubExpr(), Context, Copies);
  if (auto *M = dyn_cast<MaterializeTemporaryExpr>(E))
    return mayBeProduct(*M->getSubExpr(), Context, Copies);
  QualType T = E->getType();
  if (T->isIntegralOrEnumerationType() || T->isAnyPointerType() ||
      (!E->isValueDependent() && E->isEvaluatable(Context)))
    return false;
  if (auto *C = dyn_cast<CastExpr>(E))
    return mayBeProduct(*C->getSubExpr(), Context, Copies);
  if (auto *O = dyn_cast<CXXOperatorCallExpr>(E);
      O && O->getOperator() == OO_Equal)
    return mayBeProduct(*O->getArg(1), Context, Copies);
  if (E->isGLValue() && !isa<BinaryOperator, ConditionalOperator>(E))
    return placeMayBeProduct(*E, Copies);
  if (auto *U = dyn_cast<UnaryOperator>(E))
    return !U->isIncrementDecrementOp() &&
           mayBeProduct(*U->getSubExpr(), Context, Copies);
  if (auto *C = dyn_cast<ConditionalOperator>(E)) {
    bool First = mayBeProduct(*C->getTrueExpr(), Context, Copies);
    return mayBeProduct(*C->getFalseExpr(), Context, Copies) || First;
  }
  if (auto *B = dyn_cast<BinaryOperator>(E))
    return operatorMayBeProduct(*B, Context, Copies);
  if (auto *C = dyn_cast<CallExpr>(E);
      C && (givesElement(*C) || isRoundedNarrowFloat(*C)))
    return false;
  if (isa<InitListExpr, CXXConstructExpr>(E) || isMaker(*E)) {
    bool Any = false; // a vector's fields
    for (const Stmt *Child : E->children())
      Any |= mayBeProduct(*cast<Expr>(Child), Context, Copies);
    return Any;
  }
  return !isa<CXXScalarValueInitExpr, ImplicitValueInitExpr>(E);
}

} // namespace catt
