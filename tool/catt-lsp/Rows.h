//===- Rows.h - Rows in tiles, for people -------------------- -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   A[i * 4096 + j]: 8 bytes each, lanes 32,768 bytes apart; # is one load
//            as written: 32 lines   rows together: 2 lines
//   lane  0  #...............       ################
//   lane  1  #...............       ################
//    ...
//   lane 31  #...............       ................
//            128 bytes of each row; a cache line has 128
//
// What stands in the title of an action, and in the hover of a loop. How far
// lanes are apart is known where the plan without tiles says it.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATTLSP_ROWS_H
#define CATT_TOOL_CATTLSP_ROWS_H

#include "Features.h"

namespace catt {

/// The kernel with the plan that it would have without tiles, if it has tiles.
const KernelReport *withoutTiles(const Snapshot &S, const KernelReport &K);

/// The version of the loop that has tiles; nullptr: it has none.
const LoopVersion *tiledVersion(const KernelReport &K, unsigned Loop);

/// "1 line per load instead of 32"
std::string linesText(const Snapshot &S, const KernelReport &K,
                      const LoopVersion &V);

/// The picture above, for one row of the loop: at most 8 lines.
std::string rowsPicture(const Snapshot &S, const KernelReport &K,
                        const LoopVersion &V);

} // namespace catt

#endif
