//===- Occupancy.cpp - Resident blocks, and what limits them --------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/device/Occupancy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace catt {
namespace {

int64_t warpsOf(int64_t Threads) { return divideCeil(Threads, WarpLanes); }

/// Registers of one warp, as allocated.
int64_t registersPerWarp(const Device &D, int64_t PerThread) {
  return alignTo(PerThread * WarpLanes, D.RegisterAllocationUnit);
}

/// The launch check allocates in all sub-partitions at once, so the warps are
/// rounded up to their number (cudaOccMaxBlocksPerSMRegsLimit).
int64_t registersChecked(const Device &D, const BlockResources &B,
                         int64_t Partitions) {
  return registersPerWarp(D, *B.RegistersPerThread) *
         alignTo(warpsOf(B.Threads), Partitions);
}

int64_t registerLimit(const Device &D, const BlockResources &B,
                      int64_t Partitions) {
  if (*B.RegistersPerThread > D.LaunchRegistersPerThread ||
      registersChecked(D, B, Partitions) > D.RegistersPerBlock)
    return 0;
  int64_t WarpsPerPartition = D.RegistersPerSM / Partitions /
                              registersPerWarp(D, *B.RegistersPerThread);
  return WarpsPerPartition * Partitions / warpsOf(B.Threads);
}

std::optional<int64_t> registerLimit(const Device &D, const BlockResources &B) {
  if (B.RegistersPerThread.value_or(0) == 0)
    return std::nullopt;
  // What cannot run on the other Pascals (four partitions) is refused on 6.0
  // (two) as well: cudaOccMaxActiveBlocksPerMultiprocessor.
  if (D.Capability == 60 && registerLimit(D, B, 4) == 0)
    return 0;
  return registerLimit(D, B, D.SubPartitions);
}

/// Shared memory that all blocks of an SM have together. A preference that one
/// block does not fit into is ignored (cudaOccMaxBlocksPerSMSmemLimit).
int64_t sharedCapacity(const Device &D, const BlockResources &B) {
  if (!B.CarveoutPercent || D.Capability < 70)
    return D.SharedBytesPerSM;
  int64_t Preferred = *B.CarveoutPercent * D.SharedBytesPerSM / 100;
  return *carveoutFor(
      D, std::max(*carveoutFor(D, Preferred), allocatedSharedBytes(D, B)));
}

std::optional<int64_t> sharedLimit(const Device &D, const BlockResources &B) {
  int64_t Bytes = allocatedSharedBytes(D, B);
  if (B.StaticSharedBytes > D.SharedBytesPerBlock ||
      Bytes > D.SharedBytesPerBlockOptIn + D.SharedBytesReserved)
    return 0;
  if (Bytes == 0)
    return std::nullopt;
  return sharedCapacity(D, B) / Bytes;
}

Error checkInput(const BlockResources &B) {
  if (B.Threads <= 0)
    return createStringError(
        formatv("a block of {0} threads cannot be launched", B.Threads).str());
  if (B.RegistersPerThread.value_or(0) < 0 || B.StaticSharedBytes < 0 ||
      B.DynamicSharedBytes < 0)
    return createStringError("registers and shared memory of a block cannot "
                             "be negative");
  if (B.GridBlocks && *B.GridBlocks <= 0)
    return createStringError(
        formatv("a grid of {0} blocks cannot be launched", *B.GridBlocks)
            .str());
  if (B.CarveoutPercent && (*B.CarveoutPercent < 0 || *B.CarveoutPercent > 100))
    return createStringError(formatv("a carve-out of {0} percent is not within "
                                     "0 to 100",
                                     *B.CarveoutPercent)
                                 .str());
  return Error::success();
}

/// Why a block with a zero limit can never run.
Error neverRuns(const Device &D, const BlockResources &B,
                const BlockLimits &L) {
  std::string Text;
  if (L.Warps == 0)
    Text = formatv("a block of {0} threads can never run on {1}: the limit is "
                   "{2} threads",
                   B.Threads, D.Name,
                   std::min(D.MaxThreadsPerBlock, D.MaxThreadsPerSM));
  else if (L.Registers == 0 &&
           *B.RegistersPerThread > D.LaunchRegistersPerThread)
    Text = formatv("{0} registers per thread can never run on {1}: the limit "
                   "is {2}",
                   *B.RegistersPerThread, D.Name, D.MaxRegistersPerThread);
  else if (L.Registers == 0)
    Text = formatv("a block of {0} threads with {1} registers each can never "
                   "run on {2}: it takes {3} registers and the limit is {4}",
                   B.Threads, *B.RegistersPerThread, D.Name,
                   registersChecked(D, B, 4), D.RegistersPerBlock);
  else if (B.StaticSharedBytes > D.SharedBytesPerBlock)
    Text = formatv("a block with {0} bytes of static shared memory can never "
                   "run on {1}: the limit is {2} bytes, and more has to be "
                   "dynamic",
                   B.StaticSharedBytes, D.Name, D.SharedBytesPerBlock);
  else
    Text = formatv("a block with {0} bytes of shared memory can never run on "
                   "{1}: the limit is {2} bytes",
                   B.StaticSharedBytes + B.DynamicSharedBytes, D.Name,
                   D.SharedBytesPerBlockOptIn);
  return createStringError(Text);
}

/// Easiest to change first.
constexpr Limiter Precedence[] = {Limiter::Grid, Limiter::Registers,
                                  Limiter::SharedMemory, Limiter::Warps,
                                  Limiter::Blocks};

} // namespace

int64_t BlockLimits::smallest() const {
  int64_t Least = std::min(Warps, Blocks);
  for (const std::optional<int64_t> &Limit : {Registers, SharedMemory, Grid})
    Least = std::min(Least, Limit.value_or(Least));
  return Least;
}

std::vector<Limiter> BlockLimits::limiters() const {
  int64_t T = smallest();
  std::vector<Limiter> Found;
  auto Add = [&](Limiter What, std::optional<int64_t> Limit) {
    if (Limit == T)
      Found.push_back(What);
  };
  Add(Limiter::Warps, Warps);
  Add(Limiter::Blocks, Blocks);
  Add(Limiter::Registers, Registers);
  Add(Limiter::SharedMemory, SharedMemory);
  Add(Limiter::Grid, Grid);
  return Found;
}

int64_t allocatedSharedBytes(const Device &D, const BlockResources &B) {
  return alignTo(B.StaticSharedBytes + B.DynamicSharedBytes +
                     D.SharedBytesReserved,
                 D.SharedAllocationUnit);
}

std::optional<int64_t> carveoutFor(const Device &D, int64_t Bytes) {
  auto Smallest = llvm::lower_bound(D.CarveoutBytes, Bytes);
  if (Smallest == D.CarveoutBytes.end())
    return std::nullopt;
  return *Smallest;
}

int64_t carveoutAsked(const Device &D, const BlockResources &B,
                      int64_t Percent) {
  int64_t Bytes = Percent * D.SharedBytesPerSM / 100;
  int64_t Own = alignTo(B.StaticSharedBytes + B.DynamicSharedBytes,
                        D.SharedAllocationUnit);
  int64_t Blocks = Own == 0 ? 0 : std::max<int64_t>(Bytes / Own, 1);
  return *carveoutFor(D, std::clamp(Blocks * allocatedSharedBytes(D, B), Bytes,
                                    D.SharedBytesPerSM));
}

int64_t carveoutPercent(const Device &D, const BlockResources &B,
                        int64_t Bytes) {
  int64_t Best = 100;
  for (int64_t Percent = 99; Percent >= 0; --Percent) {
    int64_t Asked = carveoutAsked(D, B, Percent);
    if (Asked < Bytes)
      break;
    if (Asked < carveoutAsked(D, B, Best))
      Best = Percent;
  }
  return Best;
}

/// What the driver takes by itself, where so many blocks fit on an SM.
static int64_t carveoutOfDriver(const Device &D, const BlockResources &B,
                                int64_t Blocks) {
  constexpr int64_t MostThreads = 896;
  int64_t Bytes = allocatedSharedBytes(D, B);
  int64_t Needed = *carveoutFor(D, Blocks * Bytes);
  if (Blocks < 2 || B.Threads > MostThreads ||
      B.StaticSharedBytes + B.DynamicSharedBytes == 0)
    return Needed;
  int64_t Twice = std::min(2 * Blocks, D.MaxBlocksPerSM) * Bytes;
  return std::max(Needed,
                  *carveoutFor(D, std::min(Twice, D.SharedBytesForTwice)));
}

Expected<BlockLimits> blockLimits(const Device &D, const BlockResources &B) {
  if (Error E = checkInput(B))
    return std::move(E);
  BlockLimits L;
  if (B.Threads <= D.MaxThreadsPerBlock)
    L.Warps = D.MaxWarpsPerSM / warpsOf(B.Threads);
  L.Blocks = D.MaxBlocksPerSM;
  L.Registers = registerLimit(D, B);
  L.SharedMemory = sharedLimit(D, B);
  if (B.GridBlocks && D.SMs)
    L.Grid = divideCeil(*B.GridBlocks, *D.SMs);
  return L;
}

Expected<Residency> residency(const Device &D, const BlockResources &B) {
  Expected<BlockLimits> L = blockLimits(D, B);
  if (!L)
    return L.takeError();
  Residency R;
  R.WarpsPerBlock = warpsOf(B.Threads);
  R.BlocksPerSM = L->smallest();
  if (R.BlocksPerSM == 0)
    return neverRuns(D, B, *L);
  std::vector<Limiter> Tied = L->limiters();
  R.LimitedBy = *find_if(
      Precedence, [&](Limiter What) { return is_contained(Tied, What); });
  // Equation 4: what T blocks use, or what the launch asked for. The driver
  // leaves room for all that fit, however few blocks the grid has.
  BlockLimits OfSM = *L;
  OfSM.Grid.reset();
  R.CarveoutBytes = B.CarveoutPercent && D.Capability >= 70
                        ? carveoutAsked(D, B, *B.CarveoutPercent)
                        : carveoutOfDriver(D, B, OfSM.smallest());
  R.L1Bytes = D.UnifiedBytes - (D.UnifiedL1 ? R.CarveoutBytes : 0);
  bool AllKnown = B.RegistersPerThread && L->Grid;
  R.From = AllKnown ? Origin::Proved : Origin::Estimated;
  return R;
}

int64_t registersForBlocks(const Device &D, int64_t ThreadsPerBlock,
                           int64_t Blocks) {
  if (ThreadsPerBlock <= 0 || Blocks <= 0)
    return 0;
  BlockResources B;
  B.Threads = ThreadsPerBlock;
  for (int64_t R = D.MaxRegistersPerThread; R > 0; --R) {
    B.RegistersPerThread = R;
    if (registerLimit(D, B) >= Blocks)
      return R;
  }
  return 0;
}

std::optional<Reservation>
reserveShared(const Device &D, const BlockResources &Block, int64_t Blocks) {
  if (Blocks < 1)
    return std::nullopt;
  BlockResources B = Block;
  B.CarveoutPercent.reset();
  // The smallest allocation that Blocks + 1 blocks no longer fit with.
  int64_t Unit = D.SharedAllocationUnit;
  int64_t Allocated =
      alignDown(D.SharedBytesPerSM / (Blocks + 1), uint64_t(Unit)) + Unit;
  Reservation Result;
  // Words of 4 bytes; an allocation is many words, so it stays the same.
  Result.Bytes = alignDown(std::max<int64_t>(Allocated - D.SharedBytesReserved -
                                                 B.StaticSharedBytes -
                                                 B.DynamicSharedBytes,
                                             0),
                           uint64_t(4));
  B.DynamicSharedBytes += Result.Bytes;
  Expected<Residency> After = residency(D, B);
  if (!After) {
    consumeError(After.takeError());
    return std::nullopt;
  }
  Result.After = *After;
  return Result;
}

std::optional<Reservation> reserveInCarveout(const Device &D,
                                             const BlockResources &Block,
                                             int64_t Blocks) {
  if (Blocks < 1 || !D.UnifiedL1 || D.Capability < 70)
    return std::nullopt;
  const int64_t Own = D.SharedBytesReserved + Block.StaticSharedBytes +
                      Block.DynamicSharedBytes;
  for (int64_t Carveout : D.CarveoutBytes) {
    Reservation Result;
    int64_t Allocated =
        alignDown(Carveout / Blocks, uint64_t(D.SharedAllocationUnit));
    Result.Bytes = alignDown(std::max<int64_t>(Allocated - Own, 0), 4);
    if (Result.Bytes == 0)
      continue;
    BlockResources B = Block;
    B.DynamicSharedBytes += Result.Bytes;
    B.CarveoutPercent = Result.CarveoutPercent =
        carveoutPercent(D, B, Blocks * allocatedSharedBytes(D, B));
    Expected<Residency> After = residency(D, B);
    if (!After) {
      consumeError(After.takeError());
      return std::nullopt; // more than a block may have
    }
    Result.After = *After;
    if (After->BlocksPerSM == Blocks && After->CarveoutBytes == Carveout)
      return Result;
  }
  return std::nullopt;
}

llvm::StringRef toString(Limiter By) {
  switch (By) {
  case Limiter::Warps:
    return "warps";
  case Limiter::Blocks:
    return "blocks";
  case Limiter::Registers:
    return "registers";
  case Limiter::SharedMemory:
    return "shared memory";
  case Limiter::Grid:
    return "grid";
  }
  return "";
}

} // namespace catt
