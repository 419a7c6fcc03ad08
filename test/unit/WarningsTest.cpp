//===- WarningsTest.cpp - What kernels ask for and do not get -*- C++ -*---===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/plan/Warnings.h"
#include "SourceTesting.h"

using namespace catt;
using namespace catt::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

std::vector<std::string> texts(const std::vector<Refusal> &All) {
  std::vector<std::string> Out;
  for (const Refusal &R : All)
    Out.push_back(R.Detail);
  return Out;
}

//===-- Bounds and launches ----------------------------------------------===//

Kernel bound(int64_t Threads, int64_t Blocks, int64_t SharedBytes) {
  Kernel K;
  K.MaxThreads = Threads;
  K.MinBlocks = Blocks;
  K.StaticSharedBytes = SharedBytes;
  return K;
}

void launch(Kernel &K, std::optional<int64_t> Threads,
            std::optional<int64_t> SharedBytes = 0) {
  Launch L;
  L.Block = {Threads, 1, 1};
  L.DynamicSharedBytes = SharedBytes;
  K.Launches.push_back(L);
}

std::vector<std::string> warned(const Kernel &K) {
  return texts(warningsOf(K, llvm::cantFail(findDevice("h200"))));
}

TEST(Warnings, positiveSharedMemoryLeavesFewerBlocks) {
  EXPECT_THAT(warned(bound(256, 8, 40960)),
              ElementsAre("__launch_bounds__(256, 8) asks for 8, and 5 fit, "
                          "limited by shared memory"));
}
TEST(Warnings, positiveThreadsLeaveFewerBlocks) {
  EXPECT_THAT(warned(bound(1024, 3, 0)),
              ElementsAre(HasSubstr("2 fit, limited by warps")));
}
TEST(Warnings, positiveDynamicSharedMemoryCounts) {
  Kernel K = bound(256, 4, 0);
  launch(K, 256, 100 << 10);
  EXPECT_THAT(warned(K), ElementsAre(HasSubstr("2 fit")));
}
TEST(Warnings, positiveOfABlockThatFitsOnce) {
  Kernel K = bound(256, 2, 0);
  launch(K, 256, 120 << 10);
  EXPECT_THAT(warned(K), ElementsAre(HasSubstr("1 fits, limited by shared")));
}
TEST(Warnings, negativeBlocksFit) {
  EXPECT_THAT(warned(bound(256, 8, 16384)), IsEmpty());
}
TEST(Warnings, negativeOneBlockOrNoBound) {
  EXPECT_THAT(warned(bound(256, 1, 200 << 10)), IsEmpty());
  EXPECT_THAT(warned(bound(256, 0, 200 << 10)), IsEmpty());
  EXPECT_THAT(warned(Kernel()), IsEmpty());
}
TEST(Warnings, negativeASmallerBlockIsLaunched) {
  Kernel K = bound(1024, 3, 0);
  launch(K, 1024);
  launch(K, 256);
  EXPECT_THAT(warned(K), IsEmpty());
}
TEST(Warnings, negativeALaunchThatOnlyTheRunKnows) {
  Kernel K = bound(1024, 3, 0);
  launch(K, std::nullopt, std::nullopt);
  EXPECT_THAT(warned(K), IsEmpty());
}
TEST(Warnings, negativeABlockThatNeverFits) {
  EXPECT_THAT(warned(bound(256, 2, 1 << 20)),
              ElementsAre(HasSubstr("0 fit"))); // and no crash
}

Kernel needing(int64_t Least, int64_t Likely, int64_t Threads) {
  Kernel K;
  K.Registers = RegisterRange{Likely, Least, Likely, Origin::Measured};
  launch(K, Threads);
  return K;
}

TEST(Warnings, positiveTooManyRegisters) {
  EXPECT_THAT(warned(needing(80, 80, 1024)),
              ElementsAre("80 registers of each of 1024 threads, of which 64 "
                          "are there"));
}
TEST(Warnings, positiveAnEstimateSaysSo) {
  EXPECT_THAT(warned(needing(72, 90, 1024)),
              ElementsAre(HasSubstr("about 90 registers")));
}
TEST(Warnings, negativeAnEstimateThatMayFit) {
  EXPECT_THAT(warned(needing(60, 90, 1024)), IsEmpty());
}
TEST(Warnings, negativeEnoughRegisters) {
  EXPECT_THAT(warned(needing(64, 64, 1024)), IsEmpty());
  EXPECT_THAT(warned(needing(255, 255, 256)), IsEmpty());
}
TEST(Warnings, negativeUnderABound) {
  Kernel K = needing(80, 80, 1024);
  K.MaxThreads = 1024;
  EXPECT_THAT(warned(K), IsEmpty());
  K = needing(80, 80, 1024);
  K.MaxRegisters = 64;
  EXPECT_THAT(warned(K), IsEmpty());
}
TEST(Warnings, negativeUnknownBlock) {
  Kernel K = needing(80, 80, 1024);
  K.Launches[0].Block.X = std::nullopt;
  EXPECT_THAT(warned(K), IsEmpty());
}

//===-- Occupancy that nobody uses ---------------------------------------===//

std::vector<std::string> unused(llvm::StringRef Host) {
  return texts(parseSnippet(("#include <cuda_runtime.h>\n"
                             "__global__ void k(float *A) { A[0] = 1; }\n" +
                             Host)
                                .str())
                   .kernel()
                   .Warnings);
}

TEST(OccupancyCalls, positiveResultIsNotRead) {
  EXPECT_THAT(
      unused("void f(float *A) {\n  int blocks;\n"
             "  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k, 256, "
             "0);\n  k<<<8 * 132, 256>>>(A);\n}"),
      ElementsAre("cudaOccupancyMaxActiveBlocksPerMultiprocessor() stores what "
                  "nothing reads"));
}
TEST(OccupancyCalls, positiveBothResults) {
  EXPECT_THAT(unused("void f(float *A) {\n  int grid = 0, block = 0;\n"
                     "  cudaOccupancyMaxPotentialBlockSize(&grid, &block, k);\n"
                     "  k<<<10, 256>>>(A);\n}"),
              ElementsAre(HasSubstr("MaxPotentialBlockSize()")));
}
TEST(OccupancyCalls, positiveAskedTwice) {
  EXPECT_EQ(
      unused("void f(float *A) {\n  int blocks;\n"
             "  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k, 256, "
             "0);\n"
             "  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k, 512, "
             "0);\n}")
          .size(),
      2u);
}
TEST(OccupancyCalls, negativeUsed) {
  EXPECT_THAT(
      unused("void f(float *A) {\n  int blocks;\n"
             "  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k, 256, "
             "0);\n  k<<<blocks * 132, 256>>>(A);\n}"),
      IsEmpty());
}
TEST(OccupancyCalls, negativeOneOfTwoIsUsed) {
  EXPECT_THAT(unused("void f(float *A) {\n  int grid = 0, block = 0;\n"
                     "  cudaOccupancyMaxPotentialBlockSize(&grid, &block, k);\n"
                     "  k<<<10, block>>>(A);\n}"),
              IsEmpty());
}
TEST(OccupancyCalls, negativeStoredElsewhere) {
  EXPECT_THAT(
      unused("struct S { int blocks; };\nvoid f(S &s, int *p) {\n"
             "  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&s.blocks, k, "
             "256, 0);\n"
             "  cudaOccupancyMaxActiveBlocksPerMultiprocessor(p, k, 256, 0);\n"
             "}"),
      IsEmpty());
}
TEST(OccupancyCalls, negativeAReferenceMayReadIt) {
  EXPECT_THAT(
      unused("void f(int &blocks) {\n"
             "  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k, 256, "
             "0);\n}"),
      IsEmpty());
}
TEST(OccupancyCalls, negativeStaticVariable) {
  EXPECT_THAT(
      unused("static int blocks;\nvoid f() {\n"
             "  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k, 256, "
             "0);\n}"),
      IsEmpty());
}
TEST(OccupancyCalls, negativeKernelOfAVariable) {
  EXPECT_THAT(
      unused("void f(void (*which)(float *)) {\n  int blocks;\n"
             "  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, which, "
             "256, 0);\n}"),
      IsEmpty());
}

} // namespace
