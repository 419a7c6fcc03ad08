//===- Location.h - Places in source files ----------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_MODEL_LOCATION_H
#define CATT_ANALYSIS_MODEL_LOCATION_H

#include <string>

namespace catt {

/// A place in a source file, as compilers print it. Line 0: nowhere.
struct Location {
  std::string File;
  unsigned Line = 0;   ///< from 1
  unsigned Column = 0; ///< from 1, in bytes
  bool valid() const { return Line != 0; }
  bool operator==(const Location &) const = default;
};

/// The lines [First, Last] of a file, counted from 1.
struct LineRange {
  std::string File;
  unsigned First = 0, Last = 0;
};

/// The bytes [Begin, End) of a file.
struct SourceSpan {
  std::string File;
  unsigned Begin = 0, End = 0;
  auto operator<=>(const SourceSpan &) const = default;
};

} // namespace catt

#endif
