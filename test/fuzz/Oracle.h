//===- Oracle.h - Predicted lines are the lines touched ----------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_FUZZ_ORACLE_H
#define CATT_TEST_FUZZ_ORACLE_H

#include "analysis/model/Kernel.h"
#include "tool/executor/Executor.h"
#include <map>
#include <string>
#include <vector>

namespace catt::fuzz {

/// What was looked at, by name: so that a property that never applies shows.
using Counts = std::map<std::string, uint64_t>;

/// A launch whose accesses were traced, and what its arguments were.
struct TracedLaunch {
  simt::Dim Grid, Block;
  std::map<std::string, int64_t> Integers; ///< by parameter
  std::map<std::string, uint64_t> Buffers; ///< first bytes, by parameter
};

/// Compares footprints and offsets with the trace of a launch. Returns what
/// differs, empty if nothing does.
std::vector<std::string> compareWithTrace(const Kernel &Source,
                                          const TracedLaunch &Launch,
                                          const simt::Result &Run,
                                          Counts &Seen);

} // namespace catt::fuzz

#endif
