//===- Liveness.h - What is in registers, and when --------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   v0 =          {v0}            1
//   v1 = v0       {v0, v1}        2
//   v2 = v1       {v0, v2}        2      v1 is read for the last time here:
//   st v0, v2     {}              0      v2 may have its register
//
// A value is live behind an operation if some way from there reads it before
// it is written again. Pressure at an operation is what must be in registers at
// once while it runs: what is live behind it and its own results, or what is
// live before it, whichever is more, and its temporaries on top.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_REGISTERS_LIVENESS_H
#define CATT_ANALYSIS_REGISTERS_LIVENESS_H

#include "analysis/registers/Code.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace catt {

struct Liveness {
  std::vector<llvm::BitVector> In, Out; ///< of each block
};

Liveness computeLiveness(const Code &C);

/// Calls Visit with each operation of block B, last first, and what is live
/// behind it.
void walkBackwards(
    const Code &C, const Liveness &L, unsigned B,
    llvm::function_ref<void(unsigned, const llvm::BitVector &)> Visit);

/// 32-bit registers at each operation of Code, by index.
std::vector<unsigned> pressure(const Code &C, const Liveness &L);

/// The largest pressure; 0 for no operations.
unsigned maxLive(const Code &C);

/// 32-bit registers of a set of values.
unsigned wordsOf(const Code &C, const llvm::BitVector &Set);

} // namespace catt

#endif
