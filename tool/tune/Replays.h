//===- Replays.h - What replayed launches say of themselves -----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   the file that catt/replay.h wrote --> times and hashes of each launch
//      --> by kernel: a time for each group of replays, over all its launches
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_TUNE_REPLAYS_H
#define CATT_TOOL_TUNE_REPLAYS_H

#include "llvm/Support/Error.h"
#include <map>
#include <string>
#include <vector>

namespace catt {

/// By kernel, its launches in one run.
using LaunchCounts = std::map<std::string, int64_t>;

/// One launch of a program, which ran several times.
struct ReplayedLaunch {
  std::string Kernel;
  std::vector<double> Ms; ///< of each replay
  std::string Left;       ///< a hash of what it changed in memory
  std::string Why;        ///< there are no times; or empty
};

/// Error: it is no such file.
llvm::Expected<std::vector<ReplayedLaunch>> parseReplays(llvm::StringRef Text);

/// What became of the kernels of one run.
struct ReplayedKernels {
  /// Medians of each group of replays, in milliseconds, all launches together.
  std::map<std::string, std::vector<double>> Ms;
  std::map<std::string, std::vector<std::string>> Left; ///< by launch
  LaunchCounts Times;                                   ///< replays of each
  std::map<std::string, std::string> Why; ///< of those that have no times
};

/// The replays of a launch are dealt out to the groups in turn: at most so many
/// groups, and two replays in each. Expected: a kernel with other launches than
/// these has no times.
ReplayedKernels replayedKernels(llvm::ArrayRef<ReplayedLaunch> All,
                                const LaunchCounts &Expected, unsigned Groups);

/// "k=1,m=2", as catt/replay.h reads it.
std::string replayOrder(const LaunchCounts &Launches);

} // namespace catt

#endif
