//===- BodySize.cpp - How much one iteration of a loop is -----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/syntax/BodySize.h"
#include "analysis/source/syntax/NodeParts.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace catt {
namespace {

/// Functions that are computed by a polynomial, unless fast ones are asked for.
bool isTranscendental(llvm::StringRef Name) {
  static constexpr llvm::StringRef Known[] = {
      "exp", "exp10", "expm1", "log",  "log10", "log1p", "pow",  "sin", "cos",
      "tan", "asin",  "acos",  "atan", "sinh",  "cosh",  "tanh", "erf", "erfc"};
  if (!llvm::is_contained(Known, Name))
    Name.consume_back("f");
  return llvm::is_contained(Known, Name);
}

bool isMultiplication(const Expr *E) {
  auto *B = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
  return B && B->getOpcode() == BO_Mul;
}

class SizeCounter {
public:
  SizeCounter(const Stmt &Loop, const ASTContext &Context)
      : Loop(Loop), Context(Context) {
    forEachStmt(loopParts(Loop).Inc, [&](const Stmt &S) {
      if (const VarDecl *V = namedVariable(&S))
        Iterators.insert(V);
    });
  }

  unsigned run() {
    add(loopParts(Loop).Body);
    return Count;
  }

private:
  /// Whether it depends on what the loop declares or counts.
  bool add(const Stmt *S) {
    if (!S)
      return false;
    bool Varies = isOfLoop(namedVariable(S));
    for (const Stmt *Child : S->children())
      Varies |= add(Child);
    if (auto *E = dyn_cast<Expr>(S); E && Varies)
      Count += sizeOf(*E);
    return Varies;
  }

  bool isOfLoop(const VarDecl *V) const {
    return V && (Iterators.contains(V) ||
                 Context.getSourceManager().isPointWithin(
                     V->getLocation(), Loop.getBeginLoc(), Loop.getEndLoc()));
  }

  /// Without its operands.
  unsigned sizeOf(const Expr &E) {
    if (isa<ArraySubscriptExpr>(E))
      return isNew(E);
    if (auto *C = dyn_cast<CallExpr>(&E))
      return C->getType()->isRealFloatingType() ? sizeOfCall(*C) : 0;
    auto *B = dyn_cast<BinaryOperator>(&E);
    return B && computes(*B);
  }

  /// An element is loaded or stored once.
  bool isNew(const Expr &E) {
    llvm::FoldingSetNodeID Id;
    E.Profile(Id, Context, /*Canonical=*/true);
    return Elements.insert(Id.ComputeHash()).second;
  }

  unsigned sizeOfCall(const CallExpr &C) const {
    constexpr unsigned Polynomial = 7; // nvcc 13.0: expf 7 to 9
    return isTranscendental(identifierOf(C.getDirectCallee())) &&
                   !Context.getLangOpts().GPUDeviceApproxTranscendentals
               ? Polynomial
               : 1;
  }

  static bool computes(const BinaryOperator &B) {
    if (!B.getLHS()->getType()->isRealFloatingType())
      return false;
    const bool IsSum = B.isAdditiveOp() || B.getOpcode() == BO_AddAssign ||
                       B.getOpcode() == BO_SubAssign;
    if (IsSum)
      return !isMultiplication(B.getLHS()) && !isMultiplication(B.getRHS());
    return B.isMultiplicativeOp() || B.isComparisonOp() ||
           B.isCompoundAssignmentOp();
  }

  const Stmt &Loop;
  const ASTContext &Context;
  llvm::DenseSet<const VarDecl *> Iterators;
  llvm::DenseSet<unsigned> Elements;
  unsigned Count = 0;
};

} // namespace

unsigned leastInstructions(const Stmt &Loop, const ASTContext &Context) {
  return SizeCounter(Loop, Context).run();
}

} // namespace catt
