//===- Refusal.h - Why something is left alone ------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_MODEL_REFUSAL_H
#define CATT_ANALYSIS_MODEL_REFUSAL_H

#include "analysis/model/Location.h"
#include <cstdint>
#include <string>

namespace catt {

/// Every reason for which something is refused, left alone or warned of. Texts,
/// remedies and the documentation table are in Reasons.h.
enum class Reason : uint8_t {
  // Nothing to do.
  Fits,           ///< the footprint fits in L1
  NoReuse,        ///< no line is used again by a later iteration
  NoLoop,         ///< the kernel has no loop
  NoGlobalAccess, ///< the loop touches no memory that L1 caches
  CoveredByOther, ///< its lines are those of another loop, which is split
  RowsStaged,     ///< its rows go through shared memory
  // Not known.
  UnknownLaunch,      ///< no launch gives the block size
  UnknownStride,      ///< a stride is known only at run time
  UnknownTripCount,   ///< a loop bound is known only at run time
  Irregular,          ///< an index depends on loaded data
  DataDecides,        ///< which threads run it, or how often, is loaded
  TooComplex,         ///< the counting quota ran out
  RegistersEstimated, ///< no assembler confirmed the register numbers
  IndexVaries,        ///< an array index that unrolling does not make constant
  NotCounted,         ///< the loop does not count up to a limit that stays
  NotInstantiated,    ///< a template that this file never instantiates
  // Not worth it.
  NeverResident,     ///< no SM of the GPU can hold a block of the launch
  CannotFit,         ///< even one warp of one block overflows L1
  SmallGain,         ///< predicted gain below the threshold
  Forced,            ///< --force says so
  MeasuredAsWritten, ///< nothing was measured to be faster
  CannotReachTarget, ///< no value can be moved that brings registers down
  TooCostly,         ///< computing it again takes longer than keeping it
  OperandsGone,      ///< what it is computed from would have to be kept
  // Not safe.
  DivergentBarrier,   ///< no statement around the loop is reached by all
  BarrierInside,      ///< __syncthreads or another block-wide wait inside
  WarpsCommunicate,   ///< polling, locks, volatile or atomic loop exits
  LeavesStatement,    ///< return/break/continue/goto out, before sm_70
  EndsEarly,          ///< break or return: what is read ahead may not be there
  JumpInto,           ///< a label inside that a goto outside targets
  InlineAssembly,     ///< asm that is not known to be harmless
  CooperativeLaunch,  ///< launched cooperatively: blocks wait for each other
  ThreadsExitedEarly, ///< some threads returned before, before sm_70
  LaunchedElsewhere,  ///< a launch not in sight may exceed a launch bound
  AddressTaken,       ///< something else may reach the variable
  MayChange,          ///< computed again, it may be another value
  Redefined,          ///< it, or what it is computed from, is assigned again
  MayContract,        ///< computed again, it may be rounded differently
  MayAlias,           ///< what the loop stores may be what it reads
  // Not editable.
  InMacro,              ///< written by a macro
  InSystemHeader,       ///< not the user's file
  OtherFile,            ///< in a header that --header-filter leaves alone
  CalledTwice,          ///< in a device function with several callers
  CalledElsewhere,      ///< in a device function that others may call
  EditsOverlap,         ///< another change of this run is in the same text
  InstantiationsDiffer, ///< instantiations of one template want different edits
  Suppressed,           ///< catt: off or NOLINT
  AlreadyRewritten,     ///< carries this tool's marker
  NotSelected,          ///< the transform that would do it was not chosen
  LaunchNotEditable,    ///< the launch cannot be edited, or is not visible
  CannotTry,            ///< a launch cannot choose between two kernels
  CannotSlice,          ///< a launch cannot run in parts of its grid
  BoundsExist,          ///< the kernel has launch bounds of its own
  ToolkitTooOld,        ///< the toolkit lacks what would be written
  NotEnoughShared,      ///< shared memory left is too small to reserve
  NotEnoughRegisters,   ///< a block may not have those of a longer kernel
  BrokenCode,           ///< an error in the kernel's own code
  LoopDeclaresResult,   ///< a declaration stops the statement being wrapped
  TypeNotPlain,         ///< no arithmetic, pointer or CUDA vector type
  ConstObject,          ///< a const object cannot be loaded back
  HeaderVariable,       ///< declared or assigned in the head of a statement
  // Warnings: nothing is refused, but something is not as the source has it.
  BoundSpills,     ///< a register bound is met only by spilling
  BoundNotReached, ///< a bound asks for more blocks than fit on an SM
  MayNotLaunch,    ///< a launch asks for more registers than an SM has
  OccupancyUnused, ///< the result of the occupancy calculator is not read
};

/// A refusal is a result: what, where, and the names that the text needs.
struct Refusal {
  Reason Kind;
  Location Where;
  std::string Detail; ///< "the macro FOR_EACH", "the call to __syncthreads()"
  bool operator==(const Refusal &) const = default;
};

} // namespace catt

#endif
