//===- Sarif.h - The report for code scanners -------------- -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Findings --> one SARIF 2.1.0 log with one run
//
// Rules are the transforms and the reasons, under the names that remarks show
// in brackets: they do not change from version to version. A loop that
// overflows the L1 data cache is a warning, any other finding a note; the notes
// of a remark are related locations; what the tool did, or would do, is a fix.
// SARIF: OASIS Standard, 27 March 2020, sections 3.14 to 3.57.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_REPORT_SARIF_H
#define CATT_TOOL_REPORT_SARIF_H

#include "Rendering.h"

namespace catt {

/// Paths below Root are written relative to it. Findings that several files
/// share (kernels in a header) come once.
std::string renderSarif(llvm::ArrayRef<FileOutcome> Files,
                        llvm::StringRef Root);

} // namespace catt

#endif
