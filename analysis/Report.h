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
#include "analysis/plan/occupancy/RegisterPlan.h"
#include "analysis/plan/remat/RematPlan.h"
#include "analysis/plan/spill/JointPlan.h"

namespace catt {

/// One kernel: what it is, what was measured, what is decided.
struct KernelReport {
  Kernel Source;
  std::vector<LoopProfile> Profiles; ///< one per loop, in Kernel::Loops' order
  KernelPlan Plan;
  Means May;                             ///< what no transform refused
  std::optional<RegisterUse> Pressure;   ///< where registers were asked for
  std::optional<RegisterPlan> Registers; ///< and a launch says enough
  std::optional<SharedSpill> Spill; ///< where registers are met by spilling
  std::vector<JointPlan> Joint;     ///< tighter points, for a trial
  std::optional<RematPlan> Remat;   ///< or by computing values again
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
