//===- ThrottlePlan.h - Warps and blocks per loop --------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   LoopProfile --+
//   Residency ----+--> candidates (w warps per group, T - M blocks)
//   Device -------+      |
//                        +-- per loop, the one to take --> LoopPlan
//                        +-- per kernel, the largest M --> KernelPlan
//
// A pure function: the same measures give the same plan.
//
// Footprint of w warps per block and T blocks, in lines of 128 bytes:
//   exact  lines(w) * T - shared * (T - 1)      blocks share `shared` lines
//   paper  REQ_warp * w * T                     CATT equations 7 and 8
//
// Which (w, M) (CATT equation 9): first fewer warps with all blocks, the most
// that fit; if one warp per block is still too much, the fewest blocks M taken
// away for which it fits. w is ceil(W / N): the paper takes N from 1, 2, 4, 8
// ... not above W, the exact rule every N from 1 to W. Taking blocks away
// reserves shared memory, which L1 loses: what fits is judged with the L1 that
// is left. M counts for the whole kernel, so it is taken only if no loop that
// was fine before it stops being fine.
//
// A nest: each loop has its own footprint, that of one of its iterations with
// everything inside. The outermost contended loop that can be split is split;
// the loops inside it are covered by that. If the outermost cannot fit, the
// paper's rule leaves the whole nest alone (its CORR), the exact rule tries the
// next loop inwards.
//
// Where a profile has LoopWork, the exact rule asks the time model instead: of
// the same candidates the one with the least predicted time, and none if that
// gains less than MinGain over the loop left whole. Of a split that it likes a
// second opinion is asked (SecondOpinion.h). Blocks are taken away where
// the kernel as it is written gains MinGain by that, and splitting alone does
// not come within 5 %: neither of the best splits nor of those that are made.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_THROTTLE_THROTTLEPLAN_H
#define CATT_ANALYSIS_PLAN_THROTTLE_THROTTLEPLAN_H

#include "analysis/model/Kernel.h"
#include "analysis/model/Plan.h"
#include "analysis/plan/throttle/Candidates.h"
#include "analysis/plan/throttle/SecondOpinion.h"
#include <vector>

namespace catt {

/// Decides for each loop of the kernel, in the order of Kernel::Loops. Profiles
/// are found by their Loop; a loop without one is left alone. Nobody is asked
/// where --min-gain is given.
KernelPlan planThrottle(const Kernel &K,
                        const std::vector<LoopProfile> &Profiles,
                        const Residency &Before, const ThrottleOptions &Options,
                        const SecondOpinion &Ask = nullptr);

} // namespace catt

#endif
