//===- RematFeedback.cpp - Compile, and keep what spills less -------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RematFeedback.h"
#include "llvm/ADT/STLExtras.h"

namespace catt {
namespace {

struct Trial {
  KernelReport *Kernel;
  RematPlan First; ///< as it was planned
  RematPlan Best;
  std::vector<RematStep> Steps; ///< the first one: nothing computed again
};

unsigned spilledBytes(const RegisterPoint &P) {
  return P.SpillStoreBytes + P.SpillLoadBytes;
}
} // namespace

/// The kernels as their plans are now, compiled; the better ones are kept.
static llvm::Error tryNow(const Report &R, const RewriteOptions &How,
                          const TextMeasure &Measure,
                          std::vector<Trial> &Trials) {
  llvm::Expected<Edits> Changes = rewrite(R, How);
  if (!Changes)
    return Changes.takeError();
  auto Texts = catt::apply(*Changes, R.Texts);
  if (!Texts)
    return Texts.takeError();
  std::map<std::string, unsigned> Caps;
  for (const Trial &T : Trials)
    Caps[T.Kernel->Source.Name] = T.First.TargetRegisters;
  auto Points = Measure(*Texts, Caps);
  if (!Points)
    return Points.takeError();
  for (Trial &T : Trials) {
    auto Found = Points->find(T.Kernel->Source.Name);
    if (Found == Points->end())
      continue;
    const RematPlan &Now = *T.Kernel->Remat;
    unsigned Bytes = spilledBytes(Found->second);
    if (llvm::all_of(T.Steps, [&](const RematStep &S) {
          return Bytes < spilledBytes(S.Compiled);
        }))
      T.Best = Now;
    T.Steps.push_back({Now.Values.size(), Found->second});
  }
  return llvm::Error::success();
}

/// Leaves the best. Where the assembler spills nothing to begin with (clang's
/// code may need less than that of the compiler that will be used), it cannot
/// tell, and the estimate stays.
static void settle(Trial &T) {
  bool Tells = !T.Steps.empty() && spilledBytes(T.Steps.front().Compiled) != 0;
  RematPlan &Plan = *T.Kernel->Remat;
  Plan = Tells ? std::move(T.Best) : std::move(T.First);
  Plan.Steps = std::move(T.Steps);
  if (Plan.Values.empty())
    Plan.Refusals.push_back({Reason::CannotReachTarget, T.Kernel->Source.Where,
                             "each way that was tried spills as much"});
}

/// The plan that frees so many registers; 0: none.
static RematPlan planFor(const Trial &T, unsigned Wanted) {
  if (Wanted != 0)
    if (std::optional<RematPlan> Plan =
            planRemat(T.Kernel->Source, *T.Kernel->Pressure,
                      T.First.TargetRegisters, Wanted))
      return *Plan;
  RematPlan None = T.First;
  None.Values.clear();
  None.Freed = 0;
  return None;
}

llvm::Error improveRemat(Report &R, const RewriteOptions &How,
                         const TextMeasure &Measure) {
  std::vector<Trial> Trials;
  for (KernelReport &K : R.Kernels)
    if (K.Remat && !K.Remat->Values.empty())
      Trials.push_back({&K, *K.Remat, {}, {}});
  if (Trials.empty())
    return llvm::Error::success();
  RewriteOptions Only{{"rematerialize"}, How.Styles};
  for (unsigned Part : {0, 1, 2, 4, 8}) {
    bool Any = false;
    for (Trial &T : Trials) {
      size_t Before = T.Kernel->Remat->Values.size();
      unsigned Wanted = Part ? std::max(1U, T.First.Wanted / Part) : 0;
      *T.Kernel->Remat = planFor(T, Wanted);
      Any |= T.Kernel->Remat->Values.size() != Before;
    }
    if (!Any)
      continue;
    if (llvm::Error E = tryNow(R, Only, Measure, Trials)) {
      for (Trial &T : Trials)
        *T.Kernel->Remat = T.First;
      return E;
    }
  }
  for (Trial &T : Trials)
    settle(T);
  return llvm::Error::success();
}

void keepApart(Report &R) {
  for (KernelReport &K : R.Kernels) {
    if (!K.Remat || !K.Spill)
      continue;
    llvm::erase_if(K.Spill->Movable, [&](const MovableValue &M) {
      return llvm::any_of(K.Remat->Values, [&](const Recomputation &C) {
        return C.Value == M.Value;
      });
    });
    moveRegisters(K.Source, K.Spill->MovedRegisters, *K.Spill);
  }
}

} // namespace catt
