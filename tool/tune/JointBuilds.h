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
//     it cannot be built: each of them is, alone
//
// Limits: the kernels of a program are built one after the other.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_TUNE_JOINTBUILDS_H
#define CATT_TOOL_TUNE_JOINTBUILDS_H

#include "tool/tune/Variants.h"
#include <list>
#include <set>

namespace catt {

/// A text with several variants.
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
  /// Plans how these variants of one kernel are built, by their numbers in the
  /// search. What was found out, a line; empty: nothing was to be found out.
  std::string plan(const std::map<size_t, const WrittenVariant *> &Variants,
                   const AnalysedFile &In, const FileTexts &Plain);
  bool isPlanned(size_t Variant) const { return Planned.count(Variant); }
  /// nullptr: it is built alone. It stays where it is.
  JointBuild *find(size_t Variant);
  /// Those that were to be built with it are built alone.
  void giveUp(size_t Variant);

private:
  std::set<size_t> Planned;
  std::list<JointBuild> All;
};

} // namespace catt

#endif
