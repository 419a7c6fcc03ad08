//===- TuneTest.cpp - The parts of the search -----------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/catt-tune/Page.h"
#include "tool/tune/Launches.h"
#include "tool/tune/Statistics.h"
#include "tool/tune/TrialJson.h"
#include "tool/tune/Trials.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace catt;
using llvm::StringRef;
using testing::HasSubstr;

namespace {

TEST(Statistics, Median) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median({}), 0);
}

TEST(Statistics, BetterIsFasterInEachRun) {
  EXPECT_TRUE(isClearlyLess({1, 2}, {3, 4}));
  EXPECT_FALSE(isClearlyLess({1, 3}, {3, 4}));
  EXPECT_FALSE(isClearlyLess({1, 9}, {3, 4}));
  EXPECT_FALSE(isClearlyLess({}, {3}));
  EXPECT_FALSE(isClearlyLess({1}, {}));
}

TEST(Output, WordsThatDifferBetweenRunsAreNotCompared) {
  Reference R;
  R.add("sum 42 at 100\n");
  R.add("sum 42 at 107\n");
  EXPECT_TRUE(R.accepts("sum 42 at 3\n"));
  EXPECT_FALSE(R.accepts("sum 43 at 100\n"));
  EXPECT_FALSE(R.accepts("sum 42 at 100\nmore\n"));
  EXPECT_FALSE(R.accepts(""));
}

TEST(Output, TimesAreNotCompared) {
  Reference R;
  R.add("k: 8 x 8, 12.5 ms, OK\n");
  EXPECT_TRUE(R.accepts("k: 8 x 8, 2.5 ms, OK\n"));
  EXPECT_FALSE(R.accepts("k: 8 x 9, 12.5 ms, OK\n"));
  EXPECT_FALSE(R.accepts("k: 8 x 8, 12.5 ms, WRONG\n"));
}

TEST(Output, NumbersBehindTheWordTimeAreNotCompared) {
  Reference R;
  R.add("CPU Time in seconds:\n0.000084\nsum 84\nelapsed = 1.5 of 3\n");
  EXPECT_TRUE(R.accepts(
      "CPU Time in seconds:\n0.000085\nsum 84\nelapsed = 1.7 of 3\n"));
  EXPECT_FALSE(R.accepts(
      "CPU Time in seconds:\n0.000084\nsum 85\nelapsed = 1.5 of 3\n"));
  EXPECT_FALSE(R.accepts(
      "CPU Time in seconds:\n0.000084\nsum 84\nelapsed = 1.5 of 4\n"));
  EXPECT_FALSE(R.accepts(
      "CPU Time in minutes:\n0.000084\nsum 84\nelapsed = 1.5 of 3\n"));
}

TEST(Output, TheLineThatDiffersIsNamed) {
  Reference R;
  R.add("a 1\nb 2 3\n");
  EXPECT_EQ(R.difference("a 1\nb 2 4\n"),
            "it prints 'b 2 4' where 'b 2 3' was printed");
  EXPECT_EQ(R.difference("a 1\n"), "it prints '' where 'b 2 3' was printed");
  EXPECT_EQ(R.difference("a 1\nb 2 3\nmore\n"),
            "it prints 'more' where '' was printed");
  EXPECT_EQ(R.difference("a 1\nb 2 3\n"), "");
}

/// A search in which one variant was faster, one crashed and one was refused.
TuneResult searched() {
  TuneResult R;
  R.Device = "h200";
  R.OriginalMs["rows<T>"] = 20;
  for (auto [Name, Ms, Why] :
       {std::tuple<const char *, double, const char *>{"default", 5, ""},
        {"tiles-32", 10, ""},
        {"tiles-64", 0, "the run ended by signal 11"},
        {"l1", 0, ""}}) {
    Tried T;
    T.What.How.Kernel = "rows<T>";
    T.What.How.Name = Name;
    T.What.File = "a.cu";
    T.Ms = Ms;
    if (StringRef(Name) == "l1") {
      T.What.Refused = "it & that";
    } else {
      T.Result.emplace();
      T.Result->Why = Why;
      T.Result->End = Ms > 0 ? Verdict::Fine : Verdict::Failed;
    }
    R.All.push_back(T);
  }
  R.Winners = {0};
  R.Confirmed = true;
  R.ConfirmedOld = 21;
  R.ConfirmedNew = 5.25;
  return R;
}

TEST(Page, HasABarForEachTime) {
  std::string Page = pageHtml(searched(), Checking::None);
  EXPECT_EQ(StringRef(Page).count("<rect "), 3u);
  EXPECT_THAT(Page, HasSubstr("class=\"best\" x=\"330\" y=\"25\" "
                              "width=\"105\""));
  EXPECT_THAT(Page, HasSubstr(">5.000 ms, 4.00x</text>"));
  EXPECT_THAT(Page, HasSubstr("<h2>rows&lt;T&gt; in a.cu</h2>"));
  EXPECT_THAT(Page,
              HasSubstr("<tr><td>tiles-64</td><td>the run ended by signal 11"));
  EXPECT_THAT(Page, HasSubstr("<td>l1</td><td>refused: it &amp; that</td>"));
  EXPECT_THAT(Page, HasSubstr("Results were not checked"));
  EXPECT_THAT(Page, HasSubstr("21.000 ms -&gt; 5.250 ms, 4.00x"));
}

TEST(Page, OfNothing) {
  TuneResult R;
  R.Interrupted = true;
  std::string Page = pageHtml(R, Checking::Output);
  EXPECT_THAT(Page, HasSubstr("Interrupted"));
  EXPECT_THAT(Page, testing::Not(HasSubstr("<svg")));
}

TEST(Launches, KeepTheirLines) {
  EXPECT_EQ(withTimedLaunches("/a.cu", "f();\nk<<<1, 2>>>();\n",
                              {{"k", "/a.cu", 5, 19, "s"}}, "/t.h"),
            "#include \"/t.h\"\n#line 1 \"/a.cu\"\nf();\n"
            "{ catt::Timed cattTimed(\"k\", s); k<<<1, 2>>>(); }\n");
}

TEST(Launches, MoveWithEdits) {
  using clang::tooling::Replacement;
  clang::tooling::Replacements Edits;
  llvm::cantFail(Edits.add(Replacement("/a.cu", 0, 0, "// more\n")));
  llvm::cantFail(Edits.add(Replacement("/a.cu", 12, 1, "22")));
  auto Moved = shifted({{"k", "/a.cu", 5, 18, ""}}, Edits);
  ASSERT_TRUE(bool(Moved));
  EXPECT_EQ(Moved->front().Begin, 13u);
  EXPECT_EQ(Moved->front().End, 27u);
}

TEST(Launches, AnEditAcrossTheEdgeIsRefused) {
  clang::tooling::Replacements Edits;
  llvm::cantFail(Edits.add(clang::tooling::Replacement("/a.cu", 3, 4, "x")));
  auto Moved = shifted({{"k", "/a.cu", 5, 18, ""}}, Edits);
  EXPECT_FALSE(bool(Moved));
  llvm::consumeError(Moved.takeError());
}

TEST(Times, AreReadOrRefused) {
  auto Fine = parseTimes(R"({"kernels": {"k": {"launches": 2, "total_ms": 5,
                          "median_ms": 2.5}}, "untimed": 0})");
  ASSERT_TRUE(bool(Fine));
  EXPECT_EQ((*Fine)["k"].Ms, 5);
  EXPECT_EQ((*Fine)["k"].Launches, 2);
  for (const char *Bad :
       {"", "[]", "{}", R"({"kernels": {}, "untimed": 3})",
        R"({"kernels": {"k": {"launches": 2}}, "untimed": 0})"}) {
    auto Times = parseTimes(Bad);
    EXPECT_FALSE(bool(Times)) << Bad;
    llvm::consumeError(Times.takeError());
  }
}

TEST(Json, TrialsComeBack) {
  Trial T;
  T.End = Verdict::OtherOutput;
  T.Why = "its output";
  T.KernelMs["k"] = {1, 2};
  T.When = "2026-11-25T10:00:00+00:00";
  auto Back = trialFromJson(trialToJson(T));
  ASSERT_TRUE(Back.has_value());
  EXPECT_EQ(Back->End, Verdict::OtherOutput);
  EXPECT_EQ(Back->KernelMs, T.KernelMs);
  EXPECT_FALSE(trialFromJson(llvm::json::Object{{"verdict", "odd"}}));
  EXPECT_FALSE(trialFromJson(nullptr));
}

TEST(Json, FailuresAreNamedAsKernelTunerDoes) {
  TriedVariant A, B;
  A.Result.End = Verdict::NotBuilt;
  B.Result.End = Verdict::Hung;
  std::string Text = kernelTunerCache("h200", "k", {A, B});
  EXPECT_THAT(Text, HasSubstr("CompilationFailedConfig"));
  EXPECT_THAT(Text, HasSubstr("RuntimeFailedConfig"));
  EXPECT_THAT(Text, HasSubstr("\"1,1,0,0,0\""));
}

} // namespace
