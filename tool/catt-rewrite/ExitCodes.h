//===- ExitCodes.h - How catt-rewrite ends ------------------- -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATTREWRITE_EXITCODES_H
#define CATT_TOOL_CATTREWRITE_EXITCODES_H

namespace catt {

/// Exit codes, part of the interface (docs/command-line.md). Of several files
/// the largest code wins.
enum ExitCode : int {
  ExitFine = 0,    ///< done
  ExitPending = 1, ///< --diff, --error-on-findings, --gate: found something
  ExitUsage = 2,   ///< the command line makes no sense
  ExitInput = 3,   ///< an input cannot be read or parsed, or cannot be written
  ExitDefect = 4,  ///< a defect of catt-rewrite
};

} // namespace catt

#endif
