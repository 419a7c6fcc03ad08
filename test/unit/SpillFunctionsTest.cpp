//===- SpillFunctionsTest.cpp - Values of functions that wait ----*- C++ -*-==//
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
using ::testing::HasSubstr;

const std::string Head =
    "static __device__ float f(const float *p, float *q, int m) ";
const std::string Waits = Head + "{\n"
                                 "  float v = p[0];\n"
                                 "  for (int i = 0; i < m; ++i)\n"
                                 "    q[i] = p[i]; // PEAK\n"
                                 "  return v;\n"
                                 "}\n";

std::string calling(const std::string &Function,
                    const std::string &Body = "  y[n] = f(A, y, n);",
                    const std::string &Launch = "<<<9999, 256>>>") {
  return Function + spillKernel(Body, Launch);
}

//===-- Written -----------------------------------------------------------===//

TEST(SpillFunctions, PositiveAroundThePeak) {
  SpillBench B(calling(Waits));
  EXPECT_REWRITE(
      B,
      HasSubstr(Head +
                "{\n"
                "  // catt: spill-shared(1): 1 register of each thread of k in "
                "shared memory\n"
                "  __shared__ __align__(8) unsigned char cattSpill[1024]; "
                "// catt: done\n"
                "  float v = p[0];\n"
                "  // catt: spill-shared(v)\n"
                "  volatile decltype(v) *const cattSpill_v =\n"
                "      (volatile decltype(v) *)(cattSpill + 0) + threadIdx.x;\n"
                "  // catt: done\n"
                "  // catt: spill-shared(v)\n"
                "  *cattSpill_v = v; // catt: done\n"
                "  for (int i = 0; i < m; ++i)\n"
                "    q[i] = p[i]; // PEAK\n"
                "  // catt: spill-shared(v)\n"
                "  v = *cattSpill_v; // catt: done\n"
                "  return v;\n"
                "}\n"
                "static __global__ void k(const float *A, float *y, int n) {\n"
                "  y[n] = f(A, y, n);\n"));
  ASSERT_EQ(B.edits().Done.size(), 1u);
  EXPECT_EQ(B.edits().Done[0].Summary,
            "moved 1 register of each thread to 1024 bytes of shared memory");
}

TEST(SpillFunctions, PositiveTouchedInThePeak) {
  SpillBench B(calling(Head + "{\n  float v = 0;\n"
                              "  for (int i = 0; i < m; ++i)\n"
                              "    v += p[i]; // PEAK\n  return v;\n}\n"));
  EXPECT_THAT(B.checked(), HasSubstr("v = *cattSpill_v;\n"));
}

TEST(SpillFunctions, PositiveBesideThoseOfTheKernel) {
  // The kernel waits while the function runs.
  SpillBench B(calling(Waits, "  float s = A[1], t = A[2];\n"
                              "  y[n] = f(A, y, n);\n  y[0] = s + t;"));
  std::string Text = B.checked();
  EXPECT_THAT(Text, HasSubstr("spill-shared(1): 1 register of each thread of"));
  EXPECT_THAT(Text,
              HasSubstr("spill-shared(2): 2 registers of each thread in shared "
                        "memory\n  __shared__ __align__(8) unsigned char "
                        "cattSpill[2048];"));
  EXPECT_EQ(B.spill().MovedRegisters, 3);
  EXPECT_EQ(B.spill().sharedBytes(), 3072);
  ASSERT_EQ(B.spill().Parts.size(), 2u);
  EXPECT_EQ(B.spill().Parts[1].Function, 1u);
}

TEST(SpillFunctions, PositiveOfAFunctionThatCallsAnother) {
  SpillBench B(
      calling(
          Waits +
              "static __device__ float g(const float *p, float *q, int m) {\n"
              "  float w = p[9];\n  float r = f(p, q, m);\n"
              "  return r + w;\n}\n",
          "  y[n] = g(A, y, n);"),
      255, {"v", "w"});
  std::string Text = B.checked();
  EXPECT_THAT(Text, HasSubstr("*cattSpill_w = w;"));
  EXPECT_THAT(Text, HasSubstr("*cattSpill_v = v;"));
  EXPECT_EQ(B.spill().MovedRegisters, 2) << "they wait together";
}

TEST(SpillFunctions, PositiveBlocksOfOddShapes) {
  const std::string Two = Head + "{\n  float v = p[0];\n  double w = p[1];\n"
                                 "  for (int i = 0; i < m; ++i)\n"
                                 "    q[i] = p[i]; // PEAK\n"
                                 "  return v + w;\n}\n";
  const std::string Body = "  float s = A[1];\n  y[n] = f(A, y, n);\n"
                           "  y[0] = s;";
  SpillBench Odd(calling(Two, Body, "<<<9999, 33>>>"));
  EXPECT_THAT(Odd.checked(), HasSubstr("unsigned char cattSpill[396]"));
  ASSERT_EQ(Odd.spill().Parts.size(), 2u);
  EXPECT_EQ(Odd.spill().Parts[1].BeginBytes, 8) << "33 * 4 is no multiple of 8";
  SpillBench Flat(calling(Two, Body, "<<<9999, dim3(16, 4)>>>"));
  EXPECT_THAT(Flat.checked(),
              HasSubstr("(threadIdx.x + 16 * (threadIdx.y + 4 * "
                        "threadIdx.z))"));
  EXPECT_EQ(Flat.spill().Parts[1].BeginBytes, 4);
}

TEST(SpillFunctions, PositiveDynamicSlotsWhateverTheLinkage) {
  const std::string Long =
      Head + "{\n  float v[40];\n#pragma unroll\n"
             "  for (int i = 0; i < 40; ++i) v[i] = p[i];\n"
             "  for (int i = 0; i < m; ++i)\n    q[i] = 1; // PEAK\n"
             "#pragma unroll\n  for (int i = 0; i < 40; ++i) q[i] = v[i];\n"
             "  return 0;\n}\n";
  SpillBench B(calling(Long,
                       "  float s = A[1];\n  y[n] = f(A, y, n);\n"
                       "  y[0] = s;",
                       "<<<9999, 1024>>>"));
  ASSERT_TRUE(B.spill().isDynamic());
  std::string Text = B.checked();
  for (const char *Array : {"cattSpill_k[]", "cattSpill_k_f[]"})
    EXPECT_THAT(Text,
                HasSubstr("extern __shared__ __align__(8) unsigned char " +
                          std::string(Array)));
  EXPECT_THAT(Text, HasSubstr("(cattSpill_k + 0) + threadIdx.x"));
  EXPECT_THAT(Text, HasSubstr("(cattSpill_k_f + 4096) + threadIdx.x"))
      << "behind the kernel's";
}

TEST(SpillFunctions, PositiveNoConstAndNoLineFeedsAlone) {
  std::string Code = calling(Waits);
  Code.replace(Code.find("float v"), 5, "const float");
  for (size_t At = 0; (At = Code.find('\n', At)) != std::string::npos; At += 2)
    Code.insert(At, "\r");
  SpillBench B(Code);
  EXPECT_REWRITE(B, HasSubstr("/* catt: hides const */ float v = p[0];\r\n"));
}

TEST(SpillFunctions, PositiveAFunctionInANamespace) {
  SpillBench B("namespace a { namespace {\n" + Waits + "} }\n" +
               spillKernel("  y[n] = a::f(A, y, n);"));
  EXPECT_REWRITE(B, HasSubstr("*cattSpill_v = v;"));
}

//===-- Left alone --------------------------------------------------------===//

TEST(SpillFunctions, NegativeFunctionsOfOthers) {
  const std::string Other = "static __global__ void other(float *y) "
                            "{ y[0] = f(y, y, 1); }\n";
  for (const std::string &Code :
       {calling(Waits + Other),
        calling(Waits, "  y[n] = f(A, y, n);\n"
                       "  y[0] = f(A, y, 2);"),
        "__host__ " + calling(Waits.substr(strlen("static "))),
        "#define F " + Head + "{ float v = p[0]; return v; } // PEAK\nF\n" +
            spillKernel("  y[n] = f(A, y, n);"),
        calling("template <class T = int> " + Waits)}) {
    SpillBench B(Code);
    EXPECT_REFUSED(B, Reason::CannotReachTarget) << Code;
    EXPECT_EQ(B.checked(), Code);
  }
}

TEST(SpillFunctions, NegativeThePeakIsElsewhere) {
  // Nothing of f is alive there.
  SpillBench B(calling(Head + "{ float v = p[0]; v += q[m]; return v; }\n",
                       "  y[n] = f(A, y, n);\n"
                       "  for (int i = 0; i < n; ++i)\n"
                       "    y[i] = A[i]; // PEAK"));
  EXPECT_REFUSED(B, Reason::CannotReachTarget);
}

TEST(SpillFunctions, NegativeLaunchesThatMayBeElsewhere) {
  SpillBench B(Waits + spillKernel("  y[n] = f(A, y, n);", "<<<9999, 256>>>",
                                   "__global__ void"));
  EXPECT_THAT(B.refusals(), ::testing::Contains(Reason::LaunchedElsewhere));
}

TEST(SpillFunctions, NegativeMarkedByAnEarlierRun) {
  SpillBench B(calling(Waits));
  SpillBench Again(B.checked());
  EXPECT_REFUSED(Again, Reason::AlreadyRewritten);
}

TEST(SpillFunctions, NegativeAComment) {
  const std::string Code = "// catt: off\n" + calling(Waits);
  EXPECT_EQ(SpillBench(Code).checked(), Code);
}

TEST(SpillFunctions, NegativeACallThatRunsInAnotherStatement) {
  // The kernel's values have slots of their own: nothing is shared.
  SpillBench B(calling(Waits, "  y[n] = f(A, y, n);\n  float s = A[1];\n"
                              "  for (int i = 0; i < n; ++i)\n"
                              "    y[i] = A[i]; // PEAK\n  y[0] = s;"));
  B.checked();
  EXPECT_EQ(B.spill().MovedRegisters, 1) << "not at once";
  EXPECT_EQ(B.spill().FrameBytes, 8);
}

} // namespace
} // namespace catt
