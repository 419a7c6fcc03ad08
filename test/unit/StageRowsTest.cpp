//===- StageRowsTest.cpp - Tests of transforms/StageRows ---------*- C++ -*-==//
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
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

//===-- What is written ---------------------------------------------------===//

TEST(StageRows, PositiveAWholeFile) {
  StageBench B(kernel(Usual));
  std::string New = B.checked();
  EXPECT_THAT(New, ::testing::StartsWith(
                       "// catt: stage-rows(kernel): a warp "
                       "loads elements of the row of each "
                       "lane together\n"
                       "#ifndef CATT_LOAD_ROW\n"
                       "#define CATT_LOAD_ROW\n"
                       "template <int CattColumns, int CattBytes, class "
                       "CattType>\n"));
  EXPECT_THAT(New, Not(HasSubstr("cattApart")));
  EXPECT_EQ(
      B.below(),
      kernel(
          R"cu(  // catt: stage-rows(16): the warp loads the rows of its lanes together
  if (blockDim.x <= 256 && blockDim.y * blockDim.z == 1) {
    __shared__ __align__(16) unsigned char cattTiles[17408];
    float *const cattRow_A = (float *)(cattTiles + 68 * threadIdx.x);
    const unsigned cattLanes = __activemask();
    for (int j = 0; __any_sync(cattLanes, j < m);) {
      cattLoadRow<16, 68>(cattLanes, threadIdx.x, cattRow_A, &A[i * m + j],
                          j < m ? m - j : 0);
      for (const auto cattFrom = j; j < m && j - cattFrom < 16; ++j)
        s += cattRow_A[j - cattFrom];
    }
  } else { // catt: begin
  for (int j = 0; j < m; ++j)
    s += A[i * m + j];
  } // catt: end
  // catt: done
)cu"));
  ASSERT_EQ(B.edits().Done.size(), 1u);
  EXPECT_EQ(B.edits().Done[0].Summary,
            "loads 1 row of each lane in tiles of 16 elements");
}

TEST(StageRows, PositiveEachLaunchAsksForTheRowsOfItsBlock) {
  StageBench B(kernel(Usual, "256, 100"));
  TileMemory &Tiles = B.R.Kernels[0].Plan.Tiles;
  Tiles.IsDynamic = Tiles.AnyBlock = true;
  Tiles.DynamicOffset = 112;
  EXPECT_REWRITE(
      B, AllOf(HasSubstr("  if (blockDim.y * blockDim.z == 1 &&\n"
                         "      cattDynamicShared() >= 112 + 68 * blockDim.x"),
               HasSubstr("/* catt: begin */ 100 /* catt: end */ , 17420)")));
}

/// A kernel whose rows a function of these words walks.
static std::string withFunction(const std::string &Words) {
  return Words + " sum(const float *row, int n) {\n"
                 "  float s = 0;\n"
                 "  for (int q = 0; q < n; ++q) // the row\n"
                 "    s += row[q];\n"
                 "  for (int q = 0; q < n; ++q)\n"
                 "    s -= row[q];\n"
                 "  return s;\n}\n"
                 "__global__ void k(const float *A, float *y, int m) {\n"
                 "  int i = threadIdx.x;\n"
                 "  y[i] = sum(A + i * m, m);\n}\n"
                 "static void host(float *A) { k<<<9, 256>>>(A, A, 3); }\n";
}

TEST(StageRows, PositiveLoopsOfAFunction) {
  StageBench B(withFunction("__device__ float"));
  const std::string New = B.checked();
  EXPECT_THAT(New, StartsWith("// catt: stage-rows(kernel): a warp"));
  EXPECT_THAT(New.substr(New.find("__device__ float sum")),
              StartsWith(R"cu(__device__ float sum(const float *row, int n) {
  // catt: stage-rows(tiles): a row of each thread in shared memory
  __shared__ __align__(16) unsigned char cattTiles[17408]; // catt: done
  float s = 0;
  // catt: stage-rows(16): the warp loads the rows of its lanes together
  if (blockDim.x <= 256 && blockDim.y * blockDim.z == 1) {
    float *const cattRow_row = (float *)(cattTiles + 68 * threadIdx.x);
    const unsigned cattLanes = __activemask();
    for (int q = 0; __any_sync(cattLanes, q < n);) {
      cattLoadRow<16, 68>(cattLanes, threadIdx.x, cattRow_row, &row[q],
                          q < n ? n - q : 0);
      for (const auto cattFrom = q; q < n && q - cattFrom < 16; ++q)
        s += cattRow_row[q - cattFrom];
    }
  } else { // catt: begin
)cu"));
}

TEST(StageRows, PositiveAFunctionThatOthersCall) {
  StageBench B(withFunction("__device__ float") +
               "__global__ void other(float *A) { A[0] = sum(A, 3); }\n");
  EXPECT_REWRITE(
      B, AllOf(HasSubstr("// catt: stage-rows(kernels): its calls choose\n"
                         "template <bool cattRows = false> // catt: done\n"
                         "__device__ float sum("),
               HasSubstr("if (cattRows && blockDim.x <= 256"),
               HasSubstr("{ A[0] = sum(A, 3); }"),
               HasSubstr("y[i] = sum/* catt: stage-rows(kernels) */ <true> "
                         "/* catt: done */ (A + i * m, m);")));
}

TEST(StageRows, NegativeAFunctionOfOthersThatCannotBeATemplate) {
  std::string Code = "#if 1\n" + withFunction("__device__ float") +
                     "__global__ void other(float *A) { A[0] = sum(A, 3); }\n";
  Code.insert(Code.find("__global__"), "#endif\n");
  StageBench B(Code);
  EXPECT_EQ(B.edits().Refused.front().Kind, Reason::CalledTwice);
  EXPECT_THAT(B.edits().Added, ::testing::IsEmpty());
}

/// Its place at the beginning of each tile.
TEST(StageRows, PositiveAPointerThatMoves) {
  StageBench B(kernel("  const float *p = A + i * m;\n"
                      "  for (int j = 0; j < m; ++j)\n    s += *p++;\n"));
  EXPECT_REWRITE(B, AllOf(HasSubstr("cattRow_p, p,\n"),
                          HasSubstr("j - cattFrom < 16; ++j, ++p)\n"
                                    "        s += cattRow_p[j - cattFrom];")));
}

TEST(StageRows, PositiveALoopThatLooksAhead) {
  StageBench B(kernel("  int j = 0;\n  for (; j + 1 < m; j += 2)\n"
                      "    s += A[i * m + j] + A[i * m + j + 1];\n"));
  EXPECT_REWRITE(B, AllOf(HasSubstr("__any_sync(cattLanes, j + 1 < m)"),
                          HasSubstr("j + 1 < m ? (m - j - 2) / 2 * 2 + 2 : 0"),
                          HasSubstr("j + 1 < m && j - cattFrom < 15; j += 2")));
}

/// The last of 16 elements is the imaginary part of iteration 7.
TEST(StageRows, PositiveRealAndImaginaryParts) {
  StageBench B(kernel("  for (int j = 0; j < m; ++j)\n"
                      "    s += A[2 * (i * m + j)] - A[2 * (i * m + j) + 1];"
                      "\n"));
  EXPECT_REWRITE(B, AllOf(HasSubstr("&A[2 * (i * m + j)], j < m ? (m - j) * 2 "
                                    ": 0"),
                          HasSubstr("j < m && j - cattFrom < 8; ++j"),
                          HasSubstr("s += cattRow_A[(j - cattFrom) * 2] - "
                                    "cattRow_A[(j - cattFrom) * 2 + 1];")));
}

/// The element behind the last one of a row is not read.
TEST(StageRows, PositiveOneOfEachThreeElements) {
  StageBench B(kernel("  for (int j = 1; j <= m; j += 2)\n"
                      "    s += A[i * 3 * m + 3 * j];\n"));
  EXPECT_REWRITE(B, AllOf(HasSubstr("j <= m ? (m - j) / 2 * 6 + 1 : 0"),
                          HasSubstr("j - cattFrom < 6; j += 2")));
}

TEST(StageRows, PositiveAReferenceToAnElement) {
  StageBench B(kernel("  for (int j = 0; j < m; ++j) {\n"
                      "    const float &v = A[i * m + j];\n"
                      "    s += v - v * s;\n  }\n"));
  EXPECT_REWRITE(B, HasSubstr("const float &v = cattRow_A[j - cattFrom];"));
}

TEST(StageRows, NegativeStaticTilesOfTwoFunctions) {
  StageBench B("__device__ float sum(const float *row, int n) {\n"
               "  float s = 0;\n  for (int q = 0; q < n; ++q)\n"
               "    s += row[q];\n  return s;\n}\n" +
               kernel("  s = sum(A + i * m, m);\n"
                      "  for (int j = 0; j < m; ++j)\n"
                      "    s += A[i * m + j];\n"));
  const std::vector<Refusal> Refused = B.edits().Refused;
  ASSERT_EQ(Refused.size(), 1u);
  EXPECT_EQ(Refused[0].Detail, "a loop with tiles in another function");
  B.R.Kernels[0].Plan.Tiles.IsDynamic = true;
  EXPECT_THAT(B.edits().Refused, ::testing::IsEmpty());
}

TEST(StageRows, NegativeAFunctionThatWasRewrittenBefore) {
  StageBench B(withFunction("__device__ float"));
  StageBench Again(B.checked());
  EXPECT_THAT(Again.edits().Added, ::testing::IsEmpty());
  EXPECT_EQ(Again.edits().Refused.front().Kind, Reason::AlreadyRewritten);
}

TEST(StageRows, PositiveRegistersOfTheLargestBlock) {
  StageBench B(kernel(Usual));
  B.R.Kernels[0].Plan.Versions[0].BoundThreads = 1024;
  EXPECT_REWRITE(
      B, HasSubstr("\n// catt: stage-rows(bounds): any block that it had "
                   "registers for still has them\n"
                   "__launch_bounds__(1024) // catt: done\n"
                   "__global__ void k("));
  EXPECT_EQ(
      B.edits().Done[1].Summary,
      "keeps the registers of its largest block by __launch_bounds__(1024)");
  B.R.Cuda = {"/usr/local/cuda", "12.3"};
  EXPECT_REWRITE(B, HasSubstr("\n__launch_bounds__(1024) // catt: done\n"));
  B.R.Cuda.Version = "12.4";
  EXPECT_REWRITE(B, HasSubstr("\n__maxnreg__(64) // catt: done\n"));
}

TEST(StageRows, PositiveBoundsBehindOtherWords) {
  StageBench B("static " + kernel(Usual));
  B.R.Kernels[0].Plan.Versions[0].BoundThreads = 512;
  EXPECT_REWRITE(B, HasSubstr("static /* catt: stage-rows(bounds) */ "
                              "__launch_bounds__(512) /* catt: done */ "
                              "__global__ void k("));
}

TEST(StageRows, NegativeBoundsThatCannotBeWritten) {
  auto Refused = [](const std::string &Code) {
    StageBench B(Code);
    B.R.Kernels[0].Plan.Versions[0].BoundThreads = 1024;
    return B.refusalsOfAll();
  };
  std::string Code = kernel(Usual);
  EXPECT_THAT(Refused("#define GLOBAL __global__\nGLOBAL" +
                      Code.substr(strlen("__global__"))),
              ElementsAre(Reason::InMacro));
  EXPECT_THAT(Refused(std::string(Code).insert(16, "__launch_bounds__(256) ")),
              ElementsAre(Reason::BoundsExist));
  EXPECT_THAT(Refused(std::string(Code).insert(16, "__maxnreg__(40) ")),
              ElementsAre(Reason::BoundsExist));
}

TEST(StageRows, NegativeLaunchesThatAreNotSeen) {
  const std::string Code = "static " + kernel(Usual);
  EXPECT_REFUSED(StageBench(Code + "auto *also = k;\n"),
                 Reason::LaunchedElsewhere);
  EXPECT_REWRITE(StageBench("static __launch_bounds__(256) " + kernel(Usual) +
                            "auto *also = k;\n"),
                 HasSubstr("cattLoadRow"));
}

TEST(StageRows, PositiveARowInPlace) {
  StageBench B(kernel("  for (int j = 0; j < m; ++j)\n"
                      "    y[i * m + j] = y[i * m + j] * y[i * m + j];\n"));
  EXPECT_REWRITE(B, HasSubstr(R"cu(
    for (int j = 0; __any_sync(cattLanes, j < m);) {
      const auto cattFrom = j;
      cattLoadRow<16, 68>(cattLanes, threadIdx.x, cattRow_y, &y[i * m + j],
                          j < m ? m - j : 0);
      for (; j < m && j - cattFrom < 16; ++j)
        cattRow_y[j - cattFrom] =
            cattRow_y[j - cattFrom] * cattRow_y[j - cattFrom];
      cattStoreRow<16, 68>(cattLanes, threadIdx.x, cattRow_y,
                           &y[i * m + cattFrom], j - cattFrom);
    }
)cu"));
  EXPECT_EQ(
      B.edits().Done.at(0).Summary,
      "loads 1 row and stores 1 row of each lane in tiles of 16 elements");
}

TEST(StageRows, PositiveARowThatIsWritten) {
  StageBench B(kernel("  for (int j = 0; j < m; ++j)\n"
                      "    y[i * m + j] = B[i * m + j] * 2;\n"));
  EXPECT_THAT(B.below(), HasSubstr(R"cu(
    for (int j = 0; __any_sync(cattLanes, j < m);) {
      const auto cattFrom = j;
      cattLoadRow<16, 132>(cattLanes, threadIdx.x, cattRow_B, &B[i * m + j],
                           j < m ? m - j : 0);
      for (; j < m && j - cattFrom < 16; ++j)
        cattRow_y[j - cattFrom] = cattRow_B[j - cattFrom] * 2;
      cattStoreRow<16, 132>(cattLanes, threadIdx.x, cattRow_y,
                            &y[i * m + cattFrom], j - cattFrom);
    }
  } else { // catt: begin
)cu"));
  EXPECT_EQ(
      B.edits().Done.at(0).Summary,
      "loads 1 row and stores 1 row of each lane in tiles of 16 elements");
  StageBench Alone(kernel("  for (int j = 0; j < m; ++j)\n"
                          "    y[i * m + j] = 3;\n"));
  EXPECT_REWRITE(Alone, AllOf(HasSubstr("static __device__ void cattStoreRow("),
                              Not(HasSubstr("cattLoadRow"))));
  EXPECT_EQ(Alone.edits().Done.at(0).Summary,
            "stores 1 row of each lane in tiles of 16 elements");
}

TEST(StageRows, PositiveElementsOfAByteOrTwo) {
  StageBench B(kernel("  const short *C = (const short *)A;\n"
                      "  short *z = (short *)y;\n"
                      "  for (int j = 0; j < m; ++j)\n"
                      "    z[i * m + j] = C[i * m + j] * 2;\n"));
  EXPECT_THAT(B.below(), HasSubstr(R"cu(
    short *cattRow_C = (short *)(cattTiles + 4 + 76 * threadIdx.x);
    short *cattRow_z = (short *)(cattTiles + 40 + 76 * threadIdx.x);
    const unsigned cattLanes = __activemask();
    for (int j = 0; __any_sync(cattLanes, j < m);) {
      const auto cattFrom = j;
      cattRow_C = cattLoadWords<16, 76>(cattLanes, threadIdx.x, cattRow_C,
                                        &C[i * m + j], j < m ? m - j : 0);
      cattRow_z = cattAlike(cattRow_z, &z[i * m + j]);
      for (; j < m && j - cattFrom < 16; ++j)
        cattRow_z[j - cattFrom] = cattRow_C[j - cattFrom] * 2;
      cattStoreWords<16, 76>(cattLanes, threadIdx.x, cattRow_z,
                             &z[i * m + cattFrom], j - cattFrom);
    }
)cu"));
}

TEST(StageRows, PositiveTwoDimensions) {
  EXPECT_EQ(
      StageBench(kernel(Usual, "dim3(16, 16)")).below(),
      kernel(
          R"cu(  // catt: stage-rows(16): the warp loads the rows of its lanes together
  if (blockDim.x * blockDim.y * blockDim.z <= 256) {
    __shared__ __align__(16) unsigned char cattTiles[17408];
    const unsigned cattThread =
        threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    float *const cattRow_A = (float *)(cattTiles + 68 * cattThread);
    const unsigned cattLanes = __activemask();
    for (int j = 0; __any_sync(cattLanes, j < m);) {
      cattLoadRow<16, 68>(cattLanes, cattThread, cattRow_A, &A[i * m + j],
                          j < m ? m - j : 0);
      for (const auto cattFrom = j; j < m && j - cattFrom < 16; ++j)
        s += cattRow_A[j - cattFrom];
    }
  } else { // catt: begin
  for (int j = 0; j < m; ++j)
    s += A[i * m + j];
  } // catt: end
  // catt: done
)cu",
          "dim3(16, 16)"));
}

TEST(StageRows, PositiveAnotherStart) {
  EXPECT_EQ(
      StageBench(kernel("  for (unsigned j = m / 2; j < m + 1u; j++)\n"
                        "    y[i] += A[j + i * m];\n"),
                 8, 32)
          .below(),
      kernel(
          R"cu(  // catt: stage-rows(8): the warp loads the rows of its lanes together
  if (blockDim.x <= 256 && blockDim.y * blockDim.z == 1 &&
      m + 1u - (m / 2) >= 32 &&
      cattApart(&A[(m / 2) + i * m], &A[(m + 1u - 1) + i * m], &y[i], &y[i])) {
    __shared__ __align__(16) unsigned char cattTiles[9216];
    float *const cattRow_A = (float *)(cattTiles + 36 * threadIdx.x);
    const unsigned cattLanes = __activemask();
    for (unsigned j = m / 2; __any_sync(cattLanes, j < m + 1u);) {
      cattLoadRow<8, 36>(cattLanes, threadIdx.x, cattRow_A, &A[j + i * m],
                         j < m + 1u ? m + 1u - j : 0);
      for (const auto cattFrom = j; j < m + 1u && j - cattFrom < 8; j++)
        y[i] += cattRow_A[j - cattFrom];
    }
  } else { // catt: begin
  for (unsigned j = m / 2; j < m + 1u; j++)
    y[i] += A[j + i * m];
  } // catt: end
  // catt: done
)cu"));
}

TEST(StageRows, PositiveCommentsStayInTheOriginal) {
  EXPECT_EQ(
      StageBench(kernel("  for (int j = 0; j < m; ++j) { // rows\n"
                        "    /* first */ float v = A[i * m + j];\n"
                        "    s += v; // sum\n"
                        "  } // end\n"))
          .below(),
      kernel(
          R"cu(  // catt: stage-rows(16): the warp loads the rows of its lanes together
  if (blockDim.x <= 256 && blockDim.y * blockDim.z == 1) {
    __shared__ __align__(16) unsigned char cattTiles[17408];
    float *const cattRow_A = (float *)(cattTiles + 68 * threadIdx.x);
    const unsigned cattLanes = __activemask();
    for (int j = 0; __any_sync(cattLanes, j < m);) {
      cattLoadRow<16, 68>(cattLanes, threadIdx.x, cattRow_A, &A[i * m + j],
                          j < m ? m - j : 0);
      for (const auto cattFrom = j; j < m && j - cattFrom < 16; ++j) {
        float v = cattRow_A[j - cattFrom];
        s += v;
      }
    }
  } else { // catt: begin
  for (int j = 0; j < m; ++j) { // rows
    /* first */ float v = A[i * m + j];
    s += v; // sum
  } // end
  } // catt: end
  // catt: done
)cu"));
}

TEST(StageRows, PositiveTwoRowsAndOneTwice) {
  EXPECT_EQ(
      StageBench(kernel("  for (int j = 0; j < m; ++j)\n"
                        "    s += A[i * m + j] * B[i * m + j] + "
                        "A[i * m + j] + A[j];\n"))
          .below(),
      kernel(
          R"cu(  // catt: stage-rows(16): the warp loads the rows of its lanes together
  if (blockDim.x <= 256 && blockDim.y * blockDim.z == 1) {
    __shared__ __align__(16) unsigned char cattTiles[50176];
    float *const cattRow_A = (float *)(cattTiles + 196 * threadIdx.x);
    float *const cattRow_B = (float *)(cattTiles + 64 + 196 * threadIdx.x);
    float *const cattRow_A_2 = (float *)(cattTiles + 128 + 196 * threadIdx.x);
    const unsigned cattLanes = __activemask();
    for (int j = 0; __any_sync(cattLanes, j < m);) {
      cattLoadRow<16, 196>(cattLanes, threadIdx.x, cattRow_A, &A[i * m + j],
                           j < m ? m - j : 0);
      cattLoadRow<16, 196>(cattLanes, threadIdx.x, cattRow_B, &B[i * m + j],
                           j < m ? m - j : 0);
      cattLoadRow<16, 196>(cattLanes, threadIdx.x, cattRow_A_2, &A[j],
                           j < m ? m - j : 0);
      for (const auto cattFrom = j; j < m && j - cattFrom < 16; ++j)
        s += cattRow_A[j - cattFrom] * cattRow_B[j - cattFrom] +
             cattRow_A[j - cattFrom] + cattRow_A_2[j - cattFrom];
    }
  } else { // catt: begin
  for (int j = 0; j < m; ++j)
    s += A[i * m + j] * B[i * m + j] + A[i * m + j] + A[j];
  } // catt: end
  // catt: done
)cu"));
}

TEST(StageRows, PositiveStoresAreCompared) {
  StageBench B(kernel("  for (int j = 1; j < m; ++j)\n"
                      "    y[i * m + j] = A[i * m + j];\n"));
  EXPECT_EQ(
      B.below(),
      kernel(
          R"cu(  // catt: stage-rows(16): the warp loads and stores the rows of its lanes
  // together
  if (blockDim.x <= 256 && blockDim.y * blockDim.z == 1 &&
      cattApart(&A[i * m + 1], &A[i * m + (m - 1)], &y[i * m + 1],
                &y[i * m + (m - 1)])) {
    __shared__ __align__(16) unsigned char cattTiles[33792];
    float *const cattRow_A = (float *)(cattTiles + 132 * threadIdx.x);
    float *const cattRow_y = (float *)(cattTiles + 64 + 132 * threadIdx.x);
    const unsigned cattLanes = __activemask();
    for (int j = 1; __any_sync(cattLanes, j < m);) {
      const auto cattFrom = j;
      cattLoadRow<16, 132>(cattLanes, threadIdx.x, cattRow_A, &A[i * m + j],
                           j < m ? m - j : 0);
      for (; j < m && j - cattFrom < 16; ++j)
        cattRow_y[j - cattFrom] = cattRow_A[j - cattFrom];
      cattStoreRow<16, 132>(cattLanes, threadIdx.x, cattRow_y,
                            &y[i * m + cattFrom], j - cattFrom);
    }
  } else { // catt: begin
  for (int j = 1; j < m; ++j)
    y[i * m + j] = A[i * m + j];
  } // catt: end
  // catt: done
)cu"));
  EXPECT_THAT(B.checked(), HasSubstr("#define CATT_APART\n"));
}

TEST(StageRows, PositiveRestrictNeedsNoComparison) {
  EXPECT_REWRITE(StageBench(kernel("  for (int j = 0; j < m; ++j)\n"
                                   "    y[i] += B[i * m + j];\n")),
                 Not(HasSubstr("cattApart")));
}

TEST(StageRows, PositiveTwoLoopsShareTheFunctions) {
  StageBench B(kernel(Usual + "  for (int q = 0; q < m; ++q)\n"
                              "    s += B[i * m + q];\n"));
  std::string New = B.checked();
  EXPECT_EQ(New.find("#define CATT_LOAD_ROW"),
            New.rfind("#define CATT_LOAD_ROW"));
  EXPECT_THAT(New, AllOf(HasSubstr("cattRow_A[j - cattFrom]"),
                         HasSubstr("cattRow_B[q - cattFrom]")));
}

TEST(StageRows, PositiveSumsInRegisters) {
  EXPECT_EQ(
      StageBench(kernel("  for (int j = 0; j < m; ++j)\n"
                        "    y[i] += B[i * m + j];\n"),
                 16, 32, /*Sums=*/true)
          .below(),
      kernel(
          R"cu(  // catt: stage-rows(16): the warp loads the rows of its lanes together
  if (blockDim.x <= 256 && blockDim.y * blockDim.z == 1 && m >= 32) {
    __shared__ __align__(16) unsigned char cattTiles[17408];
    float *const cattRow_B = (float *)(cattTiles + 68 * threadIdx.x);
    const unsigned cattLanes = __activemask();
    float cattSum_y = y[i];
    for (int j = 0; __any_sync(cattLanes, j < m);) {
      cattLoadRow<16, 68>(cattLanes, threadIdx.x, cattRow_B, &B[i * m + j],
                          j < m ? m - j : 0);
      for (const auto cattFrom = j; j < m && j - cattFrom < 16; ++j)
        cattSum_y += cattRow_B[j - cattFrom];
    }
    y[i] = cattSum_y;
    __syncwarp(cattLanes);
  } else { // catt: begin
  for (int j = 0; j < m; ++j)
    y[i] += B[i * m + j];
  } // catt: end
  // catt: done
)cu"));
}

TEST(StageRows, PositiveTheLastIterationReachesTheLimit) {
  EXPECT_REWRITE(StageBench(kernel("  for (int j = 1; j <= m; ++j)\n"
                                   "    s += A[i * m + j];\n"),
                            16, 32),
                 AllOf(HasSubstr("m - 1 + 1 >= 32"),
                       HasSubstr("__any_sync(cattLanes, j <= m);"),
                       HasSubstr("j <= m ? m - j + 1 : 0);")));
}

TEST(StageRows, PositiveALimitWithANameOfItsOwn) {
  EXPECT_REWRITE(
      StageBench(kernel("  for (int j = 1, e = m; j < e; ++j)\n"
                        "    s += A[i * m + j];\n"),
                 16, 32),
      AllOf(HasSubstr("m - 1 >= 32"),
            HasSubstr("for (int j = 1; __any_sync(cattLanes, j < m)"),
            HasSubstr("j < m && j - cattFrom < 16; ++j)"),
            HasSubstr("for (int j = 1, e = m; j < e; ++j)")));
}

TEST(StageRows, PositiveWhile) {
  StageBench B(kernel("  int j = 1;\n"
                      "  while (j < m) { // each\n"
                      "    s += A[i * m + j];\n"
                      "    j++;\n"
                      "  }\n"),
               /*Columns=*/16, /*MinTrips=*/32);
  EXPECT_REWRITE(B, HasSubstr(" && m - j >= 32) {\n"));
  EXPECT_THAT(B.below(), HasSubstr(R"cu(
    for (; __any_sync(cattLanes, j < m);) {
      cattLoadRow<16, 68>(cattLanes, threadIdx.x, cattRow_A, &A[i * m + j],
                          j < m ? m - j : 0);
      for (const auto cattFrom = j; j < m && j - cattFrom < 16;) {
        s += cattRow_A[j - cattFrom];
        j++;
      }
    }
  } else { // catt: begin
)cu"));
}

/// Before the first iteration nobody has asked whether it is to run.
TEST(StageRows, PositiveDo) {
  StageBench B(kernel("  int j = 1;\n"
                      "  do { // each\n"
                      "    s += A[i * m + j];\n"
                      "  } while (++j < m);\n"),
               /*Columns=*/16, /*MinTrips=*/32);
  EXPECT_REWRITE(B, HasSubstr(" && m - j >= 32 &&\n      j < m) {\n"));
  EXPECT_THAT(B.below(), HasSubstr(R"cu(
    for (; __any_sync(cattLanes, j < m);) {
      cattLoadRow<16, 68>(cattLanes, threadIdx.x, cattRow_A, &A[i * m + j],
                          j < m ? m - j : 0);
      for (const auto cattFrom = j; j < m && j - cattFrom < 16; ++j) {
        s += cattRow_A[j - cattFrom];
      }
    }
  } else { // catt: begin
  do { // each
    s += A[i * m + j];
  } while (++j < m);
  } // catt: end
)cu"));
}

TEST(StageRows, PositiveDoOverPointers) {
  StageBench B(kernel("  const float *p = A + i * m, *e = p + m;\n"
                      "  if (m > 0)\n"
                      "    do s += *p++;\n"
                      "    while (p != e);\n"),
               /*Columns=*/16, /*MinTrips=*/0);
  EXPECT_REWRITE(B, HasSubstr(" && p < e) {\n"));
  EXPECT_THAT(B.below(), HasSubstr("p < e && p - cattFrom < 16; ++p)\n"
                                   "          s += cattRow_p[p - cattFrom];"));
}

TEST(StageRows, PositiveDoInFrontOfElse) {
  StageBench B(kernel("  int j = 0;\n"
                      "  if (m > 0)\n"
                      "    do\n"
                      "      s += A[i * m + j];\n"
                      "    while (++j < m);\n"
                      "  else\n"
                      "    s = 3;\n"),
               /*Columns=*/16, /*MinTrips=*/0);
  EXPECT_REWRITE(B, HasSubstr("j < m) {\n"));
  EXPECT_THAT(B.below(), HasSubstr("    while (++j < m);\n"
                                   "    } // catt: end\n"
                                   "    // catt: done\n"
                                   "  else\n"
                                   "    s = 3;\n"));
}

TEST(StageRows, PositiveStoresOfObjects) {
  StageBench B(
      "struct Pixel { float r, g, b; };\n"
      "__global__ void k(Pixel *out, float v, int m) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  for (int j = 0; j < m; ++j)\n"
      "    out[i * m + j] = Pixel{v, v, 1.0f};\n"
      "}\nstatic void host(Pixel *A) {\n  k<<<9, 256>>>(A, 3, 3);\n}\n",
      /*Columns=*/8);
  EXPECT_REWRITE(B, HasSubstr("cattRow_out[j - cattFrom] = "
                              "Pixel{v, v, 1.0f};\n"));
  EXPECT_THAT(B.below(),
              AllOf(HasSubstr("Pixel *const cattRow_out = (Pixel *)"),
                    HasSubstr("cattStoreRow<8, 100>(cattLanes, threadIdx.x, "
                              "cattRow_out")));
}

TEST(StageRows, PositiveALimitFromTheFirst) {
  StageBench B(kernel("  for (const float *p = A + i * m, *e = p + m; p != e;"
                      " ++p)\n    s += *p;\n"),
               16, 32);
  EXPECT_REWRITE(
      B, AllOf(HasSubstr("(A + i * m) + m - (A + i * m) >= 32"),
               HasSubstr("for (const float *p = A + i * m;\n         "
                         "__any_sync(cattLanes, p < (A + i * m) + m);)"),
               HasSubstr("for (const float *p = A + i * m, *e = p + m;")));
}

TEST(StageRows, PositiveAnUnrolledLoop) {
  EXPECT_EQ(
      StageBench(kernel("  for (int j = 0; j < m; j += 4) {\n"
                        "    s += A[i * m + j];\n"
                        "    s += A[i * m + j + 1] + A[i * m + j + 2];\n"
                        "    s += A[i * m + j + 3];\n  }\n"),
                 16, 32)
          .below(),
      kernel(
          R"cu(  // catt: stage-rows(16): the warp loads the rows of its lanes together
  if (blockDim.x <= 256 && blockDim.y * blockDim.z == 1 && m >= 32) {
    __shared__ __align__(16) unsigned char cattTiles[17408];
    float *const cattRow_A = (float *)(cattTiles + 68 * threadIdx.x);
    const unsigned cattLanes = __activemask();
    for (int j = 0; __any_sync(cattLanes, j < m);) {
      cattLoadRow<16, 68>(cattLanes, threadIdx.x, cattRow_A, &A[i * m + j],
                          j < m ? (m - j - 1) / 4 * 4 + 4 : 0);
      for (const auto cattFrom = j; j < m && j - cattFrom < 13; j += 4) {
        s += cattRow_A[j - cattFrom];
        s += cattRow_A[j - cattFrom + 1] + cattRow_A[j - cattFrom + 2];
        s += cattRow_A[j - cattFrom + 3];
      }
    }
  } else { // catt: begin
  for (int j = 0; j < m; j += 4) {
    s += A[i * m + j];
    s += A[i * m + j + 1] + A[i * m + j + 2];
    s += A[i * m + j + 3];
  }
  } // catt: end
  // catt: done
)cu"));
}

TEST(StageRows, PositiveAWindow) {
  EXPECT_REWRITE(
      StageBench(kernel("  for (int j = 1; j < m - 1; ++j)\n"
                        "    y[i * m + j] = A[i * m + j - 1] + "
                        "A[i * m + j + 1];\n")),
      AllOf(HasSubstr("cattApart(&A[i * m + 1 - 1], &A[i * m + (m - 1 - 1) - "
                      "1] + 2"),
            HasSubstr("&A[i * m + j - 1]"),
            HasSubstr("j < m - 1 ? m - 1 - j + 2 : 0);"),
            HasSubstr("j - cattFrom < 14; ++j)"),
            HasSubstr("cattRow_A[j - cattFrom] + cattRow_A[j - cattFrom + 2]"),
            Not(HasSubstr("cattRow_A_2"))));
}

TEST(StageRows, PositiveDownwards) {
  EXPECT_EQ(
      StageBench(kernel("  for (int j = m - 1; j >= 0; --j)\n"
                        "    s += A[i * m + j];\n"),
                 16, 32)
          .below(),
      kernel(
          R"cu(  // catt: stage-rows(16): the warp loads the rows of its lanes together
  if (blockDim.x <= 256 && blockDim.y * blockDim.z == 1 && m - 1 + 1 >= 32) {
    __shared__ __align__(16) unsigned char cattTiles[17408];
    float *const cattRow_A = (float *)(cattTiles + 68 * threadIdx.x);
    const unsigned cattLanes = __activemask();
    for (int j = m - 1; __any_sync(cattLanes, j >= 0);) {
      const auto cattFrom = j >= 0 && j + 1 > 16 ? j - 15 : 0;
      cattLoadRow<16, 68>(cattLanes, threadIdx.x, cattRow_A,
                          &A[i * m + cattFrom], j >= 0 ? j - cattFrom + 1 : 0);
      for (; j >= 0 && j >= cattFrom; --j)
        s += cattRow_A[j - cattFrom];
    }
  } else { // catt: begin
  for (int j = m - 1; j >= 0; --j)
    s += A[i * m + j];
  } // catt: end
  // catt: done
)cu"));
}

TEST(StageRows, PositiveDownwardsToALimit) {
  EXPECT_REWRITE(
      StageBench(
          kernel("  for (int j = m; j > i % 3; --j)\n"
                 "    y[i * m + j] = A[i * m + j] - A[i * m + j - 1];\n"),
          16, 32),
      AllOf(HasSubstr("m - (i % 3) >= 32"),
            HasSubstr("cattApart(&A[i * m + m - 1] + 1, &A[i * m + (i % 3 + 1) "
                      "- 1]"),
            HasSubstr("j > i % 3 && j - (i % 3) > 15 ? j - 14 : i % 3 + 1;"),
            HasSubstr("&A[i * m + cattFrom - 1]"),
            HasSubstr("j > i % 3 ? j - cattFrom + 2 : 0);"),
            HasSubstr("for (; j > i % 3 && j >= cattFrom; --j)"),
            HasSubstr("cattRow_A[j - cattFrom + 1] - cattRow_A[j - "
                      "cattFrom]")));
}

TEST(StageRows, PositiveDownwardsInPlace) {
  EXPECT_REWRITE(StageBench(kernel("  for (int j = m; j > 0; --j) {\n"
                                   "    s += y[i * m + j];\n"
                                   "    y[i * m + j] = s;\n  }\n"),
                            16, 32),
                 HasSubstr(R"cu(
    for (int j = m; __any_sync(cattLanes, j > 0);) {
      const auto cattFrom = j > 0 && j > 16 ? j - 15 : 1;
      const auto cattCount = j > 0 ? j - cattFrom + 1 : 0;
      cattLoadRow<16, 68>(cattLanes, threadIdx.x, cattRow_y,
                          &y[i * m + cattFrom], j > 0 ? j - cattFrom + 1 : 0);
      for (; j > 0 && j >= cattFrom; --j) {
        s += cattRow_y[j - cattFrom];
        cattRow_y[j - cattFrom] = s;
      }
      cattStoreRow<16, 68>(cattLanes, threadIdx.x, cattRow_y,
                           &y[i * m + cattFrom], cattCount);
    }
)cu"));
}

TEST(StageRows, PositiveContinueStaysInTheTile) {
  EXPECT_REWRITE(
      StageBench(kernel("  for (int j = 0; j < m; ++j) {\n"
                        "    if (A[i * m + j] < 1)\n      continue;\n"
                        "    s += A[i * m + j];\n  }\n")),
      AllOf(HasSubstr("if (cattRow_A[j - cattFrom] < 1)"),
            HasSubstr("s += cattRow_A[j - cattFrom];")));
}

TEST(StageRows, PositiveTilesThatTheLaunchAsksFor) {
  StageBench B(kernel(Usual));
  KernelReport &K = B.R.Kernels[0];
  K.Plan.Tiles.IsDynamic = true;
  EXPECT_REWRITE(
      B, AllOf(HasSubstr("cattDynamicShared() >= 17408) {"),
               HasSubstr("extern __shared__ __align__(16) unsigned char "
                         "cattTiles_k[];"),
               HasSubstr("cattShared(k, 0, 17408)"),
               HasSubstr("asm(\"mov.u32 %0, %%dynamic_smem_size;\"")));
  K.Source.UsesDynamicShared = true;
  K.Source.Launches[0].DynamicSharedBytes = 100;
  K.Plan.Tiles.DynamicOffset = 112;
  EXPECT_REWRITE(B, AllOf(HasSubstr("cattDynamicShared() >= 17520) {"),
                          HasSubstr("cattShared(k, 0, 17420)"),
                          HasSubstr("(cattTiles_k + 112 + 68 * threadIdx.x)")));
}

TEST(StageRows, NegativeALaunchThatCannotAskForTiles) {
  StageBench B(
      "#define LAUNCH k<<<9, 256>>>(A, A, A, 3)\n" +
      kernel(Usual).replace(kernel(Usual).find("  k<<<"), 27, "  LAUNCH;\n"));
  B.R.Kernels[0].Plan.Tiles.IsDynamic = true;
  EXPECT_REFUSED(B, Reason::LaunchNotEditable);
}

TEST(StageRows, NegativeLengthsThatRevertWouldNotKnow) {
  for (const char *Length : {"n /* x */ + 1", "n // x\n + 1", "n\n + 1"})
    EXPECT_REFUSED(launchedWith(Length), Reason::LaunchNotEditable) << Length;
}

TEST(StageRows, PositiveAMinimumOfIterations) {
  EXPECT_REWRITE(StageBench(kernel(Usual), 16, 32),
                 HasSubstr("blockDim.y * blockDim.z == 1 && m >= 32) {"));
}

TEST(StageRows, PositiveNamesThatAreTaken) {
  EXPECT_REWRITE(StageBench(kernel("  int cattFrom = 1, cattLanes = 2;\n"
                                   "  s += cattFrom + cattLanes;\n" +
                                   Usual)),
                 AllOf(Not(HasSubstr("const auto cattFrom =")),
                       Not(HasSubstr("const unsigned cattLanes ="))));
}

TEST(StageRows, PositiveLineEndingsAndTabsStay) {
  std::string Windows, Code = kernel("\tfor (int j = 0; j < m; ++j)\n"
                                     "\t\ts += A[i * m + j];\n");
  EXPECT_REWRITE(StageBench(Code),
                 HasSubstr("// catt: begin\n\tfor (int j = 0; j < m; ++j)\n"
                           "\t\ts += A[i * m + j];\n"));
  for (char C : Code)
    Windows += C == '\n' ? std::string("\r\n") : std::string(1, C);
  std::string New = StageBench(Windows).checked();
  for (size_t At = New.find('\n'); At != std::string::npos;
       At = New.find('\n', At + 1))
    ASSERT_EQ(New[At - 1], '\r') << New.substr(0, At);
}

TEST(StageRows, PositiveAnUnbracedStatement) {
  EXPECT_REWRITE(StageBench(kernel("  if (i < 99)\n" + Usual)),
                 HasSubstr("  if (i < 99)\n"));
}

//===-- Left alone --------------------------------------------------------===//

TEST(StageRows, NegativeOtherCodeOnItsLines) {
  for (std::string Loop :
       {"  s = 1; for (int j = 0; j < m; ++j) s += A[i * m + j];\n",
        "  for (int j = 0; j < m; ++j) s += A[i * m + j]; s += 1;\n",
        "  /* x */ for (int j = 0; j < m; ++j) s += A[i * m + j];\n"})
    EXPECT_REFUSED(StageBench(kernel(Loop)), Reason::InMacro) << Loop;
}

TEST(StageRows, NegativeTheFunctionsNameIsTaken) {
  EXPECT_REFUSED(StageBench("__device__ void cattLoadRow();\n" + kernel(Usual)),
                 Reason::InMacro);
  EXPECT_REFUSED(StageBench("struct cattApart;\n" + kernel(Usual)),
                 Reason::InMacro);
}

TEST(StageRows, NegativeMacroOnABuiltin) {
  EXPECT_REFUSED(StageBench("#define blockDim blockDim\n" + kernel(Usual)),
                 Reason::InMacro);
}

TEST(StageRows, NegativeAlreadyRewritten) {
  StageBench B(kernel(Usual));
  std::string Once =
      llvm::cantFail(catt::apply(B.edits(), B.R.Texts)).at(B.R.MainFile);
  StageBench Again(Once); // the loop as it was is found again
  EXPECT_EQ(Again.rewritten(), Once);
  EXPECT_THAT(Again.refusals(), ::testing::Each(Reason::AlreadyRewritten));
}

TEST(StageRows, NegativeSuppressed) {
  EXPECT_REFUSED(StageBench("// catt: off\n" + kernel(Usual)),
                 Reason::Suppressed);
}

TEST(StageRows, NegativeBlocksThatWaitForEachOther) {
  StageBench B(kernel(Usual));
  Kernel &K = B.R.Kernels[0].Source;
  K.Waits.push_back({Reason::WarpsCommunicate, K.Where, "a flag"});
  EXPECT_REFUSED(B, Reason::WarpsCommunicate);
  K.Waits.clear();
  K.Launches[0].Cooperative = true;
  EXPECT_REFUSED(B, Reason::CooperativeLaunch);
}

TEST(StageRows, NegativeMoreSharedMemoryThanThereIs) {
  StageBench B(kernel(Usual));
  KernelReport &K = B.R.Kernels[0];
  K.Spill.emplace();
  EXPECT_REWRITE(B, HasSubstr("cattLoadRow<16, 68>("));
  K.Spill->Moved.emplace_back();
  K.Spill->FrameBytes = K.Spill->StaticBytes = 40 * 1024;
  K.Spill->Numbering.Threads = 1;
  EXPECT_REFUSED(B, Reason::NotEnoughShared);
}

TEST(StageRows, NegativeDynamicSharedMemoryThatIsNotKnown) {
  StageBench B(kernel(Usual));
  Kernel &K = B.R.Kernels[0].Source;
  K.UsesDynamicShared = true;
  K.Launches[0].DynamicSharedBytes = 1024;
  EXPECT_REWRITE(B, HasSubstr("cattLoadRow<16, 68>("));
  K.Launches[0].DynamicSharedBytes.reset();
  EXPECT_REFUSED(B, Reason::NotEnoughShared);
}

TEST(StageRows, NegativeAValueThatWaitsInside) {
  StageBench B(kernel("  for (int j = 0; j < m; ++j) {\n"
                      "    float v = A[i * m + j];\n    s += v;\n  }\n"));
  KernelReport &K = B.R.Kernels[0];
  for (bool Inside : {false, true}) {
    MovedValue Moved;
    for (unsigned S = 0; S < K.Source.Statements.size(); ++S) {
      const std::string Text = B.P.text(K.Source.Statements[S].Span);
      if (Text == (Inside ? "s += v;" : "y[i] = s;"))
        Moved.Of.Points.emplace_back().Statement = S;
    }
    ASSERT_EQ(Moved.Of.Points.size(), 1u);
    K.Spill.emplace();
    K.Spill->Moved.push_back(Moved);
    if (Inside)
      EXPECT_REFUSED(B, Reason::EditsOverlap);
    else
      EXPECT_REWRITE(B, HasSubstr("cattLoadRow<16, 68>("));
  }
}

} // namespace
} // namespace catt
