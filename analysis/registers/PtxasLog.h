//===- PtxasLog.h - What a build's ptxas said ----------------- -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   text of `ptxas -v`, alone or inside the output of a build
//     --scanPtxasLog--> entries in their order, up to what does not fit
//     --readPtxasLog--> the same, or an error where something does not fit
//
// A kernel is what stands between these lines, which may have prefixes of make,
// ninja or a container, and CRLF:
//
//   Compiling entry function '_Z1kPf' for 'sm_90'
//   Function properties for _Z1kPf
//       0 bytes stack frame, 24 bytes spill stores, 28 bytes spill loads
//   Used 32 registers, used 1 barriers, 256 bytes smem, 368 bytes cmem[0]
//   Compile time = 3.442 ms                        (CUDA 13)
//   Function properties for f                      (called by it: adds to it)
//       0 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads
//
// `Used` names no kernel. Where two builds wrote at once the lines of two
// kernels are mixed, and no number is taken of either.
//
// Limits: with -rdc=true CUDA 13 ends a function that no kernel owns by its own
// `Compile time` line; older ones do not, and there its spills count for the
// kernel in front of it. So do those of a function whose lines come only after
// all lines of another process's kernel.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_REGISTERS_PTXASLOG_H
#define CATT_ANALYSIS_REGISTERS_PTXASLOG_H

#include "analysis/model/RegisterUse.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace catt {

/// A kernel as ptxas compiled it once.
struct PtxasEntry {
  std::string Symbol;       ///< the mangled name
  std::string Architecture; ///< "sm_90"
  RegisterPoint Point;      ///< without a cap; From is Measured
};

/// Lines that cannot be told to belong to one kernel.
struct PtxasDoubt {
  unsigned Line;    ///< from 1
  std::string What; ///< "the lines of 'a' and 'b' are mixed"
};

struct PtxasLog {
  std::vector<PtxasEntry> Entries; ///< kernels whose lines are complete
  std::optional<PtxasDoubt> Doubt; ///< where reading stopped
};

PtxasLog scanPtxasLog(llvm::StringRef Text);

/// Name is the log's, for people. Error: one sentence, if a line is in doubt or
/// there is no kernel.
llvm::Expected<std::vector<PtxasEntry>> readPtxasLog(llvm::StringRef Text,
                                                     llvm::StringRef Name);

} // namespace catt

#endif
