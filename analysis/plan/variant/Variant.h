//===- Variant.h - What a kernel could be turned into -----------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   KernelReport is a Variant: the one that is decided
//     a copy, with fewer registers and values in shared memory: one that could
//     be; a Strategy proposes it, tool/optimize/Search measures it
//
// A plain value: taking one is an assignment, and so is going back. Plan is
// decided before anything is searched, and is only carried along.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_VARIANT_VARIANT_H
#define CATT_ANALYSIS_PLAN_VARIANT_VARIANT_H

#include "analysis/plan/occupancy/Levels.h"
#include "analysis/plan/remat/RematPlan.h"
#include "analysis/plan/spill/SpillPlan.h"

namespace catt {

struct Variant {
  KernelPlan Plan;                       ///< warps per loop, blocks per SM
  std::optional<RegisterPlan> Registers; ///< where they were asked for, and a
                                         ///< launch says enough
  std::optional<SharedSpill> Spill; ///< where registers are met by spilling
  std::optional<RematPlan> Remat;   ///< or by computing values again
  std::optional<LevelPlan> Levels;  ///< where launches are to find them out
};

/// Takes what is computed again out of what may wait in shared memory.
void keepApart(const Kernel &K, Variant &V);

} // namespace catt

#endif
