//===- LoopWork.h - What an iteration asks of the memory -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each reference of the loop is measured alone (Footprint and Reuse of a kernel
// that has only this reference), and the results are added up: a reference that
// is written twice with the same offset is one.
//
// Limits: irregular references count one look-up and one new sector; a trip
// count that is not known counts as 32.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_MEMORY_LOOPWORK_H
#define CATT_ANALYSIS_MEMORY_LOOPWORK_H

#include "analysis/memory/Footprint.h"

namespace catt {

/// One iteration of the loop, for one warp. Error: as profileLoop.
llvm::Expected<LoopWork> loopWork(const Kernel &K, unsigned LoopId,
                                  const FootprintOptions &Options);

} // namespace catt

#endif
