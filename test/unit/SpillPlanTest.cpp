//===- SpillPlanTest.cpp - Tests of SpillPlan -----------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SpillTesting.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catt {
namespace {

using namespace testing;

//===-- Which, and how many -----------------------------------------------===//

TEST(SpillPlan, TheLeastAccessesFirst) {
  SpillBench B(spillKernel("  float hot = A[0], cold = A[1];\n"
                           "  for (int i = 0; i < n; ++i)\n"
                           "    hot += 1; // PEAK\n  y[0] = hot + cold;"),
               1);
  ASSERT_EQ(B.spill().Movable.size(), 2u);
  ASSERT_EQ(B.spill().Moved.size(), 1u);
  EXPECT_TRUE(B.spill().Moved[0].Of.Around);
  EXPECT_EQ(B.spill().accesses(), 2);
  EXPECT_GT(B.spill().Movable[1].Accesses, 20);
}

TEST(SpillPlan, NoMoreThanLeavesTheBlocksResident) {
  SpillBench B(longArray("<<<9999, 256>>>"));
  // 16 registers: 8 blocks of 256 threads, 28 KiB for each of 228, less 1 KiB
  // that each block takes itself.
  EXPECT_EQ(B.spill().Blocks, 8);
  EXPECT_EQ(B.spill().LimitBytes, 108);
  EXPECT_EQ(B.spill().MovedRegisters, 27);
}

TEST(SpillPlan, DynamicSlotsWhereEveryLaunchCanAskForThem) {
  auto Limit = [](const std::string &Launch,
                  const std::string &Head = "static __global__ void") {
    return SpillBench(longArray(Launch, Head)).spill().LimitBytes;
  };
  // 2 blocks of 1024 threads, 114 KiB each, of which 1 KiB is the system's.
  EXPECT_EQ(Limit("<<<9999, 1024>>>"), 112);
  EXPECT_EQ(Limit("<<<9999, 1024, 4090>>>"), 108);
  EXPECT_EQ(
      Limit("<<<9999, 1024>>>", "__global__ void __launch_bounds__(1024)"), 48)
      << "there may be other launches";
  EXPECT_EQ(Limit("<<<9999, 1024, 4096>>>(A, A, 4);\n  k<<<99, 1024>>>"), 44)
      << "they take different amounts";
  EXPECT_EQ(
      Limit("<<<9999, 1024>>>",
            "// catt: launch(grid=9, block=1024)\nstatic __global__ void"),
      48)
      << "a launch that the user tells is not in the text";
  SpillBench Taken(longArray("<<<9999, 1024>>>"));
  Taken.Options.MayRaiseShared = false;
  EXPECT_EQ(planSpill(Taken.R.Kernels[0].Source, Taken.Use, 16, Taken.Options)
                .LimitBytes,
            48);
}

TEST(SpillPlan, NoMoreThanPreferL1Leaves) {
  SpillBench B(longArray("<<<9999, 256>>>"));
  B.Options.CarveoutPercent = 43; // 100 KiB: 12.5 for each of 8 blocks
  EXPECT_EQ(planSpill(B.R.Kernels[0].Source, B.Use, 16, B.Options).LimitBytes,
            44);
}

TEST(SpillPlan, FewerAccessesAroundThePeakOrWhereItIsTouched) {
  auto Kernel = [](const char *More) {
    return spillKernel("  float v[8] = {};\n  for (int i = 0; i < n; ++i)\n"
                       "#pragma unroll\n    for (int j = 0; j < 8; ++j) {\n"
                       "      v[j] += A[j];\n" +
                       std::string(More) +
                       "      y[i] = 1; // PEAK\n    }\n  y[0] = v[3];");
  };
  SpillBench One(Kernel(""));
  EXPECT_FALSE(One.spill().Movable[0].Around) << "one element at a time";
  EXPECT_EQ(One.spill().Movable[0].Accesses, 1 + 20 + 1. / 8);
  SpillBench Many(
      Kernel("      v[0] += 1; v[1] += 1; v[2] += 1; v[3] += 1;\n"
             "      v[4] += 1; v[5] += 1; v[6] += 1; v[7] += 1;\n"
             "      v[0] += 2; v[1] += 2; v[2] += 2; v[3] += 2;\n"
             "      v[4] += 2; v[5] += 2; v[6] += 2; v[7] += 2;\n"));
  EXPECT_TRUE(Many.spill().Movable[0].Around) << "eight loads, eight stores";
}

TEST(SpillPlan, NegativeNotPastABlockOfItsOwn) {
  SpillBench B(spillKernel("  float s = A[0];\n"
                           "  for (int i = 0; i < n; ++i)\n"
                           "    y[i] = 1; // PEAK\n"
                           "  {\n    int r = n;\n    while (r-- > 0)\n"
                           "      s += A[r];\n  }\n"
                           "  y[1] = 2;\n  y[0] = s;"),
               255, {"s"});
  std::string New = B.checked();
  EXPECT_LT(New.find("s = *cattSpill_s;"), New.find("int r = n;")) << New;
}

TEST(SpillPlan, WhatTheStatementBeforeHadIsNotLoadedAgain) {
  SpillBench B(spillKernel("  float a = 0, b = 0;\n"
                           "  for (int i = 0; i < n; ++i) {\n"
                           "    b = a + A[i]; // PEAK\n    a += b;\n"
                           "    if (i > 3)\n      y[i] = b;\n"
                           "    a += 2;\n  }\n  y[0] = a + b;"));
  std::string New = B.checked();
  llvm::StringRef Text = New;
  EXPECT_EQ(Text.count("a = *cattSpill_a;"), 3u) << "not for a += b";
  EXPECT_EQ(Text.count("b = *cattSpill_b;"), 2u) << "not for a += b";
  EXPECT_EQ(Text.count("*cattSpill_a = a;"), 3u) << "each definition";
}

TEST(SpillPlan, HowOftenThePeakRuns) {
  auto Times = [](const std::string &Loop) {
    return SpillBench(spillKernel("  float s = A[0];\n" + Loop +
                                  "      y[j] = 1; // PEAK\n  y[n] = s;"))
        .spill()
        .SpillTimes;
  };
  std::string Few = "  for (int j = 0; j < 8; ++j)\n";
  std::string Many = "  for (int j = 0; j < 128; ++j)\n";
  EXPECT_EQ(Times(Few), 1) << "unrolled unasked";
  EXPECT_EQ(Times("#pragma unroll\n" + Many), 1);
  EXPECT_EQ(Times("#pragma unroll 4\n" + Many), 128) << "in part";
  EXPECT_EQ(Times("  for (int i = 0; i < 16; ++i)\n" + Few), 1);
  EXPECT_EQ(Times("  for (int i = 0; i < 16; ++i)\n" + Many), 16 * 128)
      << "nobody copies a loop 16 times";
}

TEST(SpillPlan, SpillsStandInAsFewLoopsAsTheirValuesAllow) {
  Parsed P = parseSnippet(
      spillKernel("  for (int i = 0; i < 64; ++i)\n"
                  "    for (int j = 0; j < n; ++j)\n      y[j] = 1;"));
  RegisterUse Use;
  Use.Peaks.emplace_back();
  Use.Peaks[0].Begin = Use.Peaks[0].End = {"/snippet/kernel.cu", 4, 7};
  auto Live = [&](unsigned Registers, unsigned UseWeight) {
    Use.Peaks[0].Live.push_back({"v", {}, Registers, false, UseWeight});
  };
  auto Times = [&](int64_t Lacking) {
    return timesSpilled(P.kernel("k"), Use, Lacking);
  };
  EXPECT_EQ(Times(4), 640) << "nothing is known";
  Live(2, 300), Live(3, 1), Live(1, 25);
  EXPECT_EQ(Times(3), 1);
  EXPECT_EQ(Times(4), (3 * 1 + 64) / 4.);
  EXPECT_EQ(Times(9), (3 * 1 + 64 + 2 * 640) / 6.);
}

TEST(SpillPlan, NegativeAPragmaThatCostsABlock) {
  SharedSpill S;
  S.Numbering.Threads = 256;
  S.LimitBytes = 8;
  SpillStep Step;
  Step.Pragma = true;
  Step.Compiled.SharedBytes = 8 * 256;
  addStep(Kernel(), Step, S);
  ASSERT_EQ(S.Steps.size(), 1u);
  EXPECT_EQ(S.Steps[0].Cost, 4) << "two slots, each stored and loaded";
  Step.Compiled.SharedBytes += 4;
  addStep(Kernel(), Step, S);
  EXPECT_EQ(S.Steps.size(), 1u);
}

TEST(SpillPlan, TheBestStepIsNotTheLargest) {
  // 96 values of which so many are moved, and what ptxas 13.0 then spills under
  // a cap of 80 registers.
  SharedSpill S;
  S.SpillTimes = 10;
  Kernel K;
  auto Step = [&](int64_t Moved, unsigned Bytes) {
    SpillStep T;
    T.MovedRegisters = Moved;
    T.Accesses = 32.0 * double(Moved);
    T.Compiled.SpillStoreBytes = T.Compiled.SpillLoadBytes = Bytes;
    addStep(K, T, S);
  };
  Step(0, 422), Step(48, 0), Step(24, 0), Step(23, 4), Step(21, 24);
  EXPECT_EQ(S.Steps[bestStep(S)].MovedRegisters, 23);
}

TEST(SpillPlan, ByMachineCodeTheBestStepTakesTheFewestCycles) {
  SharedSpill S;
  S.Gpu = llvm::cantFail(findDevice("h200"));
  S.Blocks = 2;
  S.Numbering.Threads = 256;
  auto Step = [&](int64_t Moved, double Accesses, double Local, double Shared) {
    SpillStep T;
    T.MovedRegisters = Moved;
    T.Accesses = Accesses;
    T.Compiled.Warp = WarpCost{5000, 2000, 20, Local, Shared};
    addStep(Kernel(), T, S);
  };
  Step(0, 500, 400, 0), Step(8, 10, 300, 10), Step(24, 400, 0, 200);
  EXPECT_EQ(S.Steps[bestStep(S)].MovedRegisters, 24)
      << "not the one with the fewest accesses";
  EXPECT_LT(S.Steps[2].Cycles, S.Steps[1].Cycles);
  SpillStep Wide = S.Steps[1]; // whose slots leave its spills little of L1
  Wide.Compiled.StackBytes = 64;
  addStep(Kernel(), Wide, S);
  Wide.DynamicBytes = 120 << 10;
  addStep(Kernel(), Wide, S);
  EXPECT_GT(S.Steps[4].Cycles, S.Steps[3].Cycles);
  S.Steps.resize(3);
  S.Steps[1].Cycles.reset();
  EXPECT_EQ(S.Steps[bestStep(S)].MovedRegisters, 8)
      << "not where that of one is not known";
}

//===-- Slots that values share -------------------------------------------===//

/// "a 0, b 4": where each value that is moved lies in a thread's frame.
std::string frame(const SpillBench &B) {
  std::string Out;
  for (const MovedValue &M : B.spill().Moved)
    Out += (Out.empty() ? "" : ", ") +
           B.R.Kernels[0].Source.Values[M.Of.Value].Name + " " +
           std::to_string(M.OffsetBytes);
  return Out;
}

/// A value, and a loop that does not touch it.
std::string phase(const std::string &Type, const std::string &Name) {
  return "    " + Type + " " + Name + " = A[n];\n" +
         "    for (int j = 0; j < n; ++j)\n      y[j] = 1; // PEAK\n" +
         "    y[n] = " + Name + ";\n";
}

TEST(SpillPlan, PositiveValuesOfTwoPeaksShare) {
  SpillBench B(spillKernel("  {\n" + phase("float", "a") + "  }\n  {\n" +
                           phase("int", "b") + "  }"));
  EXPECT_EQ(frame(B), "a 0, b 0");
  EXPECT_EQ(B.spill().FrameBytes, 4);
  EXPECT_EQ(B.spill().MovedRegisters, 1) << "at once";
  B.checked();
}

TEST(SpillPlan, PositiveSoDoThoseThatALoopDoesNotCarry) {
  SpillBench B(spillKernel("  for (int i = 0; i < n; ++i) {\n  {\n" +
                           phase("float", "a") + "  }\n  {\n" +
                           phase("float", "b") + "  }\n  }"));
  EXPECT_EQ(frame(B), "a 0, b 0");
}

TEST(SpillPlan, NegativeLiveTogetherSharesNothing) {
  SpillBench B(
      spillKernel("  float b = A[1];\n" + phase("float", "a") + "  y[0] = b;"));
  EXPECT_EQ(frame(B), "b 0, a 4");
}

TEST(SpillPlan, NegativeCarriedByALoopSharesNothing) {
  // The text has no access of c behind the first line of the loop.
  SpillBench B(spillKernel("  float c = 0;\n  for (int i = 0; i < n; ++i) {\n"
                           "    y[i] = c++; // PEAK\n    {\n" +
                           phase("float", "a") + "    }\n  }"));
  EXPECT_EQ(frame(B), "c 0, a 4");
}

TEST(SpillPlan, NegativeOtherWidthsShareNothing) {
  // Thread 1 would keep its double where thread 2 keeps its float.
  SpillBench B(spillKernel("  {\n" + phase("float", "a") + "  }\n  {\n" +
                           phase("double", "b") + "  }"));
  EXPECT_EQ(frame(B), "a 8, b 0");
}

//===-- When --------------------------------------------------------------===//

TEST(SpillPlan, NegativeNoTargetWithoutSpills) {
  RegisterPlan P;
  P.Points.resize(2);
  P.Points[1].Compiled.CapRegisters = 64;
  P.Chosen = 1;
  EXPECT_EQ(spillTarget(P, std::nullopt), std::nullopt);
  P.Points[1].Compiled.SpillLoadBytes = 8;
  EXPECT_EQ(spillTarget(P, std::nullopt), 64);
}

} // namespace
} // namespace catt
