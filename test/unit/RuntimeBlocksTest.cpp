//===- RuntimeBlocksTest.cpp - Tests of unknown block sizes ---------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The judge is the plan of each block as if the launch gave it.
//
//===----------------------------------------------------------------------===//
#include "PlanTesting.h"
#include "analysis/plan/runtime/BlockShapes.h"
#include "analysis/plan/runtime/RuntimeCases.h"
#include "llvm/Support/MathExtras.h"
#include "gmock/gmock.h"

namespace catt {
namespace {

using namespace testing;
using ::testing::IsEmpty;

const char Blocks[] = R"cu(
__global__ void k(const float *A, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 4096; ++j)
    y[i] += A[i * 4096 + j] * x[j];
}
)cu";

const char BlocksAndRows[] = R"cu(
__global__ void k(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 4096; ++j)
    y[i] += A[i * n + j] * x[j];
}
)cu";

/// Groups that the program would make of a block.
int64_t groupsBy(const LoopPlan &P, const Values &At,
                 const char *Threads = "blockDim.x") {
  if (P.Why)
    return 1;
  std::vector<RuntimeCase> Cases = P.Cases;
  int64_t Warps = llvm::divideCeil(At.at(Threads), WarpLanes);
  for (RuntimeCase &C : Cases)
    C.WarpsPerGroup =
        C.Groups ? C.Groups : llvm::divideCeil(Warps, C.WarpsPerGroup);
  // No group has less than a warp.
  int64_t Groups = catt::warpsBy(Cases, At, 1);
  return llvm::divideCeil(Warps, llvm::divideCeil(Warps, Groups));
}

TEST(RuntimeBlocks, areThePlanAtEveryWholeWarpAndNeverDivideFurther) {
  Parsed P = parseSnippet(Blocks);
  const Kernel &K = P.kernel();
  Launch Full;
  Full.Grid = {1 << 20, 1, 1};
  LaunchPlan Open = planForAnyBlock(K, Full, *BlockShapes::of(K, Full),
                                    options(28), /*MayReserve=*/false);
  const LoopPlan &Loop = Open.Plan.Loops[0];
  ASSERT_FALSE(Loop.Cases.empty());
  bool Exact = Loop.Cases.size() < MostCases; // nothing was joined
  for (int64_t Threads = 1; Threads <= 1024; Threads += Step < 2 ? 1 : 31) {
    Launch L = Full;
    // A last warp that is not full counts as one that is.
    L.Block = {int64_t(llvm::alignTo(Threads, WarpLanes)), 1, 1};
    LaunchPlan Known = planForLaunch(K, L, options(28), false);
    int64_t Expected = Known.Plan.Loops[0].Why ? 1 : Known.Plan.Loops[0].Groups;
    int64_t Got = groupsBy(Loop, {{"blockDim.x", Threads}});
    if (mayDivide(Known, 0))
      continue;
    if (Exact)
      EXPECT_EQ(Got, Expected) << Threads;
    else
      EXPECT_LE(Got, Expected) << Threads;
  }
}

TEST(RuntimeBlocks, withAStrideNeverDivideFurther) {
  Parsed P = parseSnippet(BlocksAndRows);
  const Kernel &K = P.kernel();
  Launch Full;
  Full.Grid = {1 << 20, 1, 1};
  LaunchPlan Open = planForAnyBlock(K, Full, *BlockShapes::of(K, Full),
                                    options(28), /*MayReserve=*/false);
  ASSERT_FALSE(Open.Plan.Loops[0].Cases.empty());
  for (int64_t Threads : {32, 48, 64, 100, 128, 256, 384, 512, 1024})
    for (int64_t N : {1, 2, 5, 16, 30, 32, 40, 100, 1024, 5000}) {
      Launch L = Full;
      L.Block = {int64_t(llvm::alignTo(Threads, WarpLanes)), 1, 1};
      LaunchPlan Known = planForLaunch(K, L, options(28, {{"n", N}}), false);
      int64_t Expected =
          Known.Plan.Loops[0].Why ? 1 : Known.Plan.Loops[0].Groups;
      if (!mayDivide(Known, 0))
        EXPECT_LE(
            groupsBy(Open.Plan.Loops[0], {{"blockDim.x", Threads}, {"n", N}}),
            Expected)
            << Threads << " threads, n = " << N;
    }
}

const char FlatBlocks[] = R"cu(
__global__ void k(const float *A, const float *B, float *C) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 4096; ++k)
    C[i * 4096 + j] += A[i * 4096 + k] * B[j * 4096 + k];
}
)cu";

const char FlatBlocksAndRows[] = R"cu(
__global__ void k(const float *A, const float *B, float *C, int n) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 4096; ++k)
    C[i * 1024 + j] += A[(i * 1024 + j) * n + k] * B[k];
}
)cu";

TEST(RuntimeBlocks, ofTwoDimensionsDivideNoWidthFurther) {
  constexpr const char *Input = "blockDim.x * blockDim.y";
  for (const char *Code : {FlatBlocks, FlatBlocksAndRows}) {
    Parsed P = parseSnippet(Code);
    const Kernel &K = P.kernel();
    Launch Full;
    Full.Grid = {1 << 10, 1 << 10, 1};
    LaunchPlan Open = planForAnyBlock(K, Full, *BlockShapes::of(K, Full),
                                      options(28), /*MayReserve=*/true);
    EXPECT_THAT(Open.Plan.ByThreads, IsEmpty());
    const LoopPlan &Loop = Open.Plan.Loops[0];
    ASSERT_FALSE(Loop.Cases.empty());
    EXPECT_EQ(Loop.Cases[0].Parameter, Input);
    bool Divides = false;
    for (int64_t Threads : {64, 128, 256, 512, 1024})
      for (int64_t Width : {8, 16, 32, 64})
        for (int64_t N : {1, 16, 32, 40, 1024, 5000}) {
          Launch L = Full;
          L.Block = {Width, Threads / Width, 1};
          LaunchPlan Known =
              planForLaunch(K, L, options(28, {{"n", N}}), false);
          const LoopPlan &Best = Known.Plan.Loops[0];
          int64_t Got = groupsBy(Loop, {{Input, Threads}, {"n", N}}, Input);
          Divides |= Got > 1;
          if (!mayDivide(Known, 0))
            EXPECT_LE(Got, Best.Why ? 1 : Best.Groups)
                << Width << "x" << Threads / Width << ", n = " << N;
        }
    EXPECT_TRUE(Divides);
  }
}

TEST(RuntimeBlocks, areLookedAtAsTheKernelReadsThem) {
  auto Shapes = [](const std::string &Body, const char *Launches,
                   const Launch &L) {
    Parsed P = parseSnippet("__global__ void k(float *p) {\n" + Body + "\n}\n" +
                            Launches);
    return BlockShapes::of(P.kernel(), L);
  };
  auto Text = [](const std::optional<BlockShapes> &Of, int64_t Threads) {
    std::string All;
    for (const Shape &Each : Of->withThreads(Threads))
      All += std::to_string(*Each.X) + "x" + std::to_string(*Each.Y) + " ";
    return All;
  };
  const std::string X = "for (int j = 0; j < 9; ++j) p[threadIdx.x + j] = 0;",
                    Y = "for (int j = 0; j < 9; ++j) p[threadIdx.y + j] = 0;",
                    Z = "for (int j = 0; j < 9; ++j) p[blockDim.z + j] = 0;";
  EXPECT_EQ(Text(Shapes(X, "", {}), 64), "64x1 ");
  EXPECT_TRUE(Shapes(X, "", {})->isAlongX());
  EXPECT_EQ(Text(Shapes(Y, "", {}), 64), "8x8 16x4 32x2 64x1 ");
  EXPECT_EQ(Text(Shapes(Y, "", {}), 32), "8x4 16x2 32x1 ");
  EXPECT_EQ(Shapes(Y, "", {})->input(), "blockDim.x * blockDim.y");
  EXPECT_FALSE(Shapes(Z, "", {}));
  // Widths and a height that the launches give.
  const char *Two = "void go(float *p) { k<<<9, dim3(32, 4)>>>(p);\n"
                    "  k<<<9, dim3(16, 8)>>>(p); }\n";
  EXPECT_EQ(Text(Shapes(Y, Two, {}), 64), "16x4 32x2 ");
  EXPECT_EQ(Text(Shapes(X, Two, {}), 64), "16x4 32x2 ");
  Launch Four;
  Four.Block.Y = 4;
  EXPECT_EQ(Text(Shapes(Y, "", Four), 64), "16x4 ");
  EXPECT_EQ(Text(Shapes(Y, "", Four), 96), "");
}

} // namespace
} // namespace catt
