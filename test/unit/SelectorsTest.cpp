//===- SelectorsTest.cpp - Tests of plan/Staircase, Selectors --*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The papers' own numbers first, then what each rule must not do.
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/strategies/Selectors.h"
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catt {
namespace {

using ::testing::ElementsAre;

Device card(llvm::StringRef Name) { return llvm::cantFail(findDevice(Name)); }

/// The GPU that CRAT and Orion measure, with the block slots CRAT gives it.
Device gtx680() {
  Device D = historicDevices().back();
  D.MaxBlocksPerSM = 8;
  return D;
}

BlockResources block(int64_t Threads) {
  BlockResources B;
  B.Threads = Threads;
  return B;
}

std::vector<Stair> stairs(const Device &D, const BlockResources &B,
                          int64_t MaxRegisters) {
  return llvm::cantFail(staircase(D, B, MaxRegisters));
}

//===-- CRAT --------------------------------------------------------------===//

TEST(Staircase, CratFigure2Cfd) {
  // The figure's points (32, 8), (36, 7) and (50, 5) lie at the ends of the
  // stairs if a warp's registers come in units of 64, as on Fermi.
  Device D = gtx680();
  D.RegisterAllocationUnit = 64;
  EXPECT_EQ(minRegisters(D), 32);
  EXPECT_THAT(stairs(D, block(256), 63),
              ElementsAre(Stair{63, 4}, Stair{50, 5}, Stair{42, 6},
                          Stair{36, 7}, Stair{32, 8}));
}

TEST(Staircase, CratFigure2WithTheUnitOfTheHardware) {
  // A GTX 680 allocates 256 registers at a time: there is no stair of 7 blocks.
  EXPECT_THAT(
      stairs(gtx680(), block(256), 63),
      ElementsAre(Stair{63, 4}, Stair{48, 5}, Stair{40, 6}, Stair{32, 8}));
}

TEST(Staircase, CratFirstPruning) {
  EXPECT_THAT(stairs(card("h200"), block(256), 100),
              ElementsAre(Stair{100, 2}, Stair{80, 3}, Stair{64, 4},
                          Stair{48, 5}, Stair{40, 6}, Stair{32, 8}));
}

TEST(Staircase, IsRightmostOnEveryCard) {
  // Brute force: one register more must lose a block.
  for (const Device &D : allDevices())
    for (int64_t Threads : {32, 96, 128, 200, 256, 512, 1024}) {
      std::vector<Stair> All = stairs(D, block(Threads), 64);
      for (size_t I = 1; I < All.size(); ++I) {
        EXPECT_LT(All[I - 1].Blocks, All[I].Blocks);
        BlockResources B = block(Threads);
        B.RegistersPerThread = All[I].Registers;
        EXPECT_EQ(llvm::cantFail(residency(D, B)).BlocksPerSM, All[I].Blocks);
        B.RegistersPerThread = All[I].Registers + 1;
        EXPECT_LT(llvm::cantFail(residency(D, B)).BlocksPerSM, All[I].Blocks)
            << D.Name << " " << Threads << " " << All[I].Registers;
      }
    }
}

TEST(Staircase, EndsWhereSomethingElseLimits) {
  BlockResources B = block(256);
  B.StaticSharedBytes = 48 * 1024; // four blocks of 49 KiB
  EXPECT_THAT(stairs(card("h200"), B, 100),
              ElementsAre(Stair{100, 2}, Stair{80, 3}, Stair{64, 4}));
  B = block(256);
  B.GridBlocks = 132; // one block for each SM
  EXPECT_THAT(stairs(card("h200"), B, 255), ElementsAre(Stair{255, 1}));
}

TEST(Staircase, StartsWhereOneBlockFits) {
  EXPECT_THAT(stairs(card("h200"), block(1024), 65),
              ElementsAre(Stair{64, 1}, Stair{32, 2}));
}

TEST(Staircase, NegativeBlockThatNeverFits) {
  BlockResources Large = block(256);
  Large.StaticSharedBytes = 49 * 1024;
  for (const BlockResources &B : {block(1025), block(0), Large}) {
    auto S = staircase(card("h200"), B, 65);
    ASSERT_FALSE(bool(S));
    EXPECT_FALSE(llvm::toString(S.takeError()).empty());
  }
}

RegisterPoint point(unsigned Cap, unsigned Registers, unsigned Stores = 0,
                    unsigned Loads = 0) {
  RegisterPoint P;
  P.CapRegisters = Cap;
  P.Registers = Registers;
  P.SpillStoreBytes = Stores;
  P.SpillLoadBytes = Loads;
  P.StackBytes = Stores;
  return P;
}

TEST(Staircase, DesignPointsSkipCapsThatWereNotAsked) {
  RegisterUse Use;
  Use.Default = point(0, 100);
  Use.Caps = {point(64, 64, 40, 80), point(80, 78), point(81, 81)};
  auto Points = llvm::cantFail(designPoints(card("h200"), block(256), Use));
  ASSERT_EQ(Points.size(), 3u);
  EXPECT_EQ(Points[0].Compiled.Registers, 100u);
  EXPECT_EQ(Points[1].Compiled.Registers, 78u);
  EXPECT_EQ(Points[1].Blocks, 3);
  EXPECT_EQ(Points[2].Blocks, 4);
  EXPECT_TRUE(Points[2].spills());
}

TEST(Staircase, DesignPointsBeginWithWhatFits) {
  // Without a cap not one block of 1024 threads fits.
  RegisterUse Use;
  Use.Default = point(0, 100);
  Use.Caps = {point(32, 32, 200, 200), point(64, 64, 40, 40)};
  auto Points = llvm::cantFail(designPoints(card("h200"), block(1024), Use));
  ASSERT_EQ(Points.size(), 2u);
  EXPECT_EQ(Points[0].Compiled.CapRegisters, 64u);
  EXPECT_EQ(Points[0].Blocks, 1);
  Use.Caps.clear();
  auto None = designPoints(card("h200"), block(1024), Use);
  ASSERT_FALSE(bool(None));
  llvm::consumeError(None.takeError());
}

TEST(Staircase, NegativeCapThatIsNotMetGivesNoPoint) {
  // ptxas cannot always go as low as it is asked to.
  RegisterUse Use;
  Use.Default = point(0, 40);
  Use.Caps = {point(32, 40)};
  EXPECT_EQ(llvm::cantFail(designPoints(card("h200"), block(256), Use)).size(),
            1u);
}

TEST(Staircase, RoomierPointsHaveMoreRegistersAndNoMoreBlocks) {
  RegisterUse Use;
  Use.Default = point(0, 56); // four blocks of 256
  Use.Caps = {point(48, 48), point(64, 64),  point(72, 72),
              point(80, 80), point(128, 90), point(255, 140, 8, 8)};
  auto Points = roomierPoints(card("h200"), block(256), Use);
  ASSERT_EQ(Points.size(), 3u); // 72 is not the rightmost of its stair
  EXPECT_EQ(Points[0].Compiled.Registers, 64u) << "as many blocks";
  EXPECT_EQ(Points[0].Blocks, 4);
  EXPECT_EQ(Points[1].Compiled.Registers, 80u);
  EXPECT_EQ(Points[1].Blocks, 3);
  EXPECT_EQ(Points[2].Compiled.Registers, 90u);
  EXPECT_EQ(Points[2].Blocks, 2);
}

TEST(Staircase, NegativeNothingIsRoomierThanAll) {
  RegisterUse Use;
  Use.Default = point(0, 56);
  Use.Caps = {point(48, 48), point(80, 56), point(128, 56)};
  EXPECT_TRUE(roomierPoints(card("h200"), block(256), Use).empty());
}

SelectorInput input(std::vector<DesignPoint> Points, unsigned MaxLive = 90) {
  SelectorInput In;
  In.Gpu = card("h200");
  In.ThreadsPerBlock = 256;
  In.Points = std::move(Points);
  In.MaxLive = MaxLive;
  return In;
}

const std::vector<DesignPoint> Typical = {{point(0, 100), 2},
                                          {point(80, 80), 3},
                                          {point(64, 64, 24, 24), 4},
                                          {point(48, 48, 400, 600), 5}};

TEST(Selectors, NamesGoBothWays) {
  for (const Selector &Each : allSelectors())
    EXPECT_EQ(findSelector(Each.Name), Each);
  EXPECT_EQ(findSelector("best"), std::nullopt);
}

TEST(Selectors, CratTlpGain) {
  EXPECT_DOUBLE_EQ(tlpGain(2048, 2048), 0.5);
  EXPECT_DOUBLE_EQ(tlpGain(0, 2048), 1);
  // Diminishing: the second half of the threads is worth less than the first.
  EXPECT_GT(tlpGain(0, 2048) - tlpGain(1024, 2048),
            tlpGain(1024, 2048) - tlpGain(2048, 2048));
}

TEST(Selectors, CratTpscWeighsSpillsAgainstThreads) {
  // 48 bytes are 12 accesses of 40 cycles, with 1024 of 2048 threads.
  EXPECT_DOUBLE_EQ(tpsc(Typical[2], 256, 2048), 12 * 40 * (1 - 1.0 / 3));
  EXPECT_EQ(Selector::Tpsc.Select(input(Typical)).Point, 1u);
  // Where all points spill, a little more may be worth the threads.
  std::vector<DesignPoint> All = {{point(0, 255, 100, 100), 1},
                                  {point(128, 128, 104, 104), 2},
                                  {point(80, 80, 400, 400), 3}};
  EXPECT_EQ(Selector::Tpsc.Select(input(All)).Point, 1u);
}

TEST(Selectors, CratSecondPruningHoldsForTpsc) {
  SelectorInput In = input(Typical);
  In.OptBlocks = 2;
  EXPECT_EQ(Selector::Tpsc.Select(In).Point, 0u);
}

//===-- Orion -------------------------------------------------------------===//

TEST(Selectors, OrionThresholdIsThirtyTwoOnKepler) {
  EXPECT_EQ(orionDirection(32, gtx680()), Direction::Increasing);
  EXPECT_EQ(orionDirection(31, gtx680()), Direction::Decreasing);
}

TEST(Selectors, OrionTable2Directions) {
  // Table 2, Reg: what section 4.2 tunes upwards and downwards.
  for (unsigned Up : {63, 49, 48, 37, 63, 52, 42})
    EXPECT_EQ(orionDirection(Up, gtx680()), Direction::Increasing);
  for (unsigned Down : {21, 16, 11, 20, 18})
    EXPECT_EQ(orionDirection(Down, gtx680()), Direction::Decreasing);
}

TEST(Selectors, OrionConservativeKeepsSpilledValuesOnTheChip) {
  SelectorInput In = input(Typical);
  // 400 bytes of 1280 threads are 500 KiB; the chip has 256.
  EXPECT_EQ(conservativePoint(In), 2u);
  EXPECT_EQ(Selector::Orion.Select(In).Point, 2u);
  In.SharedBytesPerBlock = 60 * 1024; // 4 blocks leave 16 KiB for 24
  EXPECT_EQ(conservativePoint(In), 1u);
}

TEST(Selectors, NegativeOrionLeavesLowPressureAlone) {
  EXPECT_EQ(Selector::Orion.Select(input(Typical, 31)).Point, 0u);
}

//===-- Unified -----------------------------------------------------------===//

TEST(Selectors, UnifiedEquation1) {
  InstructionMix Mix;
  Mix.Compute = 600;
  Mix.DispatchInterval = 3;
  Mix.OffChip = 8;
  EXPECT_DOUBLE_EQ(computePerAccess(Typical[0], Mix), 225);
  // Twelve accesses of spilled values more.
  EXPECT_DOUBLE_EQ(computePerAccess(Typical[2], Mix), 90);
  Mix.OffChip = 0;
  EXPECT_TRUE(std::isinf(computePerAccess(Typical[0], Mix)));
}

Selection unified(double Compute, double OffChip, double Interval) {
  SelectorInput In = input(Typical);
  In.Mix = InstructionMix{Compute, OffChip, OffChip, Interval};
  return Selector::Unified.Select(In);
}

TEST(Selectors, UnifiedGoesUpWhileComputationHidesAccesses) {
  // 5 * 128 lanes ask for 640 threads, three blocks; there it is beneficial.
  EXPECT_EQ(unified(500, 8, 5).Point, 1u);
  EXPECT_EQ(unified(2000, 8, 5).Point, 2u);
  EXPECT_EQ(unified(20000, 8, 5).Point, 3u);
}

TEST(Selectors, UnifiedGoesDownToTheFirstThatIsBeneficial) {
  EXPECT_EQ(unified(2000, 8, 9).Point, 2u); // 1152 threads: from five blocks
  EXPECT_EQ(unified(300, 8, 9).Point, 1u);  // stops where nothing is spilled
}

TEST(Selectors, NegativeUnifiedWithNothingToHide) {
  EXPECT_EQ(unified(100000, 8, 1).Point, 0u);
}

TEST(Selectors, UnifiedCoresOfItsTwoCards) {
  EXPECT_EQ(coresPerSM(gtx680()), 192);
  EXPECT_EQ(coresPerSM(historicDevices().front()), 32);
  EXPECT_EQ(coresPerSM(card("a100")), 64);
}

//===-- TLP-RM ------------------------------------------------------------===//

TEST(Selectors, DruTakesOneStep) {
  EXPECT_EQ(Selector::Dru.Select(input(Typical)).Point, 1u);
}

TEST(Selectors, NegativeDruBySpillingOrWithoutAStep) {
  EXPECT_EQ(Selector::Dru.Select(input({Typical[0], Typical[2]})).Point, 0u);
  EXPECT_EQ(Selector::Dru.Select(input({Typical[0]})).Point, 0u);
}

//===-- model -------------------------------------------------------------===//

Selection model(double Compute, double OffChip, double Waits,
                std::vector<DesignPoint> Points = Typical) {
  SelectorInput In = input(std::move(Points));
  In.Mix = InstructionMix{Compute, OffChip, Waits, 4};
  return Selector::Model.Select(In);
}

TEST(Selectors, ModelTakesWarpsWhereTheyHideWaiting) {
  EXPECT_EQ(model(200, 10, 10).Point, 1u);
  // 24 warps instead of 16, and a little for what three blocks overlap.
  auto Cycles = [](size_t Point, int64_t Warps) {
    return cyclesShared({200, 10, 10, 4}, Typical[Point], Warps, card("h200"));
  };
  EXPECT_NEAR(Cycles(0, 16) / Cycles(1, 24), 1.52, 0.005);
}

TEST(Selectors, NegativeModelWhereWarpsCostLoadsUnderWay) {
  SelectorInput In = input({{point(0, 56), 4}, {point(48, 48), 5}});
  In.Mix = InstructionMix{200, 10, 10, 4};
  EXPECT_EQ(Selector::Model.Select(In).Point, 1u);
  In.Mix.WaitsUnder = {{56, 10}, {48, 30}}; // a quarter more warps, each slow
  EXPECT_EQ(Selector::Model.Select(In).Point, 0u);
}

/// Ten warps' worth of a loop that issuing limits, with a roomier point.
Selection streaming(double Dependent, int64_t RoomierBlocks) {
  SelectorInput In = input({{point(0, 56), 4}, {point(48, 48), 5}});
  In.Roomier = {{point(80, 80), RoomierBlocks}};
  InstructionMix Mix{100000, 100, 10, 4};
  Mix.LoopAccesses = 90;
  Mix.DependentAccesses = Dependent;
  In.Mix = Mix;
  return Selector::Model.Select(In);
}

TEST(Selectors, ModelGivesStreamsMoreRegisters) {
  EXPECT_EQ(streaming(0, 3).Point, 2u);
}

TEST(Selectors, NegativeModelKeepsThreeQuartersOfTheWarps) {
  EXPECT_EQ(streaming(0, 2).Point, 0u);
}

TEST(Selectors, NegativeModelGivesDependentLoadsNothing) {
  EXPECT_EQ(streaming(45, 3).Point, 0u);
}

TEST(Selectors, CyclesOfAStraightKernelOverlapBetweenBlocks) {
  Device Gpu = card("h200");
  InstructionMix Mix{1000, 1, 1, 1};
  auto Cycles = [&](int64_t Blocks) {
    return cyclesShared(Mix, {point(0, 32), Blocks}, 1000, Gpu);
  };
  // As much of memory as of computation: one more customer for the two servers.
  double Access = (Cycles(1) - 1001 / 4.0);
  Mix.OffChip = 1000 / (4 * Access - 1);
  double Half = Mix.instructions() / 4;
  EXPECT_NEAR(Cycles(1), 2 * Half, 1e-6);
  EXPECT_NEAR(Cycles(2), 1.5 * Half, 1e-6);
  EXPECT_NEAR(Cycles(4), 1.25 * Half, 1e-6);
  Mix.Compute = 0; // nothing to overlap with
  EXPECT_NEAR(Cycles(1) / Cycles(4), 1, 0.05);
  Mix.Compute = 1000;
  Mix.LoopAccesses = Mix.OffChip; // warps go their own ways
  EXPECT_EQ(Cycles(1), Cycles(4));
}

TEST(Selectors, CyclesOfValuesInSharedMemory) {
  Device Gpu = card("h200");
  InstructionMix Mix{1000, 10, 1, 1};
  Mix.WaitsUnder = {{40, 30}, {64, 1}};
  auto Cycles = [&](const Relief &By) {
    return cyclesShared(Mix, {point(40, 40), 4, By}, 8, Gpu);
  };
  EXPECT_LT(Cycles({24, 0}), Cycles({0, 0})) << "registers for loads";
  EXPECT_EQ(Cycles({23, 0}), Cycles({0, 0}));
  EXPECT_GT(Cycles({24, 100}), Cycles({24, 0})) << "its accesses";
  EXPECT_GT(Cycles({24, 0, 100}), Cycles({24, 0})) << "what is done again";
}

//===-- By machine code ---------------------------------------------------===//

/// A point of which one warp takes so many cycles wherever its loads are found,
/// and spills so often.
DesignPoint coded(unsigned Cap, unsigned Registers, int64_t Blocks,
                  double Cycles, double Local = 0, double Issued = 1000) {
  DesignPoint P{point(Cap, Registers, unsigned(Local * 2), unsigned(Local * 2)),
                Blocks};
  P.Compiled.StackBytes = unsigned(Local * 2);
  P.Compiled.Warp = WarpCost{Cycles, Issued, 50, Local, 0, Cycles};
  return P;
}

TEST(Selectors, ModelTakesTheRegistersThatCostNoBlock) {
  // ptxas stopped at 92; with 119 its loads are under way together.
  SelectorInput In = input({coded(0, 92, 2, 30000)});
  In.Roomier = {coded(128, 119, 2, 12000), coded(255, 140, 1, 12000)};
  Selection S = Selector::Model.Select(In);
  EXPECT_EQ(S.Point, 1u) << S.Why;
}

TEST(Selectors, ModelCountsWaves) {
  // 300 blocks: two waves of two on each SM, or one of three.
  SelectorInput In =
      input({coded(0, 106, 2, 30000), coded(80, 80, 3, 30000, 8)});
  In.GridBlocks = 300;
  EXPECT_EQ(Selector::Model.Select(In).Point, 1u);
  In.GridBlocks = 260; // one wave either way
  EXPECT_EQ(Selector::Model.Select(In).Point, 0u);
}

TEST(Selectors, ModelWhateverTheGrid) {
  SelectorInput In = input({coded(0, 106, 2, 30000), coded(80, 80, 3, 30000)});
  EXPECT_EQ(Selector::Model.Select(In).Point, 1u);
  In.Points[1].Compiled.Warp->Cycles = 31000; // a small grid would lose
  EXPECT_EQ(Selector::Model.Select(In).Point, 0u);
}

TEST(Selectors, ModelTakesTheFewestSpillsOfWhatIsAboutAsGood) {
  SelectorInput In =
      input({coded(0, 160, 1, 30000), coded(128, 128, 2, 30000, 20),
             coded(80, 80, 3, 45000, 200)});
  In.GridBlocks = 132 * 6;
  EXPECT_EQ(Selector::Model.Select(In).Point, 1u);
}

TEST(Selectors, NegativeModelLeavesSpillsInLoopsAlone) {
  SelectorInput In =
      input({coded(0, 160, 1, 30000), coded(128, 128, 2, 45000, 2000, 3000)});
  In.GridBlocks = 132 * 6;
  EXPECT_EQ(Selector::Model.Select(In).Point, 0u);
}

TEST(Selectors, NegativeModelWhereItWouldLoseIfL1HeldWhatIsLoaded) {
  // With waits to hide, more blocks are worth their spills; without, not.
  SelectorInput In =
      input({coded(0, 160, 1, 30000), coded(80, 80, 3, 31000, 300)});
  In.GridBlocks = 132 * 6;
  EXPECT_EQ(Selector::Model.Select(In).Point, 1u);
  for (DesignPoint &P : In.Points)
    P.Compiled.Warp->CyclesInL1 = 3000;
  EXPECT_EQ(Selector::Model.Select(In).Point, 0u);
}

TEST(Selectors, ModelTakesWhatSpillsNothingWhereverItsLoadsAre) {
  SelectorInput In = input({coded(0, 92, 2, 30000)});
  In.Roomier = {coded(128, 119, 2, 12000)};
  In.Points[0].Compiled.Warp->CyclesInL1 = 9000;
  In.Roomier[0].Compiled.Warp->CyclesInL1 = 9100;
  EXPECT_EQ(Selector::Model.Select(In).Point, 1u);
}

TEST(Selectors, NegativeModelWithoutEnoughGain) {
  SelectorInput In = input({coded(0, 92, 2, 30000)});
  In.Roomier = {coded(128, 119, 2, 29000)};
  Selection S = Selector::Model.Select(In);
  EXPECT_EQ(S.Point, 0u);
  EXPECT_NE(S.Why.find("too little"), std::string::npos) << S.Why;
}

TEST(Selectors, NegativeModelMoreBlocksThanTheCacheWants) {
  SelectorInput In = input({coded(0, 106, 2, 30000), coded(80, 80, 3, 30000)});
  In.OptBlocks = 2;
  EXPECT_EQ(Selector::Model.Select(In).Point, 0u);
}

TEST(Selectors, NegativeModelWhereIssuingLimits) {
  EXPECT_EQ(model(100000, 1, 1).Point, 0u);
}

TEST(Selectors, NegativeModelWhereTheMemoryLimits) {
  EXPECT_EQ(model(10, 1000, 10).Point, 0u);
}

TEST(Selectors, NegativeModelNeverSpills) {
  EXPECT_EQ(model(200, 10, 10, {Typical[0], Typical[2]}).Point, 0u);
}

TEST(Selectors, NegativeModelBelowTheSmallestGain) {
  SelectorInput In = input({{point(0, 80), 3}, {point(72, 72), 4}});
  In.Mix = InstructionMix{200, 10, 10, 4};
  EXPECT_EQ(Selector::Model.Select(In).Point, 1u);
  In.MinGain = 0.4;
  EXPECT_EQ(Selector::Model.Select(In).Point, 0u);
}

} // namespace
} // namespace catt
