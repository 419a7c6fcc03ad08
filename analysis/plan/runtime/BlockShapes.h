//===- BlockShapes.h - Blocks of a size known at run time -------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   64 threads, in a kernel that reads threadIdx.x:      64x1
//               in one that reads threadIdx.y, too:      8x8 16x4 32x2 64x1
//               and is launched with 32x4 and 32x8:      32x2
//
// What is decided for a number of threads must hold for all these.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_RUNTIME_BLOCKSHAPES_H
#define CATT_ANALYSIS_PLAN_RUNTIME_BLOCKSHAPES_H

#include "analysis/model/Kernel.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace catt {

/// The blocks that are looked at.
class BlockShapes {
public:
  /// Known: what all launches agree to. std::nullopt: something depends on
  /// threadIdx.z or blockDim.z.
  static std::optional<BlockShapes> of(const Kernel &K, const Launch &Known);

  /// What the kernel tests: "blockDim.x" or "blockDim.x * blockDim.y".
  std::string input() const;
  bool isAlongX() const { return Widths.empty(); }
  /// None, if no block looked at has so many.
  std::vector<Shape> withThreads(int64_t Threads) const;

private:
  std::vector<int64_t> Widths; ///< extents along x; empty: all threads
  std::optional<int64_t> Height;
};

/// True if the input of a case is the size of the block.
bool isBlockSize(llvm::StringRef Input);

} // namespace catt

#endif
