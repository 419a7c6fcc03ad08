//===- JointBuilds.h - Which variants are built together --------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   variants of a kernel that are to be tried --(OneBuild)--> one text
//     built once, and run with CATT_VARIANT=k=1, k=2, ...
//     it cannot be built: half of them are, and so on, down to each alone;
//     once one that cannot be built is found alone, more are built in one again
//
// Limits: the kernels of a program are built one after the other.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_TUNE_JOINTBUILDS_H
#define CATT_TOOL_TUNE_JOINTBUILDS_H

#include "tool/tune/Tuner.h"
#include <list>
#include <set>

namespace catt {

/// A text with several variants, each by its place in the search.
struct JointBuild {
  FileTexts Texts;
  std::vector<TimedLaunch> Launches;     ///< of the kernel's file, in the texts
  std::map<size_t, std::string> Choices; ///< CATT_VARIANT, by variant
  double BuildSeconds = 0;
  /// What each of the variants takes of the time of a build, and builds before.
  double shareOf(double MoreSeconds) {
    BuildSeconds += MoreSeconds;
    return BuildSeconds / double(Choices.size());
  }
};

class JointBuilds {
public:
  /// Plans how a variant of the search is built, and with it those behind it
  /// that are to be tried of its kernel and are not known yet.
  void plan(llvm::ArrayRef<Tried> Search, size_t First, const AnalysedFile &In,
            const FileTexts &Plain,
            llvm::function_ref<bool(const WrittenVariant &)> IsKnown,
            const SayProgress &Say);
  bool isPlanned(size_t Variant) const { return Planned.count(Variant); }
  /// nullptr: it is built alone. It stays where it is.
  JointBuild *find(size_t Variant);
  /// The others that are built with it.
  std::vector<size_t> besides(size_t Variant);
  /// What holds it cannot be built: nothing is planned for the variants in it.
  /// Returns how many of the kernel may be in one from now on, which is half.
  size_t giveUp(size_t Variant, const std::string &Kernel);
  /// Some are built, or one is not, alone, which says why others were not:
  /// twice as many may be in one again.
  void takeCourage(const std::string &Kernel);
  /// So many variants of the kernel may be in one.
  size_t most(const std::string &Kernel) const;

private:
  std::list<JointBuild>::iterator holding(size_t Variant);

  std::set<size_t> Planned;
  std::list<JointBuild> All;
  std::map<std::string, size_t> Most; ///< by kernel
};

} // namespace catt

#endif
