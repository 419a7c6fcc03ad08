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
// it, and so is the decision (RuntimePlan.h).
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

/// The same for a kernel whose block size only the run knows. Its threads must
/// lie along x (isAlongX). `L` gives what else is known.
LaunchPlan planForAnyBlock(const Kernel &K, const Launch &L,
                           const AnalysisOptions &Options, bool MayReserve);

/// True if nothing in the kernel depends on threadIdx or blockDim along y or z.
bool isAlongX(const Kernel &K);

} // namespace catt

#endif
