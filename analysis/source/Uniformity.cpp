//===- Uniformity.cpp - What all threads of a block do together -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/source/Uniformity.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace catt {

Uniformity::Uniformity(const FunctionDecl &Function, bool IsKernel,
                       llvm::DenseSet<const VarDecl *> DivergentParameters)
    : Divergent(std::move(DivergentParameters)), IsKernel(IsKernel) {
  // Marks only ever grow, so this ends; each pass is linear.
  do {
    Changed = false;
    DivergentReturns.clear();
    visit(Function.getBody(), false, nullptr, false);
  } while (Changed);
}

bool Uniformity::mark(const VarDecl *V) {
  bool New = Divergent.insert(V).second;
  Changed |= New;
  return New;
}

//===-- Values -----------------------------------------------------------===//

static bool isLaunchVariable(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"blockIdx", "blockDim", "gridDim", "warpSize"}, true)
      .Default(false);
}

static llvm::StringRef nameOf(const NamedDecl *D) {
  return D && D->getDeclName().isIdentifier() ? D->getName()
                                              : llvm::StringRef();
}

/// blockIdx and its like, as the object of a property or of its getter.
static bool isLaunchObject(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (auto *O = dyn_cast<OpaqueValueExpr>(E); O && O->getSourceExpr())
    E = O->getSourceExpr()->IgnoreParenImpCasts();
  auto *D = dyn_cast<DeclRefExpr>(E);
  return D && isLaunchVariable(nameOf(D->getDecl()));
}

/// An lvalue whose content no thread of the grid can change while it runs.
bool Uniformity::isUniformLoad(const Expr *E) const {
  E = E->IgnoreParens();
  if (E->getType().isVolatileQualified())
    return false;
  if (auto *C = dyn_cast<CastExpr>(E))
    return isUniformLoad(C->getSubExpr());
  if (auto *M = dyn_cast<MaterializeTemporaryExpr>(E))
    return isUniform(M->getSubExpr());
  if (auto *D = dyn_cast<DeclRefExpr>(E)) {
    auto *V = dyn_cast<VarDecl>(D->getDecl());
    if (!V)
      return true;
    if (isLaunchVariable(nameOf(V)) || V->hasAttr<CUDAConstantAttr>())
      return true;
    if (V->hasAttr<CUDASharedAttr>() || nameOf(V) == "threadIdx" ||
        V->getType()->isReferenceType())
      return false;
    if (V->hasGlobalStorage())
      return V->isConstexpr() || V->getType().isConstQualified();
    return !Divergent.contains(V);
  }
  if (auto *M = dyn_cast<MemberExpr>(E))
    return !M->isArrow() && isUniformLoad(M->getBase());
  const Expr *Address = nullptr;
  if (auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
    if (!isUniform(A->getIdx()))
      return false;
    Address = A->getBase();
  } else if (auto *U = dyn_cast<UnaryOperator>(E);
             U && U->getOpcode() == UO_Deref) {
    Address = U->getSubExpr();
  }
  if (!Address)
    return false;
  Address = Address->IgnoreParenImpCasts();
  auto *D = dyn_cast<DeclRefExpr>(Address);
  auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
  if (!V || Divergent.contains(V))
    return false;
  if (V->hasAttr<CUDAConstantAttr>())
    return true;
  return IsKernel && isa<ParmVarDecl>(V) && V->getType()->isPointerType() &&
         V->getType().isRestrictQualified() &&
         V->getType()->getPointeeType().isConstQualified();
}

/// Calls of functions that only compute: math, min/max, constexpr helpers.
static bool onlyComputes(const Stmt *S, unsigned Depth) {
  if (!S)
    return true;
  if (isa<AsmStmt, GotoStmt, LambdaExpr, CXXThisExpr>(S))
    return false;
  if (auto *D = dyn_cast<DeclRefExpr>(S)) {
    auto *V = dyn_cast<VarDecl>(D->getDecl());
    if (V && V->hasGlobalStorage() &&
        !(V->isConstexpr() || V->getType().isConstQualified()))
      return false;
    if (nameOf(D->getDecl()) == "threadIdx")
      return false;
  }
  if (auto *U = dyn_cast<UnaryOperator>(S); U && U->getOpcode() == UO_Deref)
    return false;
  if (isa<ArraySubscriptExpr>(S))
    return false;
  if (auto *M = dyn_cast<MemberExpr>(S); M && M->isArrow())
    return false;
  if (auto *C = dyn_cast<CallExpr>(S)) {
    const FunctionDecl *F = C->getDirectCallee(), *Def = nullptr;
    if (!F || Depth == 0)
      return false;
    if (!F->getBuiltinID() &&
        (!F->hasBody(Def) || !onlyComputes(Def->getBody(), Depth - 1)))
      return false;
    if (F->getBuiltinID() && !F->hasAttr<ConstAttr>() &&
        !F->hasAttr<PureAttr>())
      return false;
  }
  return llvm::all_of(S->children(), [&](const Stmt *Child) {
    return onlyComputes(Child, Depth);
  });
}

static bool isMathFunction(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"min", "max", "abs", "umin", "umax", "__mul24", "__umul24"}, true)
      .Cases({"sqrt", "sqrtf", "ceil", "ceilf", "floor", "floorf"}, true)
      .Cases({"fminf", "fmaxf", "fmin", "fmax", "pow", "powf"}, true)
      .Cases({"exp", "expf", "log", "logf", "log2", "log2f"}, true)
      .Default(false);
}

bool Uniformity::isUniformCall(const CallExpr *E) const {
  const FunctionDecl *F = E->getDirectCallee(), *Def = nullptr;
  if (!F || isa<CXXMemberCallExpr>(E) || isa<CXXOperatorCallExpr>(E))
    return false;
  for (const Expr *A : E->arguments())
    if (!(A->isGLValue() ? isUniformLoad(A) : isUniform(A)) ||
        A->getType()->isPointerType())
      return false;
  return isMathFunction(nameOf(F)) ||
         (F->hasBody(Def) && onlyComputes(Def->getBody(), 4));
}

bool Uniformity::isUniform(const Expr *E) const {
  if (!E)
    return true;
  E = E->IgnoreParens();
  if (E->isTypeDependent() || E->isValueDependent())
    return false;
  if (auto *P = dyn_cast<PseudoObjectExpr>(E))
    return isUniform(P->getSyntacticForm());
  if (auto *P = dyn_cast<MSPropertyRefExpr>(E))
    return isLaunchObject(P->getBaseExpr());
  if (auto *C = dyn_cast<CastExpr>(E)) {
    if (C->getCastKind() == CK_LValueToRValue)
      return isUniformLoad(C->getSubExpr());
    return C->getSubExpr()->isGLValue() ? isUniformLoad(C->getSubExpr())
                                        : isUniform(C->getSubExpr());
  }
  if (auto *C = dyn_cast<CallExpr>(E)) {
    if (auto *M = dyn_cast<CXXMemberCallExpr>(C)) // blockIdx.x's getter
      return isLaunchObject(M->getImplicitObjectArgument());
    return isUniformCall(C);
  }
  if (isa<AtomicExpr, StmtExpr, LambdaExpr, CXXThisExpr>(E))
    return false;
  if (auto *B = dyn_cast<BinaryOperator>(E); B && B->isAssignmentOp())
    return isUniform(B->getRHS()) && isUniformLoad(B->getLHS());
  if (E->isGLValue())
    return isUniformLoad(E);
  if (auto *U = dyn_cast<UnaryOperator>(E)) {
    if (U->getOpcode() == UO_AddrOf)
      return false;
    if (U->isIncrementDecrementOp())
      return isUniformLoad(U->getSubExpr());
  }
  if (isa<DeclRefExpr>(E))
    return true; // enumerators, functions
  return llvm::all_of(E->children(), [&](const Stmt *Child) {
    auto *X = dyn_cast_or_null<Expr>(Child);
    return !X || isUniform(X);
  });
}

//===-- Statements -------------------------------------------------------===//

/// The lvalue gets a value that may differ between threads.
void Uniformity::assigned(const Expr *E, bool IsDivergent) {
  if (!IsDivergent)
    return;
  E = E->IgnoreParenCasts();
  if (auto *M = dyn_cast<MemberExpr>(E); M && !M->isArrow())
    return assigned(M->getBase(), true);
  if (auto *A = dyn_cast<ArraySubscriptExpr>(E))
    return assigned(A->getBase()->IgnoreParenImpCasts(), true);
  if (auto *D = dyn_cast<DeclRefExpr>(E))
    if (auto *V = dyn_cast<VarDecl>(D->getDecl()))
      mark(V);
}

bool Uniformity::insideIsUniform(const Stmt *S) const {
  if (HasJumps)
    return false;
  if (auto *I = dyn_cast<IfStmt>(S))
    return I->isConsteval() || isUniform(I->getCond());
  if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S))
    return !DivergentLoops.contains(S);
  return isa<CompoundStmt, AttributedStmt>(S);
}

void Uniformity::visitLoop(const Stmt *S, bool IsDivergent) {
  const Expr *Cond = nullptr;
  const Stmt *Init = nullptr, *Inc = nullptr, *Body = nullptr;
  if (auto *F = dyn_cast<ForStmt>(S)) {
    Init = F->getInit();
    Cond = F->getCond();
    Inc = F->getInc();
    Body = F->getBody();
  } else if (auto *W = dyn_cast<WhileStmt>(S)) {
    Cond = W->getCond();
    Body = W->getBody();
  } else if (auto *D = dyn_cast<DoStmt>(S)) {
    Cond = D->getCond();
    Body = D->getBody();
  } else {
    Body = cast<CXXForRangeStmt>(S)->getBody();
    Changed |= DivergentLoops.insert(S).second; // iterators are not followed
  }
  visit(Init, IsDivergent, nullptr, false);
  if (!isUniform(Cond))
    Changed |= DivergentLoops.insert(S).second;
  bool Inside = IsDivergent || DivergentLoops.contains(S);
  visit(Cond, Inside, S, false);
  visit(Body, Inside, S, false);
  visit(Inc, Inside, S, false);
}

void Uniformity::visit(const Stmt *S, bool IsDivergent, const Stmt *Loop,
                       bool DivergentInLoop) {
  if (!S)
    return;
  if (isa<GotoStmt, IndirectGotoStmt, LabelStmt>(S))
    HasJumps = true;
  if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S))
    return visitLoop(S, IsDivergent);
  if (isa<BreakStmt, ContinueStmt>(S)) {
    // Some threads leave (or skip the rest of) the innermost loop alone. A
    // break out of a switch is treated the same: the walk does not tell them
    // apart, and the error is on the safe side.
    if (DivergentInLoop && Loop)
      Changed |= DivergentLoops.insert(Loop).second;
    return;
  }
  if (auto *R = dyn_cast<ReturnStmt>(S)) {
    visit(R->getRetValue(), IsDivergent, Loop, DivergentInLoop);
    if (IsDivergent)
      DivergentReturns.push_back(S);
    // In a callee the threads that return go on in the caller.
    if (!IsKernel && DivergentInLoop && Loop)
      Changed |= DivergentLoops.insert(Loop).second;
    return;
  }
  auto Branch = [&](const Expr *Cond, llvm::ArrayRef<const Stmt *> Parts) {
    visit(Cond, IsDivergent, Loop, DivergentInLoop);
    bool Split = !isUniform(Cond);
    for (const Stmt *P : Parts)
      visit(P, IsDivergent || Split, Loop, DivergentInLoop || Split);
  };
  if (auto *I = dyn_cast<IfStmt>(S)) {
    visit(I->getInit(), IsDivergent, Loop, DivergentInLoop);
    visit(I->getConditionVariableDeclStmt(), IsDivergent, Loop,
          DivergentInLoop);
    return Branch(I->getCond(), {I->getThen(), I->getElse()});
  }
  if (auto *W = dyn_cast<SwitchStmt>(S))
    return Branch(W->getCond(), {W->getBody()});
  if (auto *C = dyn_cast<AbstractConditionalOperator>(S))
    return Branch(C->getCond(), {C->getTrueExpr(), C->getFalseExpr()});
  if (auto *B = dyn_cast<BinaryOperator>(S)) {
    if (B->isLogicalOp())
      return Branch(B->getLHS(), {B->getRHS()});
    if (B->isAssignmentOp()) {
      bool Same = isUniform(B->getRHS()) &&
                  (!B->isCompoundAssignmentOp() || isUniformLoad(B->getLHS()));
      assigned(B->getLHS(), IsDivergent || !Same);
    }
  } else if (auto *U = dyn_cast<UnaryOperator>(S)) {
    if (U->isIncrementDecrementOp())
      assigned(U->getSubExpr(), IsDivergent);
    if (U->getOpcode() == UO_AddrOf)
      assigned(U->getSubExpr(), true);
  } else if (auto *D = dyn_cast<DeclStmt>(S)) {
    for (const Decl *X : D->decls())
      if (auto *V = dyn_cast<VarDecl>(X)) {
        if (V->getInit() && (IsDivergent || !isUniform(V->getInit())))
          mark(V);
        if (V->getInit() && V->getType()->isReferenceType())
          assigned(V->getInit(), true);
      }
  } else if (auto *C = dyn_cast<CallExpr>(S)) {
    const FunctionDecl *F = C->getDirectCallee();
    for (unsigned I = 0; I < C->getNumArgs(); ++I)
      if (C->getArg(I)->isGLValue() && !(F && isMathFunction(nameOf(F))))
        assigned(C->getArg(I), true); // may be changed through a reference
    if (auto *M = dyn_cast<CXXMemberCallExpr>(C);
        M && M->getMethodDecl() && !M->getMethodDecl()->isConst())
      assigned(M->getImplicitObjectArgument(), true);
  } else if (auto *L = dyn_cast<LambdaExpr>(S)) {
    // Its calls are not followed: what it assigns may differ.
    return visit(L->getBody(), true, nullptr, false);
  }
  for (const Stmt *Child : S->children())
    visit(Child, IsDivergent, Loop, DivergentInLoop);
}

} // namespace catt
