//===- Reach.cpp - Everything that a function executes --------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/safety/Reach.h"
#include "analysis/source/safety/Assembly.h"
#include "analysis/source/safety/ReachWalk.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"

// A kind of statement that NodeKinds.def lacks must not compile.
#pragma GCC diagnostic error "-Wswitch"

using namespace clang;

namespace catt {

static bool isKnownKind(const Stmt &S) {
  switch (S.getStmtClass()) {
#define CATT_STMT(Kind, Role, Mentions, Reached)                               \
  case Stmt::Kind##Class:                                                      \
    return Reached;
#include "analysis/source/syntax/NodeKinds.def"
  }
  return false;
}

static bool isLocal(const VarDecl *V) {
  return V && V->hasLocalStorage() && !V->getType()->isReferenceType();
}

ReachWalk::ReachWalk(const FunctionDecl &F, FunctionBody &B)
    : F(F), Context(F.getASTContext()), B(B) {
  B.Function = &F;
  const SourceManager &SM = Context.getSourceManager();
  KeepsExtents = !SM.isInSystemHeader(SM.getExpansionLoc(F.getLocation()));
}

void ReachWalk::run() {
  if (auto *C = dyn_cast<CXXConstructorDecl>(&F))
    for (const CXXCtorInitializer *I : C->inits())
      visit(I->getInit());
  visit(F.getBody());
  if (auto *D = dyn_cast<CXXDestructorDecl>(&F))
    destroyParts(*D->getParent());
}

//===-- Events ------------------------------------------------------------===//

void ReachWalk::event(ReachedEvent::Kind What, const Stmt *At, std::string Text,
                      const FunctionDecl *Callee) {
  B.Events.push_back({What, At, Callee, std::move(Text), Order++});
}

static bool isSkipped(const FunctionDecl *F) {
  if (const FunctionDecl *P = F->getTemplateInstantiationPattern();
      P && P->hasSkippedBody())
    return true;
  return llvm::any_of(
      F->redecls(), [](const FunctionDecl *R) { return R->hasSkippedBody(); });
}

void ReachWalk::callTo(const FunctionDecl *Callee, const Stmt *At) {
  if (const FunctionDecl *Definition = definitionOf(Callee))
    return event(ReachedEvent::Kind::Call, At, "", Definition);
  if (isSkipped(Callee))
    return event(ReachedEvent::Kind::SkippedBody, At,
                 "calls " + spelled(*Callee) +
                     "(), whose body in a system header was not read",
                 Callee);
  if (Callee->isTrivial() || Callee->isDefaulted() || Callee->isImplicit()) {
    // An implicit destructor destroys the members.
    if (isa<CXXDestructorDecl>(Callee) && !Callee->isTrivial())
      event(ReachedEvent::Kind::Call, At, "", Callee);
    return;
  }
  if (Callee->isReplaceableGlobalAllocationFunction())
    return;
  unknown(At,
          "calls " + spelled(*Callee) + "(), whose body is not in this file");
}

void ReachWalk::destroy(QualType T, const Stmt *At) {
  T = Context.getBaseElementType(T);
  auto *R = T->getAsCXXRecordDecl();
  if (!R || !R->hasDefinition() || R->hasTrivialDestructor())
    return;
  if (const CXXDestructorDecl *D = R->getDestructor())
    callTo(D, At);
  else
    unknown(At, "destroys a " + R->getNameAsString());
}

void ReachWalk::destroyParts(const CXXRecordDecl &R) {
  for (const FieldDecl *Field : R.fields())
    destroy(Field->getType(), nullptr);
  for (const CXXBaseSpecifier &Base : R.bases())
    destroy(Base.getType(), nullptr);
  for (const CXXBaseSpecifier &Base : R.vbases())
    destroy(Base.getType(), nullptr);
}

//===-- Conditions, variables ---------------------------------------------===//

const Guarded *ReachWalk::push(const Stmt *Construct, const Expr *Value) {
  const Guarded *Before = Under;
  B.Conditions.push_back({Under, Construct, Value});
  Under = &B.Conditions.back();
  return Before;
}

void ReachWalk::assigned(const VarDecl *V, const Expr *Value, const Stmt *At) {
  if (V && V->hasLocalStorage())
    B.Assignments[V].push_back({Value, At, Under});
}

void ReachWalk::assigned(const Expr *LValue, const Expr *Value,
                         const Stmt *At) {
  if (const VarDecl *V = rootVariable(LValue))
    assigned(V, Value, At);
  else
    escapes(LValue); // `(a ? b : c) = d`
}

void ReachWalk::escapes(const Expr *LValue) {
  if (const VarDecl *V = rootVariable(LValue)) {
    if (V->hasLocalStorage())
      B.Escaping.insert(V);
    return;
  }
  for (const Expr *Operand : passesOn(*LValue))
    escapes(Operand);
}

void ReachWalk::apply(const Stmt &Node, const OperandEffect &E) {
  switch (E.What) {
  case Effect::Read:
    return reads(readsOf(E.Place));
  case Effect::Write:
    return assigned(E.Place, E.Value, &Node);
  case Effect::ReadWrite:
    return assigned(E.Place, cast<Expr>(&Node), &Node);
  case Effect::BindConst:
    return reads(readsOf(E.Place));
  case Effect::Bind:
  case Effect::Unknown:
    reads(readsOf(E.Place));
    return escapes(E.Place);
  case Effect::TakeAddress:
    return Outputs.contains(dyn_cast<Expr>(&Node)) ? void() : escapes(E.Place);
  case Effect::Discard:
  case Effect::Capture: // the lambda's body decides
    return;
  }
}

void ReachWalk::applyAll(const Stmt &Node) {
  for (const OperandEffect &E : effectsOf(Node))
    apply(Node, E);
}

void ReachWalk::applyCall(const Expr &Call, const FunctionDecl &Callee,
                          Known What) {
  bool IsOutput = What == Known::Computes || What == Known::WarpWide;
  for (const OperandEffect &E : effectsOf(Call)) {
    bool Object = !E.Parameter && What != Known::Unlisted;
    if (E.What == Effect::Bind && (IsOutput || Object)) {
      reads(readsOf(E.Place));
      if (!Object)
        assigned(E.Place, &Call, &Call);
    } else {
      apply(Call, E);
    }
    if (const VarDecl *V = rootVariable(E.Place); isLocal(V))
      if (E.What == Effect::BindConst || (Object && E.What == Effect::Bind))
        B.ConstBound.push_back({V, &Callee});
  }
}

//===-- Statements --------------------------------------------------------===//

void ReachWalk::visit(const Stmt *S) {
  if (!S)
    return;
  ++B.Steps;
  unsigned First = Order++;
  if (!isKnownKind(*S))
    unknown(S, std::string("has a ") + S->getStmtClassName() +
                   ", which is not known to be harmless");
  else if (auto *E = dyn_cast<Expr>(S))
    visitExpression(*E);
  else
    visitStatement(*S);
  // The others know more about what they do.
  if (!isa<CallExpr, CXXConstructExpr, DeclStmt, ReturnStmt, GCCAsmStmt>(S))
    applyAll(*S);
  if (KeepsExtents)
    B.Extents[S] = {First, Order};
}

void ReachWalk::visitChildren(const Stmt &S) {
  for (const Stmt *Child : S.children())
    visit(Child);
}

void ReachWalk::visitStatement(const Stmt &S) {
  if (auto *D = dyn_cast<DeclStmt>(&S))
    return visitDeclarations(*D);
  if (auto *I = dyn_cast<IfStmt>(&S))
    return visitIf(*I);
  if (auto *W = dyn_cast<SwitchStmt>(&S))
    return visitSwitch(*W);
  if (isLoop(&S))
    return visitLoop(S);
  if (auto *A = dyn_cast<GCCAsmStmt>(&S))
    return visitAssembly(*A);
  if (isa<BreakStmt, ContinueStmt, ReturnStmt, GotoStmt>(&S))
    return visitJump(S);
  if (auto *L = dyn_cast<LabelStmt>(&S))
    Labels.insert(L->getDecl());
  visitChildren(S); // blocks, labels, cases, attributes
}

void ReachWalk::visitDeclarations(const DeclStmt &S) {
  for (const Decl *D : S.decls())
    if (auto *V = dyn_cast<VarDecl>(D))
      visitVariable(*V, S);
}

void ReachWalk::visitVariable(const VarDecl &V, const Stmt &At) {
  if (const Expr *Init = V.getInit()) {
    visit(Init);
    for (const OperandEffect &E : effectsOf(V))
      apply(At, E);
    assigned(&V, Init, &At);
  }
  if (V.hasLocalStorage() && !V.getType()->isDependentType())
    destroy(V.getType(), &At);
  if (auto *D = dyn_cast<DecompositionDecl>(&V))
    for (const BindingDecl *Binding : D->bindings())
      if (const VarDecl *Holding = Binding->getHoldingVar())
        visitVariable(*Holding, At);
}

void ReachWalk::visitIf(const IfStmt &I) {
  visit(I.getInit());
  visit(I.getConditionVariableDeclStmt());
  visit(I.getCond());
  const Guarded *Before = push(&I, I.getCond());
  if (I.isConstexpr()) {
    if (auto Taken = I.getNondiscardedCase(Context))
      visit(*Taken);
    else
      visit(I.getThen()), visit(I.getElse());
  } else {
    visit(I.getThen());
    visit(I.getElse());
  }
  Under = Before;
}

void ReachWalk::visitSwitch(const SwitchStmt &S) {
  visit(S.getInit());
  visit(S.getConditionVariableDeclStmt());
  visit(S.getCond());
  const Guarded *Before = push(&S, S.getCond());
  BreakTargets.push_back(&S);
  visit(S.getBody());
  BreakTargets.pop_back();
  Under = Before;
}

void ReachWalk::visitLoop(const Stmt &S) {
  LoopParts L = loopParts(S);
  visit(L.Init);
  llvm::SmallVector<const Stmt *, 4> Inside = {L.Variable, L.Cond, L.Body,
                                               L.Inc};
  if (L.AtLeastOnce)
    Inside = {L.Body, L.Cond};
  if (auto *R = dyn_cast<CXXForRangeStmt>(&S)) {
    visit(L.Range);
    visit(R->getBeginStmt());
    visit(R->getEndStmt());
    L.Cond = R->getCond();
    L.Inc = R->getInc();
    Inside = {L.Cond, R->getLoopVarStmt(), L.Body, L.Inc};
  }
  const Guarded *Before = push(&S, L.Cond);
  B.Loops.push_back({&S, L.Cond, L.Inc, Under});
  BreakTargets.push_back(&S);
  ContinueTargets.push_back(&S);
  for (const Stmt *Part : Inside)
    visit(Part);
  BreakTargets.pop_back();
  ContinueTargets.pop_back();
  Under = Before;
}

void ReachWalk::visitJump(const Stmt &S) {
  ReachedJump J{&S, nullptr, false, Under};
  if (isa<BreakStmt>(S) && !BreakTargets.empty())
    J.Target = BreakTargets.back();
  if (isa<ContinueStmt>(S) && !ContinueTargets.empty()) {
    J.Target = ContinueTargets.back();
    J.Continues = true;
  }
  if (auto *R = dyn_cast<ReturnStmt>(&S)) {
    visit(R->getRetValue());
    for (const OperandEffect &E : effectsOf(S))
      if (E.What == Effect::Bind) // the caller reads it
        escapes(E.Place);
  }
  if (auto *G = dyn_cast<GotoStmt>(&S)) {
    B.HasGoto = true;
    B.HasBackwardGoto |= Labels.contains(G->getLabel());
  }
  B.Jumps.push_back(J);
}

void ReachWalk::visitAssembly(const GCCAsmStmt &S) {
  AssemblyFacts Facts = readAssembly(S);
  visitChildren(S);
  if (!Facts.isHarmless())
    event(ReachedEvent::Kind::Assembly, &S,
          "inline assembly: " + Facts.Unknown);
  if (Facts.WarpWide)
    event(ReachedEvent::Kind::WarpWide, &S, "");
  if (Facts.ReadsMemory || !Facts.isHarmless())
    reads(MemoryReads::Polled);
  for (const Expr *Out : S.outputs()) {
    if (Facts.ReadsMemory || !Facts.isHarmless())
      assigned(Out, nullptr, &S);
    assigned(Out, Out, &S);
    for (const Expr *In : S.inputs())
      assigned(Out, In, &S);
  }
}

void readFunction(const FunctionDecl &Definition, FunctionBody &Out) {
  ReachWalk(Definition, Out).run();
}

} // namespace catt
