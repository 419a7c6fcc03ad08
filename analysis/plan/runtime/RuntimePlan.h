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
// A block size that only the run knows is one more input (BlockShapes.h). Cases
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
#ifndef CATT_ANALYSIS_PLAN_RUNTIME_RUNTIMEPLAN_H
#define CATT_ANALYSIS_PLAN_RUNTIME_RUNTIMEPLAN_H

#include "analysis/plan/throttle/Setting.h"

namespace catt {

/// Iterations below which a loop whose trip count only the run knows is not
/// divided.
constexpr int64_t LeastTrips = 64;

/// Whether the nests of these loops can be counted many times over, at large
/// values of the inputs: columns as long as such a value cannot.
bool isCheap(Setting S, llvm::ArrayRef<std::string> Inputs,
             llvm::ArrayRef<unsigned> Loops);

/// Decides the loops of the plan that wait for inputs.
void leaveToRunTime(Setting S, LaunchPlan &Result);

/// True if some loop's lines do not fit in L1 under one of the settings; of a
/// loop that waits for one input, at one of a few values.
bool contendsAnywhere(llvm::ArrayRef<Setting> Settings);

/// Decides the loops of a kernel whose block size only the run knows. Input:
/// that of BlockShapes; `Settings`: one for each block that is looked at, all
/// whole warps, and ascending in them.
void leaveBlockToRunTime(const std::string &Input,
                         llvm::ArrayRef<Setting> Settings, LaunchPlan &Result);

} // namespace catt

#endif
