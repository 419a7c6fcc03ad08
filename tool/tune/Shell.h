//===- Shell.h - Commands of the user, with a time limit --------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_TUNE_SHELL_H
#define CATT_TOOL_TUNE_SHELL_H

#include <cstdint>
#include <map>
#include <string>

namespace catt {

struct ShellResult {
  enum class End : uint8_t { Exited, Signal, TimeOut, Interrupted, NotStarted };
  End How = End::NotStarted;
  int Code = 0; ///< exit code, or the signal's number
  double Seconds = 0;
};

struct ShellCommand {
  std::string Line;           ///< for /bin/sh -c
  double LimitSeconds = 0;    ///< then the whole process group is killed
  std::string Output, Errors; ///< files; the same path: both in one
  std::map<std::string, std::string> Environment; ///< beside our own
};

/// Runs a command with no input, in a process group of its own.
ShellResult runShell(const ShellCommand &Command);

/// SIGINT, SIGTERM and SIGHUP stop the running command, and runShell() says
/// Interrupted from then on.
void watchForInterrupts();
bool isInterrupted();

} // namespace catt

#endif
