//===- RowText.cpp - Trips, ends and elements of a row, as text -----------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/RowText.h"
#include "analysis/plan/stage/LongRows.h"
#include "transforms/SourceEdit.h"
#include <cstdlib>

using llvm::StringRef;

namespace catt {

/// What can stand before a minus.
static std::string minuend(const std::string &Text) {
  bool Binds = Text.find_first_of("<>&|^?=") == std::string::npos;
  return Binds ? Text : "(" + Text + ")";
}

/// " + 1", " - 3" or nothing.
static std::string plus(int64_t More) {
  if (!More)
    return "";
  return (More > 0 ? " + " : " - ") + std::to_string(std::abs(More));
}

/// How far it is from a value of the iterator to the limit, and so much more.
static std::string wayFrom(const RowWalk &L, const std::string &First,
                           int64_t More) {
  const std::string &Far = L.IsDown ? First : L.Limit,
                    &Near = L.IsDown ? L.Limit : First;
  const std::string End = plus(More - L.Ahead);
  if (Near == "0")
    return End.empty() ? Far : minuend(Far) + End;
  return minuend(Far) + " - " + termOf(Near) + End;
}

std::string tripsFrom(const RowWalk &L, const std::string &First) {
  return wayFrom(L, First, L.Reaches ? 1 : 0);
}

std::string elementsFrom(const RowWalk &L, const RowRead &R,
                         const std::string &First) {
  const int64_t StepElements = L.StepSize * R.Stride;
  if (StepElements == 1)
    return tripsFrom(L, First) + plus(R.Halo);
  const std::string By = " * " + std::to_string(StepElements);
  if (L.StepSize == 1)
    return "(" + tripsFrom(L, First) + ")" + By +
           plus(int64_t(R.Halo) + 1 - StepElements);
  return "(" + wayFrom(L, First, L.Reaches ? 0 : -1) + ") / " +
         std::to_string(L.StepSize) + By + plus(int64_t(R.Halo) + 1);
}

std::string runsAt(const RowWalk &L, const std::string &Value) {
  return Value + plus(L.Ahead) + (L.IsDown ? " >" : " <") +
         (L.Reaches ? "= " : " ") + L.Limit;
}

std::string runsOn(const RowWalk &L) { return runsAt(L, L.Iterator); }

std::string lastOf(const RowWalk &L) {
  int64_t Limit = 0;
  const int64_t Behind = L.Reaches ? 0 : L.IsDown ? 1 : -1;
  if (!StringRef(L.Limit).getAsInteger(10, Limit))
    return L.Reaches && !L.Ahead ? L.Limit
                                 : std::to_string(Limit + Behind - L.Ahead);
  const std::string More = plus(Behind - L.Ahead);
  return More.empty() ? L.Limit : minuend(L.Limit) + More;
}

std::string at(const RowWalk &L, const std::string &Reference,
               const std::string &Value) {
  std::string Out;
  unsigned At = 0;
  forEachToken(Reference, 0,
               [&](const clang::Token &T, unsigned Begin, unsigned End) {
                 bool Is = T.is(clang::tok::raw_identifier) &&
                           StringRef(Reference).slice(Begin, End) == L.Iterator;
                 if (Is) {
                   Out += Reference.substr(At, Begin - At) + termOf(Value);
                   At = End;
                 }
                 return true;
               });
  return Out + Reference.substr(At);
}

std::string addressOf(StringRef Place) {
  return Place.consume_front("*") ? Place.str() : "&" + Place.str();
}

std::string endsOf(const RowWalk &L, const RowPlace &Place, unsigned Halo) {
  const std::string Here = addressOf(Place.Text);
  if (!Place.Moves)
    return Here + ", " + Here;
  if (Place.IsMover)
    return Here + ", " + Here + " + " +
           termOf(wayFrom(L, L.Start, L.Reaches ? 0 : -1));
  const std::string More = plus(Halo);
  return addressOf(at(L, Place.Text, L.Start)) + (L.IsDown ? More : "") + ", " +
         addressOf(at(L, Place.Text, lastOf(L))) + (L.IsDown ? "" : More);
}

} // namespace catt
