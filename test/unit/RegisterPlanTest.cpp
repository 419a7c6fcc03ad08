//===- RegisterPlanTest.cpp - Tests of plan/RegisterPlan -------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/occupancy/RegisterPlan.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

RegisterPoint point(unsigned Cap, unsigned Registers, unsigned SpillBytes = 0) {
  RegisterPoint P;
  P.CapRegisters = Cap;
  P.Registers = Registers;
  P.SpillStoreBytes = P.SpillLoadBytes = P.StackBytes = SpillBytes;
  P.From = Origin::Measured;
  return P;
}

/// A static kernel launched here in blocks of 256, which takes 100 registers,
/// waits for memory, and spills from 64 registers down.
struct Case {
  Case() {
    K.Name = "k";
    K.AllLaunchesVisible = true;
    launch(256);
    Options.Gpu = llvm::cantFail(findDevice("h200"));
    Use.Default = point(0, 100);
    Use.MaxLive = 90;
    Use.Caps = {point(32, 32, 900), point(40, 40, 500), point(48, 48, 300),
                point(64, 64, 24), point(80, 80)};
    LiveValue Idle{"sum", {}, 2, false, 1}, Busy{"x", {}, 4, true, 9};
    Use.Peaks = {{{}, {}, 90, {Busy, Idle}}};
  }
  Launch &launch(int64_t Threads) {
    Launch L;
    L.Block = {Threads, 1, 1};
    L.Grid = {10000, 1, 1};
    L.Text = "<<<n, b>>>";
    K.Launches.push_back(L);
    return K.Launches.back();
  }
  RegisterPlan plan() { return *planRegisters(K, Use, Mix, Opt, Options); }
  std::vector<Reason> refusals() {
    std::vector<Reason> Out;
    for (const Refusal &R : plan().Refusals)
      Out.push_back(R.Kind);
    return Out;
  }

  Kernel K;
  RegisterUse Use;
  RegisterOptions Options;
  InstructionMix Mix{200, 10, 10, 4};
  std::optional<int64_t> Opt;
};

TEST(RegisterPlan, PositiveLaunchBounds) {
  Case C;
  RegisterPlan P = C.plan();
  EXPECT_EQ(P.Current.Blocks, 2);
  EXPECT_EQ(P.chosen().Compiled.Registers, 80u);
  ASSERT_TRUE(P.Bounds.has_value());
  EXPECT_EQ(spelling(*P.Bounds), "__launch_bounds__(256, 3)");
  EXPECT_THAT(C.refusals(), IsEmpty());
  EXPECT_EQ(P.Selections.size(), allSelectors().size());
}

TEST(RegisterPlan, PositiveMaxRegisters) {
  Case C;
  C.Options.Form = BoundsForm::MaxRegisters;
  EXPECT_EQ(spelling(*C.plan().Bounds), "__maxnreg__(80)");
  // A cap on registers fails no launch.
  C.K.AllLaunchesVisible = false;
  EXPECT_THAT(C.refusals(), IsEmpty());
}

TEST(RegisterPlan, PositiveLargestBlockOfSeveralLaunches) {
  Case C;
  C.launch(512);
  C.launch(64);
  // Two blocks of 512 have 64 registers for each thread, which spills.
  EXPECT_FALSE(C.plan().Bounds.has_value());
  C.Use.Caps[3] = point(64, 60);
  EXPECT_EQ(spelling(*C.plan().Bounds), "__launch_bounds__(512, 2)");
}

TEST(RegisterPlan, PositiveBlocksOfTheCapNotOfTheResult) {
  // The compiler takes fewer than allowed, and more blocks fit than were asked
  // for: the bound asks for what gives this code.
  Case C;
  C.Use.Caps[4] = point(80, 64);
  RegisterPlan P = C.plan();
  EXPECT_EQ(P.chosen().Blocks, 4);
  EXPECT_EQ(spelling(*P.Bounds), "__launch_bounds__(256, 3)");
}

TEST(RegisterPlan, PositiveMoreRegistersThanTheCompilerTakes) {
  Case C;
  C.Use.Default = point(0, 56);
  C.Use.Caps = {point(48, 48), point(64, 56), point(80, 80)};
  InstructionMix Mix{100000, 100, 10, 4};
  Mix.LoopAccesses = 90;
  C.Mix = Mix;
  RegisterPlan P = C.plan();
  EXPECT_EQ(P.chosen().Compiled.Registers, 80u);
  EXPECT_EQ(spelling(*P.Bounds), "__launch_bounds__(256, 3)");
}

TEST(RegisterPlan, OtherSelectorDecides) {
  Case C;
  C.Options.By = Selector::Orion;
  RegisterPlan P = C.plan();
  EXPECT_EQ(P.By, Selector::Orion);
  EXPECT_GT(P.chosen().Blocks, 3);
}

TEST(RegisterPlan, NegativeNothingToGain) {
  Case C;
  C.Mix = InstructionMix{100000, 1, 1, 1};
  EXPECT_EQ(C.plan().Chosen, 0u);
  EXPECT_FALSE(C.plan().Bounds.has_value());
  C.Mix = {};
  EXPECT_FALSE(C.plan().Bounds.has_value());
}

TEST(RegisterPlan, NegativeCacheWantsFewerBlocks) {
  Case C;
  C.Opt = 2;
  EXPECT_FALSE(C.plan().Bounds.has_value());
}

TEST(RegisterPlan, NegativeUnknownBlock) {
  Case C;
  C.K.Launches[0].Block.X = std::nullopt;
  EXPECT_FALSE(planRegisters(C.K, C.Use, C.Mix, C.Opt, C.Options).has_value());
  C.K.Launches.clear();
  EXPECT_FALSE(planRegisters(C.K, C.Use, C.Mix, C.Opt, C.Options).has_value());
}

TEST(RegisterPlan, NegativeBlockThatNeverFits) {
  Case C;
  C.K.StaticSharedBytes = 100 * 1024;
  EXPECT_FALSE(planRegisters(C.K, C.Use, C.Mix, C.Opt, C.Options).has_value());
}

TEST(RegisterPlan, NegativeLaunchesElsewhere) {
  Case C;
  C.K.AllLaunchesVisible = false;
  EXPECT_THAT(C.refusals(), ElementsAre(Reason::LaunchedElsewhere));
  C.Options.Force = true;
  EXPECT_THAT(C.refusals(), IsEmpty());
}

TEST(RegisterPlan, NegativeHeader) {
  Case C;
  C.Options.InMainFile = false;
  EXPECT_THAT(C.refusals(), ElementsAre(Reason::LaunchedElsewhere));
}

TEST(RegisterPlan, NegativeOneOfTheLaunchesIsUnknown) {
  Case C;
  C.launch(64).Block.Y = std::nullopt;
  EXPECT_THAT(C.refusals(), ElementsAre(Reason::LaunchedElsewhere));
  EXPECT_TRUE(C.plan().Bounds.has_value()); // reported all the same
}

TEST(RegisterPlan, NegativeEstimates) {
  Case C;
  C.Use.Caps[4].From = Origin::Estimated;
  EXPECT_THAT(C.refusals(), ElementsAre(Reason::RegistersEstimated));
}

TEST(RegisterPlan, NegativeOldToolkit) {
  Case C;
  C.Options.LacksMaxnreg = true;
  EXPECT_THAT(C.refusals(), IsEmpty());
  C.Options.Form = BoundsForm::MaxRegisters;
  EXPECT_THAT(C.refusals(), ElementsAre(Reason::ToolkitTooOld));
}

//===-- Bounds that are there ---------------------------------------------===//

TEST(RegisterPlan, NegativeExistingBoundsAreRespected) {
  Case C;
  C.K.MaxThreads = 256;
  EXPECT_THAT(C.refusals(), ElementsAre(Reason::BoundsExist));
  EXPECT_EQ(C.plan().Refusals[0].Detail, "__launch_bounds__(256)");
  C.Options.Force = true;
  EXPECT_THAT(C.refusals(), IsEmpty());
  EXPECT_TRUE(C.plan().Bounds->Replaces);
  C.Options.Form = BoundsForm::MaxRegisters; // never both
  EXPECT_THAT(C.refusals(), ElementsAre(Reason::BoundsExist));
}

TEST(RegisterPlan, NegativeExistingBoundsThatSayTheSame) {
  Case C;
  C.K.MaxThreads = 256;
  C.K.MinBlocks = 3;
  EXPECT_EQ(C.plan().Current.Compiled.Registers, 80u);
  EXPECT_FALSE(C.plan().Bounds.has_value());
}

TEST(RegisterPlan, PositiveBoundMetOnlyBySpilling) {
  Case C;
  C.K.MaxThreads = 256;
  C.K.MinBlocks = 4;
  RegisterPlan P = C.plan();
  EXPECT_EQ(P.Current.Compiled.Registers, 64u);
  EXPECT_EQ(P.Current.Blocks, 4);
  ASSERT_TRUE(P.Forced.has_value());
  EXPECT_EQ(P.Forced->Bound, "__launch_bounds__(256, 4)");
  EXPECT_EQ(P.Forced->Under.SpillStoreBytes, 24u);
  EXPECT_EQ(P.Forced->Needed, 100);
  EXPECT_EQ(P.Forced->Instead, "__launch_bounds__(256, 3)");
  ASSERT_EQ(P.Forced->Values.size(), 1u);
  EXPECT_EQ(P.Forced->Values[0].Name, "sum");
}

TEST(RegisterPlan, PositiveFlagMetOnlyBySpilling) {
  Case C;
  C.Options.CapOfFlags = 64;
  RegisterPlan P = C.plan();
  ASSERT_TRUE(P.Forced.has_value());
  EXPECT_EQ(P.Forced->Bound, "-maxrregcount=64");
  EXPECT_EQ(P.Forced->Instead, "-maxrregcount=80");
  EXPECT_EQ(P.Current.Blocks, 4);
}

TEST(RegisterPlan, NegativeFlagYieldsToLaunchBounds) {
  Case C;
  C.Options.CapOfFlags = 64;
  C.K.MaxThreads = 256;
  EXPECT_FALSE(C.plan().Forced.has_value());
  EXPECT_EQ(C.plan().Current.Compiled.Registers, 100u);
}

TEST(RegisterPlan, NegativeKernelThatSpillsAnyway) {
  Case C; // 255 registers are not enough: no bound is to blame
  C.Use.Default = point(0, 255, 40);
  C.K.MaxThreads = 256;
  C.K.MinBlocks = 4;
  EXPECT_FALSE(C.plan().Forced.has_value());
}

TEST(RegisterPlan, NegativeNoLooserBoundHelps) {
  Case C;
  C.K.MaxThreads = 1024; // 64 registers, whatever the number of blocks
  RegisterPlan P = C.plan();
  ASSERT_TRUE(P.Forced.has_value());
  EXPECT_TRUE(P.Forced->Instead.empty());
}

//===-- What is asked -----------------------------------------------------===//

TEST(RegisterPlan, CapsToAskAreTheStairsAndTheBounds) {
  Case C;
  EXPECT_THAT(capsToAsk(C.K, C.K.Launches[0], C.Options),
              ElementsAre(32, 40, 48, 64, 80, 128, 255));
  C.K.MaxThreads = 192;
  C.K.MinBlocks = 3;
  EXPECT_THAT(capsToAsk(C.K, C.K.Launches[0], C.Options),
              ElementsAre(32, 40, 48, 64, 80, 96, 128, 168, 255));
  C.K.MaxThreads = C.K.MinBlocks = std::nullopt;
  C.Options.CapOfFlags = 50;
  EXPECT_THAT(capsToAsk(C.K, C.K.Launches[0], C.Options),
              ElementsAre(32, 40, 48, 50, 64, 80, 128, 255));
}

TEST(RegisterPlan, ATargetWhateverTheGrid) {
  Case C;
  C.K.Launches[0].Grid.X = 132; // one block for each SM
  EXPECT_THAT(capsToAsk(C.K, C.K.Launches[0], C.Options), ElementsAre(255))
      << "more registers cost no block, and ptxas may stop before it";
  C.Options.Target = 40;
  EXPECT_THAT(capsToAsk(C.K, C.K.Launches[0], C.Options),
              ElementsAre(32, 40, 48, 64, 80, 128, 255));
  RegisterPlan P = C.plan();
  EXPECT_LE(P.chosen().Compiled.Registers, 40u);
}

TEST(RegisterPlan, ATargetBelowEveryStairIsTheLastOne) {
  Case C;
  C.Options.Target = 20; // 32 let all threads of an SM in
  unsigned Fewest = ~0u;
  RegisterPlan P = C.plan();
  for (const DesignPoint &Each : P.Points)
    Fewest = std::min(Fewest, Each.Compiled.Registers);
  EXPECT_EQ(P.chosen().Compiled.Registers, Fewest);
  EXPECT_GT(Fewest, 20u);
}

TEST(RegisterPlan, NegativeCapsOfABlockThatIsNotKnown) {
  Case C;
  C.K.Launches[0].Block.X = std::nullopt;
  EXPECT_THAT(capsToAsk(C.K, C.K.Launches[0], C.Options), IsEmpty());
}

//===-- OptTLP ------------------------------------------------------------===//

TEST(RegisterPlan, OptimalBlocksAreThoseThatFit) {
  LoopProfile P;
  LevelFootprint Level;
  Level.LinesPerBlock = 512; // 64 KiB a block, and 200 KiB of L1
  Level.LinesByWarps = {{8, 512}};
  Level.Reuse = true;
  P.Levels = {Level};
  LoopWork W;
  W.Lookups = W.Loads = W.LoadsAgain = 32;
  W.SectorsAgain = 512;
  W.Iterations = 100;
  P.Work = W;
  Residency Most;
  Most.WarpsPerBlock = 8;
  Most.BlocksPerSM = 8;
  Most.L1Bytes = 200 * 1024;
  std::optional<int64_t> Opt =
      optimalBlocks({P}, Most, llvm::cantFail(findDevice("h200")));
  ASSERT_TRUE(Opt.has_value());
  EXPECT_LE(*Opt, 3);
  P.Work = std::nullopt; // it fits, or is not known
  EXPECT_EQ(optimalBlocks({P}, Most, llvm::cantFail(findDevice("h200"))),
            std::nullopt);
}

} // namespace
} // namespace catt
