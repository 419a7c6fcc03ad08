//===- Layout.h - Added code in the style of its file ------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Addition --snippet--> a function that holds it, markers and all
//            --clang-format, the file's own style--> its lines
//            --indentation of the place--> what is inserted
//
// Only what is added is formatted, on its own: the time does not depend on the
// size of the file, and no byte that was there is looked at.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_LAYOUT_H
#define CATT_TRANSFORMS_LAYOUT_H

#include "clang/Format/Format.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace catt {

struct Addition;

/// The lines of an addition, indented, without line endings.
struct Lines {
  std::vector<std::string> Open, Close;
};

/// The comment that an addition begins with, less its slashes:
/// "catt: split-warp-groups(2): why".
std::string headOf(llvm::StringRef Transform, const Addition &What,
                   bool WithReason);

/// A style for a file that has none: LLVM's, with the indentation around
/// Offset.
clang::format::FormatStyle surroundingStyle(llvm::StringRef Text,
                                            unsigned Offset);

/// Lays the addition out at a place with this indentation.
Lines layOut(llvm::StringRef Transform, const Addition &What,
             llvm::StringRef Indent, const clang::format::FormatStyle &Style);

/// Declarations of file scope, laid out and indented; no newline at the end.
std::string laidOut(llvm::StringRef Code, llvm::StringRef Indent,
                    const clang::format::FormatStyle &Style);

} // namespace catt

#endif
