//===- Waits.h - Loops that wait for another thread -------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   while (peek(flag) == 0) {}          waits: the exit reads memory
//   for (k = r[i]; k < r[i + 1]; ++k)   ends by itself: k alone moves
//     if (c[k] >= u) break;             never reads one place twice
//
// A loop waits if its exit can depend on memory that another thread may write.
// The opposite is proved: whatever decides an exit is computed from constants,
// parameters, the thread index, memory that is read-only for the launch, and
// local variables whose every assignment in the loop is of that kind, under
// conditions of that kind. Two other kinds of plain loads are harmless:
//
//  (a) in `i < bound`, where i changes by a step of one sign alone, once in
//      each iteration, towards the bound: the loop ends by itself;
//  (b) at an address that moves with such an i: c[k], c[k + 3], c[4 * k].
//
// Volatile, atomic and asm reads, and those of __ldcg and the like, never are.
//
// Limits: what a called function reads is not followed to its address, so that
// (b) fails through helpers; `c[i * n + k]` with an i that the same loop
// changes, a binary search, a linked list, and a loop around atomicCAS
// count as waits.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SAFETY_WAITS_H
#define CATT_ANALYSIS_SOURCE_SAFETY_WAITS_H

#include "analysis/source/safety/Reach.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace catt {

/// What a call of a function brings into an expression.
struct CallFacts {
  MemoryReads Reads = MemoryReads::Polled;
  bool CastsAwayConst = true;
};
using CallFactsOf = llvm::function_ref<CallFacts(const clang::FunctionDecl *)>;

struct Wait {
  const clang::Stmt *Loop = nullptr;
  std::string Text; ///< "the exit of a loop depends on 'flag[0]'"
};

std::vector<Wait> findWaits(const FunctionBody &Body, CallFactsOf Facts);

/// The same for a function that calls itself, as if it were a loop.
std::optional<Wait> findRecursiveWait(const FunctionBody &Body,
                                      CallFactsOf Facts);

} // namespace catt

#endif
