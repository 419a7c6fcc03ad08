//===- Text.cpp - Positions of editors and of compilers -------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Text.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace catt {

/// UTF-16 units of the character whose first byte this is; 0 inside one.
static unsigned units(char Byte) {
  auto B = static_cast<unsigned char>(Byte);
  if ((B & 0xC0) == 0x80)
    return 0;
  return B >= 0xF0 ? 2 : 1;
}

static unsigned units(StringRef Text) {
  unsigned N = 0;
  for (char C : Text)
    N += units(C);
  return N;
}

TextPositions::TextPositions(StringRef Text) : Text(Text), Starts{0} {
  for (unsigned I = 0; I < Text.size(); ++I)
    if (Text[I] == '\n' ||
        (Text[I] == '\r' && (I + 1 == Text.size() || Text[I + 1] != '\n')))
      Starts.push_back(I + 1);
}

StringRef TextPositions::line(unsigned Index) const {
  size_t End = Index + 1 < Starts.size() ? Starts[Index + 1] : Text.size();
  return Text.slice(Starts[Index], End).rtrim("\r\n");
}

lsp::Position TextPositions::at(unsigned Offset) const {
  Offset = std::min<size_t>(Offset, Text.size());
  auto Next = llvm::upper_bound(Starts, Offset);
  unsigned Line = std::distance(Starts.begin(), Next) - 1;
  return {static_cast<int>(Line),
          static_cast<int>(units(Text.slice(Starts[Line], Offset)))};
}

lsp::Position TextPositions::at(unsigned Line, unsigned Column) const {
  if (Line == 0)
    return {0, 0};
  unsigned Index = std::min<size_t>(Line, Starts.size()) - 1;
  StringRef Before = line(Index).take_front(Column ? Column - 1 : 0);
  return {static_cast<int>(Index), static_cast<int>(units(Before))};
}

unsigned TextPositions::offset(lsp::Position P) const {
  if (P.line < 0)
    return 0;
  if (static_cast<size_t>(P.line) >= Starts.size())
    return Text.size();
  StringRef Line = line(P.line);
  unsigned Left = std::max(P.character, 0);
  size_t I = 0;
  while (I < Line.size() && Left >= std::max(units(Line[I]), 1U)) {
    Left -= units(Line[I]);
    do
      ++I;
    while (I < Line.size() && units(Line[I]) == 0);
  }
  return Starts[P.line] + I;
}

lsp::Position TextPositions::endOfLine(unsigned Line) const {
  unsigned Index = std::clamp<size_t>(Line, 1, Starts.size()) - 1;
  return {static_cast<int>(Index), static_cast<int>(units(line(Index)))};
}

lsp::Range TextPositions::range(unsigned Begin, unsigned End) const {
  return {at(Begin), at(End)};
}

bool applyChange(std::string &Text,
                 const lsp::TextDocumentContentChangeEvent &Change) {
  if (!Change.range) {
    Text = Change.text;
    return true;
  }
  TextPositions Positions(Text);
  unsigned Begin = Positions.offset(Change.range->start);
  unsigned End = Positions.offset(Change.range->end);
  if (End < Begin)
    return false;
  Text.replace(Begin, End - Begin, Change.text);
  return true;
}

} // namespace catt
