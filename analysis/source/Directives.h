//===- Directives.h - What comments tell the tool -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   // catt: off ... // catt: on       nothing between is rewritten
//   // NOLINT, NOLINT(catt-*)          this line; NOLINTNEXTLINE, BEGIN, END
//   too
//   // catt: launch(grid=320, block=32x8, shared=4096)    above a kernel
//
// Reads text only. A launch comment that cannot be understood is a diagnostic,
// not a guess.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_DIRECTIVES_H
#define CATT_ANALYSIS_SOURCE_DIRECTIVES_H

#include "analysis/model/Launch.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <utility>
#include <vector>

namespace catt {

/// "320", "320x4", "32x8x1"; missing extents are 1. Error: one sentence.
llvm::Expected<Shape> parseShape(llvm::StringRef Text);

/// The inside of launch(...): grid=, block=, shared=, any order; block is
/// required.
llvm::Expected<Launch> parseLaunchComment(llvm::StringRef Text);

class Directives {
public:
  Directives(llvm::StringRef File, llvm::StringRef Text);

  /// True if the line (from 1) is switched off.
  bool suppressed(unsigned Line) const;
  /// Launch comments in the comment lines directly above a line, and on it.
  std::vector<Launch> launchesAbove(unsigned Line) const;
  /// Launch comments that make no sense: where, and why.
  const std::vector<std::pair<Location, std::string>> &problems() const {
    return Problems;
  }

private:
  void readLine(llvm::StringRef Line, unsigned Number);

  std::string File;
  std::vector<bool> Off;         ///< by line
  std::vector<bool> CommentLine; ///< only a comment, or template <...>
  std::vector<std::pair<unsigned, Launch>> Launches; ///< by line
  std::vector<std::pair<Location, std::string>> Problems;
  bool InOff = false, InNoLint = false, NextOff = false;
};

} // namespace catt

#endif
