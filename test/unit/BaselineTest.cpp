//===- BaselineTest.cpp - What every kernel takes, recorded ---------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/gate/Baseline.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace catt;
using ::testing::HasSubstr;

namespace {

PtxasEntry entry(const char *Symbol, unsigned Registers,
                 const char *Arch = "sm_90") {
  PtxasEntry E{Symbol, Arch, {}};
  E.Point.Registers = Registers;
  return E;
}

Launch launchOf(int64_t Threads) {
  Launch L;
  L.Block = {Threads, 1, 1};
  return L;
}

std::string errorOf(const std::string &Text) {
  auto B = readBaseline(Text, "regs.json");
  return B ? "no error" : llvm::toString(B.takeError());
}

TEST(Baseline, ALineForEachKernel) {
  Baseline B = makeBaseline({entry("_Z1mv", 40), entry("_Z1kv", 32, "sm_80")},
                            {{"m", {launchOf(128), launchOf(256)}}});
  EXPECT_EQ(writeBaseline(B),
            R"({"version": 1, "kernels": [
{"kernel":"_Z1kv","arch":"sm_80","registers":32,"spillStores":0,"spillLoads":0,"shared":0},
{"kernel":"_Z1mv","arch":"sm_90","registers":40,"spillStores":0,"spillLoads":0,"shared":0,"block":256,"blocksPerSM":6}
]}
)");
}

TEST(Baseline, IsReadAsItWasWritten) {
  PtxasEntry E = entry("k", 255);
  E.Point.SpillStoreBytes = 4;
  E.Point.SpillLoadBytes = 8;
  E.Point.SharedBytes = 49152;
  Launch L = launchOf(1024);
  L.DynamicSharedBytes = 16;
  for (const Baseline &B :
       {Baseline(), makeBaseline({E, entry("k", 3, "sm_80")}, {{"k", {L}}})}) {
    auto Read = readBaseline(writeBaseline(B), "regs.json");
    ASSERT_TRUE(!!Read) << llvm::toString(Read.takeError());
    EXPECT_EQ(*Read, B);
  }
}

TEST(Baseline, WhatWasCompiledTwiceCountsWithTheLarger) {
  for (auto [A, B] : {std::pair(30U, 40U), std::pair(40U, 30U)}) {
    Baseline Both = makeBaseline({entry("k", A), entry("k", B)}, {});
    ASSERT_EQ(Both.size(), 1U);
    EXPECT_EQ(Both.begin()->second.Registers, 40);
  }
}

TEST(Baseline, NegativeWhatIsNotKnownIsNotThere) {
  Baseline B = makeBaseline({entry("k", 40), entry("k", 40, "sm_999")},
                            {{"other", {launchOf(64)}}, {"k", {Launch()}}});
  for (const auto &[Key, K] : B) {
    EXPECT_FALSE(K.Block);
    EXPECT_FALSE(K.BlocksPerSM);
  }
  B = makeBaseline({entry("k", 40, "sm_999")}, {{"k", {launchOf(64)}}});
  EXPECT_EQ(B.begin()->second.Block, 64);
  EXPECT_FALSE(B.begin()->second.BlocksPerSM);
}

TEST(Baseline, NegativeABlockThatCannotRunHasNoBlocks) {
  Baseline B = makeBaseline({entry("k", 80)}, {{"k", {launchOf(1024)}}});
  EXPECT_EQ(B.begin()->second.BlocksPerSM, 0);
}

TEST(Baseline, NegativeBrokenFiles) {
  EXPECT_THAT(errorOf(""), HasSubstr("is no JSON"));
  EXPECT_THAT(errorOf("<<<<<<< HEAD"), HasSubstr("record it again"));
  EXPECT_THAT(errorOf("[]"), HasSubstr("says no version"));
  EXPECT_THAT(errorOf("{\"version\": \"1\"}"), HasSubstr("says no version"));
  EXPECT_THAT(errorOf("{\"version\": 2, \"kernels\": []}"),
              HasSubstr("has version 2, and this program knows version 1"));
  EXPECT_THAT(errorOf("{\"version\": 1}"), HasSubstr("no list of kernels"));
  auto With = [](const std::string &Entry) {
    return errorOf("{\"version\": 1, \"kernels\": [" + Entry + "]}");
  };
  const std::string Good = "{\"kernel\":\"k\",\"arch\":\"sm_90\",\"registers\":"
                           "1,\"spillStores\":0,\"spillLoads\":0,\"shared\":0";
  EXPECT_EQ(With(Good + "}"), "no error");
  EXPECT_THAT(With("3"), HasSubstr("an entry that cannot be read"));
  EXPECT_THAT(With("{}"), HasSubstr("an entry that cannot be read"));
  EXPECT_THAT(With(Good + ",\"block\":0}"), HasSubstr("(of 'k')"));
  EXPECT_THAT(With(Good + ",\"block\":\"x\"}"), HasSubstr("(of 'k')"));
  EXPECT_THAT(With(Good + ",\"blocksPerSM\":-1}"), HasSubstr("(of 'k')"));
  EXPECT_THAT(With("{\"kernel\":\"k\",\"arch\":\"sm_90\"}"),
              HasSubstr("(of 'k')"));
  EXPECT_THAT(With(Good + "}," + Good + "}"),
              HasSubstr("two entries of 'k' for sm_90"));
}

} // namespace
