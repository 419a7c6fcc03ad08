//===- Part.h - What a variant of a kernel is made of -----------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_MODEL_PART_H
#define CATT_ANALYSIS_MODEL_PART_H

#include <cstdint>

namespace catt {

/// A part of a Variant.
enum class Part : uint8_t {
#define PART(Name, ...) Name,
#include "analysis/model/Parts.def"
};

/// What a plan may be made of.
struct Means {
#define PART(Name, ByDefault) bool Name = ByDefault;
#include "analysis/model/Parts.def"
  bool LaunchTiles = true; ///< tiles that launches have to ask for
  bool Slices = false;     ///< trials within one launch, in parts of its grid
};

/// What decides whether a changed kernel is used.
enum class Decider : uint8_t {
  Model,  ///< when the source is rewritten
  Run,    ///< the program's first launches, by try-launches, where they can
  Slices, ///< likewise, and parts of one launch's grid, where they can
};

/// Whether a part is among the means.
inline bool has(const Means &May, Part P) {
  switch (P) {
#define PART(Name, ...)                                                        \
  case Part::Name:                                                             \
    return May.Name;
#include "analysis/model/Parts.def"
  }
  return false;
}

} // namespace catt

#endif
