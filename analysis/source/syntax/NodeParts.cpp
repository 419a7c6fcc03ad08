//===- NodeParts.cpp - What a node of the syntax consists of --------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/CharInfo.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace catt {

bool isLoop(const Stmt *S) {
  return isa_and_nonnull<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S);
}

LoopParts loopParts(const Stmt &Loop) {
  LoopParts P;
  if (auto *F = dyn_cast<ForStmt>(&Loop)) {
    P.Init = F->getInit();
    P.Variable = F->getConditionVariableDeclStmt();
    P.Cond = F->getCond();
    P.Inc = F->getInc();
    P.Body = F->getBody();
  } else if (auto *W = dyn_cast<WhileStmt>(&Loop)) {
    P.Variable = W->getConditionVariableDeclStmt();
    P.Cond = W->getCond();
    P.Body = W->getBody();
  } else if (auto *D = dyn_cast<DoStmt>(&Loop)) {
    P.Cond = D->getCond();
    P.Body = D->getBody();
    P.AtLeastOnce = true;
  } else if (auto *R = dyn_cast<CXXForRangeStmt>(&Loop)) {
    P.Init = R->getInit();
    P.Range = R->getRangeStmt();
    P.Body = R->getBody();
  }
  return P;
}

const VarDecl *countdownOf(const Expr *Cond) {
  const Expr *E = Cond ? Cond->IgnoreParenImpCasts() : nullptr;
  if (auto *B = dyn_cast_or_null<BinaryOperator>(E)) {
    auto *Zero = dyn_cast<IntegerLiteral>(B->getRHS()->IgnoreParenImpCasts());
    if (!Zero || !Zero->getValue().isZero() ||
        (B->getOpcode() != BO_GT && B->getOpcode() != BO_NE))
      return nullptr;
    E = B->getLHS()->IgnoreParenImpCasts();
  }
  auto *U = dyn_cast_or_null<UnaryOperator>(E);
  const VarDecl *V = U && U->getOpcode() == UO_PostDec
                         ? namedVariable(U->getSubExpr()->IgnoreParens())
                         : nullptr;
  return V && V->getType()->isIntegerType() ? V : nullptr;
}

const VarDecl *namedVariable(const Stmt *S) {
  auto *D = dyn_cast_or_null<DeclRefExpr>(S);
  return D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
}

StringRef identifierOf(const NamedDecl *D) {
  return D && D->getDeclName().isIdentifier() ? D->getName() : StringRef();
}

std::string onOneLine(StringRef Text) {
  std::string Flat;
  for (char C : Text)
    if (!isWhitespace(C))
      Flat += C;
    else if (!Flat.empty() && Flat.back() != ' ')
      Flat += ' ';
  return Flat;
}

std::optional<int64_t> constantValue(const Expr *E, const ASTContext &Context) {
  Expr::EvalResult R;
  if (!E || E->isValueDependent() || !E->EvaluateAsInt(R, Context))
    return std::nullopt;
  return R.Val.getInt().getExtValue();
}

Location locationOf(SourceLocation L, const ASTContext &Context) {
  const SourceManager &SM = Context.getSourceManager();
  PresumedLoc P =
      SM.getPresumedLoc(SM.getExpansionLoc(L), /*UseLineDirectives=*/false);
  if (P.isInvalid())
    return {};
  return {P.getFilename(), P.getLine(), P.getColumn()};
}

} // namespace catt
