//===- RowIndices.cpp - Indices of loops that count by a constant ---------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/values/CountedLoops.h"
#include "analysis/source/values/TileBodies.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace catt {

static constexpr int64_t MostStride = 16; ///< elements, as bytes are words

/// Written in the loop, perhaps as the argument of a macro, so that another
/// name can be written there.
bool CountedLoop::isInText(const Expr &E) const {
  const SourceManager &SM = Context.getSourceManager();
  const CharSourceRange Range = SM.getExpansionRange(Loop.getSourceRange());
  return SM.isPointWithin(
      SM.getSpellingLoc(E.IgnoreParenImpCasts()->getBeginLoc()),
      Range.getBegin(), Range.getEnd());
}

/// What is behind the casts of an index that keep its value: the iterator, a
/// sum, a product; null if one may not keep it.
const Expr *CountedLoop::withoutCasts(const Expr *E) const {
  E = E->IgnoreParens();
  auto *C = dyn_cast<CastExpr>(E);
  if (!C)
    return E;
  if (C->getCastKind() == CK_LValueToRValue)
    return variableRead(C) == Iterator && isInText(*C) ? C : nullptr;
  return (C->getCastKind() == CK_IntegralCast || C->getCastKind() == CK_NoOp) &&
                 Context.getTypeSize(C->getType()) >=
                     Context.getTypeSize(C->getSubExpr()->getType())
             ? withoutCasts(C->getSubExpr())
             : nullptr;
}

std::optional<int64_t> CountedLoop::strideOf(const Expr *E) const {
  E = withoutCasts(E);
  if (!E)
    return std::nullopt;
  if (isa<CastExpr>(E)) // the iterator
    return 1;
  auto *B = dyn_cast<BinaryOperator>(E);
  if (!B || (!B->isAdditiveOp() && B->getOpcode() != BO_Mul))
    return std::nullopt;
  const std::optional<int64_t> Left = strideOf(B->getLHS()),
                               Right = strideOf(B->getRHS());
  if (B->isAdditiveOp())
    return Left && isPlain(B->getRHS())                       ? Left
           : B->getOpcode() == BO_Add && isPlain(B->getLHS()) ? Right
                                                              : std::nullopt;
  const std::optional<int64_t> By =
      constantValue(Left ? B->getRHS() : B->getLHS(), Context);
  return (Left || Right) && By && *By > 0 && *By <= MostStride
             ? std::optional(*By * (Left ? *Left : *Right))
             : std::nullopt;
}

/// `p++`, `++p`, `p += 1`.
static bool isStepOf(const Stmt &S, const VarDecl &Mover,
                     const ASTContext &Context) {
  if (auto *U = dyn_cast<UnaryOperator>(&S))
    return U->isIncrementOp() && variableRead(U->getSubExpr()) == &Mover;
  auto *A = dyn_cast<CompoundAssignOperator>(&S);
  return A && A->getOpcode() == BO_AddAssign &&
         variableRead(A->getLHS()) == &Mover &&
         constantValue(A->getRHS(), Context) == 1;
}

static bool changes(const Stmt &S, const VarDecl &V) {
  auto *U = dyn_cast<UnaryOperator>(&S);
  auto *B = dyn_cast<BinaryOperator>(&S);
  return (U && U->isIncrementDecrementOp() &&
          variableRead(U->getSubExpr()) == &V) ||
         (B && B->isAssignmentOp() && variableRead(B->getLHS()) == &V);
}

/// A pointer, or a number that is not narrowed with each step: an `unsigned
/// char` may go round in a ring.
static bool mayBeMover(QualType T, const ASTContext &Context) {
  return T->isPointerType() ||
         (T->isIntegerType() &&
          Context.getTypeSize(T) >= Context.getTypeSize(Context.IntTy));
}

bool CountedLoop::moves(const VarDecl &Mover, const Expr &Before) const {
  const QualType T = Mover.getType();
  if ((&Mover == Iterator && !InPlace) || !mayBeMover(T, Context) ||
      T.isVolatileQualified() || !Mover.hasLocalStorage() ||
      Locals.Exposed.contains(&Mover) || isInside(Mover) || IsInside ||
      std::abs(Step) != 1)
    return false;
  // Every iteration does it, and nothing else to the variable.
  const Stmt *Moves = nullptr;
  auto Note = [&](const Stmt &S) {
    if (isStepOf(S, Mover, Context))
      Moves = &S;
  };
  forEachAlways(Parts.Body, Note);
  const bool InBody = Moves;
  if (!InBody && isa<ForStmt>(Loop))
    forEachStmt(Parts.Inc, Note);
  unsigned Changes = 0;
  forEachStmt(&Loop, [&](const Stmt &S) { Changes += changes(S, Mover); });
  if (!Moves || Changes != 1 || !InBody)
    return Moves && Changes == 1;
  const SourceManager &SM = Context.getSourceManager();
  auto IsBeforeIt = [&](const Stmt &S) {
    return SM.isBeforeInTranslationUnit(S.getEndLoc(), Moves->getBeginLoc());
  };
  bool InPlace = false;
  forEachStmt(&Before, [&](const Stmt &S) { InPlace |= &S == Moves; });
  if (!InPlace)
    return IsBeforeIt(Before);
  // The place is replaced, and the variable then moves at the end, before the
  // condition.
  bool UsedBehind = false;
  forEachStmt(Parts.AtLeastOnce ? Parts.Body : &Loop, [&](const Stmt &S) {
    UsedBehind |= namedVariable(&S) == &Mover && !IsBeforeIt(S) &&
                  !SM.isPointWithin(S.getBeginLoc(), Moves->getBeginLoc(),
                                    Moves->getEndLoc());
  });
  return !UsedBehind;
}

/// `while (n-- > 0)`: as `for (; n > 0; --n)`, if nothing but its declaration
/// mentions n: behind the loop it would be another.
bool CountedLoop::countsDownInHeader() {
  const VarDecl *N = countdownOf(Parts.Cond);
  auto *F = N ? dyn_cast<FunctionDecl>(N->getDeclContext()) : nullptr;
  if (!F || !F->getBody() || !isa<WhileStmt>(Loop) ||
      N->getType().isVolatileQualified() || !N->hasLocalStorage() ||
      Locals.Exposed.contains(N))
    return false;
  unsigned Mentions = 0;
  forEachStmt(F->getBody(),
              [&](const Stmt &S) { Mentions += namedVariable(&S) == N; });
  if (Mentions != 1)
    return false;
  Iterator = N;
  Step = -1;
  IsCountdown = true;
  return true;
}

/// `p++` of the `*p++` by which a loop counts.
const Expr *CountedLoop::stepInPlace() const {
  const Expr *Found = nullptr;
  forEachAlways(Parts.Body, [&](const Stmt &S) {
    auto *U = dyn_cast<UnaryOperator>(&S);
    auto *By =
        U && U->getOpcode() == UO_Deref
            ? dyn_cast<UnaryOperator>(U->getSubExpr()->IgnoreParenImpCasts())
            : nullptr;
    if (By && By->getOpcode() == UO_PostInc &&
        variableRead(By->getSubExpr()) == Iterator)
      Found = By;
  });
  return Found;
}

std::string CountedLoop::nameOf(const Expr &E) const {
  if (std::optional<std::string> Written = textOf(E.getSourceRange()))
    return *Written;
  std::string Printed;
  llvm::raw_string_ostream Out(Printed);
  E.printPretty(Out, nullptr, Context.getPrintingPolicy());
  return Printed;
}

/// "+2*" or "-".
static std::string factorText(int64_t Factor) {
  const std::string Sign = Factor < 0 ? "-" : "+";
  return Factor == 1 || Factor == -1
             ? Sign
             : Sign + std::to_string(std::abs(Factor)) + "*";
}

/// The terms of an index that walks a row, but for the iterator and constants.
void CountedLoop::addTerms(const Expr *E, int64_t Factor,
                           std::vector<std::string> &Terms,
                           int64_t &Offset) const {
  if (std::optional<int64_t> C = constantValue(E, Context);
      C && *C > -(1 << 30) && *C < 1 << 30) {
    Offset += Factor * *C;
    return;
  }
  const Expr *Inner = withoutCasts(E);
  if (Inner && isa<CastExpr>(Inner)) // the iterator
    return;
  auto *B = dyn_cast_or_null<BinaryOperator>(Inner);
  if (B && B->isAdditiveOp()) {
    addTerms(B->getLHS(), Factor, Terms, Offset);
    return addTerms(B->getRHS(), B->getOpcode() == BO_Sub ? -Factor : Factor,
                    Terms, Offset);
  }
  if (B && strideOf(B)) {
    const bool IsLeft = strideOf(B->getLHS()).has_value();
    const Expr *Inside = IsLeft ? B->getLHS() : B->getRHS(),
               *By = IsLeft ? B->getRHS() : B->getLHS();
    return addTerms(Inside, Factor * *constantValue(By, Context), Terms,
                    Offset);
  }
  Terms.push_back(factorText(Factor) + nameOf(*E));
}

std::optional<RowIndex> CountedLoop::rowIndex(const Expr *E) const {
  std::vector<std::string> Terms;
  RowIndex Out;
  std::optional<int64_t> Stride = strideOf(E);
  if (!Stride)
    return std::nullopt;
  Out.Stride = *Stride;
  addTerms(E, /*Factor=*/1, Terms, Out.Offset);
  llvm::sort(Terms);
  Out.Rest = llvm::join(Terms, "");
  return Out;
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

} // namespace catt
