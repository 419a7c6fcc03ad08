//===- Options.h - The command line of catt-tune ----------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATTTUNE_OPTIONS_H
#define CATT_TOOL_CATTTUNE_OPTIONS_H

#include "tool/tune/Calibration.h"
#include "tool/tune/Tuner.h"

namespace catt {

enum class TuneOutput : uint8_t { Diff, InPlace, None };

struct TuneCommandLine {
  TuneOptions Tune;
  std::optional<CalibrationOptions> Calibration; ///< then that alone
  TuneOutput Output = TuneOutput::Diff;
  bool Settings = false; ///< --settings
  std::string Export;    ///< --export
  std::string Page;      ///< --page
  bool Quiet = false;
  std::string Answer; ///< of --help and --version: printed, and nothing else
};

/// Error: one sentence.
llvm::Expected<TuneCommandLine> parseTuneOptions(int Argc, const char **Argv);

} // namespace catt

#endif
