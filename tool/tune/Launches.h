//===- Launches.h - Launches that are timed ---------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   if (go) k<<<g, b, 0, s>>>(x);
//     --> if (go) { catt::Timed cattTimed("k", s); k<<<g, b, 0, s>>>(x); }
//
// The header's declaration records an event there, and another at the brace.
// One that is replayed runs as often as catt/replay.h says:
//
//     --> if (go) { for (catt::Replay cattReplay("k", s, x);
//                        cattReplay.next();) k<<<g, b, 0, s>>>(x); }
//
// Limits: a launch in a macro, by cudaLaunchKernel, as a part of an expression,
// or with a stream that may not be read twice (streams[i++]) is not timed. The
// time of the whole run is then taken instead.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_TUNE_LAUNCHES_H
#define CATT_TOOL_TUNE_LAUNCHES_H

#include "analysis/Report.h"
#include "tool/tune/Trial.h"
#include "clang/Tooling/Core/Replacement.h"
#include "llvm/Support/Error.h"
#include <utility>

namespace catt {

/// A launch statement, from the kernel's name to behind the semicolon.
struct TimedLaunch {
  std::string Kernel; ///< unqualified
  std::string File;
  unsigned Begin = 0, End = 0;
  std::string Stream; ///< as it is written; empty: the default stream
  /// Of the kernel, as they are written, where the launch is to be replayed.
  std::optional<std::vector<std::string>> Replayed = {};
};

/// The launches of all kernels, in the order of files and places; once where
/// several instantiations share one. Into Without, the kernels of which one
/// cannot be timed, with the reason.
std::vector<TimedLaunch>
timedLaunches(const Report &Analysed,
              std::map<std::string, std::string> &Without);

/// Where the launches of one file stand after the edits. What is inserted at an
/// edge belongs to the launch. Error: an edit begins in one and ends outside.
llvm::Expected<std::vector<TimedLaunch>>
shifted(std::vector<TimedLaunch> Launches,
        const clang::tooling::Replacements &Edits);

/// The text of one file with its launches timed by catt/timing.h, or replayed,
/// by catt/replay.h, where one says so: the header at the path `Header`. Lines
/// keep their numbers. The launches must ascend.
std::string withTimedLaunches(llvm::StringRef Path, llvm::StringRef Text,
                              llvm::ArrayRef<TimedLaunch> Launches,
                              llvm::StringRef Header);

/// Of all launches of a kernel in one run.
struct KernelTimes {
  double Ms = 0;
  int64_t Launches = 0;
};

/// Of a file that catt/timing.h wrote, by kernel. Error: it is none, or some
/// launches were not timed.
llvm::Expected<std::map<std::string, KernelTimes>>
parseTimes(llvm::StringRef Text);

} // namespace catt

#endif
