//===- Counters.cpp - Variables that move on with a loop ------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/safety/Counters.h"
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace catt {

static const VarDecl *variableIn(const Expr *E) {
  return namedVariable(E->IgnoreParenImpCasts());
}

static std::optional<llvm::APSInt> constant(const Expr *E,
                                            const ASTContext &Context) {
  Expr::EvalResult R;
  if (E->isValueDependent() || !E->getType()->isIntegralOrEnumerationType() ||
      !E->EvaluateAsInt(R, Context))
    return std::nullopt;
  return R.Val.getInt();
}

bool Counters::isOwn(const VarDecl *V) const {
  if (V->getDeclContext() == B.Function)
    return true;
  auto *M = dyn_cast<CXXMethodDecl>(B.Function);
  if (!M || !M->getParent()->isLambda())
    return false;
  for (const LambdaCapture &C : M->getParent()->captures())
    if (C.capturesVariable() && C.getCapturedVar() == V)
      return C.getCaptureKind() == LCK_ByCopy;
  return false;
}

bool Counters::isPositive(const Expr *E, unsigned Depth) const {
  const ASTContext &Context = B.Function->getASTContext();
  if (auto C = constant(E, Context))
    return C->isStrictlyPositive();
  E = E->IgnoreParenImpCasts();
  if (auto *C = dyn_cast<ExplicitCastExpr>(E))
    return C->getType()->isIntegerType() &&
           isPositive(C->getSubExpr(), Depth + 1);
  if (auto *X = dyn_cast<BinaryOperator>(E);
      X && (X->getOpcode() == BO_Mul || X->getOpcode() == BO_Add))
    return isPositive(X->getLHS(), Depth + 1) &&
           isPositive(X->getRHS(), Depth + 1);
  if (auto *P = dyn_cast<PseudoObjectExpr>(E)) { // blockDim.x
    auto *M = dyn_cast<MSPropertyRefExpr>(
        P->getSyntacticForm()->IgnoreParenImpCasts());
    const VarDecl *V = M ? variableIn(M->getBaseExpr()) : nullptr;
    return V && !V->hasLocalStorage() &&
           (V->getName() == "blockDim" || V->getName() == "gridDim");
  }
  const VarDecl *V = variableIn(E);
  if (!V || Depth > 8)
    return false;
  if (V->hasLocalStorage() && !isa<ParmVarDecl>(V) && V->getInit() &&
      !V->getType()->isReferenceType() && !B.Escaping.contains(V)) {
    auto It = B.Assignments.find(V);
    return It != B.Assignments.end() && It->second.size() == 1 &&
           isPositive(V->getInit(), Depth + 1);
  }
  return false;
}

/// +1 or -1: what `++v`, `v += 4`, `v = v - 1` do; 0: not known.
int Counters::signOfStep(const Expr *Change, const VarDecl *V) const {
  auto Signed = [&](const Expr *Step, bool Minus) {
    const ASTContext &Context = B.Function->getASTContext();
    if (auto C = constant(Step, Context); C && C->isNegative())
      return Minus ? 1 : -1;
    return !isPositive(Step) ? 0 : Minus ? -1 : 1;
  };
  if (auto *U = dyn_cast<UnaryOperator>(Change))
    return U->isIncrementOp() ? 1 : U->isDecrementOp() ? -1 : 0;
  auto *X = dyn_cast<BinaryOperator>(Change->IgnoreParenImpCasts());
  if (!X)
    return 0;
  if (X->getOpcode() == BO_AddAssign || X->getOpcode() == BO_SubAssign)
    return Signed(X->getRHS(), X->getOpcode() == BO_SubAssign);
  if (X->getOpcode() == BO_Sub && variableIn(X->getLHS()) == V)
    return Signed(X->getRHS(), true);
  if (X->getOpcode() != BO_Add)
    return 0;
  if (variableIn(X->getLHS()) == V)
    return Signed(X->getRHS(), false);
  return variableIn(X->getRHS()) == V ? Signed(X->getLHS(), false) : 0;
}

int Counters::sign(const VarDecl *V) const {
  QualType T = V->getType();
  if (!L || B.HasGoto || !V->hasLocalStorage() || !isOwn(V) ||
      T.isVolatileQualified() || B.Escaping.contains(V) ||
      !(T->isIntegerType() || T->isPointerType()))
    return 0;
  for (auto &[Bound, Callee] : B.ConstBound)
    if (Bound == V && !T.isConstQualified() && definitionOf(Callee))
      return 0; // the callee may keep the reference
  auto It = B.Assignments.find(V);
  if (It == B.Assignments.end())
    return 0;
  const ReachedAssignment *Only = nullptr;
  for (const ReachedAssignment &A : It->second)
    if (isInLoop(A.Under)) {
      if (Only)
        return 0;
      Only = &A;
    }
  // In every iteration: under no condition but the loop's, and not skipped.
  if (!Only || !Only->Value || Only->Under != L->Inside)
    return 0;
  auto InStep = [&](auto &&Self, const Stmt *S) -> bool {
    return S && (S == Only->At || llvm::any_of(S->children(), [&](auto *C) {
                   return Self(Self, C);
                 }));
  };
  if (!InStep(InStep, L->Step) && !InStep(InStep, L->Test))
    for (const ReachedJump &J : B.Jumps)
      if (J.Continues && J.Target == L->Loop)
        return 0;
  return signOfStep(Only->Value, V);
}

bool Counters::isCounted(const Expr *Test) const {
  auto *X = dyn_cast<BinaryOperator>(Test->IgnoreParenImpCasts());
  if (!X || !X->isRelationalOp())
    return false;
  bool Less = X->getOpcode() == BO_LT || X->getOpcode() == BO_LE;
  auto Counts = [&](const Expr *E, int Wanted) {
    E = E->IgnoreParenImpCasts();
    // i + 1 < n
    if (auto *Sum = dyn_cast<BinaryOperator>(E);
        Sum && Sum->isAdditiveOp() &&
        constant(Sum->getRHS(), B.Function->getASTContext()))
      E = Sum->getLHS();
    const VarDecl *V = variableIn(E);
    return V && sign(V) == Wanted;
  };
  return Counts(X->getLHS(), Less ? 1 : -1) ||
         Counts(X->getRHS(), Less ? -1 : 1);
}

/// Nothing in E changes while the loop runs, and nothing is loaded for it.
bool Counters::isFixed(const Expr *E) const {
  E = E->IgnoreParens();
  if (constant(E, B.Function->getASTContext()))
    return true;
  if (auto *P = dyn_cast<PseudoObjectExpr>(E))
    return isa<MSPropertyRefExpr>(P->getSyntacticForm()->IgnoreParenImpCasts());
  if (auto *C = dyn_cast<CastExpr>(E))
    return C->getCastKind() != CK_UserDefinedConversion &&
           isFixed(C->getSubExpr());
  if (auto *X = dyn_cast<BinaryOperator>(E))
    return !X->isAssignmentOp() && !X->isPtrMemOp() && isFixed(X->getLHS()) &&
           isFixed(X->getRHS());
  const VarDecl *V = variableIn(E);
  if (!V)
    return false;
  if (isConstantMemory(*V))
    return true;
  if (!V->hasLocalStorage()) // the array itself
    return V->getType()->isArrayType();
  if (!isOwn(V) || V->getType()->isReferenceType() ||
      V->getType().isVolatileQualified())
    return false;
  if (V->getType()->isArrayType())
    return true;
  if (B.Escaping.contains(V))
    return false;
  auto It = B.Assignments.find(V);
  return It == B.Assignments.end() ||
         llvm::none_of(It->second, [&](const ReachedAssignment &A) {
           return isInLoop(A.Under);
         });
}

/// How often a counter goes into E; Known becomes false if that is unclear.
int Counters::coefficient(const Expr *E, bool &Known) const {
  const ASTContext &Context = B.Function->getASTContext();
  E = E->IgnoreParens();
  if (isFixed(E))
    return 0;
  if (auto *C = dyn_cast<CastExpr>(E);
      C &&
      (C->getCastKind() == CK_LValueToRValue || C->getCastKind() == CK_NoOp ||
       C->getCastKind() == CK_IntegralCast)) {
    // A narrower type would come back to the same place.
    if (C->getCastKind() == CK_IntegralCast &&
        Context.getTypeSize(C->getType()) <
            std::min<uint64_t>(32,
                               Context.getTypeSize(C->getSubExpr()->getType())))
      Known = false;
    return coefficient(C->getSubExpr(), Known);
  }
  if (const VarDecl *V = variableIn(E); V && isCounter(V)) {
    Known &= Context.getTypeSize(V->getType()) >= 32;
    return 1;
  }
  if (auto *X = dyn_cast<BinaryOperator>(E)) {
    int Left = coefficient(X->getLHS(), Known);
    int Right = coefficient(X->getRHS(), Known);
    if (X->isAdditiveOp()) {
      Known &= Left == 0 || Right == 0;
      return Left + Right;
    }
    if (X->getOpcode() == BO_Mul) {
      // 4 * k; a factor of the run might be zero, a large one come round.
      auto Factor = constant(Left ? X->getRHS() : X->getLHS(), Context);
      Known &= Factor && Factor->isStrictlyPositive() &&
               Factor->getActiveBits() < 16;
      return Left + Right;
    }
  }
  Known = false;
  return 0;
}

bool Counters::moves(const Expr *Element) const {
  if (!L)
    return false;
  bool Known = true;
  int Times = 0;
  if (auto *A = dyn_cast<ArraySubscriptExpr>(Element)) {
    if (const Expr *Array = arrayOf(*A))
      Known = isFixed(Array);
    else
      Times = coefficient(A->getBase(), Known);
    int Index = coefficient(A->getIdx(), Known);
    Known &= Times == 0 || Index == 0;
    Times += Index;
  } else if (auto *U = dyn_cast<UnaryOperator>(Element)) {
    Times = coefficient(U->getSubExpr(), Known);
  }
  return Known && Times != 0;
}

} // namespace catt
