//===- Prediction.h - The time of a loop under a choice ---------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Kernel + LoopProfiles + Candidate (w, T - M, L1)
//     | the loop and those inside it whose reuse can be lost
//     v
//   Running --TimeModel--> cycles of an SM per warp, waves of blocks included
//
// Of a nest only loops with LoopWork count: those that contend by themselves.
//
// The groups of a block run one after the other; the last may be smaller, and
// covers less latency. Blocks run in waves: those that the last wave leaves run
// with fewer warps beside them. Where a loop is split and blocks are held down
// it was measured to last as long as a full one, 5 of an SM's 8 blocks at a
// time as two (docs/model.md): such blocks start and end together, and an SM
// whose blocks have ended takes as many of those left over as it can hold.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_PREDICTION_H
#define CATT_ANALYSIS_PLAN_PREDICTION_H

#include "analysis/Types.h"
#include "analysis/plan/Candidates.h"
#include "analysis/plan/TimeModel.h"
#include <vector>

namespace catt {

/// The profile of a loop; nullptr if there is none.
const LoopProfile *profileOf(const std::vector<LoopProfile> &Profiles,
                             unsigned Loop);

/// Cycles of an SM per warp that the loop takes under the choice. The loop
/// must have a footprint and LoopWork.
double predictedCycles(const Kernel &K,
                       const std::vector<LoopProfile> &Profiles, unsigned Loop,
                       const Candidate &C, const ThrottleOptions &Options,
                       const MemoryRates &Rates);

} // namespace catt

#endif
