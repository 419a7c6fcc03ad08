//===- MentionStatements.cpp - Calls, declarations and statements --------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/syntax/NodeParts.h"
#include "analysis/source/walk/MentionReader.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"
#include <utility>

using namespace clang;

namespace catt {

/// A call after which control may come back a second time.
static bool returnsTwice(const FunctionDecl &F) {
  return F.hasAttr<ReturnsTwiceAttr>() || identifierOf(&F).contains("setjmp");
}

/// A copy or a move that copies each member's value.
bool copiesMembers(const CXXConstructorDecl &C) {
  return C.isCopyOrMoveConstructor() && C.isDefaulted();
}

//===-- Calls -------------------------------------------------------------===//

/// The object of a member call: `x.f()`, `p->f()`, `this->f()`.
void MentionReader::object(const Expr *Object, VariableEffect What) {
  if (isa<CXXThisExpr>(Object->IgnoreParens()))
    return mentionThis(What);
  visit(Object, Object->isGLValue() ? What : VariableEffect::Reads);
}

void MentionReader::arguments(const FunctionDecl *F,
                              llvm::ArrayRef<const Expr *> Given,
                              VariableEffect What) {
  for (unsigned I = 0; I < Given.size(); ++I) {
    if (!Given[I]->isGLValue()) {
      visit(Given[I], VariableEffect::Reads);
      continue;
    }
    VariableEffect Argument =
        F ? All.ofParameter(*F, I) : VariableEffect::Escapes;
    // The result may refer to an argument.
    if (F && What != VariableEffect::Reads &&
        F->getReturnType()->isReferenceType())
      Argument = VariableEffect::Escapes;
    visit(Given[I], Argument);
  }
}

void MentionReader::call(const CallExpr *E, VariableEffect What) {
  if (auto *K = dyn_cast<CUDAKernelCallExpr>(E))
    arguments(nullptr,
              {K->getConfig()->getArgs(), K->getConfig()->getNumArgs()},
              VariableEffect::Reads);
  const FunctionDecl *F = E->getDirectCallee();
  llvm::ArrayRef<const Expr *> Given(E->getArgs(), E->getNumArgs());
  auto *Method = dyn_cast_or_null<CXXMethodDecl>(F);
  // The object of an explicit object function or a static operator is an
  // argument.
  bool Shifted =
      Method && (Method->isExplicitObjectMemberFunction() ||
                 (isa<CXXOperatorCallExpr>(E) && Method->isStatic()));
  if (!F || Shifted) {
    if (E->getCallee()->isGLValue() && !F)
      visit(E->getCallee(), VariableEffect::Escapes);
    else
      operands(E->getCallee());
    return arguments(nullptr, Given, What);
  }
  Unsupported |= returnsTwice(*F);
  if (auto *C = dyn_cast<CXXMemberCallExpr>(E)) {
    object(C->getImplicitObjectArgument(), All.ofObject(*Method));
  } else if (isa<CXXOperatorCallExpr>(E) && Method && Method->isInstance()) {
    bool Copies = isTrivialAssignment(*E);
    bool Lambda = Method->getParent()->isLambda(); // judged where it stands
    object(Given.front(), Copies   ? What == VariableEffect::Reads
                                         ? VariableEffect::Assigns
                                         : VariableEffect::Escapes
                          : Lambda ? VariableEffect::Reads
                                   : All.ofObject(*Method));
    if (Copies)
      return visit(Given[1], VariableEffect::Reads);
    Given = Given.drop_front();
  } else if (isa<MemberExpr>(E->getCallee()->IgnoreParens())) {
    unwalked(E->getCallee()->IgnoreParens()); // a static function's object
  }
  arguments(F, Given, What);
}

void MentionReader::construct(const CXXConstructExpr *E) {
  const CXXConstructorDecl *C = E->getConstructor();
  if (copiesMembers(*C) && E->getNumArgs() >= 1)
    return visit(E->getArg(0), VariableEffect::Reads);
  arguments(C, {E->getArgs(), E->getNumArgs()}, VariableEffect::Reads);
}

void MentionReader::lambda(const LambdaExpr *E) {
  for (const LambdaCapture &C : E->captures()) {
    auto *V =
        C.capturesVariable() ? dyn_cast<VarDecl>(C.getCapturedVar()) : nullptr;
    if (V && E->isInitCapture(&C))
      variable(V);
    else if (V && C.getCaptureKind() == LCK_ByCopy)
      Copied.insert(V);
  }
  const FunctionDecl *Outer = std::exchange(Inside, E->getCallOperator());
  ++Lambdas;
  visit(E->getBody(), VariableEffect::Reads);
  --Lambdas;
  Inside = Outer;
}

//===-- Declarations and statements ---------------------------------------===//

/// The variable that an expression names, itself or a member of it.
static const VarDecl *named(const Expr *E) {
  E = E->IgnoreParens();
  if (const VarDecl *V = namedVariable(E))
    return V;
  if (auto *C = dyn_cast<CastExpr>(E);
      C && C->getCastKind() == CK_NoOp && C->getSubExpr()->isGLValue())
    return named(C->getSubExpr());
  if (auto *M = dyn_cast<MemberExpr>(E); M && !M->isArrow())
    if (auto *F = dyn_cast<FieldDecl>(M->getMemberDecl());
        F && !F->getType()->isReferenceType())
      return named(M->getBase());
  return nullptr;
}

void MentionReader::variable(const VarDecl *V) {
  if (V->getType()->isVariablyModifiedType())
    Unsupported = true; // its size may assign
  const Expr *Init = V->getInit();
  if (!Init)
    return;
  if (!V->getType()->isReferenceType()) {
    visit(Init, VariableEffect::Reads);
    // A constructor that keeps the object's address.
    auto *C = dyn_cast<CXXConstructExpr>(Init->IgnoreImplicit());
    if (C && !copiesMembers(*C->getConstructor()) &&
        All.ofObject(*C->getConstructor()) == VariableEffect::Escapes)
      mention(V, VariableEffect::Escapes);
    return;
  }
  const VarDecl *Of = named(Init);
  if (!Of || V->hasGlobalStorage() || isa<DecompositionDecl>(V))
    return operand(Init);
  Aliases[V] = Of;
  visit(Init, VariableEffect::Reads);
}

/// `for` and `while`: a variable in the condition is not run by the walk.
void MentionReader::loop(const Stmt *S) {
  const Stmt *Condition = loopParts(*S).Variable;
  for (const Stmt *Child : S->children()) {
    Unwalked += Child && Child == Condition;
    visit(Child, VariableEffect::Reads);
    Unwalked -= Child && Child == Condition;
  }
}

void MentionReader::rangeFor(const CXXForRangeStmt *S) {
  visit(S->getInit(), VariableEffect::Reads);
  visit(S->getRangeStmt(), VariableEffect::Reads);
  ++Unwalked;
  for (const Stmt *Part : {static_cast<const Stmt *>(S->getBeginStmt()),
                           static_cast<const Stmt *>(S->getEndStmt()),
                           static_cast<const Stmt *>(S->getCond()),
                           static_cast<const Stmt *>(S->getInc()),
                           static_cast<const Stmt *>(S->getLoopVarStmt())})
    visit(Part, VariableEffect::Reads);
  --Unwalked;
  visit(S->getBody(), VariableEffect::Reads);
}

/// A `case` within an inner statement jumps into it.
void MentionReader::switchOver(const SwitchStmt *S) {
  auto Note = [&](const Stmt *X) {
    while (auto *C = dyn_cast_or_null<SwitchCase>(X)) {
      PlainCases.insert(C);
      X = C->getSubStmt();
    }
  };
  if (auto *C = dyn_cast<CompoundStmt>(S->getBody()))
    llvm::for_each(C->body(), Note);
  else
    Note(S->getBody());
  visit(S->getInit(), VariableEffect::Reads);
  ++Unwalked;
  visit(S->getConditionVariableDeclStmt(), VariableEffect::Reads);
  --Unwalked;
  visit(S->getCond(), VariableEffect::Reads);
  visit(S->getBody(), VariableEffect::Reads);
}

} // namespace catt
