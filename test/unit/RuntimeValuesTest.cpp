//===- RuntimeValuesTest.cpp - Plans left to run time ---------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The judge is the plan itself with every value told: what the cases give at a
// value must be what planForLaunch decides when it knows the value.
//
//===----------------------------------------------------------------------===//
#include "PlanTesting.h"
#include "analysis/plan/runtime/RuntimeCases.h"
#include "gmock/gmock.h"
#include <random>

namespace catt {
namespace {

using namespace testing;
using ::testing::IsEmpty;

/// Warps per group of a loop whose plan knows everything.
int64_t warpsOf(const LaunchPlan &Known, unsigned Loop) {
  const LoopPlan &P = Known.Plan.Loops[Loop];
  EXPECT_THAT(P.Cases, IsEmpty());
  return P.Groups > 1 && !P.Why ? P.WarpsPerGroup
                                : Known.Plan.Before->WarpsPerBlock;
}

/// Warps per group that the program would choose.
int64_t warpsBy(const LaunchPlan &Open, unsigned Loop, const Values &At) {
  const LoopPlan &P = Open.Plan.Loops[Loop];
  int64_t Whole = Open.Plan.Before->WarpsPerBlock;
  return P.Why ? Whole : catt::warpsBy(P.Cases, At, Whole);
}

//===-- One input, every value -------------------------------------------===//

struct Program {
  const char *Name;
  int64_t L1KiB;
  const char *Code;
};

std::ostream &operator<<(std::ostream &OS, const Program &P) {
  return OS << P.Name << P.L1KiB;
}

const char Rows[] = R"cu(
__global__ void k(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = 0; j < 4096; ++j)
    s += A[i * n + j] * x[j];
  y[i] = s;
}
void go(float *A, int n) { k<<<1056, 256>>>(A, A, A, n); }
)cu";

// The stride is the trip count, too, and stands in the guard.
const char Square[] = R"cu(
__global__ void k(const double *A, const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int j = 0; j < n; ++j)
      y[i] += A[i * n + j] * x[j];
}
void go(double *A, int n) { k<<<4224, 128>>>(A, A, A, n); }
)cu";

const char Fields[] = R"cu(
struct Point { float x, y, z; };
__global__ void k(const Point *p, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = 0; j < 512; ++j)
    s += p[i * n + j].y;
  y[i] = s;
}
void go(Point *p, float *y, int n) { k<<<1056, 256>>>(p, y, n); }
)cu";

// Rows begin anywhere within a line, and neighbours in a row may share one.
const char Neighbours[] = R"cu(
__global__ void k(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 1024; ++j)
    y[i] += A[i * n + j] + A[i * n + j + 9];
}
void go(float *A, int n) { k<<<1056, 128>>>(A, A, n); }
)cu";

const char TwoDimensions[] = R"cu(
__global__ void k(const float *a, float *c, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  for (int k = 0; k < 1024; k++)
    c[i * 1024 + j] += a[i * n + k] * a[j * n + k];
}
void go(float *A, int n) { k<<<dim3(64, 256), dim3(32, 4)>>>(A, A, n); }
)cu";

// The loop inside walks n features: the footprint of the loop around it grows
// with n for ever.
const char Nest[] = R"cu(
__global__ void k(const float *p, const float *q, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int c = 0; c < 50; c++) {
    float d = 0;
    for (int f = 0; f < n; f++) {
      float t = p[i * n + f] - q[c * n + f];
      d += t * t;
    }
    out[i] += d;
  }
}
void go(float *A, int n) { k<<<12800, 128>>>(A, A, A, n); }
)cu";

const Program Programs[] = {
    {"Rows", 28, Rows},
    {"Rows", 64, Rows},
    {"Square", 64, Square}, // with 28 KiB no n gains enough
    {"Fields", 28, Fields},
    {"Neighbours", 28, Neighbours},
    {"TwoDimensions", 28, TwoDimensions},
    {"Nest", 28, Nest},
    {"Nest", 200, Nest},
};

class RuntimeValues : public ::testing::TestWithParam<Program> {};

TEST_P(RuntimeValues, neverDivideFurtherThanThePlanAtAnyValue) {
  Parsed P = parseSnippet(GetParam().Code);
  const Kernel &K = P.kernel();
  LaunchPlan Open = plan(K, options(GetParam().L1KiB));
  size_t Wished = 0, Divided = 0;
  for (int64_t N = 1; N <= 4096; N += N < 70 ? 1 : Step) {
    LaunchPlan Known = plan(K, options(GetParam().L1KiB, {{"n", N}}));
    for (unsigned L = 0; L != K.Loops.size(); ++L) {
      int64_t Expected = warpsOf(Known, L), Got = warpsBy(Open, L, {{"n", N}});
      if (!mayDivide(Known, L))
        ASSERT_GE(Got, Expected) << "n = " << N << ", loop " << L;
      Wished += Expected < Known.Plan.Before->WarpsPerBlock;
      Divided += Got < Known.Plan.Before->WarpsPerBlock;
    }
  }
  if (Step == 1) // of every 61st value, a narrow band may hold none
    EXPECT_GT(Divided, 0u);
  EXPECT_GE(2 * Divided, Wished); // covering must leave most of it
}

INSTANTIATE_TEST_SUITE_P(Programs, RuntimeValues, ::testing::ValuesIn(Programs),
                         [](const auto &Info) {
                           return std::string(Info.param.Name) +
                                  std::to_string(Info.param.L1KiB);
                         });

//===-- Two inputs -------------------------------------------------------===//

const char TwoStrides[] = R"cu(
__global__ void k(const float *A, const float *B, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 1024; ++j)
    y[i] += A[i * n + j] * B[i * m + j];
}
void go(float *A, int n, int m) { k<<<1056, 256>>>(A, A, A, n, m); }
)cu";

// The trip count is one more parameter.
const char RowsOfM[] = R"cu(
__global__ void k(const float *A, const float *x, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < m; ++j)
    y[i] += A[i * n + j] * x[j];
}
void go(float *A, int n, int m) { k<<<1056, 256>>>(A, A, A, n, m); }
)cu";

TEST(RuntimeTwoInputs, neverDivideFurtherThanThePlan) {
  for (const char *Code : {TwoStrides, RowsOfM})
    for (int64_t L1KiB : {28, 100}) {
      Parsed P = parseSnippet(Code);
      const Kernel &K = P.kernel();
      LaunchPlan Open = plan(K, options(L1KiB));
      std::mt19937 Random(3);
      size_t Divided = 0, Wished = 0;
      for (int Round = 0; Round != 400 / Step + 1; ++Round) {
        auto Any = [&] { return int64_t(1) << Random() % 13; };
        Values At = {{"n", Any() + int64_t(Random() % 40)},
                     {"m", Any() + int64_t(Random() % 40)}};
        LaunchPlan Known = plan(K, options(L1KiB, At));
        int64_t Expected = warpsOf(Known, 0), Got = warpsBy(Open, 0, At);
        if (!mayDivide(Known, 0))
          EXPECT_GE(Got, Expected) << At["n"] << ", " << At["m"];
        Divided += Got < 8;
        Wished += Expected < 8;
      }
      // Covering is worth something only if most of it is left; a few values
      // do not tell, nor a thin band of them.
      if (Step == 1)
        EXPECT_GE(2 * Divided + 20, Wished);
    }
}

} // namespace
} // namespace catt
