//===- NodeKinds.cpp - Every kind of clang's syntax tree, by role ---------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/syntax/NodeKinds.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/Support/ErrorHandling.h"

// A kind that NodeKinds.def lacks must not compile.
#pragma GCC diagnostic error "-Wswitch"

using namespace clang;

namespace catt {

NodeRole roleOf(const Stmt &S) {
  switch (S.getStmtClass()) {
#define CATT_STMT(Kind, Role, Mentions, Reached)                               \
  case Stmt::Kind##Class:                                                      \
    return NodeRole::Role;
#include "analysis/source/syntax/NodeKinds.def"
  }
  llvm_unreachable("all kinds are listed");
}

const Expr *wrappedIn(const Expr &E) {
  if (auto *P = dyn_cast<ParenExpr>(&E))
    return P->getSubExpr();
  if (auto *F = dyn_cast<FullExpr>(&E))
    return F->getSubExpr();
  if (auto *S = dyn_cast<SubstNonTypeTemplateParmExpr>(&E))
    return S->getReplacement();
  if (auto *D = dyn_cast<CXXDefaultArgExpr>(&E))
    return D->getExpr();
  if (auto *D = dyn_cast<CXXDefaultInitExpr>(&E))
    return D->getExpr();
  if (auto *R = dyn_cast<CXXRewrittenBinaryOperator>(&E))
    return R->getSemanticForm();
  if (auto *G = dyn_cast<GenericSelectionExpr>(&E))
    return G->isResultDependent() ? nullptr : G->getResultExpr();
  if (auto *O = dyn_cast<OpaqueValueExpr>(&E))
    return O->getSourceExpr();
  return nullptr;
}

DeclRole roleOf(Decl::Kind K) {
  switch (K) {
#define CATT_DECL(Kind, Role)                                                  \
  case Decl::Kind:                                                             \
    return DeclRole::Role;
#include "analysis/source/syntax/NodeKinds.def"
  }
  llvm_unreachable("all kinds are listed");
}

CastRole roleOf(CastKind K) {
  switch (K) {
#define CATT_CAST(Kind, Role)                                                  \
  case CK_##Kind:                                                              \
    return CastRole::Role;
#include "analysis/source/syntax/NodeKinds.def"
  }
  llvm_unreachable("all kinds are listed");
}

OperatorRole roleOf(BinaryOperatorKind K) {
  switch (K) {
  case BO_Mul:
  case BO_Div:
  case BO_Rem:
  case BO_Add:
  case BO_Sub:
  case BO_Shl:
  case BO_Shr:
  case BO_LT:
  case BO_GT:
  case BO_LE:
  case BO_GE:
  case BO_EQ:
  case BO_NE:
  case BO_And:
  case BO_Xor:
  case BO_Or:
    return OperatorRole::Computes;
  case BO_LAnd:
  case BO_LOr:
    return OperatorRole::Logical;
  case BO_Assign:
  case BO_MulAssign:
  case BO_DivAssign:
  case BO_RemAssign:
  case BO_AddAssign:
  case BO_SubAssign:
  case BO_ShlAssign:
  case BO_ShrAssign:
  case BO_AndAssign:
  case BO_XorAssign:
  case BO_OrAssign:
    return OperatorRole::Assigns;
  case BO_Comma:
    return OperatorRole::Comma;
  case BO_PtrMemD:
  case BO_PtrMemI:
  case BO_Cmp:
    return OperatorRole::Unknown;
  }
  llvm_unreachable("all kinds are listed");
}

OperatorRole roleOf(UnaryOperatorKind K) {
  switch (K) {
  case UO_Plus:
  case UO_Minus:
  case UO_Not:
  case UO_LNot:
    return OperatorRole::Computes;
  case UO_PostInc:
  case UO_PostDec:
  case UO_PreInc:
  case UO_PreDec:
    return OperatorRole::Assigns;
  case UO_Deref:
    return OperatorRole::Dereference;
  case UO_Extension:
    return OperatorRole::Transparent;
  case UO_AddrOf:
  case UO_Real:
  case UO_Imag:
  case UO_Coawait:
    return OperatorRole::Unknown;
  }
  llvm_unreachable("all kinds are listed");
}

} // namespace catt
