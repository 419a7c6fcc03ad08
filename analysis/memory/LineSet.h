//===- LineSet.h - Sets of cache lines ---------------------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A set of lines (or sectors) is a sorted list of disjoint intervals. Each base
// object has lines of its own: different bases never share one.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_MEMORY_LINESET_H
#define CATT_ANALYSIS_MEMORY_LINESET_H

#include <cstdint>
#include <vector>

namespace catt {

/// The lines Lo to Hi, both included, of one base.
struct LineInterval {
  uint32_t Base = 0;
  int64_t Lo = 0, Hi = 0;
  friend bool operator<(const LineInterval &A, const LineInterval &B) {
    return A.Base != B.Base ? A.Base < B.Base : A.Lo < B.Lo;
  }
};

class LineSet {
public:
  /// Adds an interval; the set is not in order until `normalize`.
  void add(LineInterval I) {
    if (!Intervals.empty() && Intervals.back().Base == I.Base &&
        I.Lo >= Intervals.back().Lo && I.Lo <= Intervals.back().Hi + 1) {
      if (I.Hi > Intervals.back().Hi)
        Intervals.back().Hi = I.Hi;
      return;
    }
    Intervals.push_back(I);
  }
  /// Sorts and merges what touches.
  void normalize();
  /// Adds another set; both in order, and so is the result.
  void unite(const LineSet &B);
  /// Adds another set; not in order until `normalize`.
  void append(const LineSet &B) {
    Intervals.insert(Intervals.end(), B.Intervals.begin(), B.Intervals.end());
  }
  /// The lines of a set of sectors. In order only, and so is the result.
  LineSet linesOfSectors() const;
  /// Number of lines. In order only.
  int64_t count() const;
  /// The lines that are in both. Both in order.
  LineSet intersect(const LineSet &B) const;
  const std::vector<LineInterval> &intervals() const { return Intervals; }
  void clear() { Intervals.clear(); }

private:
  void merge();
  std::vector<LineInterval> Intervals;
};

} // namespace catt

#endif
