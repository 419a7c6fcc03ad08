//===- Setting.h - What a launch fixes, and a plan for it -------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Kernel, Launch, options --> Setting --> profiles of its loops
//                                       --> LaunchPlan
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_THROTTLE_SETTING_H
#define CATT_ANALYSIS_PLAN_THROTTLE_SETTING_H

#include "analysis/Options.h"
#include "analysis/memory/Footprint.h"
#include "analysis/plan/throttle/Candidates.h"
#include "analysis/plan/throttle/ProfileMemo.h"
#include <map>

namespace catt {

/// What one launch asks for.
struct LaunchPlan {
  std::vector<LoopProfile> Profiles; ///< one per loop
  KernelPlan Plan;
  /// Where the run decides on a loop: all profiles at the value that is shown
  /// of it, as loops inside may be shown at another.
  std::map<unsigned, std::vector<LoopProfile>> ShownAt;

  const std::vector<LoopProfile> &profilesFor(unsigned Loop) const {
    auto At = ShownAt.find(Loop);
    return At == ShownAt.end() ? Profiles : At->second;
  }
};

/// What a launch fixes: the inputs of each plan for it.
struct Setting {
  const Kernel &K;
  FootprintOptions Footprint;
  ThrottleOptions Throttle;
  Residency Before;
  Model Counting;
  ProfileMemo *Counted = nullptr;
  RuleMemo *Rules = nullptr;
};

/// What a block of this launch takes, but for its registers; no threads: their
/// number is not known.
BlockResources blockOf(const Kernel &K, const Launch &L);

/// The loop's own lines are used again and do not fit as they are.
bool contends(const Setting &S, const LoopProfile &P);

/// What cannot be counted is unknown for this loop, and no more than that. Work
/// is measured where the loop contends, or always.
LoopProfile profileOf(const Setting &S, unsigned Loop, bool AlwaysWork = false);

/// The inputs of a plan for one launch, whose block size must be known. Error:
/// the block cannot be resident, in words for the user.
llvm::Expected<Setting> settingFor(const Kernel &K, const Launch &L,
                                   const AnalysisOptions &Options,
                                   bool MayReserve);

/// The plan as far as it follows from what is known.
LaunchPlan planKnown(const Setting &S);

/// The plan where these profiles are all that there is to know.
KernelPlan planWith(const Setting &S, std::vector<LoopProfile> Known);

} // namespace catt

#endif
