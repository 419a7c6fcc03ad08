//===- GateTest.cpp - Did a kernel get worse? -----------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/gate/Gate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <random>

using namespace catt;
using ::testing::HasSubstr;

namespace {

KernelRecord taking(int64_t Registers, std::optional<int64_t> Block = 256) {
  KernelRecord K;
  K.Registers = Registers;
  K.Block = Block;
  return K;
}

GateResult compare(const KernelRecord &Then, const KernelRecord &Now,
                   const char *Arch = "sm_90") {
  return compare(Baseline{{{"_Z1kv", Arch}, Then}},
                 Baseline{{{"_Z1kv", Arch}, Now}});
}

std::string text(const GateResult &R) { return renderGate(R, "regs.json"); }

TEST(Gate, FewerBlocksByRegisters) {
  GateResult R = compare(taking(32), taking(40));
  EXPECT_TRUE(R.failed());
  EXPECT_EQ(text(R),
            "worse: k() (sm_90): 40 registers instead of 32: 6 blocks per SM "
            "instead of 8 with 256 threads\n"
            "  remedy: __launch_bounds__(256, 8) keeps it at 32 registers or "
            "fewer; catt-rewrite --ptxas says what that spills\n"
            "gate: 1 kernel compared with 'regs.json', 1 got worse\n");
}

TEST(Gate, MoreSpills) {
  KernelRecord Now = taking(32);
  Now.SpillLoadBytes = 4;
  GateResult R = compare(taking(32), Now);
  EXPECT_TRUE(R.failed());
  EXPECT_THAT(text(R), HasSubstr("spills 4 bytes instead of 0, with 32"));
}

TEST(Gate, FewerBlocksBySharedMemory) {
  KernelRecord Now = taking(32);
  Now.DynamicBytes = 64 * 1024;
  GateResult R = compare(taking(32), Now);
  EXPECT_TRUE(R.failed());
  EXPECT_THAT(text(R), HasSubstr("3 blocks per SM instead of 8"));
  EXPECT_THAT(text(R), HasSubstr("give back 65536 bytes of shared memory"));
}

TEST(Gate, ABlockThatCannotRunAnyMore) {
  EXPECT_THAT(text(compare(taking(64, 1024), taking(66, 1024))),
              HasSubstr("a block cannot run any more with 1024 threads"));
  EXPECT_THAT(text(compare(taking(64, std::nullopt), taking(66, std::nullopt))),
              HasSubstr("threads, if it is launched so"));
}

TEST(Gate, NegativeMoreOfWhatCostsNoBlockIsANote) {
  GateResult R = compare(taking(30), taking(32));
  EXPECT_FALSE(R.failed());
  EXPECT_THAT(text(R), HasSubstr("note: k() (sm_90): 32 registers instead of "
                                 "30, which costs no block"));
  KernelRecord Now = taking(30);
  Now.SharedBytes = 64;
  EXPECT_FALSE(compare(taking(30), Now).failed());
}

TEST(Gate, NegativeOfAnUnknownGpuNoBlocksAreClaimed) {
  GateResult R = compare(taking(30), taking(200), "sm_999");
  EXPECT_FALSE(R.failed());
  EXPECT_THAT(text(R), HasSubstr("what that costs is not known of sm_999"));
}

TEST(Gate, NegativeNewGoneAndBetterFailNothing) {
  Baseline Then = {{{"gone", "sm_90"}, taking(32)},
                   {{"k", "sm_90"}, taking(40)}};
  Baseline Now = {{{"k", "sm_90"}, taking(32)},
                  {{"new", "sm_90"}, taking(255)}};
  GateResult R = compare(Then, Now);
  EXPECT_FALSE(R.failed());
  EXPECT_EQ(text(R),
            "gone: gone (sm_90): was not compiled\n"
            "better: k (sm_90): 32 registers instead of 40\n"
            "new: new (sm_90): 255 registers, spills 0 bytes\n"
            "gate: 1 kernel compared with 'regs.json', none got worse; "
            "run with --baseline and without --gate to record what is new\n");
}

TEST(Gate, NegativeALargerBlockAloneIsNoRegression) {
  EXPECT_FALSE(compare(taking(40, 256), taking(40, 1024)).failed());
}

TEST(Gate, ALaunchThatCannotRunIsWarnedOf) {
  KernelRecord K = taking(80, 1024);
  K.BlocksPerSM = 0;
  EXPECT_THAT(impossibleLaunches({{{"_Z1kv", "sm_90"}, K}}),
              ::testing::ElementsAre(
                  "k() (sm_90) takes 80 registers, with which a block of 1024 "
                  "threads cannot run: its launch fails; "
                  "__launch_bounds__(1024) keeps it at 64 or fewer"));
}

TEST(Gate, NegativeWhatIsNotKnownToFailIsNotWarnedOf) {
  KernelRecord Runs = taking(64, 1024), Unknown = taking(255, std::nullopt),
               Shared = taking(32, 1024), Large = taking(32, 2048);
  Runs.BlocksPerSM = 1;
  Shared.BlocksPerSM = Large.BlocksPerSM = 0; // for another reason
  for (const KernelRecord &K : {Runs, Unknown, Shared, Large})
    EXPECT_THAT(impossibleLaunches({{{"k", "sm_90"}, K}}),
                ::testing::IsEmpty());
  Runs.Registers = 80;
  EXPECT_THAT(impossibleLaunches({{{"k", "sm_999"}, Runs}}),
              ::testing::IsEmpty());
}

/// Nothing is worse than itself; one more spilled byte always is.
TEST(Gate, AnyKernelAgainstItself) {
  std::mt19937 Random(20);
  auto Below = [&](int64_t N) { return int64_t(Random() % N); };
  for (int Case = 0; Case != 2000; ++Case) {
    KernelRecord K = taking(Below(256), std::nullopt);
    if (Below(2))
      K.Block = 1 + Below(1024);
    K.SpillStoreBytes = Below(3) * 4;
    K.SpillLoadBytes = Below(3) * 4;
    K.SharedBytes = Below(100000);
    EXPECT_TRUE(compare(K, K).Findings.empty());
    KernelRecord Worse = K;
    (Below(2) ? Worse.SpillLoadBytes : Worse.SpillStoreBytes) += 1;
    EXPECT_TRUE(compare(K, Worse).failed());
    EXPECT_FALSE(compare(Worse, K).failed());
    Worse = K;
    Worse.Registers += 1 + Below(64);
    if (auto B = K.Block)
      EXPECT_EQ(compare(K, Worse).failed(), *blocksPerSM(Worse, *B, "sm_90") <
                                                *blocksPerSM(K, *B, "sm_90"));
  }
}

} // namespace
