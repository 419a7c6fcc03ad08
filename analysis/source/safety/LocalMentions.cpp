//===- LocalMentions.cpp - Every mention of a local variable --------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/source/safety/LocalMentions.h"
#include "analysis/source/safety/NodeKinds.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/Support/ErrorHandling.h"

#pragma GCC diagnostic error "-Wswitch"

using namespace clang;

namespace catt {
namespace {

class Collector : public RecursiveASTVisitor<Collector> {
  using Base = RecursiveASTVisitor<Collector>;

public:
  Collector(ComputeProof &Proof) : Proof(Proof) {}
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
  bool VisitCastExpr(CastExpr *E) {
    CastRole Role = roleOf(E->getCastKind());
    if (Role == CastRole::Load || Role == CastRole::Drops)
      used(E->getSubExpr());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    if (E->getOpcode() == BO_Comma)
      used(E->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *E) {
    if (E->isPostfix())
      write(E, E->getSubExpr());
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    if (!E->isGLValue())
      call(*E);
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    const CXXConstructorDecl &C = *E->getConstructor();
    if (isTrivial(*E) || Proof.computes(C))
      for (unsigned I = 0; I < E->getNumArgs() && I < C.getNumParams(); ++I)
        argument(*C.getParamDecl(I), E->getArg(I));
    return true;
  }
  bool VisitOpaqueValueExpr(OpaqueValueExpr *E) {
    return TraverseStmt(E->getSourceExpr());
  }

  // Statements that are an expression, whose value nobody takes.
  bool VisitCompoundStmt(CompoundStmt *S) {
    for (const Stmt *Child : S->body())
      dropped(Child);
    return true;
  }
  bool VisitIfStmt(IfStmt *S) {
    return dropped(S->getThen()) && dropped(S->getElse());
  }
  bool VisitForStmt(ForStmt *S) {
    return dropped(S->getInit()) && dropped(S->getInc()) &&
           dropped(S->getBody());
  }
  bool VisitWhileStmt(WhileStmt *S) { return dropped(S->getBody()); }
  bool VisitDoStmt(DoStmt *S) { return dropped(S->getBody()); }
  bool VisitSwitchStmt(SwitchStmt *S) { return dropped(S->getBody()); }
  bool VisitSwitchCase(SwitchCase *S) { return dropped(S->getSubStmt()); }
  bool VisitAttributedStmt(AttributedStmt *S) {
    return dropped(S->getSubStmt());
  }

  bool VisitLambdaExpr(LambdaExpr *L) {
    for (const LambdaCapture &C : L->captures())
      if (C.capturesVariable() && C.getCaptureKind() == LCK_ByRef)
        expose(C.getCapturedVar());
    // In a generic lambda not all captures are known before it is called.
    if (L->getCaptureDefault() == LCD_ByRef)
      exposeAll(L->getBody());
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
  void exposeAll(const Stmt *S) {
    if (!S)
      return;
    if (auto *D = dyn_cast<DeclRefExpr>(S))
      expose(D->getDecl());
    for (const Stmt *Child : S->children())
      exposeAll(Child);
  }
  bool dropped(const Stmt *S) {
    if (auto *E = dyn_cast_or_null<Expr>(S))
      used(E);
    return true;
  }

  void call(const CallExpr &E) {
    if (isTrivialAssignment(E)) {
      used(E.getArg(1));
      return;
    }
    if (!Proof.callComputes(E))
      return;
    if (const Expr *Object = objectOf(E))
      used(Object);
    const FunctionDecl &F = *E.getDirectCallee();
    auto Arguments = argumentsOf(E);
    for (unsigned I = 0; I < Arguments.size(); ++I)
      argument(*F.getParamDecl(I), Arguments[I]);
  }
  void argument(const ParmVarDecl &P, const Expr *A) {
    if (A->isGLValue() && takesAValue(P))
      used(A);
  }

  /// The variable is read or written through this name and no other.
  void follow(const Expr *E) {
    while (!isa<DeclRefExpr>(E = E->IgnoreParens())) {
      if (auto *M = dyn_cast<MemberExpr>(E))
        E = M->getBase();
      else if (auto *A = dyn_cast<ArraySubscriptExpr>(E))
        E = cast<CastExpr>(A->getBase()->IgnoreParens())->getSubExpr();
      else
        E = cast<CastExpr>(E)->getSubExpr();
    }
    Listed.insert(cast<DeclRefExpr>(E));
  }
  void write(const Expr *Assignment, const Expr *Place) {
    const VarDecl *V = rootOf(Place);
    if (!V)
      return; // memory, or a place that stays unlisted
    follow(Place);
    Result.Writes[Assignment] = V;
    Result.Written.insert(V);
  }

  /// A glvalue that is read, or whose value is dropped.
  void used(const Expr *E) {
    if (!E)
      return;
    E = E->IgnoreParens();
    if (rootOf(E)) {
      follow(E);
      return;
    }
    switch (roleOf(*E)) {
    case NodeRole::Wrapper:
      // The source of an opaque value is used in other places too.
      if (!isa<OpaqueValueExpr>(E))
        used(wrappedIn(*E));
      return;
    case NodeRole::Conditional:
      used(cast<ConditionalOperator>(E)->getTrueExpr());
      used(cast<ConditionalOperator>(E)->getFalseExpr());
      return;
    case NodeRole::Binary: {
      auto *B = cast<BinaryOperator>(E);
      if (B->isAssignmentOp())
        write(B, B->getLHS());
      else if (B->getOpcode() == BO_Comma)
        used(B->getRHS());
      return;
    }
    case NodeRole::Unary: {
      auto *U = cast<UnaryOperator>(E);
      if (U->isIncrementDecrementOp() && U->isPrefix())
        write(U, U->getSubExpr());
      return;
    }
    case NodeRole::Call:
    case NodeRole::MemberCall:
    case NodeRole::OperatorCall: {
      auto *C = cast<CallExpr>(E);
      if (isTrivialAssignment(*C))
        write(C, C->getArg(0));
      if (C->isGLValue())
        call(*C);
      return;
    }
    case NodeRole::Member:
      if (!cast<MemberExpr>(E)->isArrow())
        used(cast<MemberExpr>(E)->getBase());
      return;
    // Nothing behind these is a variable, or it is not listed.
    case NodeRole::Constant:
    case NodeRole::Temporary:
    case NodeRole::Name:
    case NodeRole::Subscript:
    case NodeRole::Cast:
    case NodeRole::DefaultedConditional:
    case NodeRole::Construct:
    case NodeRole::InitList:
    case NodeRole::Property:
    case NodeRole::This:
    case NodeRole::Lambda:
    case NodeRole::StatementExpression:
    case NodeRole::UnknownExpr:
    case NodeRole::Block:
    case NodeRole::Nothing:
    case NodeRole::Attributed:
    case NodeRole::Declaration:
    case NodeRole::Branch:
    case NodeRole::Switch:
    case NodeRole::Case:
    case NodeRole::Loop:
    case NodeRole::RangeLoop:
    case NodeRole::Return:
    case NodeRole::Break:
    case NodeRole::Continue:
    case NodeRole::Assembly:
    case NodeRole::UnknownControl:
      return;
    }
    llvm_unreachable("all roles are listed");
  }
};

} // namespace

LocalMentions mentionsIn(const Stmt &Body, ComputeProof &Proof) {
  Collector C(Proof);
  C.TraverseStmt(const_cast<Stmt *>(&Body));
  C.finish();
  return std::move(C.Result);
}

} // namespace catt
