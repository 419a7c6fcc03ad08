//===- Reuse.h - Which loop brings a line back, and when ---------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each level of a loop nest, a window of successive iterations is compared:
//
//   iteration   k        k+1      k+2  ...
//   lines       a b t    a c t    d c t        t: still (`tmp[i]`)
//   new         .        c        d            a, c: used again, then left
//
// New lines are what must come from below L1 even if everything fits; the rest
// hits if it has stayed since the iteration before. What must stay meanwhile is
// `distanceLines`: if that is more than L1 holds, the reuse is lost. Over the
// 32 steps of a full window, LinesNew / Iterations is the rate of cold misses.
//
// Limits: as Footprint.h. Irregular accesses count as always new. Reuse over
// more than ReuseWindow iterations is not seen.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_MEMORY_REUSE_H
#define CATT_ANALYSIS_MEMORY_REUSE_H

#include "analysis/memory/LineWalk.h"

namespace catt {

/// Reuse at one level, in lines of one block.
struct ReuseInfo {
  unsigned Loop = 0;      ///< the level whose next iteration brings lines back
  int64_t Iterations = 0; ///< of the window, without its first
  int64_t LinesTouched = 0; ///< sum over these iterations
  int64_t LinesNew = 0;     ///< of those: by no earlier one of the window
  int64_t SectorsTouched = 0, SectorsNew = 0; ///< the same in sectors
  /// Lines of references that the loop's iterator does not move.
  int64_t LinesStill = 0;
  /// Sum over the iterations: lines of the other references that an earlier
  /// iteration's such references touched. These are what an overflowing cache
  /// loses (CATT equation 6).
  int64_t MovingAgain = 0;
  /// Distinct lines of a block between a line's use and the use by the next
  /// iteration, and those of them that all blocks share.
  int64_t DistanceLines = 0, DistanceShared = 0;
  Origin From = Origin::Proved;

  bool any() const { return LinesNew < LinesTouched; }
  /// True if data that moves with the loop is used again.
  bool anyMoving() const { return MovingAgain > 0; }
  /// The distance on an SM with this many resident blocks at full pace.
  int64_t distanceLines(int64_t BlocksPerSM) const {
    return DistanceShared + (DistanceLines - DistanceShared) * BlocksPerSM;
  }
};

/// Sectors of the regular references over such a window.
struct SectorWindow {
  int64_t Iterations = 0;       ///< as ReuseInfo
  int64_t Touched = 0, New = 0; ///< as ReuseInfo's SectorsTouched and -New
};

/// Loop must be the walk's. Iterations stays 0 where the loop does not run.
llvm::Expected<SectorWindow> countSectors(LineWalk &Walk, unsigned Loop,
                                          const Representative &Rep,
                                          const FootprintOptions &Options);

/// One entry for each level that profileLoop counts, in the same order.
llvm::Expected<std::vector<ReuseInfo>>
measureReuse(const Kernel &K, unsigned LoopId, const FootprintOptions &Options);

/// Fills in one level, Info.Loop, which must be the walk's. Iterations stays 0
/// where the loop does not run.
llvm::Error measureLevel(ReuseInfo &Info, LineWalk &Walk,
                         const Representative &Rep,
                         const FootprintOptions &Options);

} // namespace catt

#endif
