//===- RowLoop.h - A loop in which each lane walks a row --------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for (int j = 0; j < m; ++j)        Init "int j = 0;"  Start "0"  Limit "m"
//     y[i] += A[i * m + j] * x[j];     Reads: A[i * m + j], x[j]; Sums: y[i]
//
//   for (int c = 0; c < k; ++c)        Reads: P[i * d + j], with the Walk
//     for (int j = 0; j < d; ++j)      from "0" to "d"
//       s += P[i * d + j] * C[c * d + j];
//
// A loop whose iterations can be run in tiles, with the elements that a tile
// reads fetched before it, and with its sums in registers. All texts are as
// written.
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

/// An element that the loop reads or stores.
struct RowPlace {
  std::string Text;     ///< "y[i]"
  bool Moves = false;   ///< by the same distance with each iteration
  bool IsMover = false; ///< as a variable does: "*p", "A[at]"
};

/// How a loop walks rows: for (j = Start; j + Ahead < Limit; ++j).
struct RowWalk {
  unsigned Loop = 0;    ///< Loop::Id
  std::string Iterator; ///< "j"
  std::string Start;    ///< its first value
  std::string Limit;    ///< it runs while it is less (IsDown: greater),
  bool Reaches = false; ///< or equal
  int64_t Ahead = 0;    ///< "j + 3 < m"; 0 if IsDown
  int64_t StepSize = 1; ///< by which the iterator grows
  bool IsDown = false;  ///< or falls
  bool operator==(const RowWalk &) const = default;
};

/// References that every iteration reads, each time as far further as the
/// iterator is; of one row, near each other. Or one that every iteration
/// writes, or reads and sometimes writes: the loop touches no other one of that
/// row. Or those of a row that stays, which a loop inside walks in every
/// iteration.
struct RowRead {
  /// Of a row that stays: the loop inside that walks it.
  std::optional<RowWalk> Walk;
  size_t Access = 0;              ///< index in Kernel::Accesses
  std::vector<size_t> Own;        ///< all that touch it: A[i * m + j + 1].x
  std::vector<SourceSpan> Places; ///< in the body, ascending
  std::vector<unsigned> Offsets;  ///< of each place, in elements from Text
  std::string Text;               ///< "A[i * m + j]", the first of the row
  int64_t Stride = 1;             ///< elements from j to j + 1: 2 of "A[2 * j]"
  /// "p" if Text is "*p", "at" if it is "A[at]": a variable that each iteration
  /// moves by one, in one of the Places, as "*p++", or elsewhere.
  std::string Mover;
  bool MovesInPlaces = false;
  bool OnBothSides = false; ///< of a branch: whatever guards the Access
  unsigned Halo = 0;        ///< elements behind Text, up to the last one
  std::string Type;         ///< of an element: "float"
  /// Of an element; of a template's, the most of any instantiation.
  unsigned ElementBytes = 0, Alignment = 0;
  unsigned NarrowBytes = 0; ///< of the narrowest one's; 0: there is one
  bool IsRead = true, IsWritten = false;
  bool IsWrittenSometimes = false; ///< IsWritten, but not by every iteration
  /// Of RowLoop::Places: it may only be read ahead, or written later, if these
  /// are elsewhere.
  std::vector<unsigned> Apart;
  std::optional<Refusal> Why; ///< why it may not, if so
};

/// An element to which every iteration adds and to which nothing else is done.
struct RowSum {
  std::vector<SourceSpan> Places; ///< in the body, ascending
  std::string Text;               ///< "y[i]"
  std::string Type;               ///< "float"
  unsigned Place = 0;             ///< the same of RowLoop::Places
  /// Of RowLoop::Places: it may only wait in a register if these are elsewhere.
  std::vector<unsigned> Apart;
  std::optional<Refusal> Why; ///< why it may not, if so
};

/// A function that can be a template of a flag, which its calls in the kernel's
/// own body give. Offsets in the file of both.
struct FlaggedCallee {
  struct Call {
    unsigned NameEnd = 0; ///< behind its name, or behind the `<`
    bool HasArguments = false;
  };
  unsigned Begin = 0;         ///< of its definition
  unsigned TemplateBegin = 0; ///< behind the `<` if it is a template; else 0
  std::vector<Call> Calls;
  bool IsShared = false; ///< others call it, or the kernel does twice
};

struct RowLoop : RowWalk {
  SourceSpan Span; ///< of the whole loop
  /// Of the function that it stands in: the kernel, or one that it calls, with
  /// one RowLoop for each call. Offsets in its file.
  unsigned Top = 0; ///< of the declaration at file scope that it stands in
  unsigned BodyBegin = 0; ///< behind the brace that opens the body
  bool InCallee = false;
  bool InLambda = false; ///< InCallee, and yet in the kernel's text
  std::optional<FlaggedCallee> Flagged; ///< InCallee: if it can be
  bool OwnLines = true;
  std::string Init; ///< "int j = 0;", with its semicolon
  std::string Step; ///< "++j"
  /// `do ... while`: as it is, an iteration runs even if the condition does not
  /// hold before it.
  bool AtLeastOnce = false;
  SourceSpan Body;
  std::vector<RowRead> Reads;
  std::vector<RowSum> Sums;
  /// What it touches of global memory, where the place is known before it.
  std::vector<RowPlace> Places;
  /// Why it cannot be written in another way. Empty: it can.
  std::vector<Refusal> Refusals;
  std::optional<Refusal> NotInTiles; ///< nor in tiles, because of its text

  bool isShared() const { return Flagged && Flagged->IsShared; }
  bool isTextOf(const RowLoop &Other) const {
    return Span.File == Other.Span.File && Span.Begin == Other.Span.Begin;
  }
};

} // namespace catt

#endif
