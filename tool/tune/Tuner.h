//===- Tuner.h - The search over variants of kernels ------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   files --> the original, timed --> variants of one kernel, the others as
//   written --> the best of each kernel together --> compared again, in turns
//
// A variant is better if each of its runs is faster than each of the
// original's. What is best is compared once more: the original and the best are
// built and run in turns, because the best of many is partly good luck.
//
// What is said of a kernel in a .catt file is what was compared last: its own
// times with the best of all kernels in place. Where no variant was faster,
// that is the kernel as written.
//
// Limits: kernels are independent here: two variants that are only good
// together are not found. Programs whose launches cannot be timed are judged by
// the wall time of the whole run.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_TUNE_TUNER_H
#define CATT_TOOL_TUNE_TUNER_H

#include "tool/tune/Replaying.h"
#include "tool/tune/Trials.h"
#include "tool/tune/Variants.h"
#include <functional>

namespace catt {

/// That the glob of variants may stand for.
constexpr size_t MaxVariantPatterns = 64;

struct TuneOptions {
  Options Rewriting; ///< files, compile commands, GPU, kernels
  TrialOptions Trying;
  std::string Directory = ".catt-tune";
  double BudgetSeconds = 300;
  bool Restart = false;
  bool BuildEach = false;  ///< variants are built one by one
  std::string Names = "*"; ///< glob of variants to try
  Points Which = Points::Few;
  /// Kernels to be replayed: a glob; empty: those with few launches.
  std::optional<std::string> Replay;
  std::optional<Selector> Strategy; ///< only what its paper's method writes
  /// Of each kernel, so many variants at most, the most promising first
  /// (Order.h). Nothing: all, in the order of the recipes.
  std::optional<unsigned> Most;
};

/// A line of the table.
struct Tried {
  WrittenVariant What;
  std::string SameAs;   ///< name of the variant with equal texts; or empty
  bool LeftOut = false; ///< there are enough before it; it is not written
  std::optional<Trial> Result; ///< nothing: it was not tried
  double Ms = 0; ///< median over runs, of the kernel or, untimed, of the run
  bool isToTry() const {
    return What.Refused.empty() && SameAs.empty() && !LeftOut;
  }
};

/// What a search found out about a kernel, for a .catt file.
struct TunedKernel {
  std::string Source; ///< as WrittenVariant::File
  /// Without a variant: neither one that was faster twice, nor all of them
  /// tried and none faster.
  MeasuredVariant Best;
};

struct TuneResult {
  std::vector<Tried> All; ///< by kernels, in the order in which they are tried
  std::vector<TunedKernel> Kernels; ///< in the same order
  std::optional<Trial> Original;    ///< of the program as written
  /// By kernel, as written: medians in milliseconds. "" is the whole run.
  std::map<std::string, double> OriginalMs;
  std::string Device;
  std::string Untimed; ///< why whole runs were timed; or empty
  Replaying Replays;
  std::vector<size_t> Winners; ///< indices, one for each kernel at most
  FileTexts Old, Best;         ///< the files that the winners change
  double ConfirmedOld = 0, ConfirmedNew = 0; ///< medians of the last comparison
  bool Confirmed = false;                    ///< the best was better again
  bool OutOfBudget = false, Interrupted = false;
  std::vector<std::string> Notes; ///< what else was found out, a line each
};

/// Called with a line that says how far the search is.
using SayProgress = std::function<void(const std::string &)>;

/// The files hold their old texts when it returns. Error: one sentence.
llvm::Expected<TuneResult> tune(const TuneOptions &O, const SayProgress &Say);

} // namespace catt

#endif
