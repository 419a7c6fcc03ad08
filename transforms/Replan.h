//===- Replan.h - What is written is what was judged -------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   plan --> rewrite --> is all of it written? --yes--> edits
//    ^                           | no
//    +--- without that part -----+
//
// A plan is judged as a whole: three groups with two blocks on an SM may fit
// into L1 where three groups with eight do not. If a transform refuses its
// part, what is left was never judged, so the kernel is planned again without
// that part. Each round takes a part away, so the rounds end.
//
// A kernel that was rewritten before is not decided anew: what its text has is
// its plan, and its loops are settled.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_REPLAN_H
#define CATT_TRANSFORMS_REPLAN_H

#include "transforms/Transform.h"

namespace catt {

/// rewrite(), and the kernels of which a part was refused planned again. The
/// refusals of all rounds are in the edits.
llvm::Expected<Edits> rewriteWhole(Report &R, const AnalysisOptions &Options,
                                   const RewriteOptions &How);

} // namespace catt

#endif
