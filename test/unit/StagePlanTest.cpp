//===- StagePlanTest.cpp - Tests of plan/stage/StagePlan ---------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "StagePlanTesting.h"
#include "analysis/plan/stage/LongRows.h"
#include "llvm/ADT/StringExtras.h"

namespace catt {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

//===-- Staged ------------------------------------------------------------===//

TEST(StagePlan, PositiveRowsOfKnownLength) {
  EXPECT_THAT(staged(kernel("4096")), ElementsAre("A[i * 4096 + j] in 32"));
  KernelPlan Whole = decided(kernel("4096"));
  LoopVersion Plan = Whole.Versions.at(0);
  EXPECT_EQ(Whole.Tiles, (TileMemory{132, 256, false, 0}));
  EXPECT_EQ(Plan.MinTrips, 0);
  EXPECT_EQ(Plan.Reads, std::vector<unsigned>{0});
}

TEST(StagePlan, PositiveSaysThatNothingElseIsNeeded) {
  KernelPlan Plan = decided(kernel("4096"));
  EXPECT_EQ(Plan.Loops.at(0).Groups, 1);
  ASSERT_TRUE(Plan.Loops[0].Why);
  EXPECT_EQ(Plan.Loops[0].Why->Kind, Reason::RowsStaged);
  EXPECT_EQ(Plan.Loops[0].Why->Detail, "A[i * 4096 + j]");
  EXPECT_GE(Plan.Loops[0].FootprintBytes, 256 << 10); // as it was
}

TEST(StagePlan, PositiveTwoRows) {
  EXPECT_THAT(
      staged(kernel("4096", "256", "s += A[i * 4096 + j] * B[i * 4096 + j];")),
      ElementsAre("A[i * 4096 + j] and B[i * 4096 + j] in 32"));
}

TEST(StagePlan, PositiveWhatLanesShareStays) {
  EXPECT_THAT(staged(kernel("4096", "256", "s += A[i * 4096 + j] * B[j];")),
              ElementsAre("A[i * 4096 + j] in 32"));
}

TEST(StagePlan, PositiveFewerColumnsWhereSharedMemoryIsShort) {
  EXPECT_THAT(staged(kernel("4096", "512")),
              ElementsAre("A[i * 4096 + j] in 32"));
  AnalysisOptions Unasked = staging();
  Unasked.May.LaunchTiles = false;
  EXPECT_THAT(staged(kernel("4096", "512"), Unasked),
              ElementsAre("A[i * 4096 + j] in 16")); // 34 instead of 66 KiB
  EXPECT_THAT(staged(kernel("4096", "1024"), Unasked),
              ElementsAre("A[i * 4096 + j] in 8")); // 36 instead of 68 KiB
  EXPECT_THAT(
      staged(kernel("4096", "512", "s += A[i * 4096 + j];", "double"), Unasked),
      ElementsAre("A[i * 4096 + j] in 8"));
}

TEST(StagePlan, PositiveTheKernelsOwnSharedMemoryCounts) {
  std::string Own = "__shared__ float own[5000]; own[0] = s; "; // 20 KiB
  std::string Code = kernel("4096", "512");
  Code.insert(Code.find("  for ("), Own);
  AnalysisOptions Unasked = staging();
  Unasked.May.LaunchTiles = false;
  EXPECT_THAT(staged(Code, Unasked), ElementsAre("A[i * 4096 + j] in 8"));
}

TEST(StagePlan, PositiveRowsThatOnlyTheRunKnows) {
  std::string Body = "s += A[i * m + j];";
  std::string Code = kernel("m", "256", Body);
  EXPECT_THAT(staged(Code), ElementsAre("A[i * m + j] in 32"));
  EXPECT_EQ(decided(Code).Versions.at(0).MinTrips, 32);
  EXPECT_THAT(staged(Code, staging({{"m", 4096}})),
              ElementsAre("A[i * m + j] in 32"));
}

TEST(StagePlan, PositiveLaunchesOfShortRowsAskForNoTiles) {
  KernelPlan Plan = decided(kernel("m"));
  EXPECT_TRUE(Plan.Tiles.IsDynamic);
  EXPECT_TRUE(Plan.Tiles.IfLong);
  EXPECT_EQ(longRows(kernel("m")), "m >= 32");
  EXPECT_EQ(longRows(kernel("m - 3")), "m >= 35");
  std::string Other = kernel("m");
  Other.replace(Other.find("m, m);"), 6, "m, m * 2);");
  EXPECT_EQ(longRows(Other), "(m * 2) >= 32");
}

TEST(StagePlan, PositiveLaunchesOfLoopsThatStep) {
  auto By = [](const std::string &Step, const std::string &Trips) {
    std::string Code = kernel(Trips, "256", "s += A[i * 4096 + j];");
    return Code.replace(Code.find("++j"), 3, "j += " + Step);
  };
  EXPECT_EQ(longRows(By("4", "m")), "m >= 32");
  EXPECT_EQ(longRows(By("2", "m - 3")), "m >= 35");
  EXPECT_EQ(longRows(By("2", "m * 2")), "2 * m >= 32");
}

TEST(StagePlan, PositiveOneConditionForLoopsOfOneLength) {
  std::string Twice = kernel("m - 1");
  Twice.insert(Twice.find("  y[i] = s"),
               "  for (int k = 0; k < m; ++k)\n    s += A[i * 4096 + k];\n");
  EXPECT_EQ(longRows(Twice), "m >= 32");
}

TEST(StagePlan, NegativeLaunchesThatCannotTell) {
  for (const char *Trips : {"m * 17", "m * m"})
    EXPECT_EQ(longRows(kernel(Trips)), std::nullopt) << Trips;
  EXPECT_FALSE(decided(kernel("m * m")).Tiles.IfLong);
  std::string Twice = kernel("m"); // an argument that may not be read twice
  Twice.replace(Twice.find("m, m);"), 6, "m, m++);");
  EXPECT_EQ(longRows(Twice), std::nullopt);
  EXPECT_EQ(longRows(kernel("4096")), std::nullopt); // they are long
}

TEST(StagePlan, PositiveRowsThatAreWritten) {
  const std::string Scaled = "y[i * 4096 + j] = A[i * 4096 + j] * 2;";
  EXPECT_THAT(staged(kernel("4096", "256", Scaled)),
              ElementsAre("A[i * 4096 + j] and y[i * 4096 + j] in 32"));
  EXPECT_THAT(staged(kernel("m", "256", "y[i * m + j] = s;")),
              ElementsAre("y[i * m + j] in 32"));
  // What lanes write side by side, and columns, stay.
  EXPECT_THAT(staged(kernel("4096", "256", "y[i + 4096 * j] = s;")), IsEmpty());
}

TEST(StagePlan, NegativeManySumsOfLoopsThatMayBeShort) {
  auto Sums = [](const std::string &Trips, const std::string &Body) {
    AnalysisOptions Options = staging();
    Options.May.Sums = true;
    KernelPlan Plan = decided(kernel(Trips, "256", Body), Options);
    return Plan.Versions.empty() ? 0 : Plan.Versions[0].Sums.size();
  };
  const std::string Two = "y[i] += B[j]; y[i + n] += B[j];",
                    Three = Two + " y[i + 2 * n] += B[j];";
  EXPECT_EQ(Sums("m", Two), 2u);
  EXPECT_EQ(Sums("m", Three), 0u);
  EXPECT_EQ(Sums("4096", Three), 3u);
}

TEST(StagePlan, NegativeThePaperAndTheUserDecide) {
  AnalysisOptions Paper = staging(), Forced = staging();
  Paper.Counting = Model::Catt;
  EXPECT_THAT(staged(kernel("4096"), Paper), IsEmpty());
  Forced.Forced = {{"k", "j", 2, std::nullopt, "k:j=2"}};
  EXPECT_THAT(staged(kernel("4096"), Forced), IsEmpty());
  EXPECT_EQ(decided(kernel("4096"), Forced).Loops.at(0).Groups, 2);
}

TEST(StagePlan, NegativeAnotherLoopNeedsL1) {
  auto Code = [](const std::string &Grid, const std::string &Row) {
    std::string Out = kernel("4096", "1024");
    Out.replace(Out.find("1056"), 4, Grid);
    return Out.insert(Out.find("  y[i]"), "  int q = 0;\n"
                                          "  while (q < 4096)\n    s += " +
                                              Row + ";\n");
  };
  EXPECT_THAT(staged(Code("132", "B[i * 4096 + q++]")), IsEmpty());
  EXPECT_THAT(staged(Code("132", "B[q++]")),
              ElementsAre("A[i * 4096 + j] in 32"));
  // L1 is a little too small for its lines, and would be much too small.
  EXPECT_THAT(staged(Code("1056", "B[i * 4096 + q++]")), IsEmpty());
  // They do not stay in L1 as it is.
  EXPECT_THAT(staged(Code("1056", "B[i * 4096 + q] + B[i * 4096 + q + 256] +"
                                  "B[i * 4096 + q + 512] +"
                                  "B[i * 4096 + q++ + 768]")),
              ElementsAre("A[i * 4096 + j] in 32"));
}

/// The row is walked again for each c.
std::string nest(const std::string &Trips, const std::string &Pragma = "",
                 const std::string &Type = "float") {
  std::string Code = kernel(Trips);
  for (size_t At = 0; (At = Code.find("float", At)) != std::string::npos;
       At += Type.size())
    Code.replace(At, 5, Type);
  Code.insert(Code.find("  for ("), "  for (int c = 0; c < n; ++c)\n" + Pragma);
  return Code;
}

TEST(StagePlan, PositiveRowsThatStay) {
  const KernelPlan Plan = decided(nest("m"));
  ASSERT_EQ(Plan.Versions.size(), 1u);
  EXPECT_EQ(Plan.Versions[0].Columns, 64);
  EXPECT_EQ(Plan.Versions[0].MinTrips, 16);
  EXPECT_EQ(Plan.Tiles.ThreadBytes, 64 * 4 + 4);
  EXPECT_EQ(Plan.Loops[0].Why->Kind, Reason::RowsStaged);
  EXPECT_EQ(Plan.Loops[1].Why->Kind, Reason::RowsStaged);
  EXPECT_THAT(staged(nest("m", "", "double")),
              ElementsAre("A[i * 4096 + j] in 32"));
  EXPECT_EQ(decided(nest("m", "", "char")).Versions.at(0).MinTrips, 64);
  EXPECT_EQ(decided(nest("m", "", "short")).Versions.at(0).MinTrips, 32);
}

TEST(StagePlan, PositiveRowsOfAKnownLengthThatStay) {
  const std::string Unrolled = "#pragma unroll 2\n";
  EXPECT_THAT(staged(nest("34", Unrolled)),
              ElementsAre("A[i * 4096 + j] in 34"));
  EXPECT_EQ(decided(nest("34", Unrolled)).Tiles.ThreadBytes, 34 * 4 + 4);
  EXPECT_EQ(decided(nest("33", Unrolled)).Tiles.ThreadBytes, 33 * 4);
}

TEST(StagePlan, NegativeRowsThatStay) {
  const std::string Unrolled = "#pragma unroll 2\n";
  EXPECT_THAT(staged(nest("15", Unrolled)), IsEmpty());
  EXPECT_THAT(staged(nest("65", Unrolled)), IsEmpty());
  EXPECT_THAT(staged(nest("i % 7 + 40")), IsEmpty()); // of each lane
  std::string Once = nest("m");
  Once.replace(Once.find("c < n"), 5, "c < 1");
  EXPECT_THAT(staged(Once), IsEmpty());
}

TEST(StagePlan, NegativeRowsThatMayStayInRegisters) {
  EXPECT_THAT(staged(nest("128")), IsEmpty());
  EXPECT_THAT(staged(nest("64")), IsEmpty());
  EXPECT_THAT(staged(nest("238")), IsEmpty()); // nvcc 13.0: 250 registers
  EXPECT_THAT(staged(nest("144")), ElementsAre("A[i * 4096 + j] in 32"));
  EXPECT_THAT(staged(nest("241")), ElementsAre("A[i * 4096 + j] in 32"));
  EXPECT_THAT(staged(kernel("48")), ElementsAre("A[i * 4096 + j] in 32"));
}

TEST(StagePlan, PositiveTwoLoops) {
  std::string Code = kernel("4096");
  Code.insert(Code.find("  y[i]"), "  for (int q = 0; q < 4096; ++q)\n"
                                   "    s += B[i * 4096 + q];\n");
  EXPECT_THAT(staged(Code),
              ElementsAre("A[i * 4096 + j] in 32", "B[i * 4096 + q] in 32"));
}

/// Adds up a row of B in a function of its own.
const std::string SumOf = "__device__ float sum(const float *row, int n) {\n"
                          "  float s = 0;\n"
                          "  for (int q = 0; q < n; ++q)\n    s += row[q];\n"
                          "  return s;\n}\n";

TEST(StagePlan, PositiveLoopsOfOneFunction) {
  std::string Code = SumOf + kernel("31");
  Code.replace(Code.find("y[i] = s"), 8, "y[i] = s + sum(B + i * 4096, 4096)");
  EXPECT_THAT(staged(Code), ElementsAre("row[q] in 32"));
  Code = SumOf + kernel("4096");
  Code.replace(Code.find("y[i] = s"), 8, "y[i] = s + sum(B + i * 4096, 256)");
  EXPECT_THAT(staged(Code), ElementsAre("A[i * 4096 + j] in 32"));
}

TEST(StagePlan, PositiveLaunchesTellOfLoopsOfFunctions) {
  std::string Code = SumOf + kernel("31", "256");
  Code.replace(Code.find("y[i] = s"), 8, "y[i] = s + sum(B + i * m, m)");
  EXPECT_THAT(staged(Code), ElementsAre("row[q] in 32"));
  EXPECT_TRUE(decided(Code).Tiles.IfLong);
}

//===-- Left alone --------------------------------------------------------===//

TEST(StagePlan, NegativeNotAskedFor) {
  EXPECT_THAT(staged(kernel("4096"), options(std::nullopt)), IsEmpty());
}

TEST(StagePlan, NegativeFewIterations) {
  EXPECT_THAT(notStaged(kernel("31")), IsEmpty());
  EXPECT_THAT(notStaged(kernel("8")), IsEmpty());
  EXPECT_THAT(
      staged(kernel("m", "256", "s += A[i * m + j];"), staging({{"m", 16}})),
      IsEmpty());
}

TEST(StagePlan, NegativeNothingContends) {
  EXPECT_THAT(notStaged(kernel("4096", "256", "s += A[j * 4096 + i];")),
              IsEmpty()); // coalesced
  EXPECT_THAT(notStaged(kernel("4096", "256", "s += A[i * 4 + j];")),
              IsEmpty());
}

TEST(StagePlan, NegativeABlockThatIsNotKnown) {
  std::string Code = kernel("4096");
  EXPECT_THAT(staged(Code.substr(0, Code.find("void host"))), IsEmpty());
}

/// The plan where registers are known to lie between 32 and this.
KernelPlan estimated(const std::string &Code, int64_t Most) {
  Parsed P = parseSnippet(Code);
  KernelReport Report;
  Report.Source = P.kernel("k");
  Report.Source.Registers = RegisterRange{32, 32, Most, Origin::Estimated};
  decide(Report, staging());
  return Report.Plan;
}

TEST(StagePlan, PositiveWhateverTheRegistersNothingElseIsDone) {
  // 8 or 5 blocks on an SM: both contend, and ask the launch for something.
  const std::string Rows = TwoRows,
                    Guarded = "if (j % 2)\n"
                              "y[i] += A[i * 4096 + j] * B[i * 4096 + j] + "
                              "A[i * 4096 + j + 99] * B[i * 4096 + j + 99];";
  std::string One = kernel("4096", "256", Rows),
              Two =
                  kernel("4096", "256",
                         Rows + "\n  }\n  for (int j = 0; j < 4096; ++j) {\n" +
                             Guarded);
  EXPECT_EQ(estimated(One, 48).Versions.size(), 1u);
  EXPECT_EQ(estimated(Two, 32).Versions.size(), 1u);
  KernelPlan Known = estimated(Two, 32);
  EXPECT_TRUE(Known.CarveoutPercent || Known.BlocksRemoved > 0);
  KernelPlan Estimated = estimated(Two, 48);
  EXPECT_EQ(Estimated.Versions.size(), 1u);
  EXPECT_FALSE(Estimated.CarveoutPercent);
  EXPECT_EQ(Estimated.BlocksRemoved, 0);
}

TEST(StagePlan, NegativeBeforeAsynchronousCopies) {
  AnalysisOptions Old = staging();
  Old.Gpu = llvm::cantFail(findDevice("sm_75"));
  EXPECT_THAT(staged(kernel("4096"), Old), IsEmpty());
}

TEST(StagePlan, NegativeNoSharedMemoryLeft) {
  std::string Code = kernel("4096");
  Code.insert(Code.find("  for ("),
              "__shared__ float own[11000]; own[0] = s; ");
  AnalysisOptions Unasked = staging();
  Unasked.May.LaunchTiles = false;
  KernelPlan Plan = decided(Code, Unasked);
  EXPECT_THAT(Plan.Versions, IsEmpty());
  ASSERT_EQ(Plan.NotStaged.size(), 1u);
  EXPECT_EQ(Plan.NotStaged[0].Kind, Reason::NotEnoughShared);
}

TEST(StagePlan, PositiveRowsInPlace) {
  EXPECT_THAT(staged(kernel("4096", "256", "y[i * 4096 + j] += 1;")),
              ElementsAre("y[i * 4096 + j] in 32"));
}

TEST(StagePlan, NegativeLoopsThatCannotRunInTiles) {
  EXPECT_THAT(notStaged(kernel("4096", "256",
                               "s += A[i * 4096 + j]; if (s > 9) break;")),
              ElementsAre(Reason::EndsEarly));
  EXPECT_THAT(notStaged(kernel("4096", "256", "s += 1; s *= A[i * 4096 + j];")),
              ElementsAre(Reason::MayContract));
  EXPECT_THAT(notStaged(kernel("4096", "256", "y[i] = y[i * 4096 + j + 1];")),
              ElementsAre(Reason::MayAlias));
}

TEST(StagePlan, NegativeLoopsAroundOthers) {
  EXPECT_THAT(staged(kernel("4096", "256",
                            "s += A[i * 4096 + j];\n"
                            "for (int q = 0; q < 256; ++q)\n"
                            "  s += B[i * 256 + q];")),
              ElementsAre("B[i * 256 + q] in 32"));
}

//===-- Tiles -------------------------------------------------------------===//

TEST(StagePlan, PositiveTilesBeyondStaticSharedMemoryAreDynamic) {
  std::string Two =
      kernel("4096", "256", "s += A[i * 4096 + j] + B[i * 4096 + j];");
  EXPECT_EQ(decided(Two).Tiles, (TileMemory{260, 256, true, 0}));
  AnalysisOptions Unasked = staging();
  Unasked.May.LaunchTiles = false;
  EXPECT_EQ(decided(Two, Unasked).Tiles, (TileMemory{132, 256, false, 0}));
}

TEST(StagePlan, PositiveDynamicTilesLieBehindWhatTheKernelHas) {
  std::string Code =
      kernel("4096", "256, 1000", "s += A[i * 4096 + j] + B[i * 4096 + j];");
  EXPECT_EQ(decided(Code).Tiles, (TileMemory{260, 256, true, 1008}));
}

TEST(StagePlan, PositiveLargeBlocksLeaveWarpsEnough) {
  // 8 bytes: half as many columns; one block of 32 warps is enough.
  EXPECT_EQ(
      decided(kernel("4096", "1024", "s += A[i * 4096 + j];", "double")).Tiles,
      (TileMemory{136, 1024, true, 0}));
}

TEST(StagePlan, PositiveLoopsShareTheirTiles) {
  KernelPlan Plan = decided(
      kernel("4096", "256",
             "s += A[i * 4096 + j];\n  }\n  for (int j = 0; j < 4096; ++j) {\n"
             "s += B[i * 4096 + j];"));
  EXPECT_EQ(Plan.Versions.size(), 2u);
  EXPECT_EQ(Plan.Tiles, (TileMemory{132, 256, false, 0}));
}

TEST(StagePlan, PositiveWidthAsTold) {
  AnalysisOptions Narrow = staging();
  Narrow.TileBytes = 32;
  EXPECT_THAT(staged(kernel("4096"), Narrow),
              ElementsAre("A[i * 4096 + j] in 8"));
}

//===-- Elements that are not 4 or 8 bytes --------------------------------===//

/// Walks rows of objects P with four floats, of which Use is added up.
std::string objects(const std::string &Aligned, const std::string &Use) {
  return "struct " + Aligned +
         " P { float x, y, z, w; };\n"
         "__global__ void __launch_bounds__(1024) k(const P *A, float *y) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  float s = 0;\n  for (int j = 0; j < 4096; ++j)\n    s += " +
         Use + ";\n  y[i] = s;\n}\n" +
         "void host(P *A, float *y) { k<<<1056, 256>>>(A, y); }\n";
}

TEST(StagePlan, PositiveObjects) {
  const std::string All = "A[i * 4096 + j].x * A[i * 4096 + j].w";
  EXPECT_THAT(staged(objects("", All)), ElementsAre("A[i * 4096 + j] in 8"));
  // A thread's row of tiles: its elements, and what sets lanes apart.
  EXPECT_EQ(decided(objects("", All)).Tiles.ThreadBytes, 8 * 16 + 4);
  EXPECT_EQ(decided(objects("__align__(16)", All)).Tiles.ThreadBytes,
            8 * 16 + 16);
}

TEST(StagePlan, NegativeTilesOfFewObjects) {
  AnalysisOptions Narrow = staging();
  Narrow.TileBytes = 64;
  const std::string Two = "s += A[i * 4096 + j].x + B[i * 4096 + j].y;",
                    Code = "struct P { float x, y, z, w; };\n" +
                           kernel("4096", "1024", Two, "P");
  std::string Of = Code; // the sums are numbers
  for (const char *Sum : {"P *y", "P s = 0"})
    Of.replace(Of.find(Sum), 1, "float");
  Of.replace(Of.find("(A, A, A,"), 9, "(A, A, nullptr,");
  EXPECT_THAT(staged(Of, Narrow),
              ElementsAre("A[i * 4096 + j] and B[i * 4096 + j] in 4"));
  EXPECT_THAT(notStaged(Of), ElementsAre(Reason::NotEnoughShared));
}

TEST(StagePlan, PositiveElementsOfAByteOrTwo) {
  EXPECT_THAT(
      staged(kernel("4096", "256", "s += A[i * 4096 + j];", "unsigned char")),
      ElementsAre("A[i * 4096 + j] in 128"));
  EXPECT_THAT(staged(kernel("4096", "256",
                            "y[i * 4096 + j] = A[i * 4096 + j] + 1;", "short")),
              ElementsAre("A[i * 4096 + j] and y[i * 4096 + j] in 64"));
  const KernelPlan Plan = decided(
      kernel("4096", "256", "y[i * 4096 + j] += A[i * 4096 + j];", "char"));
  // For each row a word more, as it may begin in one, and one for the banks.
  EXPECT_EQ(Plan.Tiles.ThreadBytes, 2 * (128 + 4) + 4);
}

//===-- Sums --------------------------------------------------------------===//

TEST(StagePlan, PositiveSumsAreKeptInRegisters) {
  AnalysisOptions Both = staging();
  Both.May.Sums = true;
  KernelPlan Plan =
      decided(kernel("4096", "256", "y[i] += A[i * 4096 + j];"), Both);
  ASSERT_EQ(Plan.Versions.size(), 1u);
  EXPECT_EQ(Plan.Versions[0].Sums, std::vector<unsigned>{0});
  EXPECT_EQ(Plan.Versions[0].Reads, std::vector<unsigned>{0});
  // A loop that walks columns does not contend.
  Plan = decided(kernel("m", "256", "y[i] += A[j * 4096 + i];"), Both);
  ASSERT_EQ(Plan.Versions.size(), 1u);
  EXPECT_THAT(Plan.Versions[0].Reads, IsEmpty());
  EXPECT_EQ(Plan.Versions[0].MinTrips, 32);
  EXPECT_EQ(Plan.Tiles, TileMemory());
}

TEST(StagePlan, PositiveSumsUnderSeveralLaunches) {
  AnalysisOptions Both = staging();
  Both.May.Sums = true;
  std::string Code = kernel("m", "256", "y[i] += B[j];");
  Code.insert(Code.rfind('}'), "k<<<1056, 128>>>(A, A, A, m, m); ");
  EXPECT_EQ(decided(Code, Both).Versions.size(), 1u);
}

TEST(StagePlan, NegativeSumsOfShortLoops) {
  AnalysisOptions Both = staging();
  Both.May.Sums = true;
  EXPECT_THAT(
      decided(kernel("8", "256", "y[i] += A[i * 4096 + j];"), Both).Versions,
      IsEmpty());
}

//===-- What is left of the kernel ----------------------------------------===//

TEST(StagePlan, PositiveTilesTakeTheReadsAway) {
  Parsed P =
      parseSnippet(kernel("4096", "256", "s += A[i * 4096 + j] * B[j];"));
  const Kernel &K = P.kernel("k");
  ASSERT_EQ(K.RowLoops.at(0).Reads.at(0).Text, "A[i * 4096 + j]");
  Stages Tiles{{{0, {0}, {}, 16, 0}}, {68, 256, false, 0}, {}};
  Kernel With = withStages(K, Tiles);
  EXPECT_EQ(With.StaticSharedBytes, K.StaticSharedBytes + 17408);
  EXPECT_EQ(offsetOf(With, "A[i * 4096 + j]"), "no such access");
  EXPECT_EQ(With.Accesses.size() + 1, K.Accesses.size());
}

} // namespace
} // namespace catt
