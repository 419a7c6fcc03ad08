//===- Measured.h - Kernels whose best variant is known ---------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   measured: - {kernel: rows, variant: sums, gpu: h200, text: 0f3a..., ...}
//     --(same card, same toolkit, same text)--> KernelReport::Own
//     --(another)-----------------------------> KernelReport::Measured says why
//                                               it is not used
//
// A toolkit that is not known, here or where it was measured, is no other one.
//
// Limits: the text is that of the kernel alone. What it calls, its launches and
// the other settings may have changed since.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_OPTIMIZE_MEASURED_H
#define CATT_TOOL_OPTIMIZE_MEASURED_H

#include "tool/optimize/Recipes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace catt {

class Measure;

struct MeasuredOptions {
  std::vector<MeasuredVariant> All;
  /// Who is asked about kernels whose variant goes by registers.
  RegisterSource Registers;
  const Measure *Texts = nullptr; ///< and about texts of theirs
};

/// What an entry says of every kernel of this name that a file of the report
/// defines, without variant, gain, launches and date.
MeasuredVariant measurable(const Report &R, const Kernel &K);

/// A path without links.
using RealPath = llvm::function_ref<std::string(const std::string &)>;

/// Fills in Own and Measured of each kernel that has an entry. OfFile and
/// Transforms: what the others are planned by.
void chooseMeasured(Report &R, const MeasuredOptions &Measured,
                    const AnalysisOptions &OfFile,
                    llvm::ArrayRef<std::string> Transforms, RealPath Real);

} // namespace catt

#endif
