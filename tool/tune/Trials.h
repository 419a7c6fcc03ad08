//===- Trials.h - Building and running a variant ----------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   texts in place --> build --> run, run, run --> check --> Trial
//
// A crash, a hang and another output end the trial, not the search.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_TUNE_TRIALS_H
#define CATT_TOOL_TUNE_TRIALS_H

#include "tool/tune/Replays.h"
#include "tool/tune/Shell.h"
#include "tool/tune/State.h"

namespace catt {

enum class Checking : uint8_t { Output, Command, None };

struct TrialOptions {
  std::string Build, Run, Check; ///< command lines
  Checking By = Checking::Output;
  unsigned Runs = 3;
  double LimitSeconds = 600; ///< of each command
};

/// Standard output that a run may print again in its place: word by word, but
/// for words in which runs of the original differ, and for times and speeds:
/// numbers before a unit ("12.3 ms") and behind a word that says so ("Time in
/// seconds: 0.0123").
class Reference {
public:
  void add(llvm::StringRef Output);
  bool accepts(llvm::StringRef Output) const {
    return difference(Output).empty();
  }
  /// "it prints 'a 5' where 'a 4' was printed"; empty: nothing is different.
  std::string difference(llvm::StringRef Output) const;

private:
  std::vector<std::string> Words;
  std::vector<bool> Same;
  bool Any = false;
};

/// Milliseconds of each run: of a kernel, of all kernels without a name, or,
/// where launches are not timed, of the whole run.
std::vector<double> timesIn(llvm::ArrayRef<Trial> All, llvm::StringRef Kernel,
                            bool IsTimed);

/// What trials must have in common, beside their texts, to be compared.
std::string keyOf(const TrialOptions &O, const std::string &Device,
                  bool IsTimed);

/// Writes what timed texts include.
llvm::Error writeHeaders(State &Where);

/// Launches of a kernel in all runs of these trials.
int64_t launchesIn(llvm::ArrayRef<Trial> All, const std::string &Kernel);

/// Tries texts, one after the other.
class Trials {
public:
  Trials(State &Where, TrialOptions O) : Where(Where), O(std::move(O)) {}

  /// Puts the texts in place, builds, runs and checks. With Timed the program
  /// writes times of kernels. The first is the original, by which others are
  /// judged. Choice: CATT_VARIANT, where the texts hold several variants; they
  /// are then not built again right behind another choice of theirs. Error: the
  /// user's files cannot be written.
  llvm::Expected<Trial> run(const FileTexts &Texts, bool Timed,
                            llvm::StringRef Choice = "");
  void setRuns(unsigned N) { O.Runs = N; }

  /// Builds, and runs it once, up to the last launch of the kernels, which are
  /// replayed. Out says more where the trial is fine. Error: as run().
  llvm::Expected<Trial> replay(const FileTexts &Texts,
                               const LaunchCounts &Launches,
                               ReplayedKernels &Out,
                               llvm::StringRef Choice = "");
  /// Kernels whose launches are replayed in whole runs, too, from now on.
  void setReplayed(LaunchCounts Launches) { Replayed = std::move(Launches); }

private:
  llvm::Expected<bool> make(Trial &T, const FileTexts &Texts,
                            llvm::StringRef Choice);
  bool build(Trial &T);
  bool runOnce(Trial &T, bool Timed, llvm::StringRef Choice);
  bool check(Trial &T);
  bool readTimes(Trial &T);
  bool readReplays(Trial &T);

  State &Where;
  TrialOptions O;
  LaunchCounts Replayed;
  Reference Original;
  FileTexts Built;             ///< several variants, built last; or empty
  std::optional<int> ExitCode; ///< of the original
  bool Judging = false;        ///< the original is known
};

} // namespace catt

#endif
