//===- ConfigFile.h - Settings that stay with the code ------- -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   src/gpu/kernel.cu --> src/gpu/.catt, else src/.catt, else ... --> Stated
//
//   gpu: h200                       # as --gpu=h200
//   transforms: [split-warp-groups]
//   assume:
//     n: 4096
//   measured:                       # by catt-tune --settings (MeasuredFile.h)
//     - kernel: gesummv
//       variant: tiles-64
//       ...
//
// One file applies, the nearest above the source; those further up are not
// read. Relative paths in it start at its own directory.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CONFIG_CONFIGFILE_H
#define CATT_TOOL_CONFIG_CONFIGFILE_H

#include "Settings.h"

namespace catt {

struct Config {
  std::string Path; ///< empty: there is none
  Stated Said;
};

/// Whether two entries are of one kernel on one card: a file has one of both.
bool isOfSame(const MeasuredVariant &A, const MeasuredVariant &B);

/// The nearest .catt above an absolute path; empty if there is none.
std::string findConfig(llvm::StringRef AbsoluteFile);

/// Reads a text of the form above; `Path` is what messages name and what
/// relative paths start from. Error: "file:line:column: what is wrong"; an
/// unknown key comes with the known one that is spelled most alike.
llvm::Expected<Config> parseConfig(llvm::StringRef Text, llvm::StringRef Path);

/// Reads a file. Error: as parseConfig, or it cannot be read.
llvm::Expected<Config> readConfig(llvm::StringRef Path);

/// A text that parseConfig reads as the same settings. Paths of measured
/// entries are relative to the directory, if one is given.
std::string dumpConfig(const Stated &Said, llvm::StringRef Directory = "");

/// Finds and reads; remembers what it has read. Not for several threads.
class ConfigFinder {
public:
  /// What applies to a file, by absolute path.
  llvm::Expected<Config> find(llvm::StringRef AbsoluteFile);

private:
  std::map<std::string, Config> Read; ///< by path
};

} // namespace catt

#endif
