//===- IndexFolding.cpp - Is an index constant once loops unroll? ---------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/walk/IndexFolding.h"
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace catt {

/// Iterations up to which compilers unroll a loop unasked; longer loops need
/// a pragma.
static constexpr int64_t MostIterations = 32;

static const VarDecl *variable(const Expr *E) {
  return E ? namedVariable(E->IgnoreParenImpCasts()) : nullptr;
}

/// What `i += 2`, `i -= 2` or `++i` adds to V.
static std::optional<int64_t> stepOf(const Expr *Inc, const VarDecl *V,
                                     const ASTContext &Context) {
  if (auto *U = dyn_cast_or_null<UnaryOperator>(Inc);
      U && U->isIncrementDecrementOp() && variable(U->getSubExpr()) == V)
    return U->isIncrementOp() ? 1 : -1;
  auto *B = dyn_cast_or_null<BinaryOperator>(Inc);
  if (!B || variable(B->getLHS()) != V)
    return std::nullopt;
  std::optional<int64_t> By = constantValue(B->getRHS(), Context);
  if (B->getOpcode() == BO_AddAssign)
    return By;
  if (B->getOpcode() == BO_SubAssign && By)
    return -*By;
  return std::nullopt;
}

/// Iterations from First by Step while `i op Bound`; std::nullopt: none known.
static std::optional<int64_t> tripCount(int64_t First, int64_t Step,
                                        BinaryOperatorKind Op, int64_t Bound) {
  bool Up = Step > 0;
  if (Op == BO_LE || Op == BO_GE)
    Bound += Up ? 1 : -1;
  if (Step == 0 || (Op != BO_NE && Up != (Op == BO_LT || Op == BO_LE)))
    return std::nullopt;
  int64_t Way = Up ? Bound - First : First - Bound, By = Up ? Step : -Step;
  if (Way < 0 || (Op == BO_NE && Way % By != 0))
    return std::nullopt;
  return (Way + By - 1) / By;
}

std::optional<bool> pragmaSays(const AttributedStmt *Pragma,
                               std::optional<int64_t> Trips,
                               const ASTContext &Context) {
  for (const Attr *A :
       Pragma ? Pragma->getAttrs() : llvm::ArrayRef<const Attr *>()) {
    auto *Hint = dyn_cast<LoopHintAttr>(A);
    if (Hint && Hint->getOption() == LoopHintAttr::UnrollCount) {
      std::optional<int64_t> Count = constantValue(Hint->getValue(), Context);
      return Count && Trips && *Count >= *Trips;
    }
    if (Hint && Hint->getOption() == LoopHintAttr::Unroll)
      return Hint->getState() != LoopHintAttr::Disable;
  }
  return std::nullopt;
}

const VarDecl *unrolledVariable(const ForStmt &Loop,
                                const AttributedStmt *Pragma,
                                const ASTContext &Context) {
  auto *Init = dyn_cast_or_null<DeclStmt>(Loop.getInit());
  auto *V = Init && Init->isSingleDecl()
                ? dyn_cast<VarDecl>(Init->getSingleDecl())
                : nullptr;
  auto *Cond = dyn_cast_or_null<BinaryOperator>(Loop.getCond());
  if (!V || !Cond || mayModify(Loop.getBody(), *V))
    return nullptr;
  bool Left = variable(Cond->getLHS()) == V;
  if (!Left && variable(Cond->getRHS()) != V)
    return nullptr;
  std::optional<int64_t> First = constantValue(V->getInit(), Context),
                         Bound = constantValue(
                             Left ? Cond->getRHS() : Cond->getLHS(), Context),
                         Step = stepOf(Loop.getInc(), V, Context);
  if (!First || !Bound || !Step || !Cond->isComparisonOp())
    return nullptr;
  BinaryOperatorKind Op =
      Left ? Cond->getOpcode()
           : (Cond->isRelationalOp()
                  ? BinaryOperator::reverseComparisonOp(Cond->getOpcode())
                  : Cond->getOpcode());
  std::optional<int64_t> Trips = tripCount(*First, *Step, Op, *Bound);
  if (!Trips)
    return nullptr;
  std::optional<bool> Says = pragmaSays(Pragma, Trips, Context);
  return Says.value_or(*Trips <= MostIterations) ? V : nullptr;
}

bool foldsGiven(const llvm::DenseSet<const VarDecl *> &Constant, const Expr &E,
                const ASTContext &Context) {
  const Expr *S = E.IgnoreParenImpCasts();
  if (constantValue(S, Context))
    return true;
  if (const VarDecl *V = namedVariable(S)) {
    if (Constant.count(V))
      return true;
    // A name for such an expression.
    return V->hasLocalStorage() && V->getType().isConstQualified() &&
           V->getInit() && !isa<ParmVarDecl>(V) &&
           foldsGiven(Constant, *V->getInit(), Context);
  }
  auto Both = [&](const Expr *A, const Expr *B) {
    return foldsGiven(Constant, *A, Context) &&
           foldsGiven(Constant, *B, Context);
  };
  if (auto *B = dyn_cast<BinaryOperator>(S))
    return !B->isAssignmentOp() && Both(B->getLHS(), B->getRHS());
  if (auto *U = dyn_cast<UnaryOperator>(S))
    return U->isArithmeticOp() &&
           foldsGiven(Constant, *U->getSubExpr(), Context);
  if (auto *C = dyn_cast<ConditionalOperator>(S))
    return foldsGiven(Constant, *C->getCond(), Context) &&
           Both(C->getTrueExpr(), C->getFalseExpr());
  if (auto *C = dyn_cast<ExplicitCastExpr>(S))
    return foldsGiven(Constant, *C->getSubExpr(), Context);
  return false;
}

} // namespace catt
