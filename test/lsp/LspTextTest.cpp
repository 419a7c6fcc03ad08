//===- LspTextTest.cpp - Positions of editors and of compilers ------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/catt-lsp/Text.h"
#include "gtest/gtest.h"
#include <random>

using namespace catt;
using namespace llvm;

namespace {

// 1 byte and 1 unit, 2 and 1, 3 and 1, 4 and 2.
const std::string Wide = "a\u00e9\u4e2d\U0001f600z";

TEST(LspText, CountsUtf16Units) {
  TextPositions P(Wide);
  EXPECT_EQ(P.at(0), lsp::Position(0, 0));
  EXPECT_EQ(P.at(1), lsp::Position(0, 1));
  EXPECT_EQ(P.at(3), lsp::Position(0, 2));
  EXPECT_EQ(P.at(6), lsp::Position(0, 3));
  EXPECT_EQ(P.at(10), lsp::Position(0, 5));
  EXPECT_EQ(P.at(11), lsp::Position(0, 6));
}

TEST(LspText, FindsBytes) {
  TextPositions P(Wide);
  for (unsigned Offset : {0, 1, 3, 6, 10, 11})
    EXPECT_EQ(P.offset(P.at(Offset)), Offset);
  // Between the two units of one character: the character's first byte.
  EXPECT_EQ(P.offset({0, 4}), 6U);
}

TEST(LspText, TakesColumnsOfCompilers) {
  std::string Text = "x\n" + Wide + "\n";
  TextPositions P(Text);
  EXPECT_EQ(P.at(2, 1), lsp::Position(1, 0));
  EXPECT_EQ(P.at(2, 11), lsp::Position(1, 5));
  EXPECT_EQ(P.at(2, 4711), lsp::Position(1, 6));
  EXPECT_EQ(P.endOfLine(2), lsp::Position(1, 6));
  EXPECT_EQ(P.at(0, 0), lsp::Position(0, 0));
}

TEST(LspText, KnowsEveryLineEnd) {
  TextPositions P("a\r\nb\rc\nd");
  EXPECT_EQ(P.at(3), lsp::Position(1, 0));
  EXPECT_EQ(P.at(5), lsp::Position(2, 0));
  EXPECT_EQ(P.at(7), lsp::Position(3, 0));
  EXPECT_EQ(P.endOfLine(1), lsp::Position(0, 1));
  EXPECT_EQ(P.offset({0, 99}), 1U);
}

TEST(LspText, StaysInsideTheText) {
  TextPositions P("ab\nc");
  EXPECT_EQ(P.offset({9, 9}), 4U);
  EXPECT_EQ(P.offset({-1, 5}), 0U);
  EXPECT_EQ(P.offset({0, -3}), 0U);
  EXPECT_EQ(P.at(99), lsp::Position(1, 1));
  EXPECT_EQ(P.endOfLine(99), lsp::Position(1, 1));
  TextPositions Empty("");
  EXPECT_EQ(Empty.at(3), lsp::Position(0, 0));
  EXPECT_EQ(Empty.offset({3, 3}), 0U);
  EXPECT_EQ(Empty.at(5, 5), lsp::Position(0, 0));
}

TEST(LspText, BytesThatAreNoUtf8DoNoHarm) {
  std::string Text = "\x80\xff\xf0z";
  TextPositions P(Text);
  for (unsigned I = 0; I <= Text.size(); ++I)
    EXPECT_LE(P.offset(P.at(I)), Text.size());
}

lsp::TextDocumentContentChangeEvent
change(lsp::Position Begin, lsp::Position End, std::string Text) {
  lsp::TextDocumentContentChangeEvent C;
  C.range = lsp::Range(Begin, End);
  C.text = std::move(Text);
  return C;
}

TEST(LspText, AppliesAChangeBehindWideCharacters) {
  std::string Text = Wide + "\n";
  EXPECT_TRUE(applyChange(Text, change({0, 5}, {0, 6}, "y")));
  EXPECT_EQ(Text, "a\u00e9\u4e2d\U0001f600y\n");
  EXPECT_TRUE(applyChange(Text, change({0, 3}, {0, 5}, "")));
  EXPECT_EQ(Text, "a\u00e9\u4e2dy\n");
}

TEST(LspText, ReplacesTheWholeText) {
  std::string Text = "old";
  lsp::TextDocumentContentChangeEvent C;
  C.text = "new";
  EXPECT_TRUE(applyChange(Text, C));
  EXPECT_EQ(Text, "new");
}

TEST(LspText, LeavesABackwardChangeOut) {
  std::string Text = "ab\ncd";
  EXPECT_FALSE(applyChange(Text, change({1, 1}, {0, 1}, "x")));
  EXPECT_EQ(Text, "ab\ncd");
}

// Against a text kept as UTF-32, where every character is one element.
TEST(LspText, AgreesWithAnotherWayToCount) {
  const std::u32string Alphabet = U"a\u00e9\u4e2d\U0001f600\n";
  std::mt19937 Random(22);
  auto Pick = [&](size_t N) { return N ? Random() % N : 0; };
  auto Encode = [](const std::u32string &T) {
    std::string Out;
    for (char32_t C : T)
      if (C < 0x80)
        Out += static_cast<char>(C);
      else if (C < 0x800)
        (Out += static_cast<char>(0xC0 | C >> 6)) +=
            static_cast<char>(0x80 | (C & 63));
      else if (C < 0x10000)
        ((Out += static_cast<char>(0xE0 | C >> 12)) +=
         static_cast<char>(0x80 | (C >> 6 & 63))) +=
            static_cast<char>(0x80 | (C & 63));
      else
        (((Out += static_cast<char>(0xF0 | C >> 18)) +=
          static_cast<char>(0x80 | (C >> 12 & 63))) +=
         static_cast<char>(0x80 | (C >> 6 & 63))) +=
            static_cast<char>(0x80 | (C & 63));
    return Out;
  };
  auto Place = [](const std::u32string &T, size_t At) {
    lsp::Position P;
    for (size_t I = 0; I < At; ++I)
      if (T[I] == U'\n')
        P = {P.line + 1, 0};
      else
        P.character += T[I] >= 0x10000 ? 2 : 1;
    return P;
  };
  std::u32string Model = U"a\n";
  std::string Text = Encode(Model);
  for (int Round = 0; Round < 2000; ++Round) {
    size_t Begin = Pick(Model.size() + 1);
    size_t End = Begin + Pick(std::min<size_t>(Model.size() - Begin, 6) + 1);
    std::u32string New;
    for (size_t N = Pick(6); N; --N)
      New += Alphabet[Pick(Alphabet.size())];
    ASSERT_TRUE(applyChange(
        Text, change(Place(Model, Begin), Place(Model, End), Encode(New))));
    Model.replace(Begin, End - Begin, New);
    ASSERT_EQ(Text, Encode(Model)) << "round " << Round;
  }
}

} // namespace
