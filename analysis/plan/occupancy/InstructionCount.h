//===- InstructionCount.h - What a warp executes ---------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   ld.global %f1    } one wait for two loads     OffChip 2, Waits 1
//   ld.global %f2    }
//   add %f3, %f1, %f2                              Compute 1
//
// Static counts, times ten for each loop around (the trip counts of PTX are not
// known, and the selectors look at ratios). A load is waited for where its
// value is first used, together with all that were issued since the last wait:
// once in the order of the text, and once for each number of registers, in the
// order of a scheduler that has no more than these.
// A load is dependent if its address, or whether it is executed, depends on a
// value that was loaded.
//
// Limits: functions with a body of their own count as the call that they are.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_OCCUPANCY_INSTRUCTIONCOUNT_H
#define CATT_ANALYSIS_PLAN_OCCUPANCY_INSTRUCTIONCOUNT_H

#include "analysis/plan/strategies/Selectors.h"
#include "analysis/registers/Ptx.h"

namespace catt {

/// Registers: of one thread, for which WaitsUnder is wanted.
InstructionMix countInstructions(const ptx::Function &F,
                                 llvm::ArrayRef<unsigned> Registers = {});

} // namespace catt

#endif
