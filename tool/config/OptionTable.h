//===- OptionTable.h - What can be said, and where --------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Options.def --> OptionRow of each --> --help and the command line's parser
//                                    +--> keys of .catt files (Settings)
//                                    '--> settings of editors
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CONFIG_OPTIONTABLE_H
#define CATT_TOOL_CONFIG_OPTIONTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace catt {

/// What a value is: how the command line takes it, and what YAML has for it.
enum class OptionKind : uint8_t {
  Flag,          ///< true, false; --name alone is true
  Text,          ///< one value
  Path,          ///< of a file or a directory; in a .catt from its own place
  Commas,        ///< names: --name=a,b; a list in a .catt
  Words,         ///< may be repeated; a list in a .catt
  Map,           ///< name=value, may be repeated; a mapping in a .catt
  OptionalWords, ///< may be repeated, and stand without a value
  Joined,        ///< one value, which may be written on: -j4
};

/// Who knows an option.
enum class KnownTo : uint8_t {
  All,         ///< the command line, .catt files and editors
  CommandLine, ///< alone
  Editor,      ///< alone
};

struct OptionRow {
  llvm::StringRef Name; ///< "min-gain"
  OptionKind Kind;
  llvm::StringRef Value;   ///< "percent"; empty: a flag
  llvm::StringRef Default; ///< says the same as nothing; empty: no value does
  KnownTo By;
  llvm::StringRef Help; ///< without a full stop
};

/// In the order of the documentation.
llvm::ArrayRef<OptionRow> allOptions();

/// The name on the command line: that of the row, but for -p, the build-path.
llvm::StringRef optionName(const OptionRow &Row);

/// The name of a setting in an editor: "minGain".
std::string editorName(const OptionRow &Row);

} // namespace catt

#endif
