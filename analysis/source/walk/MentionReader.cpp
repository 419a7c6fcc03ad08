//===- MentionReader.cpp - Reads the mentions of one function ------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/walk/MentionReader.h"
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/syntax/NodeKinds.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace catt {

namespace {
/// How a kind of statement is read: see NodeKinds.def.
enum class Form : uint8_t {
  Leaf,
  Statement,
  Operands,
  Unwalked,
  Special,
  Unsupported
};
} // namespace

static Form formOf(const Stmt &S) {
  switch (S.getStmtClass()) {
#define CATT_STMT(Kind, Role, Mentions, Reached)                               \
  case Stmt::Kind##Class:                                                      \
    return Form::Mentions;
#include "analysis/source/syntax/NodeKinds.def"
  }
  return Form::Unsupported;
}

//===-- A mention ---------------------------------------------------------===//

void MentionReader::mention(const VarDecl *V, VariableEffect What) {
  if (isFixed(*V))
    return;
  bool Volatile = V->getType().getNonReferenceType().isVolatileQualified() ||
                  V->getType()->isAtomicType();
  // What a lambda assigns may change at each of its calls.
  bool Outer = V->isInitCapture() || (V->hasLocalStorage() &&
                                      V->getParentFunctionOrMethod() != Inside);
  if (Volatile || (What == VariableEffect::Assigns && (Unwalked || Outer)))
    What = VariableEffect::Escapes;
  VariableEffect &Old = Out.Variables[V];
  Old = std::max(Old, What);
  if (auto It = Aliases.find(V); It != Aliases.end() && It->second != V)
    mention(It->second, What);
}

void MentionReader::mentionThis(VariableEffect What) {
  if (What == VariableEffect::Assigns && (Unwalked || Lambdas))
    What = VariableEffect::Escapes;
  Out.This = std::max(Out.This, What);
}

//===-- Statements and expressions ----------------------------------------===//

/// A value that is computed; an object that is named here goes anywhere.
void MentionReader::operand(const Stmt *S) {
  auto *E = dyn_cast_or_null<Expr>(S);
  visit(S,
        E && E->isGLValue() ? VariableEffect::Escapes : VariableEffect::Reads);
}

void MentionReader::operands(const Stmt *S) {
  for (const Stmt *Child : S->children())
    operand(Child);
}

void MentionReader::unwalked(const Stmt *S) {
  ++Unwalked;
  operands(S);
  --Unwalked;
}

void MentionReader::visit(const Stmt *S, VariableEffect What) {
  if (!S)
    return;
  switch (formOf(*S)) {
  case Form::Leaf:
    return;
  case Form::Statement:
    for (const Stmt *Child : S->children())
      visit(Child, VariableEffect::Reads);
    return;
  case Form::Operands:
    return operands(S);
  case Form::Unwalked:
    return unwalked(S);
  case Form::Special:
    if (!visitWrapper(S, What))
      visitSpecial(S, What);
    return;
  case Form::Unsupported:
    Unsupported = true;
    return;
  }
}

/// Wrappers that pass on what is done to them.
bool MentionReader::visitWrapper(const Stmt *S, VariableEffect What) {
  const Expr *Inner = nullptr;
  if (auto *E = dyn_cast<MaterializeTemporaryExpr>(S))
    Inner = E->getSubExpr();
  else if (auto *E = dyn_cast<CXXBindTemporaryExpr>(S))
    Inner = E->getSubExpr();
  else if (auto *E = dyn_cast<Expr>(S); E && !isa<OpaqueValueExpr>(E))
    Inner = wrappedIn(*E);
  if (!Inner)
    return false;
  visit(Inner, Inner->isGLValue() ? What : VariableEffect::Reads);
  return true;
}

void MentionReader::visitSpecial(const Stmt *S, VariableEffect What) {
  if (!isa<Expr>(S))
    return statement(S);
  if (const VarDecl *V = namedVariable(S)) {
    mention(V, What);
  } else if (auto *E = dyn_cast<MemberExpr>(S)) {
    member(E, What);
  } else if (isa<CXXThisExpr>(S)) {
    mentionThis(VariableEffect::Escapes);
  } else if (auto *E = dyn_cast<CastExpr>(S)) {
    cast(E, What);
  } else if (auto *E = dyn_cast<BinaryOperator>(S)) {
    binary(E, What);
  } else if (auto *E = dyn_cast<UnaryOperator>(S)) {
    unary(E, What);
  } else if (auto *E = dyn_cast<ConditionalOperator>(S)) {
    visit(E->getCond(), VariableEffect::Reads);
    for (const Expr *Arm : {E->getTrueExpr(), E->getFalseExpr()})
      visit(Arm,
            What == VariableEffect::Reads ? What : VariableEffect::Escapes);
  } else if (auto *E = dyn_cast<CallExpr>(S)) {
    call(E, What);
  } else if (auto *E = dyn_cast<CXXConstructExpr>(S)) {
    construct(E);
  } else if (isa<InitListExpr>(S)) {
    operands(S);
  } else if (auto *E = dyn_cast<LambdaExpr>(S)) {
    lambda(E);
  } else if (auto *E = dyn_cast<UnaryExprOrTypeTraitExpr>(S)) {
    if (E->getTypeOfArgument()->isVariablyModifiedType())
      unwalked(E);
  } else if (auto *E = dyn_cast<PseudoObjectExpr>(S)) {
    unwalked(E->getSyntacticForm());
  } else if (auto *E = dyn_cast<OpaqueValueExpr>(S)) {
    ++Unwalked;
    operand(E->getSourceExpr());
    --Unwalked;
  }
}

void MentionReader::statement(const Stmt *S) {
  if (auto *D = dyn_cast<DeclStmt>(S)) {
    for (const Decl *X : D->decls())
      if (auto *V = dyn_cast<VarDecl>(X))
        variable(V);
  } else if (auto *R = dyn_cast<ReturnStmt>(S)) {
    visit(R->getRetValue(), isMutableReference(Inside->getReturnType())
                                ? VariableEffect::Escapes
                                : VariableEffect::Reads);
  } else if (auto *W = dyn_cast<SwitchStmt>(S)) {
    switchOver(W);
  } else if (auto *C = dyn_cast<SwitchCase>(S)) {
    Unsupported |= !PlainCases.contains(C);
    visit(C->getSubStmt(), VariableEffect::Reads);
  } else if (isa<ForStmt, WhileStmt>(S)) {
    loop(S);
  } else if (auto *F = dyn_cast<CXXForRangeStmt>(S)) {
    rangeFor(F);
  } else if (auto *A = dyn_cast<GCCAsmStmt>(S)) {
    operands(A); // an output, or an operand in memory, is an object
  }
}

//===-- Expressions -------------------------------------------------------===//

void MentionReader::member(const MemberExpr *E, VariableEffect What) {
  const Expr *Base = E->getBase();
  auto *F = dyn_cast<FieldDecl>(E->getMemberDecl());
  if (!F) {
    if (auto *V = dyn_cast<VarDecl>(E->getMemberDecl()))
      mention(V, What);
    ++Unwalked;
    visit(Base, VariableEffect::Reads);
    --Unwalked;
    return;
  }
  if (F->getType()->isReferenceType())
    What =
        VariableEffect::Reads; // what it refers to escaped where it was bound
  // One name, and other bytes change with them.
  if (F->getParent()->isUnion() || F->isBitField())
    What = VariableEffect::Escapes;
  if (!E->isArrow())
    return visit(Base, Base->isGLValue() ? What : VariableEffect::Reads);
  if (isa<CXXThisExpr>(Base->IgnoreParens()))
    return mentionThis(What);
  visit(Base, VariableEffect::Reads);
}

void MentionReader::cast(const CastExpr *E, VariableEffect What) {
  const Expr *Sub = E->getSubExpr();
  switch (E->getCastKind()) {
  case CK_LValueToRValue:
  case CK_ToVoid:
  case CK_ArrayToPointerDecay: // elements of arrays are never known
    return visit(Sub, VariableEffect::Reads);
  case CK_NoOp:
  case CK_UserDefinedConversion:
  case CK_ConstructorConversion:
    return visit(Sub, Sub->isGLValue() ? What : VariableEffect::Reads);
  default:
    return operand(Sub);
  }
}

void MentionReader::binary(const BinaryOperator *E, VariableEffect What) {
  if (E->isAssignmentOp()) {
    visit(E->getLHS(), What == VariableEffect::Reads ? VariableEffect::Assigns
                                                     : VariableEffect::Escapes);
    return operand(E->getRHS());
  }
  if (E->getOpcode() == BO_Comma) {
    visit(E->getLHS(), VariableEffect::Reads);
    return visit(E->getRHS(),
                 E->getRHS()->isGLValue() ? What : VariableEffect::Reads);
  }
  operands(E);
}

void MentionReader::unary(const UnaryOperator *E, VariableEffect What) {
  if (E->isIncrementDecrementOp())
    return visit(E->getSubExpr(), What == VariableEffect::Reads
                                      ? VariableEffect::Assigns
                                      : VariableEffect::Escapes);
  operands(E); // `&x` hands the object on
}

//===-- The function ------------------------------------------------------===//

void MentionReader::escapeAll(const Stmt *S) {
  forEachStmt(S, [&](const Stmt &Each) {
    if (const VarDecl *V = namedVariable(&Each))
      mention(V, VariableEffect::Escapes);
  });
}

void MentionReader::run() {
  const FunctionDecl *F = Inside;
  if (auto *C = dyn_cast<CXXConstructorDecl>(F))
    for (const CXXCtorInitializer *I : C->inits()) {
      bool Binds = I->isMemberInitializer() &&
                   I->getMember()->getType()->isReferenceType();
      visit(I->getInit(),
            Binds ? VariableEffect::Escapes : VariableEffect::Reads);
    }
  visit(F->getBody(), VariableEffect::Reads);
  for (const VarDecl *V : Copied)
    for (const VarDecl *X = V; X;) {
      // The copy is as old as the lambda.
      if (Out.of(X) != VariableEffect::Reads ||
          Out.of(V) != VariableEffect::Reads)
        Out.Variables[V] = Out.Variables[X] = VariableEffect::Escapes;
      auto It = Aliases.find(X);
      X = It == Aliases.end() || It->second == X ? nullptr : It->second;
    }
  if (!Unsupported)
    return;
  escapeAll(F->getBody());
  for (const ParmVarDecl *P : F->parameters())
    mention(P, VariableEffect::Escapes);
  Out.This = VariableEffect::Escapes;
}

} // namespace catt
