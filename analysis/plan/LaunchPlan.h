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
#ifndef CATT_ANALYSIS_PLAN_LAUNCHPLAN_H
#define CATT_ANALYSIS_PLAN_LAUNCHPLAN_H

#include "analysis/plan/runtime/BlockShapes.h"
#include "analysis/plan/throttle/Setting.h"

namespace catt {

/// The block size of the launch must be known. `MayReserve` allows fewer blocks
/// per SM.
LaunchPlan planForLaunch(const Kernel &K, const Launch &L,
                         const AnalysisOptions &Options, bool MayReserve);

/// The same for a kernel whose block size is known only at run time. `L` gives
/// what else is known.
LaunchPlan planForAnyBlock(const Kernel &K, const Launch &L,
                           const BlockShapes &Shapes,
                           const AnalysisOptions &Given, bool MayReserve);

/// For a kernel whose block size is known only at run time, along x: what runs
/// in tiles and in registers, and nothing else. As for a usual block.
LaunchPlan stagesForAnyBlock(const Kernel &K, const Launch &L,
                             const AnalysisOptions &Options);

} // namespace catt

#endif
