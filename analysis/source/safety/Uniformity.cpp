//===- Uniformity.cpp - What all threads of a block do together -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/source/safety/Uniformity.h"
#include "analysis/source/syntax/NodeKinds.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace catt {

static constexpr unsigned MostSteps = 4000000;

/// What is uniform, by the rules of how values come from values.
class Uniformity::Rules final : public ValueRules {
public:
  explicit Rules(Uniformity &U) : U(U) {}

protected:
  bool variable(const VarDecl &V) override { return U.variable(V); }
  bool computes(const FunctionDecl &F) override { return U.Proof.computes(F); }
  bool written(const Expr &Place) override { return place(&Place); }
  bool step() override {
    if (++U.Steps > MostSteps && !U.Unknown)
      U.giveUp(*U.Body);
    return U.Steps <= MostSteps;
  }
  /// What `const T *__restrict__` points to does not change while the kernel
  /// runs: CUDA C++ Programming Guide, "__ldg() and the read-only cache".
  bool pointee(const Expr &Pointer) override {
    auto *C = dyn_cast<ImplicitCastExpr>(Pointer.IgnoreParens());
    if (!C || C->getCastKind() != CK_LValueToRValue)
      return false;
    auto *P = dyn_cast_or_null<ParmVarDecl>(
        namedVariable(C->getSubExpr()->IgnoreParens()));
    if (!P || !U.IsKernel || U.Uses.Written.contains(P) || !variable(*P))
      return false;
    QualType T = P->getType();
    return T->isPointerType() && T.isRestrictQualified() &&
           T->getPointeeType().isConstQualified();
  }

private:
  Uniformity &U;
};

Uniformity::Uniformity(const FunctionDecl &Function, bool IsKernel,
                       llvm::DenseSet<const VarDecl *> DivergentParameters)
    : Values(std::make_unique<Rules>(*this)), Body(Function.getBody()),
      Divergent(std::move(DivergentParameters)), IsKernel(IsKernel) {
  for (const ParmVarDecl *P : Function.parameters())
    Declared.insert(P);
  Uses = mentionsIn(*Body, Proof);
  if (Uses.VariableSize)
    giveUp(*Uses.VariableSize);
  // Marks only ever grow, so this ends; each pass is linear.
  do {
    Changed = false;
    walk();
  } while (Changed && !Unknown);
}

Uniformity::~Uniformity() = default;

void Uniformity::walk() {
  DivergentReturns.clear();
  Exits.clear();
  Reached.clear();
  visit(Body, {});
  for (auto &[Write, Variable] : Uses.Writes)
    if (!Reached.contains(Write))
      mark(Variable);
}

void Uniformity::mark(const VarDecl *V) {
  Changed |= Divergent.insert(V).second;
}

void Uniformity::markLoop(const Stmt *S) {
  if (S)
    Changed |= DivergentTargets.insert(S).second;
}

void Uniformity::giveUp(const Stmt &S) {
  if (!Unknown)
    Unknown = &S;
}

std::string Uniformity::unknownName() const {
  if (Steps > MostSteps)
    return "a function that is too large to follow";
  if (Unknown == Uses.VariableSize)
    return "an array of variable size";
  if (isa<LabelStmt>(Unknown))
    return "a label";
  if (isa<GotoStmt, IndirectGotoStmt>(Unknown))
    return "a goto";
  if (isa<CXXTryStmt, CXXCatchStmt>(Unknown))
    return "a try";
  if (isa<BreakStmt, ContinueStmt, ReturnStmt>(Unknown))
    return "a jump out of a statement expression";
  return std::string("a ") + Unknown->getStmtClassName();
}

//===-- Values -----------------------------------------------------------===//

bool Uniformity::variable(const VarDecl &V) const {
  if (V.isConstexpr() && !V.getType()->isReferenceType())
    return true;
  return Declared.contains(&V) && !Divergent.contains(&V) &&
         !Uses.Exposed.contains(&V) &&
         isPlainObject(V.getType(), V.getASTContext());
}

bool Uniformity::isUniform(const Expr *E) const {
  return !Unknown && Values->value(E);
}

bool Uniformity::insideIsUniform(const Stmt *S) const {
  if (Unknown)
    return false;
  if (auto *I = dyn_cast<IfStmt>(S))
    return I->isConsteval() || isUniform(I->getCond());
  if (isa<ForStmt, WhileStmt, DoStmt>(S))
    return Seen.contains(S) && !DivergentTargets.contains(S);
  return isa<CompoundStmt, AttributedStmt>(S);
}

//===-- Statements -------------------------------------------------------===//

Uniformity::Control Uniformity::Control::split(bool Splits) const {
  Control C = *this;
  C.Divergent |= Splits;
  C.DivergentInLoop |= Splits;
  C.DivergentInTarget |= Splits;
  return C;
}

void Uniformity::visitBranch(const IfStmt &S, const Control &C) {
  visit(S.getInit(), C);
  visit(S.getConditionVariableDeclStmt(), C);
  visit(S.getCond(), C);
  Control Inside = C.split(!S.isConsteval() && !isUniform(S.getCond()));
  visit(S.getThen(), Inside);
  visit(S.getElse(), Inside);
}

void Uniformity::visitSwitch(const SwitchStmt &S, const Control &C) {
  visit(S.getInit(), C);
  visit(S.getConditionVariableDeclStmt(), C);
  visit(S.getCond(), C);
  bool Splits = !isUniform(S.getCond()) || DivergentTargets.contains(&S);
  Control Inside = C.split(Splits);
  Inside.Target = &S;
  Inside.DivergentInTarget = Splits;
  visit(S.getBody(), Inside);
}

void Uniformity::visitLoop(const Stmt &S, const Control &C) {
  LoopParts P = loopParts(S);
  Seen.insert(&S);
  visit(P.Init, C);
  visit(P.Variable, C.split(DivergentTargets.contains(&S)));
  if (!isUniform(P.Cond))
    markLoop(&S);
  Control Inside = C.split(DivergentTargets.contains(&S));
  Inside.Loop = Inside.Target = &S;
  Inside.DivergentInLoop = Inside.DivergentInTarget = false;
  Loops.push_back(&S);
  visit(P.Cond, Inside);
  visit(P.Body, Inside);
  visit(P.Inc, Inside);
  Loops.pop_back();
}

void Uniformity::visitReturn(const ReturnStmt &S, const Control &C) {
  visit(S.getRetValue(), C);
  if (C.InExpression)
    giveUp(S);
  if (C.InLambda || !C.Divergent)
    return;
  DivergentReturns.push_back(&S);
  // In a callee the threads that return go on in the caller.
  if (!IsKernel)
    for (const Stmt *L : Loops)
      markLoop(L);
}

void Uniformity::visitDeclaration(const DeclStmt &S, const Control &C) {
  for (const Decl *D : S.decls()) {
    switch (roleOf(D->getKind())) {
    case DeclRole::Variable: {
      auto *V = cast<VarDecl>(D);
      Declared.insert(V);
      if (!V->getInit())
        break;
      visit(V->getInit(), C);
      if (C.Divergent || !isUniform(V->getInit()))
        mark(V);
      break;
    }
    case DeclRole::NameOnly:
    case DeclRole::Function: // declared, not called
      break;
    default: // what is not listed is refused
      giveUp(S);
    }
  }
}

void Uniformity::visit(const Stmt *S, const Control &C) {
  if (!S || Unknown)
    return;
  if (++Steps > MostSteps)
    return giveUp(*Body);
  if (auto *E = dyn_cast<Expr>(S))
    return visitExpr(*E, C);
  switch (roleOf(*S)) {
  case NodeRole::Block:
  case NodeRole::Attributed:
  case NodeRole::Case:
    return visitChildren(*S, C);
  case NodeRole::Nothing:
    return;
  case NodeRole::Declaration:
    return visitDeclaration(*cast<DeclStmt>(S), C);
  case NodeRole::Branch:
    return visitBranch(*cast<IfStmt>(S), C);
  case NodeRole::Switch:
    return visitSwitch(*cast<SwitchStmt>(S), C);
  case NodeRole::Loop:
    return visitLoop(*S, C);
  case NodeRole::RangeLoop: {
    // Its iterators are not followed.
    Control Inside = C.split(true);
    Inside.Loop = Inside.Target = S;
    Loops.push_back(S);
    visitChildren(*S, Inside);
    Loops.pop_back();
    return;
  }
  case NodeRole::Return:
    return visitReturn(*cast<ReturnStmt>(S), C);
  case NodeRole::Break:
    // Some threads leave the loop or the switch alone.
    if (C.InExpression)
      giveUp(*S);
    if (C.DivergentInTarget)
      markLoop(C.Target);
    return;
  case NodeRole::Continue:
    if (C.InExpression)
      giveUp(*S);
    if (C.DivergentInLoop)
      markLoop(C.Loop);
    return;
  case NodeRole::Assembly:
    // PTX ISA, "exit" and "trap"; a predicate may stand before them.
    Exits.push_back(S);
    return visitChildren(*S, C);
  default: // what is not listed is refused
    return giveUp(*S);
  }
}

void Uniformity::visitChildren(const Stmt &S, const Control &C) {
  for (const Stmt *Child : S.children())
    visit(Child, C);
}

//===-- Expressions ------------------------------------------------------===//

/// What the expression itself writes; LocalMentions has exposed what else may
/// be written.
void Uniformity::assignments(const Expr &E, const Control &C) {
  for (const OperandEffect &X : effectsOf(E)) {
    const VarDecl *V = X.writes() ? rootOf(X.Place) : nullptr;
    if (!V)
      continue;
    Reached.insert(&E);
    if (C.Divergent || !Values->place(X.Place) || !isUniform(X.Value))
      mark(V);
  }
}

void Uniformity::visitCall(const CallExpr &E, const Control &C) {
  assignments(E, C);
  const FunctionDecl *F = E.getDirectCallee();
  if (F && F->isNoReturn())
    Exits.push_back(&E);
  visitChildren(E, C);
}

/// The value of Condition decides whether each of Operands is evaluated.
void Uniformity::visitBranches(const Expr &Condition,
                               llvm::ArrayRef<const Expr *> Operands,
                               const Control &C) {
  visit(&Condition, C);
  Control Inside = C.split(!isUniform(&Condition));
  for (const Expr *Operand : Operands)
    visit(Operand, Inside);
}

void Uniformity::visitExpr(const Expr &E, const Control &C) {
  switch (roleOf(E)) {
  case NodeRole::Constant:
    return;
  case NodeRole::Wrapper:
    return visit(wrappedIn(E), C);
  case NodeRole::Unary:
    assignments(E, C);
    return visitChildren(E, C);
  case NodeRole::Binary: {
    auto &B = cast<BinaryOperator>(E);
    assignments(E, C);
    return B.isLogicalOp() ? visitBranches(*B.getLHS(), {B.getRHS()}, C)
                           : visitChildren(E, C);
  }
  case NodeRole::Conditional: {
    auto &Q = cast<ConditionalOperator>(E);
    return visitBranches(*Q.getCond(), {Q.getTrueExpr(), Q.getFalseExpr()}, C);
  }
  case NodeRole::DefaultedConditional: {
    auto &Q = cast<BinaryConditionalOperator>(E);
    return visitBranches(*Q.getCommon(), {Q.getFalseExpr()}, C);
  }
  case NodeRole::Call:
  case NodeRole::MemberCall:
  case NodeRole::OperatorCall:
    return visitCall(cast<CallExpr>(E), C);
  case NodeRole::Lambda: {
    // Its calls are not followed: what it assigns may differ.
    for (const Stmt *Init : cast<LambdaExpr>(E).capture_inits())
      visit(Init, C);
    Control Inside = Control().split(true);
    Inside.InLambda = true;
    return visit(cast<LambdaExpr>(E).getBody(), Inside);
  }
  case NodeRole::StatementExpression: {
    Control Inside = C;
    Inside.InExpression = true;
    return visit(cast<StmtExpr>(E).getSubStmt(), Inside);
  }
  case NodeRole::Property: // the getter's call has no operands of the user's
    return visit(cast<PseudoObjectExpr>(E).getSyntacticForm(), C);
  case NodeRole::Temporary:
  case NodeRole::Name:
  case NodeRole::Member:
  case NodeRole::Subscript:
  case NodeRole::Cast:
  case NodeRole::Construct:
  case NodeRole::InitList:
  case NodeRole::This:
  case NodeRole::UnknownExpr:
    return visitChildren(E, C);
  default: // no expression
    return giveUp(E);
  }
}

} // namespace catt
