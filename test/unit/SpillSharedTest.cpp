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
using ::testing::IsEmpty;
using ::testing::Not;

const char *Across = "  float s = A[0];\n"
                     "  for (int i = 0; i < n; ++i)\n"
                     "    y[i] = A[i]; // PEAK\n"
                     "  y[n] = s;";

//===-- Written -----------------------------------------------------------===//

TEST(SpillShared, PositiveAroundThePeak) {
  SpillBench B(spillKernel(Across));
  EXPECT_REWRITE(B, HasSubstr("  float s = A[0];\n"
                              "  // catt: spill-shared(s)\n"
                              "  volatile decltype(s) *const cattSpill_s =\n"
                              "      (volatile decltype(s) *)(cattSpill + 0) + "
                              "threadIdx.x;\n"
                              "  // catt: done\n"
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
  std::string Text = B.checked();
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
  EXPECT_REWRITE(
      B, // reverts
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
  std::string Text = B.checked();
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
  std::string Text = B.checked();
  EXPECT_THAT(Text, HasSubstr("double volatile *const cattSpill_d"));
  EXPECT_THAT(Text, HasSubstr("decltype(q[0].x)"));
  EXPECT_THAT(Text, HasSubstr("cattSpill_q[(cattI * 4 + 3) * 256]"));
  // 16 bytes of doubles, 32 of vectors, 2 of a short, to a multiple of 4.
  EXPECT_EQ(B.spill().FrameBytes, 52);
}

TEST(SpillShared, PositiveBlocksWithRows) {
  EXPECT_THAT(SpillBench(spillKernel(Across, "<<<9, dim3(16, 4)>>>")).checked(),
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
  EXPECT_REWRITE(B, HasSubstr("blockDim.x * (threadIdx.y + blockDim.y * "
                              "threadIdx.z)"));
  EXPECT_EQ(B.spill().sharedBytes(), 2048);
}

TEST(SpillShared, PositiveThePragma) {
  SpillBench B(spillKernel(Across));
  SpillStep Step;
  Step.Pragma = true;
  take(B.R.Kernels[0].Source, Step, *B.R.Kernels[0].Spill);
  EXPECT_REWRITE(B,
                 HasSubstr("asm volatile(\".pragma "
                           "\\\"enable_smem_spilling\\\";\"); // catt: done"));
}

TEST(SpillShared, PositiveDynamicSlotsBeyond48KiB) {
  SpillBench B(longArray("<<<9999, 1024>>>"));
  std::string Text = B.checked();
  EXPECT_THAT(
      Text,
      HasSubstr("extern __shared__ __align__(8) unsigned char cattSpill_k[];"));
  EXPECT_THAT(Text, HasSubstr("(cattSpill_k + 0) + threadIdx.x"));
  EXPECT_EQ(llvm::StringRef(Text).count("static size_t cattSpill("), 1u);
  EXPECT_THAT(Text, HasSubstr("k<<<9999, 1024/* catt: spill-shared(28) */ , "
                              "cattSpill(k, 0, 114688) /* catt: done */ >>>"
                              "(A, A, 3);"));
  EXPECT_EQ(B.edits().Done[0].Summary, "moved 28 registers of each thread to "
                                       "114688 bytes of dynamic shared memory");
  SpillBench Twice(Text);
  EXPECT_THAT(Twice.refusals(), ::testing::Contains(Reason::NotEnoughShared));
  EXPECT_EQ(Twice.checked(), Text);
}

TEST(SpillShared, PositiveDynamicSlotsBehindTheKernelsOwn) {
  SpillBench B(longArray("<<<9999, 1024, 4090>>>(A, A, 4);\n"
                         "  if (A) k<<<99, 1024, 10 * 409>>>"));
  std::string Text = B.checked();
  EXPECT_THAT(Text, HasSubstr("(cattSpill_k + 4096) + threadIdx.x"));
  // 27 slots behind 4096 bytes, of which the launches ask for 4090
  EXPECT_THAT(Text, HasSubstr("1024, /* catt: spill-shared(27) */ cattSpill(k, "
                              "/* catt: begin */ 4090 /* catt: end */ , 110598)"
                              " /* catt: done */>>>(A, A, 4);"));
  EXPECT_THAT(Text, HasSubstr("cattSpill(k, /* catt: begin */ 10 * 409 "
                              "/* catt: end */ , 110598)"));
  EXPECT_EQ(llvm::StringRef(Text).count("static size_t cattSpill("), 1u);
}

TEST(SpillShared, PositiveOneLaunchOfSeveralCallers) {
  SpillBench B(longArray("<<<9999, 1024>>>") +
               "void twice(float *A) { host(A); host(A); }\n");
  std::string Text = B.checked();
  EXPECT_EQ(llvm::StringRef(Text).count("cattSpill(k, 0, 114688)"), 1u);
}

TEST(SpillShared, PositiveASecondRunChangesNothing) {
  SpillBench Twice(SpillBench(spillKernel(Across)).checked());
  EXPECT_REFUSED(Twice, Reason::AlreadyRewritten);
}

TEST(SpillShared, PositiveNamesThatAreTaken) {
  EXPECT_THAT(SpillBench("int cattSpill;\n" + spillKernel(Across)).checked(),
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
  std::string Text = B.checked();
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
  std::string Text = B.checked();
  EXPECT_THAT(Text,
              HasSubstr("p.v[cattI] =\n        cattSpill_p_v[cattI * 256]"));
  EXPECT_THAT(Text, HasSubstr("*cattSpill_q_n = q.n;"));
}

TEST(SpillShared, PositiveNamesOfMembersThatMeetThoseOfVariables) {
  SpillBench B(Pixel + spillKernel("  Pixel p = {}; int p_n = n;\n"
                                   "  for (int i = 0; i < n; ++i)\n"
                                   "    y[i] = 1; // PEAK\n"
                                   "  y[0] = p.n + p_n;"));
  std::string Text = B.checked(); // parses
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
  ASSERT_EQ(B.spill().Moved.size(), 2u); // p.v and a itself
  EXPECT_REWRITE(B, HasSubstr("*cattSpill_p_v = p.v[0];"));
  EXPECT_REFUSED(SpillBench(Code, 255, {"i"}), Reason::CannotReachTarget);
}

TEST(SpillShared, PositiveConstBecomesAComment) {
  SpillBench B(Pixel + spillKernel("  const float s = A[0], t = A[1];\n"
                                   "  Pixel const p = {{A[2]}, n};\n"
                                   "  for (int i = 0; i < n; ++i)\n"
                                   "    y[i] = A[i]; // PEAK\n"
                                   "  y[n] = s + t + p.n;"));
  std::string Text = B.checked(); // parses and reverts
  EXPECT_THAT(Text, HasSubstr("  /* catt: hides const */ float s = A[0], t"));
  EXPECT_THAT(Text, HasSubstr("  Pixel /* catt: hides const */ p = {{"));
  EXPECT_THAT(Text, HasSubstr("s = *cattSpill_s;"));
  EXPECT_THAT(Text, HasSubstr("p.n = *cattSpill_p_n;"));
  EXPECT_REFUSED(SpillBench(Text), Reason::AlreadyRewritten);
}

TEST(SpillShared, PositiveIndicesAreMovedLast) {
  SpillBench B(spillKernel("  int at = n, step = A[0]; float s = 0;\n"
                           "  for (int i = 0; i < n; ++i) {\n"
                           "    s += A[at]; // PEAK\n    at += step;\n  }\n"
                           "  y[0] = s;"));
  std::vector<std::string> Names;
  for (const MovableValue &M : B.spill().Movable)
    Names.push_back(B.R.Kernels[0].Source.Values[M.Value].Name);
  EXPECT_THAT(Names, ElementsAre("s", "step", "at"));
}

TEST(SpillShared, PositiveUsesWithinTheDeclaration) {
  SpillBench B(spillKernel("  for (int i = 0; i < n; ++i) {\n"
                           "    float a = A[i], b = a + 1; // PEAK\n"
                           "    y[i] = a + b;\n  }"));
  std::string Text = B.checked(); // parses
  EXPECT_THAT(Text, HasSubstr("    float a = A[i], b = a + 1; // PEAK\n"
                              "    // catt: spill-shared(a, b)\n"));
}

TEST(SpillShared, PositiveConstOfWhatStaysIsKept) {
  SpillBench B(spillKernel("  const float s = A[0];\n"
                           "  const float t = A[1];\n"
                           "  for (int i = 0; i < n; ++i)\n"
                           "    y[i] = A[i]; // PEAK\n"
                           "  y[n] = s + t;"),
               255, {"t"});
  EXPECT_REWRITE(B, HasSubstr("  const float s = A[0];\n"
                              "  /* catt: hides const */ float t"));
}

//===-- Refused -----------------------------------------------------------===//

TEST(SpillShared, NegativeConstThatTheCodeDependsOn) {
  for (const char *Body :
       {"const float s = 1;\n", "CONST float s = A[0];\n",
        "const float s = A[0], *p = A; y[1] = *p;\n",
        "const float s = A[0]; const float &r = s; y[1] = r;\n",
        "const float s = A[0]; decltype(s) r = 1; y[1] = r;\n"}) {
    SpillBench B("#define CONST const\n" +
                     spillKernel("  " + std::string(Body) +
                                 "  for (int i = 0; i < n; ++i)\n"
                                 "    y[i] = A[i]; // PEAK\n"
                                 "  y[n] = s;"),
                 255, {"s"});
    EXPECT_REFUSED(B, Reason::CannotReachTarget) << Body;
  }
}

TEST(SpillShared, NegativePointersThatAreFollowedAtThePeak) {
  SpillBench B(spillKernel("  const float *p = A;\n"
                           "  for (int i = 0; i < n; ++i) {\n"
                           "    y[i] = *p; // PEAK\n    p += 2;\n  }"));
  EXPECT_REFUSED(B, Reason::CannotReachTarget);
  SpillBench Around(spillKernel("  const float *p = A + n;\n"
                                "  for (int i = 0; i < n; ++i)\n"
                                "    y[i] = 1; // PEAK\n  y[0] = *p;"));
  EXPECT_REWRITE(Around, HasSubstr("*cattSpill_p = p;"));
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
    EXPECT_REFUSED(B, Reason::CannotReachTarget) << Use;
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
    EXPECT_REFUSED(B, Reason::CannotReachTarget) << Inner;
  }
}

/// What stands against moving v, which a loop over i uses like this.
std::vector<Reason> againstProducts(const std::string &Body) {
  SpillBench B("const float third = 0.3f;\n"
               "__device__ float f(float a, float b) { return a * b + 1; }\n"
               "__device__ float2 operator*(float2 a, float b) {\n"
               "  return make_float2(a.x * b, a.y * b);\n}\n" +
                   spillKernel("  float v = A[0], s = 0, t = 0;\n"
                               "  for (int i = 0; i < n; ++i) {\n" +
                               Body + "    y[i] = s + t; // PEAK\n  }\n"),
               255, {"v"});
  std::vector<Reason> Out;
  for (const ThreadValue &V : B.R.Kernels[0].Source.Values)
    if (V.Name == "v")
      for (const Refusal &R : V.Refusals)
        Out.push_back(R.Kind);
  return Out;
}

TEST(SpillShared, NegativeProductsThatStatementsShare) {
  for (const char *Body :
       {"    s += A[i] * v;\n    t -= v * (A[i]);\n",
        "    s += A[i] * v;\n    y[n] = A[i] * v * s;\n",
        "    s += A[i] * (v + 1);\n    t += A[i] * (v + 1);\n",
        "    s += A[i] * v;\n    { float w = A[i] * v; t += w; }\n",
        "    s += f(v, A[i]);\n    t += f(v, A[i]);\n",
        ("    const float2 w = make_float2(i, n);\n"
         "    s += (w * v).x;\n    t += (w * v).x;\n"),
        "    v += A[i];\n    s += third * v;\n    t += v * 0.3f;\n"})
    EXPECT_THAT(againstProducts(Body), ElementsAre(Reason::MayContract))
        << Body;
}

TEST(SpillShared, NegativeProductsThatIterationsShare) {
  for (const char *Body :
       {"    s += 3 * v;\n", "    s += f(v, 2);\n",
        ("#pragma unroll\n    for (int j = 0; j < 8; ++j)\n"
         "      s += A[i] * v;\n"),
        ("    for (int j = 0; j < n; ++j) {\n"
         "      const float d = v - 1;\n      s += 0.3f * d;\n    }\n"),
        "    for (int j = 0; j < 4; ++j)\n      s += A[j] * v;\n"})
    EXPECT_THAT(againstProducts(Body), ElementsAre(Reason::MayContract))
        << Body;
}

/// Which of the two is fused depends on where v comes from.
TEST(SpillShared, NegativeProductsThatAreAdded) {
  for (const char *Body :
       {"    s += A[i] * v + A[i + 1] * 3;\n", "    s = s * 0.3f + v * 0.7f;\n",
        "    s = v * 0.7f - s * 0.3f;\n",
        "    { const float d = v + 1; s = s * 0.3f + d * 3; }\n",
        "    { const float p = v * 3, q = s * 5; s = p + q; }\n",
        "    { float q = s * 5; q += v * 3; s = q; }\n",
        "    s = f(v, 5) + s * 0.3f;\n"})
    EXPECT_THAT(againstProducts(Body), ElementsAre(Reason::MayContract))
        << Body;
}

TEST(SpillShared, PositiveProductsThatAreAddedWithoutIt) {
  for (const char *Body : {"    s = s * 0.3f + A[i] * 3;\n    t = v;\n",
                           "    s = v * 0.25f - s * 0.5f;\n", // exact
                           "    s = s * 0.5f + v;\n"})
    EXPECT_THAT(againstProducts(Body), IsEmpty()) << Body;
}

TEST(SpillShared, PositiveProductsWithOneUse) {
  for (const char *Body :
       {"    s += A[i] * v;\n    t += A[i + 1] * v;\n",
        "    s += A[i] * v * y[0];\n    t += A[i] * v * y[1];\n",
        "    v += A[i];\n    s += 3 * v;\n",
        ("    for (int j = 0; j < n; ++j) {\n"
         "      const float d = v - A[j];\n      s += y[i] * d;\n    }\n"
         "    v += 1;\n"),
        "    s += __fmul_rn(v, i);\n    t += (n + i) * (v < 3);\n"})
    EXPECT_THAT(againstProducts(Body), IsEmpty()) << Body;
}

TEST(SpillShared, NegativeLaunchesThatMayBeElsewhere) {
  for (const std::string &Code :
       {spillKernel(Across, "<<<9999, 256>>>", "__global__ void"),
        spillKernel(Across) + "void *address() { return (void *)k; }\n",
        spillKernel(Across) +
            "void more(float *A, int t) { k<<<1, t>>>(A, A, 3); "
            "}\n"}) {
    SpillBench B(Code);
    EXPECT_THAT(B.refusals(), ::testing::Contains(Reason::LaunchedElsewhere))
        << Code;
    EXPECT_EQ(B.checked(), Code);
  }
}

TEST(SpillShared, NegativeNothingToMove) {
  for (const char *Body :
       {"  for (int i = 0; i < n; ++i)\n    y[i] = 1; // PEAK\n",
        "  const float s = 1;\n  for (int i = 0; i < n; ++i)\n"
        "    y[i] = 1; // PEAK\n  y[0] = s;",
        "  float s = A[0];\n  atomicAdd(&s, 1);\n"
        "  for (int i = 0; i < n; ++i)\n    y[i] = 1; // PEAK\n  y[0] = s;",
        "  float s = A[0];\n  y[0] = s;\n"
        "  for (int i = 0; i < n; ++i)\n    y[i] = 1; // PEAK\n"}) {
    SpillBench B(spillKernel(Body));
    EXPECT_REFUSED(B, Reason::CannotReachTarget) << Body;
  }
}

TEST(SpillShared, NegativeSharedMemoryIsFull) {
  SpillBench B(spillKernel(
      "  __shared__ float all[12288]; all[n] = 1;\n" + std::string(Across),
      "<<<9999, 256>>>", "__global__ void __launch_bounds__(256)"));
  EXPECT_REFUSED(B, Reason::NotEnoughShared)
      << "a launch in another file could not ask for more";
  SpillBench Unknown(
      spillKernel(Across, "<<<9, 256, sizeof(float) * atoi(\"7\")>>>"));
  EXPECT_REFUSED(Unknown, Reason::NotEnoughShared);
}

TEST(SpillShared, NegativeLaunchesThatCannotAskForMore) {
  for (int What = 0; What < 4; ++What) {
    SpillBench B(longArray("<<<9999, 1024>>>"));
    ASSERT_GT(B.spill().sharedBytes(), 48 * 1024);
    Launch &L = B.R.Kernels[0].Source.Launches[0];
    if (What == 0)
      L.Written->Kernel.clear();
    else if (What == 1)
      L.Written->Obstacle = "a launch in device code";
    else if (What == 2)
      L.Written.reset();
    else
      L.SharedArgument.reset();
    EXPECT_REFUSED(B, Reason::LaunchNotEditable) << What;
    EXPECT_EQ(B.checked(), B.P.Code) << "no slots that no launch asks for";
  }
  SpillBench Elsewhere(longArray("<<<9999, 1024>>>") +
                       "void (*const pointer)(const float *, float *, int) = "
                       "k;\n");
  EXPECT_REFUSED(Elsewhere, Reason::LaunchedElsewhere);
  SpillBench Macro("#define GO k<<<9999, 1024>>>(A, A, 4)\n" +
                   longArray("<<<9999, 1024>>>(A, A, 4);\n  GO;\n"
                             "  k<<<9, 1024>>>"));
  EXPECT_EQ(Macro.spill().LimitBytes, 48) << "static";
}

TEST(SpillShared, NegativeWaitsForOthers) {
  std::string Cooperative =
      "void together(float *A, float *y, int n) {\n"
      "  void *Given[] = {&A, &y, &n};\n"
      "  cudaLaunchCooperativeKernel((void *)k, dim3(9), dim3(256), Given, 0, "
      "0);\n}\n";
  std::string Waiting = "  while (*(volatile const float *)A == 0)\n    ;\n";
  std::string Macro = "#define WAIT(flag) while (atomicAdd(flag, 0) == 0) {}\n";
  for (const std::string &Code :
       {spillKernel(Waiting + Across), spillKernel(Across) + Cooperative,
        Macro + spillKernel("  WAIT((int *)y)\n" + std::string(Across))}) {
    SpillBench B(Code);
    EXPECT_FALSE(B.refusals().empty()) << Code;
    EXPECT_EQ(B.checked(), Code);
  }
  // Slots of every form: static, dynamic, and those of ptxas.
  for (const std::string &Code :
       {spillKernel(Across), longArray("<<<9999, 1024>>>")})
    for (bool Pragma : {false, true}) {
      SpillBench B(Code);
      SpillStep Step;
      Step.Pragma = true;
      if (Pragma)
        take(B.R.Kernels[0].Source, Step, *B.R.Kernels[0].Spill);
      ASSERT_NE(B.checked(), Code);
      B.R.Kernels[0].Source.Waits.push_back(
          {Reason::WarpsCommunicate, {}, "flag"});
      EXPECT_REFUSED(B, Reason::WarpsCommunicate);
      EXPECT_EQ(B.checked(), Code);
    }
}

TEST(SpillShared, NegativeMacros) {
  SpillBench Builtin("#define threadIdx threadIdx\n" + spillKernel(Across));
  EXPECT_REFUSED(Builtin, Reason::InMacro);
  SpillBench Statement("#define SET(x) x = A[1]; x += 1;\n" +
                       spillKernel("  float s;\n  SET(s)\n"
                                   "  for (int i = 0; i < n; ++i)\n"
                                   "    y[i] = 1; // PEAK\n  y[n] = s;"));
  EXPECT_REFUSED(Statement, Reason::CannotReachTarget);
}

TEST(SpillShared, NegativeACutConditional) {
  const char *Loop = "#if 1\n  for (int i = 0; i < n; ++i) {\n#else\n"
                     "  for (int i = 1; i < n; ++i) {\n#endif\n";
  SpillBench B(spillKernel("  float s = A[0];\n" + std::string(Loop) +
                           "    y[i] = 1; // PEAK\n  }\n  y[n] = s;"));
  EXPECT_REWRITE(B, HasSubstr(Loop)) << "nothing around the loop";
}

TEST(SpillShared, NegativeInstantiationsThatDiffer) {
  std::string Code = "template <class T> __global__ static void k(const T *A, "
                     "T *y, int n) {\n  T v[2];\n  v[0] = A[0];\n"
                     "  v[1] = A[1];\n  for (int i = 0; i < n; ++i)\n"
                     "    y[i] = 1; // PEAK\n  y[n] = v[0] + v[1];\n}\n"
                     "void host(float *A, double *B) {\n"
                     "  k<<<1, 64>>>(A, A, 3);\n  k<<<1, 64>>>(B, B, 3);\n}\n";
  SpillBench B(Code);
  EXPECT_EQ(B.checked(), Code);
}

} // namespace
} // namespace catt
