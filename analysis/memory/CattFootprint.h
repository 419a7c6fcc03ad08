//===- CattFootprint.h - The footprint as the CATT paper prints it -*- C++ -*-//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kim, Hong, Lee, Han: "Compiler-Assisted GPU Thread Throttling for Reduced
// Cache Contention", ICPP 2019, section 4.2:
//
//   (5)  index = C_tid * tid + C_i * i
//   (6)  C_i <= line                    locality exists
//   (7)  REQ_warp = 1 if C_tid = 0, else min(C_tid, 32)
//   (8)  SIZE_req = sum of REQ_warp over the references, times warps per SM
//
// Readings where the print leaves room:
//   C_tid   in elements (figure 1: `A[i * NX + j]` has NX), by magnitude. In
//           blocks of more than one dimension, and where the index is not
//           linear in threadIdx.x, the addresses of a warp's lanes are listed
//           and their distinct lines counted, as the end of 4.2 says.
//   C_i     in bytes, of the loop's own iterator, also for references inside
//           inner loops.
//   (6)     needs a reference that moves: 0 < |C_i| <= 128. A reference with
//           C_i = 0 stays in its line whatever the throttling, so it alone is
//           no reason for it. Only with this reading do BFS and CORR come out
//           as in table 3 at 32 KiB.
//   loops inside  one iteration of the outer loop fetches what the inner loop
//           walks over: REQ_warp times the lines that its iterator crosses.
//           This is why CORR's outer loop "cannot fit" although REQ_warp never
//           exceeds 32 a reference.
//   irregular  C_tid = 1: one request; no C_i, hence no locality.
//   a reference  is counted once however often the loop names it: same base and
//           same offset, or for irregular ones the same text.
//
// Limits: as Footprint.h; parameters without a value make the loop Unknown
// where they are part of C_tid, and no locality where they are part of C_i (a
// stride known only at run time is taken to be longer than a line).
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_MEMORY_CATTFOOTPRINT_H
#define CATT_ANALYSIS_MEMORY_CATTFOOTPRINT_H

#include "analysis/memory/Footprint.h"

namespace catt {

/// One level, the loop itself: LinesPerWarp is the sum of REQ_warp,
/// LinesPerBlock that times the warps of a block, LinesByWarps that times each
/// group size; Reuse is equation 6. Nothing is shared between blocks, and a
/// request counts as one sector.
LoopProfile cattProfile(const Kernel &K, unsigned LoopId,
                        const FootprintOptions &Options);

} // namespace catt

#endif
