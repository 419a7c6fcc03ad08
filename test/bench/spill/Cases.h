//===- Cases.h - The kernels of the suite spill ------------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Those of the suite registers, and those of Wide.cu, Straight.cu and Calls.cu.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_BENCH_SPILL_CASES_H
#define CATT_BENCH_SPILL_CASES_H

#include "../registers/Cases.h"

namespace sweep {

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
  return All;
}

} // namespace sweep

#endif
