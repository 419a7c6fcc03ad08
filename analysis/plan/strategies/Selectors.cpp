//===- Selectors.cpp - Which registers, how many blocks -------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/strategies/Selectors.h"
#include "llvm/ADT/STLExtras.h"

namespace catt {

llvm::ArrayRef<Selector> allSelectors() {
  static const Selector All[] = {Selector::Model, Selector::Tpsc,
                                 Selector::Orion, Selector::Unified,
                                 Selector::Dru};
  return All;
}

std::optional<Selector> findSelector(llvm::StringRef Name) {
  const auto *Found = llvm::find_if(
      allSelectors(), [&](const Selector &S) { return S.Name == Name; });
  if (Found == allSelectors().end())
    return std::nullopt;
  return *Found;
}

} // namespace catt
