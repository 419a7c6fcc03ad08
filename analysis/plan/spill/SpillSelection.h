//===- SpillSelection.h - Which values to spill -----------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   values over the peak of pressure --(spillDown)--> gaps in live ranges
//   sub-stacks, spare shared memory --(chooseSubStacks)--> those moved there
//   values of functions, a thread's bytes --(pruneToFit)--> those left out
//
//   v |====store          load====|      v waits in memory over the peak,
//             | peak |                   where nothing reads or writes it
//
// Each is the rule of one paper, a pure function of numbers. Program points
// are counted from 0 in the order of the code; pressure in 32-bit registers of
// one thread.
//
// No program calls these yet. plan/strategies will, in their loops over points:
// TLP-RM spillDown after it has recomputed, CRAT chooseSubStacks under the
// shared memory that its blocks leave, Unified pruneToFit for call trees.
//
// Sources: TLP-RM section 2.3, algorithm 2; CRAT section 5.3, algorithm 1;
// Unified section 3.2.2.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_SPILL_SPILLSELECTION_H
#define CATT_ANALYSIS_PLAN_SPILL_SPILLSELECTION_H

#include "analysis/plan/spill/SharedSlots.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace catt {

//===-- TLP-RM: live across the peak, not touched in it -------------------===//

struct SpillCandidate {
  unsigned Registers = 1;
  llvm::BitVector LiveAt;    ///< points where a register holds it
  llvm::BitVector TouchedAt; ///< of these, where it is read or written
  bool MaySpill = true;      ///< false: only its pressure counts
};

/// Consecutive points under the highest pressure, both ends included (RP).
struct PressureRegion {
  unsigned Begin = 0, End = 0;
  bool operator==(const PressureRegion &) const = default;
};

/// Registers that are live at each point.
std::vector<unsigned> pressure(llvm::ArrayRef<SpillCandidate> Values);

/// Where the pressure is as high as anywhere, first to last; none where
/// nothing is live.
std::vector<PressureRegion> peaks(llvm::ArrayRef<unsigned> Pressure);

/// The condition: live all over the region, not touched in it.
bool qualifies(const SpillCandidate &V, const PressureRegion &Region);

/// The values that qualify for the first region, best first: those that
/// qualify for most of the regions, then those live at most points, then in
/// the order given. Indices into Values.
std::vector<size_t> spillOrder(llvm::ArrayRef<SpillCandidate> Values,
                               llvm::ArrayRef<PressureRegion> Regions);

/// A gap in a live range. The value is stored behind point StoreAfter and
/// loaded before point LoadBefore: the last and the next that touch it, or the
/// ends of its live range. Its slot is live from the one to the other, both
/// included.
struct Spill {
  size_t Value = 0; ///< index
  unsigned StoreAfter = 0, LoadBefore = 0;
  bool operator==(const Spill &) const = default;
};

struct SpillPlan {
  std::vector<Spill> Spills; ///< in the order in which they were chosen
  unsigned Registers = 0;    ///< the highest pressure that is left
  unsigned Spilled = 0;      ///< registers that are in memory at once, at most
};

/// Algorithm 2: one spill after the other until the pressure is at most
/// Desired (DRU), MaxSpilled registers would be exceeded (MSC), or no value
/// qualifies. Exact for code without branches; in a loop, a value that is
/// written behind the region and read before it needs a store at each write.
SpillPlan spillDown(std::vector<SpillCandidate> Values, unsigned Desired,
                    unsigned MaxSpilled);

//===-- CRAT: what fits the spare shared memory ---------------------------===//

/// Spilled values that are moved to shared memory together or not at all.
struct SubStack {
  uint64_t Gain = 0;  ///< accesses of local memory that it saves
  uint64_t Bytes = 0; ///< of shared memory, for the whole block
};

/// The 0-1 knapsack: the sub-stacks with the largest gain that fit, of those
/// with the fewest bytes. Ascending indices. Time: stacks * SpareBytes, over
/// the greatest common divisor of all sizes.
std::vector<size_t> chooseSubStacks(llvm::ArrayRef<SubStack> Stacks,
                                    uint64_t SpareBytes);

//===-- Unified: priority over the call graph -----------------------------===//

/// A value of one of the functions.
struct ValueOfFunction {
  unsigned Function = 0; ///< index
  size_t Value = 0;      ///< index into its Values
  auto operator<=>(const ValueOfFunction &) const = default;
};

/// A composition instruction: a chain of calls from the kernel, and a point of
/// the function that it ends in.
struct CompositionStep {
  unsigned Function = 0, Point = 0;
  bool operator==(const CompositionStep &) const = default;
};
using Composition = std::vector<CompositionStep>;

/// What a value is ranked by; the lowest leaves first.
enum class SpillPriority : uint8_t {
  /// Composition instructions over the limit at which it is live (Unified).
  Frequency,
  /// Accesses for each byte, once for each chain of calls to its function.
  AccessesPerByte,
};

/// Chains of calls beyond which the rules below give up.
constexpr size_t MaxCallChains = 1000;

/// Every composition instruction, in the order of the calls. Empty: recursion,
/// or too many chains.
std::optional<std::vector<Composition>>
compositions(llvm::ArrayRef<SlotFunction> Functions, unsigned Kernel);

/// Max-live of the kernel and all that it calls, in bytes of one thread: at a
/// call, what is live there and the Max-live of the callee. Empty: recursion.
std::optional<unsigned> maxLiveAcrossCalls(llvm::ArrayRef<SlotFunction> F,
                                           unsigned Kernel);

/// The values that have no place on the chip if a thread has so many bytes
/// there, lowest priority first. The paper takes the lowest away until the rest
/// fits; here, what fits beside that rest stays too. Empty: as above.
std::optional<std::vector<ValueOfFunction>>
pruneToFit(llvm::ArrayRef<SlotFunction> Functions, unsigned Kernel,
           unsigned BytesPerThread,
           SpillPriority By = SpillPriority::Frequency);

} // namespace catt

#endif
