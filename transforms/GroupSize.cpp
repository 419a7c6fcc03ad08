//===- GroupSize.cpp - Warps per group, or the rule for them --------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/GroupSize.h"
#include "analysis/plan/runtime/RuntimeCases.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <set>

namespace catt {

int64_t GroupSize::at(int64_t Value) const {
  int64_t Warps = Below;
  for (const RuntimeCase &C : Cases)
    if (Value >= C.From)
      Warps = C.WarpsPerGroup;
  return Warps;
}

int64_t GroupSize::smallest() const {
  int64_t Warps = Below;
  for (const RuntimeCase &C : Cases)
    Warps = std::min(Warps, C.Groups ? WholeBlock / C.Groups : C.WarpsPerGroup);
  return Warps;
}

GroupSize GroupSize::smallerOf(const GroupSize &Other) const {
  const GroupSize &Lower = Other.smallest() < smallest() ? Other : *this;
  std::set<std::string> Parameters;
  std::set<int64_t> Bounds;
  for (const GroupSize *Size : {this, &Other})
    for (const RuntimeCase &C : Size->Cases) {
      Parameters.insert(C.Parameter);
      Bounds.insert(C.From);
    }
  if (Parameters.size() > 1 || !isSimple() || !Other.isSimple())
    return Lower;
  GroupSize Both = Lower;
  Both.Below = std::min(Below, Other.Below);
  Both.Cases.clear();
  int64_t Last = Both.Below;
  for (int64_t From : Bounds) {
    int64_t Warps = std::min(at(From), Other.at(From));
    if (Warps != Last)
      Both.Cases.push_back({*Parameters.begin(), From, Warps});
    Last = Warps;
  }
  return Both.Cases.size() <= MostCases ? Both : Lower;
}

std::vector<std::string> GroupSize::inputs() const {
  std::vector<std::string> Names;
  auto Add = [&](const std::string &Name) {
    if (!llvm::is_contained(Names, Name))
      Names.push_back(Name);
  };
  for (const RuntimeCase &C : Cases) {
    Add(C.Parameter);
    for (const RuntimeBound &B : C.And)
      Add(B.Parameter);
  }
  return Names;
}

bool GroupSize::isSimple() const {
  return inputs().size() <= 1 &&
         llvm::none_of(Cases, [](const RuntimeCase &C) { return C.Groups; });
}

} // namespace catt
