//===- SettingsOut.h - The best as settings ---------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   TuneResult --> entries of `measured` in the .catt file of each source
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATTTUNE_SETTINGSOUT_H
#define CATT_TOOL_CATTTUNE_SETTINGSOUT_H

#include "tool/tune/Tuner.h"

namespace catt {

/// Before a search, whether its results can be settings. Error: a source holds
/// what catt-rewrite has written, so that the original would not be measured;
/// or a .catt file cannot be read or extended.
llvm::Error checkForSettings(const Options &O);

/// Writes what is known of each kernel into the .catt file that applies to its
/// source, or a new one beside it. Returns a line for each file. Error: a file
/// cannot be read, extended or written; files before it are written.
llvm::Expected<std::string> writeSettings(const TuneResult &R,
                                          const Options &O);

} // namespace catt

#endif
