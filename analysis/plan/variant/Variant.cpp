//===- Variant.cpp - What a kernel could be turned into -------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/variant/Variant.h"
#include "llvm/ADT/STLExtras.h"

namespace catt {

void keepApart(const Kernel &K, Variant &V) {
  if (!V.Remat || !V.Spill)
    return;
  llvm::erase_if(V.Spill->Movable, [&](const MovableValue &M) {
    return llvm::any_of(V.Remat->Values, [&](const Recomputation &C) {
      return C.Value == M.Value;
    });
  });
  moveRegisters(K, V.Spill->MovedRegisters, *V.Spill);
}

} // namespace catt
