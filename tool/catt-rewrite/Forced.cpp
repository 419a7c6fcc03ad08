//===- Forced.cpp - Was it done as it was asked for? ----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Forced.h"
#include "analysis/plan/Force.h"
#include "analysis/plan/Reasons.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace catt {

static bool isAt(const Location &A, const Location &B) {
  return A.File == B.File && A.Line == B.Line && A.Column == B.Column;
}

static bool contains(const SourceSpan &Outer, const SourceSpan &Inner) {
  return Outer.File == Inner.File && Outer.Begin <= Inner.Begin &&
         Inner.End <= Outer.End;
}

/// The loop, or one that shares its groups or is split around it.
static bool isSplit(const Kernel &K, const Loop &L, const Edits &Written) {
  return any_of(K.Loops, [&](const Loop &Outer) {
    return Outer.Site && L.Site && contains(Outer.Site->Span, L.Site->Span) &&
           any_of(Written.Done, [&](const Applied &A) {
             return A.Transform == "split-warp-groups" &&
                    isAt(A.Where, Outer.Where);
           });
  });
}

static bool isThinned(const Kernel &K, const Edits &Written) {
  return any_of(Written.Done, [&](const Applied &A) {
    return A.Transform == "reserve-shared" &&
           (isAt(A.Where, K.Where) || any_of(K.Launches, [&](const Launch &L) {
              return isAt(A.Where, L.Where);
            }));
  });
}

/// The first refusal that names this loop, else one that names its kernel or a
/// launch of it.
static std::string reason(const Kernel &K, const Loop *L,
                          const Edits &Written) {
  auto Find = [&](auto Concerns) -> std::string {
    auto Found = find_if(Written.Refused, Concerns);
    return Found == Written.Refused.end() ? "" : userText(*Found);
  };
  std::string Why;
  if (L)
    Why = Find([&](const Refusal &R) { return isAt(R.Where, L->Where); });
  if (Why.empty())
    Why = Find([&](const Refusal &R) {
      return isAt(R.Where, K.Where) || any_of(K.Launches, [&](const Launch &L) {
               return isAt(R.Where, L.Where);
             });
    });
  return Why.empty() ? "no transform that was chosen writes it; "
                       "--transforms names them"
                     : Why;
}

std::string notWritten(const ForcedChoice &F, const Report &Analysed,
                       const Edits &Written) {
  for (const KernelReport &Kernel : Analysed.Kernels) {
    const catt::Kernel &K = Kernel.Source;
    if (!isFor(F, K))
      continue;
    for (const Loop &L : K.Loops)
      if (isFor(F, L) && F.Groups > 1 && !isSplit(K, L, Written))
        return "--force=" + F.Text + ": loop " + F.Loop + " of kernel '" +
               K.Name + "' cannot be split: " + reason(K, &L, Written);
    if (F.BlocksRemoved.value_or(0) > 0 && !isThinned(K, Written))
      return "--force=" + F.Text + ": no blocks of kernel '" + K.Name +
             "' can be taken away: " + reason(K, nullptr, Written);
  }
  return "";
}

} // namespace catt
