//===- PointGain.h - What a way to throttle gains ---------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Kernel, its launches --> LoopWork of every loop, once
//     + what --force asks for --> KernelPlan --(Prediction)--> time over time
//
// For a search that wants to begin with what is most promising. A plan is made
// by contended loops alone; here the others count too, as what does not contend
// may still get slower.
//
// Limits: code outside of loops takes no time here, nor does that around a loop
// that is divided inside another one. Nothing is said of a kernel whose block
// no launch gives, or of whose loops nothing is counted, or by the paper's
// rule.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_THROTTLE_POINTGAIN_H
#define CATT_ANALYSIS_PLAN_THROTTLE_POINTGAIN_H

#include "analysis/Options.h"

namespace catt {

/// One way to throttle a kernel: choices for some of its loops.
using ThrottlePoint = std::vector<ForcedChoice>;

/// For each point the predicted time of all launches as they are over that with
/// it. Nothing: it cannot be done, or its time is not known.
std::vector<std::optional<double>>
predictedGains(const Kernel &K, const AnalysisOptions &Options,
               llvm::ArrayRef<ThrottlePoint> Points);

} // namespace catt

#endif
