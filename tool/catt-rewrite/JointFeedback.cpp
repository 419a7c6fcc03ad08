//===- JointFeedback.cpp - Tighter caps, if nothing need spill ------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "JointFeedback.h"
#include "Feedback.h"
#include "Trials.h"
#include "llvm/Support/FormatVariadic.h"

namespace catt {
namespace {

/// A point at which nothing need be spilled.
struct Found {
  JointPlan Plan;
  double Gain = 1; ///< over the kernel as it was planned
};

/// One kernel, and what was found for it.
struct KernelTrials {
  KernelReport *Kernel;
  RegisterPlan Alone;
  std::vector<Found> Points = {}; ///< fewest blocks first
  bool Ended = false;

  double minGain() const { return 1 + Kernel->Joint.front().MinGain; }
};
} // namespace

static void stay(KernelTrials &T) {
  T.Kernel->Registers = T.Alone;
  T.Kernel->Spill.reset();
}

/// Looks at what was tried at one point.
static void judge(KernelTrials &T, JointPlan Joint, const Device &Gpu) {
  Joint.Spill = *T.Kernel->Spill;
  const SpillStep *Cheapest = stepWithoutSpills(Joint.Spill);
  T.Ended = !Cheapest;
  if (!Cheapest)
    return;
  SpillStep Step = *Cheapest;
  double Gain = gainOver(T.Alone, Joint, Step, Gpu);
  take(T.Kernel->Source, Step, Joint.Spill);
  Joint.Spill.Refusals.clear();
  for (Selection &S : Joint.Registers.Selections)
    if (S.By == Selector::Model)
      S = {Selector::Model, Joint.Registers.Chosen,
           llvm::formatv("nothing is spilled with {0} registers of each thread "
                         "in shared memory",
                         Step.MovedRegisters)
               .str(),
           Gain};
  T.Points.push_back({std::move(Joint), Gain});
}

/// The one with the fewest blocks of those that are about as good as the best:
/// what they move less is certain, what more warps gain is predicted.
static const Found *bestOf(const KernelTrials &T) {
  double Most = T.minGain();
  for (const Found &F : T.Points)
    Most = std::max(Most, F.Gain);
  auto Best = llvm::find_if(T.Points, [&](const Found &F) {
    return F.Gain >= T.minGain() && F.Gain * T.minGain() >= Most;
  });
  return Best == T.Points.end() ? nullptr : &*Best;
}

/// One point of each kernel that has another one.
static llvm::Expected<bool> tryNext(size_t Point, Report &R,
                                    const RewriteOptions &Rewriting,
                                    const TextMeasure &Measure,
                                    std::vector<KernelTrials> &Trials) {
  std::vector<KernelReport *> Now;
  for (KernelTrials &T : Trials)
    if (!T.Ended && Point < T.Kernel->Joint.size()) {
      T.Kernel->Registers = T.Kernel->Joint[Point].Registers;
      T.Kernel->Spill = T.Kernel->Joint[Point].Spill;
      Now.push_back(T.Kernel);
    }
  if (llvm::Error E = improveSpills(R, Now, Rewriting, Measure))
    return std::move(E);
  for (KernelTrials &T : Trials)
    if (llvm::is_contained(Now, T.Kernel))
      judge(T, T.Kernel->Joint[Point], R.Gpu);
  return !Now.empty();
}

/// Takes the best of each, as far as the text can be written so.
static llvm::Error settle(Report &R, const RewriteOptions &Rewriting,
                          std::vector<KernelTrials> &Trials) {
  for (KernelTrials &T : Trials) {
    stay(T);
    if (const Found *Best = bestOf(T)) {
      T.Kernel->Registers = Best->Plan.Registers;
      T.Kernel->Spill = Best->Plan.Spill;
    }
  }
  llvm::Expected<Trial> Text = trialOf(R, Rewriting);
  if (!Text)
    return Text.takeError();
  for (KernelTrials &T : Trials)
    if (!isChanged(*T.Kernel, "launch-bounds", Text->Changes) ||
        !isChanged(*T.Kernel, "spill-shared", Text->Changes))
      stay(T);
  return llvm::Error::success();
}

static llvm::Error tryAll(Report &R, const RewriteOptions &Rewriting,
                          const TextMeasure &Measure,
                          std::vector<KernelTrials> &Trials) {
  for (size_t Point = 0;; ++Point) {
    llvm::Expected<bool> Tried = tryNext(Point, R, Rewriting, Measure, Trials);
    if (!Tried)
      return Tried.takeError();
    if (!*Tried)
      return settle(R, Rewriting, Trials);
  }
}

llvm::Error chooseJointly(Report &R, const RewriteOptions &Rewriting,
                          const TextMeasure &Measure) {
  std::vector<KernelTrials> Trials;
  for (KernelReport &K : R.Kernels)
    if (!K.Joint.empty())
      Trials.push_back({&K, *K.Registers});
  if (Trials.empty())
    return llvm::Error::success();
  llvm::Error Failed = tryAll(R, Rewriting, Measure, Trials);
  if (Failed)
    for (KernelTrials &T : Trials)
      stay(T);
  return Failed;
}

} // namespace catt
