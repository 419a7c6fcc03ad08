//===- Paths.h - How reports name files and places --------- -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_REPORT_PATHS_H
#define CATT_TOOL_REPORT_PATHS_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace catt {

/// The path relative to Root if it is below it, else as it is.
std::string relativeTo(llvm::StringRef Root, llvm::StringRef Path);

/// A URI reference (RFC 3986): relative for a relative path, file:// for an
/// absolute one; what may not stand in it is percent-encoded.
std::string uriOf(llvm::StringRef Path);

/// A place in a text as people count: lines and columns from 1, a column for
/// each Unicode code point. Bytes that are no UTF-8 count one each.
struct TextPosition {
  unsigned Line = 1, Column = 1;
};
TextPosition positionAt(llvm::StringRef Text, size_t Offset);

/// The same for a line and a column in bytes, both from 1.
TextPosition positionOf(llvm::StringRef Text, unsigned Line, unsigned Column);

} // namespace catt

#endif
