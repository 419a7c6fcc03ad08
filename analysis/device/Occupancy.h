//===- Occupancy.h - Resident blocks, and what limits them -----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Device ---------+
//                   +--> BlockLimits --min--> Residency
//   BlockResources -+    one per resource     T, L1
//
// CATT equations 1 to 4: T is the smallest of the limits by shared memory,
// registers and hardware, and L1 is what the smallest legal carve-out that
// holds T blocks leaves. The fourth limit, ceil(grid blocks / SMs), is not in
// the paper's equations and is needed for its table 3.
//
// The arithmetic of each limit is that of cuda_occupancy.h in the CUDA
// toolkit: test/unit/OccupancyTest.cpp compares the two.
//
// Limits:
//  - Partitioned global caching (5.2, 5.3, 6.1, 6.2) is taken as off, as
//    cuda_occupancy.h takes it for attributes that come from the runtime.
//  - Dynamic shared memory beyond 48 KiB is taken as opted in.
//  - Clusters: how many fit into one GPC is not known (GPCs of one card differ
//    in their SMs), so the number of blocks is an upper bound with clusters.
//  - The carve-out is a hint to the driver, which may choose another.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_DEVICE_OCCUPANCY_H
#define CATT_ANALYSIS_DEVICE_OCCUPANCY_H

#include "analysis/device/Device.h"
#include "analysis/model/Facts.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace catt {

/// What one thread block takes.
struct BlockResources {
  int64_t Threads = 0;
  std::optional<int64_t> RegistersPerThread; ///< unknown: not limiting
  int64_t StaticSharedBytes = 0;
  int64_t DynamicSharedBytes = 0;
  std::optional<int64_t> GridBlocks; ///< blocks of the whole launch
  /// cudaFuncAttributePreferredSharedMemoryCarveout, 0 to 100; without it the
  /// driver chooses. Ignored before 7.0, as by the driver.
  std::optional<int64_t> CarveoutPercent;
};

/// Blocks per SM that each resource alone admits; empty: it does not limit.
/// Zero: a block with these resources can never run.
struct BlockLimits {
  int64_t Warps = 0;  ///< warp slots, and the largest block
  int64_t Blocks = 0; ///< block slots
  std::optional<int64_t> Registers, SharedMemory, Grid;

  int64_t smallest() const;
  /// The resources whose limit is the smallest, in the order of Limiter.
  std::vector<Limiter> limiters() const;
};

/// "shared memory"
llvm::StringRef toString(Limiter By);

/// The limits. Error: resources that make no sense (negative, no threads).
llvm::Expected<BlockLimits> blockLimits(const Device &Gpu,
                                        const BlockResources &Block);

/// Resident blocks and the L1 that is left to them. Without CarveoutPercent the
/// driver divides L1 and shared memory, whatever the grid: it takes the
/// smallest carve-out that holds the blocks that fit on an SM or, up to
/// Device::SharedBytesForTwice, twice as many (docs/devices.md). Where several
/// resources limit alike, LimitedBy names the one that a programmer can change
/// most easily: grid, registers, shared memory, warps, blocks. From is
/// Estimated (an upper bound of the blocks) if registers or grid are unknown.
/// Error: one sentence, for resources that make no sense or never fit.
llvm::Expected<Residency> residency(const Device &Gpu,
                                    const BlockResources &Block);

/// The most registers per thread with which `Blocks` blocks of this size fit
/// by their registers: the desired register usage (DRU) of TLP-RM equation 2,
/// with the allocation rule of today's GPUs. 0 if there is none.
int64_t registersForBlocks(const Device &Gpu, int64_t ThreadsPerBlock,
                           int64_t Blocks);

/// Shared memory that a block occupies: with the reserved bytes, rounded up to
/// the allocation unit.
int64_t allocatedSharedBytes(const Device &Gpu, const BlockResources &Block);

/// The smallest legal carve-out of at least so many bytes, or std::nullopt.
std::optional<int64_t> carveoutFor(const Device &Gpu, int64_t Bytes);

/// The carve-out that a launch gets where its kernel prefers so many percent:
/// one that holds as many blocks as the percentage holds without the bytes that
/// the system reserves for each, but with these. Measured on an H200
/// (docs/devices.md); no document says it.
int64_t carveoutAsked(const Device &Gpu, const BlockResources &Block,
                      int64_t Percent);

/// The percentage that gets the smallest carve-out of at least so many bytes,
/// the largest of several.
int64_t carveoutPercent(const Device &Gpu, const BlockResources &Block,
                        int64_t Bytes);

/// Dynamic shared memory to add to each block so that at most `Blocks` are
/// resident, and what is resident then.
struct Reservation {
  int64_t Bytes = 0;
  Residency After;
  /// To ask for at the launch; empty: the driver chooses the carve-out.
  std::optional<int64_t> CarveoutPercent = std::nullopt;
};

/// CATT figure 5. The carve-out is the driver's to choose. std::nullopt where
/// no legal amount of shared memory does it.
std::optional<Reservation>
reserveShared(const Device &Gpu, const BlockResources &Block, int64_t Blocks);

/// The same, with the smallest carve-out that holds just so many blocks: few
/// bytes are reserved then, and nearly all of L1 is left. On an H200 two blocks
/// of a kernel without shared memory have 248 KiB of L1 beside 3 KiB each, and
/// 92 KiB beside the 75 KiB of reserveShared. std::nullopt where L1 is a memory
/// of its own, or a carve-out cannot be asked for that does it.
std::optional<Reservation> reserveInCarveout(const Device &Gpu,
                                             const BlockResources &Block,
                                             int64_t Blocks);

} // namespace catt

#endif
