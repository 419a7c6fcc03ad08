//===- SlotRanges.cpp - When the slot of a value is in use ----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/spill/SlotRanges.h"
#include "analysis/nest/Nest.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace catt {

/// The last statement inside one, or itself: they follow it in the text.
static unsigned lastInside(const Kernel &K, unsigned Statement) {
  unsigned Last = Statement;
  for (unsigned I = Statement + 1; I < K.Statements.size(); ++I) {
    if (!isStatementInside(K, I, Statement))
      break;
    Last = I;
  }
  return Last;
}

/// The outermost statement around one that is in the scope of a value.
static unsigned outermostInScope(const Kernel &K, const SourceSpan &Scope,
                                 unsigned Statement) {
  unsigned Outermost = Statement;
  for (std::optional<unsigned> S = K.Statements[Statement].Parent; S;
       S = K.Statements[*S].Parent) {
    const SourceSpan &At = K.Statements[*S].Span;
    // What cannot be edited has no span; what is around may be in scope still.
    if (!At.File.empty() && (At.Begin < Scope.Begin || Scope.End < At.End))
      break;
    Outermost = *S;
  }
  return Outermost;
}

/// Adds the statements of the functions that those of a range call.
static void addCalled(const Kernel &K, llvm::BitVector &Range) {
  std::vector<LineRange> Called;
  for (unsigned S : Range.set_bits())
    llvm::append_range(Called, K.Statements[S].Calls);
  for (unsigned S = 0; S < K.Statements.size(); ++S) {
    const Location &At = K.Statements[S].Where;
    if (K.Statements[S].Function != 0 &&
        llvm::any_of(Called, [&](const LineRange &R) {
          return R.File == At.File && R.First <= At.Line && At.Line <= R.Last;
        }))
      Range.set(S);
  }
}

llvm::BitVector slotRange(const Kernel &K, const MovableValue &M) {
  unsigned First = K.Statements.size(), Last = 0;
  for (const SpillPoint &P : M.Points) {
    unsigned S =
        M.Around ? P.Statement
                 : outermostInScope(K, K.Values[M.Value].Scope, P.Statement);
    First = std::min(First, S);
    Last = std::max(Last, lastInside(K, S));
  }
  llvm::BitVector Range(K.Statements.size());
  if (First <= Last)
    Range.set(First, Last + 1);
  addCalled(K, Range);
  return Range;
}

} // namespace catt
