//===- Analysis.h - What is true of a program -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one entry to the analysis; docs/design.md draws the way through it.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_ANALYSIS_H
#define CATT_ANALYSIS_ANALYSIS_H

#include "analysis/Report.h"
#include "llvm/Support/Error.h"

namespace catt {

/// Analyses every kernel of the file. Error: only a defect of this tool;
/// whatever is wrong with the input is in the report.
llvm::Expected<Report> analyze(const TranslationUnit &Unit,
                               const AnalysisOptions &Options);

} // namespace catt

#endif
