//===- JointPlan.h - A cap together with what it spills ---------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   RegisterPlan: 127 registers, 2 blocks; tighter points spill, and are not
//   trusted
//     80 registers, 4 blocks  + what of the values is to wait elsewhere
//     64 registers, 5 blocks  + what of the values is to wait elsewhere
//
// The model takes no point that spills to local memory (docs/registers.md). A
// tighter one may be worth its cap all the same if everything that it spills is
// moved to shared memory instead. Which are: those that would gain if moving
// cost nothing. Whether one is: a trial, in which the assembler spills nothing
// any more, and the predicted time with the accesses that this takes.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_SPILL_JOINTPLAN_H
#define CATT_ANALYSIS_PLAN_SPILL_JOINTPLAN_H

#include "analysis/plan/spill/SpillPlan.h"

namespace catt {

/// A point that spills, and the way to take it without.
struct JointPlan {
  RegisterPlan Registers; ///< with the point chosen
  SharedSpill Spill;
  double MinGain = 0; ///< that a trial has to predict
};

/// Those that are worth a trial, fewest blocks first. None where the user or
/// another selector has decided, where no bound may be written, or where more
/// warps are not known to help: loops that stream want registers, and what more
/// chased loads do to the cache cannot be told.
std::vector<JointPlan> jointPlans(const Kernel &K, const RegisterUse &Use,
                                  const RegisterPlan &Alone,
                                  const RegisterOptions &Options);

/// The cheapest of the steps that were tried which spills nothing to local
/// memory; null if each does. enable_smem_spilling is none of them: how often
/// it accesses shared memory is only guessed from how much it takes.
const SpillStep *stepWithoutSpills(const SharedSpill &Spill);

/// Predicted time at the point that the registers alone have chosen, over that
/// of the joint plan with this step.
double gainOver(const RegisterPlan &Alone, const JointPlan &Joint,
                const SpillStep &Step, const Device &Gpu);

} // namespace catt

#endif
