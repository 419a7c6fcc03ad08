//===- Force.cpp - Decisions that the user takes --------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/plan/throttle/Force.h"
#include "analysis/model/Reasons.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace catt {

bool isFor(const ForcedChoice &F, const Kernel &K) {
  return F.Kernel == K.Name || F.Kernel == K.UnqualifiedName;
}

bool isFor(const ForcedChoice &F, const Loop &L) {
  return F.Loop == std::to_string(L.Id) ||
         (!L.Iterator.empty() && F.Loop == L.Iterator);
}

std::vector<ForcedChoice> forcedFor(const Kernel &K,
                                    ArrayRef<ForcedChoice> All) {
  std::vector<ForcedChoice> Result;
  copy_if(All, std::back_inserter(Result),
          [&](const ForcedChoice &F) { return isFor(F, K); });
  return Result;
}

const ForcedChoice *forcedOn(const Loop &L, ArrayRef<ForcedChoice> All) {
  auto Found = find_if(All, [&](const ForcedChoice &F) { return isFor(F, L); });
  return Found == All.end() ? nullptr : Found;
}

bool asksToRemove(int64_t Blocks, ArrayRef<ForcedChoice> All) {
  return any_of(
      All, [&](const ForcedChoice &F) { return F.BlocksRemoved == Blocks; });
}

static std::string loopsOf(const Kernel &K) {
  std::vector<std::string> Names;
  for (const Loop &L : K.Loops)
    Names.push_back(formatv("{0} (line {1}{2}{3})", L.Id, L.Where.Line,
                            L.Iterator.empty() ? "" : ", iterator ",
                            L.Iterator));
  return Names.empty() ? "none" : join(Names, ", ");
}

/// Why the kernel's plan is not what the choice asks for.
static std::string errorIn(const ForcedChoice &F, const PlannedKernel &P) {
  const Kernel &K = *P.Source;
  std::vector<const Loop *> Named;
  for (const Loop &L : K.Loops)
    if (isFor(F, L))
      Named.push_back(&L);
  if (Named.empty())
    return formatv("kernel '{0}' has no loop '{1}'; its loops are: {2}", K.Name,
                   F.Loop, loopsOf(K));
  if (Named.size() > 1)
    return formatv("kernel '{0}' has {1} loops '{2}'; say which by its number: "
                   "{3}",
                   K.Name, Named.size(), F.Loop, loopsOf(K));
  if (!P.Plan->Before)
    return formatv("the launch of kernel '{0}' is not known; give it with "
                   "--launch",
                   K.Name);
  int64_t Warps = P.Plan->Before->WarpsPerBlock;
  int64_t Blocks = P.Plan->Before->BlocksPerSM;
  if (F.Groups > Warps)
    return formatv("kernel '{0}' has {1} warp{2} per block; groups can be 1 to "
                   "{1}",
                   K.Name, Warps, Warps == 1 ? "" : "s");
  int64_t Removed = F.BlocksRemoved.value_or(0);
  if (Removed >= Blocks)
    return formatv("kernel '{0}' has {1} block{2} per SM; 0 to {3} can be "
                   "taken away",
                   K.Name, Blocks, Blocks == 1 ? "" : "s", Blocks - 1);
  if (F.BlocksRemoved && P.Plan->BlocksRemoved != Removed)
    return formatv("no amount of shared memory makes an SM hold {0} of the {1} "
                   "blocks of kernel '{2}'",
                   Blocks - Removed, Blocks, K.Name);
  auto Plan = find_if(P.Plan->Loops, [&](const LoopPlan &Each) {
    return Each.Loop == Named[0]->Id;
  });
  if (F.Groups == 1)
    return "";
  bool IsPlanned = Plan != P.Plan->Loops.end();
  if (IsPlanned && Plan->Groups > 1 && !Plan->Why)
    return "";
  std::vector<Refusal> Known = Named[0]->Refusals;
  llvm::append_range(Known, K.Refusals);
  std::string Why = IsPlanned && Plan->Why ? userText(*Plan->Why)
                    : Known.empty()        ? "nothing is known of its lines"
                                           : userText(Known.front());
  return formatv("loop {0} of kernel '{1}' cannot be split: {2}", F.Loop,
                 K.Name, Why);
}

std::string forceError(const ForcedChoice &F, ArrayRef<PlannedKernel> Kernels) {
  std::vector<std::string> Names;
  bool Found = false;
  for (const PlannedKernel &P : Kernels) {
    Names.push_back("'" + P.Source->Name + "'");
    if (!isFor(F, *P.Source))
      continue;
    Found = true;
    if (std::string Why = errorIn(F, P); !Why.empty())
      return formatv("--force={0}: {1}", F.Text, Why);
  }
  if (Found)
    return "";
  return formatv(
      "--force={0}: there is no kernel '{1}'; there {2}", F.Text, F.Kernel,
      Names.empty() ? std::string("is none")
                    : (Names.size() == 1 ? "is " : "are ") + join(Names, ", "));
}

} // namespace catt
