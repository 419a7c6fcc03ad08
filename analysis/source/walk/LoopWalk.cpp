//===- LoopWalk.cpp - Loops of a symbolic walk -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops of SymbolicWalk: which variables a loop changes, by which step, how
// often it runs, and what is known after it.
//
//===----------------------------------------------------------------------===//

#include "analysis/source/syntax/Effects.h"
#include "analysis/source/walk/SymbolicWalk.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace catt {

//===-- What a statement changes ------------------------------------------===//

void SymbolicWalk::changedThrough(const Expr *E, bool Reads,
                                  Counts &Changed) const {
  E = E->IgnoreParens();
  if (auto *M = dyn_cast<MaterializeTemporaryExpr>(E))
    return changedBy(M->getSubExpr(), Changed);
  if (auto *D = dyn_cast<DeclRefExpr>(E)) {
    auto *V = dyn_cast<VarDecl>(D->getDecl());
    if (!V || Reads)
      return;
    ++Changed[V];
    if (auto It = References.find(V);
        It != References.end() && It->second.K == Place::Kind::Variable)
      ++Changed[It->second.Variable];
    return;
  }
  if (auto *M = dyn_cast<MemberExpr>(E)) {
    if (!M->isArrow())
      return changedThrough(M->getBase(), Reads, Changed);
    if (isa<CXXThisExpr>(M->getBase()->IgnoreParenImpCasts()))
      return changedThis(Reads, Changed);
    return changedBy(M->getBase(), Changed);
  }
  if (auto *C = dyn_cast<CastExpr>(E);
      C && C->isGLValue() && C->getSubExpr()->isGLValue())
    return changedThrough(C->getSubExpr(), Reads, Changed);
  changedBy(E, Changed);
}

/// The object of the function that is walked, where it is a variable.
void SymbolicWalk::changedThis(bool Reads, Counts &Changed) const {
  if (!Reads && !Frames.empty() &&
      Frames.back().This.K == Place::Kind::Variable)
    ++Changed[Frames.back().This.Variable];
}

void SymbolicWalk::changedByArguments(const FunctionDecl *F,
                                      llvm::ArrayRef<const Expr *> Arguments,
                                      Counts &Changed) const {
  for (size_t I = 0; I < Arguments.size(); ++I) {
    bool Reads = F && I < F->getNumParams() &&
                 !isMutableReference(F->getParamDecl(I)->getType());
    if (Arguments[I]->isGLValue())
      changedThrough(Arguments[I], Reads, Changed);
    else
      changedBy(Arguments[I], Changed);
  }
}

void SymbolicWalk::changedByCall(const CallExpr &E, Counts &Changed) const {
  if (auto *K = dyn_cast<CUDAKernelCallExpr>(&E))
    changedBy(K->getConfig(), Changed);
  const FunctionDecl *F = E.getDirectCallee();
  auto *Method = dyn_cast_or_null<CXXMethodDecl>(F);
  bool Reads = Method && leavesObject(*Method);
  const Expr *Object = objectOf(E);
  if (!F)
    changedBy(E.getCallee(), Changed);
  if (Object && isa<CXXThisExpr>(Object->IgnoreParenImpCasts()))
    changedThis(Reads, Changed);
  else if (Object && Object->isGLValue())
    changedThrough(Object, Reads, Changed);
  else
    changedBy(Object, Changed);
  changedByArguments(F, argumentsOf(E), Changed);
}

void SymbolicWalk::changedBy(const Stmt *S, Counts &Changed) const {
  if (!S)
    return;
  if (isa<CXXThisExpr>(S))
    return changedThis(false, Changed);
  if (auto *B = dyn_cast<BinaryOperator>(S); B && B->isAssignmentOp()) {
    changedThrough(B->getLHS(), false, Changed);
    return changedBy(B->getRHS(), Changed);
  }
  if (auto *U = dyn_cast<UnaryOperator>(S);
      U && (U->isIncrementDecrementOp() || U->getOpcode() == UO_AddrOf))
    return changedThrough(U->getSubExpr(), false, Changed);
  if (auto *C = dyn_cast<CastExpr>(S);
      C && (C->getCastKind() == CK_LValueToRValue ||
            C->getCastKind() == CK_ArrayToPointerDecay))
    return changedThrough(C->getSubExpr(), true, Changed);
  if (auto *M = dyn_cast<MemberExpr>(S))
    return changedThrough(M, true, Changed);
  if (auto *C = dyn_cast<CXXConstructExpr>(S))
    return changedByArguments(C->getConstructor(),
                              {C->getArgs(), C->getNumArgs()}, Changed);
  if (auto *C = dyn_cast<CallExpr>(S))
    return changedByCall(*C, Changed);
  if (auto *D = dyn_cast<DeclRefExpr>(S)) {
    if (auto *V = dyn_cast<VarDecl>(D->getDecl());
        V && !V->getType()->isArrayType())
      ++Changed[V];
    return;
  }
  if (auto *D = dyn_cast<DeclStmt>(S)) {
    for (const Decl *X : D->decls())
      if (auto *V = dyn_cast<VarDecl>(X)) {
        if (V->getInit() && isMutableReference(V->getType()))
          changedThrough(V->getInit(), false, Changed);
        else
          changedBy(V->getInit(), Changed);
      }
    return;
  }
  if (auto *L = dyn_cast<LambdaExpr>(S))
    return changedBy(L->getBody(), Changed);
  for (const Stmt *Child : S->children())
    changedBy(Child, Changed);
}

void SymbolicWalk::forget(const Counts &Changed) {
  for (auto &[V, Count] : Changed)
    Variables.erase(V);
}

//===-- Loops ------------------------------------------------------------===//

/// True if `continue` can skip the end of this loop's body.
static bool hasContinue(const Stmt *S) {
  if (!S || isLoop(S) || isa<LambdaExpr>(S))
    return false;
  return isa<ContinueStmt, GotoStmt>(S) ||
         llvm::any_of(S->children(), hasContinue);
}

static bool names(const Expr *E, const VarDecl *V) {
  return namedVariable(E->IgnoreParenImpCasts()) == V;
}

/// The step, if the statement always runs V++, V += e, V = V + e or the like
/// once, as itself or inside an expression (`*p++ = 0`).
std::optional<AffineIndex> SymbolicWalk::stepOf(const Stmt *S,
                                                const VarDecl *V) {
  if (!S || isa<AbstractConditionalOperator, LambdaExpr,
                UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, CXXTypeidExpr,
                StmtExpr, GenericSelectionExpr, ChooseExpr>(S))
    return std::nullopt;
  if (auto Step = stepHere(S, V))
    return Step;
  if (!isa<Expr, DeclStmt>(S))
    return std::nullopt;
  auto *B = dyn_cast<BinaryOperator>(S);
  for (const Stmt *Child : S->children()) {
    if (auto Step = stepOf(Child, V))
      return Step;
    if (B && B->isLogicalOp())
      break; // the right side may not be reached
  }
  return std::nullopt;
}

/// The step, if the expression itself is one.
std::optional<AffineIndex> SymbolicWalk::stepHere(const Stmt *S,
                                                  const VarDecl *V) {
  auto *E = dyn_cast<Expr>(S);
  if (!E)
    return std::nullopt;
  E = E->IgnoreParenImpCasts();
  int64_t Size = 1;
  if (V->getType()->isPointerType()) {
    QualType Pointee = V->getType()->getPointeeType();
    if (Pointee->isIncompleteType() || Pointee->isDependentType())
      return std::nullopt;
    Size = Context.getTypeSizeInChars(Pointee).getQuantity();
  }
  if (auto *U = dyn_cast<UnaryOperator>(E);
      U && U->isIncrementDecrementOp() && names(U->getSubExpr(), V))
    return AffineIndex(U->isIncrementOp() ? Size : -Size);
  auto *B = dyn_cast<BinaryOperator>(E);
  if (!B || !B->isAssignmentOp() || !names(B->getLHS(), V))
    return std::nullopt;
  const Expr *Distance = nullptr;
  bool Down = false;
  if (B->getOpcode() == BO_AddAssign || B->getOpcode() == BO_SubAssign) {
    Distance = B->getRHS();
    Down = B->getOpcode() == BO_SubAssign;
  } else if (B->getOpcode() == BO_Assign) {
    auto *R = dyn_cast<BinaryOperator>(B->getRHS()->IgnoreParenImpCasts());
    if (!R || !(R->getOpcode() == BO_Add || R->getOpcode() == BO_Sub))
      return std::nullopt;
    Down = R->getOpcode() == BO_Sub;
    if (names(R->getLHS(), V))
      Distance = R->getRHS();
    else if (!Down && names(R->getRHS(), V))
      Distance = R->getLHS();
  }
  if (!Distance)
    return std::nullopt;
  ++Quiet;
  Value D = evalAsValue(Distance);
  --Quiet;
  if (!D.isInteger())
    return std::nullopt;
  return D.Integer * (Down ? -Size : Size);
}

SymbolicWalk::Steps SymbolicWalk::stepsOf(const LoopParts &L) {
  Counts Changed;
  for (const Stmt *S : {static_cast<const Stmt *>(L.Cond), L.Body,
                        static_cast<const Stmt *>(L.Inc)})
    changedBy(S, Changed);
  // Steps are evaluated where nothing that the loop changes is known.
  std::map<const VarDecl *, Value> Before = Variables;
  forget(Changed);
  SmallVector<const Stmt *, 8> Candidates = {L.Inc};
  if (L.AtLeastOnce || countdownOf(L.Cond))
    Candidates.push_back(L.Cond);
  if (!hasContinue(L.Body)) {
    if (auto *C = dyn_cast_or_null<CompoundStmt>(L.Body))
      Candidates.append(C->body_begin(), C->body_end());
    else
      Candidates.push_back(L.Body);
  }
  Steps Result;
  for (auto &[V, Count] : Changed) {
    Result[V] = std::nullopt;
    if (Count != 1)
      continue;
    for (const Stmt *S : Candidates)
      if (auto Step = stepOf(S, V)) {
        Result[V] = Step;
        break;
      }
  }
  Variables = std::move(Before);
  return Result;
}

void SymbolicWalk::startIteration(const Steps &Changed,
                                  const AffineIndex &Iterator) {
  for (auto &[V, Step] : Changed) {
    auto It = Variables.find(V);
    if (It == Variables.end())
      continue;
    Value &Start = It->second;
    if (Step && Start.isInteger())
      Start.Integer += *Step * Iterator;
    else if (Step && Start.isPointer() && Start.Pointer.Offset)
      *Start.Pointer.Offset += *Step * Iterator;
    else
      Variables.erase(It);
  }
}

/// Splits I into Rest + Slope * (the loop's iterator); std::nullopt if the
/// iterator occurs in any other way.
static std::optional<std::pair<AffineIndex, AffineIndex>>
splitOff(const AffineIndex &I, unsigned Loop) {
  AffineIndex Iterator = AffineIndex::iterator(Loop);
  const AtomRef &Wanted = Iterator.terms().begin()->first.front();
  AffineIndex Rest, Slope;
  for (auto &[Atoms, Coefficient] : I.terms()) {
    AffineIndex Term = Coefficient;
    unsigned Degree = 0;
    for (const AtomRef &A : Atoms) {
      if (compare(*A, *Wanted) == 0) {
        ++Degree;
        continue;
      }
      AffineIndex Factor = AffineIndex::atom(*A);
      if (Factor.mentionsIterator(Loop))
        return std::nullopt;
      Term *= Factor;
    }
    if (Degree > 1)
      return std::nullopt;
    (Degree ? Slope : Rest) += Term;
  }
  return std::pair(Rest, Slope);
}

/// Iterations for which Guard >= 0 holds from the first one on.
static std::optional<AffineIndex> iterationsWithin(const AffineIndex &Guard,
                                                   unsigned Loop) {
  auto Parts = splitOff(Guard, Loop);
  if (!Parts)
    return std::nullopt;
  auto &[Rest, Slope] = *Parts;
  AffineIndex Down = -Slope; // what one iteration takes away
  if (Down.terms().empty() || !Down.isBlockUniform())
    return std::nullopt;
  for (auto &[Atoms, Coefficient] : Down.terms())
    if (Coefficient < 0)
      return std::nullopt; // moves away from the bound, or might
  return AffineIndex::max(0, AffineIndex::quotient(Rest + Down, Down));
}

/// `j` of the `++j` that the condition of a `do ... while` has done by now.
static const Expr *behindStep(const Expr *E, const LoopParts &L) {
  auto *U = dyn_cast<UnaryOperator>(E->IgnoreParenImpCasts());
  return L.AtLeastOnce && U && U->isPrefix() && U->isIncrementDecrementOp()
             ? U->getSubExpr()
             : E;
}

/// `i != n`, one step at a time, and what `++i < n` compares.
Condition SymbolicWalk::comparisonInLoop(const BinaryOperator &E,
                                         const LoopParts &L, unsigned Id) {
  const Expr *Left = behindStep(E.getLHS(), L),
             *Right = behindStep(E.getRHS(), L);
  auto Changes = [&](const Expr *Side, const Expr *Of) {
    return Side == Of && changesSomething(Of);
  };
  if (L.AtLeastOnce &&
      (Changes(Left, E.getLHS()) || Changes(Right, E.getRHS())))
    return std::nullopt;
  ++Quiet;
  Value X = evalAsValue(Left), Y = evalAsValue(Right);
  --Quiet;
  auto Past = X.isInteger() && Y.isInteger()
                  ? std::optional(X.Integer - Y.Integer)
                  : elementsBetween(Y, X, E.getLHS()->getType());
  if (!Past)
    return std::nullopt;
  if (E.getOpcode() != BO_NE)
    return E.isComparisonOp() ? comparison(E.getOpcode(), *Past, 0, true)
                              : std::nullopt;
  if (auto Parts = splitOff(*Past, Id))
    if (auto S = Parts->second.constant(); S && (*S == 1 || *S == -1))
      return comparison(*S == 1 ? BO_LT : BO_GT, *Past, 0, true);
  return std::nullopt;
}

std::optional<AffineIndex> SymbolicWalk::tripCount(const LoopParts &L,
                                                   unsigned Id, bool &Exact) {
  Exact = false;
  if (!L.Cond)
    return std::nullopt;
  // Conjuncts that bound the iterator count; others only end the loop earlier.
  SmallVector<const Expr *, 4> Work = {L.Cond};
  std::optional<AffineIndex> Trips;
  Exact = true;
  while (!Work.empty()) {
    const Expr *E = Work.pop_back_val()->IgnoreParenImpCasts();
    auto *B = dyn_cast<BinaryOperator>(E);
    if (B && B->getOpcode() == BO_LAnd) {
      Work.push_back(B->getLHS());
      Work.push_back(B->getRHS());
      continue;
    }
    Condition C = conditionOf(E, true);
    if (const VarDecl *V = countdownOf(E); V && !L.AtLeastOnce) {
      auto It = Variables.find(V);
      if (It != Variables.end() && It->second.isInteger())
        C = comparison(BO_GT, It->second.Integer, 0, true);
    }
    if (!C && B && (B->getOpcode() == BO_NE || L.AtLeastOnce))
      C = comparisonInLoop(*B, L, Id);
    if (!C) {
      Exact = false;
      continue;
    }
    for (const Guard &G : *C) {
      auto N = iterationsWithin(G.Condition, Id);
      if (!N)
        Exact = false;
      else
        Trips = Trips ? AffineIndex::min(*Trips, *N) : *N;
    }
  }
  if (!Trips)
    Exact = false;
  else if (L.AtLeastOnce)
    *Trips += 1;
  return Trips;
}

void SymbolicWalk::leaveLoop(const Steps &Changed,
                             const std::map<const VarDecl *, Value> &Before,
                             const std::optional<AffineIndex> &Trips) {
  for (auto &[V, Step] : Changed) {
    auto Start = Before.find(V);
    if (!Step || !Trips || Start == Before.end()) {
      Variables.erase(V);
      continue;
    }
    Value End = Start->second;
    if (End.isInteger())
      End.Integer += *Step * *Trips;
    else if (End.isPointer() && End.Pointer.Offset)
      *End.Pointer.Offset += *Step * *Trips;
    else
      End = Value();
    Variables[V] = End;
  }
}

static bool returns(const Stmt *S) {
  return S && !isa<LambdaExpr>(S) &&
         (isa<ReturnStmt>(S) || llvm::any_of(S->children(), returns));
}

Flow SymbolicWalk::walkLoop(const Stmt *S) {
  LoopParts L = loopParts(*S);
  walk(L.Init);
  walk(L.Range);
  Steps Changed = stepsOf(L);
  if (Quiet) { // evaluation only: what the loop changes is unknown
    for (auto &[V, Step] : Changed)
      Variables.erase(V);
    if (!Frames.empty() && returns(L.Body)) {
      Frames.back().Returned.emplace_back();
      Frames.back().ReturnedPlaces.emplace_back();
    }
    return {};
  }
  std::map<const VarDecl *, Value> Before = Variables;
  unsigned Id = onLoop(*S);
  LoopStack.push_back(Id);
  size_t Saved = Guards.size();
  startIteration(Changed, AffineIndex::iterator(Id));
  bool Exact = false;
  std::optional<AffineIndex> Trips;
  if (L.Cond && !L.AtLeastOnce) {
    Trips = tripCount(L, Id, Exact);
    eval(L.Cond);
  }
  if (!Exact && !L.AtLeastOnce)
    Guards.push_back(std::nullopt);
  Flow Body = walk(L.Body);
  Guards.resize(Saved);
  if (L.AtLeastOnce) {
    eval(L.Cond);
    Trips = tripCount(L, Id, Exact);
  }
  if (L.Inc)
    walk(L.Inc);
  LoopStack.pop_back();
  bool Early = Body.MayBreak || Body.MayReturn || !Exact;
  onLoopEnd(Id, *S, Trips, Early);
  leaveLoop(Changed, Before, Early ? std::nullopt : Trips);
  if (const VarDecl *V = countdownOf(L.Cond))
    Variables.erase(V); // once more than there are iterations
  Flow Result;
  Result.MayReturn = Body.MayReturn;
  if (Body.MayReturn)
    Guards.push_back(std::nullopt);
  return Result;
}

} // namespace catt
