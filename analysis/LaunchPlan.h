//===- LaunchPlan.h - What one launch of a kernel asks for -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Launch -> residency -> footprint of each loop -> plan
//
// Where a stride is a parameter of the kernel, the footprint is a function of
// it, and so is the decision: the plan is made for one value after the other,
// and the values where it changes become RuntimeCases.
//
//   A[i * n + j]   n >= 32: 4 warps at a time;  n >= 12: 8;  below: all
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_LAUNCHPLAN_H
#define CATT_ANALYSIS_LAUNCHPLAN_H

#include "analysis/Analysis.h"

namespace catt {

struct LaunchPlan {
  std::vector<LoopProfile> Profiles; ///< one per loop
  KernelPlan Plan;
};

/// The block size of the launch must be known. `MayReserve` allows fewer blocks
/// per SM.
LaunchPlan planForLaunch(const Kernel &K, const Launch &L,
                         const AnalysisOptions &Options, bool MayReserve);

} // namespace catt

#endif
