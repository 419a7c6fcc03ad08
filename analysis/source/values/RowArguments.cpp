//===- RowArguments.cpp - Elements that functions load --------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/values/RowArguments.h"
#include "analysis/source/safety/KnownMath.h"
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/syntax/NodeParts.h"
#include "analysis/source/values/TileBodies.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace catt {

const Expr *loadedOrCopied(const Stmt &S) {
  if (auto *C = dyn_cast<CastExpr>(&S);
      C && C->getCastKind() == CK_LValueToRValue)
    return C->getSubExpr()->IgnoreParens();
  auto *C = dyn_cast<CXXConstructExpr>(&S);
  return C && C->getConstructor()->isCopyConstructor() && C->getNumArgs() == 1
             ? C->getArg(0)->IgnoreParenImpCasts()
             : nullptr;
}

/// The same, or a narrow float that is converted.
static const Expr *placeLoadedBy(const Stmt &S) {
  auto *C = dyn_cast<CXXMemberCallExpr>(&S);
  const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
  return F && isKnownToCompute(*F) ? objectOf(*C)->IgnoreParenImpCasts()
                                   : loadedOrCopied(S);
}

/// What a statement loads of a parameter; null if it is something else.
static const Expr *loadOf(const Stmt &S, const ParmVarDecl &P) {
  const Expr *Of = placeLoadedBy(S);
  return Of && namedVariable(Of) == &P ? Of : nullptr;
}

/// What a place that is loaded may be: a and b of `c ? a : b`.
static void addNames(const Expr *Place, const ParmVarDecl &P,
                     llvm::SmallVectorImpl<const Expr *> &Out) {
  Place = Place->IgnoreParens();
  if (auto *C = dyn_cast<ConditionalOperator>(Place)) {
    addNames(C->getTrueExpr(), P, Out);
    addNames(C->getFalseExpr(), P, Out);
  } else if (namedVariable(Place) == &P && !llvm::is_contained(Out, Place)) {
    Out.push_back(Place);
  }
}

/// The load of a parameter that each call of a function does, before it may
/// return; null if none is sure.
static const Expr *alwaysLoaded(const CompoundStmt &Body,
                                const ParmVarDecl &P) {
  const Expr *Found = nullptr;
  for (const Stmt *Each : Body.body()) {
    bool Returns = false, Sure = true;
    forEachStmt(Each, [&](const Stmt &S) {
      Returns |= isa<ReturnStmt>(S);
      Sure &= !isa<GotoStmt, SwitchStmt, CXXTryStmt>(S);
    });
    // What stands behind a return inside a statement is not told apart.
    if (!Sure || (Returns && !isa<ReturnStmt, IfStmt>(Each)))
      return nullptr;
    auto *If = dyn_cast<IfStmt>(Each);
    if (If && If->getInit())
      return nullptr;
    const Stmt *First = If && Returns ? If->getCond() : Each;
    forEachAlways(First, [&](const Stmt &S) {
      if (!Found)
        Found = loadOf(S, P);
    });
    if (Found || Returns)
      return Found;
  }
  return nullptr;
}

/// It is declared as `const T &`, whatever T is for this call.
static bool isDeclaredConst(const FunctionDecl &F, unsigned Parameter) {
  const FunctionDecl *Pattern = F.getTemplateInstantiationPattern();
  const FunctionDecl &Written = Pattern ? *Pattern : F;
  if (Parameter >= Written.getNumParams())
    return false;
  const QualType T = Written.getParamDecl(Parameter)->getType();
  const QualType Own = F.getParamDecl(Parameter)->getType();
  return T->isLValueReferenceType() && T->getPointeeType().isConstQualified() &&
         Own->getPointeeType().isTriviallyCopyableType(F.getASTContext()) &&
         !Own->getPointeeType().isVolatileQualified();
}

static bool mayMeanAnother(const CallExpr &Call) {
  auto *Method = dyn_cast<CXXMethodDecl>(Call.getDirectCallee());
  if (Method && Method->getParent()->isLambda())
    return false;
  auto *Name = dyn_cast<DeclRefExpr>(Call.getCallee()->IgnoreParenImpCasts());
  return !Name || Name->hadMultipleCandidates();
}

/// All that the function does with it, in each call, is to load it.
static bool isLoadedBy(const CompoundStmt &Body, const ParmVarDecl &P) {
  llvm::SmallVector<const Expr *, 2> Loads;
  if (const Expr *Always = alwaysLoaded(Body, P))
    Loads.push_back(Always);
  unsigned Names = 0;
  forEachStmt(&Body, [&](const Stmt &S) {
    Names += namedVariable(&S) == &P;
    if (const Expr *Of = placeLoadedBy(S); Of && !Loads.empty())
      addNames(Of, P, Loads);
  });
  return !Loads.empty() && Names == Loads.size();
}

/// The element itself, not a number that was made of it.
static bool isElement(const Expr &Given) {
  return Given.isLValue() &&
         !isa<MaterializeTemporaryExpr>(Given.IgnoreParens());
}

/// CUDA's own, which load whatever they are handed.
static std::vector<const Expr *> loadedByKnown(const CallExpr &Call,
                                               const FunctionDecl &F) {
  std::vector<const Expr *> Out;
  if (const Expr *Object = objectOf(Call); Object && isElement(*Object))
    Out.push_back(Object->IgnoreParenImpCasts());
  for (auto [Given, P] : llvm::zip(argumentsOf(Call), F.parameters()))
    if (P->getType()->isLValueReferenceType() && isElement(*Given))
      Out.push_back(Given->IgnoreParenImpCasts());
  return Out;
}

std::vector<const Expr *> placesLoadedBy(const CallExpr &Call) {
  const FunctionDecl *F = Call.getDirectCallee(), *Def = nullptr;
  if (F && isNarrowFloatUpdate(*F) && isElement(*Call.getArg(1)))
    return {Call.getArg(1)->IgnoreParenImpCasts()};
  if (!F || F->getReturnType()->isReferenceType() ||
      F->getReturnType()->isPointerType())
    return {};
  if (isKnownToCompute(*F))
    return loadedByKnown(Call, *F);
  auto *Body = dyn_cast_or_null<CompoundStmt>(F->getBody(Def));
  auto *Method = dyn_cast<CXXMethodDecl>(F);
  if (!Body || mayMeanAnother(Call) || (Method && Method->isVirtual()))
    return {};
  std::vector<const Expr *> Out;
  for (const auto &[I, Given] : llvm::enumerate(argumentsOf(Call)))
    if (I < Def->getNumParams() && isDeclaredConst(*Def, I) &&
        isElement(*Given) && isLoadedBy(*Body, *Def->getParamDecl(I)))
      Out.push_back(Given->IgnoreParenImpCasts());
  return Out;
}

} // namespace catt
