//===- ProfileFamily.h - Footprints as a function of a number -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   n = 1, 2, ... Start - 1   each measured
//   n >= Start                a(r) + d(r) * (n - r) / Period, r = n mod Period
//
// A[i * n + j] begins row i at byte 4 * n * i. Once n is so large that no two
// rows share a line, the lines of an iteration depend on n only through where
// each row begins within its line, that is on n modulo 32; and what is counted
// over a trip count of n grows by the same number with each 32 more. So every
// number of a profile is affine in n within each residue class. That is not
// taken for granted: two neighbouring values of each class and one far away
// must lie on one line, in each number, for the class to count as one.
//
// Limits: where no Start up to 1024 gives such a law (a footprint that grows
// with the square of n, say), values above the last one measured are not known.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_RUNTIME_PROFILEFAMILY_H
#define CATT_ANALYSIS_PLAN_RUNTIME_PROFILEFAMILY_H

#include "analysis/model/Facts.h"
#include "analysis/model/Kernel.h"
#include <functional>
#include <limits>

namespace catt {

using Profiles = std::vector<LoopProfile>; ///< one per loop of a kernel

/// The value above which the law is extrapolated from three values.
constexpr int64_t LargestMeasured = 4096;

class ProfileFamily {
public:
  using Measure = std::function<Profiles(int64_t Value)>;
  /// Period: a power of two that the residue classes repeat with.
  ProfileFamily(int64_t Period, Measure At);

  /// The profiles at a value from 1 to knownTo().
  const Profiles &at(int64_t Value);
  int64_t knownTo() const {
    return Start ? std::numeric_limits<int64_t>::max() : LastStart;
  }
  int64_t period() const { return Period; }
  /// The first value of the law, if there is one.
  std::optional<int64_t> start() const { return Start; }
  /// True if from start() on no number grows: the profiles are periodic.
  bool isPeriodic() const { return Start && Periodic; }

private:
  static constexpr int64_t LastStart = 1024;
  const Profiles &measured(int64_t Value);
  bool holdsFrom(int64_t First);
  int64_t farthest(int64_t Value) const;

  int64_t Period;
  Measure Take;
  std::map<int64_t, Profiles> Memo;
  std::optional<int64_t> Start;
  bool Periodic = true;
  Profiles Computed; ///< what at() returned last from the law
};

/// The period with which the lines of the kernel's accesses repeat as a
/// parameter grows; 1 if no access depends on it.
int64_t periodOf(const Kernel &K, const std::string &Parameter);

} // namespace catt

#endif
