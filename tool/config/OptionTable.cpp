//===- OptionTable.cpp - What can be said, and where ----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/config/OptionTable.h"
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
  std::string Out;
  bool Upper = false;
  for (char C : Row.Name) {
    if (C != '-')
      Out += Upper ? llvm::toUpper(C) : C;
    Upper = C == '-';
  }
  return Out;
}

} // namespace catt
