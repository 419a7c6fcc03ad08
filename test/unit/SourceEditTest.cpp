//===- SourceEditTest.cpp - Tests of transforms/SourceEdit -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/SourceEdit.h"
#include "TransformTesting.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catt {
namespace {

using ::testing::ElementsAre;
using testing::FileName;
using ::testing::IsEmpty;

/// The text behind the line that the text before '|' ends, or "none".
std::string behind(llvm::StringRef Marked) {
  auto [Before, After] = Marked.split('|');
  std::string Text = (Before + After).str();
  std::optional<unsigned> At = behindLine(Text, Before.size());
  return At ? Text.substr(*At) : "none";
}

TEST(BehindLine, PositiveEndsOfLines) {
  EXPECT_EQ(behind("a;|\nb;\n"), "b;\n");
  EXPECT_EQ(behind("a;|  \t\nb;"), "b;");
  EXPECT_EQ(behind("a;|\r\nb;\r\n"), "b;\r\n");
  EXPECT_EQ(behind("a;| // why\nb;"), "b;");
  EXPECT_EQ(behind("a;| /* why */\nb;"), "b;");
  EXPECT_EQ(behind("a;|\n"), "");
}

TEST(BehindLine, PositiveCommentsThatGoOn) {
  EXPECT_EQ(behind("a;| // one \\\n still one\nb;"), "b;");
  EXPECT_EQ(behind("a;| // one \\  \r\n still one\r\nb;"), "b;");
  EXPECT_EQ(behind("a;| /* one\n two */ // three\nb;"), "b;");
  EXPECT_EQ(behind("a;| \\\n \nb;"), "b;");
}

TEST(BehindLine, NegativeOtherCode) {
  EXPECT_EQ(behind("a;| b;\n"), "none");
  EXPECT_EQ(behind("a;| /* x */ b;\n"), "none");
  EXPECT_EQ(behind("a;| /* x\n y */ b;\n"), "none");
  EXPECT_EQ(behind("a;| \\\nb;\n"), "none");
  EXPECT_EQ(behind("a;| / b\n"), "none");
}

TEST(BehindLine, NegativeEndOfText) {
  EXPECT_EQ(behind("a;|"), "none");
  EXPECT_EQ(behind("a;| // no newline"), "none");
  EXPECT_EQ(behind("a;| /* open\n"), "none");
  EXPECT_EQ(behind("a;|\rb;\r"), "none"); // lone carriage returns end no line
}

TEST(LineStart, SkipsByteOrderMark) {
  EXPECT_EQ(lineStart("\xEF\xBB\xBF a", 4), 3u);
  EXPECT_EQ(lineStart("ab\ncd", 4), 3u);
  EXPECT_EQ(lineStart("ab\ncd", 1), 0u);
  EXPECT_EQ(indentation("x\n \t y", 5), " \t ");
}

TEST(InDirective, SeesSplicedLines) {
  EXPECT_TRUE(inDirective("#define X a", 10));
  EXPECT_TRUE(inDirective("  # define X \\\n  a", 16));
  EXPECT_TRUE(inDirective("#define X \\ \r\n a \\\r\n b", 20));
  EXPECT_FALSE(inDirective("#define X\na", 10));
  EXPECT_FALSE(inDirective("a; \\\n b", 6));
}

bool balanced(const std::string &Text) {
  return conditionalsBalanced(Text, 0, Text.size());
}

TEST(Conditionals, PositiveBalanced) {
  EXPECT_TRUE(balanced("a;\n#if X\nb;\n#elif Y\n#else\nc;\n#endif\n"));
  EXPECT_TRUE(balanced("#ifdef X\n#ifndef Y\n#endif\n#endif\n"));
  EXPECT_TRUE(balanced("s = \"\\n#endif\"; /*\n#else\n*/ // #endif\n"));
  EXPECT_TRUE(balanced("s = R\"(\n#endif\n)\";"));
  EXPECT_TRUE(balanced("#pragma unroll\n#define if 1\n#include \"x\"\n"));
}

TEST(Conditionals, NegativeCut) {
  EXPECT_FALSE(balanced("a;\n#endif\n"));
  EXPECT_FALSE(balanced("a;\n#else\nb;\n"));
  EXPECT_FALSE(balanced("a;\n  # elif 1\nb;\n"));
  EXPECT_FALSE(balanced("#if 1\na;\n"));
  EXPECT_FALSE(balanced("#endif\n#if 1\n"));
}

std::string top(llvm::StringRef Marked) {
  auto [Before, After] = Marked.split('|');
  std::string Text = (Before + After).str();
  return Text.substr(topOf(Text, Before.size()));
}

TEST(TopOf, KeepsPragmasAtTheirLoop) {
  EXPECT_EQ(top("a;\n  |b;"), "  b;");
  EXPECT_EQ(top("a;\n#pragma unroll\n  |b;"), "#pragma unroll\n  b;");
  EXPECT_EQ(top("a;\n # pragma unroll \\\n 4\n\n// x\n  |b;"),
            " # pragma unroll \\\n 4\n\n// x\n  b;");
  EXPECT_EQ(top("a;\n_Pragma(\"unroll\")\n  |b;"), "_Pragma(\"unroll\")\n  b;");
  EXPECT_EQ(top("\xEF\xBB\xBF#pragma unroll\n|b;"), "#pragma unroll\nb;");
}

TEST(TopOf, NegativeOtherLines) {
  EXPECT_EQ(top("#pragma unroll\na;\n|b;"), "b;");
  EXPECT_EQ(top("#define X\n|b;"), "b;");
  EXPECT_EQ(top("// above\n|b;"), "b;");
  EXPECT_EQ(top("a; |b;"), "b;");
}

TEST(FreshName, AvoidsWholeWords) {
  FileFacts Facts;
  Facts.MentionsCatt = true;
  EXPECT_EQ(freshName("int cattGroups, xcattGroup;", "cattGroup", Facts),
            "cattGroup");
  EXPECT_EQ(freshName("cattGroup+cattGroup2", "cattGroup", Facts),
            "cattGroup3");
}

TEST(Facts, LineEndingsAndMacros) {
  Edits Out;
  TextMap Texts = {{"dos", "a\r\nb\r\nc\n"},
                   {"unix", "a\nb\r\nc\n"},
                   {"macro", "#  define  blockDim dim3(1)\n"},
                   {"free", "// #define\nint blockDim;\n#define blockDims\n"},
                   {"none", ""}};
  EXPECT_EQ(factsOf(Texts, "dos", Out).LineEnding, "\r\n");
  EXPECT_EQ(factsOf(Texts, "unix", Out).LineEnding, "\n");
  EXPECT_EQ(factsOf(Texts, "none", Out).LineEnding, "\n");
  EXPECT_EQ(factsOf(Texts, "macro", Out).MacroOnBuiltin, "blockDim");
  EXPECT_EQ(factsOf(Texts, "free", Out).MacroOnBuiltin, "");
}

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

TEST(CannotEdit, NegativeFilesAndPlaces) {
  TextMap Texts = {{"f", "#define X a\n#if 1\nb;\n#endif\nc;\n"}};
  auto Why = [&](const char *File, unsigned Begin, unsigned End) {
    std::optional<Refusal> R = cannotEdit(Texts, {File, Begin, End}, {});
    return R ? std::optional(R->Kind) : std::nullopt;
  };
  EXPECT_EQ(Why("g", 0, 0), Reason::OtherFile);
  EXPECT_EQ(Why("f", 4, 3), Reason::OtherFile);
  EXPECT_EQ(Why("f", 0, 1000), Reason::OtherFile);
  EXPECT_EQ(Why("f", 10, 11), Reason::InMacro);
  EXPECT_EQ(Why("f", 18, 31), Reason::InMacro); // b; #endif c;
  EXPECT_EQ(Why("f", 18, 20), std::nullopt);
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

TEST(Insert, KeepsOrderAtOneOffset) {
  Edits Out;
  insert(Out, FileName, 4, "one ");
  insert(Out, FileName, 0, "zero ");
  insert(Out, FileName, 4, "two ");
  assemble(Out);
  TextMap Texts = {{FileName, "abc def"}};
  EXPECT_EQ(llvm::cantFail(catt::apply(Out, Texts)).at(FileName),
            "zero abc one two def");
}

TEST(Apply, NegativeUnknownText) {
  Edits Out;
  insert(Out, "/other.cu", 0, "x");
  assemble(Out);
  auto New = catt::apply(Out, TextMap());
  ASSERT_FALSE(New);
  EXPECT_THAT(llvm::toString(New.takeError()),
              ::testing::HasSubstr("/other.cu"));
}

TEST(Apply, NoEditsNoFiles) {
  Edits Out;
  Out.Files["/k.cu"];
  EXPECT_THAT(llvm::cantFail(catt::apply(Out, TextMap())), IsEmpty());
}

TEST(Apply, PositiveInsertionsAddedToOthersKeepTheOrderOfTheirClosings) {
  Insertion Own, All;
  Own.append("next ");
  Own.close(4, "outer ");
  Own.close(4, "inner ");
  Own.close(9, "innermost ");
  All.close(2, "outermost ");
  All.close(6, "between ");
  All.append("before ");
  All.add(Own);
  EXPECT_EQ(All.text(), "innermost between inner outer outermost before next ");
}

TEST(HideWord, PositiveWhatIsAddedThereStaysOutside) {
  TextMap Texts = {{"a.cu", "const int x = 1; f();"}};
  Edits Out;
  hideWord({"a.cu", 0, 5}, Out);
  insert(Out, "a.cu", 0, "before(); ");
  insert(Out, "a.cu", 5, " behind");
  assemble(Out);
  EXPECT_EQ(llvm::cantFail(catt::apply(Out, Texts)).at("a.cu"),
            "before(); /* catt: hides const */ behind int x = 1; f();");
}

TEST(Wrap, PositiveLaterWrapsOfOneStatementAreInside) {
  TextMap Texts = {{"a.cu", "f();\nloop();\ng();\n"}};
  SourceSpan Loop{"a.cu", 5, 12};
  Edits Out;
  for (const char *Name : {"outer", "inner"})
    wrapStatements(
        Texts, Loop, /*OwnLines=*/true,
        {Name, "1", "", {"if (1) {"}, {"}", std::string(Name) + "();"}}, Out);
  assemble(Out);
  std::string After = llvm::cantFail(catt::apply(Out, Texts)).at("a.cu");
  EXPECT_LT(After.find("catt: outer"), After.find("catt: inner"));
  EXPECT_LT(After.find("inner();"), After.find("outer();"));
  EXPECT_LT(After.find("outer();"), After.find("g();"));
}

} // namespace
} // namespace catt
