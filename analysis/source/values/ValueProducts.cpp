//===- ValueProducts.cpp - What waiting in memory would round -------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/safety/Contraction.h"
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
}

/// Values that products are made of which are computed once, and would not be
/// if each of their uses loaded the value.
void ValueUses::findSharedProducts() {
  auto DefinitionsOf = [&](const VarDecl &D) {
    Values Of = Index.lookup(&D);
    return Of.Count ? llvm::ArrayRef(Definitions[Of.First])
                    : llvm::ArrayRef<const Expr *>();
  };
  for (const VarDecl *D : Products.variables(DefinitionsOf)) {
    Values Of = Index.lookup(D);
    for (size_t I = Of.First; I < Of.First + Of.Count; ++I)
      refuse(K.Values[I], Reason::MayContract,
             "a product of '" + D->getNameAsString() + "' with several uses",
             Text.location(D->getLocation()));
  }
}

} // namespace catt
