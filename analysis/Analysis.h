//===- Analysis.h - What is true of a program -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one entry to the analysis; the picture of the way through is in Types.h.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_ANALYSIS_H
#define CATT_ANALYSIS_ANALYSIS_H

#include "analysis/RegisterHints.h"
#include "analysis/Types.h"
#include "analysis/device/Device.h"
#include "analysis/plan/JointPlan.h"
#include "analysis/source/CudaFrontEnd.h"
#include "llvm/Support/Error.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace catt {

class CountingQuota;

enum class Model : uint8_t {
  Exact, ///< distinct lines, counted by isl (MODEL.md section 4)
  Catt,  ///< the paper's equations 5 to 9, as printed
};

struct AnalysisOptions {
  Device Gpu;
  std::optional<int64_t> L1Bytes; ///< --l1d: instead of what residency leaves
  Model How = Model::Exact;
  std::string KernelGlob = "*"; ///< on Kernel::Name or its unqualified name
  /// --launch: kernel name to launches that the user tells.
  std::map<std::string, std::vector<Launch>> Told;
  /// --assume: values of kernel parameters.
  std::map<std::string, int64_t> Assumed;
  /// --min-gain: smallest predicted gain, 0.05 is 5 %; absent: as each plan has
  /// it by default.
  std::optional<double> MinGain;
  /// --ptxas, --ptx, --selector and what else concerns registers.
  RegisterHintOptions Registers;
  std::vector<ForcedChoice> Forced; ///< --force
  /// Kernels in other files than the main file are reported, and may be edited
  /// if their path matches (extended regular expression; empty: main file
  /// only).
  std::string HeaderFilter;
  /// What counting for one kernel may take, filled in by analyze().
  CountingQuota *Quota = nullptr;
};

/// One kernel: what it is, what was measured, what is decided.
struct KernelReport {
  Kernel Source;
  std::vector<LoopProfile> Profiles; ///< one per loop, in Kernel::Loops' order
  KernelPlan Plan;
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
  Model How = Model::Exact;
  Toolkit Cuda;
  std::vector<std::string> Notes;      ///< of the flag translation
  std::vector<Diagnostic> Diagnostics; ///< of clang
  /// Why nothing can be said of registers, where somebody asked; else empty.
  std::string RegisterProblem;
  std::vector<KernelReport> Kernels; ///< in the order of the source
  /// Text of each file that an edit may touch, by absolute path.
  std::map<std::string, std::string> Texts;
};

/// Analyses every kernel of the file. Error: only a defect of this tool;
/// whatever is wrong with the input is in the report.
llvm::Expected<Report> analyze(const TranslationUnit &Unit,
                               const AnalysisOptions &Options);

} // namespace catt

#endif
