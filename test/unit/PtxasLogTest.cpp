//===- PtxasLogTest.cpp - What a build's ptxas said -----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/PtxasLog.h"
#include "llvm/ADT/StringExtras.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace catt;
using ::testing::HasSubstr;

namespace {

std::string entry(const std::string &Name, const std::string &Arch = "sm_90") {
  return "ptxas info    : Compiling entry function '" + Name + "' for '" +
         Arch + "'\n";
}
std::string properties(const std::string &Name, unsigned Stores = 0,
                       unsigned Loads = 0) {
  return "ptxas info    : Function properties for " + Name +
         "\n    8 bytes stack frame, " + std::to_string(Stores) +
         " bytes spill stores, " + std::to_string(Loads) +
         " bytes spill loads\n";
}
std::string used(unsigned Registers, const std::string &More = "") {
  return "ptxas info    : Used " + std::to_string(Registers) +
         " registers, used 1 barriers" + More + "\n";
}
const std::string Time = "ptxas info    : Compile time = 1.354 ms\n";

std::string kernel(const std::string &Name, unsigned Registers) {
  return entry(Name) + properties(Name) + used(Registers);
}

std::string errorOf(const std::string &Text) {
  auto Log = readPtxasLog(Text, "build.log");
  return Log ? "no error" : llvm::toString(Log.takeError());
}

TEST(PtxasLog, ReadsEveryArchitecture) {
  auto Log = readPtxasLog(entry("k", "sm_80") + properties("k", 4, 12) +
                              used(24, ", 256 bytes smem, 360 bytes cmem[0]") +
                              entry("k", "sm_90a") + properties("k") + used(30),
                          "build.log");
  ASSERT_TRUE(!!Log) << llvm::toString(Log.takeError());
  ASSERT_EQ(Log->size(), 2U);
  EXPECT_EQ((*Log)[0].Architecture, "sm_80");
  EXPECT_EQ((*Log)[0].Point.Registers, 24U);
  EXPECT_EQ((*Log)[0].Point.SharedBytes, 256U);
  EXPECT_EQ((*Log)[0].Point.SpillStoreBytes, 4U);
  EXPECT_EQ((*Log)[0].Point.SpillLoadBytes, 12U);
  EXPECT_EQ((*Log)[0].Point.From, Origin::Measured);
  EXPECT_EQ((*Log)[1].Architecture, "sm_90a");
  EXPECT_EQ((*Log)[1].Point.SharedBytes, 0U);
}

TEST(PtxasLog, ABuildSaysOtherThings) {
  std::string Plain = kernel("k", 24), Text;
  for (llvm::StringRef Line : llvm::split(Plain, '\n'))
    Text += ("#12 4.512 " + Line + "\r\n").str();
  Text = "[1/2] Building CUDA object k.o\nUsed to be: 8 registers\n"
         "ptxas warning : Registers are spilled to local memory in function "
         "'k', 640 bytes spill stores, 684 bytes spill loads\n"
         "ptxas info    : Overriding maximum register limit 256 for 'k' with  "
         "24 of maxrregcount option\n" +
         Text + "ninja: done\n";
  auto Log = readPtxasLog(Text, "build.log");
  ASSERT_TRUE(!!Log) << llvm::toString(Log.takeError());
  ASSERT_EQ(Log->size(), 1U);
  EXPECT_EQ(Log->front().Symbol, "k");
  EXPECT_EQ(Log->front().Point.Registers, 24U);
  EXPECT_EQ(Log->front().Point.SpillStoreBytes, 0U) << "warned of, not counted";
}

TEST(PtxasLog, FunctionsCountForTheKernelThatOwnsThem) {
  auto Log = readPtxasLog(kernel("k", 24) + Time + properties("called", 1, 2) +
                              properties("alone", 100, 200) + Time +
                              kernel("m", 8) + Time + properties("last", 4, 4),
                          "build.log");
  ASSERT_TRUE(!!Log) << llvm::toString(Log.takeError());
  ASSERT_EQ(Log->size(), 2U);
  EXPECT_EQ((*Log)[0].Point.spilledBytes(), 3U) << "alone is nobody's";
  EXPECT_EQ((*Log)[1].Point.spilledBytes(), 8U);
}

TEST(PtxasLog, NegativeTwoBuildsAtOnce) {
  EXPECT_THAT(errorOf(entry("a") + entry("b") + used(8) + used(9)),
              HasSubstr("build.log:2: the lines of 'a' and 'b' are mixed"));
  EXPECT_THAT(errorOf(entry("a") + properties("b") + used(8)),
              HasSubstr("the lines of 'a' and 'b' are mixed"));
  EXPECT_THAT(errorOf(kernel("a", 8) + used(9)),
              HasSubstr("belongs to no kernel"));
  EXPECT_THAT(errorOf(entry("a") + properties("a") + properties("a") + used(9)),
              HasSubstr("two lines about its stack"));
}

/// No exchange of two kernels' lines that mixes them gives a number to the
/// wrong one.
TEST(PtxasLog, NegativeNoMixtureIsMistaken) {
  std::vector<std::string> A = {entry("a"), properties("a", 1, 1), used(11)};
  std::vector<std::string> B = {entry("b"), properties("b", 2, 2), used(22)};
  for (unsigned Mask = 0; Mask != 64; ++Mask) {
    std::string Text;
    size_t NextA = 0, NextB = 0;
    for (unsigned Bit = 0; Bit != 6; ++Bit)
      if ((Mask >> Bit & 1) && NextA != 3)
        Text += A[NextA++];
      else if (NextB != 3)
        Text += B[NextB++];
      else
        Text += A[NextA++];
    for (const PtxasEntry &E : scanPtxasLog(Text).Entries) {
      EXPECT_EQ(E.Point.Registers, E.Symbol == "a" ? 11U : 22U) << Text;
      EXPECT_EQ(E.Point.SpillLoadBytes, E.Symbol == "a" ? 1U : 2U) << Text;
    }
  }
}

TEST(PtxasLog, NegativeBrokenLines) {
  EXPECT_THAT(errorOf(entry("a")), HasSubstr("not complete"));
  EXPECT_THAT(errorOf(entry("a") + properties("a")), HasSubstr("not complete"));
  EXPECT_THAT(errorOf(entry("")), HasSubstr("without a name"));
  EXPECT_THAT(errorOf("ptxas info : Compiling entry function 'k\n"),
              HasSubstr("without a name"));
  EXPECT_THAT(errorOf(entry("k", "x86")), HasSubstr("or an architecture"));
  EXPECT_THAT(errorOf(entry("k") + "ptxas info    : Used many registers\n"),
              HasSubstr("registers of 'k' cannot be read"));
  EXPECT_THAT(
      errorOf(entry("k") + "ptxas info    : Used 99999999999 registers\n"),
      HasSubstr("registers of 'k' cannot be read"));
  EXPECT_THAT(errorOf(entry("k") + "    8 bytes stack frame, 4 bytes sp\n"),
              HasSubstr("about the stack cannot be read"));
  EXPECT_THAT(errorOf("ptxas info : 0 bytes gmemptxas info : 0 bytes gmem\n"),
              HasSubstr("two messages share a line"));
}

TEST(PtxasLog, NegativeALogWithoutKernels) {
  EXPECT_THAT(errorOf(""), HasSubstr("build with -Xptxas -v"));
  EXPECT_THAT(errorOf("ptxas info    : 0 bytes gmem\n"),
              HasSubstr("'build.log' says nothing of any kernel"));
}

} // namespace
