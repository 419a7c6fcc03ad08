//===- Prediction.h - The time of a loop under a choice ---------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Kernel + LoopProfiles + Candidate (w, T - M, L1)
//     | the loop and those inside it whose reuse may miss
//     v
//   Running --TimeModel--> cycles of an SM per warp, the tail wave included
//
// Of a nest only loops with LoopWork count: those that contend by themselves.
//
// The groups of a block run one after the other; the last may be smaller, and
// hides less latency. Blocks run in waves; the tail wave need not fill the GPU.
// With one warp at a time, all blocks of an SM end together, and the tail wave
// takes as long as a full one on the SMs that get its blocks. The more warps
// run at a time, the more the blocks drift apart, and the more evenly the tail
// is distributed: of the difference to a full wave, one w-th counts
// (docs/model.md). This was measured with fewer resident blocks, and is asked
// only there: a kernel does not lose blocks because of its tail wave alone.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_THROTTLE_PREDICTION_H
#define CATT_ANALYSIS_PLAN_THROTTLE_PREDICTION_H

#include "analysis/model/Facts.h"
#include "analysis/model/Kernel.h"
#include "analysis/plan/throttle/Candidates.h"
#include "analysis/time/TimeModel.h"
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

struct TimedCandidate {
  Candidate Choice;
  double Cycles; ///< predictedCycles
};

/// All numbers of warps at a time for one number of blocks, the most first.
std::vector<TimedCandidate>
predictedTimes(const Kernel &K, const std::vector<LoopProfile> &Profiles,
               unsigned Loop, const BlockChoice &Blocks,
               const ThrottleOptions &Options, const MemoryRates &Rates);

/// The one with the least time. Among nearly equal ones the most warps.
const TimedCandidate &fastest(llvm::ArrayRef<TimedCandidate> Times);

/// The most warps that lose less than 3 % against the best choice.
int64_t mostWarps(llvm::ArrayRef<TimedCandidate> Times,
                  const TimedCandidate &Best);

} // namespace catt

#endif
