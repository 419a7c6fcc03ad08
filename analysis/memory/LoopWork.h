//===- LoopWork.h - What an iteration asks of the memory -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tmp[i] += A[i * n + j] * x[j];       lines  bank turns  sectors new  again
//     A[i * n + j], n = 1024 floats        32       32           4        28
//     A[i * n + j], n = 1025 floats        32        1           4        28
//     x[j]                                  1        1          1/8       ...
//
// Each reference of the loop is measured alone, and the results are added up: a
// reference that is written twice with the same offset is one. What several of
// them touch in one iteration is new, or comes back, once; the rest is touched
// twice. What no loop from this one inwards moves is not lost.
//
// Limits: an irregular reference counts as 32 lines that are new each time; a
// trip count that is not known counts as 32.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_MEMORY_LOOPWORK_H
#define CATT_ANALYSIS_MEMORY_LOOPWORK_H

#include "analysis/memory/Footprint.h"

namespace catt {

/// True if the loop stores where it may load, as far as the compiler knows:
/// loads of later iterations stay behind the store. Indices of one base it
/// compares.
bool holdsBack(const Kernel &K, unsigned LoopId);

/// One iteration of the loop, for one warp. Error: as profileLoop.
llvm::Expected<LoopWork> loopWork(const Kernel &K, unsigned LoopId,
                                  const FootprintOptions &Options);

} // namespace catt

#endif
