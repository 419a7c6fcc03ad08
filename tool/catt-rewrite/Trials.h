//===- Trials.h - Plans as texts to ask about -------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   present plans --(rewrite, apply)--> texts --+ kernels, caps --> a question
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATT_REWRITE_TRIALS_H
#define CATT_TOOL_CATT_REWRITE_TRIALS_H

#include "analysis/plan/RegisterSources.h"
#include "transforms/Transform.h"

namespace catt {

/// The file with the plans that the report has now.
struct Trial {
  Edits Changes;
  TextQuestion Question; ///< about no kernel yet
};

/// Error: a defect of this tool.
llvm::Expected<Trial> trialOf(const Report &R, const RewriteOptions &Rewriting);

/// Did a transform write something for the kernel?
bool isChanged(const KernelReport &K, llvm::StringRef Transform,
               const Edits &Changes);

} // namespace catt

#endif
