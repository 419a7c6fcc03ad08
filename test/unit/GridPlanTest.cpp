//===- GridPlanTest.cpp - Loops divided by what the grid fills ------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/runtime/GridPlan.h"
#include "PlanTesting.h"
#include "analysis/plan/runtime/RuntimeCases.h"
#include "gmock/gmock.h"
#include <set>

namespace catt {
namespace {

using namespace testing;
using ::testing::IsEmpty;

/// Warps per group of a loop whose plan knows everything.
int64_t warpsOf(const LaunchPlan &Known) {
  const LoopPlan &P = Known.Plan.Loops[0];
  EXPECT_THAT(P.Cases, IsEmpty());
  return P.Groups > 1 && !P.Why ? P.WarpsPerGroup
                                : Known.Plan.Before->WarpsPerBlock;
}

/// Warps per group that the program would choose.
int64_t warpsBy(const LaunchPlan &Open, int64_t GridX) {
  return catt::warpsBy(Open.Plan.Loops[0].Cases, {{"gridDim.x", GridX}},
                       Open.Plan.Before->WarpsPerBlock);
}

const char AnyGrid[] = R"cu(
__global__ void k(const float *A, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 4096; ++j)
    y[i] += A[i * 4096 + j] * x[j];
}
void go(float *A, int n) { k<<<n, 256>>>(A, A, A); }
)cu";

LaunchPlan withGrid(const Kernel &K, const Shape &Grid,
                    const AnalysisOptions &Options) {
  Launch L = K.Launches.at(0);
  L.Grid = Grid;
  return planForLaunch(K, L, Options, /*MayReserve=*/false);
}

TEST(GridPlan, neverDivideFurtherThanThePlanOfTheGrid) {
  Parsed P = parseSnippet(AnyGrid);
  const Kernel &K = P.kernel();
  LaunchPlan Open = plan(K, options(200));
  ASSERT_FALSE(Open.Plan.Loops[0].Cases.empty());
  EXPECT_EQ(Open.Plan.Loops[0].Cases[0].Parameter, "gridDim.x");
  std::set<int64_t> Seen;
  for (int64_t Blocks = 1; Blocks <= 3000; Blocks += 11) {
    int64_t Got = warpsBy(Open, Blocks);
    LaunchPlan Known = withGrid(K, {Blocks, 1, 1}, options(200));
    EXPECT_GE(Got, warpsOf(Known)) << Blocks;
    Seen.insert(Got);
  }
  EXPECT_GT(Seen.size(), 1u); // small grids stay whole, large ones do not
  EXPECT_EQ(warpsBy(Open, 1), 8);
  // From a full GPU on it is what was decided before grids counted.
  LaunchPlan Full = withGrid(K, {8 * 132, 1, 1}, options(200));
  EXPECT_EQ(warpsBy(Open, 8 * 132), warpsOf(Full));
}

TEST(GridPlan, areTheProductOfWhatIsNotKnown) {
  Parsed P = parseSnippet(AnyGrid);
  const Kernel &K = P.kernel();
  LaunchPlan One = withGrid(K, {std::nullopt, 1, 1}, options(200));
  LaunchPlan Two = withGrid(K, {std::nullopt, std::nullopt, 4}, options(200));
  const RuntimeCase &A = One.Plan.Loops[0].Cases.at(0);
  const RuntimeCase &B = Two.Plan.Loops[0].Cases.at(0);
  EXPECT_EQ(A.Parameter, "gridDim.x");
  EXPECT_EQ(B.Parameter, "gridDim.x * gridDim.y");
  EXPECT_EQ(A.From, 4 * B.From);
}

const char Strided[] = R"cu(
__global__ void k(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = 0; j < 4096; ++j)
    s += A[i * n + j] * x[j];
  y[i] = s;
}
void go(float *A, int n) { k<<<n, 256>>>(A, A, A, n); }
)cu";

TEST(GridPlan, areOneMoreConditionForStrides) {
  Parsed P = parseSnippet(Strided);
  LaunchPlan Open = plan(P.kernel(), options(28));
  ASSERT_FALSE(Open.Plan.Loops[0].Cases.empty());
  for (const RuntimeCase &C : Open.Plan.Loops[0].Cases) {
    ASSERT_EQ(C.And.size(), 1u);
    EXPECT_EQ(C.And[0].Parameter, "gridDim.x");
    EXPECT_EQ(C.And[0].From, 8 * 132);
  }
}

TEST(GridPlan, negativeWhereTheGridIsKnown) {
  Parsed P = parseSnippet(AnyGrid);
  EXPECT_THAT(plan(P.kernel(), options(200)).Plan.Loops[0].Cases,
              Not(IsEmpty()));
  EXPECT_THAT(
      withGrid(P.kernel(), {4096, 1, 1}, options(200)).Plan.Loops[0].Cases,
      IsEmpty());
}

TEST(GridPlan, negativeForThePapersRuleAndUnknownCards) {
  Parsed P = parseSnippet(AnyGrid);
  AnalysisOptions Options = options(200);
  Options.Counting = Model::Catt;
  EXPECT_THAT(plan(P.kernel(), Options).Plan.Loops[0].Cases, IsEmpty());
  Options = options(200);
  Options.Gpu = llvm::cantFail(findDevice("sm_90"));
  EXPECT_THAT(plan(P.kernel(), Options).Plan.Loops[0].Cases, IsEmpty());
}

TEST(GridPlan, negativeWhereTheUserForcesAChoice) {
  Parsed P = parseSnippet(AnyGrid);
  AnalysisOptions Options = options(200);
  Options.Forced = {{"k", "j", 2, std::nullopt, "k:j=2"}};
  LaunchPlan Forced = plan(P.kernel(), Options);
  EXPECT_THAT(Forced.Plan.Loops[0].Cases, IsEmpty());
  EXPECT_EQ(Forced.Plan.Loops[0].Groups, 2);
}

} // namespace
} // namespace catt
