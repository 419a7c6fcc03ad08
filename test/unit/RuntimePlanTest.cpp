//===- RuntimePlanTest.cpp - What is said of plans left to run time -------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PlanTesting.h"
#include "gtest/gtest.h"

namespace catt {
namespace {

using namespace testing;

// Both loops run n times; the outer one is divided from small n on, the inner
// one never.
const char Matrices[] = R"cu(
__global__ void k(const double *__restrict__ M, const double *__restrict__ v,
                  double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int a = 0; a < n; ++a) {
    double s = 0;
    for (int c = 0; c < n; ++c)
      s += M[(i * n + a) * n + c] * v[i * n + c];
    out[i * n + a] = s;
  }
}
void go(double *A, int n) { k<<<1441, 256>>>(A, A, A, n); }
)cu";

// What is shown of a nest is predicted for one value, not for the outer loop at
// one and the inner at another.
TEST(RuntimePlan, predictNoMoreThanThePlanAtTheValueShown) {
  Parsed P = parseSnippet(Matrices);
  LaunchPlan Open = plan(P.kernel(), options(248));
  const LoopPlan &Shown = Open.Plan.Loops[0];
  ASSERT_FALSE(Shown.Why);
  ASSERT_TRUE(Shown.PredictedGain);
  double Most = 1;
  for (int64_t N = 2; N <= 64; ++N) {
    LaunchPlan Known = plan(P.kernel(), options(248, {{"n", N}}));
    Most = std::max(Most, Known.Plan.Loops[0].PredictedGain.value_or(1));
  }
  EXPECT_GT(*Shown.PredictedGain, 1.3);
  EXPECT_LE(*Shown.PredictedGain, Most * 1.001);
}

} // namespace
} // namespace catt
