//===- L1Simulation.h - Warps that take turns at one L1 ---------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One SM executes the loads and stores of a loop nest:
//
//   warps --one access each, in turns--> port --> L1: lines of 4 sectors
//                                                  | sectors that are not there
//                                                  v
//                                          L2, DRAM: each one sector at a time,
//                                          and a latency
//
// A warp issues the loads of a batch without a wait: those of one iteration, or
// of several where no store holds them back. It issues a few in a row before
// another warp has its turn, and goes on when the last of them is there. A
// sector on its way is waited for, not asked for again. A line takes its place
// in L1 when a sector of it is asked for, and the least recently used of a few
// lines that are drawn leaves; of a line that has left, what comes is not kept.
// A line is in L2 until more lines than the SM's share of L2 have come after
// it; what no block read before is in DRAM.
//
// Warps run to their end if whole blocks fit into the budget; else they run as
// far as it goes, and the second half of that stands for the rest.
//
// Deterministic: the draws come from a generator of its own, and the budget
// counts lanes, not seconds.
//
// Limits: one kernel alone on the card; all warps start at once; instructions
// other than loads and stores only delay their own warp.
//
// Sources: what an SM's port, L1 and L2 do is described in Jia et al.,
// "Dissecting the NVIDIA Volta GPU architecture via microbenchmarking" (2018);
// the rates are those of TimeModel.h or the H200's data sheet, and guesses
// where it says so. docs/model.md has how far hit rates are from counters.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_TIME_L1SIMULATION_H
#define CATT_ANALYSIS_TIME_L1SIMULATION_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace catt {

/// In cycles of the SM, unless it says otherwise. An H200's.
struct SimulationRates {
  double Issue = 1;          ///< an access at the port
  double Line = 0.25;        ///< each line beyond its first
  double Bank = 1;           ///< each turn of its most crowded bank but one
  double Hit = 32;           ///< until what is in L1 is there
  double L2 = 277;           ///< until what is in L2 is there
  double Dram = 677;         ///< until what is in DRAM is there
  double L2Sector = 1.75;    ///< a sector from L2, or written to it
  double StoredSector = 3.5; ///< a sector written to L2, in part
  double StoredAgain = 8;    ///< L2 lost one that was written in part
  double DramSector = 1.55;  ///< a sector that nobody read yet
  double DramAgain = 3.1;    ///< one that L2 lost: DRAM reads two
  double Barrier = 40;       ///< between two groups of a block
  double Operation = 6;      ///< of arithmetic, one behind the other
  double InFlight = 1024;    ///< sectors that an SM can wait for; a guess
  double Flight = 1;    ///< lines of L1 for each of these, where that is less
  double Usable = 1;    ///< of L1, holds data
  double L2Share = 0.5; ///< of L2, holds what it was asked for; a guess
  double Unroll = 4;    ///< iterations of a batch where no store holds back
  double InARow = 16;   ///< loads of a batch that a warp issues before others
  double Draws = 1;     ///< lines of which the least recently used leaves
  int64_t L2Bytes = int64_t(50) << 20;
};

/// What a warp does at one place of the text.
struct SimulatedAccess {
  unsigned Base = 0; ///< equal: offsets count from the same address
  unsigned Bytes = 4;
  bool Loads = true, Stores = false;
  bool Irregular = false; ///< each lane goes somewhere, into L2
  bool IsShared = false;  ///< other blocks read it, too: it is in L2
  double BankTurns = 1;   ///< as LoopWork
};

struct SimulatedLoop {
  /// What stands in it, in order: an access, or a loop.
  struct Item {
    bool IsLoop = false;
    unsigned Index = 0;
  };
  std::vector<Item> Items;
  int64_t Trips = 0;
  double Operations = 0;  ///< of one iteration, outside the loops inside
  bool HoldsBack = false; ///< as LoopWork
  bool UnrolledWhole = false;
};

/// A nest and its addresses.
class SimulatedNest {
public:
  virtual ~SimulatedNest();

  std::vector<SimulatedLoop> Loops; ///< the first one is around all others
  std::vector<SimulatedAccess> Accesses;

  /// Offsets in bytes of the lanes of a warp. Returns a bit for each lane that
  /// takes part. Iterations: of each of Loops.
  virtual uint32_t lanes(unsigned Access, int64_t Block, unsigned Warp,
                         llvm::ArrayRef<int64_t> Iterations,
                         int64_t *Offsets) const = 0;
  /// Bytes from one iteration to the next; std::nullopt: not one number.
  virtual std::optional<int64_t> stride(unsigned Access,
                                        unsigned Loop) const = 0;
};

struct SimulatedRun {
  int64_t WarpsPerBlock = 0; ///< W
  int64_t WarpsPerGroup = 0; ///< w; W: undivided
  int64_t BlocksPerSM = 0;   ///< T
  int64_t L1Bytes = 0;
  int64_t SMs = 1;
  std::optional<int64_t> GridBlocks; ///< none: enough
  double Budget = 400000;            ///< lanes' accesses
};

struct SimulatedCost {
  /// Of an SM for each warp, all its iterations.
  double CyclesPerWarp = 0;
  double SectorsLoaded = 0, SectorsHit = 0; ///< L1 is asked for; had or expects
  double SectorsFromDram = 0;
  double SectorsStored = 0;
  /// What the sectors were counted over, and what a warp executes in all.
  double Accesses = 0, AccessesPerWarp = 0;
};

/// Whether a run in the budget comes to the end of the nest: of a part only the
/// first accesses of each warp are looked at.
bool runsWhole(const SimulatedNest &Nest, const SimulatedRun &Run);

/// A nest without an access costs nothing.
SimulatedCost simulate(const SimulatedNest &Nest, const SimulatedRun &Run,
                       const SimulationRates &Rates);

} // namespace catt

#endif
