//===- GroupSize.cpp - Warps per group, or the rule for them --------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/GroupSize.h"
#include "analysis/plan/runtime/RuntimeCases.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <set>

using llvm::StringRef;

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

/// `n >= 32`
static std::string boundText(StringRef Input, int64_t From) {
  // Against an unsigned parameter, a negative bound would turn into a huge one.
  return ((From < 0 ? "(long long)" : "") + Input + " >= " + llvm::Twine(From))
      .str();
}

/// Threads of a group: a number, or, where only the run knows the block size,
/// its part in whole warps.
static std::string threadsOf(const RuntimeCase &C, StringRef BlockSize) {
  if (C.Groups == 1)
    return std::to_string(WholeBlock * WarpLanes);
  if (C.Groups == 0)
    return std::to_string(C.WarpsPerGroup * WarpLanes);
  std::string Step = std::to_string(C.Groups * WarpLanes);
  return "(" + BlockSize.str() + " + " +
         std::to_string(C.Groups * WarpLanes - 1) + ") / " + Step + " * " +
         std::to_string(WarpLanes);
}

/// Where large values leave the block whole, like small ones, they need no case
/// of their own: `n >= 8 && n < 4096`.
GroupThreads threadsByCase(const GroupSize &Size, StringRef Name,
                           StringRef BlockSize, int64_t Whole) {
  llvm::ArrayRef<RuntimeCase> Cases = Size.Cases;
  const RuntimeCase &Last = Cases.back();
  std::string Below;
  bool LastIsWhole =
      Last.Groups == 1 || (Last.Groups == 0 && Last.WarpsPerGroup >= Whole);
  if (Cases.size() == 2 && LastIsWhole && Size.Below >= Whole &&
      Last.Parameter == Cases[0].Parameter) {
    Cases = Cases.drop_back();
    Below = " && " + Last.Parameter + " < " + std::to_string(Last.From);
  }
  GroupThreads Out{std::to_string(Size.Below * WarpLanes), {}};
  for (const RuntimeCase &C : Cases) {
    std::string Test = boundText(C.Parameter, C.From) + Below;
    for (const RuntimeBound &B : C.And)
      Test += " && " + boundText(B.Parameter, B.From);
    std::string Threads = threadsOf(C, BlockSize);
    if (Size.Cases.size() == 1 && C.And.empty())
      Out.First =
          (llvm::Twine(Test) + " ? " + Threads + " : " + Out.First).str();
    else
      Out.Later.push_back(
          ("if (" + Test + ") " + Name + " = " + Threads + ";").str());
  }
  return Out;
}

} // namespace catt
