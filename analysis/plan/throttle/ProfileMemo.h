//===- ProfileMemo.h - What was counted for a kernel -------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is planned several times: at the likely registers and at both ends
// of an estimate, and again without what a transform refused. Lines and work of
// a loop follow from the block, the grid and the parameters alone, so that each
// is counted once.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_THROTTLE_PROFILEMEMO_H
#define CATT_ANALYSIS_PLAN_THROTTLE_PROFILEMEMO_H

#include "analysis/memory/Footprint.h"
#include <array>
#include <map>
#include <tuple>

namespace catt {

/// Of one loop under one launch.
struct LoopCounts {
  std::optional<LoopProfile> Profile; ///< without its work; absent: not asked
  std::optional<LoopWork> Work;
  std::string WorkError; ///< why there is no work, once it was asked for
};

/// The counts of one kernel, filled in by those who ask.
class ProfileMemo {
public:
  LoopCounts &at(unsigned Loop, const FootprintOptions &Launch) {
    const Shape &B = Launch.Block, &G = Launch.Grid;
    return Known[{Loop, {B.X, B.Y, B.Z, G.X, G.Y, G.Z}, Launch.Parameters}];
  }

private:
  using Key = std::tuple<unsigned, std::array<std::optional<int64_t>, 6>,
                         std::map<std::string, int64_t>>;
  std::map<Key, LoopCounts> Known;
};

} // namespace catt

#endif
