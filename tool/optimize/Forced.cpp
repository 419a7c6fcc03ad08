//===- Forced.cpp - Was it done as it was asked for? ----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/optimize/Forced.h"
#include "analysis/model/Reasons.h"
#include "analysis/plan/throttle/Force.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace catt {

static bool contains(const SourceSpan &Outer, const SourceSpan &Inner) {
  return Outer.File == Inner.File && Outer.Begin <= Inner.Begin &&
         Inner.End <= Outer.End;
}

/// The loop, or one that shares its groups or is split around it.
static bool isSplit(const Kernel &K, const Loop &L, const Edits &Written) {
  return any_of(K.Loops, [&](const Loop &Outer) {
    return Outer.Site && L.Site && contains(Outer.Site->Span, L.Site->Span) &&
           any_of(Written.Done, [&](const Applied &A) {
             return A.By->writes(Part::Groups) && A.Where == Outer.Where;
           });
  });
}

static bool isThinned(const Kernel &K, const Edits &Written) {
  return any_of(Written.Done, [&](const Applied &A) {
    return A.By->writes(Part::Reserve) &&
           (A.Where == K.Where || any_of(K.Launches, [&](const Launch &L) {
              return A.Where == L.Where;
            }));
  });
}

/// That the kernel was rewritten before, else the first refusal that names this
/// loop, else one that names its kernel or a launch of it.
static std::string reason(const KernelReport &Kernel, const Loop *L,
                          const Edits &Written) {
  const catt::Kernel &K = Kernel.Source;
  for (const LoopPlan &P : Kernel.Plan.Loops)
    if (P.Why && P.Why->Kind == Reason::AlreadyRewritten)
      return userText(*P.Why);
  auto Find = [&](auto Concerns) -> std::string {
    auto Found = find_if(Written.Refused, Concerns);
    return Found == Written.Refused.end() ? "" : userText(*Found);
  };
  std::string Why;
  if (L)
    Why = Find([&](const Refusal &R) { return R.Where == L->Where; });
  if (Why.empty())
    Why = Find([&](const Refusal &R) {
      return R.Where == K.Where || any_of(K.Launches, [&](const Launch &L) {
               return R.Where == L.Where;
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
               K.Name + "' cannot be split: " + reason(Kernel, &L, Written);
    if (F.BlocksRemoved.value_or(0) > 0 && !isThinned(K, Written))
      return "--force=" + F.Text + ": no blocks of kernel '" + K.Name +
             "' can be taken away: " + reason(Kernel, nullptr, Written);
  }
  return "";
}

} // namespace catt
