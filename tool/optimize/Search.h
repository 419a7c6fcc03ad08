//===- Search.h - Propose, write, measure, compare --------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Strategy of each kernel --(propose)--> variants --(rewrite)--> texts
//        ^                                                           | measure
//        +---- learn: registers, spills of each kernel <-------------+
//        '---- decide --(does the text show it?)--> the report
//
// The one loop of this tool that asks. All that is known of all kernels at once
// is one call of the measure; its first question has the first proposal of each
// kernel, and so on: kernels do not disturb each other. The report is only
// changed at the end, by what was decided.
//
// Limits: a kernel whose text stands against a proposal is asked about no more,
// and stays as it was planned.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_OPTIMIZE_SEARCH_H
#define CATT_TOOL_OPTIMIZE_SEARCH_H

#include "analysis/plan/Measure.h"
#include "analysis/plan/variant/Strategy.h"
#include "transforms/Transform.h"

namespace catt {

/// A kernel, and what is looked for on it.
struct Searched {
  size_t Kernel = 0; ///< index of Report::Kernels
  std::unique_ptr<Strategy> By;
};

/// Runs the strategies over their kernels, and leaves in the report what they
/// decide. Error: a text could not be measured, or a defect of this tool; the
/// report is then what it was.
llvm::Error search(Report &R, std::vector<Searched> Each,
                   const RewriteOptions &Rewriting, const TextMeasure &Measure);

/// What there is to look for in a report, as far as these or a kernel's own
/// means allow it: of each kernel its point, where there are several, and what
/// brings it there.
std::vector<Searched> searchesOf(const Report &R, const Means &OfFile);

} // namespace catt

#endif
