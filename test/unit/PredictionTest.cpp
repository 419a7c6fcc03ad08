//===- PredictionTest.cpp - The time of a loop under a choice -------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/throttle/Prediction.h"
#include "gtest/gtest.h"

using namespace catt;

namespace {

/// One loop of a kernel with blocks of 8 warps, 8 of them on an SM. All its
/// lines fit, and its time is the latency of its loads.
class Prediction : public ::testing::Test {
protected:
  Prediction() {
    Options.Gpu = llvm::cantFail(findDevice("h200"));
    Options.Block.Threads = 8 * WarpLanes;
    K.Loops.emplace_back();
    LoopWork Work;
    Work.Lookups = Work.BankTurns = 0.01;
    Work.Loads = Work.SectorsNew = Work.LoadsNew = 1;
    Work.HoldsBack = true;
    Work.Iterations = 1000000; // barriers cost nothing beside that
    LevelFootprint Level;
    Level.LinesPerWarp = Level.LinesPerBlock = Level.LinesShared = 1;
    Profiles = {{0, {Level}, {}, Work}};
  }

  double cycles(int64_t Warps, int64_t Blocks,
                std::optional<int64_t> GridBlocksPerSM = std::nullopt) {
    if (GridBlocksPerSM)
      Options.Block.GridBlocks = *GridBlocksPerSM * *Options.Gpu.SMs;
    else
      Options.Block.GridBlocks.reset();
    Candidate C;
    C.WarpsPerGroup = Warps;
    C.BlocksPerSM = Blocks;
    C.BlocksRemoved = 8 - Blocks;
    C.L1Bytes = 256 * 1024;
    return predictedCycles(K, Profiles, 0, C, Options,
                           memoryRates(Options.Gpu));
  }

private:
  Kernel K;
  std::vector<LoopProfile> Profiles;
  ThrottleOptions Options;
};

TEST_F(Prediction, eachGroupTakesItsTime) {
  EXPECT_NEAR(cycles(4, 1) / cycles(8, 1), 2, 0.01);
  EXPECT_NEAR(cycles(1, 1) / cycles(8, 1), 8, 0.02);
}
TEST_F(Prediction, aLastGroupOfFewWarpsTakesAsLongAsAFullOne) {
  EXPECT_NEAR(cycles(6, 1) / cycles(8, 1), 2, 0.01); // 6 + 2
  EXPECT_NEAR(cycles(3, 1) / cycles(8, 1), 3, 0.01); // 3 + 3 + 2
}
TEST_F(Prediction, fullWavesOrUnknownOnesCostNothing) {
  EXPECT_EQ(cycles(1, 4, 8), cycles(1, 4));
  EXPECT_EQ(cycles(1, 8, 8), cycles(1, 8));
  EXPECT_EQ(cycles(8, 4, 8), cycles(8, 4));
  EXPECT_EQ(cycles(8, 8, 3), cycles(8, 8)); // the SM is not even full once
}
TEST_F(Prediction, theLastWaveOfOneWarpAtATimeIsAFullOne) {
  EXPECT_NEAR(cycles(1, 5, 8), cycles(1, 5) * 10 / 8, 1e-6);
  EXPECT_NEAR(cycles(1, 7, 8), cycles(1, 7) * 14 / 8, 1e-6);
  EXPECT_NEAR(cycles(1, 3, 64), cycles(1, 3) * 66 / 64, 1e-6);
}
TEST_F(Prediction, theMoreWarpsAtATimeTheLessOfIt) {
  for (int64_t Warps : {2, 4, 8}) {
    double Full = cycles(Warps, 5) * 5, Rest = cycles(Warps, 3) * 3;
    EXPECT_NEAR(cycles(Warps, 5, 8) * 8,
                Full + Rest + (Full - Rest) / double(Warps), 1e-6);
  }
}
TEST_F(Prediction, whereNoBlockIsHeldDownTheRestIsDealtOut) {
  for (int64_t Warps : {1, 4, 8})
    EXPECT_NEAR(cycles(Warps, 8, 10) * 10,
                cycles(Warps, 8) * 8 + cycles(Warps, 2) * 2, 1e-6);
}

} // namespace
