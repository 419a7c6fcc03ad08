//===- RematFeedback.cpp - Compile, and keep what spills less -------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RematFeedback.h"
#include "Trials.h"
#include "llvm/ADT/STLExtras.h"

namespace catt {
namespace {

struct KernelTrials {
  KernelReport *Kernel;
  RematPlan First; ///< as it was planned
  RematPlan Best;
  std::vector<RematStep> Steps; ///< the first one: nothing computed again
};
} // namespace

/// Asks about all texts; what spills fewer bytes is kept. Plans: of each
/// question those of the kernels.
static llvm::Error askAll(llvm::ArrayRef<TextQuestion> Questions,
                          llvm::ArrayRef<std::vector<RematPlan>> Plans,
                          const TextMeasure &Measure,
                          std::vector<KernelTrials> &Trials) {
  llvm::Expected<std::vector<TextAnswer>> Answers = Measure(Questions);
  if (!Answers)
    return Answers.takeError();
  for (auto [Answer, Tried] : llvm::zip(*Answers, Plans))
    for (auto [T, Plan] : llvm::zip(Trials, Tried)) {
      auto Found = Answer.find(T.Kernel->Source.Name);
      if (Found == Answer.end())
        continue;
      unsigned Bytes = Found->second.spilledBytes();
      if (llvm::all_of(T.Steps, [&](const RematStep &S) {
            return Bytes < S.Compiled.spilledBytes();
          }))
        T.Best = Plan;
      T.Steps.push_back({Plan.Values.size(), Found->second});
    }
  return llvm::Error::success();
}

/// Leaves the best. Where the assembler spills nothing to begin with (clang's
/// code may need less than that of the compiler that will be used), it cannot
/// tell, and the estimate stays.
static void settle(KernelTrials &T) {
  bool Tells = !T.Steps.empty() && T.Steps.front().Compiled.spills();
  RematPlan &Plan = *T.Kernel->Remat;
  Plan = Tells ? std::move(T.Best) : std::move(T.First);
  Plan.Steps = std::move(T.Steps);
  if (Plan.Values.empty())
    Plan.Refusals.push_back({Reason::CannotReachTarget, T.Kernel->Source.Where,
                             "each way that was tried spills as much"});
}

/// The plan that frees so many registers; 0: none.
static RematPlan planFor(const KernelTrials &T, unsigned Wanted) {
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

/// Nothing, what was planned, and halves of it, as far as they differ.
static llvm::Error tryAll(Report &R, const RewriteOptions &Rewriting,
                          const TextMeasure &Measure,
                          std::vector<KernelTrials> &Trials) {
  std::vector<TextQuestion> Questions;
  std::vector<std::vector<RematPlan>> Plans;
  for (unsigned Part : {0, 1, 2, 4, 8}) {
    bool Any = false;
    std::vector<RematPlan> Now;
    for (KernelTrials &T : Trials) {
      size_t Before = T.Kernel->Remat->Values.size();
      unsigned Wanted = Part ? std::max(1U, T.First.Wanted / Part) : 0;
      Now.push_back(*T.Kernel->Remat = planFor(T, Wanted));
      Any |= Now.back().Values.size() != Before;
    }
    if (!Any)
      continue;
    llvm::Expected<Trial> Text = trialOf(R, Rewriting);
    if (!Text)
      return Text.takeError();
    for (const KernelTrials &T : Trials)
      Text->Question.Caps[T.Kernel->Source.Name] = T.First.TargetRegisters;
    Questions.push_back(std::move(Text->Question));
    Plans.push_back(std::move(Now));
  }
  return askAll(Questions, Plans, Measure, Trials);
}

llvm::Error improveRemat(Report &R, const RewriteOptions &Rewriting,
                         const TextMeasure &Measure) {
  std::vector<KernelTrials> Trials;
  for (KernelReport &K : R.Kernels)
    if (K.Remat && !K.Remat->Values.empty())
      Trials.push_back({&K, *K.Remat, {}, {}});
  if (Trials.empty())
    return llvm::Error::success();
  if (llvm::Error E =
          tryAll(R, {{"rematerialize"}, Rewriting.Styles}, Measure, Trials)) {
    for (KernelTrials &T : Trials)
      *T.Kernel->Remat = T.First;
    return E;
  }
  for (KernelTrials &T : Trials)
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
