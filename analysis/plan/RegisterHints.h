//===- RegisterHints.h - Registers of every kernel of a file ---*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   kernels --(capsToAsk)--> caps --(RegisterSource)--> RegisterUse of each
//           --(registersOf, decide)--> KernelPlan of each
//           --(planRegisters)--> RegisterPlan of each
//           --(decide)---------> KernelPlan under the cap that is chosen
//           --(planRemat)------> RematPlan of each that shall need fewer
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_REGISTERHINTS_H
#define CATT_ANALYSIS_PLAN_REGISTERHINTS_H

#include "analysis/Report.h"
#include <set>

namespace catt {

/// Whether a toolkit has __maxnreg__, as from "12.4" on (CUDA 12.4 release
/// notes). Not known of the built-in declarations: whoever compiles has
/// another.
std::optional<bool> hasMaxnreg(const Toolkit &Cuda);

/// Whether it has the pragma enable_smem_spilling, as from "13.0" on (PTX ISA
/// 9.0).
bool hasSpillPragma(const Toolkit &Cuda);

/// How registers are planned for one kernel of the report.
RegisterOptions registerOptions(const Kernel &K, const Report &R,
                                const AnalysisOptions &Options,
                                const TranslationUnit &Unit);

/// What is known of registers, and of which kernels somebody was asked.
struct RegistersTold {
  RegisterAnswers Answers;
  std::set<std::string> Kernels; ///< Kernel::Name
  bool isAbout(const KernelReport &K) const {
    return Kernels.count(K.Source.Name);
  }
};

/// What the Ask of the file knows of its kernels, and that of a kernel of its
/// own of that one. `Seen` holds the kernels' launches in the source, in the
/// report's order: what a user tells of one launch does not make the others go
/// away. What an Ask fails with becomes RegisterProblem.
RegistersTold askRegisters(const TranslationUnit &Unit,
                           const AnalysisOptions &Options,
                           const std::vector<std::vector<Launch>> &Seen,
                           Report &R);

/// Fills in Pressure, Registers, Spill and Remat of each kernel of the report,
/// whose throttling is decided; under a cap that will be written, it is decided
/// again.
void hintRegisters(const TranslationUnit &Unit, const AnalysisOptions &Options,
                   const std::vector<std::vector<Launch>> &Seen,
                   const RegisterAnswers &Known, Report &R);

} // namespace catt

#endif
