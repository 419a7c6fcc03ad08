//===- RegisterHints.h - Registers of every kernel of a file ---*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   kernels --(capsToAsk)--> caps --(RegisterSource)--> RegisterUse of each
//           --(planRegisters)--> RegisterPlan of each
//           --(planRemat)------> RematPlan of each that shall need fewer
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_REGISTERHINTS_H
#define CATT_ANALYSIS_REGISTERHINTS_H

#include "analysis/plan/RegisterPlan.h"
#include "analysis/plan/RematPlan.h"
#include "analysis/source/CudaFrontEnd.h"
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace catt {

struct KernelReport;
struct Report;

/// What is known of one kernel's machine code.
struct RegisterAnswer {
  RegisterUse Use;
  std::optional<InstructionMix> Mix;
};

/// Kernel::Name -> what is asked, or what is known.
using RegisterCaps = std::map<std::string, std::vector<unsigned>>;
using RegisterAnswers = std::map<std::string, RegisterAnswer>;

/// Answers for the kernels of a file at the caps asked for; kernels that it
/// knows nothing of are left out. Error: nothing can be said of the file.
using RegisterSource = std::function<llvm::Expected<RegisterAnswers>(
    const TranslationUnit &, const RegisterCaps &)>;

struct RegisterHintOptions {
  RegisterSource Ask; ///< empty: registers are not looked at
  Selector How = Selector::Model;
  BoundsForm Form = BoundsForm::LaunchBounds;
  bool Force = false;
  std::optional<int64_t> Target; ///< --target-registers
};

/// Fills in Pressure, Registers, Spill and Remat of each kernel of the report.
/// `Seen` holds the kernels' launches in the source, in the report's order:
/// what a user tells of one launch does not make the others go away. What Ask
/// fails with becomes RegisterProblem.
void hintRegisters(const TranslationUnit &Unit,
                   const RegisterHintOptions &Options,
                   const std::vector<std::vector<Launch>> &Seen,
                   std::optional<double> MinGain, Report &R);

} // namespace catt

#endif
