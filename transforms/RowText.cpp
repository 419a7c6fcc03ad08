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

using llvm::StringRef;

namespace catt {

/// What can stand before a minus.
static std::string minuend(const std::string &Text) {
  bool Binds = Text.find_first_of("<>&|^?=") == std::string::npos;
  return Binds ? Text : "(" + Text + ")";
}

/// How far it is from a value of the iterator to the limit.
static std::string wayFrom(const RowWalk &L, const std::string &First) {
  const std::string &More = L.IsDown ? First : L.Limit,
                    &Less = L.IsDown ? L.Limit : First;
  return Less == "0" ? More : minuend(More) + " - " + termOf(Less);
}

std::string tripsFrom(const RowWalk &L, const std::string &First) {
  return wayFrom(L, First) + (L.Reaches ? " + 1" : "");
}

std::string elementsFrom(const RowWalk &L, const RowRead &R,
                         const std::string &First) {
  if (L.StepSize == 1)
    return tripsFrom(L, First) + (R.Halo ? " + " + std::to_string(R.Halo) : "");
  std::string Step = std::to_string(L.StepSize);
  return "(" + wayFrom(L, First) + (L.Reaches ? "" : " - 1") + ") / " + Step +
         " * " + Step + " + " + std::to_string(R.Halo + 1);
}

std::string runsAt(const RowWalk &L, const std::string &Value) {
  return Value + (L.IsDown ? " >" : " <") + (L.Reaches ? "= " : " ") + L.Limit;
}

std::string runsOn(const RowWalk &L) { return runsAt(L, L.Iterator); }

std::string lastOf(const RowWalk &L) {
  int64_t Limit = 0;
  if (L.Reaches)
    return L.Limit;
  if (!StringRef(L.Limit).getAsInteger(10, Limit))
    return std::to_string(L.IsDown ? Limit + 1 : Limit - 1);
  return minuend(L.Limit) + (L.IsDown ? " + 1" : " - 1");
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

std::string endsOf(const RowWalk &L, const std::string &Text, bool Moves,
                   unsigned Halo) {
  if (!Moves)
    return addressOf(Text) + ", " + addressOf(Text);
  const std::string More = Halo ? " + " + std::to_string(Halo) : "";
  return addressOf(at(L, Text, L.Start)) + (L.IsDown ? More : "") + ", " +
         addressOf(at(L, Text, lastOf(L))) + (L.IsDown ? "" : More);
}

} // namespace catt
