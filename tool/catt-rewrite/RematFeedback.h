//===- RematFeedback.h - Compile, and keep what spills less -----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   nothing, the plan, halves of it ----(rewrite)--> texts
//     texts --(measure)--> bytes that each kernel spills --> the fewest
//
// All are asked about at once, and all kernels of a file in one compile. A plan
// that spills no fewer bytes than the kernel as it is, is dropped. (TLP-RM
// section 2.4.)
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATT_REWRITE_REMATFEEDBACK_H
#define CATT_TOOL_CATT_REWRITE_REMATFEEDBACK_H

#include "analysis/plan/RegisterSources.h"
#include "transforms/Transform.h"

namespace catt {

/// Tries how many values of each kernel to compute again, and leaves the best
/// in its Remat. Error: a text could not be compiled; the plans are then what
/// they were.
llvm::Error improveRemat(Report &R, const RewriteOptions &Rewriting,
                         const TextMeasure &Measure);

/// Takes what is computed again out of what may wait in shared memory.
void keepApart(Report &R);

} // namespace catt

#endif
