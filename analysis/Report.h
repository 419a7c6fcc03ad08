//===- Report.h - What is known of one file ---------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_REPORT_H
#define CATT_ANALYSIS_REPORT_H

#include "analysis/Options.h"
#include "analysis/frontend/CudaFrontEnd.h"
#include "analysis/model/Measured.h"
#include "analysis/plan/variant/Variant.h"

namespace catt {

/// One kernel: what it is, what was measured, and the variant that is decided.
struct KernelReport : Variant {
  Kernel Source;
  std::vector<LoopProfile> Profiles; ///< one per loop, in Kernel::Loops' order
  Means May{.Trials = true, .Slices = true}; ///< what no transform refused
  std::optional<RegisterUse> Pressure;       ///< where registers were asked for
  std::vector<Variant> Joint;                ///< tighter points, for a trial
  std::optional<OwnOptions> Own;             ///< go before those of the file
  std::optional<MeasuredChoice> Measured; ///< what they come from, or why not
};

/// All that is known and decided about one file.
struct Report {
  std::string MainFile; ///< absolute path
  Device Gpu;
  std::string GpuOrigin; ///< "--gpu", "nvidia-smi", "default"
  Model Counting = Model::Exact;
  Toolkit Cuda;
  std::vector<std::string> Notes;      ///< of the flag translation
  std::vector<Diagnostic> Diagnostics; ///< of clang
  /// Why nothing can be said of registers, where somebody asked; else empty.
  std::string RegisterProblem;
  std::vector<KernelReport> Kernels; ///< in the order of the source
  /// Text of each file that an edit may touch, by absolute path.
  std::map<std::string, std::string> Texts;
};

} // namespace catt

#endif
