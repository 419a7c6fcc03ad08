//===- Tasks.h - What is to be done with each file --------- -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Options, .catt files --> one Task for each file
//
// What the command line leaves open, the nearest .catt file says; what that
// leaves open, the machine (its GPU) or a default does.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATTREWRITE_TASKS_H
#define CATT_TOOL_CATTREWRITE_TASKS_H

#include "Gpu.h"
#include "Options.h"

namespace catt {

struct Task {
  std::string File; ///< as given
  Options O;        ///< with the file's configuration
  ChosenGpu Gpu;
};

/// The tasks in the order of the command line. Error: a configuration file that
/// cannot be used, with its line.
llvm::Expected<std::vector<Task>> planTasks(const Options &O);

/// For --dump-config: the settings of the first file, or of one that would
/// stand in the working directory, as a .catt file.
llvm::Expected<std::string> describeConfig(const Options &O);

} // namespace catt

#endif
