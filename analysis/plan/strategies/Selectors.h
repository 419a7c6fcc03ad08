//===- Selectors.h - Which registers, how many blocks ----------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   DesignPoints + InstructionMix --(one rule of a paper)--> the point to take
//
//   tpsc     Crat.cpp      the least spill cost times (1 - parallelism)
//   orion    Orion.cpp     up or down by MaxLive
//   unified  Unified.cpp   threads by the dispatch interval
//   dru      TlpRm.cpp     registers for one more block
//   model    Model.cpp     the least predicted time
//
// Each is a pure function that ranks points which were measured, and searches
// nothing. Point 0 is the kernel as it is compiled without a cap, and what a
// selector returns if it would change nothing. The rule of CATT chooses warps,
// not registers: plan/throttle.
//
// A rule is asked twice where points spill and ptxas can be asked: of the
// kernel under each cap, and of what became of the points after values were
// computed again or moved to shared memory (variant/JointStrategy).
//
// Limits: orion and unified choose between binaries at run time. Here the
// choice is made once; --decide=run and catt-tune measure.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_STRATEGIES_SELECTORS_H
#define CATT_ANALYSIS_PLAN_STRATEGIES_SELECTORS_H

#include "analysis/plan/strategies/Staircase.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace catt {

struct SelectorInput;
struct Selection;

/// A rule that chooses among points.
struct Selector {
  llvm::StringLiteral Name; ///< as --selector spells it: "tpsc"
  Selection (*Select)(const SelectorInput &In);
  /// The rule weighs spills to local memory; else it takes no point with any.
  bool MaySpill;

  static const Selector Model, Tpsc, Orion, Unified, Dru;
  bool operator==(const Selector &O) const { return Name == O.Name; }
};

/// In the order of the reports.
llvm::ArrayRef<Selector> allSelectors();
std::optional<Selector> findSelector(llvm::StringRef Name);

/// What a warp executes, each instruction weighted by how often it runs.
struct InstructionMix {
  double Compute = 0; ///< all but the next
  double OffChip = 0; ///< loads and stores of global and local memory
  /// Groups of loads that are waited for together: at most OffChip.
  double Waits = 0;
  /// Unified's AD_int: cycles from one instruction of a thread to its next.
  double DispatchInterval = 1;
  double LoopAccesses = 0;      ///< of OffChip, those in loops
  double DependentAccesses = 0; ///< of those, whose address was loaded
  /// Registers of one thread -> Waits, where the loads that are under way
  /// together are no more than fit into them.
  std::map<unsigned, double> WaitsUnder = {};
  /// Those of the most registers that are known and no more than these.
  double waits(int64_t Registers) const;
  /// Most accesses stand in loops, and hardly any waits for another's value.
  bool streams() const {
    return 2 * LoopAccesses > OffChip && 10 * DependentAccesses < LoopAccesses;
  }
  /// No access stands in a loop: a warp loads, computes and stores once.
  bool isStraight() const { return LoopAccesses == 0; }
  double instructions() const { return Compute + OffChip; }
};

struct SelectorInput {
  Device Gpu = {};
  int64_t ThreadsPerBlock = 0;
  int64_t SharedBytesPerBlock = 0;  ///< of the kernel as it is
  std::vector<DesignPoint> Points;  ///< from designPoints: at least one
  std::vector<DesignPoint> Roomier; ///< from roomierPoints
  unsigned MaxLive = 0;             ///< of RegisterUse
  InstructionMix Mix;
  /// OptTLP: more blocks than this lose in the cache. Empty: no such limit.
  std::optional<int64_t> OptBlocks;
  double MinGain = 0.05; ///< of the model: a smaller predicted gain is none
  /// Of the launch, where it is the same for all launches.
  std::optional<int64_t> GridBlocks = {};

  /// A point by the number that a Selection has.
  const DesignPoint &at(size_t Point) const {
    return Point < Points.size() ? Points[Point]
                                 : Roomier[Point - Points.size()];
  }
  /// Of one block, with what was moved there.
  int64_t sharedBytes(const DesignPoint &P) const {
    return std::max<int64_t>(SharedBytesPerBlock, P.Compiled.SharedBytes);
  }
  /// The second pruning of CRAT section 4.2. The kernel as it is stays.
  bool isPruned(size_t Point) const {
    return Point != 0 && OptBlocks && Points[Point].Blocks > *OptBlocks;
  }
};

/// A point, and one clause that says why.
struct Selection {
  /// Index into Points; behind their end, into Roomier.
  size_t Point = 0;
  std::string Why;
};

//===-- CRAT --------------------------------------------------------------===//

/// Cycles of one access (CRAT section 6, Cost_local and Cost_shm).
struct SpillCosts {
  double Local = 40; ///< a hit in L1: TimeModel's MemoryRates::Hit, measured
  double Shared = 30;
};

/// CRAT section 6: 1 - T B / (T B + MaxThreads).
double tlpGain(int64_t Threads, int64_t MaxThreads);

/// CRAT section 6: TLPgain * Spillcost. Spilled values are moved 4 bytes at a
/// time; on today's GPUs their addresses take no instructions of their own, so
/// that Num_others are the operations that are done again.
double tpsc(const DesignPoint &P, int64_t ThreadsPerBlock, int64_t MaxThreads);

//===-- Orion -------------------------------------------------------------===//

enum class Direction : uint8_t { Increasing, Decreasing };

/// Orion figure 8, lines 1 to 4.
Direction orionDirection(unsigned MaxLive, const Device &Gpu);

/// Orion section 3.3, the conservative version: the most blocks whose values
/// all stay on the chip, in registers or (spilled) beside the shared memory.
size_t conservativePoint(const SelectorInput &In);

//===-- Unified -----------------------------------------------------------===//

/// Unified equation 1, the left side: cycles of computation for each access of
/// memory outside the chip; infinite if there is none.
double computePerAccess(const DesignPoint &P, const InstructionMix &Mix);

/// Unified section 5, MAX_cmratio: half of the latency of such an access, as
/// reads and writes go on side by side.
constexpr double MaxComputePerAccess = 200;

/// FP32 lanes of one SM (CUDA C++ Programming Guide, "Arithmetic
/// Instructions"): SM_cores of Unified figure 5.
int64_t coresPerSM(const Device &Gpu);

//===-- model -------------------------------------------------------------===//

/// How many times as fast as Over the point Of is predicted to be, by their
/// machine code (time/GridTime). If Of spills more, or moves more to shared
/// memory, it must not lose as if L1 held all that they load: the waiting that
/// it is to save may not be there. Where the grid is not known: while all SMs
/// are busy, and 0 where it loses with one block on each. Empty: of one of
/// them there is none.
std::optional<double> gainByCode(const SelectorInput &In, const DesignPoint &Of,
                                 const DesignPoint &Over);

/// Cycles of an SM for one warp if so many warps share it: the largest of what
/// issuing takes, what the memory delivers and what waiting leaves.
///
/// The warps of a block start together. Where each loads, computes and stores
/// once, computation overlaps only with the memory accesses of other blocks.
/// Such a kernel is taken for a closed queueing network: its resident blocks go
/// from memory to computation and back, each of the two serves one at a time,
/// for times that vary exponentially (Buzen, CACM 16(9), 1973).
double cyclesShared(const InstructionMix &Mix, const DesignPoint &P,
                    int64_t Warps, const Device &Gpu);

} // namespace catt

#endif
