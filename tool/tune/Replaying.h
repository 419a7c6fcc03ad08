//===- Replaying.h - Kernels that are replayed alone ------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   launches that may run again --> built with catt/replay.h
//   kernels that the original launches seldom, or that are named
//      --> the original up to the last of their launches, twice
//      --> those that leave the same in memory each time
//   variant of such a kernel --> up to the last of its launches --> Trial
//
// The program runs up to there as always; what comes behind is not run while
// variants are tried. The last comparison runs all of it.
//
// Limits: what is replayed is compared by the memory that its arguments lead
// to. A kernel with results in an order that varies (sums by atomicAdd of
// floats) is measured in whole runs.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_TUNE_REPLAYING_H
#define CATT_TOOL_TUNE_REPLAYING_H

#include "tool/tune/Trials.h"
#include "tool/tune/Variants.h"
#include <set>

namespace catt {

/// A kernel with fewer launches in a run is replayed without being named.
constexpr int64_t ManyLaunches = 5;

/// That the glob of kernels may stand for.
constexpr size_t MaxReplayPatterns = 64;

/// Which kernels are replayed, and what the original leaves.
struct Replaying {
  LaunchCounts Launches; ///< of kernels that are replayed, in one run
  std::map<std::string, std::vector<std::string>> Left; ///< by launch
  std::map<std::string, std::string> Without;           ///< why others are not
  bool has(const std::string &Kernel) const { return Launches.count(Kernel); }
};

/// Launches of kernels that the glob matches (empty: all) are written so that
/// they can be replayed, where all launches of the kernel can.
void allowReplays(std::vector<AnalysedFile> &Files, llvm::StringRef Glob,
                  Replaying &Out);

/// Chooses among the kernels by what the original was seen to launch in one
/// run, replays it, and makes these the kernel's times in Written. With a glob,
/// also kernels with many launches. Error: the user's files cannot be written.
llvm::Error replayOriginal(Trials &Each, const FileTexts &Original,
                           const std::set<std::string> &Kernels,
                           llvm::StringRef Glob, Trial &Written,
                           Replaying &Out);

/// Builds and replays a variant of a kernel, and compares what it leaves unless
/// nothing is to be checked. Choice: as of Trials. Error: likewise.
llvm::Expected<Trial> replayVariant(Trials &Each, const FileTexts &Texts,
                                    const std::string &Kernel, Checking By,
                                    const Replaying &Of,
                                    llvm::StringRef Choice = "");

/// "Replayed alone: rows (1 launch).", and why others were not, a line each.
std::string remarksOn(const Replaying &R);

} // namespace catt

#endif
