//===- RowLoop.h - A loop in which each lane walks a row --------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for (int j = 0; j < m; ++j)        Init "int j = 0;"  Start "0"  Limit "m"
//     s += A[i * m + j] * x[j];        Reads: A[i * m + j], x[j]
//
// A loop whose iterations can be run in tiles, with the elements that a tile
// reads fetched before it. All texts are as written.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_MODEL_ROWLOOP_H
#define CATT_ANALYSIS_MODEL_ROWLOOP_H

#include "analysis/model/Location.h"
#include "analysis/model/Refusal.h"
#include <optional>
#include <string>
#include <vector>

namespace catt {

/// What the loop stores: at one place, or one element further each time.
struct RowStore {
  std::string Text; ///< "y[i]"
  bool Walks = false;
};

/// A reference that every iteration reads, one element further each time.
struct RowRead {
  size_t Access = 0;              ///< index in Kernel::Accesses
  std::vector<SourceSpan> Places; ///< in the body, ascending
  std::string Text;               ///< "A[i * m + j]"
  std::string Type;               ///< of an element: "float"
  unsigned ElementBytes = 0;
  /// Of RowLoop::Stores: it may only be read ahead if these are elsewhere.
  std::vector<unsigned> Apart;
  std::optional<Refusal> Why; ///< why it may not be read ahead, if so
};

struct RowLoop {
  unsigned Loop = 0; ///< Loop::Id
  SourceSpan Span;   ///< of the whole loop
  bool OwnLines = true;
  std::string Init;     ///< "int j = 0;", with its semicolon
  std::string Iterator; ///< "j"
  std::string Start;    ///< its first value
  std::string Limit;    ///< it runs while it is less
  std::string Step;     ///< "++j"
  SourceSpan Body;
  std::vector<RowRead> Reads;
  std::vector<RowStore> Stores; ///< to global memory, as far as they are plain
  /// Why it cannot run in tiles. Empty: it can.
  std::vector<Refusal> Refusals;
};

} // namespace catt

#endif
