//===- RivalProducts.cpp - Products of which one is fused -----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/values/RivalProducts.h"
#include "analysis/source/safety/Contraction.h"
#include "analysis/source/syntax/NodeParts.h"

using namespace clang;

namespace catt {

/// The variables that an expression computes with. Not those of an index into
/// memory, or of a pointer that is followed.
static void addOperands(const Stmt &S, SharedProducts::Variables &Out) {
  if (auto *E = dyn_cast<Expr>(&S)) {
    if (const VarDecl *V = variableOf(E)) {
      if (V->hasLocalStorage())
        Out.insert(V);
      return;
    }
    if (isa<ArraySubscriptExpr>(E))
      return;
    if (auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_Deref)
      return;
  }
  for (const Stmt *Child : S.children())
    if (Child)
      addOperands(*Child, Out);
}

/// A sum of floating-point values that a compiler may fuse with a product.
static bool isSum(const BinaryOperator &B, const ASTContext &Context) {
  switch (B.getOpcode()) {
  case BO_Add:
  case BO_Sub:
  case BO_AddAssign:
  case BO_SubAssign:
    break;
  default:
    return false;
  }
  return B.getType()->isFloatingType() && mayFuse(B, Context);
}

SharedProducts::Variables
rivalFactors(const Stmt &Body, const ASTContext &Context,
             llvm::function_ref<bool(const Expr &)> MayBeProduct,
             SharedProducts::DefinitionsOf Definitions) {
  SharedProducts::Variables Out;
  forEachStmt(&Body, [&](const Stmt &S) {
    auto *B = dyn_cast<BinaryOperator>(&S);
    if (B && isSum(*B, Context) && MayBeProduct(*B->getLHS()) &&
        MayBeProduct(*B->getRHS()))
      addOperands(*B, Out);
  });
  for (size_t I = 0; I < Out.size(); ++I)
    for (const Expr *E : Definitions(*Out[I]))
      if (E)
        addOperands(*E, Out);
  return Out;
}

} // namespace catt
