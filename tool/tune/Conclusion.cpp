//===- Conclusion.cpp - What a search says of a kernel --------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/tune/Conclusion.h"
#include "tool/tune/Statistics.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace catt {
namespace {

bool allTried(const TunedKernel &K, const TuneOptions &O,
              const TuneResult &Out) {
  bool Any = false;
  for (const Tried &T : Out.All)
    if (T.What.File == K.Source && T.What.How.Kernel == K.Best.Kernel &&
        T.What.Refused.empty() && T.SameAs.empty()) {
      if (!T.Result)
        return false;
      Any |= T.Result->fine();
    }
  return Any && O.Names == "*" && O.Which == Points::Few && !O.Strategy;
}

} // namespace

void conclude(TunedKernel &K, const TuneOptions &O, const TuneResult &Out,
              const LastComparison &Last) {
  MeasuredVariant Best = K.Best;
  auto Won = find_if(Out.Winners, [&](size_t W) {
    const WrittenVariant &V = Out.All[W].What;
    return V.How.Kernel == Best.Kernel && V.File == K.Source;
  });
  const std::vector<double> Old =
                                timesIn(Last.Before, Best.Kernel, Last.IsTimed),
                            New =
                                timesIn(Last.After, Best.Kernel, Last.IsTimed);
  ArrayRef<Trial> By = Last.After;
  if (Won != Out.Winners.end() && New.size() != O.Trying.Runs)
    return; // the comparison did not come to its end
  if (Won != Out.Winners.end() && isClearlyLess(New, Old)) {
    if (!Out.Confirmed)
      return;
    Best.Variant = Out.All[*Won].What.How.Name;
    Best.Gain = median(Old) / median(New);
  } else if (allTried(K, O, Out)) {
    Best.Variant = AsWritten.str();
    By = *Out.Original;
  } else {
    return;
  }
  Best.Date = By.front().When.substr(0, StringRef("2026-11-29").size());
  if (Last.IsTimed)
    Best.Launches = launchesIn(By, Best.Kernel);
  if (Best.Launches != 0) // it runs in this program
    K.Best = std::move(Best);
}

} // namespace catt
