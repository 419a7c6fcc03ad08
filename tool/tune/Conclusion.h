//===- Conclusion.h - What a search says of a kernel ------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   the last comparison --> the kernel's own times --> MeasuredVariant
//
// That is the best variant, if it was faster there again, or the kernel as it
// is written, if all were tried and none was faster. Of others nothing is said.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_TUNE_CONCLUSION_H
#define CATT_TOOL_TUNE_CONCLUSION_H

#include "tool/tune/Tuner.h"

namespace catt {

/// The last comparison, a trial for each run.
struct LastComparison {
  std::vector<Trial> Before; ///< the original
  std::vector<Trial> After;  ///< the best of all kernels
  bool IsTimed = true;       ///< launches are, and not whole runs
};

/// Completes K, a kernel of the result, where something can be said of it.
void conclude(TunedKernel &K, const TuneOptions &O, const TuneResult &Out,
              const LastComparison &Last);

} // namespace catt

#endif
