//===- Gate.h - Did a kernel get worse? ----------------------- -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Baseline of then, Baseline of now --compare--> GateFindings --> text, exit
//   1
//
// Worse is a kernel that
//   - spills more,
//   - has fewer blocks on an SM because it takes more registers or more shared
//     memory.
// What takes more and costs no block, what is new, gone or better, is a note.
//
// Where no launch says the size of a block, 128, 256, 512 and 1024 threads are
// asked about, as far as a block of then could run.
//
// Limits: an architecture whose SM is not known gives no blocks: more registers
// are then a note that says so.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_GATE_GATE_H
#define CATT_TOOL_GATE_GATE_H

#include "tool/gate/Baseline.h"

namespace catt {

enum class GateKind : uint8_t { Worse, Better, Same, New, Gone };

struct GateFinding {
  GateKind Kind;
  KernelKey Kernel;
  std::string Message; ///< "40 registers instead of 32: 6 blocks instead of 8"
  std::string Remedy;  ///< may be empty
};

struct GateResult {
  std::vector<GateFinding> Findings; ///< by kernel, then by architecture
  size_t Compared = 0;               ///< kernels that are in both
  size_t Worse = 0;                  ///< of these
  bool failed() const { return Worse != 0; }
};

GateResult compare(const Baseline &Then, const Baseline &Now);

/// A sentence for each kernel whose known block has not the registers to run:
/// its launch fails, whatever was recorded.
std::vector<std::string> impossibleLaunches(const Baseline &Now);

/// For people; BaselineName is the file's.
std::string renderGate(const GateResult &Result, llvm::StringRef BaselineName);

} // namespace catt

#endif
