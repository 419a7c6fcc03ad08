//===- StayingRowsTest.cpp - Rows that stay while a loop runs ----*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "StageTesting.h"

namespace catt {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Rows that stay have room for 64 elements.
StageBench staying(const std::string &Loop, int64_t MinTrips = 16) {
  return StageBench(kernel(Loop), 64, MinTrips, /*Sums=*/false,
                    /*Stays=*/true);
}

const std::string Nest = "  for (int c = 0; c < 7; ++c)\n"
                         "    for (int j = 0; j < m; ++j)\n"
                         "      s += A[i * m + j] * B[c * m + j];\n";

TEST(StayingRows, PositiveLoadedOnce) {
  EXPECT_REWRITE(staying(Nest), HasSubstr(" && m >= 16 && m <= 64) {\n"));
  EXPECT_REWRITE(staying(Nest), HasSubstr(R"cu(
    for (int cattFrom = 0; __any_sync(cattLanes, cattFrom < m); cattFrom += 32)
      cattLoadRow<32, 260>(cattLanes, threadIdx.x, cattRow_A + cattFrom,
                           &A[i * m + cattFrom], 0 < 7 ? m - cattFrom : 0);
    for (int c = 0; c < 7; ++c)
      for (int j = 0; j < m; ++j)
        s += cattRow_A[j] * B[c * m + j];
  } else { // catt: begin
  for (int c = 0; c < 7; ++c)
    for (int j = 0; j < m; ++j)
      s += A[i * m + j] * B[c * m + j];
)cu"));
}

TEST(StayingRows, PositiveAKnownLength) {
  std::string Known = Nest;
  Known.replace(Known.find("j < m"), 5, "j < 34");
  EXPECT_REWRITE(staying(Known, 0),
                 AllOf(HasSubstr("cattFrom < 34); cattFrom += 32)"),
                       Not(HasSubstr("<= 64"))));
}

TEST(StayingRows, PositiveAPragmaInside) {
  std::string Known = Nest;
  Known.insert(Known.find("    for (int j"), "#pragma unroll 2\n");
  EXPECT_REWRITE(staying(Known, 0),
                 HasSubstr("    for (int c = 0; c < 7; ++c)\n"
                           "#pragma unroll 2\n      for (int j = 0;"));
}

TEST(StayingRows, PositiveNotFromTheStart) {
  std::string From = Nest;
  From.replace(From.find("j = 0"), 5, "j = 3");
  EXPECT_REWRITE(staying(From),
                 AllOf(HasSubstr(" m - 3 >= 16 &&\n      m - 3 <= 64) {"),
                       HasSubstr("&A[i * m + (3 + cattFrom)],"),
                       HasSubstr(" 0 < 7 ? m - 3 - cattFrom : 0);"),
                       HasSubstr("s += cattRow_A[j - 3] * B[c * m + j];")));
}

TEST(StayingRows, PositiveDownAndNeighbours) {
  EXPECT_REWRITE(staying("  for (int c = 0; c < 7; ++c)\n"
                         "    for (int j = m - 1; j >= 0; --j)\n"
                         "      s += A[i * m + j] + A[i * m + j + 1];\n"),
                 AllOf(HasSubstr("&A[i * m + cattFrom],\n"),
                       HasSubstr("s += cattRow_A[j] + cattRow_A[j + 1];")));
}

TEST(StayingRows, PositiveOverlapIsAskedAbout) {
  EXPECT_REWRITE(staying("  for (int c = 0; c < 7; ++c) {\n"
                         "    for (int j = 0; j < m; ++j)\n"
                         "      s += A[i * m + j];\n"
                         "    y[i * 7 + c] = s;\n  }\n"),
                 HasSubstr("cattApart(&A[i * m + 0], &A[i * m + (m - 1)], "
                           "&y[i * 7 + 0],\n                &y[i * 7 + 6])"));
}

TEST(StayingRows, PositiveLaunchesChoose) {
  std::string Code = kernel(Nest);
  Code.replace(Code.find(", 3);"), 5, ", n);");
  Code.replace(Code.find("host(float *A)"), 14, "host(float *A, int n)");
  StageBench B(Code, 64, 16, false, true);
  B.R.Kernels[0].Plan.Tiles.IsDynamic = B.R.Kernels[0].Plan.Tiles.IfLong = true;
  EXPECT_REWRITE(B, HasSubstr("n >= 16 && n <= 64 ? "));
}

TEST(StayingRows, NegativeMacros) {
  EXPECT_REFUSED(StageBench("#define blockDim blockDim\n" + kernel(Nest), 64,
                            16, false, true),
                 Reason::InMacro);
}

TEST(StayingRows, NegativeOtherCodeOnItsLine) {
  EXPECT_REFUSED(staying("  s = 1; for (int c = 0; c < 7; ++c)\n"
                         "    for (int j = 0; j < m; ++j)\n"
                         "      s += A[i * m + j] * B[c * m + j];\n"),
                 Reason::InMacro);
}

TEST(StayingRows, NegativeALoopInsideThatIsSplit) {
  StageBench B = staying(Nest);
  KernelPlan &Plan = B.R.Kernels[0].Plan;
  Plan.Loops.resize(2);
  Plan.Loops[0].Loop = 0, Plan.Loops[1].Loop = 1;
  Plan.Loops[0].Groups = 4; // around the version
  EXPECT_REWRITE(B, HasSubstr("cattLoadRow<"));
  Plan.Loops[1].Groups = 4;
  EXPECT_REFUSED(B, Reason::EditsOverlap);
}

TEST(StayingRows, NegativeSuppressed) {
  EXPECT_REFUSED(staying("// catt: off\n" + Nest), Reason::Suppressed);
}

} // namespace
} // namespace catt
