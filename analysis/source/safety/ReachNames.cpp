//===- ReachNames.cpp - Names and places for what is executed -------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Reach and Waits ask about single declarations and lvalues.
//
//===----------------------------------------------------------------------===//
#include "analysis/source/safety/Reach.h"
#include "analysis/source/syntax/Effects.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace catt {

bool isConstantMemory(const VarDecl &V) {
  if (V.hasLocalStorage() || V.getType().isVolatileQualified())
    return false;
  return V.hasAttr<CUDAConstantAttr>() || V.isConstexpr() ||
         (V.getType().isConstQualified() && !V.hasAttr<CUDASharedAttr>() &&
          !V.getType()->isReferenceType());
}

bool isReadOnlyPointer(const VarDecl &V) {
  auto *P = dyn_cast<ParmVarDecl>(&V);
  auto *F = P ? dyn_cast<FunctionDecl>(P->getDeclContext()) : nullptr;
  QualType T = V.getType();
  return F && F->hasAttr<CUDAGlobalAttr>() && T->isPointerType() &&
         T.isRestrictQualified() && T->getPointeeType().isConstQualified() &&
         !T->getPointeeType().isVolatileQualified();
}

/// What a chain of members, array elements and casts starts from.
static const Expr *placeRoot(const Expr *E) {
  for (;;) {
    E = E->IgnoreParens();
    if (auto *M = dyn_cast<MemberExpr>(E); M && !M->isArrow())
      E = M->getBase();
    else if (auto *X = dyn_cast<ExtVectorElementExpr>(E); X && !X->isArrow())
      E = X->getBase();
    else if (auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
      const Expr *Array = arrayOf(*A);
      if (!Array)
        return E;
      E = Array;
    } else if (auto *C = dyn_cast<CastExpr>(E);
               C && C->isGLValue() &&
               (C->getCastKind() == CK_NoOp ||
                C->getCastKind() == CK_DerivedToBase ||
                C->getCastKind() == CK_UncheckedDerivedToBase ||
                C->getCastKind() == CK_LValueBitCast)) {
      E = C->getSubExpr();
    } else if (auto *M = dyn_cast<MaterializeTemporaryExpr>(E)) {
      E = M->getSubExpr();
    } else {
      return E;
    }
  }
}

const VarDecl *rootVariable(const Expr *LValue) {
  const Expr *E = placeRoot(LValue);
  auto *D = dyn_cast<DeclRefExpr>(E);
  if (!D)
    return nullptr;
  if (auto *B = dyn_cast<BindingDecl>(D->getDecl())) {
    if (const VarDecl *V = B->getHoldingVar())
      return V;
    return B->getBinding() ? rootVariable(B->getBinding()) : nullptr;
  }
  return dyn_cast<VarDecl>(D->getDecl());
}

/// A volatile object somewhere on the way to the value.
static bool isVolatile(const Expr *E) {
  for (;;) {
    E = E->IgnoreParens();
    if (E->getType().isVolatileQualified())
      return true;
    if (auto *M = dyn_cast<MemberExpr>(E))
      E = M->getBase();
    else if (auto *A = dyn_cast<ArraySubscriptExpr>(E))
      E = A->getBase();
    else if (auto *C = dyn_cast<CastExpr>(E))
      E = C->getSubExpr();
    else
      return false;
    if (E->getType()->isPointerType() &&
        E->getType()->getPointeeType().isVolatileQualified())
      return true;
  }
}

MemoryReads readsOf(const Expr *LValue) {
  if (isVolatile(LValue))
    return MemoryReads::Polled;
  const Expr *E = placeRoot(LValue);
  if (!E->isGLValue() || isa<StringLiteral, PredefinedExpr>(E))
    return MemoryReads::None;
  // `this->x`: the caller reads it.
  if (auto *M = dyn_cast<MemberExpr>(E);
      M && M->isArrow() &&
      isa<CXXThisExpr>(M->getBase()->IgnoreParenImpCasts()))
    return M->getType()->isReferenceType() ||
                   M->getMemberDecl()->getType()->isReferenceType()
               ? MemoryReads::Plain
               : MemoryReads::None;
  if (auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
    const VarDecl *V = namedVariable(A->getBase()->IgnoreParenImpCasts());
    return V && isReadOnlyPointer(*V) ? MemoryReads::None : MemoryReads::Plain;
  }
  auto *D = dyn_cast<DeclRefExpr>(E);
  if (!D)
    return MemoryReads::Plain;
  if (isa<EnumConstantDecl, FunctionDecl, NonTypeTemplateParmDecl,
          TemplateParamObjectDecl>(D->getDecl()))
    return MemoryReads::None;
  const VarDecl *V = rootVariable(LValue);
  if (!V)
    return MemoryReads::Plain;
  if (V->getType()->isReferenceType())
    return isa<ParmVarDecl>(V) ? MemoryReads::None : MemoryReads::Plain;
  return V->hasLocalStorage() || isConstantMemory(*V) ? MemoryReads::None
                                                      : MemoryReads::Plain;
}

const FunctionDecl *definitionOf(const FunctionDecl *F) {
  const FunctionDecl *Definition = nullptr;
  return F && F->hasBody(Definition) && !Definition->isDependentContext()
             ? Definition
             : nullptr;
}

std::string spelled(const FunctionDecl &F) {
  if (auto *M = dyn_cast<CXXMethodDecl>(&F); M && M->getParent()->isLambda())
    return "a lambda";
  std::string Name = F.getNameAsString();
  for (const DeclContext *C = F.getDeclContext(); C; C = C->getParent()) {
    auto *N = dyn_cast<NamespaceDecl>(C);
    if (N && (N->isInline() || N->isAnonymousNamespace()))
      continue;
    if (isa<NamespaceDecl, CXXRecordDecl>(C) &&
        !cast<NamedDecl>(C)->getDeclName().isEmpty())
      Name.insert(0, cast<NamedDecl>(C)->getNameAsString() + "::");
  }
  return Name;
}

} // namespace catt
