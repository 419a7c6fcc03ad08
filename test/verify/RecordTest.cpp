//===- RecordTest.cpp - Comparing what programs left ----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/verify/Record.h"
#include <gtest/gtest.h>

using namespace catt;

namespace {

constexpr const char *Two = "launch k(float*)\n"
                            "memory 1 400 aa\n"
                            "memory 2 400 bb\n"
                            "memory table 64 cc\n"
                            "launch k(float*)\n"
                            "memory 1 400 aa\n"
                            "memory table 64 cd\n"
                            "line 1 7 /tmp/a b.cu\n"
                            "line 0 9 /tmp/a b.cu\n";

std::string with(std::string Text, const std::string &Old,
                 const std::string &New) {
  Text.replace(Text.find(Old), Old.size(), New);
  return Text;
}

std::optional<Difference> compared(const std::vector<std::string> &Runs,
                                   const std::string &Other) {
  Agreed All;
  for (const std::string &Text : Runs)
    All.add(readRecord(Text));
  return All.compare(readRecord(Other));
}

TEST(Record, isRead) {
  Record R = readRecord(Two);
  ASSERT_EQ(R.Launches.size(), 2u);
  EXPECT_EQ(R.Launches[0].Kernel, "k(float*)");
  EXPECT_EQ(R.Launches[0].Memory.size(), 3u);
  EXPECT_EQ(R.Launches[1].Memory.at("table").Bytes, 64u);
  EXPECT_EQ(R.Launches[1].Memory.at("table").Hash, "cd");
  EXPECT_TRUE(R.Lines.at({"/tmp/a b.cu", 7}));
  EXPECT_FALSE(R.Lines.at({"/tmp/a b.cu", 9}));
}

TEST(Record, ofNothing) {
  EXPECT_TRUE(readRecord("").Launches.empty());
  EXPECT_TRUE(readRecord("memory 1 2 3\nwhat is this\n").Launches.empty());
}

TEST(Record, equalOnes) { EXPECT_FALSE(compared({Two, Two}, Two)); }

TEST(Record, kernelsMayHaveOtherNames) {
  EXPECT_FALSE(compared({Two}, with(Two, "k(", "cattTiles_k(")));
}

TEST(Record, theFirstDifferenceIsFound) {
  auto D = compared({Two}, with(Two, "2 400 bb", "2 400 00"));
  ASSERT_TRUE(D);
  EXPECT_EQ(D->Launch, 0u);
  EXPECT_EQ(D->Which, "2");
  D = compared({Two}, with(Two, "table 64 cd", "table 64 00"));
  ASSERT_TRUE(D);
  EXPECT_EQ(D->Launch, 1u);
  EXPECT_EQ(D->Which, "table");
}

TEST(Record, sizesAndMissingMemoryCount) {
  EXPECT_TRUE(compared({Two}, with(Two, "2 400 bb", "2 404 bb")));
  EXPECT_TRUE(compared({Two}, with(Two, "memory 2 400 bb\n", "")));
  EXPECT_TRUE(
      compared({Two}, with(Two, "2 400 bb\n", "2 400 bb\nmemory 3 4 ee\n")));
}

TEST(Record, launchesAreCounted) {
  std::string One = Two;
  One.resize(One.rfind("launch"));
  auto D = compared({Two}, One);
  ASSERT_TRUE(D);
  EXPECT_EQ(D->Launch, 1u);
  EXPECT_EQ(D->Which, "");
  EXPECT_TRUE(compared({One}, Two));
}

TEST(Record, whatRunsDisagreeOnIsNotCompared) {
  std::string Other = with(Two, "2 400 bb", "2 400 b0");
  EXPECT_FALSE(compared({Two, Other}, with(Two, "2 400 bb", "2 400 b1")));
  // At that launch alone, and that memory alone.
  EXPECT_TRUE(compared({Two, Other}, with(Two, "1 400 aa", "1 400 a1")));
  EXPECT_TRUE(compared({Two, Other}, with(Two, "64 cd", "64 c0")));
}

TEST(Record, launchesThatRunsDisagreeOn) {
  std::string One = Two;
  One.resize(One.rfind("launch"));
  EXPECT_FALSE(compared({Two, One}, Two));
  EXPECT_FALSE(compared({Two, One}, One));
  EXPECT_TRUE(compared({Two, One}, ""));
}

} // namespace
