//===- RowText.h - Trips, ends and elements of a row, as text ---*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for (int j = m - 1; j >= 0; --j)       tripsFrom(j)   j + 1
//     s += A[i * m + j];                   lastOf()       0
//                                          at(reference, k)  A[i * m + k]
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_ROWTEXT_H
#define CATT_TRANSFORMS_ROWTEXT_H

#include "analysis/model/RowLoop.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace catt {

/// The elements that are left from a value of the iterator on; where the step
/// is 1, so many iterations.
std::string tripsFrom(const RowWalk &L, const std::string &First);

/// From a value of the iterator on, up to the last one that the last iteration
/// loads.
std::string elementsFrom(const RowWalk &L, const RowRead &R,
                         const std::string &First);

/// The loop runs another iteration with this value of its iterator.
std::string runsAt(const RowWalk &L, const std::string &Value);
std::string runsOn(const RowWalk &L);

/// Its last value, or one behind that.
std::string lastOf(const RowWalk &L);

/// The reference with another value of the iterator: "A[i * m + 0]".
std::string at(const RowWalk &L, const std::string &Reference,
               const std::string &Value);

/// "&A[i * m + j]" and "p", of "*p".
std::string addressOf(llvm::StringRef Place);

/// "&A[i * m + 0], &A[i * m + (m - 1)]": the elements of the first and of the
/// last iteration.
std::string endsOf(const RowWalk &L, const RowPlace &Place, unsigned Halo = 0);

} // namespace catt

#endif
