//===- ValueProducts.cpp - What waiting in memory would round -------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/safety/Contraction.h"
#include "analysis/source/syntax/NodeParts.h"
#include "analysis/source/values/RivalProducts.h"
#include "analysis/source/values/ValueUses.h"

using namespace clang;

namespace catt {

/// Whether what E gives to a variable may be a product itself, or what no value
/// is; else it may be one if one of those in Out is. Seen: parameters that have
/// been looked at.
bool ValueUses::copies(const Expr &E, llvm::SmallVectorImpl<size_t> &Out,
                       llvm::DenseSet<const VarDecl *> &Seen) const {
  llvm::SmallVector<const VarDecl *, 2> Copies;
  bool Product = mayBeProduct(E, Context, Copies);
  for (const VarDecl *From : Copies)
    if (auto It = Index.find(From); It != Index.end())
      Out.push_back(It->second.First);
    else if (auto P = Given.find(From); P == Given.end())
      Product = true;
    else if (Seen.insert(From).second)
      for (const Expr *Each : P->second)
        Product |= !Each || copies(*Each, Out, Seen);
  return Product;
}

/// Values that may be products when they are used: in memory they would be
/// rounded, where in a register they are fused with a sum.
void ValueUses::findProducts() {
  std::vector<bool> Product(K.Values.size(), false);
  std::vector<llvm::SmallVector<size_t, 2>> CopyOf(K.Values.size());
  for (size_t I = 0; I < K.Values.size(); ++I)
    for (const Expr *E : Definitions[I]) {
      llvm::DenseSet<const VarDecl *> Seen;
      if (!E || copies(*E, CopyOf[I], Seen))
        Product[I] = true;
    }
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (size_t I = 0; I < K.Values.size(); ++I)
      if (!Product[I] &&
          llvm::any_of(CopyOf[I], [&](size_t From) { return Product[From]; }))
        Changed = Product[I] = true;
  }
  for (size_t I = 0; I < K.Values.size(); ++I) {
    QualType T = PartOf[I].Type;
    if (Product[I] && K.Values[I].Refusals.empty() &&
        (T->isFloatingType() || T->isRecordType()))
      refuse(K.Values[I], Reason::MayContract, "'" + K.Values[I].Name + "'",
             K.Values[I].Where);
  }
  findRivals(Product);
}

llvm::ArrayRef<const Expr *> ValueUses::definitionsOf(const VarDecl &D) const {
  if (auto It = Index.find(&D); It != Index.end())
    return Definitions[It->second.First];
  auto P = Given.find(&D);
  return P == Given.end() ? llvm::ArrayRef<const Expr *>()
                          : llvm::ArrayRef(P->second);
}

/// Values of which it may depend which of two products a sum takes.
void ValueUses::findRivals(const std::vector<bool> &Product) {
  auto MayBe = [&](const Expr &E) {
    llvm::SmallVector<size_t, 2> Copied;
    llvm::DenseSet<const VarDecl *> Seen;
    return copies(E, Copied, Seen) ||
           llvm::any_of(Copied, [&](size_t From) { return Product[From]; });
  };
  std::vector<const Stmt *> Into;
  llvm::DenseMap<const FunctionDecl *, bool> Adding;
  for (const Body &B : Bodies) {
    llvm::append_range(Into, rivalSums(*B.F->getBody(), Context, MayBe));
    forEachStmt(B.F->getBody(), [&](const Stmt &S) {
      llvm::append_range(Into, rivalArguments(S, Inlined, Adding));
    });
  }
  for (const VarDecl *D :
       rivalFactors(Into, [&](const VarDecl &V) { return definitionsOf(V); })) {
    Values Of = Index.lookup(D);
    const Refusal Why{Reason::MayContract, Text.location(D->getLocation()),
                      "one of two products that are added, by '" +
                          D->getNameAsString() + "'"};
    for (size_t I = Of.First; I < Of.First + Of.Count; ++I) {
      refuse(K.Values[I], Why.Kind, Why.Detail, Why.Where);
      if (K.Values[I].Only && !K.Values[I].Only->MayContract)
        K.Values[I].Only->MayContract = Why;
    }
  }
  if (!Inlined.empty())
    findRivalResults(std::move(Into));
}

/// The same for values of functions: which get into such a sum of their callers
/// by what the functions return, or into one that is not looked at.
void ValueUses::findRivalResults(std::vector<const Stmt *> Into) {
  InlinedFunctions Entered;
  SharedProducts::Variables Found;
  bool Any = false; // by an address
  auto Follow = [&](const Stmt &S) {
    const VarDecl *V = namedVariable(&S);
    if (!V || !V->hasLocalStorage() || !Found.insert(V))
      return;
    llvm::ArrayRef<const Expr *> From = definitionsOf(*V);
    Any |= llvm::is_contained(From, nullptr);
    llvm::copy_if(From, std::back_inserter(Into),
                  [](const Expr *E) { return E != nullptr; });
    if (V->getType()->isReferenceType() && V->getInit())
      Into.push_back(V->getInit());
  };
  for (size_t I = 0; I < Into.size(); ++I) {
    const Stmt &From = *Into[I];
    forEachInlined(From, Inlined, Follow,
                   [&](const FunctionDecl &F) { Entered.insert(&F); });
  }
  for (size_t I = 0; I < K.Values.size(); ++I) {
    ThreadValue &V = K.Values[I];
    const unsigned Of = K.functionOf(V);
    if (Of != 0 &&
        (Any || Entered.contains(Bodies[Of].F) || Found.contains(Decls[I])))
      refuse(V, Reason::MayContract,
             "one of two products that are added, by '" +
                 Bodies[Of].F->getNameAsString() + "'",
             V.Where);
  }
}

/// Values that products are made of which are computed once, and would not be
/// if each of their uses loaded the value.
void ValueUses::findSharedProducts() {
  for (const VarDecl *D :
       Products.variables([&](const VarDecl &V) { return definitionsOf(V); })) {
    Values Of = Index.lookup(D);
    for (size_t I = Of.First; I < Of.First + Of.Count; ++I)
      refuse(K.Values[I], Reason::MayContract,
             "a product of '" + D->getNameAsString() + "' with several uses",
             Text.location(D->getLocation()));
  }
}

} // namespace catt
