//===- Force.h - Decisions that the user takes ------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   --force=gesummv:j=4,2     loop j of gesummv in 4 groups, 2 blocks fewer
//     | names one kernel and one loop, or an error says what there is
//     v
//   LoopPlan{Groups 4}, KernelPlan{BlocksRemoved 2}
//
// What a force cannot do: split a loop where that is not safe, or hold blocks
// off where no shared memory is left for it. The plan then stays without, and
// forceError says why.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_THROTTLE_FORCE_H
#define CATT_ANALYSIS_PLAN_THROTTLE_FORCE_H

#include "analysis/model/Kernel.h"
#include "analysis/model/Plan.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace catt {

/// True if the choice names the kernel, by its full or its unqualified name.
bool isFor(const ForcedChoice &F, const Kernel &K);

/// True if the choice names the loop, by its iterator or by its number.
bool isFor(const ForcedChoice &F, const Loop &L);

/// Those that name the kernel.
std::vector<ForcedChoice> forcedFor(const Kernel &K,
                                    llvm::ArrayRef<ForcedChoice> All);

/// What is asked of the loop; nullptr: nothing.
const ForcedChoice *forcedOn(const Loop &L, llvm::ArrayRef<ForcedChoice> All);

/// True if one of them takes so many blocks per SM away.
bool asksToRemove(int64_t Blocks, llvm::ArrayRef<ForcedChoice> All);

/// A kernel and what was decided for it.
struct PlannedKernel {
  const Kernel *Source = nullptr;
  const KernelPlan *Plan = nullptr;
};

/// Why the plans are not what the choice asks for: a sentence that names what
/// there is. Empty: they are.
std::string forceError(const ForcedChoice &F,
                       llvm::ArrayRef<PlannedKernel> Kernels);

} // namespace catt

#endif
