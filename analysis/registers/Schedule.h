//===- Schedule.h - How many registers a scheduler would take ---*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for (...) sum += A[j];      as PTX:   ld, add, ld, add, ld, add, ld, add
//   unrolled by four            as run:   ld, ld, ld, ld, add, add, add, add
//
// PTX is not in the order in which it runs. ptxas unrolls small loops and moves
// loads up, away from their uses, as long as registers are free; where they are
// not, it moves operations down to where their results are needed. This is a
// list scheduler of one block that does both (Gibbons and Muchnick, "Efficient
// instruction scheduling for a pipelined architecture", 1986, with a limit on
// registers): below the limit the longest path to the end of the block goes
// first, from the limit on whatever frees most.
//
// Limits: nothing moves from block to block, and only loops of one block are
// unrolled.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_REGISTERS_SCHEDULE_H
#define CATT_ANALYSIS_REGISTERS_SCHEDULE_H

#include "analysis/registers/Liveness.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace catt {

struct ScheduleOptions {
  unsigned Limit = 32;   ///< 32-bit registers up to which latency matters
  unsigned Copies = 4;   ///< of the body of a loop of one block
  unsigned MaxBody = 64; ///< operations of a loop that is still unrolled
};

/// 32-bit registers of each block of C, run in such an order.
std::vector<unsigned> scheduledPressure(const Code &C, const Liveness &L,
                                        const ScheduleOptions &Options);

/// The times that one execution of each block waits for loads: a value of one
/// is needed, and all that are under way are waited for together. Fewer loads
/// are under way where fewer registers can receive them (Volkov, "Better
/// performance at lower occupancy", 2010).
std::vector<double>
scheduledWaits(const Code &C, const Liveness &L, const ScheduleOptions &Options,
               llvm::function_ref<bool(const Operation &)> IsLoad);

/// C with each block in the order that the scheduler takes under a limit, where
/// that needs fewer registers than the order that it has.
Code reordered(const Code &C, const Liveness &L, unsigned Limit);

} // namespace catt

#endif
