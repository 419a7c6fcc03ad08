//===- Feedback.cpp - Compile, look, keep what is better ------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Feedback.h"
#include "llvm/ADT/STLExtras.h"

namespace catt {
namespace {

/// One kernel, and what is still to be tried on it.
struct Trial {
  KernelReport *Kernel;
  std::vector<SpillStep> ToTry;
  std::optional<SpillStep> Now;
  SharedSpill Before;
  bool Refused = false; ///< the text stands against any change
};

} // namespace

/// enable_smem_spilling came with CUDA 13.0 (PTX ISA 9.0).
static bool hasPragma(const Toolkit &Cuda) {
  unsigned Major = 0;
  return !llvm::StringRef(Cuda.Version)
              .split('.')
              .first.getAsInteger(10, Major) &&
         Major >= 13;
}

static bool isChanged(const KernelReport &K, const Edits &Changes) {
  const Location &At = K.Source.Where;
  return llvm::any_of(Changes.Done, [&](const Applied &A) {
    return A.Transform == "spill-shared" && A.Where.File == At.File &&
           A.Where.Line == At.Line && A.Where.Column == At.Column;
  });
}

/// The texts with every kernel's present plan, compiled.
static llvm::Error measureAll(const Report &R, const RewriteOptions &How,
                              const TextMeasure &Measure,
                              std::vector<Trial> &Trials) {
  llvm::Expected<Edits> Changes = rewrite(R, How);
  if (!Changes)
    return Changes.takeError();
  auto Texts = catt::apply(*Changes, R.Texts);
  if (!Texts)
    return Texts.takeError();
  for (Trial &T : Trials)
    if (T.Now && (T.Now->Pragma || T.Now->MovedRegisters != 0) &&
        !isChanged(*T.Kernel, *Changes)) {
      T.Refused = true;
      T.Now.reset();
      T.ToTry.clear();
    }
  std::map<std::string, unsigned> Caps;
  for (const Trial &T : Trials)
    if (T.Now)
      Caps[T.Kernel->Source.Name] = unsigned(T.Kernel->Spill->CapRegisters);
  auto Points = Measure(*Texts, Caps);
  if (!Points)
    return Points.takeError();
  for (Trial &T : Trials) {
    auto Found = Points->find(T.Kernel->Source.Name);
    if (!T.Now || Found == Points->end())
      continue;
    T.Now->Compiled = Found->second;
    addStep(T.Kernel->Source, *T.Now, *T.Kernel->Spill);
  }
  return llvm::Error::success();
}

/// Until nothing is left to try.
static llvm::Error tryAll(const Report &R, const RewriteOptions &How,
                          const TextMeasure &Measure,
                          std::vector<Trial> &Trials) {
  for (;;) {
    bool Any = false;
    for (Trial &T : Trials) {
      T.Now.reset();
      while (!T.Now && !T.ToTry.empty()) {
        SpillStep Next = T.ToTry.front();
        T.ToTry.erase(T.ToTry.begin());
        if (take(T.Kernel->Source, Next, *T.Kernel->Spill))
          T.Now = Next;
      }
      Any |= T.Now.has_value();
    }
    if (!Any)
      return llvm::Error::success();
    if (llvm::Error E = measureAll(R, How, Measure, Trials))
      return E;
  }
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

llvm::Error improveSpills(Report &R, const RewriteOptions &How,
                          const TextMeasure &Measure) {
  std::vector<Trial> Trials;
  for (KernelReport &K : R.Kernels)
    if (K.Spill && K.Spill->Refusals.empty())
      Trials.push_back({&K, stepsToTry(*K.Spill, hasPragma(R.Cuda)),
                        std::nullopt, *K.Spill});
  llvm::Error E = tryAll(R, How, Measure, Trials);
  for (int64_t Part : {16, 32})
    if (!E) {
      for (Trial &T : Trials)
        if (!T.Refused)
          T.ToTry = stepsAround(*T.Kernel->Spill, Part);
      E = tryAll(R, How, Measure, Trials);
    }
  for (Trial &T : Trials)
    if (E || T.Refused || T.Kernel->Spill->Steps.empty())
      *T.Kernel->Spill = T.Before;
    else
      settle(*T.Kernel);
  return E;
}

} // namespace catt
