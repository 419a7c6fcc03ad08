//===- RuntimePlan.h - Plans for values that only the run knows -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   loop without footprint -> the inputs it waits for: n, m
//     | profiles as a function of them (ProfileFamily)
//     | planThrottle for each value
//     v
//   RuntimeCases
//
// What a loop waits for: strides (`A[i * n + j]`) and the trip counts of loops
// inside it, where they are integer parameters that keep their first value. One
// of them is decided exactly, two are covered (RuntimeCases.h); with three the
// loop is left alone. Its own trip count, if that is yet another parameter,
// does not move the footprint but pays for the barriers: the plan is made for
// LeastTrips iterations, and the loop runs undivided for fewer. More iterations
// never ask for fewer groups.
//
// A block size that only the run knows is one more input, `blockDim.x`. Cases
// are then numbers of groups, which stay the same over many block sizes where
// warps per group do not; a block that is no multiple of a warp stays whole.
//
// A loop that is not divided at any of a few values is not looked at further,
// nor one whose footprint takes long to count.
//
// Blocks are not taken away here: shared memory would have to be reserved
// before the value is known.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_RUNTIMEPLAN_H
#define CATT_ANALYSIS_RUNTIMEPLAN_H

#include "analysis/Analysis.h"
#include "analysis/LaunchPlan.h"
#include "analysis/memory/Footprint.h"
#include "analysis/plan/Candidates.h"

namespace catt {

/// What a launch fixes: the inputs of each plan for it.
struct Setting {
  const Kernel &K;
  FootprintOptions Footprint;
  ThrottleOptions Throttle;
  Residency Before;
  Model How;
};

/// The loop's own lines are used again and do not fit as they are.
bool contends(const Setting &S, const LoopProfile &P);

/// What cannot be counted is unknown for this loop, and no more than that. Work
/// is measured where the loop contends, or always.
LoopProfile profileOf(const Setting &S, unsigned Loop, bool AlwaysWork = false);

/// Iterations below which a loop whose trip count only the run knows is not
/// divided.
constexpr int64_t LeastTrips = 64;

/// The inputs of a plan for one launch, whose block size must be known. Error:
/// the block cannot be resident, in words for the user.
llvm::Expected<Setting> settingFor(const Kernel &K, const Launch &L,
                                   const AnalysisOptions &Options,
                                   bool MayReserve);

/// The plan as far as it follows from what is known.
LaunchPlan planKnown(const Setting &S);

/// The plan where these profiles are all that there is to know.
KernelPlan planWith(const Setting &S, std::vector<LoopProfile> Known);

/// Whether the nests of these loops can be counted many times over, at large
/// values of the inputs: columns as long as such a value cannot.
bool isCheap(Setting S, llvm::ArrayRef<std::string> Inputs,
             llvm::ArrayRef<unsigned> Loops);

/// Decides the loops of the plan that wait for inputs.
void leaveToRunTime(Setting S, LaunchPlan &Result);

/// Decides the loops of a kernel whose block size only the run knows. Blocks
/// are those along x; `Settings` holds one for each size that is looked at, all
/// multiples of a warp and ascending.
void leaveBlockToRunTime(llvm::ArrayRef<Setting> Settings, LaunchPlan &Result);

} // namespace catt

#endif
