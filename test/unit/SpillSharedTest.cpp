//===- SpillSharedTest.cpp - Tests of transforms/SpillShared -----*- C++ -*-==//
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
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const char *Across = "  float s = A[0];\n"
                     "  for (int i = 0; i < n; ++i)\n"
                     "    y[i] = A[i]; // PEAK\n"
                     "  y[n] = s;";

//===-- Written -----------------------------------------------------------===//

TEST(SpillShared, PositiveAroundThePeak) {
  SpillBench B(spillKernel(Across));
  EXPECT_THAT(B.rewritten(),
              HasSubstr("  float s = A[0];\n"
                        "  // catt: spill-shared(s)\n"
                        "  volatile decltype(s) *const cattSpill_s =\n"
                        "      (volatile decltype(s) *)(cattSpill + 0) + "
                        "threadIdx.x; // catt: done\n"
                        "  // catt: spill-shared(s)\n"
                        "  *cattSpill_s = s; // catt: done\n"
                        "  for (int i = 0; i < n; ++i)\n"
                        "    y[i] = A[i]; // PEAK\n"
                        "  // catt: spill-shared(s)\n"
                        "  s = *cattSpill_s; // catt: done\n"
                        "  y[n] = s;"));
  ASSERT_EQ(B.edits().Done.size(), 1u);
  EXPECT_EQ(B.edits().Done[0].Summary,
            "moved 1 register of each thread to 1024 bytes of shared memory");
}

TEST(SpillShared, PositiveTouchedInThePeak) {
  SpillBench B(spillKernel("  float s = 0;\n  for (int i = 0; i < n; ++i)\n"
                           "    s += A[i]; // PEAK\n  y[n] = s;"));
  std::string Text = B.rewritten();
  EXPECT_THAT(
      Text, HasSubstr("{\n      s = *cattSpill_s;\n      { // catt: begin\n"));
  EXPECT_THAT(
      Text,
      HasSubstr(
          "} // catt: end\n      *cattSpill_s = s;\n    } // catt: done"));
}

TEST(SpillShared, PositiveBracesThatCloseTogether) {
  SpillBench B(
      spillKernel("  float s = 0;\n  for (int i = 0; i < n; ++i)\n"
                  "    if (n > 9) // PEAK\n      y[i] = 1;\n"
                  "    else if (s < 3)\n      s += A[i];\n  y[n] = s;"));
  EXPECT_THAT(
      B.rewritten(), // reverts
      HasSubstr("*cattSpill_s = s; } /* catt: done */ /* catt: end */ } }"));
}

TEST(SpillShared, PositiveOnlySomeElementsOfAnArray) {
  std::string Code = spillKernel("  float v[2][4];\n#pragma unroll\n"
                                 "  for (int i = 0; i < 4; ++i) {\n"
                                 "    v[0][i] = A[i]; v[1][i] = 1;\n  }\n"
                                 "  for (int j = 0; j < n; ++j)\n"
                                 "    v[0][0] += v[1][3]; // PEAK\n"
                                 "  y[0] = v[0][0];");
  SpillBench B(Code, 6);
  std::string Text = B.rewritten();
  EXPECT_THAT(Text, HasSubstr("cattSpill_v[(0 * 4 + i) * 256] = v[0][i];"));
  EXPECT_THAT(Text, HasSubstr("if (1 * 4 + i < 6)"));
  EXPECT_THAT(Text, HasSubstr("v[0][0] = *cattSpill_v;"));
  EXPECT_THAT(Text, Not(HasSubstr("v[1][3] = "))) << "element 7 stays";
  EXPECT_EQ(B.spill().FrameBytes, 24);
}

TEST(SpillShared, PositiveWholeArraysAndVectors) {
  SpillBench B(
      spillKernel("  double d[2] = {1, 2};\n  float4 q[2];\n"
                  "  q[0] = q[1] = make_float4(1, 2, 3, 4);\n  short h = n;\n"
                  "  for (int j = 0; j < n; ++j)\n    y[j] = 1; // PEAK\n"
                  "  y[0] = d[0] + q[1].x + h;"));
  std::string Text = B.rewritten();
  EXPECT_THAT(Text, HasSubstr("double volatile *const cattSpill_d"));
  EXPECT_THAT(Text, HasSubstr("decltype(q[0].x)"));
  EXPECT_THAT(Text, HasSubstr("cattSpill_q[(cattI * 4 + 3) * 256]"));
  // 16 bytes of doubles, 32 of vectors, 2 of a short, to a multiple of 4.
  EXPECT_EQ(B.spill().FrameBytes, 52);
}

TEST(SpillShared, PositiveBlocksWithRows) {
  EXPECT_THAT(
      SpillBench(spillKernel(Across, "<<<9, dim3(16, 4)>>>")).rewritten(),
      HasSubstr("(threadIdx.x + 16 * (threadIdx.y + 4 * "
                "threadIdx.z))"));
  SpillBench Two(spillKernel(Across) +
                 "void more(float *A) { k<<<1, dim3(8, 8, 2)>>>"
                 "(A, A, 3); }\n");
  EXPECT_EQ(Two.spill().Numbering.Threads, 256 * 8 * 2);
}

TEST(SpillShared, PositiveLaunchesInSightOrNotWithABound) {
  SpillBench B(spillKernel(Across, "<<<9999, 256>>>",
                           "__global__ void __launch_bounds__(512)"));
  EXPECT_THAT(B.rewritten(),
              HasSubstr("blockDim.x * (threadIdx.y + blockDim.y * "
                        "threadIdx.z)"));
  EXPECT_EQ(B.spill().sharedBytes(), 2048);
}

TEST(SpillShared, PositiveThePragma) {
  SpillBench B(spillKernel(Across));
  SpillStep Step;
  Step.Pragma = true;
  take(B.R.Kernels[0].Source, Step, *B.R.Kernels[0].Spill);
  EXPECT_THAT(B.rewritten(),
              HasSubstr("asm volatile(\".pragma "
                        "\\\"enable_smem_spilling\\\";\"); // catt: done"));
}

TEST(SpillShared, PositiveASecondRunChangesNothing) {
  SpillBench Twice(SpillBench(spillKernel(Across)).rewritten());
  EXPECT_THAT(Twice.refusals(), ElementsAre(Reason::AlreadyRewritten));
}

TEST(SpillShared, PositiveNamesThatAreTaken) {
  EXPECT_THAT(SpillBench("int cattSpill;\n" + spillKernel(Across)).rewritten(),
              HasSubstr("unsigned char cattSpill2["));
}

const char *Pixel = "struct Pixel { float v[4]; int n; };\n";

TEST(SpillShared, PositiveMembersOfAStruct) {
  SpillBench B(Pixel +
               spillKernel("  Pixel p = {}, q[2] = {};\n"
                           "  for (int i = 0; i < n; ++i) {\n"
                           "    p.v[1] += A[i]; // PEAK\n"
                           "#pragma unroll\n"
                           "    for (int j = 0; j < 4; ++j)\n"
                           "      q[1].v[j] += A[i];\n"
                           "    p.n += i;\n  }\n"
                           "  y[0] = p.v[1] + q[1].v[2] + p.n + q[0].n;"));
  std::string Text = B.rewritten();
  EXPECT_THAT(Text, HasSubstr("volatile decltype(p.n) *const cattSpill_p_n"));
  EXPECT_THAT(Text, HasSubstr("p.v[1] = cattSpill_p_v[1 * 256];"));
  EXPECT_THAT(Text, HasSubstr("cattSpill_q_v[(1 * 4 + j) * 256] = q[1].v[j];"));
  EXPECT_THAT(Text, HasSubstr("q[cattI / 4].v[cattI % 4]"));
  // v, n, v of both, n of both
  EXPECT_EQ(B.spill().FrameBytes, 16 + 4 + 32 + 8);
}

TEST(SpillShared, PositiveCopiesOfAStruct) {
  SpillBench B(Pixel + spillKernel("  Pixel p = {}, q = {};\n"
                                   "  for (int i = 0; i < n; ++i) {\n"
                                   "    q = p; // PEAK\n"
                                   "    p.n = A[i];\n  }\n"
                                   "  y[0] = q.n + q.v[3];"));
  std::string Text = B.rewritten();
  EXPECT_THAT(Text,
              HasSubstr("p.v[cattI] =\n        cattSpill_p_v[cattI * 256]"));
  EXPECT_THAT(Text, HasSubstr("*cattSpill_q_n = q.n;"));
}

TEST(SpillShared, PositiveNamesOfMembersThatMeetThoseOfVariables) {
  SpillBench B(Pixel + spillKernel("  Pixel p = {}; int p_n = n;\n"
                                   "  for (int i = 0; i < n; ++i)\n"
                                   "    y[i] = 1; // PEAK\n"
                                   "  y[0] = p.n + p_n;"));
  std::string Text = B.rewritten(); // parses
  EXPECT_THAT(Text, HasSubstr("*cattSpill_p_n_ = p.n;"));
  EXPECT_THAT(Text, HasSubstr("*cattSpill_p_n = p_n;"));
}

TEST(SpillShared, PositiveACopyHasTheNameOfWhatItIsOf) {
  std::string Code = Pixel + spillKernel("  Pixel p = {};\n"
                                         "  for (int i = 0; i < n; ++i) {\n"
                                         "    const float a = A[i];\n"
                                         "    y[i] = p.v[0]; // PEAK\n"
                                         "    p.v[0] = a;\n  }");
  SpillBench B(Code, 255, {"a"});
  ASSERT_EQ(B.spill().Moved.size(), 1u);
  EXPECT_THAT(B.rewritten(), HasSubstr("*cattSpill_p_v = p.v[0];"));
  EXPECT_THAT(SpillBench(Code, 255, {"i"}).refusals(),
              ElementsAre(Reason::CannotReachTarget));
}

//===-- Refused -----------------------------------------------------------===//

TEST(SpillShared, NegativePointersThatAreFollowedAtThePeak) {
  SpillBench B(spillKernel("  const float *p = A;\n"
                           "  for (int i = 0; i < n; ++i) {\n"
                           "    y[i] = *p; // PEAK\n    p += 2;\n  }"));
  EXPECT_THAT(B.refusals(), ElementsAre(Reason::CannotReachTarget));
  SpillBench Around(spillKernel("  const float *p = A + n;\n"
                                "  for (int i = 0; i < n; ++i)\n"
                                "    y[i] = 1; // PEAK\n  y[0] = *p;"));
  EXPECT_THAT(Around.rewritten(), HasSubstr("*cattSpill_p = p;"));
}

TEST(SpillShared, NegativeStructsThatSomethingElseMayChange) {
  for (const char *Use :
       {"Pixel *r = &p; r->n = 1;", "int &r = p.n; r = 1;",
        "float *r = p.v; r[n] = 1;", "auto f = [&] { p.n = 1; }; f();",
        "p.v[n] = 1; atomicAdd(&p.n, 1);"}) {
    SpillBench B(Pixel + spillKernel("  Pixel p = {};\n  " + std::string(Use) +
                                     "\n  for (int i = 0; i < n; ++i)\n"
                                     "    y[i] = 1; // PEAK\n"
                                     "  y[0] = p.n + p.v[1];"));
    EXPECT_THAT(B.refusals(), ElementsAre(Reason::CannotReachTarget)) << Use;
  }
}

TEST(SpillShared, NegativeNamesThatMeanSomethingElseAtThePeak) {
  for (const char *Inner :
       {"int s = n;", "float &s = y[0];", "__shared__ float s;",
        "const float s = 1;", "struct s { int a; };", "int s[2] = {};",
        "extern __device__ int s;"}) {
    SpillBench B(spillKernel("  float s = A[0];\n  {\n    " +
                             std::string(Inner) +
                             "\n    for (int i = 0; i < n; ++i)\n"
                             "      y[i] = 1; // PEAK\n  }\n  y[0] = s;"));
    EXPECT_THAT(B.refusals(), ElementsAre(Reason::CannotReachTarget)) << Inner;
  }
}

TEST(SpillShared, NegativeLaunchesThatMayBeElsewhere) {
  for (const std::string &Code :
       {spillKernel(Across, "<<<9999, 256>>>", "__global__ void"),
        spillKernel(Across) + "void *address() { return (void *)k; }\n",
        spillKernel(Across) +
            "void more(float *A, int t) { k<<<1, t>>>(A, A, 3); "
            "}\n"}) {
    SpillBench B(Code);
    EXPECT_THAT(B.refusals(), ElementsAre(Reason::LaunchedElsewhere)) << Code;
    EXPECT_EQ(B.rewritten(), Code);
  }
}

TEST(SpillShared, NegativeNothingToMove) {
  for (const char *Body :
       {"  for (int i = 0; i < n; ++i)\n    y[i] = 1; // PEAK\n",
        "  const float s = A[0];\n  for (int i = 0; i < n; ++i)\n"
        "    y[i] = 1; // PEAK\n  y[0] = s;",
        "  float s = A[0];\n  atomicAdd(&s, 1);\n"
        "  for (int i = 0; i < n; ++i)\n    y[i] = 1; // PEAK\n  y[0] = s;",
        "  float s = A[0];\n  y[0] = s;\n"
        "  for (int i = 0; i < n; ++i)\n    y[i] = 1; // PEAK\n"}) {
    SpillBench B(spillKernel(Body));
    EXPECT_THAT(B.refusals(), ElementsAre(Reason::CannotReachTarget)) << Body;
  }
}

TEST(SpillShared, NegativeSharedMemoryIsFull) {
  SpillBench B(spillKernel("  __shared__ float all[12288]; all[n] = 1;\n" +
                           std::string(Across)));
  EXPECT_THAT(B.refusals(), ElementsAre(Reason::NotEnoughShared));
  SpillBench Unknown(
      spillKernel(Across, "<<<9, 256, sizeof(float) * atoi(\"7\")>>>"));
  EXPECT_THAT(Unknown.refusals(), ElementsAre(Reason::NotEnoughShared));
}

TEST(SpillShared, NegativeMacros) {
  SpillBench Builtin("#define threadIdx threadIdx\n" + spillKernel(Across));
  EXPECT_THAT(Builtin.refusals(), ElementsAre(Reason::InMacro));
  SpillBench Statement("#define SET(x) x = A[1]; x += 1;\n" +
                       spillKernel("  float s;\n  SET(s)\n"
                                   "  for (int i = 0; i < n; ++i)\n"
                                   "    y[i] = 1; // PEAK\n  y[n] = s;"));
  EXPECT_THAT(Statement.refusals(), ElementsAre(Reason::CannotReachTarget));
}

TEST(SpillShared, NegativeACutConditional) {
  const char *Loop = "#if 1\n  for (int i = 0; i < n; ++i) {\n#else\n"
                     "  for (int i = 1; i < n; ++i) {\n#endif\n";
  SpillBench B(spillKernel("  float s = A[0];\n" + std::string(Loop) +
                           "    y[i] = 1; // PEAK\n  }\n  y[n] = s;"));
  EXPECT_THAT(B.rewritten(), HasSubstr(Loop)) << "nothing around the loop";
}

TEST(SpillShared, NegativeInstantiationsThatDiffer) {
  std::string Code = "template <class T> __global__ static void k(const T *A, "
                     "T *y, int n) {\n  T v[2];\n  v[0] = A[0];\n"
                     "  v[1] = A[1];\n  for (int i = 0; i < n; ++i)\n"
                     "    y[i] = 1; // PEAK\n  y[n] = v[0] + v[1];\n}\n"
                     "void host(float *A, double *B) {\n"
                     "  k<<<1, 64>>>(A, A, 3);\n  k<<<1, 64>>>(B, B, 3);\n}\n";
  SpillBench B(Code);
  EXPECT_EQ(B.rewritten(), Code);
}

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
  SpillBench B(
      spillKernel("  float v[200];\n#pragma unroll\n"
                  "  for (int i = 0; i < 200; ++i) v[i] = A[i];\n"
                  "  for (int i = 0; i < n; ++i)\n    y[i] = 1; // PEAK\n"
                  "#pragma unroll\n"
                  "  for (int i = 0; i < 200; ++i) y[i] = v[i];"));
  // 16 registers: 8 blocks of 256 threads, 28 KiB for each of 228, less 1 KiB
  // that each block takes itself.
  EXPECT_EQ(B.spill().Blocks, 8);
  EXPECT_EQ(B.spill().LimitBytes, 108);
  EXPECT_EQ(B.spill().MovedRegisters, 27);
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

TEST(SpillPlan, WhatTheStatementBeforeHadIsNotLoadedAgain) {
  SpillBench B(spillKernel("  float a = 0, b = 0;\n"
                           "  for (int i = 0; i < n; ++i) {\n"
                           "    b = a + A[i]; // PEAK\n    a += b;\n"
                           "    if (i > 3)\n      y[i] = b;\n"
                           "    a += 2;\n  }\n  y[0] = a + b;"));
  std::string New = B.rewritten();
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
  EXPECT_EQ(S.Steps[bestStep(S.Steps)].MovedRegisters, 23);
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
  B.rewritten();
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
