//===- RowReads.h - The rows that a loop loads ------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for (int j = 0; j < m; ++j)      A[i * m + j] and A[i * m + j + 1]:
//     s += A[i * m + j] +            one row, with one element behind the first
//          A[i * m + j + 1];
//
//   for (int c = 0; c < k; ++c)      P[i * d + j]: the same row for each c,
//     for (int j = 0; j < d; ++j)    with the loop over j as its Walk
//       s += P[i * d + j] * C[c * d + j];
//
// Limits: elements are numbers of 4 or 8 bytes. Whether the row may be loaded
// ahead of a store is RowPlaces' matter.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_VALUES_ROWREADS_H
#define CATT_ANALYSIS_SOURCE_VALUES_ROWREADS_H

#include "analysis/source/values/RowPlaces.h"
#include "clang/AST/Expr.h"

namespace catt {

/// The loop whose iterator walks rows: the loop itself, or one inside.
struct RowWalker {
  const CountedLoop &By;
  int64_t StepSize = 1;
  unsigned Loop = 0;
  std::optional<RowWalk> Inside;
};

/// A load of an element of a row, or a store to one.
struct RowLoad {
  const Access *A = nullptr;
  std::string Type, Text, Base;
  SourceSpan Place;
  RowIndex Index;

  bool isRowOf(const RowLoad &Other) const {
    return Base == Other.Base && Type == Other.Type &&
           Index.Rest == Other.Index.Rest;
  }
};

class RowReads {
public:
  RowReads(const clang::ASTContext &Context, const Kernel &K,
           const RowPlaces &Places, RowLoop &Out)
      : Context(Context), Text(Context), K(K), Places(Places), Out(Out) {}

  /// Adds the rows that every run of a body loads to Out.Reads.
  void find(const clang::Stmt &Body, const RowWalker &Walker);

  /// A number of a row that the iterator walks; none where it is something
  /// else.
  std::optional<RowLoad> loadOf(const clang::ArraySubscriptExpr &E,
                                const RowWalker &Walker, bool Reads = true,
                                bool Writes = false) const;

  /// Numbers whose type can be written anywhere.
  std::optional<std::string> numberOf(const clang::ArraySubscriptExpr &E) const;

  /// In the body of that loop itself; null if there is none.
  const Access *accessOf(const clang::ArraySubscriptExpr &E,
                         const std::string &Written, unsigned Loop, bool Reads,
                         bool Writes) const;

  /// A row of Out.Reads: its first element, and what touches it.
  struct Row {
    RowLoad First;
    std::vector<const Access *> Own;
  };
  Row &rowOf(const RowRead &R) { return Rows.at(&R - Out.Reads.data()); }
  const Row &rowOf(const RowRead &R) const {
    return Rows.at(&R - Out.Reads.data());
  }
  RowRead &add(const RowLoad &First, const RowWalker &Walker);

private:
  bool holds(const RowRead &R, const RowLoad &L, const RowWalker &W) const;
  void addRow(const RowLoad &Of, llvm::ArrayRef<RowLoad> Sorted,
              const RowWalker &Walker, int64_t MostHalo);
  void addPlace(const RowLoad &L, const RowWalker &Walker);

  const clang::ASTContext &Context;
  SourceText Text;
  const Kernel &K;
  const RowPlaces &Places;
  RowLoop &Out;
  std::vector<Row> Rows; ///< of each of RowLoop::Reads
};

} // namespace catt

#endif
