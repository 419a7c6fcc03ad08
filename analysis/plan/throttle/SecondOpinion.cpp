//===- SecondOpinion.cpp - A split on a simulated L1 ----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/throttle/SecondOpinion.h"
#include "analysis/nest/Nest.h"
#include "analysis/plan/throttle/NestTrace.h"
#include "analysis/time/TimeModel.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

namespace catt {

static SimulationRates simulationRates(const Device &Gpu) {
  const RateScale S = rateScale(Gpu);
  SimulationRates R;
  R.Line *= S.Port;
  R.Bank *= S.Port;
  R.Hit *= S.Hit;
  R.L2 *= S.L2;
  R.Dram *= S.Dram;
  R.L2Sector *= S.L2Sector;
  R.StoredSector *= S.L2Sector;
  R.StoredAgain *= S.DramSector;
  R.DramSector *= S.DramSector;
  R.DramAgain *= S.DramSector;
  R.Barrier *= S.Barrier;
  R.L2Bytes = S.L2Bytes.value_or(R.L2Bytes);
  return R;
}

std::optional<Refusal> veto(const SecondOpinion &Ask, const Kernel &K,
                            const Loop &L, const Candidate &Whole,
                            const Candidate &Split, double Predicted,
                            bool HoldsBack) {
  if (const Access *Row = rowInRegisters(K, L.Id))
    return Refusal{Reason::SmallGain, L.Where,
                   "'" + Row->Text + "' may be in registers"};
  const std::optional<double> Simulated =
      Ask ? Ask(L.Id, Whole, Split) : std::nullopt;
  if (!Simulated || (std::sqrt(Predicted * *Simulated) >= 1 + LeastGainByBoth &&
                     (HoldsBack || *Simulated >= 1 + LeastGainSimulated)))
    return std::nullopt;
  return Refusal{
      Reason::SmallGain, L.Where,
      llvm::formatv(
          "the best choice is predicted to gain {0:f0} %, and to take "
          "{1:f1} times as long on a simulated L1",
          100 * (Predicted - 1), 1 / *Simulated)};
}

SimulatedRun simulatedRun(const Candidate &C, const ThrottleOptions &Options) {
  SimulatedRun Run;
  Run.WarpsPerBlock = llvm::divideCeil(Options.Block.Threads, WarpLanes);
  Run.WarpsPerGroup = C.WarpsPerGroup;
  Run.BlocksPerSM = C.BlocksPerSM;
  Run.L1Bytes = C.L1Bytes;
  Run.SMs = *Options.Gpu.SMs;
  Run.GridBlocks = Options.Block.GridBlocks;
  return Run;
}

double simulatedCycles(const SimulatedNest &Nest, const Candidate &C,
                       const ThrottleOptions &Options) {
  return simulate(Nest, simulatedRun(C, Options), simulationRates(Options.Gpu))
      .CyclesPerWarp;
}

std::optional<double> simulatedGain(const Kernel &K, unsigned Loop,
                                    const Candidate &Whole,
                                    const Candidate &Split,
                                    const FootprintOptions &Launch,
                                    const ThrottleOptions &Options) {
  if (!Options.Gpu.SMs)
    return std::nullopt;
  std::unique_ptr<SimulatedNest> Nest = traceOf(K, Loop, Launch);
  if (!Nest)
    return std::nullopt;
  const double Before = simulatedCycles(*Nest, Whole, Options),
               After = simulatedCycles(*Nest, Split, Options);
  if (Before <= 0 || After <= 0)
    return std::nullopt;
  return Before / After;
}

} // namespace catt
