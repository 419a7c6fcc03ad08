//===- MarkersTest.cpp - Tests of transforms/Markers -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/SourceEdit.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> markers(const std::string &Text) {
  std::vector<std::string> Out;
  for (const Marker &M : findMarkers(Text))
    Out.push_back(Text.substr(M.Begin, M.End - M.Begin));
  return Out;
}

TEST(Markers, PositiveKinds) {
  EXPECT_THAT(markers("// catt: split-warp-groups(2): why\n{ // catt: begin\n"
                      "/* catt: end */ /* catt: done */"),
              ElementsAre("// catt: split-warp-groups(2): why",
                          "// catt: begin", "/* catt: end */",
                          "/* catt: done */"));
}

TEST(Markers, NegativeUserCommentsAndStrings) {
  EXPECT_THAT(markers("// catt: off\n// catt: on\n"
                      "// catt: launch(grid=1, block=2)\n"
                      "// catt: beginning\n// see catt: begin\n"
                      "// catt: split-warp-groups\n// catt: no-such(1)\n"),
              IsEmpty());
  EXPECT_THAT(markers("a = \"// catt: begin\"; b = R\"x(\n// catt: end\n)x\";"),
              IsEmpty());
  EXPECT_THAT(markers("don't; // catt: begin"), IsEmpty()); // in a literal
}

TEST(Markers, PositiveHashes) {
  EXPECT_THAT(markers("// catt: no-such(1)\nx; // catt: done 3f2a1c\n"),
              ElementsAre("// catt: no-such(1)", "// catt: done 3f2a1c"));
  EXPECT_THAT(
      markers("/* catt: begin 000000 */ /*catt:done\n * 99ffaa */"),
      ElementsAre("/* catt: begin 000000 */", "/*catt:done\n * 99ffaa */"));
}

TEST(Markers, PositiveBrokenByAFormatter) {
  EXPECT_THAT(
      markers("{ // catt: begin\n  // 3f2a1c\n} // catt:\n // done "
              "3f2a1c\n"),
      ElementsAre("// catt: begin\n  // 3f2a1c", "// catt:\n // done 3f2a1c"));
}

TEST(Markers, PositiveBrokenAtEveryWord) {
  EXPECT_THAT(
      markers("// catt:\n// x(1): why\n{ // catt:\n// done\n// 3f2a1c"),
      ElementsAre("// catt:\n// x(1): why", "// catt:\n// done\n// 3f2a1c"));
}

TEST(Markers, NegativeHashes) {
  EXPECT_THAT(markers("// catt: done 3f2a1\n// catt: begin 3F2A1C\n"
                      "// catt: end 3f2a1c\n// catt: done 3f2a1c x\n"),
              IsEmpty());
  EXPECT_THAT(markers("// catt: done\nx; // 3f2a1c\n"),
              ElementsAre("// catt: done"));
  EXPECT_THAT(markers("// catt: done\n// why\n"), ElementsAre("// catt: done"));
}

/// The hash of a piece with this code.
std::string hashOf(const std::string &Code) {
  std::string Text = sealed("/* catt: x(1) */" + Code + "/* catt: done */");
  llvm::StringRef Hash = llvm::StringRef(Text).take_back(9).drop_back(3);
  EXPECT_EQ(Text,
            "/* catt: x(1) */" + Code + "/* catt: done " + Hash.str() + " */");
  return Hash.str();
}

TEST(Escaped, PositiveEachByte) {
  EXPECT_EQ(escaped("x[i * n + k]"), "x[i \\* n + k]");
  EXPECT_EQ(escaped("a */ b\\n"), "a \\*\\/ b\\\\n");
  EXPECT_EQ(escaped(" a  b\n\t"), "\\sa\\s\\sb\\n\\t");
  for (int C = 0; C < 256; ++C) {
    std::string Bytes = {'a', char(C), '*', char(C), char(C), '/', char(C)};
    std::string Text = "/* catt: hides " + escaped(Bytes) + " */";
    EXPECT_EQ(Text.find("*/"), Text.size() - 2);
    EXPECT_EQ(findMarkers(Text).at(0).Was, Bytes) << C;
  }
}

TEST(Hash, PositiveWhatAFormatterDoes) {
  std::string Hash = hashOf("if (x) f(a, \"b c\");");
  EXPECT_EQ(Hash, "0eaffe");
  EXPECT_EQ(hashOf("  if(x)\r\n\tf( a,\n \"b \"\n\"c\" ) ;"), Hash);
  EXPECT_EQ(hashOf("if (x) // why\n f(/* a */ a, \"b c\");"), Hash);
  EXPECT_EQ(hashOf("A<B<C> > x;"), hashOf("A<B<C>> x;"));
  EXPECT_EQ(hashOf("A<B<C<D> > > x;"), hashOf("A<B<C<D>>> x;"));
}

TEST(Hash, NegativeOtherTokens) {
  std::string Hash = hashOf("if (x) f(a, \"b c\");");
  for (const char *Other :
       {"", "if (x) f(a, \"bc\");", "if (x) { f(a, \"b c\"); }",
        "if (y) f(a, \"b c\");", "if (x) f(a, \"b c\")",
        "if (x) f(a, \"b c\");;", "ifx) f(a, \"b c\");",
        "if (x) f(a, \"b\", \"c\");", "if (x) f(a, L\"b c\");"})
    EXPECT_NE(hashOf(Other), Hash) << Other;
  EXPECT_NE(hashOf("int x;"), hashOf("intx;"));
  EXPECT_NE(hashOf("a + +b"), hashOf("a ++ b"));
}

TEST(Sealed, PositiveEachPieceAlone) {
  std::string Text =
      sealed("// catt: x(1): why\nfor (;;) {\n  { // catt: begin\n"
             "  } // catt: end\n} // catt: done 000000\n");
  EXPECT_EQ(Text, "// catt: x(1): why\nfor (;;) {\n  { // catt: begin 67da42\n"
                  "  } // catt: end\n} // catt: done 2a7b53\n");
  EXPECT_EQ(sealed(Text), Text);
}

TEST(Sealed, PositiveTheReasonDoesNotCount) {
  auto End = [](const std::string &Reason) {
    std::string Text =
        sealed("// catt: x(1)" + Reason + "\nf(); // catt: done\n");
    return Text.substr(Text.find("f();"));
  };
  EXPECT_EQ(End(": one"), End(": two\n// more"));
}

TEST(MarkedBefore, FindsStackedAdditions) {
  std::string Text = "  // catt: prefer-l1(11)\n  call(k, \n    11);"
                     " // catt: done\n"
                     "  // catt: reserve-shared(4)\n  call(h); // catt: done\n"
                     "  k<<<1, 1>>>();\n";
  SourceSpan Statement{"f", unsigned(Text.find("k<<<")), 0};
  EXPECT_TRUE(markedBefore(Text, Statement, "prefer-l1", "call(k, 11)"));
  EXPECT_TRUE(markedBefore(Text, Statement, "reserve-shared", "call(h)"));
  EXPECT_FALSE(markedBefore(Text, Statement, "prefer-l1", "call(h)"));
  EXPECT_FALSE(markedBefore("  k<<<1, 1>>>();", {"f", 2, 2}, "prefer-l1", ""));
  EXPECT_FALSE(markedBefore("// catt: done\nk", {"f", 14, 14}, "x", ""));
}

} // namespace
} // namespace catt
