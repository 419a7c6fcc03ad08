//===- ThrottlePlanTest.cpp - Warps and blocks per loop
//----------------------=//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/throttle/ThrottlePlan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <random>

using namespace catt;
using namespace llvm;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr int64_t KiB = 1024;

/// A kernel made by hand: loops with their footprints, on one GPU.
struct Case {
  Kernel K;
  std::vector<LoopProfile> Profiles;
  ThrottleOptions Options;
  Residency Before;

  Case(StringRef Gpu, int64_t Warps, int64_t Blocks) {
    Options.Gpu = cantFail(findDevice(Gpu));
    Options.Block.Threads = Warps * WarpLanes;
    if (Options.Gpu.SMs)
      Options.Block.GridBlocks = Blocks * *Options.Gpu.SMs;
    Before = cantFail(residency(Options.Gpu, Options.Block));
    EXPECT_EQ(Before.WarpsPerBlock, Warps);
    EXPECT_EQ(Before.BlocksPerSM, Blocks);
  }

  Loop &add(LevelFootprint Level, std::optional<unsigned> Parent = {}) {
    Loop L;
    L.Id = K.Loops.size();
    L.Parent = Parent;
    L.Where = {"k.cu", 10 + L.Id, 3};
    L.Site = WrapSite();
    K.Loops.push_back(L);
    Level.Loop = L.Id;
    Profiles.push_back({L.Id, {Level}, {}, {}});
    return K.Loops.back();
  }

  KernelPlan plan() const { return planThrottle(K, Profiles, Before, Options); }
};

/// Every warp touches its own lines, and `Shared` that all warps of all blocks
/// touch.
LevelFootprint lines(int64_t Own, int64_t Shared = 0, int64_t Warps = 8) {
  LevelFootprint L;
  L.LinesPerWarp = Own + Shared;
  L.LinesPerBlock = Own * Warps + Shared;
  L.LinesShared = Shared;
  for (int64_t W = 1; W <= Warps; ++W)
    L.LinesByWarps[W] = Own * W + Shared;
  L.Reuse = true;
  return L;
}

/// REQ_warp of CATT equation 7, summed over the references.
LevelFootprint requests(int64_t Sum) { return lines(Sum); }

Reason why(const LoopPlan &P) {
  EXPECT_TRUE(P.Why);
  return P.Why ? P.Why->Kind : Reason::BrokenCode;
}

//===-- CATT table 3 -----------------------------------------------------===//

/// One row: the sum of REQ_warp from the published algorithm, and (warps,
/// blocks) with the largest and with 32 KiB of L1D. Line sums:
///   row walk   A[i * n + j] with one row per thread     32
///   broadcast  x[j]                                      1
///   coalesced  tmp[i], A[i * n + j] along a row          1
struct TableRow {
  const char *Name;
  int64_t Requests, Warps, Blocks;
  std::pair<int64_t, int64_t> Largest, Small;
};

class CattTable3 : public testing::TestWithParam<TableRow> {};

std::pair<int64_t, int64_t> chosen(const TableRow &Row,
                                   std::optional<int64_t> L1Bytes) {
  Case C("titan-v", Row.Warps, Row.Blocks);
  C.Options.PaperRule = true;
  C.Options.L1Bytes = L1Bytes;
  EXPECT_EQ(C.Before.L1Bytes, 128 * KiB);
  C.add(requests(Row.Requests));
  KernelPlan Plan = C.plan();
  EXPECT_EQ(Plan.After->BlocksPerSM, Row.Blocks - Plan.BlocksRemoved);
  EXPECT_EQ(Plan.Loops[0].Groups,
            divideCeil(Row.Warps, Plan.Loops[0].WarpsPerGroup));
  return {Plan.Loops[0].WarpsPerGroup, Plan.After->BlocksPerSM};
}

TEST_P(CattTable3, followsFromTheEquations) {
  const TableRow &Row = GetParam();
  EXPECT_EQ(chosen(Row, std::nullopt), Row.Largest);
  EXPECT_EQ(chosen(Row, 32 * KiB), Row.Small);
}

INSTANTIATE_TEST_SUITE_P(
    Paper, CattTable3,
    testing::Values(
        TableRow{"ATAX1: tmp + A + B", 1 + 32 + 1, 8, 4, {4, 4}, {1, 4}},
        TableRow{"ATAX2: y + A + tmp", 1 + 1 + 1, 8, 4, {8, 4}, {8, 4}},
        TableRow{"BICG1: s + A + r", 1 + 1 + 1, 8, 4, {8, 4}, {8, 4}},
        TableRow{"BICG2: q + A + p", 1 + 32 + 1, 8, 4, {4, 4}, {1, 4}},
        TableRow{"MVT1: x1 + A + y1", 1 + 32 + 1, 8, 4, {4, 4}, {1, 4}},
        TableRow{"MVT2: x2 + A + y2", 1 + 1 + 1, 8, 4, {8, 4}, {8, 4}},
        TableRow{"GSMV: tmp + A + x + y + B",
                 1 + 32 + 1 + 1 + 32,
                 8,
                 2,
                 {4, 2},
                 {1, 2}},
        // Only what repeats counts: the node's two words and its cost. What
        // the edges lead to is irregular.
        TableRow{"BFS1: nodes + cost", 2 + 1, 16, 4, {16, 4}, {16, 4}},
        // The table has (1, 8) at 32 KiB; equation 8 gives 33 * 8 = 264 lines
        // where 256 fit, hence one block fewer.
        TableRow{"KM1: input + output", 32 + 1, 8, 8, {2, 8}, {1, 7}}),
    [](const auto &Info) {
      return StringRef(Info.param.Name).split(':').first.str();
    });

TEST(CattTable3Negative, cfdHasNoReuse) {
  // normals[i + (j + k * NNB) * nelr]: each iteration is far from the last.
  Case C("titan-v", 6, 10);
  C.Options.PaperRule = true;
  LevelFootprint Flux = requests(20);
  Flux.Reuse = false;
  C.add(Flux);
  for (std::optional<int64_t> L1 : {std::optional<int64_t>(), {32 * KiB}}) {
    C.Options.L1Bytes = L1;
    KernelPlan Plan = C.plan();
    EXPECT_EQ(why(Plan.Loops[0]), Reason::NoReuse);
    EXPECT_EQ(Plan.Loops[0].WarpsPerGroup, 6);
    EXPECT_EQ(Plan.After->BlocksPerSM, 10);
  }
}

TEST(CattTable3Negative, corrCannotFitSoItsNestIsLeftAlone) {
  // Outer loop: two columns of 2048 rows, a line each, per warp, and symmat.
  Case C("titan-v", 8, 1);
  C.Options.PaperRule = true;
  C.add(requests(2048 + 2048 + 32));
  C.add(requests(32 + 1 + 1), 0); // 272 lines: alone, it would be split
  for (std::optional<int64_t> L1 : {std::optional<int64_t>(), {32 * KiB}}) {
    C.Options.L1Bytes = L1;
    KernelPlan Plan = C.plan();
    EXPECT_EQ(why(Plan.Loops[0]), Reason::CannotFit);
    for (const LoopPlan &P : Plan.Loops) {
      EXPECT_TRUE(P.Why);
      EXPECT_EQ(P.Groups, 1);
      EXPECT_EQ(P.WarpsPerGroup, 8);
    }
    EXPECT_EQ(Plan.BlocksRemoved, 0);
  }
  EXPECT_EQ(why(C.plan().Loops[1]), Reason::CannotFit);
}

TEST(PaperRule, positiveBlocksAreTakenByReservedSharedMemory) {
  Case C("titan-v", 8, 8);
  C.Options.PaperRule = true;
  C.Options.L1Bytes = 32 * KiB;
  C.add(requests(33));
  KernelPlan Plan = C.plan();
  EXPECT_EQ(Plan.BlocksRemoved, 1);
  EXPECT_EQ(Plan.ReserveSharedBytes, 12 * KiB + 256);
  EXPECT_EQ(Plan.Loops[0].FootprintBytes, 33 * 64 * 128);
  EXPECT_EQ(Plan.Loops[0].FootprintBytesAfter, 33 * 7 * 128);
}

TEST(PaperRule, negativeNoGroupsOfOddCounts) {
  EXPECT_THAT(warpChoices(8, true), ElementsAre(8, 4, 2, 1));
  EXPECT_THAT(warpChoices(6, true), ElementsAre(6, 3, 2));
  EXPECT_THAT(warpChoices(1, true), ElementsAre(1));
  EXPECT_THAT(warpChoices(8, false), ElementsAre(8, 4, 3, 2, 1));
  EXPECT_THAT(warpChoices(7, false), ElementsAre(7, 4, 3, 2, 1));
}

//===-- Footprints -------------------------------------------------------===//

TEST(FootprintBytes, exactCountsSharedLinesOnce) {
  LevelFootprint L = lines(32, 2);
  EXPECT_EQ(footprintBytes(L, 8, 1, false), (32 * 8 + 2) * 128);
  EXPECT_EQ(footprintBytes(L, 8, 4, false), (32 * 8 * 4 + 2) * 128);
  EXPECT_EQ(footprintBytes(L, 1, 4, false), (32 * 4 + 2) * 128);
  EXPECT_EQ(footprintBytes(L, 8, 4, true), 34 * 8 * 4 * 128);
}

TEST(FootprintBytes, negativeMissingGroupSizesAreBoundsFromAbove) {
  LevelFootprint L = lines(32);
  L.LinesByWarps = {{8, 256}, {2, 60}};
  EXPECT_EQ(footprintBytes(L, 2, 1, false), 60 * 128);
  EXPECT_EQ(footprintBytes(L, 3, 1, false), 96 * 128); // 3 * 32 < 256
  L.LinesPerWarp = 200;
  EXPECT_EQ(footprintBytes(L, 3, 1, false), 256 * 128);
  EXPECT_EQ(footprintBytes(L, 1, 1, false), 60 * 128);
  L.LinesByWarps.clear();
  EXPECT_EQ(footprintBytes(L, 4, 1, false), 256 * 128); // LinesPerBlock
}

TEST(FootprintBytes, negativeSharedLinesBeyondTheGroup) {
  // All blocks share 100 lines, of which this group touches at most 10.
  LevelFootprint L = lines(10);
  L.LinesShared = 100;
  EXPECT_EQ(footprintBytes(L, 1, 4, false), 10 * 128);
}

//===-- Exact rule: what is split ----------------------------------------===//

TEST(ExactRule, positiveGroupsNeedNotBePowersOfTwo) {
  Case C("titan-v", 8, 4);
  C.add(lines(85)); // 3 * 4 * 85 = 1020 of 1024 lines
  LoopPlan P = C.plan().Loops[0];
  EXPECT_FALSE(P.Why);
  EXPECT_EQ(P.WarpsPerGroup, 3);
  EXPECT_EQ(P.Groups, 3);
  EXPECT_EQ(P.LinesPerWarp, 85);
  EXPECT_EQ(P.FootprintBytes, 85 * 32 * 128);
  EXPECT_EQ(P.FootprintBytesAfter, 85 * 12 * 128);
  C.Options.PaperRule = true;
  EXPECT_EQ(C.plan().Loops[0].WarpsPerGroup, 2);
}

TEST(ExactRule, positiveEachLoopHasItsOwnFactor) {
  Case C("titan-v", 8, 4);
  C.add(lines(64));
  C.add(lines(200));
  C.add(lines(4));
  KernelPlan Plan = C.plan();
  EXPECT_EQ(Plan.Loops[0].WarpsPerGroup, 4);
  EXPECT_EQ(Plan.Loops[1].WarpsPerGroup, 1);
  EXPECT_EQ(why(Plan.Loops[2]), Reason::Fits);
  EXPECT_EQ(Plan.BlocksRemoved, 0);
  EXPECT_FALSE(Plan.ReserveSharedBytes);
}

TEST(ExactRule, positiveNoMoreBlocksThanTold) {
  Case C("titan-v", 8, 4);
  C.add(lines(4)); // all of them fit
  C.Options.OptBlocks = 3;
  KernelPlan Plan = C.plan();
  EXPECT_EQ(Plan.BlocksRemoved, 1);
  EXPECT_EQ(Plan.After->BlocksPerSM, 3);
  EXPECT_TRUE(Plan.ReserveSharedBytes);
}

TEST(ExactRule, negativeBlocksThatMayNotBeTakenStay) {
  Case C("titan-v", 8, 4);
  C.add(lines(4));
  C.Options.OptBlocks = 4; // there are no more
  EXPECT_EQ(C.plan().BlocksRemoved, 0);
  C.Options.OptBlocks = 3;
  C.Options.MayReserve = false;
  EXPECT_EQ(C.plan().BlocksRemoved, 0);
}

TEST(ExactRule, positiveChoiceIsTheBestOfAllCandidates) {
  std::mt19937_64 Random(7);
  int Splits = 0;
  for (int I = 0; I < 2000; ++I) {
    int64_t Warps = 1 + Random() % 32;
    Case C("h200", Warps, 1 + Random() % (64 / std::max<int64_t>(Warps, 2)));
    LevelFootprint L = lines(Random() % 300, Random() % 50, Warps);
    C.add(L);
    LoopPlan P = C.plan().Loops[0];
    if (P.Why)
      continue;
    ++Splits;
    for (const Candidate &Other : candidates(L, C.Before, C.Options)) {
      if (Other.BlocksRemoved == 0 && Other.fits())
        EXPECT_LE(Other.WarpsPerGroup, P.WarpsPerGroup);
      // And blocks are left alone where warps are enough.
      if (Other.BlocksRemoved == 0 && Other.WarpsPerGroup == P.WarpsPerGroup &&
          Other.fits())
        EXPECT_EQ(C.plan().BlocksRemoved, 0);
    }
  }
  EXPECT_GT(Splits, 300);
}

//===-- Exact rule: what is left alone -----------------------------------===//

TEST(ExactRule, negativeFitsExactly) {
  Case C("titan-v", 8, 4);
  C.add(lines(32)); // 1024 of 1024 lines
  LoopPlan P = C.plan().Loops[0];
  EXPECT_EQ(why(P), Reason::Fits);
  EXPECT_EQ(P.Why->Detail, "128 KiB of 128 KiB");
  EXPECT_EQ(P.Groups, 1);
  EXPECT_EQ(P.WarpsPerGroup, 8);
  // A line more, shared by all, and it does not.
  C.Profiles[0].Levels[0] = lines(32, 1);
  EXPECT_FALSE(C.plan().Loops[0].Why);
}

TEST(ExactRule, negativeNoReuse) {
  Case C("titan-v", 8, 4);
  LevelFootprint L = lines(500);
  L.Reuse = false;
  C.add(L);
  KernelPlan Plan = C.plan();
  EXPECT_EQ(why(Plan.Loops[0]), Reason::NoReuse);
  EXPECT_EQ(Plan.Loops[0].FootprintBytes, 500 * 32 * 128);
  EXPECT_FALSE(Plan.CarveoutPercent); // no L1 is of use to it
}

TEST(ExactRule, negativeNothingGoesThroughL1) {
  Case C("titan-v", 8, 4);
  C.add(lines(0));
  EXPECT_EQ(why(C.plan().Loops[0]), Reason::NoGlobalAccess);
  C.Profiles[0].Levels.clear();
  EXPECT_EQ(why(C.plan().Loops[0]), Reason::NoGlobalAccess);
}

TEST(ExactRule, negativeUnknownStaysUnknown) {
  Case C("titan-v", 8, 4);
  C.add(lines(500));
  C.Profiles[0].Levels.clear();
  C.Profiles[0].Unknown = Refusal{Reason::UnknownStride, {}, "n"};
  LoopPlan P = C.plan().Loops[0];
  EXPECT_EQ(why(P), Reason::UnknownStride);
  EXPECT_EQ(P.Why->Detail, "n");
  EXPECT_EQ(P.FootprintBytes, 0);
  C.Profiles.clear();
  EXPECT_EQ(why(C.plan().Loops[0]), Reason::UnknownLaunch);
}

TEST(ExactRule, negativeAnUnknownOuterLevelDoesNotStopTheInner) {
  Case C("titan-v", 8, 4);
  C.add(lines(64));
  C.Profiles[0].Unknown = Refusal{Reason::UnknownTripCount, {}, "m"};
  EXPECT_FALSE(C.plan().Loops[0].Why);
}

TEST(ExactRule, negativeRefusalsWin) {
  Case C("titan-v", 8, 4);
  Loop &L = C.add(lines(64));
  L.Refusals = {{Reason::BarrierInside, {"k.cu", 12, 5}, "__syncthreads()"},
                {Reason::InMacro, {}, "M"}};
  LoopPlan P = C.plan().Loops[0];
  EXPECT_EQ(why(P), Reason::BarrierInside);
  EXPECT_EQ(P.Why->Where.Line, 12u);
  EXPECT_EQ(P.Groups, 1);
  EXPECT_EQ(P.WarpsPerGroup, 8);
  EXPECT_EQ(P.FootprintBytesAfter, P.FootprintBytes);
}

TEST(ExactRule, negativeRefusalsOfALoopThatFitsAreNotMentioned) {
  Case C("titan-v", 8, 4);
  C.add(lines(1)).Refusals = {{Reason::BarrierInside, {}, ""}};
  EXPECT_EQ(why(C.plan().Loops[0]), Reason::Fits);
}

TEST(ExactRule, negativeNoSite) {
  Case C("titan-v", 8, 4);
  C.add(lines(64)).Site.reset();
  EXPECT_EQ(why(C.plan().Loops[0]), Reason::DivergentBarrier);
}

TEST(ExactRule, negativeExitedThreadsBeforeSm70) {
  Case Old("sm_61", 8, 8), New("titan-v", 8, 8);
  for (Case *C : {&Old, &New})
    C->add(lines(64)).Site->NeedsSm70 = true;
  EXPECT_EQ(why(Old.plan().Loops[0]), Reason::ThreadsExitedEarly);
  EXPECT_FALSE(New.plan().Loops[0].Why);
}

TEST(ExactRule, negativeKernelRefusalsHoldForItsLoops) {
  Case C("titan-v", 8, 4);
  C.add(lines(64));
  C.add(lines(1));
  C.K.Refusals = {{Reason::CooperativeLaunch, {}, ""}};
  KernelPlan Plan = C.plan();
  EXPECT_EQ(why(Plan.Loops[0]), Reason::CooperativeLaunch);
  EXPECT_EQ(why(Plan.Loops[1]), Reason::Fits);
  ASSERT_EQ(Plan.Refusals.size(), 1u);
}

TEST(ExactRule, negativeNoLoops) {
  Case C("titan-v", 8, 4);
  KernelPlan Plan = C.plan();
  EXPECT_TRUE(Plan.Loops.empty());
  ASSERT_EQ(Plan.Refusals.size(), 1u);
  EXPECT_EQ(Plan.Refusals[0].Kind, Reason::NoLoop);
}

TEST(ExactRule, negativeCannotFit) {
  Case C("titan-v", 8, 4);
  C.add(lines(1025));
  KernelPlan Plan = C.plan();
  EXPECT_EQ(why(Plan.Loops[0]), Reason::CannotFit);
  EXPECT_EQ(Plan.Loops[0].Why->Detail,
            "one warp of each of 4 blocks touches 512.5 KiB, L1 has 128 KiB");
  EXPECT_EQ(Plan.BlocksRemoved, 0);
  EXPECT_FALSE(Plan.ReserveSharedBytes);
  EXPECT_EQ(Plan.After->BlocksPerSM, 4);
}

TEST(ExactRule, negativeOneWarpPerBlockCannotBeSplit) {
  Case C("h200", 1, 2);
  C.add(lines(3000, 0, 1));
  EXPECT_EQ(why(C.plan().Loops[0]), Reason::CannotFit);
}

//===-- Nests ------------------------------------------------------------===//

TEST(Nest, positiveTheOutermostContendedLoopIsSplit) {
  Case C("titan-v", 8, 4);
  LevelFootprint Streams = lines(999);
  Streams.Reuse = false;
  C.add(Streams);      // 0: nothing comes back
  C.add(lines(80), 0); // 1: split
  C.add(lines(40), 1); // 2: contended, covered
  C.add(lines(2), 2);  // 3: fits anyway
  KernelPlan Plan = C.plan();
  EXPECT_EQ(why(Plan.Loops[0]), Reason::NoReuse);
  EXPECT_FALSE(Plan.Loops[1].Why);
  EXPECT_EQ(Plan.Loops[1].WarpsPerGroup, 3);
  EXPECT_EQ(why(Plan.Loops[2]), Reason::CoveredByOther);
  EXPECT_EQ(Plan.Loops[2].Groups, 1);
  EXPECT_EQ(Plan.Loops[2].WarpsPerGroup, 3);
  EXPECT_EQ(Plan.Loops[2].FootprintBytesAfter, 40 * 12 * 128);
  EXPECT_THAT(Plan.Loops[2].Why->Detail, HasSubstr("loop at line 11"));
  EXPECT_EQ(why(Plan.Loops[3]), Reason::Fits);
  EXPECT_EQ(Plan.Loops[3].WarpsPerGroup, 3);
}

TEST(Nest, negativeARefusedOuterLoopLeavesItToTheInner) {
  Case C("titan-v", 8, 4);
  C.add(lines(80)).Refusals = {{Reason::BarrierInside, {}, ""}};
  C.add(lines(40), 0);
  KernelPlan Plan = C.plan();
  EXPECT_EQ(why(Plan.Loops[0]), Reason::BarrierInside);
  EXPECT_FALSE(Plan.Loops[1].Why);
  EXPECT_EQ(Plan.Loops[1].WarpsPerGroup, 4);
}

TEST(Nest, negativeAnOuterLoopThatCannotFitLeavesItToTheInner) {
  Case C("titan-v", 8, 4);
  C.add(lines(2000));
  C.add(lines(40), 0);
  C.add(lines(41), 1);
  KernelPlan Plan = C.plan();
  EXPECT_EQ(why(Plan.Loops[0]), Reason::CannotFit);
  EXPECT_FALSE(Plan.Loops[1].Why);
  EXPECT_EQ(why(Plan.Loops[2]), Reason::CoveredByOther);
  // The paper's rule does not try, however deep.
  LevelFootprint Streams = lines(40);
  Streams.Reuse = false;
  C.Options.PaperRule = true;
  C.Profiles[1].Levels[0] = Streams;
  Plan = C.plan();
  EXPECT_EQ(why(Plan.Loops[1]), Reason::NoReuse);
  EXPECT_EQ(why(Plan.Loops[2]), Reason::CannotFit);
  EXPECT_EQ(Plan.Loops[2].Groups, 1);
}

TEST(Nest, negativeSiblingsDoNotCoverEachOther) {
  Case C("titan-v", 8, 4);
  C.add(lines(1));
  C.add(lines(80), 0);
  C.add(lines(40), 0);
  KernelPlan Plan = C.plan();
  EXPECT_EQ(Plan.Loops[1].WarpsPerGroup, 3);
  EXPECT_EQ(Plan.Loops[2].WarpsPerGroup, 4);
  EXPECT_FALSE(Plan.Loops[2].Why);
}

TEST(Nest, orderOfTheProfilesDoesNotMatter) {
  Case C("titan-v", 8, 4);
  C.add(lines(1));
  C.add(lines(80), 0);
  C.add(lines(40), 1);
  KernelPlan A = C.plan();
  std::reverse(C.Profiles.begin(), C.Profiles.end());
  KernelPlan B = C.plan();
  for (size_t I = 0; I < A.Loops.size(); ++I) {
    EXPECT_EQ(A.Loops[I].Loop, I);
    EXPECT_EQ(A.Loops[I].WarpsPerGroup, B.Loops[I].WarpsPerGroup);
    EXPECT_EQ(A.Loops[I].Groups, B.Loops[I].Groups);
  }
}

//===-- Fewer blocks -----------------------------------------------------===//

TEST(FewerBlocks, positiveInTheSmallestCarveout) {
  // Five blocks of 200 lines fit in the 120 KiB that 8 KiB of shared memory
  // leave: 4 * 200 * 128 bytes with one warp at a time.
  Case C("titan-v", 8, 8);
  C.add(lines(200));
  KernelPlan Plan = C.plan();
  EXPECT_EQ(Plan.BlocksRemoved, 4);
  EXPECT_EQ(Plan.ReserveSharedBytes, 2 * KiB);
  ASSERT_TRUE(Plan.CarveoutPercent);
  EXPECT_EQ(Plan.After->BlocksPerSM, 4);
  EXPECT_EQ(Plan.After->L1Bytes, 120 * KiB);
  EXPECT_LE(Plan.Loops[0].FootprintBytesAfter, Plan.After->L1Bytes);
}

TEST(FewerBlocks, positiveWithTheL1ThatIsLeft) {
  // Five blocks of 200 lines would fit in 128 KiB; but holding the others off
  // in the driver's carve-out takes shared memory, and only with one block is
  // enough L1 left (64 KiB).
  Case C("titan-v", 8, 8);
  C.Options.MayPreferL1 = false;
  C.add(lines(200));
  KernelPlan Plan = C.plan();
  EXPECT_EQ(Plan.BlocksRemoved, 7);
  EXPECT_EQ(Plan.ReserveSharedBytes, 48 * KiB + 256);
  EXPECT_EQ(Plan.After->BlocksPerSM, 1);
  EXPECT_EQ(Plan.After->L1Bytes, 64 * KiB);
  EXPECT_FALSE(Plan.Loops[0].Why);
  EXPECT_EQ(Plan.Loops[0].WarpsPerGroup, 2); // and then two warps fit
  EXPECT_LE(Plan.Loops[0].FootprintBytesAfter, Plan.After->L1Bytes);
}

TEST(FewerBlocks, positiveWithAToldL1) {
  Case C("titan-v", 8, 8);
  C.Options.L1Bytes = 128 * KiB;
  C.add(lines(200));
  KernelPlan Plan = C.plan();
  EXPECT_EQ(Plan.BlocksRemoved, 3);
  EXPECT_EQ(Plan.Loops[0].WarpsPerGroup, 1);
}

TEST(FewerBlocks, positiveTheLargestOfTheLoops) {
  Case C("titan-v", 8, 8);
  C.Options.L1Bytes = 128 * KiB;
  C.add(lines(200)); // 3 blocks fewer
  C.add(lines(500)); // 6 blocks fewer
  C.add(lines(10));  // 10 * 64 lines: fits
  KernelPlan Plan = C.plan();
  EXPECT_EQ(Plan.BlocksRemoved, 6);
  EXPECT_EQ(Plan.Loops[0].WarpsPerGroup, 2); // 200 * 2 * 2
  EXPECT_EQ(Plan.Loops[1].WarpsPerGroup, 1);
  EXPECT_EQ(why(Plan.Loops[2]), Reason::Fits);
}

TEST(FewerBlocks, negativeNotWhereAnotherLoopWouldSuffer) {
  // The second loop fits in 128 KiB and cannot be split. With M = 7 L1 is 64
  // KiB, and its one block of 8 * 70 lines does not fit any more.
  Case C("titan-v", 8, 8);
  C.Options.MayPreferL1 = false;
  C.add(lines(200));
  LevelFootprint Shared = lines(1, 560);
  C.add(Shared).Refusals = {{Reason::BarrierInside, {}, ""}};
  KernelPlan Plan = C.plan();
  EXPECT_EQ(Plan.BlocksRemoved, 0);
  EXPECT_EQ(why(Plan.Loops[0]), Reason::CannotFit);
  EXPECT_EQ(why(Plan.Loops[1]), Reason::Fits);
  // Without that loop it would be done.
  C.K.Loops.pop_back();
  EXPECT_EQ(C.plan().BlocksRemoved, 7);
}

TEST(FewerBlocks, negativeALoopThatNothingHelpsDoesNotCount) {
  Case C("titan-v", 8, 8);
  C.Options.L1Bytes = 128 * KiB;
  C.add(lines(200));
  C.add(lines(5000));
  KernelPlan Plan = C.plan();
  EXPECT_EQ(Plan.BlocksRemoved, 3);
  EXPECT_EQ(why(Plan.Loops[1]), Reason::CannotFit);
}

TEST(FewerBlocks, negativeNotForALoopThatMayNotBeSplit) {
  Case C("titan-v", 8, 8);
  C.Options.L1Bytes = 128 * KiB;
  C.add(lines(200)).Refusals = {{Reason::WarpsCommunicate, {}, ""}};
  EXPECT_EQ(C.plan().BlocksRemoved, 0);
}

TEST(FewerBlocks, negativeNotEnoughSharedMemory) {
  // One block of two would have to take more than 48 KiB of 96.
  Case C("sm_61", 32, 2);
  C.add(lines(300, 0, 32)); // 384 lines of L1
  KernelPlan Plan = C.plan();
  EXPECT_EQ(Plan.BlocksRemoved, 0);
  EXPECT_EQ(why(Plan.Loops[0]), Reason::CannotFit);
  ASSERT_EQ(Plan.Refusals.size(), 1u);
  EXPECT_EQ(Plan.Refusals[0].Kind, Reason::NotEnoughShared);
  EXPECT_EQ(Plan.Refusals[0].Detail, "1 block per SM would fit");
}

//===-- prefer-l1 --------------------------------------------------------===//

/// 8 blocks of 9 KiB: the driver takes 132 KiB and leaves 124 to L1, 100 KiB
/// hold them and leave 156.
Case withShared(LevelFootprint Level) {
  Case C("h200", 8, 8);
  C.Options.Block.StaticSharedBytes = 8 * KiB;
  C.Before = cantFail(residency(C.Options.Gpu, C.Options.Block));
  EXPECT_EQ(C.Before.L1Bytes, 124 * KiB);
  C.add(std::move(Level));
  return C;
}

TEST(PreferL1, positiveAsksForWhatTheBlocksHold) {
  Case C = withShared(lines(17)); // 136 KiB
  KernelPlan Plan = C.plan();
  EXPECT_EQ(Plan.CarveoutPercent, 42);
  EXPECT_EQ(Plan.After->CarveoutBytes, 100 * KiB);
  EXPECT_EQ(Plan.After->L1Bytes, 156 * KiB);
  EXPECT_EQ(why(Plan.Loops[0]), Reason::Fits);
}

TEST(PreferL1, positiveTheGridHasFewerBlocks) {
  Case C("h200", 8, 1); // the driver leaves room for 16 blocks
  C.Options.Block.StaticSharedBytes = 8 * KiB;
  C.Before = cantFail(residency(C.Options.Gpu, C.Options.Block));
  EXPECT_EQ(C.Before.CarveoutBytes, 132 * KiB);
  C.add(lines(136));
  EXPECT_EQ(C.plan().After->CarveoutBytes, 16 * KiB);
}

TEST(PreferL1, negativeGainsNothing) {
  EXPECT_FALSE(withShared(lines(15)).plan().CarveoutPercent); // fits anyway
  Case Neither = withShared(lines(200));
  Neither.Options.MayReserve = false;
  EXPECT_FALSE(Neither.plan().CarveoutPercent);
  LevelFootprint Once = lines(17);
  Once.Reuse = false;
  EXPECT_FALSE(withShared(Once).plan().CarveoutPercent);
  Case Refused = withShared(lines(17));
  Refused.Options.MayPreferL1 = false;
  EXPECT_FALSE(Refused.plan().CarveoutPercent);
}

TEST(PreferL1, negativeNothingToAskFor) {
  Case Small("h200", 8, 8); // 28 KiB are enough, and always there
  Small.add(lines(3));
  EXPECT_FALSE(Small.plan().CarveoutPercent);
  Case Unused("h200", 8, 8); // no shared memory: the driver does it by itself
  Unused.add(lines(64));
  EXPECT_FALSE(Unused.plan().CarveoutPercent);
  Case Apart("sm_61", 8, 8); // L1 is not shared with anything
  Apart.Options.Block.StaticSharedBytes = 16;
  Apart.add(lines(64));
  EXPECT_FALSE(Apart.plan().CarveoutPercent);
  Case Told = withShared(lines(17)); // the user said which L1 to plan for
  Told.Options.L1Bytes = 124 * KiB;
  EXPECT_FALSE(Told.plan().CarveoutPercent);
  Case Asked = withShared(lines(17)); // the program asks already
  Asked.Options.Block.CarveoutPercent = 10;
  EXPECT_FALSE(Asked.plan().CarveoutPercent);
}

//===-- Candidates -------------------------------------------------------===//

TEST(Candidates, positiveAllChoicesInOrder) {
  Case C("titan-v", 4, 2);
  std::vector<Candidate> All =
      candidates(lines(100, 0, 4), C.Before, C.Options);
  std::vector<std::pair<int64_t, int64_t>> Points;
  for (const Candidate &K : All)
    Points.push_back({K.WarpsPerGroup, K.BlocksPerSM});
  using P = std::pair<int64_t, int64_t>;
  EXPECT_THAT(Points, ElementsAre(P{4, 2}, P{2, 2}, P{1, 2}, P{4, 1}, P{2, 1},
                                  P{1, 1}));
  EXPECT_EQ(All[0].Groups, 1);
  EXPECT_EQ(All[0].FootprintBytes, 100 * 8 * 128);
  EXPECT_EQ(All[0].L1Bytes, C.Before.L1Bytes);
  EXPECT_EQ(All[0].activeWarps(), 8);
  EXPECT_EQ(All[3].BlocksRemoved, 1);
  EXPECT_EQ(All[3].L1Bytes, 120 * KiB);
}

TEST(Candidates, negativeBlocksThatCannotBeHeldOffAreNotOffered) {
  Case C("sm_61", 32, 2);
  for (const Candidate &K : candidates(lines(1, 0, 32), C.Before, C.Options))
    EXPECT_EQ(K.BlocksPerSM, 2);
}

TEST(Candidates, footprintNeverGrowsWithFewerWarpsOrBlocks) {
  Case C("h200", 8, 8);
  std::vector<Candidate> All = candidates(lines(33, 7), C.Before, C.Options);
  EXPECT_EQ(All.size(), 5u * 8);
  for (const Candidate &A : All)
    for (const Candidate &B : All)
      if (A.WarpsPerGroup <= B.WarpsPerGroup && A.BlocksPerSM <= B.BlocksPerSM)
        EXPECT_LE(A.FootprintBytes, B.FootprintBytes);
}

TEST(Candidates, registersOfABlockThatCanStillBeLaunched) {
  const Device Gpu = llvm::cantFail(findDevice("h200"));
  Kernel K;
  EXPECT_TRUE(hasRegisters(K, Gpu, 1024, 12)); // nobody asked
  K.Registers = RegisterRange{40, 30, 52, Origin::Estimated};
  EXPECT_TRUE(hasRegisters(K, Gpu, 1024, 12)); // 64 are left to each thread
  EXPECT_FALSE(hasRegisters(K, Gpu, 1024, 13));
  EXPECT_TRUE(hasRegisters(K, Gpu, 512, 76));
  EXPECT_FALSE(hasRegisters(K, Gpu, 512, 77));
  EXPECT_TRUE(hasRegisters(K, Gpu, 256, 1000)); // the compiler spills
  K.MaxThreads = 512;
  EXPECT_FALSE(hasRegisters(K, Gpu, 1024, 13));
  K.MaxThreads = 1024;
  EXPECT_TRUE(hasRegisters(K, Gpu, 1024, 1000));
}

TEST(Candidates, threadsOfTheBlockToCompileFor) {
  const Device Gpu = llvm::cantFail(findDevice("h200"));
  Kernel K;
  K.Launches.emplace_back().Block = {256, 1, 1};
  EXPECT_EQ(threadsToBound(K, Gpu, 12), 1024); // another file may launch it
  K.Registers = RegisterRange{40, 30, 52, Origin::Estimated};
  EXPECT_EQ(threadsToBound(K, Gpu, 12), 0);
  EXPECT_EQ(threadsToBound(K, Gpu, 13), 1024);
  K.AllLaunchesVisible = true;
  EXPECT_EQ(threadsToBound(K, Gpu, 1000), 0);
  K.Launches[0].Block = {16, 32, 1}; // whatever an estimate says
  EXPECT_EQ(threadsToBound(K, Gpu, 12), 512);
  K.MaxThreads = 512;
  EXPECT_EQ(threadsToBound(K, Gpu, 1000), 0);
}

} // namespace
