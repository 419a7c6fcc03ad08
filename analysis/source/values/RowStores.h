//===- RowStores.h - Stores to the rows of a loop ---------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   z[i * m + j] = e        *p++ += e        at(i, j) = e
//   P[i * m + j] = Pixel{r, g, b}            all of an object
//
// Limits: a store to a member of an element is none to the element. Objects
// have no padding: an assignment may leave it as it is, and a tile does not.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_VALUES_ROWSTORES_H
#define CATT_ANALYSIS_SOURCE_VALUES_ROWSTORES_H

#include "analysis/source/values/RowReads.h"

namespace catt {

/// An assignment to an element of a row.
struct RowStore {
  RowLoad To;
  SourceSpan Whole;
};

/// The store that a statement of a loop's body in a file is; none if it is
/// something else, or goes elsewhere than to a row.
std::optional<RowStore> rowStoreOf(const clang::Stmt &S, const RowReads &Rows,
                                   const RowWalker &Walker,
                                   const std::string &File);

} // namespace catt

#endif
