//===- WarpTimelineTest.cpp - Tests of WarpTimeline and GridTime ----------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions are put together here: the nine bits that say which, and the
// bits that say what to wait for.
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/WarpTimeline.h"
#include "analysis/registers/MachineCode.h"
#include "analysis/time/GridTime.h"
#include "gtest/gtest.h"

namespace catt {
namespace {

constexpr uint64_t Ldg = 0x981, Ldl = 0x983, Stl = 0x387, Ffma = 0x223,
                   Bra = 0x947, Call = 0x944, ExitNow = 0x94d;
constexpr unsigned None = 7;

/// Machine code, as far as it matters.
class Code {
public:
  Code &add(uint64_t Opcode, unsigned Stall = 1, unsigned Sets = None,
            unsigned WaitsFor = 0, unsigned Predicate = None) {
    uint64_t Low = Opcode | uint64_t(Predicate) << 12;
    uint64_t High =
        uint64_t(Stall) << (105 - 64) | uint64_t(Sets) << (110 - 64) |
        uint64_t(None) << (113 - 64) | uint64_t(WaitsFor) << (116 - 64);
    put(Low);
    put(High);
    return *this;
  }
  /// A call of what stands behind so many instructions (-1: itself), on sm_90.
  Code &call(int64_t Over) {
    const int64_t Words = 4 * Over;
    put(Call | uint64_t(None) << 12 | uint64_t(Words & 0xff) << 16 |
        uint64_t(Words >> 8) << 34);
    put(((uint64_t(Words >> 8) >> 30) & 0x3ffff) | uint64_t(1) << 41 |
        uint64_t(None) << 46 | uint64_t(None) << 49);
    return *this;
  }
  /// A branch back over so many instructions, as an architecture has it.
  Code &back(int64_t Instructions, unsigned Version) {
    const int64_t Words = -4 * (Instructions + 1);
    const uint64_t Field = uint64_t(Version >= 90 ? Words >> 8 : Words);
    const uint64_t Low = Bra | uint64_t(None) << 12 | Field << 34 |
                         (Version >= 90 ? uint64_t(Words & 0xff) << 16 : 0);
    const uint64_t High = ((Field >> 30) & 0x3ffff) | uint64_t(1) << 41 |
                          uint64_t(None) << 46 | uint64_t(None) << 49;
    put(Low);
    put(High);
    return *this;
  }
  WarpCost cost(const char *Architecture = "sm_90") const {
    std::optional<WarpCost> C = costOfWarp(Bytes, Architecture);
    EXPECT_TRUE(C.has_value());
    return C.value_or(WarpCost());
  }
  std::string Bytes;

private:
  void put(uint64_t Word) {
    for (int I = 0; I < 8; ++I)
      Bytes += char(Word >> (8 * I));
  }
};

TEST(WarpTimeline, LoadsThatAreWaitedForTogether) {
  Code Together, Apart;
  Together.add(Ldg, 2, 0).add(Ldg, 2, 1).add(Ffma, 4, None, 3).add(ExitNow);
  Apart.add(Ldg, 2, 0)
      .add(Ffma, 4, None, 1)
      .add(Ldg, 2, 1)
      .add(Ffma, 4, None, 2);
  Apart.add(ExitNow);
  EXPECT_EQ(Together.cost().Cycles, 2 + 700 + 4 + 1);
  EXPECT_EQ(Apart.cost().Cycles, 700 + 4 + 700 + 4 + 1);
  EXPECT_EQ(Together.cost().CyclesInL1, 2 + 40 + 4 + 1);
  EXPECT_EQ(Apart.cost().CyclesInL1, 40 + 4 + 40 + 4 + 1);
  EXPECT_EQ(Together.cost().Global, 2);
  EXPECT_EQ(Together.cost().Issued, 4);
}

TEST(WarpTimeline, ALoopCountsTenTimes) {
  for (const auto &[Architecture, Version] :
       {std::pair("sm_75", 75U), std::pair("sm_89", 89U),
        std::pair("sm_90", 90U), std::pair("sm_120", 120U)}) {
    Code C;
    C.add(Ffma, 3); // before it
    for (int I = 0; I < 100; ++I)
      C.add(Ffma, 2);
    C.back(100, Version).add(ExitNow);
    EXPECT_EQ(C.cost(Architecture).Issued, 1 + 10 * 101 + 1) << Architecture;
    EXPECT_EQ(C.cost(Architecture).Cycles, 3 + 10 * 201 + 1) << Architecture;
  }
}

TEST(WarpTimeline, LoopsInLoopsCountAHundredTimes) {
  Code C;
  C.add(Ffma).add(Ldl).add(Stl).back(2, 90).back(4, 90).add(ExitNow);
  EXPECT_EQ(C.cost().Local, 200);
  EXPECT_EQ(C.cost().Issued, 10 * (1 + 30 + 1) + 1);
}

TEST(WarpTimeline, NegativeTwoBranchesToOnePlaceAreOneLoop) {
  Code C; // `continue`
  C.add(Ffma).add(Ldl).back(2, 90).add(Stl).back(4, 90).add(ExitNow);
  EXPECT_EQ(C.cost().Local, 20);
  EXPECT_EQ(C.cost().Issued, 10 * 5 + 1);
}

TEST(WarpTimeline, ALoopFromTheFirstInstructionOn) {
  Code C;
  C.add(Ffma).back(1, 90).add(ExitNow);
  EXPECT_EQ(C.cost().Issued, 10 * 2 + 1);
}

TEST(WarpTimeline, WhatIsWaitedForInTheNextRoundIsUnderWay) {
  Code Ahead, Late; // loads for the next round, or for this one
  Ahead.add(Ffma, 4, None, 1).add(Ldg, 2, 0);
  for (int I = 0; I < 80; ++I)
    Ahead.add(Ffma, 10);
  Ahead.back(82, 90).add(ExitNow);
  Late.add(Ldg, 2, 0).add(Ffma, 4, None, 1);
  for (int I = 0; I < 80; ++I)
    Late.add(Ffma, 10);
  Late.back(82, 90).add(ExitNow);
  EXPECT_LT(2 * Ahead.cost().Cycles, 1.2 * Late.cost().Cycles + 700);
}

TEST(WarpTimeline, NegativeASlowPathBehindTheEndIsNoPartOfIt) {
  Code C;
  C.add(Ffma).add(ExitNow, 1, None, 0, /*Predicate=*/0).add(Ffma).add(ExitNow);
  Code WithPath = C;
  WithPath.add(Ffma).add(Ffma);
  EXPECT_EQ(C.cost().Issued, 4) << "a way out for some lanes is not the end";
  EXPECT_EQ(WithPath.cost().Issued, 4);
}

TEST(WarpTimeline, ACallRunsTheFunction) {
  // 0: a call of 4; 1: the end; 2, 3: of no one; 4 to 5: the function.
  Code C;
  C.call(/*Over=*/3).add(ExitNow).add(Ffma).add(Ffma).add(Ldg, 1, 0).add(Ffma);
  const CodeRange Function = {4 * 16, 6 * 16};
  auto Cost = costOfWarp(C.Bytes, "sm_90", Function);
  ASSERT_TRUE(Cost.has_value());
  EXPECT_EQ(Cost->Issued, 4);
  EXPECT_EQ(Cost->Global, 1);
  EXPECT_EQ(C.cost().Issued, 2) << "a slow path of ptxas' own";
}

TEST(WarpTimeline, NegativeAFunctionThatCallsItselfComesToAnEnd) {
  Code C;
  C.call(/*Over=*/1).add(ExitNow).call(/*Over=*/-1).add(Ffma);
  auto Cost = costOfWarp(C.Bytes, "sm_90", CodeRange{2 * 16, 4 * 16});
  ASSERT_TRUE(Cost.has_value());
  EXPECT_LT(Cost->Issued, 100);
}

TEST(MachineCode, CallerOfASymbol) {
  EXPECT_EQ(callerOf("$callDeep$_ZN38_INTERNAL_5fifthEf"), "callDeep");
  EXPECT_EQ(callerOf("$_Z1kPf$_Z4leaff"), "_Z1kPf");
  for (const char *Symbol : {"_Z1kPf", "", "$", "$k", "$$leaf",
                             "$__internal_0_$__cuda_sm20_sqrt_rn_f32_slowpath"})
    EXPECT_EQ(callerOf(Symbol), "") << Symbol;
}

TEST(WarpTimeline, NegativeOtherMachines) {
  Code C;
  C.add(ExitNow);
  for (const char *Architecture : {"sm_61", "sm_", "compute_90", "gfx90a"})
    EXPECT_FALSE(costOfWarp(C.Bytes, Architecture).has_value()) << Architecture;
}

TEST(WarpTimeline, NegativeLoopsTooDeepToFollow) {
  Code C; // the Nth loop from within begins at 39 - N and ends at 40 + N
  for (int I = 0; I < 40; ++I)
    C.add(Ffma);
  for (int N = 0; N < 30; ++N)
    C.back(1 + 2 * N, 90);
  EXPECT_FALSE(costOfWarp(C.Bytes, "sm_90").has_value());
}

TEST(WarpTimeline, NegativeNoObjectFile) {
  auto Costs = costsOfWarps("ptxas", "sm_90");
  EXPECT_FALSE(bool(Costs));
  llvm::consumeError(Costs.takeError());
}

//===-- A grid ------------------------------------------------------------===//

Device h200() { return llvm::cantFail(findDevice("h200")); }

/// Waits: two blocks take as long as one.
ResidentBlocks waiting(int64_t Blocks) {
  return {{10000, 100, 10, 0, 0}, 256, Blocks, 0, 0};
}

TEST(GridTime, TheLastWaveIsAsLongAsTheOthers) {
  const Device Gpu = h200();
  const double One = gridCycles(waiting(2), 264, 132, Gpu);
  EXPECT_NEAR(gridCycles(waiting(2), 265, 132, Gpu), 2 * One, 0.05 * One);
  EXPECT_NEAR(gridCycles(waiting(3), 396, 132, Gpu), One, 0.05 * One);
  EXPECT_NEAR(gridCycles(waiting(1), 264, 132, Gpu), 2 * One, 0.05 * One);
}

TEST(GridTime, NegativeWhatIssuesGainsNothingByMoreBlocks) {
  const Device Gpu = h200();
  auto Busy = [](int64_t Blocks) {
    return ResidentBlocks{{1000, 9000, 10, 0, 0}, 256, Blocks, 0, 0};
  };
  EXPECT_NEAR(cyclesOfBlock(Busy(4), Gpu) / cyclesOfBlock(Busy(2), Gpu), 1,
              0.01);
  EXPECT_NEAR(gridCycles(Busy(4), 528, 132, Gpu) /
                  gridCycles(Busy(2), 528, 132, Gpu),
              1, 0.01);
}

TEST(GridTime, LocalMemoryThatL1DoesNotHoldIsTraffic) {
  const Device Gpu = h200();
  ResidentBlocks B = {{1000, 1000, 10, 200, 0}, 256, 4, 64, 0};
  const double Held = cyclesOfBlock(B, Gpu); // 64 KiB
  B.LocalBytes = 1024;                       // 1 MiB
  EXPECT_GT(cyclesOfBlock(B, Gpu), 1.2 * Held);
  B.LocalBytes = 64;
  B.SharedBytes = 56 << 10; // of 256 KiB, 32 are left
  EXPECT_GT(cyclesOfBlock(B, Gpu), 1.05 * Held);
}

TEST(GridTime, WhatStreamsThroughL1TakesSpillsAlong) {
  const Device Gpu = h200();
  auto Cycles = [&](double Global, int64_t LocalBytes) {
    return cyclesOfBlock({{1000, 1000, Global, 200, 0}, 256, 4, LocalBytes, 0},
                         Gpu);
  };
  // 32 warps load 8 KiB each, 256 KiB in all; or 64 KiB.
  EXPECT_GT(Cycles(512, 64) - Cycles(512, 0),
            1.2 * (Cycles(64, 64) - Cycles(64, 0)));
  EXPECT_EQ(Cycles(64, 64), Cycles(64, 0)) << "L1 holds both";
}

} // namespace
} // namespace catt
