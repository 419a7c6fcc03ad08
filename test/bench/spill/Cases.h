//===- Cases.h - The kernels of the suite spill ------------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Those of the suite registers, and those of Wide.cu, Straight.cu, Calls.cu,
// HeadlineCrat.cu and HeadlineTlpRm.cu.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_BENCH_SPILL_CASES_H
#define CATT_BENCH_SPILL_CASES_H

#include "../registers/Cases.h"

namespace sweep {

/// Kernels of the applications that CRAT's and TLP-RM's headlines are about.
inline std::vector<Case> headlineCases() {
  constexpr unsigned M = 1 << 20, V = 384, S = 4096;
  const char *const Crat = "HeadlineCrat", *const TlpRm = "HeadlineTlpRm";
  const size_t Volume = size_t(V) * V * V, Image = size_t(S) * S;
  return {
      {"blackScholes", Crat, 32 * M, {4 * M / 128}, {128}, size_t(64) * M},
      {"clusterFit", Crat, M / 16, {M / 32}, {128}, 7 * M / 16},
      {"initRandom", Crat, M / 4, {M / 1024}, {256}, 6 * M},
      {"differences", Crat, V, {V / 64, V / 16, 4}, {32, 16}, Volume},
      {"heatPyramid", Crat, S, {(S + 25) / 26, (S + 57) / 58}, {32, 8}, Image},
      {"invertMapping", Crat, 3 * M, {3 * M / 256}, {256}, size_t(102) * M},
      {"jaggedProduct", Crat, M, {M / 256}, {256}, M},
      {"stencilColumns", Crat, V, {V / 128, V / 4, 4}, {32, 4}, Volume},
      {"facilityCost", Crat, 3 * M, {3 * M / 512}, {512}, size_t(27) * M},
      {"twisters", TlpRm, M / 4, {M / 1024}, {128}, size_t(76) * M},
      {"productTiles", TlpRm, 2048, {2048 / 32, 2048 / 64}, {16, 16}, 4 * M},
      {"bitonicBlocks", TlpRm, 8 * M, {8 * M / 1024}, {512}, size_t(16) * M},
      {"bitonicTurns", TlpRm, 8 * M, {8 * M / 1024}, {512}, size_t(16) * M},
      {"spectrumProduct", TlpRm, S, {S / 512, S}, {256}, 2 * Image},
      {"bicubicImage", TlpRm, S, {S / 16, S / 16}, {16, 16}, 4 * Image},
  };
}

inline std::vector<Case> spillCases() {
  constexpr unsigned M = 1 << 20;
  std::vector<Case> All = registerCases();
  for (const char *Kernel : {"wide", "wideRows"})
    All.push_back({Kernel, "Wide", M, {M / 256}, {256}, size_t(96) * M});
  const auto Straight = [&](const char *Kernel, unsigned Threads,
                            unsigned Outputs) {
    All.push_back(
        {Kernel, "Straight", M, {M / Threads}, {Threads}, size_t(Outputs) * M});
  };
  Straight("cosines", 256, 64);
  Straight("ranks", 128, 8);
  Straight("spectrum", 256, 32);
  Straight("sponge", 128, 4);
  Straight("patches", 128, 6);
  const auto Calls = [&](const char *Kernel, unsigned Outputs) {
    All.push_back({Kernel, "Calls", M, {M / 128}, {128}, size_t(Outputs) * M});
  };
  Calls("callHorner", 7);
  Calls("callQuadrature", 48);
  Calls("callKepler", 40);
  Calls("callDeep", 64);
  Calls("callBodies", 20);
  Calls("callBeta", 24);
  Calls("callSlopes", 72);
  Calls("callPaths", 56);
  Calls("callTable", 44);
  Calls("callOrbits", 24);
  for (const Case &C : headlineCases())
    All.push_back(C);
  return All;
}

} // namespace sweep

#endif
