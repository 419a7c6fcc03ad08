//===- Progress.cpp - Whether anybody still changes anything ---------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   thread A  watches flag ... watches flag ... watches flag      two turns
//   thread B  at a barrier                                        without any
//   thread C  watches flag ... watches flag ... watches flag      change: stuck
//
// A change is a store, an atomic that leaves another value, a barrier or a warp
// operation that completes, a thread that ends, a block that begins. A thread
// watches while it runs through volatile or atomic loads, or through atomics
// that leave the value, and changes nothing.
//
// Limits: a thread that gives up waiting after more than two turns (8,192
// steps) may be taken for one that does not; waiting by plain loads is ended by
// the budget alone.
//
//===----------------------------------------------------------------------===//

#include "tool/executor/Internal.h"
#include <algorithm>
#include <cstring>

namespace catt::simt {
namespace {

constexpr uint64_t LongEnough = 2 * 4096;
constexpr unsigned MaxResident = 64, MaxResidentThreads = 24 * 1024;

/// The memory of an atomic that may change it as soon as its thread goes on.
struct {
  const void *Address = nullptr;
  uint32_t Size = 0;
  char Before[16];
} Expected;

void settle() {
  if (!Expected.Address)
    return;
  if (std::memcmp(Expected.Address, Expected.Before, Expected.Size) != 0)
    ++Run.Changes;
  Expected.Address = nullptr;
}

} // namespace

void expectChange(const void *Address, uint32_t Size) {
  settle();
  Run.Current->Watches = true;
  Expected.Size = std::min<uint32_t>(Size, sizeof Expected.Before);
  std::memcpy(Expected.Before, Address, Expected.Size);
  Expected.Address = Address;
}

void endTurn(Thread &T) {
  settle();
  if (T.SinceChange != Run.Changes) {
    T.SinceChange = Run.Changes;
    T.Watched = 0;
  } else if (T.Watches) {
    T.Watched += Run.Steps - Run.TurnBegan;
  } else if (Run.Steps - Run.TurnBegan > 1024) {
    T.Watched = 0; // it computes
  }
  T.Watches = false;
}

bool isStuck(const std::vector<std::unique_ptr<Block>> &Resident) {
  const Thread &T = *Run.Current;
  if (T.Watched < LongEnough || Run.Steps < Run.NextLook)
    return false;
  Run.NextLook = Run.Steps + 1024;
  for (const auto &B : Resident)
    for (const Warp &W : B->Warps)
      for (unsigned Left = W.Ready; Left; Left &= Left - 1) {
        const Thread &O = W.Lanes[__builtin_ctz(Left)];
        if (O.SinceChange != Run.Changes || O.Watched < LongEnough)
          return false;
      }
  return true;
}

unsigned blocksPerSm(const KernelInfo &K, const LaunchShape &S) {
  size_t Bytes = K.StaticShared + S.DynamicShared + 1024;
  uint64_t Warps = (S.Block.count() + 31) / 32;
  return std::min<uint64_t>(
      {32, 64 / std::max<uint64_t>(1, Warps), 228 * 1024 / Bytes});
}

unsigned residentBlocks(const LaunchShape &S) {
  const Options &O = Run.Opts;
  unsigned Most = std::clamp<uint64_t>(MaxResidentThreads / S.Block.count(), 1,
                                       MaxResident);
  unsigned Fit = std::max(1u, blocksPerSm(*Run.Kernel->Info, S) * O.SMs);
  bool All = O.ResidentBlocks == 0 || O.Cooperative;
  return std::min(Most, All ? Fit : O.ResidentBlocks);
}

} // namespace catt::simt
