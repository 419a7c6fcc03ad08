//===- Pressure.h - What ptxas will report ----------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   ptx::Function --(lower)--> Code --(Liveness)--> MaxLive, peaks
//                               |
//                               +-(Schedule)--> Features --> registers
//                               |
//                               +-(ColorRegisters)---------> spills per cap
//
// The number of registers that ptxas reports is more than MaxLive of the text:
// it moves loads up while registers are free, and needs some for itself. A
// weighted sum of a few measures of the code says how many; the weights were
// fitted once (test/bench/registers/fit.py). How well that does on kernels that
// it never saw is in docs/registers.md.
//
// Limits: what a called function takes is counted if its body is in the same
// module, and not otherwise.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_REGISTERS_PRESSURE_H
#define CATT_ANALYSIS_REGISTERS_PRESSURE_H

#include "analysis/model/RegisterUse.h"
#include "analysis/registers/Code.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace catt {

/// The name of the variable that the instruction at a place gives a value to,
/// or an empty string.
using NameAt = llvm::function_ref<std::string(const Location &)>;

struct PressureOptions {
  std::vector<unsigned> Caps; ///< to predict spills for
  unsigned Peaks = 3;         ///< places to report, at most
};

/// Measures of the code of one kernel that its registers follow from; all in
/// 32-bit registers except where said.
struct PressureFeatures {
  unsigned MaxLive = 0;     ///< in the order of the text
  unsigned Ordered = 0;     ///< scheduled for few registers
  unsigned Batched = 0;     ///< scheduled for latency, loops unrolled
  unsigned Operations = 0;  ///< a count
  unsigned AcrossCalls = 0; ///< live across a call
  bool Calls = false;
};

PressureFeatures featuresOf(const Code &C);

/// 32-bit registers of one thread that ptxas is expected to report.
unsigned expectedRegisters(const PressureFeatures &F);

/// What is known of kernel F of module M without asking ptxas.
RegisterUse estimateRegisters(const ptx::Module &M, const ptx::Function &F,
                              const PressureOptions &Options, NameAt Name);

} // namespace catt

#endif
