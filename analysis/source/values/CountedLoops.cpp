//===- CountedLoops.cpp - Loops that count up by one ----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/values/CountedLoops.h"
#include "analysis/source/safety/WrapSites.h"
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace catt {

const VarDecl *variableRead(const Expr *E) {
  return namedVariable(E->IgnoreParenImpCasts());
}

//===-- The header --------------------------------------------------------===//

Refusal CountedLoop::notCounted(SourceLocation At, const char *Why) const {
  return {Reason::NotCounted, SourceText(Context).location(At), Why};
}

std::optional<Refusal> CountedLoop::read(RowLoop &Out) {
  if (std::optional<Refusal> Why = header())
    return Why;
  return text(Out);
}

std::optional<Refusal> CountedLoop::header() {
  auto *Cond = dyn_cast_or_null<BinaryOperator>(For.getCond());
  if (!Cond || (Cond->getOpcode() != BO_LT && Cond->getOpcode() != BO_LE) ||
      For.getConditionVariable())
    return notCounted(For.getForLoc(), "its condition is no i < n");
  Iterator = variableRead(Cond->getLHS());
  Limit = Cond->getRHS();
  Reaches = Cond->getOpcode() == BO_LE;
  if (!Iterator || !Iterator->hasLocalStorage() ||
      !Iterator->getType()->isIntegerType() ||
      Iterator->getType().isVolatileQualified() ||
      !Limit->getType()->isIntegerType())
    return notCounted(Cond->getBeginLoc(), "its condition is no i < n");
  if (!stepsByOne(For.getInc()))
    return notCounted(For.getForLoc(), "its step is not 1");
  if (!findFirst(For.getInit()))
    return notCounted(For.getForLoc(), "where it starts is not plain");
  if (Locals.Exposed.contains(Iterator) || mayModify(For.getBody(), *Iterator))
    return notCounted(For.getForLoc(), "its body changes the iterator");
  if (!stays(Limit))
    return notCounted(Limit->getBeginLoc(), "its limit may change");
  return std::nullopt;
}

bool CountedLoop::stepsByOne(const Expr *E) const {
  E = E ? E->IgnoreParens() : nullptr;
  if (auto *U = dyn_cast_or_null<UnaryOperator>(E))
    return U->isIncrementOp() && variableRead(U->getSubExpr()) == Iterator;
  auto *A = dyn_cast_or_null<CompoundAssignOperator>(E);
  if (!A || A->getOpcode() != BO_AddAssign ||
      variableRead(A->getLHS()) != Iterator)
    return false;
  return constantValue(A->getRHS(), Context) == 1;
}

/// `int i = first` or `i = first`.
bool CountedLoop::findFirst(const Stmt *Init) {
  if (auto *D = dyn_cast_or_null<DeclStmt>(Init)) {
    if (D->isSingleDecl() && D->getSingleDecl() == Iterator)
      First = Iterator->getInit();
  } else if (auto *A = dyn_cast_or_null<BinaryOperator>(Init)) {
    if (A->getOpcode() == BO_Assign && variableRead(A->getLHS()) == Iterator)
      First = A->getRHS();
  }
  return First && stays(First);
}

//===-- What stays the same -----------------------------------------------===//

bool CountedLoop::stays(const Expr *E) const {
  E = E->IgnoreParens();
  if (E->isPRValue() && constantValue(E, Context))
    return true;
  if (auto *C = dyn_cast<CastExpr>(E)) {
    switch (C->getCastKind()) {
    case CK_LValueToRValue:
    case CK_ArrayToPointerDecay:
      return staysInPlace(C->getSubExpr()->IgnoreParens());
    case CK_IntegralCast:
    case CK_NoOp:
      return stays(C->getSubExpr());
    default:
      return false;
    }
  }
  if (auto *P = dyn_cast<PseudoObjectExpr>(E)) // threadIdx.x
    return P->getType()->isIntegerType();
  if (auto *U = dyn_cast<UnaryOperator>(E))
    return U->isArithmeticOp() && stays(U->getSubExpr());
  auto *B = dyn_cast<BinaryOperator>(E);
  return B && (B->isAdditiveOp() || B->isMultiplicativeOp()) &&
         stays(B->getLHS()) && stays(B->getRHS());
}

/// What is loaded from a place, or where an array lies, is the same.
bool CountedLoop::staysInPlace(const Expr *Place) const {
  if (Place->getType().isVolatileQualified())
    return false;
  while (auto *M = dyn_cast<MemberExpr>(Place)) {
    if (M->isArrow() || M->getMemberDecl()->getType()->isReferenceType())
      return false;
    Place = M->getBase()->IgnoreParens();
  }
  if (auto *V = variableRead(Place); V && V->getType()->isArrayType())
    return !isInBody(*V); // it lies where it lies
  else if (V)
    return V != Iterator && V->hasLocalStorage() &&
           !V->getType()->isReferenceType() && !Locals.Exposed.contains(V) &&
           !isInBody(*V) && !mayModify(For.getBody(), *V);
  auto *S = dyn_cast<ArraySubscriptExpr>(Place);
  if (!S || !stays(S->getBase()) || !stays(S->getIdx()))
    return false;
  if (S->getType()->isArrayType()) // a row of an array of arrays
    return true;
  // Memory: only where the loop stores nothing.
  return StoresNothing &&
         isa_and_nonnull<ParmVarDecl>(variableRead(S->getBase()));
}

bool CountedLoop::isInBody(const VarDecl &V) const {
  return Context.getSourceManager().isPointWithin(V.getLocation(),
                                                  For.getBody()->getBeginLoc(),
                                                  For.getBody()->getEndLoc());
}

bool CountedLoop::isPlain(const Expr *E) const {
  if (!stays(E))
    return false;
  bool Loads = false;
  forEachStmt(E, [&](const Stmt &S) {
    auto *C = dyn_cast<CastExpr>(&S);
    Loads |= C && C->getCastKind() == CK_LValueToRValue &&
             isa<ArraySubscriptExpr>(C->getSubExpr()->IgnoreParens());
  });
  return !Loads;
}

/// What is behind the casts of an index that keep its value: the iterator, a
/// sum, a product; null if one may not keep it.
const Expr *CountedLoop::withoutCasts(const Expr *E) const {
  E = E->IgnoreParens();
  auto *C = dyn_cast<CastExpr>(E);
  if (!C)
    return E;
  if (C->getCastKind() == CK_LValueToRValue)
    return variableRead(C) == Iterator && !C->getBeginLoc().isMacroID()
               ? C
               : nullptr;
  return (C->getCastKind() == CK_IntegralCast || C->getCastKind() == CK_NoOp) &&
                 Context.getTypeSize(C->getType()) >=
                     Context.getTypeSize(C->getSubExpr()->getType())
             ? withoutCasts(C->getSubExpr())
             : nullptr;
}

bool CountedLoop::walksRow(const Expr *E) const {
  E = withoutCasts(E);
  if (!E || isa<CastExpr>(E))
    return E;
  auto *B = dyn_cast<BinaryOperator>(E);
  if (!B)
    return false;
  if (B->getOpcode() == BO_Add)
    return (walksRow(B->getLHS()) && isPlain(B->getRHS())) ||
           (isPlain(B->getLHS()) && walksRow(B->getRHS()));
  return B->getOpcode() == BO_Sub && walksRow(B->getLHS()) &&
         isPlain(B->getRHS());
}

bool CountedLoop::isLinear(const Expr *E) const {
  if (isPlain(E))
    return true;
  E = withoutCasts(E);
  if (!E || isa<CastExpr>(E))
    return E;
  auto *B = dyn_cast<BinaryOperator>(E);
  if (!B)
    return false;
  if (B->isAdditiveOp())
    return isLinear(B->getLHS()) && isLinear(B->getRHS());
  return B->getOpcode() == BO_Mul &&
         ((isLinear(B->getLHS()) && isPlain(B->getRHS())) ||
          (isPlain(B->getLHS()) && isLinear(B->getRHS())));
}

//===-- The text ----------------------------------------------------------===//

/// Where an expression stands in the file: no macro, or the whole of one.
CharSourceRange CountedLoop::rangeOf(SourceRange Range) const {
  return Lexer::makeFileCharRange(CharSourceRange::getTokenRange(Range),
                                  Context.getSourceManager(),
                                  Context.getLangOpts());
}

std::optional<std::string> CountedLoop::textOf(SourceRange Range) const {
  CharSourceRange Written = rangeOf(Range);
  if (Written.isInvalid())
    return std::nullopt;
  return Lexer::getSourceText(Written, Context.getSourceManager(),
                              Context.getLangOpts())
      .str();
}

/// As an operand of a minus, what a macro stands for needs parentheses.
std::optional<std::string> CountedLoop::operandOf(const Expr &E) const {
  std::optional<std::string> Text = textOf(E.getSourceRange());
  const Expr *Inner = E.IgnoreImpCasts();
  if (Text && Inner->getBeginLoc().isMacroID() &&
      !isa<IntegerLiteral, ParenExpr, DeclRefExpr>(Inner))
    return "(" + *Text + ")";
  return Text;
}

std::optional<SourceSpan> CountedLoop::spanOf(SourceRange Range,
                                              const std::string &File) const {
  const SourceManager &SM = Context.getSourceManager();
  CharSourceRange Written = rangeOf(Range);
  if (Written.isInvalid())
    return std::nullopt;
  return SourceSpan{File, SM.getFileOffset(Written.getBegin()),
                    SM.getFileOffset(Written.getEnd())};
}

std::optional<Refusal> CountedLoop::text(RowLoop &Out) const {
  const SourceManager &SM = Context.getSourceManager();
  auto Start = operandOf(*First), End = operandOf(*Limit),
       Inc = textOf(For.getInc()->getSourceRange()),
       Whole = textOf(For.getSourceRange());
  std::optional<SourceSpan> Body =
      spanOf(For.getBody()->getSourceRange(), Out.Span.File);
  bool OfMacro = llvm::any_of(
      llvm::ArrayRef<SourceLocation>(
          {For.getForLoc(), For.getLParenLoc(), For.getRParenLoc(),
           For.getInit()->getBeginLoc(), For.getCond()->getBeginLoc()}),
      [](SourceLocation L) { return L.isMacroID(); });
  if (OfMacro || !Start || !End || !Inc || !Whole || !Body ||
      Whole->find_first_of("#\\") != std::string::npos)
    return Refusal{Reason::InMacro,
                   SourceText(Context).location(For.getForLoc()),
                   "a macro or a directive in it"};
  unsigned Open = SM.getFileOffset(For.getLParenLoc()) + 1,
           Cond = SM.getFileOffset(For.getCond()->getBeginLoc());
  Out.Init = SM.getBufferData(SM.getFileID(For.getForLoc()))
                 .slice(Open, Cond)
                 .trim()
                 .str();
  Out.Iterator = Iterator->getNameAsString();
  Out.Start = *Start;
  Out.Limit = *End;
  Out.Reaches = Reaches;
  Out.Step = *Inc;
  Out.Body = *Body;
  Out.Body.End = Out.Span.End;
  return std::nullopt;
}

} // namespace catt
