//===- OptTlp.h - CRAT's profiled OptTLP ------------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   as written     8 blocks on an SM   12.0 ms
//   at-most-6-blocks                    9.1 ms
//   at-most-4-blocks                    7.7 ms   <- OptTLP: 4
//   at-most-2-blocks                    8.3 ms
//     --> bounds-by-tpsc-with-4-blocks, spill-by-tpsc-with-4-blocks
//
// CRAT takes the number of blocks with which a kernel runs fastest from a
// profile or a model, and chooses registers among points with no more.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_TUNE_OPTTLP_H
#define CATT_TOOL_TUNE_OPTTLP_H

#include "tool/tune/Tuner.h"

namespace catt {

struct OptTlp {
  int64_t Blocks = 0;    ///< on an SM, where the kernel takes the least time
  int64_t AsWritten = 0; ///< on an SM, as it is written
};

/// As it is written, if no number is faster. Nothing: no text with fewer blocks
/// was timed.
std::optional<OptTlp> optTlpOf(const TuneResult &R, const TunedKernel &K);

/// "OptTLP of 'rows': 4 of 8 blocks on an SM."
std::string noteOn(const TunedKernel &K, const std::optional<OptTlp> &Found);

} // namespace catt

#endif
