//===- OptionTable.cpp - What can be said, and where ----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/config/OptionTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace catt {

llvm::ArrayRef<OptionRow> allOptions() {
  static const OptionRow Rows[] = {
#define SETTING(Name, Kind, Value, Default, Help, Set, Take, Print)            \
  {Name, OptionKind::Kind, Value, Default, KnownTo::All, Help},
#define OPTION(Name, Kind, Value, Default, Help)                               \
  {Name, OptionKind::Kind, Value, Default, KnownTo::CommandLine, Help},
#define EDITOR(Name, Kind, Value, Default, Help)                               \
  {Name, OptionKind::Kind, Value, Default, KnownTo::Editor, Help},
#include "tool/config/Options.def"
  };
  return Rows;
}

llvm::StringRef optionName(const OptionRow &Row) {
  return Row.Name == "build-path" ? "p" : Row.Name;
}

std::string editorName(const OptionRow &Row) {
  std::string Snake = Row.Name.str();
  llvm::replace(Snake, '-', '_');
  return llvm::convertToCamelFromSnakeCase(Snake);
}

} // namespace catt
