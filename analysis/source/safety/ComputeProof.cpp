//===- ComputeProof.cpp - Functions that only compute ---------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/source/safety/ComputeProof.h"
#include "analysis/source/syntax/NodeKinds.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/Attr.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace catt {

bool ComputeProof::computes(const FunctionDecl &F) {
  const FunctionDecl *Key = F.getCanonicalDecl();
  auto [At, New] = Known.try_emplace(Key, State::Open);
  if (!New)
    return At->second == State::Proved; // Open: it calls itself
  if (Depth == 0)
    Steps = 0;
  bool SavedMember = InMember, SavedConstructor = InConstructor;
  ++Depth;
  // Deeper than anybody writes, and far from the end of the stack.
  bool Result = Depth < 32 && prove(F);
  --Depth;
  InMember = SavedMember;
  InConstructor = SavedConstructor;
  Known[Key] = Result ? State::Proved : State::Refused;
  return Result;
}

/// `float &x`, `float *x`: an argument of the caller's.
static bool refersToPlainObject(const ParmVarDecl &P) {
  const QualType T = P.getType();
  return (T->isLValueReferenceType() || T->isPointerType()) &&
         isPlainObject(T->getPointeeType(), P.getASTContext());
}

bool ComputeProof::prove(const FunctionDecl &F) {
  const FunctionDecl *Def = nullptr;
  const Stmt *Body = F.getBody(Def);
  if (!Body || Def->hasSkippedBody() || Def->isInvalidDecl() ||
      Def->isDependentContext() || Def->isVariadic() || Def->isNoReturn() ||
      F.isMultiVersion())
    return false;
  // Another body may take the place of this one.
  for (const FunctionDecl *R : F.redecls())
    if (R->hasAttr<WeakAttr>() || R->hasAttr<AliasAttr>() ||
        R->hasAttr<IFuncAttr>() || R->hasSkippedBody())
      return false;
  QualType Returned = Def->getReturnType();
  if (Returned->isReferenceType() &&
      (!Returned->isLValueReferenceType() ||
       !Returned->getPointeeType().isConstQualified()))
    return false;
  if (!llvm::all_of(Def->parameters(), [&](const ParmVarDecl *P) {
        return takesAValue(*P) ||
               (mayChangeArguments() && refersToPlainObject(*P));
      }))
    return false;
  auto *Method = dyn_cast<CXXMethodDecl>(Def);
  auto *Constructor = dyn_cast<CXXConstructorDecl>(Def);
  InConstructor = Constructor;
  InMember = Method && !Method->isStatic();
  if (Method && (Method->isVirtual() || isa<CXXDestructorDecl>(Method) ||
                 (InMember && !Constructor && !Method->isConst() &&
                  !mayChangeArguments())))
    return false;
  return (!Constructor || initializers(*Constructor)) && statement(Body);
}

bool ComputeProof::initializers(const CXXConstructorDecl &C) {
  if (C.getParent()->isPolymorphic() || C.getParent()->getNumVBases() > 0)
    return false;
  return llvm::all_of(C.inits(), [&](const CXXCtorInitializer *I) {
    const FieldDecl *F = I->getAnyMember();
    return (!F || isPlainObject(F->getType(), F->getASTContext())) &&
           value(I->getInit());
  });
}

bool ComputeProof::variable(const VarDecl &V) {
  QualType T = V.getType();
  auto *P = dyn_cast<ParmVarDecl>(&V);
  if (P && mayChangeArguments() && refersToPlainObject(*P))
    return true;
  if (T->isReferenceType())
    return T->isLValueReferenceType() && T->getPointeeType().isConstQualified();
  return isPlainObject(T, V.getASTContext());
}

/// The parameter that is named; null if anything else is.
static const ParmVarDecl *parameterOf(const Expr &E) {
  auto *D = dyn_cast<DeclRefExpr>(E.IgnoreParenImpCasts());
  return D ? dyn_cast<ParmVarDecl>(D->getDecl()) : nullptr;
}

bool ComputeProof::pointee(const Expr &Pointer) {
  const ParmVarDecl *P = parameterOf(Pointer);
  return P && mayChangeArguments() && P->getType()->isPointerType() &&
         refersToPlainObject(*P);
}

/// A place of the function's own, a field of what it constructs, or what its
/// arguments refer to; with the latter, pointers stay what they are.
bool ComputeProof::written(const Expr &E) {
  if (!place(&E) || (mayChangeArguments() && E.getType()->isAnyPointerType()))
    return false;
  if (rootOf(&E))
    return true;
  const Expr *P = E.IgnoreParens();
  while (true) {
    auto *M = dyn_cast<MemberExpr>(P);
    auto *U = dyn_cast<UnaryOperator>(P);
    if (M && M->isArrow())
      return isa<CXXThisExpr>(M->getBase()->IgnoreImpCasts())
                 ? InConstructor || mayChangeArguments()
                 : pointee(*M->getBase());
    if (U && U->getOpcode() == UO_Deref)
      return pointee(*U->getSubExpr());
    if (M) {
      P = M->getBase()->IgnoreParens();
    } else if (auto *A = dyn_cast<ArraySubscriptExpr>(P)) {
      if (!arrayOf(*A))
        return pointee(*A->getBase());
      P = arrayOf(*A)->IgnoreParens();
    } else {
      return mayChangeArguments() && parameterOf(*P);
    }
  }
}

bool ComputeProof::declaration(const Decl &D) {
  switch (roleOf(D.getKind())) {
  case DeclRole::Variable: {
    const VarDecl &V = *cast<VarDecl>(&D);
    if (!V.hasLocalStorage())
      return isUnchangedGlobal(V);
    if (auto *B = dyn_cast<DecompositionDecl>(&V))
      for (const BindingDecl *X : B->bindings())
        if (X->getHoldingVar())
          return false;
    return variable(V) && value(V.getInit());
  }
  case DeclRole::NameOnly: {
    auto *T = dyn_cast<TypedefNameDecl>(&D);
    return !T || !T->getUnderlyingType()->isVariablyModifiedType();
  }
  default: // what is not listed is refused
    return false;
  }
}

bool ComputeProof::loop(const Stmt &S) {
  LoopParts P = loopParts(S);
  return statement(P.Init) && statement(P.Variable) && value(P.Cond) &&
         value(P.Inc) && statement(P.Body);
}

bool ComputeProof::statement(const Stmt *S) {
  if (!S)
    return true;
  if (!step())
    return false;
  if (auto *E = dyn_cast<Expr>(S))
    return value(E);
  auto All = [&](auto &&Range) {
    return llvm::all_of(Range, [&](const Stmt *X) { return statement(X); });
  };
  switch (roleOf(*S)) {
  case NodeRole::Block:
    return All(cast<CompoundStmt>(S)->body());
  case NodeRole::Nothing:
  case NodeRole::Break:
  case NodeRole::Continue:
    return true;
  case NodeRole::Attributed:
    return statement(cast<AttributedStmt>(S)->getSubStmt());
  case NodeRole::Declaration:
    return llvm::all_of(cast<DeclStmt>(S)->decls(),
                        [&](const Decl *D) { return declaration(*D); });
  case NodeRole::Branch: {
    auto *I = cast<IfStmt>(S);
    return statement(I->getInit()) &&
           statement(I->getConditionVariableDeclStmt()) &&
           value(I->getCond()) && statement(I->getThen()) &&
           statement(I->getElse());
  }
  case NodeRole::Switch: {
    auto *W = cast<SwitchStmt>(S);
    return statement(W->getInit()) &&
           statement(W->getConditionVariableDeclStmt()) &&
           value(W->getCond()) && statement(W->getBody());
  }
  case NodeRole::Case:
    return statement(cast<SwitchCase>(S)->getSubStmt());
  case NodeRole::Loop:
    return loop(*S);
  case NodeRole::Return:
    return value(cast<ReturnStmt>(S)->getRetValue());
  default: // what is not listed is refused
    return false;
  }
}

} // namespace catt
