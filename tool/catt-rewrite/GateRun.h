//===- GateRun.h - --baseline and --gate ---------------------- -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   sources --(their launches)--+
//   --ptx --(ptxas)-------------+
//   --ptxas-log files --> what every kernel takes --+--> --baseline=FILE
//                                                   '--> --gate: compared with
//                                                   it
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATTREWRITE_GATERUN_H
#define CATT_TOOL_CATTREWRITE_GATERUN_H

#include "Options.h"
#include "tool/gate/Baseline.h"

namespace catt {

/// Records or compares; returns the exit code. Of the options, BaselineFile is
/// given. Launches are those of the options and of the sources.
int runGate(const Options &O, const KnownLaunches &Launches);

} // namespace catt

#endif
