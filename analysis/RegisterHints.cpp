//===- RegisterHints.cpp - Registers of every kernel of a file -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/RegisterHints.h"
#include "analysis/Analysis.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace catt {

/// "12.4" is the first that has __maxnreg__ (CUDA 12.4 release notes).
static bool lacksMaxnreg(llvm::StringRef Version) {
  auto [Major, Minor] = Version.split('.');
  unsigned M = 0, N = 0;
  if (Major.getAsInteger(10, M) || Minor.split('.').first.getAsInteger(10, N))
    return false; // built-in declarations: whoever compiles has another
  return M < 12 || (M == 12 && N < 4);
}

static bool isSame(const Location &A, const Location &B) {
  return A.File == B.File && A.Line == B.Line && A.Column == B.Column;
}

/// The launches of the source and those that the user tells.
static Kernel withAllLaunches(const Kernel &Decided,
                              const std::vector<Launch> &Seen) {
  Kernel K = Decided;
  for (const Launch &L : Seen)
    if (llvm::none_of(Decided.Launches, [&](const Launch &Known) {
          return isSame(Known.Where, L.Where) && Known.Text == L.Text;
        }))
      K.Launches.push_back(L);
  return K;
}

static RegisterOptions optionsFor(const Kernel &K, const Report &R,
                                  const RegisterHintOptions &Hints,
                                  std::optional<double> MinGain,
                                  const TranslationUnit &Unit) {
  RegisterOptions O;
  O.Gpu = R.Gpu;
  O.How = Hints.How;
  O.Form = Hints.Form;
  O.MinGain = MinGain.value_or(O.MinGain);
  O.Force = Hints.Force;
  O.Target = Hints.Target;
  O.InMainFile = K.Span.File == R.MainFile;
  O.LacksMaxnreg = lacksMaxnreg(R.Cuda.Version);
  if (std::optional<int> Cap = Unit.maxRegisters())
    O.CapOfFlags = *Cap;
  return O;
}

/// OptTLP of the kernel under the launch that decides.
static std::optional<int64_t> optimalBlocksOf(const KernelReport &Report,
                                              const Kernel &K,
                                              const Device &Gpu) {
  BlockResources Block = blockOf(K, *decidingLaunch(K));
  Block.RegistersPerThread = minRegisters(Gpu);
  llvm::Expected<Residency> Most = residency(Gpu, Block);
  if (!Most) {
    llvm::consumeError(Most.takeError());
    return std::nullopt;
  }
  return optimalBlocks(Report.Profiles, *Most, Gpu);
}

void hintRegisters(const TranslationUnit &Unit,
                   const RegisterHintOptions &Options,
                   const std::vector<std::vector<Launch>> &Seen,
                   std::optional<double> MinGain, Report &R) {
  if (!Options.Ask)
    return;
  std::vector<Kernel> All;
  RegisterCaps Caps;
  for (size_t I = 0; I < R.Kernels.size(); ++I) {
    All.push_back(withAllLaunches(R.Kernels[I].Source, Seen[I]));
    const Kernel &K = All.back();
    if (const Launch *L = decidingLaunch(K))
      Caps[K.Name] = capsToAsk(K, *L, optionsFor(K, R, Options, MinGain, Unit));
  }
  if (Caps.empty())
    return;
  llvm::Expected<RegisterAnswers> Answers = Options.Ask(Unit, Caps);
  if (!Answers) {
    R.RegisterProblem = "registers: " + llvm::toString(Answers.takeError());
    R.Notes.push_back(R.RegisterProblem);
    return;
  }
  for (size_t I = 0; I < All.size(); ++I) {
    auto Known = Answers->find(All[I].Name);
    if (Known == Answers->end() || !Caps.count(All[I].Name))
      continue;
    KernelReport &Report = R.Kernels[I];
    Report.Pressure = Known->second.Use;
    RegisterOptions O = optionsFor(All[I], R, Options, MinGain, Unit);
    O.MayRaiseShared = Report.Plan.ByThreads.empty() &&
                       Report.Plan.ReserveSharedBytes.value_or(0) == 0;
    O.CarveoutPercent = Report.Plan.CarveoutPercent;
    Report.Registers =
        planRegisters(All[I], Known->second.Use, Known->second.Mix,
                      optimalBlocksOf(Report, All[I], R.Gpu), O);
    if (!Report.Registers)
      continue;
    // reserve-shared may take its part of the shared memory.
    All[I].StaticSharedBytes += Report.Plan.ReserveSharedBytes.value_or(0);
    for (const LaunchCase &C : Report.Plan.ByThreads)
      All[I].StaticSharedBytes += C.ReserveBytes;
    if (auto Cap = spillTarget(*Report.Registers, Options.Target)) {
      Report.Spill = planSpill(All[I], Known->second.Use, *Cap, O);
      Report.Remat = planRemat(All[I], Known->second.Use, *Cap);
    } else {
      Report.Joint =
          jointPlans(All[I], Known->second.Use, *Report.Registers, O);
    }
  }
}

} // namespace catt
