//===- GroupSize.h - Warps per group, or the rule for them ------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   {n >= 8: 4 warps, n >= 32: 2}: 4 warps a group from n = 8 on, 2 from 32 on,
//                                  below the whole block
//   2 warps, only if cattTried:    one kernel with groups, one without
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_GROUPSIZE_H
#define CATT_TRANSFORMS_GROUPSIZE_H

#include "analysis/model/Plan.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace catt {

/// Warps per block that no device exceeds (1024 threads: CUDA C++ Programming
/// Guide, technical specifications). A group of so many is the whole block.
constexpr int64_t WholeBlock = 32;

/// Warps per group: Below, unless a parameter reaches the bound of a case.
struct GroupSize {
  std::vector<RuntimeCase> Cases; ///< ascending
  int64_t Below = WholeBlock;
  /// A constant of the kernel without which all blocks stay whole; empty: none.
  std::string OnlyIf = "";

  explicit GroupSize(const LoopPlan &Plan)
      : Cases(Plan.Cases),
        Below(Plan.Cases.empty() ? Plan.WarpsPerGroup : WholeBlock) {}
  int64_t at(int64_t Value) const;
  int64_t smallest() const;
  /// For two loops at one site: at each value of the parameter the smaller
  /// group of the two. With different parameters, several, or too many cases,
  /// the one that can go lower.
  GroupSize smallerOf(const GroupSize &Other) const;
  /// What the program tests, each once, in the order of the cases.
  std::vector<std::string> inputs() const;
  /// One input, and warps that can be compared from bound to bound.
  bool isSimple() const;
};

} // namespace catt

#endif
