//===- Replays.cpp - What replayed launches say of themselves -------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/tune/Replays.h"
#include "tool/tune/Statistics.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace catt {

Expected<std::vector<ReplayedLaunch>> parseReplays(StringRef Text) {
  Expected<json::Value> Read = json::parse(Text);
  if (!Read)
    return Read.takeError();
  const json::Object *File = Read->getAsObject();
  const json::Array *Launches = File ? File->getArray("launches") : nullptr;
  if (!Launches)
    return createStringError("there are no launches in the file of replays");
  std::vector<ReplayedLaunch> All;
  for (const json::Value &Value : *Launches) {
    const json::Object *O = Value.getAsObject();
    auto Kernel = O ? O->getString("kernel") : std::nullopt;
    auto Left = O ? O->getString("left") : std::nullopt;
    auto Why = O ? O->getString("why") : std::nullopt;
    const json::Array *Ms = O ? O->getArray("ms") : nullptr;
    if (!Kernel || !Left || !Why || !Ms)
      return createStringError("a launch in the file of replays has no kernel, "
                               "ms, left or why");
    ReplayedLaunch &L = All.emplace_back();
    L.Kernel = Kernel->str();
    L.Left = Left->str();
    L.Why = Why->str();
    for (const json::Value &Each : *Ms) {
      if (!Each.getAsNumber())
        return createStringError("a time in the file of replays is no number");
      L.Ms.push_back(*Each.getAsNumber());
    }
  }
  return All;
}

/// Of all launches of one kernel, summed up.
static std::vector<double> groupTimes(ArrayRef<const ReplayedLaunch *> All,
                                      size_t Groups) {
  for (const ReplayedLaunch *L : All)
    Groups = std::min(Groups, std::max<size_t>(1, L->Ms.size() / 2));
  std::vector<double> Sum(Groups);
  for (const ReplayedLaunch *L : All) {
    std::vector<std::vector<double>> Each(Groups);
    for (size_t I = 0; I != L->Ms.size(); ++I)
      Each[I % Groups].push_back(L->Ms[I]);
    for (size_t G = 0; G != Groups; ++G)
      Sum[G] += median(Each[G]);
  }
  return Sum;
}

ReplayedKernels replayedKernels(ArrayRef<ReplayedLaunch> All,
                                const LaunchCounts &Expected, unsigned Groups) {
  ReplayedKernels Out;
  for (const auto &[Kernel, Count] : Expected) {
    std::vector<const ReplayedLaunch *> Of;
    std::string Why;
    for (const ReplayedLaunch &L : All)
      if (L.Kernel == Kernel) {
        Of.push_back(&L);
        if (Why.empty())
          Why = L.Why.empty() && L.Ms.empty() ? "it has no times" : L.Why;
      }
    if (Why.empty() && int64_t(Of.size()) != Count)
      Why = "it was launched " + std::to_string(Of.size()) +
            " times where it was " + std::to_string(Count) + " times";
    if (!Why.empty()) {
      Out.Why[Kernel] = Why;
      continue;
    }
    Out.Ms[Kernel] = groupTimes(Of, Groups);
    for (const ReplayedLaunch *L : Of) {
      Out.Left[Kernel].push_back(L->Left);
      Out.Times[Kernel] += int64_t(L->Ms.size());
    }
  }
  return Out;
}

std::string replayOrder(const LaunchCounts &Launches) {
  std::string Text;
  for (const auto &[Kernel, Count] : Launches)
    Text += (Text.empty() ? "" : ",") + Kernel + "=" + std::to_string(Count);
  return Text;
}

} // namespace catt
