//===- StagePlan.h - Which rows are loaded by the warp together -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   lane 0   a a a a a a a a ...     a load of one element of each row: 32
//   lines lane 1   b b b b b b b b ...     a load of 32 consecutive elements: 1
//   or 2
//   ...      |<- Columns ->|         a tile: 32 rows of Columns elements
//
// Rows whose lines do not fit in L1 are fetched once for each line that they
// cross, if they stay there; loaded tile by tile, each sector is fetched once
// whatever L1 holds (docs/model.md). It pays where a row is at least MinTrips
// elements long: shorter ones were measured to lose up to half of their speed.
//
// Limits: innermost loops that contend, under one launch whose block is known;
// rows a line apart or more; tiles within the 48 KiB of static shared memory.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_STAGE_STAGEPLAN_H
#define CATT_ANALYSIS_PLAN_STAGE_STAGEPLAN_H

#include "analysis/plan/throttle/Setting.h"

namespace catt {

/// Loops that are staged, and why others that contend are not.
struct Stages {
  std::vector<StagedLoop> Loops;
  std::vector<Refusal> Refusals;
};

/// By the profiles of the kernel as it is.
Stages stagesFor(const Setting &S, const std::vector<LoopProfile> &Profiles);

/// The kernel as it is with these tiles: what is staged bypasses L1.
Kernel withStages(const Kernel &K, llvm::ArrayRef<StagedLoop> Staged);

/// "A[i * m + j] and B[i * m + j]"
std::string namesOf(const RowLoop &Rows, const StagedLoop &Staged);

} // namespace catt

#endif
