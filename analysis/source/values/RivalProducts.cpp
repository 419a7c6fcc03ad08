//===- RivalProducts.cpp - Products of which one is fused -----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/values/RivalProducts.h"
#include "analysis/source/safety/Contraction.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace catt {

/// The variables that an expression computes with. Not those of an index into
/// memory, or of a pointer that is followed.
static void addOperands(const Stmt &S, SharedProducts::Variables &Out) {
  if (auto *E = dyn_cast<Expr>(&S)) {
    if (const VarDecl *V = variableOf(E)) {
      if (V->hasLocalStorage())
        Out.insert(V);
      return;
    }
    if (isa<ArraySubscriptExpr>(E))
      return;
    if (auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_Deref)
      return;
  }
  for (const Stmt *Child : S.children())
    if (Child)
      addOperands(*Child, Out);
}

/// A sum of floating-point values that a compiler may fuse with a product.
static bool isSum(const BinaryOperator &B, const ASTContext &Context) {
  switch (B.getOpcode()) {
  case BO_Add:
  case BO_Sub:
  case BO_AddAssign:
  case BO_SubAssign:
    break;
  default:
    return false;
  }
  return B.getType()->isFloatingType() && mayFuse(B, Context);
}

std::vector<const BinaryOperator *>
rivalSums(const Stmt &S, const ASTContext &Context,
          llvm::function_ref<bool(const Expr &)> MayBeProduct) {
  std::vector<const BinaryOperator *> Out;
  forEachStmt(&S, [&](const Stmt &Each) {
    auto *B = dyn_cast<BinaryOperator>(&Each);
    if (B && isSum(*B, Context) && MayBeProduct(*B->getLHS()) &&
        MayBeProduct(*B->getRHS()))
      Out.push_back(B);
  });
  return Out;
}

SharedProducts::Variables
rivalFactors(llvm::ArrayRef<const Stmt *> Into,
             SharedProducts::DefinitionsOf Definitions) {
  SharedProducts::Variables Out;
  for (const Stmt *S : Into)
    addOperands(*S, Out);
  for (size_t I = 0; I < Out.size(); ++I)
    for (const Expr *E : Definitions(*Out[I]))
      if (E)
        addOperands(*E, Out);
  return Out;
}

//===-- Functions that are not looked into --------------------------------===//

/// The user's function that a call or a construction runs.
static const FunctionDecl *userCallee(const Stmt &S) {
  const FunctionDecl *F = nullptr;
  if (auto *C = dyn_cast<CallExpr>(&S))
    F = C->getDirectCallee();
  if (auto *C = dyn_cast<CXXConstructExpr>(&S))
    F = C->getConstructor();
  return F && F->hasBody(F) &&
                 !F->getASTContext().getSourceManager().isInSystemHeader(
                     F->getLocation())
             ? F
             : nullptr;
}

/// With parameters that may be anything.
static bool addsProducts(const FunctionDecl &F, InlinedFunctions &Seen) {
  if (!Seen.insert(&F).second)
    return false;
  const ASTContext &Context = F.getASTContext();
  auto MayBe = [&](const Expr &E) {
    llvm::SmallVector<const VarDecl *, 2> Copies;
    return mayBeProduct(E, Context, Copies) || !Copies.empty();
  };
  bool Found = !rivalSums(*F.getBody(), Context, MayBe).empty();
  forEachStmt(F.getBody(), [&](const Stmt &S) {
    const FunctionDecl *Callee = userCallee(S);
    Found = Found || (Callee && addsProducts(*Callee, Seen));
  });
  return Found;
}

std::vector<const Expr *>
rivalArguments(const Stmt &Call, const InlinedFunctions &Inlined,
               llvm::DenseMap<const FunctionDecl *, bool> &Adding) {
  const FunctionDecl *F = userCallee(Call);
  if (!F || Inlined.contains(F) || F->hasAttr<NoInlineAttr>())
    return {};
  auto [Adds, IsNew] = Adding.try_emplace(F);
  if (InlinedFunctions Seen; IsNew)
    Adds->second = addsProducts(*F, Seen);
  if (!Adds->second)
    return {};
  std::vector<const Expr *> Out;
  if (auto *M = dyn_cast<CXXMemberCallExpr>(&Call))
    Out.push_back(M->getImplicitObjectArgument());
  if (auto *C = dyn_cast<CallExpr>(&Call))
    Out.insert(Out.end(), C->arg_begin(), C->arg_end());
  if (auto *C = dyn_cast<CXXConstructExpr>(&Call))
    Out.insert(Out.end(), C->arg_begin(), C->arg_end());
  return Out;
}

} // namespace catt
