//===- RevertTest.cpp - Tests of transforms/Revert -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RewrittenTesting.h"
#include "TransformTesting.h"
#include "transforms/SourceEdit.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace catt {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Revert, NegativeNothingToRevert) {
  for (const char *Text :
       {"", "\xEF\xBB\xBFint x;", "a;\r\nb;", "// catt: off\na;\n// catt: on\n",
        "// catt: launch(grid=4, block=256)\n__global__ void k();\n",
        "s = R\"(\n  } // catt: done\n)\";\n", "// catt: beginning\n",
        "char c = '\n // unterminated"})
    EXPECT_EQ(reverted(Text), Text);
}

const std::string Wrapped = "a;\n"
                            "// catt: split-warp-groups(2): why\n"
                            "for (unsigned cattGroup = 0; cattGroup * 128 < "
                            "blockDim.x; ++cattGroup) {\n"
                            "  if (threadIdx.x / 128 == cattGroup) { "
                            "// catt: begin 41f7c7\n"
                            "work();\n"
                            "  } // catt: end\n"
                            "  __syncthreads();\n"
                            "} // catt: done 14e55f\n"
                            "b;\n";

std::string with(std::string Text, llvm::StringRef Old, llvm::StringRef New) {
  size_t At = Text.find(Old.str());
  EXPECT_NE(At, std::string::npos) << Old.str();
  return Text.replace(At, Old.size(), New.str());
}

std::string formatted(const std::string &Text,
                      const clang::format::FormatStyle &Style) {
  return llvm::cantFail(clang::tooling::applyAllReplacements(
      Text, clang::format::reformat(
                Style, Text, clang::tooling::Range(0, Text.size()), "k.cu")));
}

std::vector<clang::format::FormatStyle> styles() {
  using namespace clang::format;
  std::vector<FormatStyle> Out = {
      getLLVMStyle(), getGoogleStyle(FormatStyle::LK_Cpp), getMozillaStyle(),
      getGNUStyle(), getMicrosoftStyle(FormatStyle::LK_Cpp)};
  Out.push_back(getLLVMStyle());
  Out.back().ColumnLimit = 30;
  return Out;
}

TEST(Revert, PositiveWrap) {
  EXPECT_EQ(reverted(Wrapped), "a;\nwork();\nb;\n");
}

TEST(Revert, PositiveAnyTransform) {
  EXPECT_EQ(reverted(with(Wrapped, "split-warp-groups", "of-tomorrow")),
            "a;\nwork();\nb;\n");
}

TEST(Revert, PositiveReformatted) {
  std::string Text = with(Wrapped, "; cattGroup *", ";\n     cattGroup *");
  Text = with(Text, "(2): why\n", "(2):\n// why\n");
  Text = with(Text, "++cattGroup) {", "++cattGroup)\n{");
  Text = with(Text, "threadIdx.x / 128", "threadIdx.x/128");
  Text = with(Text, "begin 41f7c7", "begin\n    // 41f7c7");
  EXPECT_EQ(reverted(Text), "a;\nwork();\nb;\n");
}

TEST(Revert, NegativeHashesOfOtherCode) {
  EXPECT_THAT(reverted(with(Wrapped, "41f7c7", "3f2a1c")),
              StartsWith("error: /src/k.cu:2:"));
  EXPECT_THAT(reverted(with(Wrapped, "14e55f", "3f2a1c")),
              StartsWith("error: /src/k.cu:6:"));
}

TEST(Revert, PositiveEditedBodyStays) {
  EXPECT_EQ(reverted(with(Wrapped, "work();", "work();\nmore();")),
            "a;\nwork();\nmore();\nb;\n");
}

TEST(Revert, PositiveHiddenWords) {
  EXPECT_EQ(reverted("/* catt: hides const */ float x, y;\n" + Wrapped +
                     "float /* catt: hides const */ z;"),
            "const float x, y;\na;\nwork();\nb;\nfloat const z;");
  EXPECT_EQ(
      reverted(with(Wrapped, "work();", "/*catt:hides const*/int x = work();")),
      "a;\nconst int x = work();\nb;\n");
  EXPECT_EQ(reverted("/* catt: hides const */_T x;"), "const _T x;");
  EXPECT_EQ(reverted("float/* catt: hides const */ z;"), "float const z;");
}

TEST(Revert, PositiveHiddenBytes) {
  EXPECT_EQ(reverted("/* catt: hides volatile */ int x;"), "volatile int x;");
  EXPECT_EQ(reverted("a /* catt: hides + b\\n\\*\\/ */;"), "a + b\n*/;");
}

TEST(Revert, NegativeCommentsThatHideNothingOfOurs) {
  for (const char *Text :
       {"/* catt: hides */ int x;", "// catt: hides const\nint x;",
        "/* catt: hidesconst */ int x;", "\"/* catt: hides const */\""})
    EXPECT_EQ(reverted(Text), Text);
}

//===-- What was replaced -------------------------------------------------===//

/// A text with all of Old, which stands between "f(" and ")", replaced.
std::string replaced(const std::string &Old, const std::string &New) {
  Edited E("void g() {\n  f(" + Old + ");\n}\n");
  EXPECT_TRUE(E.Builder.replace({FileName, 15, unsigned(15 + Old.size())},
                                {"x", "", {New}, {}}));
  return E.text();
}

const char *const Replaced[] = {
    "x[i * n + k]",
    "*p",
    "a /* why */ + b",
    "a // why\n + b",
    "a\r\n\t+  b",
    "\"*/\" + '\\'' + \"\\n\\\\\"",
    " a ",
    "a   b",
    "R\"(catt: done\n*/)\"",
    "x[i * n + k] * y[i * m + k] / (alpha * beta) + gamma * x[(i + 1) * n + k]",
    "/* catt: prefer-l1(1) */ a /* catt: done */",
    "\\*\\s\\n",
    "\xC3\xA4 \xFF",
};

TEST(Revert, PositiveReplacedBytesComeBack) {
  for (const std::string Old : Replaced) {
    std::string Text = replaced(Old, "tile[k]");
    EXPECT_THAT(Text, HasSubstr("tile[k] /* catt: done "));
    std::string Back = Old.find("prefer-l1") == std::string::npos ? Old : "";
    if (Back.empty())
      EXPECT_THAT(reverted(Text), StartsWith("error: ")) << Text; // not sealed
    else
      EXPECT_EQ(reverted(Text), "void g() {\n  f(" + Back + ");\n}\n") << Text;
  }
}

TEST(Revert, PositiveReplacedWhatAnEarlierRunAdded) {
  std::string Old = sealed("/* catt: x(1) */ a /* catt: done */ b");
  EXPECT_EQ(reverted(replaced(Old, "tile[k]")), "void g() {\n  f(b);\n}\n");
}

TEST(Revert, PositiveReplacedBehindAFormatter) {
  for (const std::string Old : {"x[i * n + k]", "a * b + c * d - e / *f"})
    for (clang::format::FormatStyle Style : styles())
      for (unsigned Columns : {20, 30, 50, 80}) {
        Style.ColumnLimit = Columns;
        std::string Text = formatted(replaced(Old, "tile[k]"), Style);
        Text = formatted(Text, Style);
        EXPECT_EQ(formatted(reverted(Text), Style),
                  formatted("void g() { f(" + Old + "); }\n", Style))
            << Text;
      }
}

TEST(Revert, NegativeReplacedAndChangedByHand) {
  std::string Text = replaced("x[i]", "tile[k]");
  EXPECT_THAT(reverted(with(Text, "tile[k]", "tile[k + 1]")),
              StartsWith("error: /src/k.cu:2:"));
  EXPECT_THAT(reverted(with(Text, "was: x[i]", "was: x[j]")),
              StartsWith("error: /src/k.cu:2:"));
}

TEST(Revert, PositiveAWordComesBackBetweenWords) {
  std::string Text = "return /* catt: x(1) was: a */ b /* catt: done */ ;";
  EXPECT_EQ(reverted(sealed(Text)), "return a ;");
  Text = sealed("return/* catt: x(1) was: a */ b /* catt: done */c;");
  EXPECT_EQ(reverted(Text), "return a c;");
}

TEST(Revert, PositiveKeepsUserDirectives) {
  EXPECT_EQ(reverted("// catt: off\n" + Wrapped + "// catt: on\n"),
            "// catt: off\na;\nwork();\nb;\n// catt: on\n");
}

TEST(Revert, PositiveLastLineWithoutNewline) {
  std::string Text = Wrapped.substr(0, Wrapped.size() - 4); // up to "done"
  EXPECT_EQ(reverted(Text), "a;\nwork();\n");
}

/// Each way to damage one piece is an error that names file and line.
struct Damage {
  const char *Old, *New, *Where;
};

class DamagedMarkers : public ::testing::TestWithParam<Damage> {};

TEST_P(DamagedMarkers, NegativeIsAnError) {
  const Damage &D = GetParam();
  std::string Message = reverted(with(Wrapped, D.Old, D.New));
  EXPECT_THAT(Message, StartsWith("error: " + std::string(D.Where)));
  EXPECT_THAT(Message, HasSubstr("restore the lines"));
}

INSTANTIATE_TEST_SUITE_P(
    Revert, DamagedMarkers,
    ::testing::Values(
        Damage{"// catt: split-warp-groups(2): why\n", "", "/src/k.cu:3:"},
        Damage{" // catt: begin 41f7c7", "", "/src/k.cu:2:"},
        Damage{" // catt: begin", " // catt: begun", "/src/k.cu:2:"},
        Damage{" // catt: end", "", "/src/k.cu:8:"},
        Damage{" // catt: done 14e55f", "", "/src/k.cu:6:"},
        Damage{"  } // catt: end\n  __syncthreads();\n} // catt: done 14e55f\n",
               "", "/src/k.cu:2:"},
        Damage{"* 128", "* 64", "/src/k.cu:2:"},
        Damage{"  __syncthreads();\n", "", "/src/k.cu:6:"},
        Damage{"__syncthreads();\n", "__syncthreads(); mine();\n",
               "/src/k.cu:6:"},
        Damage{"__syncthreads();\n", "// mine\n__syncthreads();\n",
               "/src/k.cu:6:"},
        Damage{"__syncthreads();\n", "{ __syncthreads(); }\n", "/src/k.cu:6:"},
        Damage{"++cattGroup) {\n", "++cattGroup) { mine();\n", "/src/k.cu:2:"},
        Damage{"++cattGroup) {\n", "++cattGroup) { // mine\n", "/src/k.cu:2:"},
        Damage{"why\n", "why\n/* mine */\n", "/src/k.cu:2:"},
        Damage{"// catt: split-warp", "mine(); // catt: split-warp",
               "/src/k.cu:2:"},
        Damage{"  } // catt: end", "mine(); } // catt: end", "/src/k.cu:6:"},
        Damage{"// catt: done 14e55f", "/* catt: done 14e55f */",
               "/src/k.cu:6:"},
        Damage{"a;\n", "// catt: end\na;\n", "/src/k.cu:1:"},
        Damage{"b;\n", "// catt: done 14e55f\nb;\n", "/src/k.cu:9:"},
        Damage{"b;\n", "// catt: prefer-l1(1)\n", "/src/k.cu:9:"}));

TEST(Revert, NegativeInlineSettingChangedByHand) {
  EXPECT_THAT(
      reverted("/* catt: prefer-l1(5) */ mine(); /* catt: done 3f2a1c */ x;"),
      StartsWith("error: /src/k.cu:1:"));
}

//===-- A formatter was there ---------------------------------------------===//

TEST(Revert, PositiveFormattedByTheUser) {
  for (const auto &[New, Old] : rewrittenWithoutHashes())
    for (const clang::format::FormatStyle &Style : styles()) {
      std::string After = formatted(sealed(New), Style);
      EXPECT_EQ(formatted(reverted(After), Style), formatted(Old, Style))
          << After;
    }
}

TEST(Revert, NegativeBracesAddedByAFormatter) {
  clang::format::FormatStyle Style = clang::format::getLLVMStyle();
  Style.InsertBraces = true;
  std::string Text = sealed("void f() {\n  // catt: x(1)\n  if (a)\n    b();"
                            " // catt: done\n}\n");
  EXPECT_EQ(reverted(Text), "void f() {\n}\n");
  EXPECT_THAT(reverted(formatted(Text, Style)),
              StartsWith("error: /src/k.cu:2:"));
}

//===-- Whatever is applied can be taken out again ------------------------===//

/// Random kernels: lines with all kinds of comments, line endings, indentation
/// and pragmas, random statements of which are wrapped.
class RandomText {
public:
  explicit RandomText(unsigned Seed) : Random(Seed) {}

  Workbench make() {
    LineEnding = one({"\n", "\r\n"});
    Step = one({"  ", "\t", "    "});
    std::string Text = one({"", "\xEF\xBB\xBF"});
    Text += line("// catt: off") + line("// catt: on");
    Text += line("__global__ void k(int n)" + one({" {", "\n{", " { // x"}));
    unsigned Statements = 1 + number(6);
    for (unsigned I = 0; I < Statements; ++I)
      statement(Text, I);
    Text += line("}") + line("void host() {");
    Text += Step + "[[k<<<1, " + one({"256[[]]", "256, [[n * 4]]"}) +
            ">>>(n);]]" + ending() + "}";
    Text += one({"", LineEnding});
    Workbench B(Text);
    size_t K = B.kernel("k");
    unsigned Last = B.Spans.size() - 2;
    for (unsigned I = 0; I < Last; ++I)
      if (number(3))
        if (LoopPlan &P = B.split(K, I, 2 + number(4), 1 + number(4));
            unsigned Cases = number(3))
          P.Cases.assign(Cases, {"n", 8 + number(9), 1 + number(4)});
    if (number(2))
      B.plan(K).ReserveSharedBytes = number(2) ? 1000 : 65536;
    if (number(2))
      B.plan(K).CarveoutPercent = number(100);
    B.launch(K, Last, "k", Last + 1);
    return B;
  }

private:
  unsigned number(unsigned Below) { return Random() % Below; }
  std::string one(std::vector<std::string> From) {
    return From[number(From.size())];
  }
  std::string ending() {
    return one({"", " ", " // why", " /* why */", " /* long\n comment */",
                " // joined \\\n comment", "\t// R\"("}) +
           LineEnding;
  }
  std::string line(const std::string &Code) { return Code + LineEnding; }

  void statement(std::string &Text, unsigned I) {
    std::string Number = std::to_string(I);
    Text += one({"", "", "#pragma unroll\n", Step + "// catt: launch(x)\n",
                 Step + "s = R\"(\n // catt: begin\n)\";\n", "\n",
                 Step + "/* c */ "});
    Text += Step + one({"", "", "if (n)\n" + Step + Step, "u(); "});
    Text += "[[" +
            one({"w" + Number + "();", "for (;;) {\n" + Step + "w();\n}",
                 "for (;;)\n" + Step + Step + "w" + Number + "();",
                 "#if 1\nw();\n#endif\nw();"})
                .substr(0) +
            "]]" + one({"", "", " v();"}) + ending();
  }

  std::mt19937 Random;
  std::string LineEnding, Step;
};

TEST(Revert, PropertyGivesTheOriginalBack) {
  unsigned Changed = 0;
  for (unsigned Seed = 0; Seed < 400; ++Seed) {
    Workbench B = RandomText(Seed).make();
    std::string New = B.rewritten();
    Changed += New != B.text();
    ASSERT_EQ(reverted(New), B.text()) << "seed " << Seed << "\n" << New;
    ASSERT_EQ(reverted(reverted(New)), B.text());
  }
  EXPECT_GT(Changed, 300u);
}

TEST(Revert, PropertyOriginalLinesStay) {
  for (unsigned Seed = 0; Seed < 400; ++Seed) {
    Workbench B = RandomText(Seed).make();
    for (const auto &[File, Replacements] : B.edits().Files)
      for (const clang::tooling::Replacement &R : Replacements)
        ASSERT_EQ(R.getLength(), 0u) << "seed " << Seed;
  }
}

TEST(Revert, PropertySameInputSameOutput) {
  for (unsigned Seed = 0; Seed < 50; ++Seed)
    ASSERT_EQ(RandomText(Seed).make().rewritten(),
              RandomText(Seed).make().rewritten());
}

} // namespace
} // namespace catt
