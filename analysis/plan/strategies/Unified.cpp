//===- Unified.cpp - Threads by the dispatch interval ---------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   dispatch interval * cores of an SM   threads that fill the pipelines
//   from there: more while computation hides the accesses (equation 1), else
//   fewer, until nothing is spilled or it does
//
// Unified section 4.2.
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/strategies/Selectors.h"
#include "llvm/Support/FormatVariadic.h"
#include <limits>

namespace catt {

double computePerAccess(const DesignPoint &P, const InstructionMix &Mix) {
  double Accesses = Mix.OffChip + P.spillAccesses();
  if (Accesses == 0)
    return std::numeric_limits<double>::infinity();
  return Mix.Compute * Mix.DispatchInterval / Accesses;
}

int64_t coresPerSM(const Device &Gpu) {
  switch (Gpu.Capability) {
  case 20:
    return 32;
  case 30:
    return 192;
  case 60:
  case 70:
  case 72:
  case 75:
  case 80:
    return 64;
  default:
    return 128;
  }
}

static Selection selectUnified(const SelectorInput &In) {
  double Interval = In.Mix.DispatchInterval;
  Selection S{
      0, llvm::formatv("a dispatch interval of {0:f1} cycles", Interval).str()};
  if (Interval <= 1) { // one warp fills the pipeline: not concurrency bound
    S.Why += " leaves nothing to hide";
    return S;
  }
  auto Beneficial = [&](size_t I) {
    return computePerAccess(In.Points[I], In.Mix) > MaxComputePerAccess;
  };
  double Threads = Interval * double(coresPerSM(In.Gpu));
  size_t Start = 0;
  while (Start + 1 < In.Points.size() &&
         double(In.Points[Start].Blocks * In.ThreadsPerBlock) < Threads)
    ++Start;
  // Up while computation hides the accesses, else down to the first that does.
  if (Beneficial(Start)) {
    for (size_t I = Start; I < In.Points.size(); ++I)
      if (Beneficial(I))
        S.Point = I;
  } else {
    size_t I = Start;
    while (I > 0 && In.Points[I].spills() && !Beneficial(I))
      --I;
    S.Point = I;
  }
  S.Why += llvm::formatv(" asks for {0:f0} threads", Threads).str();
  return S;
}

constinit const Selector Selector::Unified{"unified", selectUnified, true};

} // namespace catt
