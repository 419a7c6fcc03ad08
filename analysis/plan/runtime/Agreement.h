//===- Agreement.h - What several plans of a kernel agree to ----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   plan of launch 0 --+                      the least divided of each loop,
//   plan of launch 1 --+--> agree ----------> value by value where it is a
//                                             run-time case
//   plan at 98 registers  --+
//   plan at 144           --+--> agreeWithin  as above, and no loop is changed
//   plan at 228           --+                 that one of them leaves whole
//
// A kernel has one text. It is changed only as far as each plan agrees: of the
// plans for one loop, the one that keeps most warps active is taken.
//
// Limits: run-time cases are compared if they test the same input under
// the same further conditions; else the loop is left whole.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_RUNTIME_AGREEMENT_H
#define CATT_ANALYSIS_PLAN_RUNTIME_AGREEMENT_H

#include "analysis/plan/throttle/Setting.h"

namespace catt {

/// The loop runs in groups, always or in a run-time case.
bool isDivided(const LoopPlan &P);

/// Footprints and gain of what the loop's plan says, under the setting, for
/// which the profiles and blocks of `Likely` hold.
void judge(const Setting &S, const LaunchPlan &Likely, LoopPlan &P);

/// Narrows the plan to what another launch agrees to.
void agree(KernelPlan &Plan, const KernelPlan &Other, unsigned LaunchIndex);

/// True if both take the same blocks away, by the same shared memory.
bool reservesAlike(const KernelPlan &A, const KernelPlan &B);

/// Plans of one kernel at the likely registers (first) and at both ends of what
/// is known: what all agree to, with the numbers of the likely ones. They must
/// reserve alike. `S` is the setting of the launch that is shown.
LaunchPlan agreeWithin(const Setting &S, std::vector<LaunchPlan> Plans,
                       const std::string &Between);

} // namespace catt

#endif
