//===- StageBlocksTest.cpp - Tiles for blocks of several sizes ------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "StagePlanTesting.h"
#include "analysis/plan/stage/LongRows.h"

#include "llvm/Support/FormatVariadic.h"

namespace catt {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Launched once more, with another block.
std::string again(std::string Code, const std::string &Block) {
  return Code.insert(Code.rfind('}'),
                     "k<<<1056, " + Block + ">>>(A, A, A, m, m); ");
}

TEST(StageBlocks, PositiveSeveralLaunches) {
  EXPECT_EQ(decided(again(kernel("4096"), "256")).Tiles,
            (TileMemory{132, 256, false, 0}));
  EXPECT_EQ(decided(again(kernel("4096"), "128")).Tiles,
            (TileMemory{132, 256, true, 0, false, /*AnyBlock=*/true}));
}

TEST(StageBlocks, PositiveABlockOfTheRun) {
  const std::string Code = kernel("4096", "m");
  EXPECT_THAT(staged(Code), ElementsAre("A[i * 4096 + j] in 32"));
  EXPECT_EQ(decided(Code).Tiles,
            (TileMemory{132, 256, true, 0, false, /*AnyBlock=*/true}));
  EXPECT_THAT(decided(Code).Refusals, IsEmpty());
}

TEST(StageBlocks, PositiveTilesOfTheLargestBlockFit) {
  EXPECT_EQ(decided(kernel("4096", "m", TwoRows)).Tiles.ThreadBytes, 132);
  std::string Small = kernel("4096", "m", TwoRows);
  Small.replace(Small.find("1024"), 4, "512");
  EXPECT_EQ(decided(Small).Tiles.ThreadBytes, 260);
}

TEST(StageBlocks, PositiveLaunchesThatAskForMemoryOfTheirOwn) {
  std::string Code = kernel("4096", "m, 100");
  EXPECT_EQ(decided(again(Code, "m, 1000")).Tiles.DynamicOffset, 1008);
}

TEST(StageBlocks, NegativeSeveralLaunchesThatCannotAsk) {
  AnalysisOptions Options = staging();
  Options.May.LaunchTiles = false;
  EXPECT_THAT(staged(again(kernel("4096"), "128"), Options), IsEmpty());
  EXPECT_THAT(staged(kernel("4096", "m"), Options), IsEmpty());
}

TEST(StageBlocks, NegativeSeveralLaunchesThatWantOtherTiles) {
  // Of two rows, a block of 1024 leaves room for narrow tiles alone.
  EXPECT_THAT(staged(again(kernel("4096", "256", TwoRows), "1024")), IsEmpty());
}

TEST(StageBlocks, NegativeABlockOfTheRunInThePlane) {
  EXPECT_THAT(staged(kernel("4096", "dim3(m, 4)")), IsEmpty());
}

//===-- Registers of the blocks that there may be -------------------------===//

/// The kernel without bounds of its own, in a file that no other one sees into.
static std::string unbounded(std::string Code, const char *Before = "") {
  const std::string Bounds = "__launch_bounds__(1024) ";
  Code.erase(Code.find(Bounds), Bounds.size());
  return Before + Code;
}

/// What the kernel must be compiled for if it takes up to so many registers.
static int64_t boundWith(std::optional<int64_t> Registers,
                         const std::string &Code) {
  Parsed P = parseSnippet(Code);
  KernelReport Report;
  Report.Source = P.kernel("k");
  if (Registers)
    Report.Source.Registers =
        RegisterRange{*Registers, *Registers, *Registers, Origin::Estimated};
  decide(Report, staging());
  if (Report.Plan.Versions.empty())
    return -1; // left alone
  return Report.Plan.Versions.front().BoundThreads;
}

TEST(StageBlocks, PositiveBlocksThatAreNotInSightKeepTheirRegisters) {
  const std::string Seen = unbounded(kernel("4096"));
  EXPECT_EQ(boundWith(std::nullopt, Seen), 1024);
  EXPECT_EQ(boundWith(30, Seen), 1024);
  EXPECT_EQ(boundWith(64, Seen), 1024);
  EXPECT_EQ(boundWith(24, Seen), 0); // 40 more fit into 64
  EXPECT_EQ(boundWith(30, kernel("4096")), 0);
  EXPECT_EQ(boundWith(100, unbounded(kernel("4096"), "static ")), 0);
}

TEST(StageBlocks, PositiveLargeBlocksKeepTheirRegisters) {
  EXPECT_EQ(boundWith(30, unbounded(kernel("4096", "1024"))), 1024);
  const std::string Static = unbounded(kernel("4096", "512"), "static ");
  EXPECT_EQ(boundWith(88, Static), 512); // whatever an estimate says
  EXPECT_EQ(boundWith(24, again(Static, "m")), 1024);
  const std::string Unknown = unbounded(kernel("4096", "m"), "static ");
  EXPECT_EQ(boundWith(24, Unknown), 0); // 40 more fit into 64
  EXPECT_EQ(boundWith(30, Unknown), 1024);
}

TEST(StageBlocks, NegativeRegistersThatABlockDoesNotHave) {
  EXPECT_EQ(boundWith(65, unbounded(kernel("4096"))), -1);
  EXPECT_EQ(boundWith(65, unbounded(kernel("4096", "m"), "static ")), -1);
  EXPECT_EQ(boundWith(129, unbounded(kernel("4096", "512"), "static ")), -1);
}

TEST(StageBlocks, PositiveLongRowsMayHaveAKernelOfTheirOwn) {
  EXPECT_EQ(boundWith(65, unbounded(kernel("m"))), 1024);
  EXPECT_EQ(boundWith(30, unbounded(kernel("m", "1024"))), 1024);
}

//===-- What tiles would cost ---------------------------------------------===//

TEST(StageBlocks, NegativeALengthForEachLane) {
  EXPECT_THAT(staged(kernel("i * m")), IsEmpty());
  EXPECT_THAT(staged(kernel("blockIdx.x + 1024")),
              ElementsAre("A[i * 4096 + j] in 16"));
}

TEST(StageBlocks, NegativeShortRowsThatAreWalkedTwice) {
  auto Twice = [](const std::string &Trips, const std::string &Other) {
    std::string Code = kernel(Trips);
    return Code.insert(Code.find("for ("), "for (int q = 0; q < " + Trips +
                                               "; ++q)\n    s += " + Other +
                                               ";\n  ");
  };
  EXPECT_THAT(staged(Twice("100", "A[i * 4096 + q]")), IsEmpty());
  EXPECT_THAT(staged(Twice("100", "B[i * 4096 + q]")), SizeIs(2));
  EXPECT_THAT(staged(Twice("200", "A[i * 4096 + q]")), SizeIs(2));
}

TEST(StageBlocks, NegativeWhatIsNotInTilesNeedsL1) {
  const std::string Body = "s += A[i * 4096 + j];\n"
                           "if (s > 3) s -= B[";
  EXPECT_THAT(staged(kernel("4096", "256", Body + "i * 4096 + j];")),
              IsEmpty());
  EXPECT_THAT(staged(kernel("4096", "256", Body + "j];")),
              ElementsAre("A[i * 4096 + j] in 32"));
}

//===-- What L1 keeps -----------------------------------------------------===//

TEST(StageBlocks, PositiveTilesForTwentyFourWarps) {
  // All 6 blocks that fit take 228 KiB, and leave L1 28.
  KernelPlan Plan = decided(kernel("4096"));
  EXPECT_TRUE(Plan.CarveoutPercent);
  EXPECT_EQ(Plan.Before->BlocksPerSM, 6);
  EXPECT_EQ(Plan.After->BlocksPerSM, 3);
  EXPECT_EQ(Plan.After->L1Bytes, 124 * 1024);
  EXPECT_EQ(Plan.BlocksRemoved, 0);
}

TEST(StageBlocks, PositiveTilesForSixteenWarps) {
  KernelPlan Plan = decided(kernel("4096", "256", TwoRows)); // 3 blocks fit
  EXPECT_TRUE(Plan.CarveoutPercent);
  EXPECT_EQ(Plan.After->BlocksPerSM, 2);
}

TEST(StageBlocks, PositiveTwoBlocksOf512WhateverTheBlock) {
  KernelPlan Plan = decided(kernel("4096", "m"));
  EXPECT_TRUE(Plan.CarveoutPercent);
  EXPECT_EQ(Plan.After->L1Bytes, 92 * 1024);
  std::string Wide = kernel("4096", "m", TwoRows);
  Wide.replace(Wide.find("1024"), 4, "512");
  EXPECT_FALSE(decided(Wide).CarveoutPercent); // of 260 bytes a thread
}

TEST(StageBlocks, NegativeL1WouldNotBeTwiceAsLarge) {
  EXPECT_FALSE(decided(kernel("4096", "1024")).CarveoutPercent);
  AnalysisOptions Old = staging();
  Old.May.Carveout = false;
  EXPECT_FALSE(decided(kernel("4096"), Old).CarveoutPercent);
}

TEST(StageBlocks, NegativeTilesOfFewWarpsFitInAnyL1) {
  std::string Few = kernel("4096", "64");
  Few.replace(Few.find("1056"), 4, "66");
  EXPECT_THAT(staged(Few), SizeIs(1));
  EXPECT_FALSE(decided(Few).CarveoutPercent);
}

//===-- Small grids -------------------------------------------------------===//

/// Of 256 threads: 132 of them leave each SM of an H200 8 warps.
std::string ofBlocks(const std::string &Grid, std::string Code) {
  return Code.replace(Code.find("1056"), 4, Grid);
}

TEST(StageBlocks, PositiveAFewWarpsThatWriteRows) {
  const std::string Writes = kernel("4096", "256", "y[i * 4096 + j] = B[j];");
  EXPECT_THAT(staged(ofBlocks("66", Writes)),
              ElementsAre("y[i * 4096 + j] in 32"));
  EXPECT_THAT(staged(ofBlocks("40", Writes)), SizeIs(1)); // 8 on 40 SMs
  std::string Narrow = kernel("4096", "64", "y[i * 4096 + j] = B[j];");
  EXPECT_THAT(staged(ofBlocks("40", Narrow)), IsEmpty());
  std::string Waits =
      kernel("4096", "64", "y[i * 4096 + j] = A[i * 4096 + j];");
  EXPECT_THAT(staged(ofBlocks("40", Waits)), SizeIs(1));
  const std::string Updates = kernel("4096", "256", "y[i * 4096 + j] *= 2;");
  EXPECT_THAT(staged(ofBlocks("66", Updates)),
              ElementsAre("y[i * 4096 + j] in 32"));
}

TEST(StageBlocks, PositiveAFewWarpsThatReadRows) {
  EXPECT_THAT(staged(ofBlocks("66", kernel("4096"))),
              ElementsAre("A[i * 4096 + j] in 32"));
  EXPECT_THAT(staged(ofBlocks("1", kernel("4096"))),
              ElementsAre("A[i * 4096 + j] in 32"));
}

TEST(StageBlocks, NegativeAFewWarpsOfWhichABranchWritesRows) {
  EXPECT_THAT(staged(ofBlocks("66", kernel("4096", "256",
                                           "if (s > 3) y[i * 4096 + j] = s;\n"
                                           "s += A[i * 4096 + j];"))),
              IsEmpty());
}

TEST(StageBlocks, NegativeAFewWarpsThatReadSomeElements) {
  std::string Code = kernel("4096");
  Code.replace(Code.find("++j"), 3, "j += 2");
  EXPECT_THAT(staged(ofBlocks("66", Code)), IsEmpty());
  Code.replace(Code.find("s += A"), 4, "s += A[i * 4096 + j + 1]; s += ");
  EXPECT_THAT(staged(ofBlocks("66", Code)), SizeIs(1));
}

TEST(StageBlocks, NegativeAFewWarpsThatReadRowsAgain) {
  std::string Again = kernel("4096");
  Again.insert(Again.find("for ("), "for (int r = 0; r < 9; ++r)\n");
  EXPECT_THAT(staged(ofBlocks("264", Again)),
              ElementsAre("A[i * 4096 + j] in 32"));
  EXPECT_THAT(staged(ofBlocks("133", Again)), IsEmpty());
  EXPECT_THAT(staged(ofBlocks("133", kernel("4096"))),
              ElementsAre("A[i * 4096 + j] in 32"));
}

/// A thread for each pair of rows, in blocks of this shape.
static std::string pairs(const std::string &Block, const std::string &Length,
                         const std::string &Row) {
  return "__global__ void __launch_bounds__(1024) k(const float *A, "
         "const float *B, float *C) {\n"
         "  int px = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  int py = blockIdx.y * blockDim.y + threadIdx.y;\n"
         "  float s = 0;\n  for (int j = 0; j < " +
         Length + "; ++j)\n    s += A[py * " + Length + " + j] * B[" + Row +
         " * " + Length +
         " + j];\n  C[py * 2048 + px] = s;\n}\n"
         "void host(float *A) { k<<<dim3(128, 128), dim3(" +
         Block + ")>>>(A, A, A); }\n";
}

TEST(StageBlocks, NegativeFewRowsOfAWarpThatFit) {
  EXPECT_THAT(staged(pairs("8, 8", "64", "px")), IsEmpty());
  EXPECT_THAT(staged(pairs("8, 4", "64", "px")), IsEmpty());
  EXPECT_THAT(staged(pairs("16, 16", "64", "px")), SizeIs(1));
  EXPECT_THAT(staged(pairs("8, 8", "64", "(py * 8 + px)")), SizeIs(1));
  std::string Doubles = pairs("16, 16", "64", "px");
  for (size_t At = 0; (At = Doubles.find("float", At)) != std::string::npos;)
    Doubles.replace(At, 5, "double");
  EXPECT_THAT(staged(Doubles), IsEmpty());
  AnalysisOptions Small = options(28);
  Small.May.Stage = true;
  EXPECT_THAT(staged(pairs("8, 8", "2048", "px"), Small), SizeIs(1));
}

TEST(StageBlocks, NegativeFewRowsInDifferentBanks) {
  EXPECT_THAT(staged(pairs("16, 16", "70", "px")), IsEmpty());
  EXPECT_THAT(staged(pairs("16, 16", "68", "px")), IsEmpty());
  EXPECT_THAT(staged(pairs("16, 16", "72", "px")), SizeIs(1)); // four in one
  EXPECT_THAT(staged(pairs("32, 8", "70", "px")), SizeIs(1));
}

TEST(StageBlocks, ShortLoopsInsideOne) {
  auto Of = [](const std::string &Trips, const std::string &Row) {
    return staged(kernel("m", "256",
                         "float v = " + Row + ";\n    for (int o = 0; o < " +
                             Trips + "; ++o) s = s * 2 + v;"));
  };
  EXPECT_THAT(Of("8", "A[i * m + j]"), ElementsAre("A[i * m + j] in 32"));
  EXPECT_THAT(Of("16", "A[i * m + j]"), IsEmpty());
  EXPECT_THAT(Of("n", "A[i * m + j]"), IsEmpty());
  EXPECT_THAT(Of("8", "A[j * m + i]"), IsEmpty());
  EXPECT_THAT(staged(kernel("m", "256",
                            "for (int o = 0; o < 8; ++o) s += A[i * m + o];")),
              IsEmpty());
}

TEST(StageBlocks, NegativeBesideALoopThatWasNotCounted) {
  auto Of = [](const std::string &Behind) {
    return staged(
        "__global__ void k(const int *A, int *o, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  for (int j = 0; j < 32; ++j)\n    o[i * 32 + j] = i;\n" +
        Behind + "}\nvoid f(int *A, int n) { k<<<1056, 256>>>(A, A, 300); }\n");
  };
  EXPECT_THAT(Of(""), ElementsAre("o[i * 32 + j] in 32"));
  std::string Loops, Index = "i * n";
  for (const char *I : {"a", "b", "c", "d", "e", "f"}) {
    Loops += llvm::formatv("  for (int {0} = 0; {0} < n; ++{0})\n", I).str();
    Index = llvm::formatv("({0}) * n + {1} % 7", Index, I).str();
  }
  EXPECT_THAT(Of(Loops + "  o[i] += A[" + Index + "];\n"), IsEmpty());
}

TEST(StageBlocks, PositiveSizesInAnObject) {
  const std::string Code =
      "struct Rows { const float *d; int n; };\n"
      "__global__ void k(Rows a, float *y) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  float s = 0;\n"
      "  for (int j = 0; j < a.n; ++j)\n    s += a.d[i * a.n + j];\n"
      "  y[i] = s;\n}\n"
      "void f(Rows m, float *y) { k<<<1056, 256>>>(m, y); }\n";
  EXPECT_THAT(staged(Code), ElementsAre("a.d[i * a.n + j] in 32"));
  Parsed P = parseSnippet(Code);
  const Kernel &K = P.kernel("k");
  EXPECT_EQ(longRowsAt(K.Launches.at(0), K, decided(Code).Versions),
            "m.n >= 32");
}

//===-- Elements between those that are loaded ----------------------------===//

TEST(StagePlan, PositiveAllOfEachFewElements) {
  EXPECT_THAT(staged(kernel("2048", "256",
                            "s += A[i * 4096 + 2 * j];\n"
                            "s -= A[i * 4096 + 2 * j + 1];")),
              ElementsAre("A[i * 4096 + 2 * j] in 32"));
}

TEST(StagePlan, NegativeSomeOfEachFewElements) {
  for (const char *Body :
       {"s += A[i * 4096 + 2 * j];", "s += A[i * 4096 + 2 * j + 1];",
        "s += A[i * 4096 + 4 * j] + A[i * 4096 + 4 * j + 1];"})
    EXPECT_THAT(staged(kernel("1024", "256", Body)), IsEmpty()) << Body;
  AnalysisOptions Told = staging();
  Told.TileBytes = 64;
  EXPECT_THAT(staged(kernel("1024", "256", "s += A[i * 4096 + 2 * j];"), Told),
              ElementsAre("A[i * 4096 + 2 * j] in 16"));
}

//===-- Rows that the end of the data cuts short --------------------------===//

/// Each thread adds up a part of A, which ends where End says.
std::string parts(const std::string &End) {
  return "__global__ void __launch_bounds__(1024) k(const float *A, float *y, "
         "int n, int part) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i >= n) return;\n"
         "  int first = i * part, end = first + part;\n  " +
         End +
         "\n  float s = 0;\n  for (int j = first; j < end; ++j)\n"
         "    s += A[j];\n  y[i] = s;\n}\n"
         "void host(float *A, int m) { k<<<1056, 256>>>(A, A, m, 300); }\n";
}

TEST(StagePlan, PositivePartsOfTheData) {
  for (const char *End : {"", "end = min(end, n);", "end = end < n ? end : n;",
                          "if (end > n) end = n;", "end = n < end ? n : end;"})
    EXPECT_THAT(staged(parts(End)), SizeIs(1)) << End;
}

TEST(StagePlan, PartsThatGrowAsFarAsIsKnown) {
  for (const char *End :
       {"end = first + min(i, n);", "end = first + (i < n ? i : n);",
        "end = first + min(i % part + 1, 500);"})
    EXPECT_THAT(staged(parts(End)), SizeIs(1)) << End;
  for (const char *End :
       {"end = first + i * n;", "end = first + min(i, i * n);",
        "end = first + min(i % part, 100);", "end = first + max(i, n);"})
    EXPECT_THAT(staged(parts(End)), IsEmpty()) << End;
}

//===-- Tables ------------------------------------------------------------===//

TEST(StagePlan, NegativeTablesInConstantMemory) {
  const std::string Table = "__constant__ float table[256];\n"
                            "__device__ float other[256];\n"
                            "struct Kinds { float of[4][4]; };\n"
                            "__constant__ Kinds few;\n";
  auto Of = [&](const std::string &Body) {
    return staged(Table + kernel("4096", "256", Body));
  };
  EXPECT_THAT(Of("s += table[(int)A[i * 4096 + j] & 255];"), IsEmpty());
  EXPECT_THAT(Of("s += table[threadIdx.x] * A[i * 4096 + j];"), IsEmpty());
  EXPECT_THAT(Of("s += table[j & 255] + A[i * 4096 + j];"), SizeIs(1));
  EXPECT_THAT(Of("s += other[(int)A[i * 4096 + j] & 255];"), SizeIs(1));
  EXPECT_THAT(Of("s += few.of[i & 3][(int)A[i * 4096 + j] & 3];"), SizeIs(1));
}

//===-- Rows of bytes that lie close together -----------------------------===//

TEST(StagePlan, PositiveRowsOfBytesThatLieCloseTogether) {
  EXPECT_THAT(staged(kernel("90", "256", "s += A[i * 90 + j];", "char")),
              ElementsAre("A[i * 90 + j] in 128"));
  EXPECT_THAT(staged(kernel("64", "256", "s += A[i * 64 + j];", "char")),
              SizeIs(1));
  EXPECT_THAT(staged(kernel("50", "256", "s += A[i * 50 + j];", "short")),
              SizeIs(1));
}

TEST(StagePlan, NegativeRowsThatLieCloserTogether) {
  EXPECT_THAT(staged(kernel("63", "256", "s += A[i * 63 + j];", "char")),
              IsEmpty());
  EXPECT_THAT(staged(kernel("40", "256", "s += A[i * 40 + j];", "short")),
              IsEmpty());
  EXPECT_THAT(staged(kernel("31", "256", "s += A[i * 31 + j];", "float")),
              IsEmpty());
  // Too few warps to fill the tiles for.
  std::string Few = kernel("90", "256", "s += A[i * 90 + j];", "char");
  Few.replace(Few.find("1056"), 4, "132");
  EXPECT_THAT(staged(Few), IsEmpty());
}

//===-- Triangles ---------------------------------------------------------===//

/// Lanes run other numbers of iterations of this loop.
std::string triangle(const std::string &Loop) {
  return "__global__ void __launch_bounds__(1024) k(const float *A, float *y, "
         "int n, int m) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i >= n) return;\n  float s = 0;\n  " +
         Loop +
         "\n    s += A[i * n + j];\n  y[i] = s;\n}\n"
         "void host(float *A, int n, int m) {\n"
         "  k<<<(n + 255) / 256, 256>>>(A, A, n, m);\n}\n";
}

TEST(StagePlan, PositiveTriangles) {
  for (const auto &[Loop, Long] :
       {std::pair("for (int j = 0; j <= i; ++j)", "n >= 128"),
        std::pair("for (int j = 0; j < i; ++j)", "n >= 129"),
        std::pair("for (int j = i; j < n; ++j)", "n >= 128"),
        std::pair("for (int j = i + 1; j < n; ++j)", "n >= 129"),
        std::pair("for (int j = 0; j < i % m + 1; ++j)", "m >= 128")}) {
    EXPECT_THAT(staged(triangle(Loop)), ElementsAre("A[i * n + j] in 32"))
        << Loop;
    EXPECT_EQ(longRows(triangle(Loop)), Long) << Loop;
  }
  EXPECT_THAT(staged(triangle("for (int j = 0; j < i % 200; ++j)")), SizeIs(1));
}

TEST(StagePlan, NegativeTriangles) {
  for (const char *Loop :
       {"for (int j = 0; j < i % 100; ++j)", // short
        "for (int j = 0; j < i * m; ++j)",   // nobody knows how long
        "for (int j = m; j <= i + m * i; ++j)",
        "for (int j = 0; j < i % (i + 3); ++j)"})
    EXPECT_THAT(staged(triangle(Loop)), IsEmpty()) << Loop;
}

//===-- Windows -----------------------------------------------------------===//

/// What a loop is shorter by is taken to be little, unless it is a length, too.
TEST(StageBlocks, PositiveAWindowThatOnlyTheRunKnows) {
  const std::string Window = kernel(
      "1024 - 2 * m", "256", "s += A[i * 4096 + j] + A[i * 4096 + j + 2 * m];");
  EXPECT_THAT(staged(Window), ElementsAre("A[i * 4096 + j] and "
                                          "A[i * 4096 + j + 2 * m] in 32"));
  EXPECT_EQ(longRows(Window), "-2 * m >= -992");
}

TEST(StageBlocks, NegativeALengthThatShortensAnotherLoop) {
  std::string Twice =
      kernel("1024 - m", "256", "s += A[i * 4096 + j] + A[i * 4096 + j + m];");
  Twice.insert(Twice.find("  y[i] = s"),
               "  for (int k = 0; k < m; ++k)\n    s += k;\n");
  EXPECT_THAT(staged(Twice), IsEmpty());
  EXPECT_THAT(staged(kernel("1024 - m", "256", "s += A[i * m + j];")),
              IsEmpty());
}

} // namespace
} // namespace catt
