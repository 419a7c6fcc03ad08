//===- Trial.h - What is tried, and what came of it -------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Recipe --(Variants)--> WrittenVariant --(Trials)--> Trial
//   a setting              texts                        verdict and times
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_TUNE_TRIAL_H
#define CATT_TOOL_TUNE_TRIAL_H

#include "tool/optimize/Recipes.h"
#include "clang/Tooling/Core/Replacement.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace catt {

/// Whole texts of files, by absolute path.
using FileTexts = std::map<std::string, std::string>;

/// One way to write one kernel of a file.
struct WrittenVariant {
  Recipe How;
  std::string File; ///< as given
  FileTexts Texts;  ///< of files that change
  /// What makes these of the files as they are, by path.
  std::map<std::string, clang::tooling::Replacements> Edits;
  FileTexts Timed;     ///< the same, with launches that are timed
  std::string Refused; ///< why there is nothing to try; or empty
  /// The kernel's time as written over its time so, by the time model.
  std::optional<double> PredictedGain;
  /// On an SM, by the plan, before it takes any away.
  std::optional<int64_t> Blocks;
};

/// How a trial ended.
enum class Verdict : uint8_t {
  Fine,
  NotBuilt,    ///< the build failed, or took too long
  Failed,      ///< another exit code than the original, or a signal
  Hung,        ///< the run took too long
  OtherOutput, ///< or the check said no
  NotTimed,    ///< no times were written
  Stopped,     ///< the user interrupted it: nothing is known
};
llvm::StringRef name(Verdict V);

/// What one build and several runs said.
struct Trial {
  Verdict End = Verdict::Fine;
  std::string Why; ///< one clause where End is not Fine
  /// By kernel, the time of all its launches in each run, in milliseconds.
  std::map<std::string, std::vector<double>> KernelMs;
  std::vector<double> WallMs; ///< of each run
  int64_t Launches = 0;       ///< timed, in one run
  std::map<std::string, int64_t>
      LaunchesOf; ///< by kernel; of a known trial none
  double BuildSeconds = 0, RunSeconds = 0, CheckSeconds = 0;
  std::string When;   ///< "2026-11-25T10:00:00+00:00"
  bool Known = false; ///< from an earlier search
  bool fine() const { return End == Verdict::Fine; }
};

} // namespace catt

#endif
