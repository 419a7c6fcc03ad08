//===- StagedPlan.h - The plan of a kernel with tiles -----------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   counted as it is -> loops with tiles -> counted without their rows -> plan
//                    `-> none            -> rules of the run           -> plan
//
// Rules for what only the run knows take hundreds of counts. The kernel as it
// is gets them where no loop has tiles, or one beside them must not suffer.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_STAGEDPLAN_H
#define CATT_ANALYSIS_PLAN_STAGEDPLAN_H

#include "analysis/plan/throttle/Setting.h"

namespace catt {

/// The plan of a launch whose loops stay as they are but for the throttles: of
/// what is known, and rules for what only the run knows.
LaunchPlan planIn(const Setting &S, const Launch &L);

/// The plan of the kernel whose rows are staged where that helps, and whose
/// sums are in registers: the tiles take shared memory, and neither takes L1.
/// LargestBlock as that of stagesFor.
LaunchPlan planStaged(const Setting &S, const Launch &L,
                      const AnalysisOptions &Options, bool MayReserve,
                      std::optional<int64_t> LargestBlock = std::nullopt);

/// What the tiles of a plan are predicted to gain under the launch that decided
/// it; with rows of 1,024 elements where only the run knows. std::nullopt:
/// there are none, or where their rows lie is not known.
std::optional<PredictedGain> predictTiles(const Kernel &K,
                                          const KernelPlan &Plan,
                                          const AnalysisOptions &Options);

} // namespace catt

#endif
