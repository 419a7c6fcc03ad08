//===- Candidates.h - The ways to run a loop -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   W warps, T blocks --> (w warps per group, T - M blocks) --> footprint, L1
//
// Every choice of warps and blocks that can be realised, with the bytes of L1
// that it occupies and that it leaves. ThrottlePlan.h says which one is taken.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_THROTTLE_CANDIDATES_H
#define CATT_ANALYSIS_PLAN_THROTTLE_CANDIDATES_H

#include "analysis/device/Occupancy.h"
#include "analysis/model/Kernel.h"
#include "analysis/model/Plan.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace catt {

/// Predicted gain below which a loop is left alone: of a loop whose loads wait
/// for its stores, and of the others, whose loads are issued together. Of these
/// the time model was seen to promise two or three times what came of it
/// (docs/model.md).
constexpr double DefaultMinGain = 0.3, DefaultMinGainTogether = 0.8;

struct ThrottleOptions {
  Device Gpu;
  BlockResources Block;   ///< of the launch that the residency was computed for
  bool PaperRule = false; ///< --model=catt
  /// --l1d: the L1 to plan for, whatever residency and reservation leave.
  std::optional<int64_t> L1Bytes;
  bool MaySplit = true;          ///< loops in warp groups are a choice
  bool MayReserve = true;        ///< fewer blocks per SM are a choice
  bool MayPreferL1 = true;       ///< so is another carve-out than the driver's
  bool MayGuess = false;         ///< so are loops that data decides on
  std::optional<double> MinGain; ///< --min-gain; absent: the defaults
  double minGain(bool HoldsBack) const {
    return MinGain.value_or(HoldsBack ? DefaultMinGain
                                      : DefaultMinGainTogether);
  }
  /// --force, for this kernel: its loops are run so, others left alone.
  std::vector<ForcedChoice> Forced;
  std::optional<int64_t> OptBlocks; ///< --opt-tlp
};

/// What a change of the whole kernel has to gain.
double minGain(const ThrottleOptions &Options,
               llvm::ArrayRef<LoopProfile> Profiles);

/// One way to run a loop.
struct Candidate {
  int64_t Groups = 1;        ///< N: ceil(W / WarpsPerGroup)
  int64_t WarpsPerGroup = 0; ///< w
  int64_t BlocksPerSM = 0;   ///< T - M
  int64_t BlocksRemoved = 0; ///< M
  int64_t FootprintBytes = 0;
  int64_t L1Bytes = 0; ///< that this choice leaves
  bool fits() const { return FootprintBytes <= L1Bytes; }
  /// K of MODEL.md section 5
  int64_t activeWarps() const { return WarpsPerGroup * BlocksPerSM; }
};

/// Bytes of L1 that one iteration of the level occupies while `Warps` warps of
/// each of `Blocks` blocks run. An upper bound where LinesByWarps has no entry.
int64_t footprintBytes(const LevelFootprint &Level, int64_t Warps,
                       int64_t Blocks, bool PaperRule);

/// "28 KiB", "132.1 KiB"
std::string kib(int64_t Bytes);

/// The group sizes that the rule may choose for W warps, largest first.
std::vector<int64_t> warpChoices(int64_t Warps, bool PaperRule);

/// Every (M, w) that can be realised, M ascending, then w descending: the first
/// is the kernel as it is.
std::vector<Candidate> candidates(const LevelFootprint &Level,
                                  const Residency &Before,
                                  const ThrottleOptions &Options);

/// The kernel with M blocks per SM fewer.
struct BlockChoice {
  int64_t Removed = 0;      ///< M
  int64_t ReserveBytes = 0; ///< shared memory to add per block
  Residency After;
  /// Empty: the driver chooses the carve-out.
  std::optional<int64_t> CarveoutPercent = std::nullopt;
};

/// The same blocks with the smallest carve-out that holds them. std::nullopt
/// where that is the driver's own choice, or cannot be asked for.
std::optional<BlockChoice> withLargestL1(const BlockChoice &Blocks,
                                         const ThrottleOptions &Options);

/// The ways to have fewer blocks, M ascending, from M = 0. A number of blocks
/// that no legal amount of shared memory gives is left out.
std::vector<BlockChoice> blockChoices(const Residency &Before,
                                      const ThrottleOptions &Options);

/// L1 to plan for: what the user told, else what the residency leaves.
int64_t l1Of(const Residency &R, const ThrottleOptions &Options);

Candidate makeCandidate(const LevelFootprint &Level, int64_t Warps,
                        const BlockChoice &Blocks,
                        const ThrottleOptions &Options);

/// The candidate with the most warps that fits, for one number of blocks.
std::optional<Candidate> mostWarps(const LevelFootprint &Level,
                                   const BlockChoice &Blocks,
                                   const ThrottleOptions &Options);

/// Threads of the largest block that a launch may have: of all there are, or of
/// those in sight.
int64_t largestBlock(const Kernel &K);
int64_t largestBlockInSight(const Kernel &K);

/// Whether a block of so many threads can have fewer registers for each than a
/// thread may take, and nothing says that the kernel is compiled for it. Not
/// of 256 threads.
bool mayLackRegisters(const Kernel &K, const Device &Gpu, int64_t Threads);

/// Whether a block can still be launched if the kernel takes so many registers
/// more: it cannot lack any, or few are taken.
bool hasRegisters(const Kernel &K, const Device &Gpu, int64_t Threads,
                  int64_t More);

/// Registers that a loop over groups may add; 6 were seen where nvcc unrolled
/// as before.
inline constexpr int64_t SplitRegisters = 12;

/// Threads of the block that a kernel has to be compiled for once its code
/// takes so many registers more, or some launch may lack them; 0: none. A block
/// in sight that may lack any has to be: nvcc 13.0 was seen to unroll a divided
/// loop, which took 254 registers instead of 32. Of others, an estimate will
/// do.
int64_t threadsToBound(const Kernel &K, const Device &Gpu, int64_t More);

} // namespace catt

#endif
