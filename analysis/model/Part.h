//===- Part.h - What a variant of a kernel is made of -----------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_MODEL_PART_H
#define CATT_ANALYSIS_MODEL_PART_H

#include <cstdint>

namespace catt {

/// A part of a Variant; for each there is one transform that writes it.
enum class Part : uint8_t {
  Groups,   ///< warps per group, for each loop
  Reserve,  ///< fewer blocks per SM, by shared memory that nobody uses
  Carveout, ///< how an SM divides L1 and shared memory
  Spill,    ///< values that wait in shared memory
  Remat,    ///< values that are computed again
  Bounds,   ///< registers per thread
  Stage,    ///< rows that the warp loads together
  Sums,     ///< accumulators that wait in registers
};

} // namespace catt

#endif
