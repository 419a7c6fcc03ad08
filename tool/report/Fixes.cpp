//===- Fixes.cpp - Each change by itself ---------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Fixes.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace catt {

static bool concerns(const KernelReport &K, const Location &Where) {
  return K.Source.Where == Where ||
         any_of(K.Source.Launches,
                [&](const Launch &L) { return L.Where == Where; });
}

/// The report with the decisions of one place only.
static Report onlyAt(const Report &R, const Location &Where) {
  Report Part = R;
  for (KernelReport &K : Part.Kernels) {
    for (LoopPlan &P : K.Plan.Loops)
      if (!isAt(Where, K.Source.Loops[P.Loop])) {
        P.Groups = 1;
        P.Cases.clear();
      }
    if (!concerns(K, Where)) {
      K.Plan.ReserveSharedBytes.reset();
      K.Plan.CarveoutPercent.reset();
    }
  }
  return Part;
}

std::vector<Fix> fixesOf(const Report &R, const Edits &Changes,
                         const Writing &How) {
  std::vector<Fix> Fixes;
  for (const Applied &A : Changes.Done) {
    Edits Own = rewrite(onlyAt(R, A.Where), A.By, How);
    if (!Own.Files.empty())
      Fixes.push_back({A.By, A.Where, std::move(Own.Files)});
  }
  return Fixes;
}

} // namespace catt
