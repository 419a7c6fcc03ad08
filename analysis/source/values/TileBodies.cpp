//===- TileBodies.cpp - May iterations run in tiles? ----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/values/TileBodies.h"
#include "analysis/source/safety/KnownFunctions.h"
#include "analysis/source/safety/WrapSites.h"
#include "analysis/source/syntax/Accessors.h"
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/syntax/NodeKinds.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace catt {
namespace {

class BodyReader {
public:
  BodyReader(const Stmt &Body, const ASTContext &Context, ComputeProof &Proof)
      : Body(Body), Context(Context), Proof(Proof) {}

  std::optional<Refusal> run() {
    inTile(&Body);
    return std::move(Why);
  }

private:
  void refuse(Reason Kind, SourceLocation At, const char *Detail) {
    Why = Refusal{Kind, SourceText(Context).location(At), Detail};
  }

  /// Only statements and expressions that run the same in a tile.
  void inTile(const Stmt *S, bool InLoop = false) {
    if (!S || Why)
      return;
    switch (roleOf(*S)) {
    case NodeRole::Call:
    case NodeRole::MemberCall:
    case NodeRole::OperatorCall:
      if (!computes(*cast<CallExpr>(S)))
        return refuse(Reason::WarpsCommunicate, S->getBeginLoc(),
                      "a call that does more than compute");
      break;
    case NodeRole::Construct:
      if (!isTrivial(*cast<CXXConstructExpr>(S)) &&
          !isNarrowFloat(cast<CXXConstructExpr>(S)->getType()))
        return refuse(Reason::NotCounted, S->getBeginLoc(),
                      "its body constructs objects");
      break;
    case NodeRole::Declaration:
      if (!declaresVariables(*cast<DeclStmt>(S)))
        return refuse(Reason::NotCounted, S->getBeginLoc(),
                      "its body declares more than plain variables");
      break;
    case NodeRole::Break:
      if (!InLoop)
        return refuse(Reason::EndsEarly, S->getBeginLoc(), "a break");
      break;
    case NodeRole::Return:
    case NodeRole::UnknownControl:
      return refuse(Reason::EndsEarly, S->getBeginLoc(),
                    "a return, or another jump");
    case NodeRole::Assembly:
      return refuse(Reason::InlineAssembly, S->getBeginLoc(), "");
    case NodeRole::Loop:
      InLoop = true;
      break;
    case NodeRole::Constant:
    case NodeRole::Wrapper:
    case NodeRole::Temporary:
    case NodeRole::Name:
    case NodeRole::Member:
    case NodeRole::Subscript:
    case NodeRole::Cast:
    case NodeRole::Unary:
    case NodeRole::Binary:
    case NodeRole::Conditional:
    case NodeRole::InitList:
    case NodeRole::Property:
    case NodeRole::Block:
    case NodeRole::Nothing:
    case NodeRole::Attributed:
    case NodeRole::Branch:
    case NodeRole::Continue: // with what a tile has left
      break;
    default: // what is not known to be harmless
      return refuse(Reason::NotCounted, S->getBeginLoc(),
                    "its body is not plain");
    }
    for (const Stmt *Child : S->children())
      inTile(Child, InLoop);
  }

  bool declaresVariables(const DeclStmt &S) const {
    return llvm::all_of(S.decls(), [&](const Decl *D) {
      auto *V = dyn_cast<VarDecl>(D);
      return V && V->hasLocalStorage() && !V->needsDestruction(Context);
    });
  }

  bool computes(const CallExpr &C) {
    const FunctionDecl *Callee = C.getDirectCallee();
    if (!Callee)
      return false;
    bool Pointers = llvm::any_of(Callee->parameters(), [](ParmVarDecl *P) {
      return P->getType()->isAnyPointerType();
    });
    Known What = knownFunction(*Callee);
    return What == Known::ReadOnlyLoad || givesElement(C) ||
           isTrivialAssignment(C) ||
           (!Pointers &&
            (What == Known::Computes || Proof.computes(*Callee))) ||
           changesOwn(C);
  }

  /// A variable of the function, or its address.
  static bool isOwn(const Expr &Argument) {
    const Expr *A = &Argument;
    if (A->isGLValue())
      return rootOf(A);
    A = A->IgnoreParens();
    auto *U = dyn_cast<UnaryOperator>(A);
    auto *C = dyn_cast<ImplicitCastExpr>(A);
    if (U && U->getOpcode() == UO_AddrOf)
      return rootOf(U->getSubExpr());
    return C && C->getCastKind() == CK_ArrayToPointerDecay &&
           rootOf(C->getSubExpr());
  }

  /// It only computes, and changes variables of the function that it is handed.
  bool changesOwn(const CallExpr &C) {
    const FunctionDecl *Callee = C.getDirectCallee();
    auto *Method = dyn_cast<CXXMethodDecl>(Callee);
    if (!OnArguments.callComputes(C) ||
        (Method && !Method->isStatic() && !Method->isConst() &&
         !isOwn(*objectOf(C))))
      return false;
    return llvm::all_of(llvm::zip_equal(Callee->parameters(), argumentsOf(C)),
                        [](const auto &Each) {
                          const auto &[P, Argument] = Each;
                          return (takesAValue(*P) &&
                                  !P->getType()->isAnyPointerType()) ||
                                 isOwn(*Argument);
                        });
  }

  const Stmt &Body;
  const ASTContext &Context;
  ComputeProof &Proof, OnArguments{Changes::Arguments};
  std::optional<Refusal> Why;
};

} // namespace

std::optional<Refusal> cannotRunInTiles(const Stmt &Body,
                                        const ASTContext &Context,
                                        ComputeProof &Proof) {
  return BodyReader(Body, Context, Proof).run();
}

//===-- What every iteration does -----------------------------------------===//

/// Of this loop; those of a loop inside count as well.
static bool mayContinue(const Stmt &S) {
  bool Any = false;
  forEachStmt(&S, [&](const Stmt &Each) { Any |= isa<ContinueStmt>(Each); });
  return Any;
}

/// `for (int o = 0; o < 4; ++o)`, whose body nothing leaves.
static bool runsToItsEnd(const ForStmt &Loop, const ASTContext &Context) {
  auto *Init = dyn_cast_or_null<DeclStmt>(Loop.getInit());
  auto *V = Init && Init->isSingleDecl()
                ? dyn_cast<VarDecl>(Init->getSingleDecl())
                : nullptr;
  auto *Cond = dyn_cast_or_null<BinaryOperator>(Loop.getCond());
  if (!V || !V->getInit() || !Cond || Loop.getConditionVariable())
    return false;
  auto *Name = dyn_cast<DeclRefExpr>(Cond->getLHS()->IgnoreParenImpCasts());
  Expr::EvalResult First, Limit;
  if (!Name || Name->getDecl() != V || Cond->getOpcode() != BO_LT ||
      V->getInit()->isValueDependent() || Cond->getRHS()->isValueDependent() ||
      !V->getInit()->EvaluateAsInt(First, Context) ||
      !Cond->getRHS()->EvaluateAsInt(Limit, Context))
    return false;
  bool IsLeft = false;
  forEachStmt(Loop.getBody(), [&](const Stmt &Each) {
    IsLeft |= isa<BreakStmt, ContinueStmt, ReturnStmt, GotoStmt>(Each);
  });
  return !IsLeft &&
         First.Val.getInt().getExtValue() < Limit.Val.getInt().getExtValue();
}

bool forEachAlways(const Stmt *S, llvm::function_ref<void(const Stmt &)> Visit,
                   const ASTContext *Inside) {
  if (!S)
    return true;
  if (isa<ForStmt, WhileStmt, DoStmt>(S)) {
    Visit(*S);
    if (auto *F = dyn_cast<ForStmt>(S);
        F && Inside && runsToItsEnd(*F, *Inside))
      forEachAlways(F->getBody(), Visit, Inside);
    return true;
  }
  if (auto *I = dyn_cast<IfStmt>(S)) {
    Visit(*S);
    if (!I->getInit() && !I->getConditionVariable())
      forEachAlways(I->getCond(), Visit, Inside);
    return !mayContinue(*S);
  }
  if (auto *C = dyn_cast<ConditionalOperator>(S)) {
    Visit(*S);
    return forEachAlways(C->getCond(), Visit, Inside);
  }
  if (isa<AbstractConditionalOperator>(S))
    return true;
  if (auto *B = dyn_cast<BinaryOperator>(S); B && B->isLogicalOp())
    return forEachAlways(B->getLHS(), Visit, Inside);
  Visit(*S);
  for (const Stmt *Child : S->children())
    if (!forEachAlways(Child, Visit, Inside))
      return false;
  return !isa<ContinueStmt>(S);
}

} // namespace catt
