//===- Verify.h - A program and its rewrite, side by side -------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   sources          --executor, schedules 0, 1, 2--> records, outputs \
//                                                                       equal?
//   sources, edited  --executor, schedules 0, 1, 2--> records, outputs /
//
// or, with the user's commands, on the GPU of this machine: build, run, compare
// the output; then the same for the edited sources.
//
// What runs of the original do not agree on is not compared: memory that an
// order of atomics decides, words such as times.
//
// Limits: files that the program writes are not compared. The executor fuses no
// products and sums; --verify-code compares how nvcc fuses them.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_VERIFY_VERIFY_H
#define CATT_TOOL_VERIFY_VERIFY_H

#include "tool/executor/Compile.h"
#include "tool/tune/Trials.h"
#include "clang/Tooling/Core/Replacement.h"

namespace catt {

/// What came of a comparison.
struct Verification {
  bool Equal = false;
  /// Sentences: what was compared and what was not, or where they differ.
  std::vector<std::string> Said;
};

struct EditedFile {
  std::string Old, New; ///< whole texts
  clang::tooling::Replacements Edits;
};
using EditedFiles = std::map<std::string, EditedFile>; ///< by absolute path

struct VerifyOptions {
  std::vector<simt::Source> Sources; ///< all of the program
  std::string Arguments;             ///< of the program, for a shell
  unsigned Schedules = 3;            ///< orders of threads that are tried
  double LimitSeconds = 600;         ///< of one run
};

/// On the executor. Error: the original cannot be compiled for it, or does not
/// end there, so that there is nothing to compare with.
llvm::Expected<Verification> verifyOnExecutor(const VerifyOptions &O,
                                              const EditedFiles &Files);

/// By the user's own commands. The files hold their old texts when it returns.
/// Error: the original cannot be built or run, or a file cannot be replaced.
llvm::Expected<Verification> verifyByRunning(const TrialOptions &O,
                                             const EditedFiles &Files);

} // namespace catt

#endif
