//===- LocalMentions.cpp - Every mention of a local variable --------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/source/safety/LocalMentions.h"
#include "analysis/source/syntax/Accessors.h"
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/Support/ErrorHandling.h"

#pragma GCC diagnostic error "-Wswitch"

using namespace clang;

namespace catt {
namespace {

class MentionCollector : public RecursiveASTVisitor<MentionCollector> {
  using Base = RecursiveASTVisitor<MentionCollector>;

public:
  MentionCollector(ComputeProof &Proof) : Proof(Proof) {}
  LocalMentions Result;

  bool shouldVisitImplicitCode() const { return true; }
  bool shouldVisitLambdaBody() const { return true; }
  // Types evaluate nothing, but for arrays of variable size: see VisitExpr.
  bool TraverseTypeLoc(TypeLoc, bool = true) { return true; }
  bool TraverseType(QualType, bool = true) { return true; }
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *E) {
    if (E->getTypeOfArgument()->isVariablyModifiedType())
      Result.VariableSize = E;
    return true;
  }
  bool TraverseCXXNoexceptExpr(CXXNoexceptExpr *) { return true; }
  // What a binding stands for is followed where the binding is named.
  bool TraverseBindingDecl(BindingDecl *B) {
    return B->getHoldingVar() ? Base::TraverseBindingDecl(B) : true;
  }

  void finish() {
    for (const DeclRefExpr *E : Names)
      if (!Listed.contains(E))
        expose(E->getDecl());
  }

  //===-- Where a glvalue may stand ---------------------------------------===//

  bool VisitDeclRefExpr(DeclRefExpr *E) {
    Names.push_back(E);
    return true;
  }
  bool VisitExpr(Expr *E) {
    // The message of a static_assert has no type.
    if (!E->getType().isNull() && E->getType()->isVariablyModifiedType())
      Result.VariableSize = E;
    return true;
  }
  bool VisitDeclStmt(DeclStmt *S) {
    for (const Decl *D : S->decls()) {
      auto *T = dyn_cast<TypedefNameDecl>(D);
      auto *V = dyn_cast<VarDecl>(D);
      if ((T && T->getUnderlyingType()->isVariablyModifiedType()) ||
          (V && V->getType()->isVariablyModifiedType()))
        Result.VariableSize = S;
    }
    return true;
  }
  /// What is done to the result of a glvalue says what it did: see used().
  bool VisitStmt(Stmt *S) {
    auto *E = dyn_cast<Expr>(S);
    for (const OperandEffect &X : effectsOf(*S))
      if (!E || !E->isGLValue() || X.What == Effect::Discard)
        apply(*S, X);
    return true;
  }
  bool VisitOpaqueValueExpr(OpaqueValueExpr *E) {
    return TraverseStmt(E->getSourceExpr());
  }

  bool VisitLambdaExpr(LambdaExpr *L) {
    if (isAccessor(*L->getCallOperator()))
      return true;
    for (const LambdaCapture &C : L->captures())
      if (C.capturesVariable() && C.getCaptureKind() == LCK_ByRef)
        expose(C.getCapturedVar());
    // In a generic lambda not all captures are known before it is called.
    if (L->getCaptureDefault() == LCD_ByRef)
      forEachStmt(L->getBody(), [&](const Stmt &S) {
        if (auto *D = dyn_cast<DeclRefExpr>(&S))
          expose(D->getDecl());
      });
    return true;
  }

private:
  ComputeProof &Proof;
  llvm::SmallVector<const DeclRefExpr *, 32> Names;
  llvm::DenseSet<const DeclRefExpr *> Listed;

  void expose(const ValueDecl *D) {
    if (const VarDecl *V = variableOf(D); V && V->hasLocalStorage())
      Result.Exposed.insert(V);
  }

  /// What the call or the construction runs is seen, and only computes.
  bool computes(const Stmt &S) {
    if (auto *C = dyn_cast<CXXConstructExpr>(&S))
      return Proof.computes(*C->getConstructor());
    auto *C = dyn_cast<CallExpr>(&S);
    return C && (Proof.callComputes(*C) || givesElement(*C));
  }
  /// Effects that are not listed leave the names exposed.
  void apply(const Stmt &S, const OperandEffect &E) {
    switch (E.What) {
    case Effect::Read:
    case Effect::Discard:
      return used(E.Place);
    case Effect::Write:
    case Effect::ReadWrite:
      if (auto *Assignment = dyn_cast<Expr>(&S))
        write(*Assignment, E.Place);
      return;
    case Effect::BindConst:
      if ((!E.Parameter || takesAValue(*E.Parameter)) && computes(S))
        used(E.Place);
      return;
    case Effect::Capture:
      if (isAccessor(*cast<LambdaExpr>(S).getCallOperator()))
        used(E.Place);
      return;
    case Effect::Bind:
    case Effect::TakeAddress:
    case Effect::Unknown:
      return;
    }
    llvm_unreachable("all effects are listed");
  }

  void write(const Expr &Assignment, const Expr *Place) {
    const DeclRefExpr *Name = rootName(Place);
    auto *Call = dyn_cast<CallExpr>(Place->IgnoreParens());
    if (Call && givesElement(*Call)) // A(i, j) = 0: only memory is written
      return used(Call);
    if (!Name)
      return; // memory, or a place that stays unlisted
    Listed.insert(Name);
    const VarDecl *V = variableOf(Name->getDecl());
    Result.Writes[&Assignment] = V;
    Result.Written.insert(V);
  }

  /// A glvalue that is read, or whose value is dropped.
  void used(const Expr *E) {
    if (!E)
      return;
    E = E->IgnoreParens();
    if (const DeclRefExpr *Name = rootName(E)) {
      Listed.insert(Name);
      return;
    }
    // The source of an opaque value is used in other places too.
    if (isa<OpaqueValueExpr>(E))
      return;
    bool Writes = false;
    for (const OperandEffect &X : effectsOf(*E)) {
      apply(*E, X);
      Writes |= X.writes();
    }
    if (!Writes)
      for (const Expr *Operand : passesOn(*E))
        used(Operand);
  }
};

} // namespace

LocalMentions mentionsIn(const Stmt &Body, ComputeProof &Proof) {
  MentionCollector C(Proof);
  C.TraverseStmt(const_cast<Stmt *>(&Body));
  C.finish();
  return std::move(C.Result);
}

} // namespace catt
