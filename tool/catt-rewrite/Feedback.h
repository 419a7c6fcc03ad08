//===- Feedback.h - Compile, look, keep what is better ----------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   plans --(rewrite)--> texts --(measure)--> registers, spills of each kernel
//    ^---- amounts around the best, twice ----'
//    '---- at the end, the best that was seen
//
// The first seven amounts are asked about at once, then two at a time, and all
// kernels of a file in one compile. (TLP-RM section 2.4.)
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATT_REWRITE_FEEDBACK_H
#define CATT_TOOL_CATT_REWRITE_FEEDBACK_H

#include "analysis/plan/RegisterSources.h"
#include "transforms/Transform.h"

namespace catt {

/// Tries how much of the values of each of these kernels of the report is to
/// wait in shared memory, and leaves the best in its Spill. Error: a text could
/// not be compiled; what the plans were before stays.
llvm::Error improveSpills(Report &R, llvm::ArrayRef<KernelReport *> Kernels,
                          const RewriteOptions &Rewriting,
                          const TextMeasure &Measure);

} // namespace catt

#endif
