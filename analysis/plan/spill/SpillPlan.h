//===- SpillPlan.h - Which values wait in shared memory ---------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Kernel, RegisterUse --(movableValues)--> values, cheapest first
//   RegisterPlan's target --(spareFrame)---> bytes of a thread
//          both --(moveRegisters)--> values and slots for so many registers
//
// A thread's slots are a frame; the block's array holds the frames of its
// threads element by element, so that the lanes of a warp meet no bank
// conflict: an element of b bytes at offset o of thread t lies at
// o * Threads + t * b. Wide elements come first, so that each is aligned;
// values of one width that never wait at the same time share (SharedSlots).
// The array is static up to 48 KiB with what the block has itself; beyond, and
// where every launch can be made to ask for it, it is dynamic shared memory.
// A function whose values are moved has a part of the frame and of the array to
// itself, behind that of the kernel; a static one is an array of its own.
//
// How many registers are to be moved is tried where an assembler can be asked
// (CRAT section 6 and TLP-RM section 2.4: compile, look, keep what is better);
// otherwise as many are moved as the kernel takes above its target. On an H200
// the best is neither nothing nor everything: shared memory and a few bytes
// that stay in L1 cost about the same for each access (docs/model.md).
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_SPILL_SPILLPLAN_H
#define CATT_ANALYSIS_PLAN_SPILL_SPILLPLAN_H

#include "analysis/plan/occupancy/RegisterPlan.h"
#include "analysis/plan/spill/MovableValues.h"
#include "llvm/ADT/ArrayRef.h"

namespace catt {

/// How the threads of a block are numbered: x + Width * (y + Height * z).
struct ThreadNumbering {
  int64_t Threads = 0;           ///< numbers are below
  int64_t Width = 0, Height = 0; ///< 0: the extents that the block has
  bool OnlyX = false;            ///< no block has more than one row
};

/// The slots of the kernel's values, or of those of a function.
struct FramePart {
  unsigned Function = 0;      ///< as BodyStatement::Function
  int64_t BeginBytes = 0;     ///< in a thread's frame
  int64_t SizeBytes = 0;      ///< of a thread
  int64_t MovedRegisters = 0; ///< that wait at once, at most
};

/// A value in shared memory: the first Elements of Of.
struct MovedValue {
  MovableValue Of;
  int64_t Elements = 1;
  int64_t OffsetBytes = 0; ///< in the part of a thread's frame
  unsigned WidthBytes = 4; ///< of one access
};

/// What was tried, and what the assembler said of it.
struct SpillStep {
  int64_t MovedRegisters = 0;
  bool Pragma = false; ///< ptxas spills to shared memory itself
  /// Of the slots, weighted: MovableValue::Accesses. Of the pragma's as often
  /// as SpillTimes, two for each word that it takes.
  double Accesses = 0;
  RegisterPoint Compiled;
  double Cost = 0; ///< weighted accesses of local and shared memory
  /// Of an SM for a block (GridTime), where the machine code is known.
  std::optional<double> Cycles = {};
  int64_t DynamicBytes = 0; ///< of a block: SharedSpill::dynamicBytes
};

struct SharedSpill {
  Device Gpu;
  double MinGain = 0;       ///< that moving values has to be worth
  int64_t CapRegisters = 0; ///< that the kernel is compiled with
  int64_t Needed = 0;       ///< registers that it takes without a cap
  int64_t Blocks = 0;       ///< per SM that are to stay resident
  int64_t LimitBytes = 0;   ///< of a thread's frame
  int64_t StaticBytes = 0;  ///< of these, what a static array can hold
  int64_t DynamicBytes = 0; ///< that the launches ask for themselves
  ThreadNumbering Numbering;
  std::vector<MovableValue> Movable;
  std::vector<MovedValue> Moved;   ///< in the order of Kernel::Values
  std::vector<FramePart> Parts;    ///< by function; none is empty
  int64_t FrameBytes = 0;          ///< of a thread
  int64_t MovedRegisters = 0;      ///< that wait at once, at most
  bool HasPragma = false;          ///< the toolkit has enable_smem_spilling
  bool Pragma = false;             ///< write that instead
  double SpillTimes = 1;           ///< how often ptxas' own spills run
  Origin From = Origin::Estimated; ///< Measured: the assembler decided
  std::vector<SpillStep> Steps;
  std::vector<Refusal> Refusals;
  /// Some of it can be moved, or ptxas may do it itself.
  bool mayBeTried() const;
  int64_t sharedBytes() const { return FrameBytes * Numbering.Threads; }
  /// That the launches ask for, what is moved included.
  int64_t dynamicBytes() const {
    return isDynamic() ? dynamicBase() + sharedBytes() : DynamicBytes;
  }
  /// The slots are dynamic shared memory, for which each launch must ask.
  bool isDynamic() const { return FrameBytes > StaticBytes; }
  /// Where they begin in it: behind what the launches ask for, aligned.
  int64_t dynamicBase() const { return (DynamicBytes + 7) / 8 * 8; }
  double accesses() const;
};

/// The registers that the kernel is to be brought down to by moving values:
/// those of a cap that it meets only by spilling. Empty: nothing is to do.
std::optional<int64_t> spillTarget(const RegisterPlan &Plan,
                                   std::optional<int64_t> Asked);

/// The plan for one kernel that is to be compiled with a cap.
SharedSpill planSpill(const Kernel &K, const RegisterUse &Use, int64_t Cap,
                      const RegisterOptions &Options);

/// Moves values for at least so many registers at once, as far as there are
/// values and bytes. 0: none.
void moveRegisters(const Kernel &K, int64_t Registers, SharedSpill &Plan);

/// What to try, in this order: nothing, what the target lacks and parts and
/// multiples of it, and where the toolkit has it the pragma.
std::vector<SpillStep> stepsToTry(const SharedSpill &Plan);

/// Amounts halfway between the best and those tried on both sides of it.
std::vector<SpillStep> stepsAround(const SharedSpill &Plan);

/// Sets what is moved to that of a step, as far as it can be, and what the step
/// then moves and accesses. False if the same was tried before.
bool take(const Kernel &K, SpillStep &Step, SharedSpill &Plan);

/// Adds a step that was compiled, with its cycles where the machine code is
/// known, and its cost: the weighted accesses of its
/// slots, and those of local memory (and of what the pragma put in shared
/// memory), which are taken to run SpillTimes. Forgets a pragma that takes more
/// shared memory than costs no block.
void addStep(const Kernel &K, SpillStep Step, SharedSpill &Plan);

/// Index of the step to take. Where the cycles of all are known, the fewest, if
/// that is worth what is written (worthOf); else the least cost. The first of
/// those that are equal.
size_t bestStep(const SharedSpill &Plan);

/// The gain that there has to be for what a plan or a step moves: MinGain, and
/// half of it for the pragma, which is one line.
template <typename Choice> double worthOf(const Choice &Of, double MinGain) {
  return Of.Pragma ? MinGain / 2 : Of.MovedRegisters != 0 ? MinGain : 0;
}

} // namespace catt

#endif
