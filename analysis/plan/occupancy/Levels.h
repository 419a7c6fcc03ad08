//===- Levels.h - Numbers of blocks that launches may try ------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   blocks on an SM    1   2   3 | 4 | 5   6   8
//                      `--------'      `--------- stairs of registers: a copy
//                       no copy: shared memory     of the kernel for each
//
// Which of them are tried at first follows from MaxLive (Orion, section 3.3 and
// figure 8): a kernel whose values need more registers than full occupancy
// leaves may gain by more blocks, and others by fewer.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_OCCUPANCY_LEVELS_H
#define CATT_ANALYSIS_PLAN_OCCUPANCY_LEVELS_H

#include "analysis/plan/occupancy/RegisterPlan.h"

namespace catt {

/// What is written by try-occupancy.
struct LevelPlan {
  bool MoreFirst = false;
  /// Blocks that copies are bounded for, ascending; empty: none is worth it, or
  /// registers are not known.
  std::vector<int64_t> MoreBlocks;
  int64_t Threads = 0; ///< of the largest launch: the bound's other number
};

/// Use, Registers: null where they are not known.
LevelPlan planLevels(const Kernel &K, const RegisterUse *Use,
                     const RegisterPlan *Registers, const Device &Gpu);

} // namespace catt

#endif
