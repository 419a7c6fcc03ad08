//===- RegisterUse.h - What a kernel asks of the registers ------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   PTX text --(Ptx, Liveness, Pressure)--> RegisterUse --> plan/RegisterPlan
//
// Plain values that the plan and the reports read. A register is 32 bits wide
// and counted for one thread; a 64-bit value takes two.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_MODEL_REGISTERUSE_H
#define CATT_ANALYSIS_MODEL_REGISTERUSE_H

#include "analysis/model/Kernel.h"
#include <optional>
#include <string>
#include <vector>

namespace catt {

/// What stands in a loop counts so many times as much as what stands around it,
/// where the iterations are not known.
constexpr unsigned LoopWeight = 10;

/// One warp by itself through the machine code of a kernel. What stands in a
/// loop counts LoopWeight times, for each loop around it.
struct WarpCost {
  double Cycles = 0;     ///< from the first instruction to the last
  double Issued = 0;     ///< instructions
  double Global = 0;     ///< of these, loads and stores of global memory
  double Local = 0;      ///< of local memory: spills
  double Shared = 0;     ///< of shared memory
  double CyclesInL1 = 0; ///< as Cycles, if L1 held all that it loads
};

/// What adds up, in the order in which it is written down.
inline constexpr double WarpCost::*WarpCostMembers[] = {
    &WarpCost::Cycles, &WarpCost::Issued, &WarpCost::Global,
    &WarpCost::Local,  &WarpCost::Shared, &WarpCost::CyclesInL1};

/// Registers and spills of a kernel compiled under one cap (32-bit registers
/// per thread).
struct RegisterPoint {
  unsigned CapRegisters = 0;    ///< the cap asked for; 0: none
  unsigned Registers = 0;       ///< of one thread, as `ptxas -v` prints it
  unsigned SpillStoreBytes = 0; ///< per thread, bytes of the store instructions
  unsigned SpillLoadBytes = 0;  ///< per thread, bytes of the load instructions
  unsigned StackBytes = 0;      ///< local memory of one thread
  Origin From = Origin::Estimated; ///< Measured: ptxas said it
  unsigned SharedBytes =
      0; ///< static shared memory of one block; 0 if estimated
  /// How often one of these accesses runs, on average: 10 times for each loop
  /// around it, as an InstructionMix weighs instructions.
  double SpillWeight = 1;
  std::optional<WarpCost> Warp = {}; ///< where the machine code is known
  /// Of one thread; each access counts.
  unsigned spilledBytes() const { return SpillStoreBytes + SpillLoadBytes; }
  bool spills() const { return spilledBytes() != 0; }
};

/// A source variable (or temporary) that is live where pressure peaks.
struct LiveValue {
  std::string Name; ///< "sum", or "a value of line 12" for a temporary
  Location Where;   ///< of the instruction that makes it
  unsigned Registers = 0;
  bool TouchedInPeak = false; ///< read or written between Begin and End
  unsigned UseWeight = 0;     ///< instructions that read it, by LoopWeight
};

/// The instructions around a place where most registers are live.
struct PressurePeak {
  Location Begin, End;
  unsigned Registers = 0;
  std::vector<LiveValue> Live;
};

/// What is known of the registers of one kernel.
struct RegisterUse {
  RegisterPoint Default; ///< without a cap
  unsigned MaxLive = 0;  ///< 32-bit registers
  double PeakWeight = 1; ///< how often the place runs where they are live
  std::vector<PressurePeak> Peaks; ///< highest first
  std::vector<RegisterPoint> Caps; ///< one per cap asked for, ascending
  std::vector<std::string> Notes;  ///< what makes it uncertain, for people
};

} // namespace catt

#endif
