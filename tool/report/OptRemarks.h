//===- OptRemarks.h - Remarks as compilers write them ------ -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Findings --> LLVM's optimization remarks, as -fsave-optimization-record
//                writes them in YAML
//
// What was done is Passed, a contended loop that stays as it is is Missed,
// everything else is Analysis; the notes of a remark follow it as Analysis. For
// opt-viewer and llvm-remarkutil.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_REPORT_OPTREMARKS_H
#define CATT_TOOL_REPORT_OPTREMARKS_H

#include "Rendering.h"

namespace catt {

/// Paths below Root are written relative to it.
std::string renderOptRemarks(llvm::ArrayRef<FileOutcome> Files,
                             llvm::StringRef Root);

} // namespace catt

#endif
