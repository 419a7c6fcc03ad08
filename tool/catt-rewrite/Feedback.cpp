//===- Feedback.cpp - Compile, look, keep what is better ------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Feedback.h"
#include "Trials.h"
#include "llvm/ADT/STLExtras.h"

namespace catt {
namespace {

/// One kernel, and what is still to be tried on it.
struct KernelTrials {
  KernelReport *Kernel;
  std::vector<SpillStep> ToTry;
  SharedSpill Before;
  bool Refused = false; ///< the text stands against any change
};

/// The steps that one text takes, of each kernel.
using Steps = std::vector<std::optional<SpillStep>>;
} // namespace

/// enable_smem_spilling came with CUDA 13.0 (PTX ISA 9.0).
static bool hasPragma(const Toolkit &Cuda) {
  unsigned Major = 0;
  return !llvm::StringRef(Cuda.Version)
              .split('.')
              .first.getAsInteger(10, Major) &&
         Major >= 13;
}

/// Takes the next step of each kernel that is not among Earlier ones.
static Steps takeNext(std::vector<KernelTrials> &Trials,
                      llvm::ArrayRef<Steps> Earlier) {
  Steps Now(Trials.size());
  for (size_t I = 0; I < Trials.size(); ++I) {
    KernelTrials &T = Trials[I];
    while (!Now[I] && !T.ToTry.empty()) {
      SpillStep Next = T.ToTry.front();
      T.ToTry.erase(T.ToTry.begin());
      bool New = take(T.Kernel->Source, Next, *T.Kernel->Spill);
      if (New && llvm::none_of(Earlier, [&](const Steps &S) {
            return S[I] && S[I]->MovedRegisters == Next.MovedRegisters &&
                   S[I]->Pragma == Next.Pragma;
          }))
        Now[I] = Next;
    }
  }
  return Now;
}

/// Forgets steps that the text does not show.
static void refuseUnchanged(std::vector<KernelTrials> &Trials, Steps &Now,
                            const Edits &Changes) {
  for (auto [T, Step] : llvm::zip(Trials, Now))
    if (Step && (Step->Pragma || Step->MovedRegisters != 0) &&
        !isChanged(*T.Kernel, "spill-shared", Changes)) {
      T.Refused = true;
      T.ToTry.clear();
      Step.reset();
    }
}

/// All that is left to try, compiled.
static llvm::Error tryAll(const Report &R, const RewriteOptions &Rewriting,
                          const TextMeasure &Measure,
                          std::vector<KernelTrials> &Trials) {
  std::vector<TextQuestion> Questions;
  std::vector<Steps> Asked;
  auto IsStep = [](const std::optional<SpillStep> &S) { return S.has_value(); };
  for (;;) {
    Steps Now = takeNext(Trials, Asked);
    if (llvm::none_of(Now, IsStep))
      break;
    llvm::Expected<Trial> T = trialOf(R, Rewriting);
    if (!T)
      return T.takeError();
    refuseUnchanged(Trials, Now, T->Changes);
    if (llvm::none_of(Now, IsStep))
      continue;
    for (auto [Each, Step] : llvm::zip(Trials, Now))
      if (Step)
        T->Question.Caps[Each.Kernel->Source.Name] =
            unsigned(Each.Kernel->Spill->CapRegisters);
    Questions.push_back(std::move(T->Question));
    Asked.push_back(std::move(Now));
  }
  if (Questions.empty())
    return llvm::Error::success();
  llvm::Expected<std::vector<TextAnswer>> Answers = Measure(Questions);
  if (!Answers)
    return Answers.takeError();
  for (auto [Answer, Now] : llvm::zip(*Answers, Asked))
    for (auto [T, Step] : llvm::zip(Trials, Now))
      if (auto At = Answer.find(T.Kernel->Source.Name);
          Step && At != Answer.end()) {
        Step->Compiled = At->second;
        addStep(T.Kernel->Source, *Step, *T.Kernel->Spill);
      }
  return llvm::Error::success();
}

/// The best of what was tried.
static void settle(KernelReport &K) {
  SharedSpill &S = *K.Spill;
  SpillStep Best = S.Steps[bestStep(S.Steps)];
  take(K.Source, Best, S);
  S.From = Origin::Measured;
  if (S.Moved.empty() && !S.Pragma)
    S.Refusals.push_back({Reason::CannotReachTarget, K.Source.Where,
                          "each way that was tried takes more accesses"});
}

/// Where no value can be moved, ptxas may still do it.
static bool canTry(const SharedSpill &S, bool HasPragma) {
  return llvm::all_of(S.Refusals, [&](const Refusal &R) {
    return R.Kind == Reason::CannotReachTarget && HasPragma;
  });
}

llvm::Error improveSpills(Report &R, llvm::ArrayRef<KernelReport *> Kernels,
                          const RewriteOptions &Rewriting,
                          const TextMeasure &Measure) {
  std::vector<KernelTrials> Trials;
  bool HasPragma = hasPragma(R.Cuda);
  for (KernelReport *K : Kernels)
    if (K->Spill && canTry(*K->Spill, HasPragma)) {
      Trials.push_back({K, stepsToTry(*K->Spill, HasPragma), *K->Spill});
      K->Spill->Refusals.clear();
    }
  llvm::Error E = tryAll(R, Rewriting, Measure, Trials);
  for (int Round = 0; Round < 3; ++Round) // of an eighth, down to a 64th
    if (!E) {
      for (KernelTrials &T : Trials)
        if (!T.Refused)
          T.ToTry = stepsAround(*T.Kernel->Spill);
      E = tryAll(R, Rewriting, Measure, Trials);
    }
  for (KernelTrials &T : Trials)
    if (E || T.Refused || T.Kernel->Spill->Steps.empty())
      *T.Kernel->Spill = T.Before;
    else
      settle(*T.Kernel);
  return E;
}

} // namespace catt
