//===- FloatCalls.cpp - Products that calls return and leave --------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of FloatPlaces, what looks into the functions that are called.
//
//===----------------------------------------------------------------------===//
#include "analysis/source/safety/FloatPlaces.h"
#include "analysis/source/syntax/NodeParts.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace catt {

/// Arguments: those that it is given may be products.
void FloatPlaces::collectCallee(const FunctionDecl &Body, bool Arguments,
                                unsigned CallDepth) {
  Depth = CallDepth;
  if (Arguments)
    for (const ParmVarDecl *P : Body.parameters())
      addArgument(*P);
  collect(*Body.getBody(), /*MayRepeat=*/false);
  spreadProducts();
}

/// Whether one of the values that a function returns may be a product.
bool FloatPlaces::returnsProductOf(const FunctionDecl &Body,
                                   bool Arguments) const {
  FloatPlaces Inside({}, Context);
  Inside.collectCallee(Body, Arguments, Depth + 1);
  llvm::SmallVector<const Expr *, 4> Returned;
  forEachStmt(Body.getBody(), [&](const Stmt &S) {
    if (auto *R = dyn_cast<ReturnStmt>(&S))
      Returned.push_back(R->getRetValue());
  });
  return llvm::any_of(Returned, [&](const Expr *E) {
    llvm::SmallVector<const VarDecl *, 2> Copies;
    return Inside.mayBeProductHere(E, Copies) ||
           llvm::any_of(Copies, [&](const VarDecl *V) {
             auto Of = Inside.Places.find({V, false});
             return Of == Inside.Places.end() ? !isa<ParmVarDecl>(V)
                                              : Of->second.IsProduct;
           });
  });
}

/// Whether it may leave a product where its arguments refer to.
bool FloatPlaces::leavesProductOf(const FunctionDecl &Body,
                                  bool Arguments) const {
  FloatPlaces Inside({}, Context);
  Inside.collectCallee(Body, Arguments, Depth + 1);
  return llvm::any_of(Inside.Places, [](const auto &Each) {
    const auto &[R, P] = Each;
    const bool IsOutside =
        R.Memory || !R.Of || R.Of->getType()->isReferenceType();
    return IsOutside && P.IsProduct && !P.Definitions.empty();
  });
}

/// What a call leaves in the places that it is handed.
FloatPlaces::Left FloatPlaces::leftBy(const CallExpr &C) const {
  const FunctionDecl *F = C.getDirectCallee(), *Body = nullptr;
  if (!F || !F->hasBody(Body) || !Body->getBody() || Depth == MaxDepth ||
      leavesProductOf(*Body, /*Arguments=*/false))
    return Left::Product;
  return leavesProductOf(*Body, /*Arguments=*/true) ? Left::Arguments
                                                    : Left::Finished;
}

/// Of `max(a, b)`, which gives back one of its arguments, what they are.
bool FloatPlaces::returnsProduct(
    const CallExpr &C, llvm::SmallVectorImpl<const VarDecl *> &Copies) const {
  const FunctionDecl *F = C.getDirectCallee(), *Body = nullptr;
  if (!F || !F->hasBody(Body) || !Body->getBody() || Depth == MaxDepth ||
      returnsProductOf(*Body, /*Arguments=*/false))
    return true;
  return returnsProductOf(*Body, /*Arguments=*/true) &&
         llvm::any_of(C.arguments(), [&](const Expr *Argument) {
           return mayBeProductHere(Argument, Copies);
         });
}

} // namespace catt
