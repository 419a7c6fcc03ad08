//===- RuntimePlan.h - Plans for values known only at run time --*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   loop of unknown footprint -> its inputs: n, m (RuntimeInputs)
//     | profiles as a function of them (ProfileFamily)
//     | planThrottle for each value
//     v
//   RuntimeCases: the guards of the loop's versions
//
// Inputs of a loop are strides (`A[i * n + j]`) and the trip counts of loops
// inside it, where they are integer parameters that keep their first value. One
// of them is decided exactly, two are covered (RuntimeCases.h); with three the
// loop is left alone. Its own trip count, if that is yet another parameter,
// does not change the footprint, but the barriers must pay: the plan is made
// for LeastTrips iterations, and the loop runs undivided for fewer. More
// iterations never need fewer groups.
//
// A block size known only at run time is one more input (BlockShapes.h). Cases
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

/// Decides the loops of the plan whose footprint depends on inputs.
void leaveToRunTime(Setting S, LaunchPlan &Result);

/// True if some loop's lines do not fit in L1 under one of the settings; of a
/// loop with one input, at one of a few values.
bool contendsAnywhere(llvm::ArrayRef<Setting> Settings);

/// Decides the loops of a kernel whose block size is known at run time. Input:
/// that of BlockShapes; `Settings`: one for each block that is looked at, all
/// whole warps, and ascending in them.
void leaveBlockToRunTime(const std::string &Input,
                         llvm::ArrayRef<Setting> Settings, LaunchPlan &Result);

} // namespace catt

#endif
