//===- GridPlan.h - Plans for grids known only at run time -----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   kernel<<<(n + 255) / 256, 256>>>: as many blocks on an SM as fit there?
//     | planThrottle for 1, 2, ... blocks on each SM
//     v
//   gridDim.x >= 1056 ? 2 : gridDim.x >= 660 ? 4 : 8       warps at a time
//
// A plan counts on as many blocks per SM as can be resident. A smaller grid
// leaves some of these places empty, its lines may fit as they are, and
// dividing its blocks would only keep warps waiting. So what is written for a
// grid that is not known divides no further than the model would for a grid of
// that size; more blocks than fit at a time change nothing.
//
// Loops whose footprint depends on other parameters as well are divided only
// where the grid fills the GPU.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_RUNTIME_GRIDPLAN_H
#define CATT_ANALYSIS_PLAN_RUNTIME_GRIDPLAN_H

#include "analysis/plan/runtime/RuntimePlan.h"

namespace catt {

/// Makes what the plan divides depend on the grid, if the launch does not say
/// its size. Nothing changes for the paper's rule, for a GPU whose number of
/// SMs is not known, or where the user forces a choice.
void leaveGridToRunTime(Setting S, const Launch &L, LaunchPlan &Result);

/// The same where the block size is not known either: cases hold only for grids
/// with as many threads as the GPU can hold. BlockSize: what is tested for a
/// block's threads.
void divideOnlyFullGrids(const Setting &S, const Launch &L,
                         const std::string &BlockSize, LaunchPlan &Result);

} // namespace catt

#endif
