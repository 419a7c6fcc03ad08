//===- LineSet.cpp - Sets of cache lines ----------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LineSet.h.
//
//===----------------------------------------------------------------------===//
#include "analysis/memory/LineSet.h"
#include "analysis/model/Origin.h"
#include <algorithm>
#include <boost/sort/spinsort/spinsort.hpp>

namespace catt {

static_assert(LineBytes == SectorBytes << 2);

/// Joins sorted intervals that overlap or touch.
void LineSet::merge() {
  size_t Last = 0;
  for (size_t I = 1; I < Intervals.size(); ++I) {
    LineInterval &To = Intervals[Last];
    const LineInterval &Next = Intervals[I];
    if (Next.Base == To.Base && Next.Lo <= To.Hi + 1)
      To.Hi = std::max(To.Hi, Next.Hi);
    else
      Intervals[++Last] = Next;
  }
  if (!Intervals.empty())
    Intervals.resize(Last + 1);
}

void LineSet::normalize() {
  if (!std::is_sorted(Intervals.begin(), Intervals.end())) // runs, mostly
    boost::sort::spinsort(Intervals.begin(), Intervals.end());
  merge();
}

void LineSet::unite(const LineSet &B) {
  if (B.Intervals.empty())
    return;
  if (Intervals.empty()) {
    Intervals = B.Intervals;
    return;
  }
  std::vector<LineInterval> Both(Intervals.size() + B.Intervals.size());
  std::merge(Intervals.begin(), Intervals.end(), B.Intervals.begin(),
             B.Intervals.end(), Both.begin());
  Intervals = std::move(Both);
  merge();
}

LineSet LineSet::linesOfSectors() const {
  LineSet Lines;
  for (const LineInterval &I : Intervals) // right shifts round down
    Lines.add({I.Base, I.Lo >> 2, I.Hi >> 2});
  return Lines;
}

int64_t LineSet::count() const {
  int64_t Lines = 0;
  for (const LineInterval &I : Intervals)
    Lines += I.Hi - I.Lo + 1;
  return Lines;
}

LineSet LineSet::intersect(const LineSet &B) const {
  LineSet Common;
  auto I = Intervals.begin(), J = B.Intervals.begin();
  while (I != Intervals.end() && J != B.Intervals.end()) {
    int64_t Lo = std::max(I->Lo, J->Lo), Hi = std::min(I->Hi, J->Hi);
    if (I->Base == J->Base && Lo <= Hi)
      Common.add({I->Base, Lo, Hi});
    if (I->Base != J->Base ? I->Base < J->Base : I->Hi < J->Hi)
      ++I;
    else
      ++J;
  }
  return Common;
}

} // namespace catt
