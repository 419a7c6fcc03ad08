//===- Decisions.cpp - What holds for plans of the model -------------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/model/Reasons.h"
#include "analysis/plan/RegisterSources.h"
#include "test/fuzz/Properties.h"
#include "tool/report/Rendering.h"
#include "llvm/ADT/STLExtras.h"

namespace catt::fuzz {

llvm::Expected<AnalysisOptions> analysisFor(const GeneratedKernel &First) {
  AnalysisOptions O;
  const char *const Gpus[] = {"a100", "h200", "v100", "sm_86"};
  auto Gpu = findDevice(First.Decided ? Gpus[First.Seed % 4] : "a100");
  if (!Gpu)
    return Gpu.takeError();
  O.Gpu = *Gpu;
  O.May.Stage = O.May.Sums = First.Rows;
  if (!First.Decided) {
    O.L1Bytes = 1024 << First.Seed % 4;
    return O;
  }
  O.Gpu.SMs = 1; // so that few blocks share it
  if (First.Seed / 4 % 4)
    O.L1Bytes = 2048 << First.Seed / 16 % 4;
  if (First.Seed / 64 % 4)
    O.MinGain = 0;
  if (First.Seed / 1024 % 3 == 0)
    O.Counting = Model::Catt;
  if (First.Seed / 256 % 2)
    O.Registers.Ask = registerSource({});
  return O;
}

std::string differentResidencies(const Report &R, Counts &Seen) {
  for (const KernelReport &K : R.Kernels) {
    Seen["launches that differ"] += K.Source.Launches.size() > 1;
    for (const LoopPlan &P : K.Plan.Loops)
      ++Seen[P.Why ? ("left alone: " + info(P.Why->Kind).Id).str()
                   : "loops to be split"];
    const std::optional<Residency> &Before = K.Plan.Before;
    if (!Before)
      continue;
    Seen["blocks limited by registers"] +=
        Before->LimitedBy == Limiter::Registers;
    if (!K.Registers || K.Source.Launches.size() != 1)
      continue;
    ++Seen["residencies compared"];
    int64_t Now = K.Registers->Current.Blocks;
    int64_t Capped = K.Registers->chosen().Blocks;
    if (Before->BlocksPerSM != Now &&
        !(K.Registers->Bounds && Before->BlocksPerSM == Capped))
      return K.Source.Name + ": planned for " +
             std::to_string(Before->BlocksPerSM) +
             " blocks on an SM; registers leave " + std::to_string(Now) +
             ", and " + std::to_string(Capped) + " under the chosen cap";
  }
  return "";
}

std::string longRule(const Report &R, Counts &Seen) {
  constexpr size_t MostArms = 3;
  for (const KernelReport &K : R.Kernels) {
    // A loop's last arm has no case: it runs as it is.
    size_t Arms = K.Plan.ByThreads.size();
    for (const LoopPlan &P : K.Plan.Loops)
      Arms = std::max(Arms, P.Cases.empty() ? 0 : P.Cases.size() + 1);
    if (Arms > MostArms)
      return K.Source.Name + ": " + std::to_string(Arms) + " arms";
    Seen["rules of the run"] += Arms > 0;
  }
  return "";
}

static bool concerns(const KernelReport &K, const Location &Where) {
  auto Is = [&](const auto &Of) { return Of.Where == Where; };
  return Is(K.Source) || llvm::any_of(K.Source.Launches, Is) ||
         llvm::any_of(K.Source.Loops, Is);
}

std::string saidAgain(const Report &First, const Edits &Done,
                      const Report &Second, Counts &Seen) {
  for (const KernelReport &Before : First.Kernels) {
    if (llvm::none_of(Done.Done, [&](const Applied &A) {
          return concerns(Before, A.Where);
        }))
      continue;
    for (const KernelReport &K : Second.Kernels)
      if (K.Source.Name == Before.Source.Name) {
        ++Seen["decided again in silence"];
        Report Alone;
        Alone.Kernels = {K};
        if (unsigned Loops = countContended(Alone))
          return K.Source.Name + ": " + std::to_string(Loops) +
                 " loops beyond L1D after it was rewritten";
      }
  }
  return "";
}

} // namespace catt::fuzz
