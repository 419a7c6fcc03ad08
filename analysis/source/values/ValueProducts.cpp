//===- ValueProducts.cpp - What waiting in memory would round -------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/safety/Contraction.h"
#include "analysis/source/values/RivalProducts.h"
#include "analysis/source/values/ValueUses.h"

using namespace clang;

namespace catt {

/// Values that may be products when they are used: in memory they would be
/// rounded, where in a register they are fused with a sum.
void ValueUses::findProducts() {
  std::vector<bool> Product(K.Values.size(), false);
  std::vector<std::vector<size_t>> CopyOf(K.Values.size());
  for (size_t I = 0; I < K.Values.size(); ++I)
    for (const Expr *E : Definitions[I]) {
      llvm::SmallVector<const VarDecl *, 2> Copies;
      if (!E || mayBeProduct(*E, Context, Copies))
        Product[I] = true;
      for (const VarDecl *From : Copies)
        if (auto It = Index.find(From); It != Index.end())
          CopyOf[I].push_back(It->second.First);
        else
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
  Values Of = Index.lookup(&D);
  return Of.Count ? llvm::ArrayRef(Definitions[Of.First])
                  : llvm::ArrayRef<const Expr *>();
}

/// Values of which it may hang which of two products a sum takes.
void ValueUses::findRivals(const std::vector<bool> &Product) {
  auto MayBe = [&](const Expr &E) {
    llvm::SmallVector<const VarDecl *, 2> Copies;
    return mayBeProduct(E, Context, Copies) ||
           llvm::any_of(Copies, [&](const VarDecl *From) {
             auto It = Index.find(From);
             return It == Index.end() || Product[It->second.First];
           });
  };
  for (const VarDecl *D :
       rivalFactors(*F.getBody(), Context, MayBe,
                    [&](const VarDecl &V) { return definitionsOf(V); })) {
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
