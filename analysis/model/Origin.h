//===- Origin.h - Where numbers come from -----------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_MODEL_ORIGIN_H
#define CATT_ANALYSIS_MODEL_ORIGIN_H

#include <cstdint>

namespace catt {

constexpr int64_t LineBytes = 128;  ///< L1 cache line, CUDA C++ Best Practices
constexpr int64_t SectorBytes = 32; ///< unit of traffic below L1, ibid.
constexpr int64_t WarpLanes = 32;   ///< threads per warp, all capabilities

/// Where a number comes from.
enum class Origin : uint8_t {
  Proved,    ///< follows from the source
  Estimated, ///< a bound or a model's value
  Measured,  ///< asked of a tool or a device (ptxas, nvidia-smi)
  Told,      ///< by the user: an option or a comment
};

} // namespace catt

#endif
