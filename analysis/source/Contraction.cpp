//===- Contraction.cpp - May a value be rounded differently? --------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/Contraction.h"
#include "analysis/source/WrapSites.h"

using namespace clang;

namespace catt {

static bool isProduct(const Expr &E, const ASTContext &Context) {
  if (E.isValueDependent() || !E.getType()->isFloatingType())
    return false;
  if (auto *C = dyn_cast<CallExpr>(&E))
    return !C->isEvaluatable(Context);
  auto *B = dyn_cast<BinaryOperator>(&E);
  if (!B || B->isEvaluatable(Context) ||
      B->getFPFeaturesInEffect(Context.getLangOpts()).getFPContractMode() ==
          LangOptions::FPM_Off)
    return false;
  return B->getOpcode() == BO_Mul ||
         (B->getOpcode() == BO_Div && B->getRHS()->isEvaluatable(Context));
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

} // namespace catt
