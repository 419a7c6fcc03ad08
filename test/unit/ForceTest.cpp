//===- ForceTest.cpp - Decisions that the user takes ------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/throttle/Force.h"
#include "analysis/plan/throttle/ThrottlePlan.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace catt;
using testing::HasSubstr;

namespace {

/// Two loops after each other, j and k, of 8 blocks of 8 warps on an H200. Both
/// touch next to nothing: nobody would split them.
struct Forced : testing::Test {
  Kernel K;
  std::vector<LoopProfile> Profiles;
  ThrottleOptions Options;
  Residency Before;

  Forced() {
    K.Name = "ns::walk<float>";
    K.UnqualifiedName = "walk";
    Options.Gpu = llvm::cantFail(findDevice("h200"));
    Options.Block.Threads = 256;
    Before = llvm::cantFail(residency(Options.Gpu, Options.Block));
    for (const char *Iterator : {"j", "k"}) {
      Loop L;
      L.Id = unsigned(K.Loops.size());
      L.Iterator = Iterator;
      L.Where = {"k.cu", 10 + L.Id, 3};
      L.Site = WrapSite();
      K.Loops.push_back(L);
      LevelFootprint Level;
      Level.Loop = L.Id;
      Level.LinesPerWarp = 1;
      Level.LinesPerBlock = 8;
      Level.Reuse = true;
      Profiles.push_back({L.Id, {Level}, {}, {}});
    }
  }
  ForcedChoice force(std::string Loop, int64_t Groups,
                     std::optional<int64_t> Removed = std::nullopt) {
    ForcedChoice F{"walk", std::move(Loop), Groups, Removed, "walk"};
    Options.Forced.push_back(F);
    return F;
  }
  KernelPlan plan() { return planThrottle(K, Profiles, Before, Options); }
  std::string error(const ForcedChoice &F) {
    KernelPlan Plan = plan();
    return forceError(F, {{&K, &Plan}});
  }
};

TEST_F(Forced, positiveTheNamedLoopAlone) {
  ForcedChoice F = force("j", 4);
  KernelPlan Plan = plan();
  EXPECT_EQ(Plan.Loops[0].Groups, 4);
  EXPECT_EQ(Plan.Loops[0].WarpsPerGroup, 2);
  EXPECT_FALSE(Plan.Loops[0].Why);
  EXPECT_EQ(Plan.Loops[1].Groups, 1);
  EXPECT_EQ(Plan.BlocksRemoved, 0);
  EXPECT_EQ(error(F), "");
}

TEST_F(Forced, positiveByNumber) {
  force("1", 8);
  EXPECT_EQ(plan().Loops[0].Groups, 1);
  EXPECT_EQ(plan().Loops[1].Groups, 8);
}

TEST_F(Forced, positiveEveryNumberOfBlocksThatCanBeHeldOff) {
  for (int64_t M = 0; M < Before.BlocksPerSM; ++M) {
    Options.Forced.clear();
    ForcedChoice F = force("j", 2, M);
    KernelPlan Plan = plan();
    EXPECT_EQ(Plan.BlocksRemoved, M);
    EXPECT_EQ(Plan.After->BlocksPerSM, Before.BlocksPerSM - M);
    EXPECT_EQ(Plan.Loops[0].Groups, 2);
    EXPECT_EQ(error(F), "");
  }
}

TEST_F(Forced, positiveAlsoWhereNothingIsKnown) {
  Profiles[0] = {0, {}, Refusal{Reason::UnknownStride, {}, "n"}, {}};
  force("j", 4);
  EXPECT_EQ(plan().Loops[0].Groups, 4);
  EXPECT_FALSE(plan().Loops[0].Why);
}

TEST_F(Forced, positiveOneGroupLeavesALoopAlone) {
  ForcedChoice F = force("j", 1);
  KernelPlan Plan = plan();
  EXPECT_EQ(Plan.Loops[0].Groups, 1);
  ASSERT_TRUE(Plan.Loops[0].Why);
  EXPECT_EQ(Plan.Loops[0].Why->Kind, Reason::Forced);
  EXPECT_EQ(error(F), "");
}

TEST_F(Forced, positiveGroupsThatDoNotDivide) {
  force("j", 3);
  EXPECT_EQ(plan().Loops[0].WarpsPerGroup, 3);
  EXPECT_EQ(plan().Loops[0].Groups, 3);
}

TEST_F(Forced, negativeNotWhereItIsNotSafe) {
  K.Loops[0].Refusals.push_back({Reason::BarrierInside, {}, ""});
  ForcedChoice F = force("j", 4);
  KernelPlan Plan = plan();
  EXPECT_EQ(Plan.Loops[0].Groups, 1);
  ASSERT_TRUE(Plan.Loops[0].Why);
  EXPECT_EQ(Plan.Loops[0].Why->Kind, Reason::BarrierInside);
  EXPECT_THAT(error(F), HasSubstr("cannot be split"));
}

TEST_F(Forced, negativeUnknownKernelNamesThoseThereAre) {
  ForcedChoice F{"run", "j", 2, {}, "run:j=2"};
  EXPECT_EQ(error(F), "--force=run:j=2: there is no kernel 'run'; there is "
                      "'ns::walk<float>'");
  EXPECT_THAT(forceError(F, {}), HasSubstr("there is none"));
}

TEST_F(Forced, negativeUnknownLoopNamesThoseThereAre) {
  EXPECT_THAT(error(force("i", 2)),
              HasSubstr("has no loop 'i'; its loops are: 0 (line 10, iterator "
                        "j), 1 (line 11, iterator k)"));
}

TEST_F(Forced, negativeTwoLoopsOfOneName) {
  K.Loops[1].Iterator = "j";
  EXPECT_THAT(error(force("j", 2)), HasSubstr("say which by its number"));
}

TEST_F(Forced, negativeMoreGroupsThanWarps) {
  EXPECT_THAT(error(force("j", 9)),
              HasSubstr("8 warps per block; groups can be 1 to 8"));
  EXPECT_EQ(plan().Loops[0].Groups, 1);
}

TEST_F(Forced, negativeMoreBlocksThanThereAre) {
  EXPECT_THAT(error(force("j", 2, 8)),
              HasSubstr("8 blocks per SM; 0 to 7 can be taken away"));
}

TEST_F(Forced, negativeBlocksThatCannotBeHeldOff) {
  Options.MayReserve = false;
  EXPECT_THAT(error(force("j", 2, 3)), HasSubstr("no amount of shared memory"));
}

TEST_F(Forced, negativeNoLaunch) {
  ForcedChoice F = force("j", 2);
  KernelPlan Plan;
  EXPECT_THAT(forceError(F, {{&K, &Plan}}), HasSubstr("give it with --launch"));
}

TEST_F(Forced, onlyTheKernelThatIsNamed) {
  ForcedChoice Full{"ns::walk<float>", "j", 2, {}, ""};
  ForcedChoice Other{"ns::run", "j", 2, {}, ""};
  EXPECT_EQ(forcedFor(K, {Full, Other}).size(), 1U);
}

} // namespace
