//===- Record.cpp - What a program left on the executor -------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/verify/Record.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace catt {

Record readRecord(StringRef Text) {
  Record R;
  for (StringRef Line : split(Text, '\n')) {
    auto [Kind, Rest] = Line.split(' ');
    if (Kind == "launch") {
      R.Launches.push_back({Rest.str(), {}});
    } else if (Kind == "memory" && !R.Launches.empty()) {
      auto [Which, Sizes] = Rest.split(' ');
      auto [Bytes, Hash] = Sizes.split(' ');
      RecordedMemory M{0, Hash.str()};
      (void)Bytes.getAsInteger(10, M.Bytes);
      R.Launches.back().Memory[Which.str()] = M;
    } else if (Kind == "line") {
      auto [Ran, Place] = Rest.split(' ');
      auto [Number, File] = Place.split(' ');
      unsigned Line = 0;
      (void)Number.getAsInteger(10, Line);
      R.Lines[{File.str(), Line}] |= Ran == "1";
    }
  }
  return R;
}

/// Calls Do for what two launches left differently, until it says true.
static bool anyDifference(const RecordedLaunch &A, const RecordedLaunch &B,
                          function_ref<bool(const std::string &Which)> Do) {
  for (const auto &[Which, M] : A.Memory) {
    auto Other = B.Memory.find(Which);
    if ((Other == B.Memory.end() || !(Other->second == M)) && Do(Which))
      return true;
  }
  for (const auto &[Which, M] : B.Memory)
    if (!A.Memory.count(Which) && Do(Which))
      return true;
  return false;
}

void Agreed::add(Record R) {
  if (!std::exchange(Any, true)) {
    First = std::move(R);
    return;
  }
  size_t Common = std::min(First.Launches.size(), R.Launches.size());
  SameLaunches &= First.Launches.size() == R.Launches.size();
  First.Launches.resize(Common);
  for (size_t I = 0; I != Common; ++I)
    anyDifference(First.Launches[I], R.Launches[I],
                  [&](const std::string &Which) {
                    Unsteady.insert({I, Which});
                    return false;
                  });
}

std::optional<Difference> Agreed::compare(const Record &Other) const {
  size_t Common = std::min(First.Launches.size(), Other.Launches.size());
  Difference D;
  for (D.Launch = 0; D.Launch != Common; ++D.Launch)
    if (anyDifference(First.Launches[D.Launch], Other.Launches[D.Launch],
                      [&](const std::string &Which) {
                        D.Which = Which;
                        return !Unsteady.count({D.Launch, Which});
                      }))
      return D;
  if (Common < First.Launches.size() ||
      (SameLaunches && Common < Other.Launches.size()))
    return Difference{Common, ""};
  return std::nullopt;
}

} // namespace catt
