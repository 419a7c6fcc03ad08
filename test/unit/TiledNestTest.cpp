//===- TiledNestTest.cpp - What tiles are predicted to gain ------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "StagePlanTesting.h"

namespace catt {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

//===-- What is predicted -------------------------------------------------===//

double gainOf(const std::string &Code,
              const AnalysisOptions &Options = staging()) {
  const KernelPlan Plan = decided(Code, Options);
  return Plan.ByTiles ? Plan.ByTiles->Gain : 0;
}

TEST(PredictedByTiles, RowsThatAreAddedUp) {
  const KernelPlan Plan = decided(kernel("4096", "256", TwoRows));
  ASSERT_TRUE(Plan.ByTiles);
  EXPECT_GT(Plan.ByTiles->Gain, 1.2);
  EXPECT_LT(Plan.ByTiles->Least, Plan.ByTiles->Gain);
  EXPECT_GT(Plan.ByTiles->Most, Plan.ByTiles->Gain);
  EXPECT_FALSE(Plan.ByTiles->OfLongRows);
}

TEST(PredictedByTiles, StoresOfRowsGainMore) {
  const std::string Body = "y[i * 4096 + j] = A[i * 4096 + j];";
  EXPECT_GT(gainOf(kernel("4096", "256", Body)), 1.5 * gainOf(kernel("4096")));
}

TEST(PredictedByTiles, OneLoopOfTwo) {
  std::string Code = kernel("4096", "256", TwoRows);
  const double Alone = gainOf(Code);
  // Columns of B beside it take as long as before.
  Code.insert(Code.find("  y[i] = s;"), "  for (int c = 0; c < 4096; ++c)\n"
                                        "    s += B[c * 270336 + i];\n");
  EXPECT_GT(gainOf(Code), 1);
  EXPECT_LT(gainOf(Code), Alone);
}

TEST(PredictedByTiles, RowsThatStay) {
  EXPECT_GT(
      gainOf("__global__ void k(const float *A, const float *C, float *y) "
             "{\n"
             "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
             "  float least = 1e30f;\n"
             "  for (int c = 0; c < 40; ++c) {\n"
             "    float s = 0;\n"
             "    for (int j = 0; j < 32; ++j)\n"
             "      s += A[i * 32 + j] * C[c * 32 + j];\n"
             "    y[i] = least = fminf(least, s);\n"
             "  }\n}\n"
             "void host(float *A) { k<<<1056, 256>>>(A, A, A); }\n"),
      1.5);
}

TEST(PredictedByTiles, LongOnesWhereOnlyTheRunKnows) {
  const std::string Code = kernel("m", "256", "s += A[i * m + j];");
  const KernelPlan Plan = decided(Code);
  ASSERT_TRUE(Plan.ByTiles);
  EXPECT_TRUE(Plan.ByTiles->OfLongRows);
  const KernelPlan Told = decided(Code, staging({{"m", 1024}}));
  ASSERT_TRUE(Told.ByTiles);
  EXPECT_FALSE(Told.ByTiles->OfLongRows);
  EXPECT_NEAR(Told.ByTiles->Gain, Plan.ByTiles->Gain, 0.3);
}

TEST(PredictedByTiles, SaysIfTheCardIsAnother) {
  const std::string Code = kernel("4096", "256", TwoRows);
  EXPECT_FALSE(decided(Code).ByTiles.value().RatesOfAnother);
  AnalysisOptions Other = staging();
  Other.Gpu = llvm::cantFail(findDevice("a100"));
  EXPECT_TRUE(decided(Code, Other).ByTiles.value().RatesOfAnother);
}

TEST(PredictedByTiles, NothingWithoutTiles) {
  EXPECT_FALSE(decided(kernel("4")).ByTiles);
  EXPECT_FALSE(decided(kernel("4096", "256", "s += B[j];")).ByTiles);
}

/// Rows that begin where `at` says, and what each element is multiplied by.
KernelPlan gathered(const std::string &Factor) {
  return decided(
      "__global__ void k(const float *A, const int *at, float *y) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x, row = at[i];\n"
      "  float s = 0;\n"
      "  for (int j = 0; j < 4096; ++j)\n"
      "    s += A[row * 4096 + j]" +
      Factor +
      ";\n"
      "  y[i] = s;\n}\n"
      "void host(float *A, int *at) { k<<<1056, 256>>>(A, at, A); }\n");
}

TEST(PredictedByTiles, OfRowsThatBeginWhereDataSays) {
  const KernelPlan Plan = gathered("");
  EXPECT_EQ(Plan.Versions.size(), 1U);
  ASSERT_TRUE(Plan.ByTiles);
  EXPECT_GT(Plan.ByTiles->Gain, 1.2);
}

TEST(PredictedByTiles, NothingWhereDataSaysWhatIsLoaded) {
  const KernelPlan Plan = gathered(" * A[at[j]]");
  EXPECT_EQ(Plan.Versions.size(), 1U);
  EXPECT_FALSE(Plan.ByTiles);
}

//===-- Loops that do not matter ------------------------------------------===//

/// Stores a row of so many elements before it looks at n of B.
std::string beforeASearch(const std::string &Trips, const std::string &Search) {
  return "__global__ void __launch_bounds__(256) k(const float *__restrict__ "
         "B, "
         "float *__restrict__ y, float *__restrict__ sums, int n) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  float s = 0;\n"
         "  for (int j = 0; j < " +
         Trips + "; ++j)\n    y[i * " + Trips + " + j] = 1;\n" + Search +
         "  sums[i] = s;\n}\n"
         "void host(float *B, int n) { k<<<1056, 256>>>(B, B, B, n); }\n";
}

const std::string OverAll = "  for (int c = 0; c < n; ++c)\n    s += B[c];\n";

TEST(MinorLoops, HaveNoTilesBesideALongOne) {
  EXPECT_THAT(staged(beforeASearch("16", "")),
              ElementsAre("y[i * 16 + j] in 16"));
  EXPECT_THAT(staged(beforeASearch("16", OverAll)), IsEmpty());
  EXPECT_THAT(staged(beforeASearch("64", OverAll)), IsEmpty());
}

TEST(MinorLoops, AreNoneBesideOneThatThreadsShare) {
  EXPECT_THAT(
      staged(beforeASearch("16", "  for (int c = threadIdx.x; c < n; c += 256)"
                                 "\n    s += B[c];\n")),
      ElementsAre("y[i * 16 + j] in 16"));
}

TEST(MinorLoops, AreNoneThatLoad) {
  std::string Code = beforeASearch("16", OverAll);
  const std::string Store = "y[i * 16 + j] = 1;";
  Code.replace(Code.find(Store), Store.size(), "y[i * 16 + j] *= 2;");
  EXPECT_THAT(staged(Code), ElementsAre("y[i * 16 + j] in 16"));
}

TEST(MinorLoops, AreNotLongOnes) {
  EXPECT_THAT(staged(beforeASearch("65", OverAll)),
              ElementsAre("y[i * 65 + j] in 32"));
  EXPECT_THAT(staged(beforeASearch(
                  "16", "  for (int c = 0; c < 63; ++c)\n    s += B[c];\n")),
              ElementsAre("y[i * 16 + j] in 16"));
}

//===-- From which length on ----------------------------------------------===//

/// A row of A for each thread, and one of y.
std::string row(const std::string &Trips, const std::string &Body,
                const std::string &Type = "float") {
  return "__global__ void __launch_bounds__(256) k(const " + Type +
         " *__restrict__ A, " + Type +
         " *__restrict__ y, double *__restrict__ sums, int m) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  double s = 0;\n  for (int j = 0; j < " +
         Trips + "; ++j) {\n" + Body + "\n  }\n  sums[i] = s;\n}\nvoid host(" +
         Type + " *A, double *s, int m) { k<<<1056, 256>>>(A, A, s, m); }\n";
}

int64_t leastTrips(const std::string &Body, const std::string &Type = "float") {
  const KernelPlan Plan = decided(row("m", Body, Type));
  return Plan.Versions.empty() ? 0 : Plan.Versions.front().MinTrips;
}

TEST(ShortRows, AreALineLongIfTheyAreRead) {
  EXPECT_EQ(leastTrips("s += A[i * m + j];"), 32);
  EXPECT_EQ(leastTrips("s += A[i * m + j];", "double"), 16);
  EXPECT_EQ(leastTrips("s += A[i * m + j].x;", "float4"), 8);
  EXPECT_EQ(leastTrips("s += A[i * m + j];", "short"), 32);
}

TEST(ShortRows, HaveTenElementsIfTheyAreWritten) {
  EXPECT_EQ(leastTrips("y[i * m + j] = 2 * A[i * m + j];"), 10);
  EXPECT_EQ(leastTrips("y[i * m + j] = 2 * A[i * m + j];", "double"), 10);
}

TEST(ShortRows, OfKnownLength) {
  EXPECT_THAT(staged(row("20", "y[i * 20 + j] = 2 * A[i * 20 + j];")),
              ElementsAre("A[i * 20 + j] and y[i * 20 + j] in 32"));
  EXPECT_THAT(staged(row("20", "s += A[i * 20 + j];")), IsEmpty());
  EXPECT_THAT(staged(row("7", "y[i * 7 + j] = A[i * 7 + j];")), IsEmpty());
  EXPECT_THAT(staged(row("15", "s += A[i * 15 + j];", "double")), IsEmpty());
}

TEST(ShortRows, HaveTilesNoWiderThanTheyAre) {
  EXPECT_THAT(staged(row("12", "y[i * 12 + j] = A[i * 12 + j];", "double")),
              ElementsAre("A[i * 12 + j] and y[i * 12 + j] in 16"));
  EXPECT_THAT(
      staged(row("8", "s += A[i * 8 + j].x + A[i * 8 + j].w;", "float4")),
      ElementsAre("A[i * 8 + j] in 8"));
}

} // namespace
} // namespace catt
