//===- Program.h - What the units of a program launch -----------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   kernels.cu: __global__ void k(float *A) {...}     Symbol _Z1kPf
//   main.cu:    __global__ void k(float *A);
//               k<<<40, 256>>>(A);                    its block: 256
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_MODEL_PROGRAM_H
#define CATT_ANALYSIS_MODEL_PROGRAM_H

#include "analysis/model/Launch.h"

namespace catt {

/// Launches by Kernel::Symbol, of kernels that other units can name. Any other
/// use of a kernel is a launch of unknown shape.
using LaunchesBySymbol = std::map<std::string, std::vector<Launch>>;

/// What one unit says of the kernels that other units can name.
struct UnitKernels {
  LaunchesBySymbol Launches;
  std::map<std::string, Location> Defined; ///< where, by Kernel::Symbol
};

/// What is known of the units of a program, joined.
struct Program {
  LaunchesBySymbol Launches;
  /// Every word of the units that are not CUDA, and where it stands first: what
  /// they name they may launch.
  std::map<std::string, Location> NamedIn;
  /// There are no other units: who launches a kernel stands above.
  bool IsWhole = false;
};

} // namespace catt

#endif
