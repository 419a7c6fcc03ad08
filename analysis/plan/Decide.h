//===- Decide.h - What is done to one kernel --------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   launches, registers --> planForLaunch for each launch --> agree
//                           at the likely registers and at both ends of an
//                           estimate ------------------------> agreeWithin
//
// Registers limit the blocks of every plan (CATT equation 2). Where they are an
// estimate, a loop is changed only if the likely number and both ends of what
// is known change it, and then by the choice that divides least.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_DECIDE_H
#define CATT_ANALYSIS_PLAN_DECIDE_H

#include "analysis/Report.h"

namespace catt {

/// The options for one kernel: its own where it has some.
AnalysisOptions optionsFor(const KernelReport &K, AnalysisOptions OfFile);

/// The launches that count: what the user tells goes before what is seen.
std::vector<Launch> launchesOf(const Kernel &K, const AnalysisOptions &Options);

/// True if a launch gives the kernel's block size.
bool hasKnownBlock(const Kernel &K);

/// Fills in Profiles and Plan, for the launches and registers of the source.
void decide(KernelReport &Report, const AnalysisOptions &Options);

/// Something is written for the plan.
bool changes(const KernelPlan &Plan);

/// True if the plan changes the kernel, or might with fewer blocks on an SM.
bool dependsOnRegisters(const KernelReport &Report);

} // namespace catt

#endif
