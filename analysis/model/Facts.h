//===- Facts.h - What was counted -------------------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_MODEL_FACTS_H
#define CATT_ANALYSIS_MODEL_FACTS_H

#include "analysis/model/Origin.h"
#include "analysis/model/Refusal.h"
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace catt {

/// What limits the number of resident blocks.
enum class Limiter : uint8_t { Warps, Blocks, Registers, SharedMemory, Grid };

/// Blocks on one SM, and the L1 that they leave (MODEL.md section 2).
struct Residency {
  int64_t WarpsPerBlock = 0, BlocksPerSM = 0;
  Limiter LimitedBy = Limiter::Warps;
  int64_t CarveoutBytes = 0; ///< shared-memory part of the unified memory
  int64_t L1Bytes = 0;       ///< what is left of it for L1D
  Origin From = Origin::Proved;
  int64_t activeWarps() const { return WarpsPerBlock * BlocksPerSM; }
};

/// Lines that one iteration of one loop level touches (MODEL.md section 4).
struct LevelFootprint {
  unsigned Loop = 0;
  int64_t LinesPerWarp = 0;  ///< of the warp that touches most
  int64_t LinesPerBlock = 0; ///< distinct lines of all warps of a block
  int64_t LinesShared = 0;   ///< of those, lines that every block touches
  int64_t SectorsPerBlock = 0;
  /// Warps per group -> distinct lines of the group that touches most, for the
  /// groups [g*w, (g+1)*w) and each w = ceil(W / N) that some N gives.
  std::map<int64_t, int64_t> LinesByWarps;
  /// True if a later iteration of this level uses some of the lines again.
  bool Reuse = false;
  Origin From = Origin::Proved; ///< Estimated: an upper bound
};

/// What one iteration of a loop asks of the memory, for one warp, with all
/// loops inside it run completely. New sectors shared by the warps of a block
/// are divided among them; once lost, each warp fetches them for itself.
struct LoopWork {
  double Lookups = 0; ///< lines looked up in L1
  /// Turns that L1's 32 banks of 4 bytes need for these: of the words of one
  /// access of a warp, those in the bank that holds most.
  double BankTurns = 0;
  double Loads = 0;        ///< load instructions
  double LoadsNew = 0;     ///< of those, that meet a sector for the first time
  double LoadsAgain = 0;   ///< that meet one of an earlier iteration
  double LoadsTwice = 0;   ///< as SectorsTwice
  double SectorsNew = 0;   ///< from below L1 even if all else stays
  double SectorsAgain = 0; ///< that an earlier iteration fetched
  /// Touched before by this iteration; of an innermost loop only.
  double SectorsTwice = 0;
  double SectorsStored = 0; ///< written through L1
  /// Stores that may be to what it loads: loads of later iterations wait.
  bool HoldsBack = false;
  std::optional<int64_t> Iterations; ///< of the loop
};

/// What a loop inside another one counts as if its iterations are not known.
constexpr int64_t UnknownTrips = 32;

/// What is known of one loop under one launch.
struct LoopProfile {
  unsigned Loop = 0;
  std::vector<LevelFootprint> Levels; ///< this loop, then its ancestors
  std::optional<Refusal> Unknown;     ///< why a level could not be counted
  /// For a loop whose lines do not all fit: what the time model needs.
  std::optional<LoopWork> Work;
};

} // namespace catt

#endif
