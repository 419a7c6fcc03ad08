//===- Plan.h - What is decided ---------------------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_MODEL_PLAN_H
#define CATT_ANALYSIS_MODEL_PLAN_H

#include "analysis/model/Facts.h"
#include "analysis/model/Refusal.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace catt {

/// How a bound is spelled.
enum class BoundsForm : uint8_t {
  LaunchBounds, ///< __launch_bounds__(B, T)
  MaxRegisters, ///< __maxnreg__(n), from CUDA 12.4 on
};

/// An input of the kernel that it can test: Parameter >= From.
struct RuntimeBound {
  /// An integer parameter, "blockDim.x", or a product of extents of the grid.
  std::string Parameter;
  int64_t From = 0;
  auto operator<=>(const RuntimeBound &) const = default;
};

/// A decision left to run time: WarpsPerGroup where Parameter >= From,
/// and every bound of And holds.
struct RuntimeCase {
  std::string Parameter; ///< as of a RuntimeBound
  int64_t From = 0;
  int64_t WarpsPerGroup = 0;
  std::vector<RuntimeBound> And = {};
  /// Not 0 where the block size is not known: so many groups of whole warps,
  /// and WarpsPerGroup has no meaning.
  int64_t Groups = 0;
};

/// What a launch with at least so many threads per block asks of the host.
struct LaunchCase {
  int64_t FromThreads = 1;
  int64_t ReserveBytes = 0; ///< as KernelPlan::ReserveSharedBytes, 0: none
  std::optional<int64_t> CarveoutPercent;
};

/// Another version of a loop, with its rows in tiles that the warp loads
/// together, its sums in registers, or both.
struct LoopVersion {
  unsigned Rows = 0;           ///< index in Kernel::RowLoops
  std::vector<unsigned> Reads; ///< of RowLoop::Reads: those in tiles
  std::vector<unsigned> Sums;  ///< of RowLoop::Sums: those in registers
  int64_t Columns = 0;         ///< elements of a row in a tile
  int64_t MinTrips = 0; ///< of fewer iterations the loop runs as it was; 0: it
                        ///< is known to have more
  /// A kernel that holds both versions has to be compiled for blocks of so many
  /// threads, or may no longer be launched with them; 0: it may.
  int64_t BoundThreads = 0;
  bool operator==(const LoopVersion &) const = default;
};

/// Where the tiles of a kernel's loops lie in shared memory. Each thread has a
/// row of its own, which all loops use.
struct TileMemory {
  int64_t ThreadBytes = 0;   ///< from the row of a thread to the next one's
  int64_t Threads = 0;       ///< of the largest block that there are rows for
  bool IsDynamic = false;    ///< more than a block can have unasked
  int64_t DynamicOffset = 0; ///< behind what the launch asks for itself
  bool IfLong = false;       ///< asked for only by launches with long rows
  bool AnyBlock = false;     ///< every launch asks for those of its own block
  /// AnyBlock: of the usual block.
  int64_t bytes() const { return ThreadBytes * Threads; }
  bool operator==(const TileMemory &) const = default;
};

/// What a kernel's rows in tiles are predicted to gain.
struct PredictedGain {
  double Gain = 1; ///< time before / after
  /// Between these lie nine of ten kernels that were measured for it.
  double Least = 1, Most = 1;
  bool OfLongRows = false; ///< only the run knows how long they are: if long
  bool RatesOfAnother = false; ///< as LoopPlan's; what was measured was not it
};

/// --force: a decision that the user takes. "gesummv:j=4,2"
struct ForcedChoice {
  std::string Kernel; ///< Kernel::Name or UnqualifiedName
  std::string Loop;   ///< Loop::Iterator, or Loop::Id in decimals
  int64_t Groups = 1;
  std::optional<int64_t> BlocksRemoved; ///< M; absent: none
  std::string Text;                     ///< as given
};

/// The decision for one loop. Groups == 1 leaves it alone, and Why says why.
struct LoopPlan {
  unsigned Loop = 0;
  /// Empty, or: the last case that holds decides, and where none does the loop
  /// runs undivided. From ascends; Groups is then the largest of all cases.
  std::vector<RuntimeCase> Cases;
  int64_t WarpsPerGroup = 0; ///< active warps per block while it runs
  /// As many at a time lose less than 3 % by prediction, where there is one.
  std::optional<int64_t> MostWarps;
  int64_t Groups = 1;              ///< N of CATT equation 9
  int64_t FootprintBytes = 0;      ///< of all resident warps, as it is
  int64_t FootprintBytesAfter = 0; ///< with the decision applied
  int64_t LinesPerWarp = 0;
  std::optional<Refusal> Why; ///< empty: it is to be split
  /// Predicted time before / after, where the time model was asked.
  std::optional<double> PredictedGain;
  /// The model's own error of that ratio: it lies between gain / (1 + error)
  /// and gain * (1 + error) for two thirds of the loops it was not fitted on.
  double GainError = 0;
  /// Whether that is by rates of another card, scaled by data sheets.
  bool RatesOfAnother = false;
  /// Longest stride between neighbouring lanes, where the layout is the cause.
  std::optional<int64_t> LaneStrideBytes;
  std::string Reference; ///< the reference that costs most: "A[i * n + j]"
};

/// The decisions for one kernel under its launches.
struct KernelPlan {
  std::optional<Residency> Before, After;
  std::optional<unsigned> LaunchIndex; ///< the launch that decided
  std::vector<LoopPlan> Loops;
  int64_t BlocksRemoved = 0; ///< M of CATT equation 9
  /// reserve-shared: bytes per block that bring residency down to After.
  std::optional<int64_t> ReserveSharedBytes;
  /// prefer-l1: percentage for cudaFuncAttributePreferredSharedMemoryCarveout.
  std::optional<int64_t> CarveoutPercent;
  /// The same two for launches whose block size only the run knows, by threads
  /// per block: the last case that is reached counts. Both above are then
  /// empty.
  std::vector<LaunchCase> ByThreads;
  /// stage-rows and promote-accumulators. The other decisions are those for the
  /// kernel with its tiles.
  std::vector<LoopVersion> Versions;
  TileMemory Tiles;
  std::optional<PredictedGain> ByTiles;
  std::vector<Refusal> NotStaged; ///< contended loops that could not be
  /// try-launches: the kernel stays beside what is planned, and its launches
  /// find out which is faster.
  bool ByTrials = false;
  /// They do in parts of their grid.
  bool InSlices = false;
  /// Without trials it would be left as it is: until they know, it runs so.
  bool IsDoubtful = false;
  std::vector<Refusal> Refusals;
};

} // namespace catt

#endif
