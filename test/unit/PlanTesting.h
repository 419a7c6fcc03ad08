//===- PlanTesting.h - Plans of snippets, for tests -------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_UNIT_PLANTESTING_H
#define CATT_TEST_UNIT_PLANTESTING_H

#include "SourceTesting.h"
#include "analysis/plan/LaunchPlan.h"

namespace catt::testing {

using Values = std::map<std::string, int64_t>;

/// For an H200, with so much L1 if any is named.
inline AnalysisOptions options(std::optional<int64_t> L1KiB,
                               Values Assumed = {}) {
  AnalysisOptions Options;
  Options.Gpu = llvm::cantFail(findDevice("h200"));
  if (L1KiB)
    Options.L1Bytes = *L1KiB * 1024;
  Options.Assumed = std::move(Assumed);
  Options.MinGain = 0.15; // what is planned is asked here, not whether it pays
  return Options;
}

inline LaunchPlan plan(const Kernel &K, const AnalysisOptions &Options) {
  return planForLaunch(K, K.Launches.at(0), Options, /*MayReserve=*/false);
}

/// To divide the loop gains, but too little for a rule of its own: what is
/// decided around the value will do.
inline bool mayDivide(const LaunchPlan &Known, unsigned Loop) {
  const LoopPlan &P = Known.Plan.Loops[Loop];
  return P.Why && P.Why->Kind == Reason::SmallGain &&
         P.PredictedGain.value_or(1) > 1;
}

// Sanitizers slow a plan down by an order of magnitude.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CATT_SANITIZED
#endif
#endif
#ifdef CATT_SANITIZED
inline constexpr int64_t Step = 61;
#else
inline constexpr int64_t Step = 1;
#endif

} // namespace catt::testing

#endif
