//===- SecondOpinion.h - A split on a simulated L1 --------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   whole, split --NestTrace, L1Simulation--> how many times as fast
//
// The time model misses in one direction where the simulation misses in the
// other: their geometric mean tells splits that lose from those that gain
// better than either (docs/model.md, "A second opinion").
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_THROTTLE_SECONDOPINION_H
#define CATT_ANALYSIS_PLAN_THROTTLE_SECONDOPINION_H

#include "analysis/memory/Footprint.h"
#include "analysis/plan/throttle/Candidates.h"
#include "analysis/time/L1Simulation.h"
#include <functional>

namespace catt {

/// Gain below which a split is left out, by the geometric mean of both: a
/// tenth. Chosen on two seeds of test/bench/rows that had been looked at.
constexpr double LeastGainByBoth = 0.1;

/// And by the simulation alone, where loads do not wait for stores. Chosen on
/// four other seeds: of 41 kernels that were only throttled, both leave out 11,
/// which took 1.05 times as long in the mean, and keep two of five that lost.
constexpr double LeastGainSimulated = 0.05;

/// The warps of an SM as a candidate has them. The number of SMs must be known.
SimulatedRun simulatedRun(const Candidate &C, const ThrottleOptions &Options);

/// Cycles of an SM for each warp that runs the nest so.
double simulatedCycles(const SimulatedNest &Nest, const Candidate &C,
                       const ThrottleOptions &Options);

/// Asked about a split that the time model likes: how many times as fast the
/// loop is by it; std::nullopt: it cannot say.
using SecondOpinion = std::function<std::optional<double>(
    unsigned Loop, const Candidate &Whole, const Candidate &Split)>;

/// Why such a split is left out after all. Predicted: by the model, how many
/// times as fast it is. HoldsBack: as LoopWork. Rows that may be in registers
/// are not loaded as often as both think: k-means over 119 floats took 3.7
/// times as long on an H200.
std::optional<Refusal> veto(const SecondOpinion &Ask, const Kernel &K,
                            const Loop &L, const Candidate &Whole,
                            const Candidate &Split, double Predicted,
                            bool HoldsBack);

/// How many times as fast the loop is on the simulated L1, run as `Split` and
/// not as `Whole`. std::nullopt: its addresses or its launch are not known.
std::optional<double> simulatedGain(const Kernel &K, unsigned Loop,
                                    const Candidate &Whole,
                                    const Candidate &Split,
                                    const FootprintOptions &Launch,
                                    const ThrottleOptions &Options);

} // namespace catt

#endif
