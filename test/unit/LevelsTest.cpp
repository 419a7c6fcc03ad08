//===- LevelsTest.cpp - Tests of numbers of blocks to try -----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/occupancy/Levels.h"
#include "analysis/device/Device.h"
#include "gmock/gmock.h"

namespace catt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A kernel of which 3 blocks of 256 threads share an SM, and the points that
/// its registers have.
struct LevelInput {
  Kernel K;
  RegisterUse Use;
  RegisterPlan Plan;
  Device Gpu = llvm::cantFail(findDevice("h200"));

  explicit LevelInput(const std::vector<int64_t> &Blocks = {3, 4, 5, 6, 8}) {
    launch(256);
    Use.MaxLive = 70;
    Plan.Before.BlocksPerSM = 3;
    for (int64_t B : Blocks)
      Plan.Points.push_back({{}, B});
  }
  void launch(std::optional<int64_t> Threads) {
    K.Launches.emplace_back().Block = {Threads, 1, 1};
  }
  LevelPlan plan() const { return planLevels(K, &Use, &Plan, Gpu); }
};

TEST(Levels, PositiveTheNextStairs) {
  const LevelPlan Plan = LevelInput().plan();
  EXPECT_TRUE(Plan.MoreFirst);
  EXPECT_THAT(Plan.MoreBlocks, ElementsAre(4, 5, 6));
  EXPECT_EQ(Plan.Threads, 256);
}

TEST(Levels, PositiveInAnyOrderOnceEach) {
  EXPECT_THAT(LevelInput({3, 5, 4, 5, 2, 1}).plan().MoreBlocks,
              ElementsAre(4, 5));
}

TEST(Levels, PositiveTheLargestBlock) {
  LevelInput In;
  In.launch(512);
  In.launch(64);
  EXPECT_EQ(In.plan().Threads, 512);
}

TEST(Levels, PositiveFewValuesGoDownFirst) {
  LevelInput In;
  In.Use.MaxLive = 20; // full occupancy leaves 32 registers
  EXPECT_FALSE(In.plan().MoreFirst);
  EXPECT_THAT(In.plan().MoreBlocks, ElementsAre(4, 5, 6));
}

TEST(Levels, NegativeNoMoreBlocks) {
  EXPECT_THAT(LevelInput({3, 2}).plan().MoreBlocks, IsEmpty());
}

TEST(Levels, NegativeABlockThatOnlyTheRunKnows) {
  LevelInput In;
  In.launch(std::nullopt);
  EXPECT_THAT(In.plan().MoreBlocks, IsEmpty());
}

TEST(Levels, NegativeBoundsOfItsOwn) {
  LevelInput Threads, Registers;
  Threads.K.MaxThreads = 256;
  Registers.K.MaxRegisters = 64;
  for (const LevelInput &In : {Threads, Registers})
    EXPECT_THAT(In.plan().MoreBlocks, IsEmpty());
}

TEST(Levels, NegativeRegistersThatAreNotKnown) {
  const LevelInput In;
  EXPECT_THAT(planLevels(In.K, nullptr, nullptr, In.Gpu).MoreBlocks, IsEmpty());
  EXPECT_FALSE(planLevels(In.K, &In.Use, nullptr, In.Gpu).MoreFirst);
}

} // namespace
} // namespace catt
