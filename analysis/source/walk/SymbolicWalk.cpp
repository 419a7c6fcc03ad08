//===- SymbolicWalk.cpp - Runs a function with unknown inputs ---*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The statements of SymbolicWalk but loops: branches merge.
//
//===----------------------------------------------------------------------===//

#include "analysis/source/walk/SymbolicWalk.h"
#include "clang/AST/Attr.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace catt {

Value SymbolicWalk::parameter(const ParmVarDecl &P) {
  return inputValue(P, P.getType(), P.getName().str(), "");
}

void SymbolicWalk::run(const FunctionDecl &Function) {
  const FunctionDecl *Def = nullptr;
  if (!Function.hasBody(Def))
    return;
  for (const ParmVarDecl *P : Def->parameters())
    Variables[P] = parameter(*P);
  enter(*Def);
  Frames.push_back({Def, {}, {}, {}});
  walk(Def->getBody());
  Frames.pop_back();
}

/// Something else may change some of a function's variables.
void SymbolicWalk::enter(const FunctionDecl &Definition) {
  for (auto &[V, What] : Uses.of(Definition).Variables)
    if (What == VariableEffect::Escapes)
      Escaped[V] = true;
}

/// Nothing is known of the variable, whatever was assigned to it.
bool SymbolicWalk::isLost(const VarDecl *V) const {
  return StepsLeft == 0 || Escaped.lookup(V) ||
         (V->hasGlobalStorage() && !isFixed(*V));
}

bool SymbolicWalk::isOfQuietCall(const VarDecl *V) const {
  return llvm::any_of(Frames, [&](const Frame &F) {
    return F.Quiet && F.Function == V->getParentFunctionOrMethod();
  });
}

/// False once the quota is used up.
bool SymbolicWalk::spend(const Stmt &S) {
  if (StepsLeft == 0)
    return false;
  if (--StepsLeft == 0)
    onTooManySteps(S);
  return StepsLeft > 0;
}

/// What a part of a statement changes that may run or not.
void SymbolicWalk::forgetChanges(const Stmt *MayRun) {
  Counts Changed;
  changedBy(MayRun, Changed);
  forget(Changed);
}

bool SymbolicWalk::changesSomething(const Stmt *S) const {
  Counts Changed;
  changedBy(S, Changed);
  return !Changed.empty();
}

void SymbolicWalk::pushCondition(const Condition &C) {
  if (!C) {
    Guards.push_back(std::nullopt);
    return;
  }
  for (const Guard &G : *C)
    if (auto Known = G.Condition.constant(); !Known || *Known < 0)
      Guards.push_back(G);
}

//===-- Statements -------------------------------------------------------===//

Flow SymbolicWalk::walk(const Stmt *S) {
  if (!S || !spend(*S))
    return {};
  Path.push_back({S, nullptr, nullptr});
  Flow F;
  if (auto *E = dyn_cast<Expr>(S)) {
    eval(E);
  } else if (auto *C = dyn_cast<CompoundStmt>(S)) {
    F = walkCompound(C);
  } else if (auto *I = dyn_cast<IfStmt>(S)) {
    F = walkIf(I);
  } else if (auto *W = dyn_cast<SwitchStmt>(S)) {
    F = walkSwitch(W);
  } else if (isLoop(S)) {
    F = walkLoop(S);
  } else if (auto *D = dyn_cast<DeclStmt>(S)) {
    walkDecl(D);
  } else if (auto *R = dyn_cast<ReturnStmt>(S)) {
    if (const Expr *E = R->getRetValue()) {
      bool Reference =
          Frames.back().Function->getReturnType()->isReferenceType();
      // Evaluated first: a call inside may add a frame, and move them all.
      if (Reference) {
        Place P = place(E);
        Frames.back().ReturnedPlaces.push_back(std::move(P));
      } else {
        Value V = evalAsValue(E);
        Frames.back().Returned.push_back(std::move(V));
      }
    }
    F.Ends = F.MayReturn = true;
  } else if (isa<BreakStmt>(S)) {
    F.Ends = F.MayBreak = true;
  } else if (isa<ContinueStmt>(S)) {
    F.Ends = F.MayContinue = true;
  } else if (auto *A = dyn_cast<AttributedStmt>(S)) {
    F = walk(A->getSubStmt());
  } else if (auto *C = dyn_cast<SwitchCase>(S)) {
    // Control comes from the case before or straight from the switch.
    if (!Switches.empty()) {
      forget(Switches.back().Changed);
      Guards.resize(Switches.back().Guards);
    }
    F = walk(C->getSubStmt());
  } else if (isa<LabelStmt, GotoStmt, IndirectGotoStmt>(S)) {
    // Control can come from anywhere: nothing is known any more.
    Variables.clear();
    Guards.push_back(std::nullopt);
    if (auto *L = dyn_cast<LabelStmt>(S))
      F = walk(L->getSubStmt());
    F.MayBreak = F.MayContinue = F.MayReturn = true;
  } else {
    walkChildren(S);
  }
  Path.pop_back();
  return F;
}

void SymbolicWalk::walkChildren(const Stmt *S) {
  for (const Stmt *Child : S->children())
    walk(Child);
}

static void merge(Flow &Into, const Flow &F) {
  Into.MayReturn |= F.MayReturn;
  Into.MayBreak |= F.MayBreak;
  Into.MayContinue |= F.MayContinue;
}

Flow SymbolicWalk::walkCompound(const CompoundStmt *S) {
  Flow Result;
  for (const Stmt *Child : S->body()) {
    // After a jump only a label or a case can be reached.
    if (Result.Ends && !isa<SwitchCase, LabelStmt>(Child))
      continue;
    Flow F = walk(Child);
    merge(Result, F);
    Result.Ends = F.Ends;
  }
  return Result;
}

Flow SymbolicWalk::walkIf(const IfStmt *S) {
  if (S->getInit())
    walk(S->getInit());
  if (S->getConditionVariable())
    declare(S->getConditionVariable());
  eval(S->getCond());
  Condition Yes = conditionOf(S->getCond(), true);
  Condition No = conditionOf(S->getCond(), false);
  std::optional<bool> Known;
  if (Yes && Yes->size() == 1)
    if (auto C = Yes->front().Condition.constant())
      Known = *C >= 0;
  if (Known)
    return walk(*Known ? S->getThen() : S->getElse());

  size_t Saved = Guards.size();
  std::map<const VarDecl *, Value> Before = Variables;
  pushCondition(Yes);
  Flow Then = walk(S->getThen());
  Guards.resize(Saved);
  std::map<const VarDecl *, Value> AfterThen = std::move(Variables);
  Variables = std::move(Before);
  pushCondition(No);
  Flow Else = walk(S->getElse());
  Guards.resize(Saved);

  Flow Result;
  merge(Result, Then);
  merge(Result, Else);
  Result.Ends = Then.Ends && Else.Ends;
  // Which threads continue after the statement?
  if (Then.Ends && !Else.Ends) {
    pushCondition(No);
  } else if (Else.Ends && !Then.Ends) {
    Variables = std::move(AfterThen);
    pushCondition(Yes);
  } else {
    std::map<const VarDecl *, Value> AfterElse = std::move(Variables);
    Variables.clear();
    for (auto &[V, A] : AfterThen) {
      auto B = AfterElse.find(V);
      if (B == AfterElse.end())
        continue;
      if (A == B->second)
        Variables[V] = A;
      else if (Yes && Yes->size() == 1 && A.isInteger() &&
               B->second.isInteger())
        Variables[V] = Value::integer(AffineIndex::select(
            Yes->front().Condition, A.Integer, B->second.Integer));
    }
  }
  auto Leaves = [](const Flow &F) {
    return F.MayReturn || F.MayBreak || F.MayContinue;
  };
  if ((!Then.Ends && Leaves(Then)) || (!Else.Ends && Leaves(Else)))
    Guards.push_back(std::nullopt);
  return Result;
}

Flow SymbolicWalk::walkSwitch(const SwitchStmt *S) {
  if (S->getInit())
    walk(S->getInit());
  eval(S->getCond());
  Counts Changed;
  changedBy(S->getBody(), Changed);
  forget(Changed);
  size_t Saved = Guards.size();
  Guards.push_back(std::nullopt);
  Switches.push_back({Changed, Guards.size()});
  Flow F = walk(S->getBody());
  Switches.pop_back();
  Guards.resize(Saved);
  forget(Changed);
  F.Ends = false;
  F.MayBreak = false;
  if (F.MayReturn || F.MayContinue)
    Guards.push_back(std::nullopt);
  return F;
}

void SymbolicWalk::walkDecl(const DeclStmt *S) {
  for (const Decl *D : S->decls())
    if (auto *V = dyn_cast<VarDecl>(D))
      declare(V);
}

void SymbolicWalk::declare(const VarDecl *V) {
  if (V->hasGlobalStorage() || V->hasAttr<CUDASharedAttr>())
    return;
  const Expr *Init = V->getInit();
  if (V->getType()->isReferenceType()) {
    References.erase(V);
    if (!Init)
      return;
    Place P = place(Init);
    if (P.K == Place::Kind::Unknown) {
      P.K = Place::Kind::Variable; // a temporary kept alive by the reference
      P.Variable = V;
      Variables[V] = evalAsValue(Init);
    }
    References[V] = P;
    return;
  }
  Variables.erase(V);
  if (Init) {
    Value Known = evalAsValue(Init);
    if (!V->getType()->isArrayType())
      Variables[V] = std::move(Known);
  }
}

} // namespace catt
