//===- RegisterHints.cpp - Registers of every kernel of a file -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/RegisterHints.h"
#include "analysis/Report.h"
#include "analysis/plan/Decide.h"
#include "analysis/plan/throttle/Setting.h"
#include "analysis/plan/variant/JointStrategy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace catt {

/// Is a toolkit at least this one? Empty: not known.
static std::optional<bool> isFrom(const Toolkit &Cuda, unsigned Major,
                                  unsigned Minor) {
  auto [First, Rest] = llvm::StringRef(Cuda.Version).split('.');
  unsigned M = 0, N = 0;
  if (First.getAsInteger(10, M) || Rest.split('.').first.getAsInteger(10, N))
    return std::nullopt;
  return std::pair(M, N) >= std::pair(Major, Minor);
}

std::optional<bool> hasMaxnreg(const Toolkit &Cuda) {
  return isFrom(Cuda, 12, 4);
}

bool hasSpillPragma(const Toolkit &Cuda) {
  return isFrom(Cuda, 13, 0).value_or(false);
}

/// The launches of the source and those that the user tells.
static Kernel withAllLaunches(const Kernel &Decided,
                              const std::vector<Launch> &Seen) {
  Kernel K = Decided;
  for (const Launch &L : Seen)
    if (llvm::none_of(Decided.Launches, [&](const Launch &Known) {
          return Known.Where == L.Where && Known.Text == L.Text;
        }))
      K.Launches.push_back(L);
  return K;
}

RegisterOptions registerOptions(const Kernel &K, const Report &R,
                                const AnalysisOptions &Options,
                                const TranslationUnit &Unit) {
  const RegisterHintOptions &Hints = Options.Registers;
  RegisterOptions O;
  O.Gpu = R.Gpu;
  O.By = Hints.By;
  O.Form = Hints.Form;
  O.MinGain = Options.MinGain.value_or(O.MinGain);
  O.Force = Hints.Force;
  O.Target = Hints.Target;
  // Other units may have other instances of a template.
  O.InMainFile = K.Span.File == R.MainFile ||
                 (Options.Elsewhere.IsWhole && !K.Symbol.empty() &&
                  K.Name.find('<') == std::string::npos);
  O.HasSpillPragma = hasSpillPragma(R.Cuda);
  O.LacksMaxnreg = !hasMaxnreg(R.Cuda).value_or(true);
  O.L1Bytes = Options.L1Bytes;
  O.OptBlocks = Options.OptBlocks;
  if (std::optional<int> Cap = Unit.maxRegisters())
    O.CapOfFlags = *Cap;
  return O;
}

/// What the throttle leaves of shared memory and of the launches.
static RegisterOptions beside(const KernelPlan &Plan, RegisterOptions O) {
  O.MayRaiseShared =
      Plan.ByThreads.empty() && Plan.ReserveSharedBytes.value_or(0) == 0;
  O.CarveoutPercent = Plan.CarveoutPercent;
  return O;
}

/// OptTLP of the kernel: as the user tells it, or under the launch that
/// decides, with the L1 that the user tells or that the carve-out leaves.
static std::optional<int64_t> optimalBlocksOf(const KernelReport &Report,
                                              const Kernel &K,
                                              const RegisterOptions &O) {
  if (O.OptBlocks)
    return O.OptBlocks;
  BlockResources Block = blockOf(K, *decidingLaunch(K));
  Block.RegistersPerThread = minRegisters(O.Gpu);
  Block.CarveoutPercent = O.CarveoutPercent;
  llvm::Expected<Residency> Most = residency(O.Gpu, Block);
  if (!Most) {
    llvm::consumeError(Most.takeError());
    return std::nullopt;
  }
  if (O.L1Bytes)
    Most->L1Bytes = *O.L1Bytes;
  return optimalBlocks(Report.Profiles, *Most, O.Gpu);
}

/// Every kernel with the launches of the source and those that the user tells.
static std::vector<Kernel>
withAllLaunches(const Report &R, const std::vector<std::vector<Launch>> &Seen) {
  std::vector<Kernel> All;
  for (size_t I = 0; I < R.Kernels.size(); ++I)
    All.push_back(withAllLaunches(R.Kernels[I].Source, Seen[I]));
  return All;
}

/// Whether others are asked about a kernel than about its file.
static bool asksAlone(const KernelReport &K) {
  return K.Own && K.Own->Registers.Ask;
}

RegistersTold askRegisters(const TranslationUnit &Unit,
                           const AnalysisOptions &Options,
                           const std::vector<std::vector<Launch>> &Seen,
                           Report &R) {
  RegistersTold Out;
  if (!Options.Registers.Ask && llvm::none_of(R.Kernels, asksAlone))
    return Out;
  const std::vector<Kernel> All = withAllLaunches(R, Seen);
  for (bool Alone : {false, true}) {
    RegisterCaps Caps;
    RegisterSource Ask;
    for (auto [K, Report] : llvm::zip_equal(All, R.Kernels)) {
      if (asksAlone(Report) != Alone || !(Alone || Options.Registers.Ask))
        continue;
      const AnalysisOptions Mine = optionsFor(Report, Options);
      Ask = Mine.Registers.Ask;
      RegisterOptions O = registerOptions(K, R, Mine, Unit);
      const Launch *L = decidingLaunch(K);
      Caps[K.Name] = L ? capsToAsk(K, *L, O) : capsOfBounds(K, O);
    }
    if (Caps.empty())
      continue;
    llvm::Expected<RegisterAnswers> Answers = Ask(Unit, Caps);
    if (!Answers) {
      R.RegisterProblem = "registers: " + llvm::toString(Answers.takeError());
      R.Notes.push_back(R.RegisterProblem);
      continue;
    }
    Out.Answers.merge(*Answers);
    for (const auto &[Name, Asked] : Caps)
      Out.Kernels.insert(Name);
  }
  return Out;
}

/// The cap that is chosen is written, so it is what the loops run under.
static void decideUnderCap(const AnalysisOptions &Options,
                           KernelReport &Report) {
  const RegisterPlan &Plan = *Report.Registers;
  if (!Options.May.Bounds || !Plan.Bounds || !Plan.Refusals.empty())
    return;
  const RegisterPoint &Chosen = Plan.chosen().Compiled;
  int64_t Taken = Chosen.Registers;
  Report.Source.Registers = RegisterRange{Taken, Taken, Taken, Chosen.From};
  decide(Report, Options);
}

void hintRegisters(const TranslationUnit &Unit, const AnalysisOptions &Options,
                   const std::vector<std::vector<Launch>> &Seen,
                   const RegisterAnswers &Answers, Report &R) {
  if (Answers.empty())
    return;
  std::vector<Kernel> All = withAllLaunches(R, Seen);
  for (auto [K, Report] : llvm::zip_equal(All, R.Kernels)) {
    auto Known = Answers.find(K.Name);
    if (Known == Answers.end() || !decidingLaunch(K))
      continue;
    const auto &[Use, Mix] = Known->second;
    const AnalysisOptions Mine = optionsFor(Report, Options);
    Report.Pressure = Use;
    RegisterOptions O = beside(Report.Plan, registerOptions(K, R, Mine, Unit));
    Report.Registers =
        planRegisters(K, Use, Mix, optimalBlocksOf(Report, K, O), O);
    if (!Report.Registers)
      continue;
    decideUnderCap(Mine, Report);
    O = beside(Report.Plan, O);
    // reserve-shared may take its part of the shared memory, of which a launch
    // asks for that of its own block size.
    int64_t Reserved = Report.Plan.ReserveSharedBytes.value_or(0);
    for (const LaunchCase &C : Report.Plan.ByThreads)
      Reserved = std::max(Reserved, C.ReserveBytes);
    K.StaticSharedBytes += Reserved;
    if (Mine.May.Bounds)
      Report.Joint = jointVariants(K, Use, Report, Mine.May, O);
    if (auto Cap = spillTarget(*Report.Registers, Mine.Registers.Target)) {
      Report.Spill = planSpill(K, Use, *Cap, O);
      Report.Remat = planRemat(K, Use, *Cap);
    }
  }
}

} // namespace catt
