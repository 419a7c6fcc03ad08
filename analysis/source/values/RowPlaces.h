//===- RowPlaces.h - What a loop touches besides a row ----------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for (int j = 0; j < m; ++j)        y[i] is known before the loop: that it
//     y[i] += A[i * m + j] * x[j];     lies apart from A[i * m] to
//                                      A[i * m + m - 1] can be compared there
//
// What may not touch a row, or a sum, while the loop runs in another way: by
// what the program says it does not (__restrict__, another address space), or
// by a comparison before the loop, or it is not known.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_VALUES_ROWPLACES_H
#define CATT_ANALYSIS_SOURCE_VALUES_ROWPLACES_H

#include "analysis/model/Kernel.h"
#include "analysis/source/safety/WrapSites.h"
#include "analysis/source/values/CountedLoops.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace catt {

class RowPlaces {
public:
  /// Of a loop whose header is known to Counted.
  RowPlaces(const Kernel &K, const CountedLoop &Counted, RowLoop &Out)
      : K(K), Counted(Counted), Out(Out) {}

  /// Finds the elements that are known before the loop.
  void find(const SourceText &Text);

  /// Index in RowLoop::Places; added if it is not there.
  unsigned add(RowPlace Place);
  /// Index in RowLoop::Places; absent: it is not known before the loop.
  std::optional<unsigned> placeOf(const Access &A) const;

  bool isInLoop(const Access &A) const;

  /// `k<<<...>>>(A)` or `A` of a struct that the launch passes: it points to
  /// global memory.
  bool isPassed(llvm::StringRef Base, bool Restrict = false) const;

  /// What has to be compared with Own before the loop, of the accesses that
  /// matter: Apart, or why it cannot be. Same: what touches the same base can.
  std::optional<Refusal>
  compare(const Access &Own, bool Same, std::vector<unsigned> &Apart,
          llvm::function_ref<bool(const Access &)> Matters) const;

private:
  bool isElsewhere(const Access &A, const Access &Own) const;

  const Kernel &K;
  const CountedLoop &Counted;
  RowLoop &Out;
  struct KnownPlace {
    Location Where;
    std::string Text; ///< as written: "*p++"
    unsigned Index;   ///< of RowLoop::Places
    bool MovesByCall; ///< a function gives it: by how much, the walk tells
  };
  std::vector<KnownPlace> Known;
};

} // namespace catt

#endif
