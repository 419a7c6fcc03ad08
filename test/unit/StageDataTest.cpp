//===- StageDataTest.cpp - Rows that only the data knows --------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "StagePlanTesting.h"
#include "analysis/plan/stage/LongRows.h"

namespace catt {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Rows of A that begin at an element of P.
std::string gathered(const std::string &P, const std::string &Trips = "m") {
  std::string Code = kernel(Trips, "256", "s += A[r * m + j];");
  Code.replace(Code.find("const float *B"), 14, "const int *P");
  Code.replace(Code.find("(A, A, A"), 8, "(A, (int *)A, A");
  return Code.insert(Code.find("  for ("), "  int r = " + P + ";\n");
}

TEST(StageData, PositiveRowsThatDataSays) {
  EXPECT_THAT(staged(gathered("P[i]")), ElementsAre("A[r * m + j] in 32"));
  EXPECT_THAT(staged(gathered("P[2 * i + 1]", "4096")),
              ElementsAre("A[r * m + j] in 32"));
  EXPECT_TRUE(decided(gathered("P[i]")).Tiles.IfLong);
}

TEST(StageData, NegativeRowsThatDataSaysForAllLanesOrInALoop) {
  EXPECT_THAT(staged(gathered("P[blockIdx.x]")), IsEmpty());
  EXPECT_THAT(staged(gathered("P[P[i]]")), IsEmpty()); // may be one for all
  EXPECT_THAT(staged(gathered("P[i]", "P[i + 1]")), IsEmpty()); // short ones
  std::string Around = gathered("P[i]");
  Around.insert(Around.find("  for ("), "  for (int k = 0; k < n; ++k)\n");
  EXPECT_THAT(staged(Around), IsEmpty());
  std::string Few = gathered("P[i]");
  Few.replace(Few.find("1056"), 4, "132");
  EXPECT_THAT(staged(Few), IsEmpty());
}

TEST(StageData, NegativeLanesThatDataLeavesOut) {
  std::string Code = kernel("4096");
  Code.insert(Code.find("  for ("), "  if (y[i] > 0)\n");
  EXPECT_THAT(staged(Code), IsEmpty());
}

TEST(StageData, PositiveRowsOfDifferentLengthAsTold) {
  AnalysisOptions Told = staging();
  Told.TileBytes = 128;
  const std::string Rows =
      "  for (int j = P[i]; j < P[i + 1]; ++j)\n    s += A[j];\n";
  std::string Code = gathered("P[i]");
  const size_t From = Code.find("  for (");
  Code.replace(From, Code.find("  y[i]") - From, Rows);
  EXPECT_THAT(staged(Code, Told), ElementsAre("A[j] in 32"));
  EXPECT_THAT(staged(Code), IsEmpty()); // measured to lose
  std::string Masked = kernel("4096");
  Masked.insert(Masked.find("  for ("), "  if (y[i] > 0)\n");
  EXPECT_THAT(staged(Masked, Told), ElementsAre("A[i * 4096 + j] in 32"));
}

/// Rows that have a place each, and are as long as this says.
std::string padded(const std::string &Place, const std::string &Trips = "P[i]",
                   const std::string &Body = "",
                   const std::string &Type = "float") {
  std::string Code =
      kernel(Trips, "256",
             Body.empty() ? "s += A[i * " + Place + " + j];" : Body, Type);
  const std::string Other = "const " + Type + " *B";
  Code.replace(Code.find(Other), Other.size(), "const int *P");
  return Code.replace(Code.find("(A, A, A"), 8, "(A, (int *)A, A");
}

TEST(StageData, PositiveRowsThatHaveAPlaceForMany) {
  EXPECT_THAT(staged(padded("480")), ElementsAre("A[i * 480 + j] in 32"));
  EXPECT_THAT(staged(padded("64")), ElementsAre("A[i * 64 + j] in 32"));
  const KernelPlan Plan = decided(padded("480", "P[blockIdx.x]"));
  ASSERT_EQ(Plan.Versions.size(), 1u);
  EXPECT_EQ(Plan.Versions[0].MinTrips, 0);
  EXPECT_THAT(staged(padded("m"), staging({{"m", 480}})),
              ElementsAre("A[i * m + j] in 32"));
}

TEST(StageData, PositiveRowsOfBytesThatHaveAPlaceForMany) {
  EXPECT_THAT(staged(padded("256", "P[i]", "", "char")),
              ElementsAre("A[i * 256 + j] in 128"));
  EXPECT_THAT(staged(padded("100", "P[i]", "", "char")),
              IsEmpty()); // less than a line
}

TEST(StageData, NegativeRowsThatHaveAPlaceForFewOrAreLeftOut) {
  EXPECT_THAT(staged(padded("63")), IsEmpty());
  EXPECT_THAT(staged(padded("m")), IsEmpty()); // any number
  EXPECT_THAT(staged(padded("480", "P[i] && A[j] > 0")), IsEmpty());
  std::string Masked = padded("480");
  Masked.insert(Masked.find("  for ("), "  if (P[i] > 3)\n");
  EXPECT_THAT(staged(Masked), IsEmpty());
  std::string Few = padded("480");
  Few.replace(Few.find("<<<1056, 256"), 12, "<<<1056, 32 ");
  EXPECT_THAT(staged(Few), IsEmpty()); // 8 warps on an SM
  Few = padded("480");
  Few.replace(Few.find("<<<1056, 256"), 12, "<<<198, 256 ");
  EXPECT_THAT(staged(Few), ElementsAre("A[i * 480 + j] in 32"));
  Few.replace(Few.find("<<<198"), 6, "<<<197");
  EXPECT_THAT(staged(Few), IsEmpty()); // 12 in the mean
  AnalysisOptions Sums = staging();
  Sums.May.Sums = true; // a row without elements has none to store
  const KernelPlan Plan =
      decided(padded("480", "P[i]", "y[i] += A[i * 480 + j];"), Sums);
  for (const LoopVersion &V : Plan.Versions)
    EXPECT_NE(V.MinTrips, 0);
}

TEST(StageData, NegativeFewerWarpsWhereDataDecidesHowManyThereAre) {
  auto Why = [&](const std::string &Before,
                 const AnalysisOptions &Options) -> std::optional<Reason> {
    std::string Code = kernel("4096", "256", "y[i] += A[i * 4096 + j];");
    Code.insert(Code.find("  for ("), Before);
    const std::optional<Refusal> Found = decided(Code, Options).Loops[0].Why;
    return Found ? std::optional(Found->Kind) : std::nullopt;
  };
  const AnalysisOptions Default = options(std::nullopt);
  EXPECT_EQ(Why("", Default), std::nullopt);
  EXPECT_EQ(Why("  if (i < n)\n", Default), std::nullopt);
  EXPECT_EQ(Why("  if (B[i] > 0)\n", Default), Reason::DataDecides);
  EXPECT_EQ(Why("  if (B[i] > 0) return;\n", Default), Reason::DataDecides);
  AnalysisOptions Other = Default;
  Other.MayGuess = true; // the launches find out
  EXPECT_EQ(Why("  if (B[i] > 0)\n", Other), std::nullopt);
  Other = Default;
  Other.Counting = Model::Catt;
  EXPECT_EQ(Why("  if (B[i] > 0)\n", Other), std::nullopt);
}

TEST(StageData, LengthsThatAConditionCutsOff) {
  const std::string Before = "__global__ void __launch_bounds__(1024) k(const "
                             "float *A, float *y, int n, int m) {\n"
                             "  int i = blockIdx.x * blockDim.x + threadIdx.x;"
                             "\n  if (i >= n) return;\n",
                    Behind =
                        "  float s = 0;\n  for (int j = 0; j < length; ++j)\n"
                        "    s += A[i * 1024 + j];\n  y[i] = s;\n}\n"
                        "void host(float *A) { k<<<1056, 256>>>(A, A, 270336, "
                        "700); }\n";
  auto Loops = [&](const char *Length) {
    return staged(Before + Length + Behind);
  };
  for (const char *Length :
       {"int length = i % m + 1; if (length > 1024) length = 1024;",
        "int length = i % m + 1; if (1024 < length) length = 1024;",
        "int length = i % m + 1; if (length >= 1024) length = 1024;",
        "int length = i % m + 1; length = length > 900 ? 900 : length;"})
    EXPECT_THAT(Loops(Length), SizeIs(1)) << Length;
  for (const char *Length :
       {"int length = i % m + 1; if (length > 100) length = 100;", // short
        "int length = i * m; if (length < 1024) length = 1024;"})
    EXPECT_THAT(Loops(Length), IsEmpty()) << Length;
}

//===-- Lanes that data leaves out ----------------------------------------===//

TEST(StageData, LanesThatDataLeavesOutBehindOthersWithTiles) {
  auto Code = [](const std::string &Between) {
    return "__global__ void __launch_bounds__(1024) k(const float "
           "*__restrict__ A, float *__restrict__ y, int n) {\n"
           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  if (i >= n) return;\n  float s = 0, t = 0;\n" +
           Between + "  y[i] = s + t;\n}\n" +
           "void host(float *A, float *y, int n) { k<<<1056, 256>>>(A, y, n); "
           "}\n";
  };
  const std::string
      First = "  for (int j = 0; j < 512; ++j) s += A[i * 512 + j];\n",
      Second = "  for (int j = 0; j < 512; ++j) t += A[i * 512 + "
               "j] / s;\n";
  EXPECT_THAT(staged(Code(First + "  if (s == 0) return;\n" + Second)),
              SizeIs(2));
  EXPECT_THAT(staged(Code(First + "  if (s > 0)\n" + Second)), SizeIs(2));
  // There are no tiles for the one alone.
  EXPECT_THAT(staged(Code("  if (y[i] == 0) return;\n" + Second)), IsEmpty());
  EXPECT_THAT(staged(Code("  if (y[i] > 0)\n" + Second)), IsEmpty());
  EXPECT_THAT(staged(Code("  for (int j = 0; j < 8; ++j) s += A[i * 512 + j];\n"
                          "  if (s == 0) return;\n" +
                          Second)),
              IsEmpty());
}

//===-- Lengths that launches tell ----------------------------------------===//

/// What a launch asks, of a kernel whose rows have so many float4.
static std::optional<std::string> askedAtLaunch(const std::string &Length) {
  const Parsed P = parseSnippet(
      "__global__ void k(const float4 *A, float *y, int m) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  float s = 0;\n"
      "  for (int j = 0; j < " +
      Length +
      "; ++j) s += A[i * m / 4 + j].x;\n  y[i] = s;\n}\n"
      "void host(float4 *A, float *y, int m) { k<<<1056, 256>>>(A, y, m); }\n");
  const Kernel &K = P.kernel("k");
  LoopVersion Long;
  Long.MinTrips = 32;
  Long.Reads = {0};
  return longRowsAt(K.Launches.at(0), K, {Long});
}

TEST(StageData, PositiveALengthThatIsAQuotient) {
  EXPECT_EQ(askedAtLaunch("m / 4"), "m >= 128");
  EXPECT_EQ(askedAtLaunch("m >> 2"), "m >= 128");
  EXPECT_EQ(askedAtLaunch("(m + 3) / 4"), "m >= 125");
}

TEST(StageData, NegativeALengthThatNoLaunchTells) {
  EXPECT_EQ(askedAtLaunch("m / 4 + 1"), std::nullopt);
  EXPECT_EQ(askedAtLaunch("m * m"), std::nullopt);
  EXPECT_EQ(askedAtLaunch("m / m"), std::nullopt);
}

} // namespace
} // namespace catt
