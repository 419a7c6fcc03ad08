//===- RuntimeCasesTest.cpp - Tests of decisions left to run time ---------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cases by themselves, and what is not left to run time. RuntimeValuesTest.cpp
// asks the plan at every value.
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/runtime/RuntimeCases.h"
#include "PlanTesting.h"
#include "gmock/gmock.h"
#include <random>

namespace catt {
namespace {

using namespace testing;
using ::testing::IsEmpty;

//===-- Pieces -----------------------------------------------------------===//

TEST(RuntimePieces, areExactWhereThereAreFew) {
  std::vector<WarpBounds> Warps = {8, 8, 4, 4, 2, 2, 2};
  std::vector<RuntimeCase> Cases = casesOf("n", Warps, 8);
  EXPECT_EQ(Cases.size(), 2u);
  for (int64_t N = 1; N <= 7; ++N)
    EXPECT_EQ(warpsBy(Cases, {{"n", N}}, 8), Warps[N - 1].Least);
  EXPECT_EQ(warpsBy(Cases, {{"n", 0}}, 8), 8);
  EXPECT_EQ(warpsBy(Cases, {{"m", 100}}, 8), 8);
  // A band, and nothing at all.
  Cases = casesOf("n", {8, 3, 3, 3, 8, 8, 8}, 8);
  EXPECT_EQ(warpsBy(Cases, {{"n", 4}}, 8), 3);
  EXPECT_EQ(warpsBy(Cases, {{"n", 5}}, 8), 8);
  EXPECT_THAT(casesOf("n", {8, 8, 8}, 8), IsEmpty());
}

TEST(RuntimePieces, areAtMostThreeArms) {
  std::mt19937 Random(5);
  for (int Round = 0; Round != 100; ++Round) {
    std::vector<WarpBounds> Warps;
    for (int I = 0; I != 300; ++I)
      Warps.push_back(1 + int64_t(Random() % 8));
    for (const auto &Cases :
         {casesOf("n", Warps, 8), casesByThreads("n", Warps, 8)})
      EXPECT_LE(Cases.size(), MostCases);
    std::vector<RuntimeCase> Cases = casesOf("n", Warps, 8);
    for (int64_t N = 1; N <= 300; ++N)
      EXPECT_GE(warpsBy(Cases, {{"n", N}}, 8), Warps[N - 1].Least) << N;
  }
  // The last warp of a block need not be full.
  std::vector<RuntimeCase> Cases = casesByThreads("b", {8, 8, 2, 2, 4}, 8);
  EXPECT_EQ(warpsBy(Cases, {{"b", 64}}, 8), 8);
  EXPECT_EQ(warpsBy(Cases, {{"b", 65}}, 8), 2);
  EXPECT_EQ(warpsBy(Cases, {{"b", 128}}, 8), 2);
  EXPECT_EQ(warpsBy(Cases, {{"b", 129}}, 8), 4);
}

TEST(RuntimePieces, ofWhatLosesLittleAreOne) {
  // 4 and 3 warps serve where 3 and 2 were chosen.
  std::vector<RuntimeCase> Cases =
      casesOf("n", {8, {3, 4}, 4, {2, 3}, {3, 8}}, 8);
  ASSERT_EQ(Cases.size(), 2u);
  EXPECT_EQ(warpsBy(Cases, {{"n", 2}}, 8), 4);
  EXPECT_EQ(warpsBy(Cases, {{"n", 4}}, 8), 3);
  EXPECT_EQ(warpsBy(Cases, {{"n", 5}}, 8), 3);
  EXPECT_THAT(casesOf("n", {8, {4, 8}, {2, 8}}, 8), IsEmpty());
  // Every piece lies within the bounds of all its values.
  std::mt19937 Random(7);
  for (int Round = 0; Round != 100; ++Round) {
    std::vector<WarpBounds> Warps;
    for (int I = 0; I != 50; ++I) {
      int64_t Least = 1 + int64_t(Random() % 8);
      Warps.push_back({Least, Least + int64_t(Random() % (9 - Least))});
    }
    std::vector<Piece> Pieces = piecesOf(Warps);
    for (size_t I = 0; I != Pieces.size(); ++I) {
      size_t End = I + 1 == Pieces.size() ? 51 : Pieces[I + 1].From;
      for (size_t N = Pieces[I].From; N != End; ++N) {
        EXPECT_GE(Pieces[I].Warps, Warps[N - 1].Least);
        EXPECT_LE(Pieces[I].Warps, Warps[N - 1].Most);
      }
    }
  }
}

TEST(RuntimePieces, ofTwoLaunchesTakeTheLessDivided) {
  std::vector<RuntimeCase> A = {{"n", 4, 4}, {"n", 64, 8}}, B = {{"n", 8, 3}};
  auto Both = lessDivided(A, B, 8);
  ASSERT_TRUE(Both);
  for (int64_t N = 0; N != 100; ++N) {
    Values At = {{"n", N}};
    EXPECT_EQ(warpsBy(*Both, At, 8),
              std::max(warpsBy(A, At, 8), warpsBy(B, At, 8)));
  }
  // Joined to three arms.
  A = {{"n", 4, 4}, {"n", 16, 2}, {"n", 64, 8}};
  B = {{"n", 8, 3}, {"n", 32, 1}};
  Both = lessDivided(A, B, 8);
  ASSERT_TRUE(Both);
  EXPECT_LE(Both->size(), MostCases);
  for (int64_t N = 0; N != 100; ++N) {
    Values At = {{"n", N}};
    EXPECT_GE(warpsBy(*Both, At, 8),
              std::max(warpsBy(A, At, 8), warpsBy(B, At, 8)));
  }
  EXPECT_FALSE(lessDivided(A, {{"m", 8, 3}}, 8));
  EXPECT_FALSE(lessDivided(A, {{"n", 8, 3, {{"m", 1}}}}, 8));
}

//===-- Two inputs -------------------------------------------------------===//

TEST(RuntimeGrid, neverDividesFurtherThanItsCorners) {
  std::mt19937 Random(11);
  for (int Round = 0; Round != 200; ++Round) {
    WarpGrid Grid{"n", "m", {1, 4, 16, 64}, {1, 8, 32}, {}};
    for (size_t I = 0; I != Grid.First.size(); ++I) {
      Grid.Warps.emplace_back();
      for (size_t J = 0; J != Grid.Second.size(); ++J)
        Grid.Warps.back().push_back(
            Round % 2 ? int64_t(1 + Random() % 8)
                      : std::max<int64_t>(1, 8 - int64_t(I * J)));
    }
    std::vector<RuntimeCase> Cases = casesOf(Grid, 8);
    EXPECT_LE(Cases.size(), MostCases);
    for (size_t I = 0; I != Grid.First.size(); ++I)
      for (size_t J = 0; J != Grid.Second.size(); ++J)
        EXPECT_GE(
            warpsBy(Cases, {{"n", Grid.First[I]}, {"m", Grid.Second[J]}}, 8),
            Grid.Warps[I][J].Least);
    EXPECT_EQ(warpsBy(Cases, {{"n", 64}, {"m", 0}}, 8), 8);
  }
}

TEST(RuntimeGrid, hasOneCaseWhereTheSecondGainsLittle) {
  WarpGrid Grid{"n", "m", {1, 4}, {1, 8}, {{8, 8}, {4, 3}}};
  EXPECT_EQ(casesOf(Grid, 8).size(), 2u);
  Grid.Warps[1][1] = {3, 4};
  EXPECT_EQ(casesOf(Grid, 8).size(), 1u);
}

//===-- What is not left to run time -------------------------------------===//

TEST(RuntimeCases, needParametersThatKeepTheirValue) {
  for (const char *Code :
       {// Three inputs.
        "__global__ void k(const float *A, float *y, int n, int m, int l) {\n"
        "  int i = threadIdx.x;\n"
        "  for (int j = 0; j < 512; ++j)\n"
        "    y[i] += A[i * n + j] * A[i * m + j] * A[i * l + j];\n}\n"
        "void go(float *A, int n) { k<<<1056, 256>>>(A, A, n, n, n); }\n",
        // Another value before the loop.
        "__global__ void k(const float *A, float *y, int n) {\n"
        "  n = n * 2 + 1; int i = threadIdx.x;\n"
        "  for (int j = 0; j < 512; ++j) y[i] += A[i * n + j];\n}\n"
        "void go(float *A, int n) { k<<<1056, 256>>>(A, A, n); }\n"}) {
    Parsed P = parseSnippet(Code);
    LaunchPlan Open = plan(P.kernel(), options(28));
    EXPECT_THAT(Open.Plan.Loops[0].Cases, IsEmpty());
    ASSERT_TRUE(Open.Plan.Loops[0].Why);
    EXPECT_EQ(Open.Plan.Loops[0].Why->Kind, Reason::UnknownStride);
  }
}

} // namespace
} // namespace catt
