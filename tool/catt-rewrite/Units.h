//===- Units.h - What the files of a program launch ------------*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   the files given, with --whole-program also those of compile_commands.json
//     | each parsed once, for its launches alone
//     v
//   Program          for the plan of every file that defines a kernel
//
// Without --whole-program other launches may exist: those that are seen tell
// sizes, and no more; files that define one kernel in several ways are of
// several programs, and tell nothing of it.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATTREWRITE_UNITS_H
#define CATT_TOOL_CATTREWRITE_UNITS_H

#include "Commands.h"
#include "Tasks.h"
#include "analysis/model/Program.h"

namespace catt {

struct Preamble;

struct Units {
  Program Joined;
  /// What a job on a file may be given as JobInput::Earlier, by the name of the
  /// file as given.
  std::map<std::string, std::shared_ptr<const Preamble>> Kept;
  std::vector<std::string> Read; ///< every file that was opened, sorted
};

/// Reads the launches of all units. What cannot be parsed is no error here:
/// with --whole-program a note says that the program is not seen as a whole.
/// Error: a database or a configuration file that cannot be used.
llvm::Expected<Units> readUnits(const Options &O, llvm::ArrayRef<Task> Tasks,
                                CommandFinder &Finder);

} // namespace catt

#endif
