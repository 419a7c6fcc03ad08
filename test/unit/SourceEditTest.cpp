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

using testing::Edited;
using testing::FileName;
using testing::Named;
using namespace std::string_literals;
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
  const std::string Free = "int cattGroups, xcattGroup;";
  EXPECT_EQ(freshName(FileContext(Free), "cattGroup"), "cattGroup");
  const std::string Taken = "cattGroup+cattGroup2";
  EXPECT_EQ(freshName(FileContext(Taken), "cattGroup"), "cattGroup3");
}

TEST(FileContext, LineEndingsAndMacros) {
  std::map<std::string, std::string> Texts = {
      {"dos", "a\r\nb\r\nc\n"},
      {"unix", "a\nb\r\nc\n"},
      {"macro", "#  define  blockDim dim3(1)\n"},
      {"free", "// #define\nint blockDim;\n#define blockDims\n"},
      {"none", ""}};
  FileContexts Files = contextsOf(Texts);
  EXPECT_EQ(Files.at("dos").LineEnding, "\r\n");
  EXPECT_EQ(Files.at("unix").LineEnding, "\n");
  EXPECT_EQ(Files.at("none").LineEnding, "\n");
  EXPECT_EQ(Files.at("macro").MacroOnBuiltin, "blockDim");
  EXPECT_EQ(Files.at("free").MacroOnBuiltin, "");
}

TEST(CannotEdit, NegativeFilesAndPlaces) {
  std::map<std::string, std::string> Texts = {
      {"f", "#define X a\n#if 1\nb;\n#endif\nc;\n"}};
  FileContexts Files = contextsOf(Texts);
  auto Why = [&](const char *File, unsigned Begin, unsigned End) {
    std::optional<Refusal> R = cannotEdit(Files, {File, Begin, End}, {});
    return R ? std::optional(R->Kind) : std::nullopt;
  };
  EXPECT_EQ(Why("g", 0, 0), Reason::OtherFile);
  EXPECT_EQ(Why("f", 4, 3), Reason::OtherFile);
  EXPECT_EQ(Why("f", 0, 1000), Reason::OtherFile);
  EXPECT_EQ(Why("f", 10, 11), Reason::InMacro);
  EXPECT_EQ(Why("f", 18, 31), Reason::InMacro); // b; #endif c;
  EXPECT_EQ(Why("f", 18, 20), std::nullopt);
}

TEST(Insert, KeepsOrderAtOneOffset) {
  Edited E("abc def");
  E.insert(4, "one ");
  E.insert(0, "zero ");
  E.insert(4, "two ");
  EXPECT_EQ(E.text(), "zero abc one two def");
}

TEST(Apply, NegativeUnknownText) {
  Edits Out;
  Out.Added[{"/other.cu", 0, 0}].append("x");
  assemble(Out);
  auto New = catt::apply(Out, {});
  ASSERT_FALSE(New);
  EXPECT_THAT(llvm::toString(New.takeError()),
              ::testing::HasSubstr("/other.cu"));
}

TEST(Apply, NoEditsNoFiles) {
  Edits Out;
  Out.Files["/k.cu"];
  EXPECT_THAT(llvm::cantFail(catt::apply(Out, {})), IsEmpty());
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

const Addition Tile = {"x", "", {"tile[0]"}, {}};

TEST(Replace, PositiveWhatIsAddedThereStaysOutside) {
  Edited E("const int x = 1; f();");
  EXPECT_TRUE(E.Builder.replace({FileName, 0, 5}, {}));
  E.insert(0, "before(); ");
  E.insert(5, " behind");
  EXPECT_EQ(E.text(),
            "before(); /* catt: hides const */ behind int x = 1; f();");
}

TEST(Replace, PositiveKeepsWhatWasThere) {
  Edited E("y += x[i * n + k];");
  EXPECT_TRUE(E.Builder.replace({FileName, 5, 17}, Tile));
  std::string New = E.text();
  EXPECT_THAT(New, ::testing::StartsWith(
                       "y += /* catt: stage-rows(x) was: x[i \\* n + k] */ "
                       "tile[0] /* catt: done "));
  EXPECT_EQ(testing::reverted(New), E.Texts[FileName]);
}

TEST(Replace, NegativeOverlaps) {
  Edited E("abcdefghij");
  EXPECT_FALSE(E.Builder.replace({FileName, 3, 3}, Tile)); // adds
  EXPECT_TRUE(E.Builder.replace({FileName, 3, 6}, Tile));
  for (auto [Begin, End] : {std::pair(3u, 6u),
                            {0u, 4u},
                            {5u, 9u},
                            {4u, 5u},
                            {0u, 10u},
                            {3u, 4u},
                            {5u, 6u}})
    EXPECT_FALSE(E.Builder.replace({FileName, Begin, End}, Tile)) << Begin;
  E.insert(8, "x");
  EXPECT_FALSE(E.Builder.replace({FileName, 7, 9}, Tile));
  EXPECT_TRUE(E.Builder.replace({FileName, 6, 8}, Tile));
  EXPECT_TRUE(E.Builder.replace({FileName, 8, 9}, Tile));
  EXPECT_TRUE(E.Builder.replace({FileName, 0, 3}, Tile));
  EXPECT_EQ(E.Out.Added.size(), 5u);
}

TEST(OverlapsOther, InsertionsInsideAreInTheWay) {
  Edited E("abcdefghij");
  E.insert(2, "x");
  EXPECT_TRUE(E.Builder.replace({FileName, 3, 6}, Tile));
  E.insert(6, "x");
  for (unsigned At : {0u, 2u, 3u, 6u, 7u})
    EXPECT_FALSE(overlapsOther(E.Out, {FileName, At, At})) << At;
  for (unsigned At : {4u, 5u})
    EXPECT_TRUE(overlapsOther(E.Out, {FileName, At, At})) << At;
  EXPECT_FALSE(overlapsOther(E.Out, {"b.cu", 4, 4}));
}

TEST(Wrap, PositiveLaterWrapsOfOneStatementAreInside) {
  Edited E("f();\nloop();\ng();\n");
  for (const char *Name : {"outer", "inner"}) {
    Named By(Name);
    EditBuilder(By, E.Files, E.Out)
        .wrapStatements({FileName, 5, 12}, /*OwnLines=*/true,
                        {"1", "", {"if (1) {"}, {"}", Name + "();"s}});
  }
  std::string After = E.text();
  EXPECT_LT(After.find("catt: outer"), After.find("catt: inner"));
  EXPECT_LT(After.find("inner();"), After.find("outer();"));
  EXPECT_LT(After.find("outer();"), After.find("g();"));
}

} // namespace
} // namespace catt
