//===- RegisterPlan.h - Registers and blocks of one kernel -----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Kernel, launches --+
//   RegisterUse -------+--(designPoints)--> points --(selectors)--+
//   InstructionMix ----+                                          |
//                              RegisterPlan <---(choosePoint)-----+
//
// A pure function. What it decides is written by the transform launch-bounds,
// or printed as compiler flags for a build that must not change its source:
//
//   current   100 registers, 2 blocks of 256 threads per SM
//   proposed   80 registers, 3 blocks, nothing spilled
//     __launch_bounds__(256, 3)  |  __maxnreg__(80)  |  -maxrregcount=80
//
// A kernel launched with more threads than its bound fails, so a bound is
// written only where every launch is known: refusals say what stands against
// it. `Force` is the user's word that they know better.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_OCCUPANCY_REGISTERPLAN_H
#define CATT_ANALYSIS_PLAN_OCCUPANCY_REGISTERPLAN_H

#include "analysis/model/Plan.h"
#include "analysis/plan/strategies/Selectors.h"

namespace catt {

struct RegisterOptions {
  Device Gpu;
  Selector By = Selector::Model;
  BoundsForm Form = BoundsForm::LaunchBounds;
  double MinGain = 0.05;
  /// Write in spite of existing bounds, launches that may be elsewhere and
  /// register numbers that no assembler confirmed.
  bool Force = false;
  /// --target-registers: at most so many, whatever the selector says.
  std::optional<int64_t> Target;
  /// The kernel stands in the file that is compiled, not in a header.
  bool InMainFile = true;
  /// -maxrregcount of the compile command. A kernel's own bounds override it.
  std::optional<int64_t> CapOfFlags;
  /// The toolkit is older than __maxnreg__ (CUDA 12.4).
  bool LacksMaxnreg = false;
  /// The toolkit has the pragma enable_smem_spilling.
  bool HasSpillPragma = false;
  /// No other transform asks for dynamic shared memory at the launches.
  bool MayRaiseShared = true;
  /// The part of the SM's memory that prefer-l1 leaves to shared memory.
  std::optional<int64_t> CarveoutPercent;
  /// --l1d: the L1 to plan for.
  std::optional<int64_t> L1Bytes;
  std::optional<int64_t> OptBlocks; ///< --opt-tlp
};

/// What is to be written.
struct BoundsPlan {
  BoundsForm Form = BoundsForm::LaunchBounds;
  int64_t MaxThreads = 0; ///< B: threads of the largest launch
  int64_t MinBlocks = 0;  ///< T: resident blocks that it asks for
  int64_t Registers = 0;  ///< the cap that this means
  bool Replaces = false;  ///< there are bounds already
  bool Force = false;     ///< whatever else uses the kernel
};

/// A bound of the source or of the flags that is met only by spilling.
struct ForcedSpill {
  std::string Bound; ///< "__launch_bounds__(256, 4)", "-maxrregcount=64"
  RegisterPoint Under;
  int64_t Needed = 0; ///< registers per thread without the bound
  /// Of the values live at the peak, those not used there, largest first.
  std::vector<LiveValue> Values;
  /// The tightest bound of the same kind that spills nothing.
  std::string Instead; ///< "__launch_bounds__(256, 3)"; empty: no bound
};

struct RegisterPlan {
  Launch Deciding; ///< the launch with the largest block
  /// The stairs from the kernel without a cap upwards, then roomier points.
  std::vector<DesignPoint> Points;
  /// The kernel as it is compiled now; differs from Points[0] under a bound.
  DesignPoint Current;
  Residency Before; ///< of Current
  SelectorInput In; ///< what the selectors were asked about
  /// Of Points, by index: what became of them where trials computed values
  /// again or moved them. The selector that decided was then asked about these.
  std::map<size_t, DesignPoint> Relieved;
  std::vector<Selection> Selections; ///< of every selector, in their order
  Selector By = Selector::Model;     ///< the one that decided
  std::optional<int64_t> Target;     ///< told; then no selector decided
  size_t Chosen = 0;                 ///< index into Points
  std::optional<BoundsPlan> Bounds;
  std::optional<ForcedSpill> Forced;
  std::vector<Refusal> Refusals; ///< against writing Bounds

  const DesignPoint &chosen() const { return Points[Chosen]; }
};

/// Registers of the kernel as it is compiled, its bounds included.
RegisterRange registersOf(const Kernel &K, const RegisterUse &Use,
                          const RegisterOptions &Options);

/// The same where nothing is known but its bounds.
RegisterRange anyRegisters(const Kernel &K, const RegisterOptions &Options);

/// The caps that existing bounds mean.
std::vector<unsigned> capsOfBounds(const Kernel &K,
                                   const RegisterOptions &Options);

/// The caps at which the plan wants to know registers and spills, ascending:
/// one for each stair that any register count has under this launch, and those
/// that existing bounds mean. Empty if the launch does not say enough.
std::vector<unsigned> capsToAsk(const Kernel &K, const Launch &L,
                                const RegisterOptions &Options);

/// The launch with the largest block; null if none has a known one.
const Launch *decidingLaunch(const Kernel &K);

/// What stands against trusting that no block is larger than those in sight.
std::optional<Refusal> unseenLaunch(const Kernel &K, const RegisterOptions &O);

/// Blocks per SM with the least predicted time, by the footprints of the loops
/// that contend (OptTLP). Empty if none does.
std::optional<int64_t> optimalBlocks(const std::vector<LoopProfile> &Profiles,
                                     const Residency &Most, const Device &Gpu);

/// The plan for one kernel. Empty if no launch gives a block size, or no block
/// of that size fits.
std::optional<RegisterPlan> planRegisters(const Kernel &K,
                                          const RegisterUse &Use,
                                          const InstructionMix &Mix,
                                          std::optional<int64_t> OptBlocks,
                                          const RegisterOptions &Options);

/// Takes another of the plan's points: what is to be written for it, and what
/// stands against that.
void choosePoint(const Kernel &K, size_t Point, const RegisterOptions &Options,
                 RegisterPlan &Plan);

/// "__launch_bounds__(256, 3)" or "__maxnreg__(80)".
std::string spelling(const BoundsPlan &Bounds);

} // namespace catt

#endif
