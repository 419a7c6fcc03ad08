//===- Processes.h - Other programs, several at a time ----------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   commands --(at most Jobs at a time)--> how each ended, and what it said
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_REGISTERS_PROCESSES_H
#define CATT_ANALYSIS_REGISTERS_PROCESSES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace catt {

/// The path of a program, and its arguments.
using CommandLine = std::vector<std::string>;

/// How a program ended.
struct ProcessResult {
  int Exit = -1;    ///< below 0: it did not end by itself; then see Why
  std::string Said; ///< what it wrote to its output and to its errors
  std::string Why;  ///< that it cannot be run, or was stopped
  std::string error() const; ///< the first line that speaks of an error; or Why
};

/// Runs all commands with no input; results in the order of the commands.
std::vector<ProcessResult> runCommands(llvm::ArrayRef<CommandLine> Commands,
                                       unsigned Jobs, unsigned TimeoutSeconds);

/// A temporary file that goes away with its owner.
class TemporaryFile {
public:
  /// Error: it cannot be made, or not be written.
  static llvm::Expected<TemporaryFile> create(llvm::StringRef Suffix,
                                              llvm::StringRef Text);
  TemporaryFile(TemporaryFile &&Other) noexcept;
  TemporaryFile &operator=(TemporaryFile &&) = delete;
  ~TemporaryFile();
  std::string path() const { return std::string(Path); }
  std::string text() const; ///< what is in it now; empty if it is gone

private:
  TemporaryFile() = default;
  llvm::SmallString<128> Path;
};

} // namespace catt

#endif
