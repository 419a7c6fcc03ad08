//===- Paths.cpp - How reports name files and places ---------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Paths.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace catt {

std::string relativeTo(StringRef Root, StringRef Path) {
  StringRef Rest = Path;
  if (!Root.empty() && Rest.consume_front(Root) && Rest.consume_front("/"))
    return Rest.str();
  return Path.str();
}

std::string uriOf(StringRef Path) {
  std::string Uri = sys::path::is_absolute(Path) ? "file://" : "";
  for (char C : Path)
    if (isAlnum(C) || StringRef("/-._~+@").contains(C))
      Uri += C;
    else
      Uri += "%" + toHex(StringRef(&C, 1));
  return Uri;
}

/// The number of code points in a text.
static unsigned codePoints(StringRef Text) {
  unsigned Count = 0;
  while (!Text.empty()) {
    unsigned Bytes = getNumBytesForUTF8(UTF8(Text.front()));
    const auto *Begin = reinterpret_cast<const UTF8 *>(Text.data());
    bool Whole =
        Bytes <= Text.size() && isLegalUTF8Sequence(Begin, Begin + Text.size());
    Text = Text.drop_front(Whole ? Bytes : 1);
    ++Count;
  }
  return Count;
}

TextPosition positionAt(StringRef Text, size_t Offset) {
  StringRef Before = Text.take_front(Offset);
  size_t Break = Before.rfind('\n');
  StringRef Line =
      Break == StringRef::npos ? Before : Before.drop_front(Break + 1);
  return {unsigned(Before.count('\n')) + 1, codePoints(Line) + 1};
}

TextPosition positionOf(StringRef Text, unsigned Line, unsigned Column) {
  for (unsigned Skip = 1; Skip < Line; ++Skip)
    Text = Text.split('\n').second;
  StringRef Bytes = Text.split('\n').first.take_front(Column ? Column - 1 : 0);
  return {Line, codePoints(Bytes) + 1};
}

} // namespace catt
