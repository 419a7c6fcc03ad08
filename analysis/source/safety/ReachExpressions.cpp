//===- ReachExpressions.cpp - What expressions and calls execute ----------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/safety/ReachWalk.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ExprConcepts.h"

#pragma GCC diagnostic error "-Wswitch"

using namespace clang;

namespace catt {

//===-- Expressions -------------------------------------------------------===//

void ReachWalk::visitExpression(const Expr &E) {
  if (auto *C = dyn_cast<CallExpr>(&E))
    return visitCall(*C);
  if (auto *B = dyn_cast<BinaryOperator>(&E))
    return visitBinary(*B);
  if (auto *C = dyn_cast<CastExpr>(&E))
    return visitCast(*C);
  if (auto *A = dyn_cast<ArraySubscriptExpr>(&E))
    return visitSubscript(*A);
  if (auto *C = dyn_cast<AbstractConditionalOperator>(&E))
    return visitConditional(*C);
  if (isa<CXXConstructExpr, CXXInheritedCtorInitExpr, CXXBindTemporaryExpr,
          CXXNewExpr, CXXDeleteExpr, LambdaExpr, CXXDefaultArgExpr,
          CXXDefaultInitExpr>(&E))
    return visitObject(E);
  visitOther(E);
}

void ReachWalk::visitObject(const Expr &E) {
  if (auto *C = dyn_cast<CXXConstructExpr>(&E))
    return visitConstruct(*C);
  if (auto *C = dyn_cast<CXXInheritedCtorInitExpr>(&E))
    return callTo(C->getConstructor(), &E);
  if (auto *D = dyn_cast<CXXDefaultArgExpr>(&E))
    return visit(D->getExpr());
  if (auto *D = dyn_cast<CXXDefaultInitExpr>(&E))
    return visit(D->getExpr());
  if (auto *L = dyn_cast<LambdaExpr>(&E))
    return visitLambda(*L);
  visitChildren(E);
  if (isa<CXXBindTemporaryExpr>(E))
    destroy(E.getType(), &E);
  if (auto *N = dyn_cast<CXXNewExpr>(&E); N && N->getOperatorNew())
    if (!N->getOperatorNew()->isReservedGlobalPlacementOperator())
      callTo(N->getOperatorNew(), &E);
  if (auto *D = dyn_cast<CXXDeleteExpr>(&E)) {
    auto *R = D->getDestroyedType().isNull()
                  ? nullptr
                  : D->getDestroyedType()->getAsCXXRecordDecl();
    if (R && R->getDestructor() && R->getDestructor()->isVirtual())
      unknown(&E, "deletes through a virtual destructor");
    else if (R)
      destroy(D->getDestroyedType(), &E);
    if (D->getOperatorDelete())
      callTo(D->getOperatorDelete(), &E);
  }
}

void ReachWalk::visitConstruct(const CXXConstructExpr &E) {
  const CXXConstructorDecl *C = E.getConstructor();
  visitChildren(E);
  applyCall(E, *C, Known::Unlisted);
  if (!C->isTrivial() && knownFunction(*C) == Known::Unlisted)
    callTo(C, &E);
}

void ReachWalk::visitLambda(const LambdaExpr &L) {
  for (const Expr *Init : L.capture_inits())
    visit(Init);
  for (const LambdaCapture &C : L.captures()) {
    if (!C.capturesVariable() || C.getCaptureKind() != LCK_ByRef)
      continue;
    auto *V = dyn_cast<VarDecl>(C.getCapturedVar());
    if (V && V->isInitCapture())
      escapes(V->getInit());
    else if (V && !isOnlyRead(*V, L.getBody()))
      B.Escaping.insert(V);
  }
}

void ReachWalk::visitBinary(const BinaryOperator &E) {
  if (E.isLogicalOp()) {
    visit(E.getLHS());
    const Guarded *Before = push(&E, E.getLHS());
    visit(E.getRHS());
    Under = Before;
    return;
  }
  visitChildren(E);
}

static bool dropsConst(const CastExpr &C) {
  QualType From = C.getSubExpr()->getType(), To = C.getType();
  if (From->isPointerType() && To->isPointerType()) {
    From = From->getPointeeType();
    To = To->getPointeeType();
  } else if (!C.isGLValue()) {
    return false;
  }
  return From.isConstQualified() && !To.isConstQualified();
}

void ReachWalk::visitCast(const CastExpr &E) {
  B.CastsAwayConst |= dropsConst(E);
  visitChildren(E);
}

void ReachWalk::visitSubscript(const ArraySubscriptExpr &E) {
  const Expr *Array = arrayOf(E);
  visit(Array ? Array : E.getBase());
  visit(E.getIdx());
}

void ReachWalk::visitConditional(const AbstractConditionalOperator &E) {
  auto *Elvis = dyn_cast<BinaryConditionalOperator>(&E);
  visit(Elvis ? Elvis->getCommon() : E.getCond());
  const Guarded *Before = push(&E, E.getCond());
  if (!Elvis)
    visit(E.getTrueExpr());
  visit(E.getFalseExpr());
  Under = Before;
}

void ReachWalk::visitOther(const Expr &E) {
  if (isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, TypeTraitExpr,
          OffsetOfExpr, ConceptSpecializationExpr, RequiresExpr, SizeOfPackExpr,
          ArrayTypeTraitExpr, ExpressionTraitExpr>(E))
    return; // not evaluated
  if (isa<AtomicExpr>(E))
    reads(MemoryReads::Polled);
  if (auto *P = dyn_cast<PseudoObjectExpr>(&E)) {
    for (const Expr *Part : P->semantics())
      visit(Part);
    return;
  }
  if (auto *O = dyn_cast<OpaqueValueExpr>(&E))
    return visit(O->getSourceExpr());
  if (auto *A = dyn_cast<ArrayInitLoopExpr>(&E)) {
    visit(A->getCommonExpr()->getSourceExpr());
    return visit(A->getSubExpr());
  }
  if (auto *I = dyn_cast<InitListExpr>(&E)) {
    if (I->getSemanticForm())
      I = I->getSemanticForm();
    if (I->hasArrayFiller())
      visit(I->getArrayFiller());
    return visitChildren(*I);
  }
  if (auto *R = dyn_cast<CXXRewrittenBinaryOperator>(&E))
    return visit(R->getSemanticForm());
  if (auto *G = dyn_cast<GenericSelectionExpr>(&E))
    return visit(G->getResultExpr());
  if (auto *C = dyn_cast<ChooseExpr>(&E))
    return visit(C->getChosenSubExpr());
  visitChildren(E);
}

//===-- Calls -------------------------------------------------------------===//

static bool isVirtualCall(const CallExpr &E, const FunctionDecl &Callee) {
  auto *M = dyn_cast<CXXMethodDecl>(&Callee);
  if (!M || !M->isVirtual() || M->hasAttr<FinalAttr>() ||
      M->getParent()->hasAttr<FinalAttr>())
    return false;
  auto *Member = dyn_cast<MemberExpr>(E.getCallee()->IgnoreParens());
  return !Member || !Member->hasQualifier();
}

void ReachWalk::visitCall(const CallExpr &E) {
  const FunctionDecl *Callee = E.getDirectCallee();
  if (!Callee) {
    visitChildren(E);
    applyAll(E);
    if (!isa<CXXPseudoDestructorExpr>(E.getCallee()->IgnoreParens()))
      unknown(&E, "calls through a pointer");
    return;
  }
  Known What = knownFunction(*Callee);
  visitArguments(E, *Callee, What);
  if (isVirtualCall(E, *Callee))
    return unknown(&E, "calls " + spelled(*Callee) + "(), which is virtual");
  visitKnown(E, *Callee, What);
}

void ReachWalk::visitArguments(const CallExpr &E, const FunctionDecl &Callee,
                               Known What) {
  bool IsOutput = What == Known::Computes || What == Known::WarpWide;
  if (auto *M = dyn_cast<MemberExpr>(E.getCallee()->IgnoreParens()))
    visit(M->getBase());
  for (const Expr *A : E.arguments()) {
    if (auto *U = dyn_cast<UnaryOperator>(A->IgnoreParenImpCasts());
        U && U->getOpcode() == UO_AddrOf && IsOutput) {
      Outputs.insert(U);
      assigned(U->getSubExpr(), &E, &E);
    }
    visit(A);
  }
  applyCall(E, Callee, What);
}

void ReachWalk::visitKnown(const CallExpr &E, const FunctionDecl &Callee,
                           Known What) {
  std::string Text = "calls " + spelled(Callee) + "()";
  switch (What) {
  case Known::Unlisted:
    return callTo(&Callee, &E);
  case Known::PollingLoad:
  case Known::Atomic:
    return reads(MemoryReads::Polled);
  case Known::WarpWide:
    return event(ReachedEvent::Kind::WarpWide, &E, Text);
  case Known::BlockBarrier:
    return event(ReachedEvent::Kind::BlockBarrier, &E, Text);
  case Known::NamedBarrier:
    return event(ReachedEvent::Kind::NamedBarrier, &E, Text);
  case Known::Waits:
    return event(ReachedEvent::Kind::Waits, &E, Text);
  case Known::Computes:
  case Known::ReadsThread:
  case Known::ReadOnlyLoad:
  case Known::Store:
  case Known::Fence:
  case Known::Output:
  case Known::TakesMemory:
    return;
  }
}

} // namespace catt
