//===- Launch.h - Launches as the program shows them ------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_MODEL_LAUNCH_H
#define CATT_ANALYSIS_MODEL_LAUNCH_H

#include "analysis/model/Location.h"
#include "analysis/model/Origin.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace catt {

/// Extents of a block or grid; what is not known stays empty.
struct Shape {
  std::optional<int64_t> X, Y, Z;
  /// The product, if all three are known.
  std::optional<int64_t> count() const {
    if (!X || !Y || !Z)
      return std::nullopt;
    return *X * *Y * *Z;
  }
};

/// The text of a `<<<>>>` launch, for who puts a call into its arguments.
struct LaunchText {
  SourceSpan Config; ///< from "<<<" to behind ">>>"
  SourceSpan Callee; ///< the kernel's name before it, if no macro has it
  /// From the kernel's name to behind the semicolon, if that is a statement and
  /// no macro has a part in it; else empty.
  SourceSpan Alone;
  std::string Kernel;     ///< an expression that names exactly the kernel there
  std::string Obstacle;   ///< why no call can stand there, in words; or empty
  std::string PlainBlock; ///< the block, if it may be read twice; or empty
  std::string PlainGrid;  ///< the grid, likewise
  /// The stream, if it may be read twice; empty where none is given.
  std::optional<std::string> PlainStream;
  /// The bytes of dynamic shared memory, likewise.
  std::optional<std::string> PlainShared;
  SourceSpan Grid; ///< where it stands, if no macro has a part in it
  /// What it is launched with, but for the grid, is the same after the launch.
  bool IsSteady = false;
  /// Of the kernel's integer parameters, arguments that may be read twice.
  std::map<std::string, std::string> PlainArguments;
  /// Why running the statement again may do something else than the first time,
  /// or its arguments cannot be written elsewhere; or empty.
  std::string OnlyOnce;
  /// The kernel's arguments as they are written, on one line; empty if OnlyOnce
  /// says why.
  std::vector<std::string> AllArguments;
  /// Where the declaration at file scope begins that holds the launch, and
  /// before it the beginnings of those above, the nearest first.
  std::vector<unsigned> Tops;
};

/// One launch of a kernel that the program (or the user) shows.
struct Launch {
  Location Where; ///< of the launch, or of the comment that tells it
  Origin From = Origin::Proved;
  Shape Grid, Block;
  std::optional<int64_t> DynamicSharedBytes;
  bool Cooperative = false;
  /// In another unit of the program: nothing is changed there.
  bool IsElsewhere = false;
  std::string Text; ///< "<<<grid, 256>>>"
  /// Parameters whose argument folds to a constant at this launch. Of a kernel
  /// that is defined in another unit, by their number from 0 on.
  std::map<std::string, int64_t> Arguments;
  /// For `<<<>>>` in an editable file: the bytes of the third (dynamic shared
  /// memory) configuration argument, empty span at the place where it would be
  /// inserted if absent.
  std::optional<SourceSpan> SharedArgument;
  /// The whole statement that holds the launch, where an edit can put another
  /// statement before it.
  std::optional<SourceSpan> Statement;
  /// The callee as it is spelled: "gesummv<float>".
  std::string Callee;
  /// Absent where no `<<<>>>` stands in an editable file.
  std::optional<LaunchText> Written;
};

} // namespace catt

#endif
