//===- Warnings.cpp - What a kernel asks for and does not get -------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/Warnings.h"
#include "analysis/device/Occupancy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace catt {

/// The blocks that fit on an SM whatever their registers, and what limits them.
/// What is not known of the launch is taken to be the least.
static std::optional<std::pair<int64_t, Limiter>>
mostBlocks(const Kernel &K, const Device &Gpu, const Launch *L) {
  BlockResources Block;
  Block.Threads = L ? L->Block.count().value_or(WarpLanes) : *K.MaxThreads;
  Block.StaticSharedBytes = K.StaticSharedBytes;
  Block.DynamicSharedBytes = L ? L->DynamicSharedBytes.value_or(0) : 0;
  llvm::Expected<BlockLimits> Limits = blockLimits(Gpu, Block);
  if (!Limits) {
    llvm::consumeError(Limits.takeError());
    return std::nullopt;
  }
  return std::pair(Limits->smallest(), Limits->limiters().front());
}

static std::optional<Refusal> boundNotReached(const Kernel &K,
                                              const Device &Gpu) {
  if (K.MaxThreads.value_or(0) <= 0 || K.MinBlocks.value_or(0) <= 1)
    return std::nullopt;
  std::vector<const Launch *> Launches;
  for (const Launch &L : K.Launches)
    Launches.push_back(&L);
  if (Launches.empty())
    Launches.push_back(nullptr);
  std::optional<std::pair<int64_t, Limiter>> Most;
  for (const Launch *L : Launches) {
    auto Fit = mostBlocks(K, Gpu, L);
    if (!Fit || Fit->first >= *K.MinBlocks)
      return std::nullopt;
    if (!Most || Fit->first > Most->first)
      Most = Fit;
  }
  return Refusal{
      Reason::BoundNotReached, K.Where,
      llvm::formatv("__launch_bounds__({0}, {1}) asks for {1}, and {2} {3}, "
                    "limited by {4}",
                    *K.MaxThreads, *K.MinBlocks, Most->first,
                    Most->first == 1 ? "fits" : "fit", toString(Most->second))};
}

static std::optional<Refusal> mayNotLaunch(const Kernel &K, const Device &Gpu) {
  if (!K.Registers || K.MaxThreads || K.MaxRegisters)
    return std::nullopt;
  for (const Launch &L : K.Launches) {
    const int64_t Threads = L.Block.count().value_or(0);
    const int64_t Have =
        Threads ? registersForBlocks(Gpu, Threads, /*Blocks=*/1) : 0;
    if (Have == 0 || K.Registers->Least <= Have)
      continue;
    return Refusal{Reason::MayNotLaunch, L.Where,
                   llvm::formatv("{0}{1} registers of each of {2} threads, of "
                                 "which {3} are there",
                                 K.Registers->isExact() ? "" : "about ",
                                 K.Registers->Likely, Threads, Have)};
  }
  return std::nullopt;
}

std::vector<Refusal> warningsOf(const Kernel &K, const Device &Gpu) {
  std::vector<Refusal> Out;
  for (auto &Each : {boundNotReached(K, Gpu), mayNotLaunch(K, Gpu)})
    if (Each)
      Out.push_back(*Each);
  return Out;
}

} // namespace catt
