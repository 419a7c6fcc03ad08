//===- JointFeedback.h - Tighter caps, if nothing need spill ----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   KernelReport::Joint --(improveSpills, one point after the other)--> the
//   step of each that spills nothing --(gainOver)--> a good one, if one gains
//
// Trying ends at the first point that spills whatever is moved: at a tighter
// one there is more to move.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATT_REWRITE_JOINTFEEDBACK_H
#define CATT_TOOL_CATT_REWRITE_JOINTFEEDBACK_H

#include "analysis/plan/RegisterSources.h"
#include "transforms/Transform.h"

namespace catt {

/// Takes for each kernel the point with about the largest predicted gain, with
/// its values moved, and leaves it in Registers and Spill; where none gains
/// enough, the kernel stays as it was planned. Rewriting must have both
/// transforms, launch-bounds and spill-shared. Error: a text could not be
/// compiled; all plans stay.
llvm::Error chooseJointly(Report &R, const RewriteOptions &Rewriting,
                          const TextMeasure &Measure);

} // namespace catt

#endif
