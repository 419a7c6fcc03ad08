//===- RuntimeCasesTest.cpp - Tests of decisions left to run time ---------===//
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
#include "analysis/plan/runtime/RuntimeCases.h"
#include "PlanTesting.h"
#include "llvm/Support/MathExtras.h"
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

//===-- Pieces -----------------------------------------------------------===//

TEST(RuntimePieces, areExactWhereThereAreFew) {
  std::vector<WarpBounds> Warps = {8, 8, 4, 4, 2, 2, 2};
  std::vector<RuntimeCase> Cases = casesOf("n", Warps, 8);
  EXPECT_EQ(Cases.size(), 2u);
  for (int64_t N = 1; N <= 7; ++N)
    EXPECT_EQ(warpsBy(Cases, {{"n", N}}, 8), Warps[N - 1].Least);
  EXPECT_EQ(warpsBy(Cases, {{"n", 0}}, 8), 8);
  EXPECT_EQ(warpsBy(Cases, {{"m", 100}}, 8), 8);
  // A band, and nothing at all.
  Cases = casesOf("n", {8, 3, 3, 3, 8, 8, 8}, 8);
  EXPECT_EQ(warpsBy(Cases, {{"n", 4}}, 8), 3);
  EXPECT_EQ(warpsBy(Cases, {{"n", 5}}, 8), 8);
  EXPECT_THAT(casesOf("n", {8, 8, 8}, 8), IsEmpty());
}

TEST(RuntimePieces, areAtMostThreeArms) {
  std::mt19937 Random(5);
  for (int Round = 0; Round != 100; ++Round) {
    std::vector<WarpBounds> Warps;
    for (int I = 0; I != 300; ++I)
      Warps.push_back(1 + int64_t(Random() % 8));
    for (const auto &Cases :
         {casesOf("n", Warps, 8), casesByThreads("n", Warps, 8)})
      EXPECT_LE(Cases.size(), MostCases);
    std::vector<RuntimeCase> Cases = casesOf("n", Warps, 8);
    for (int64_t N = 1; N <= 300; ++N)
      EXPECT_GE(warpsBy(Cases, {{"n", N}}, 8), Warps[N - 1].Least) << N;
  }
  // The last warp of a block need not be full.
  std::vector<RuntimeCase> Cases = casesByThreads("b", {8, 8, 2, 2, 4}, 8);
  EXPECT_EQ(warpsBy(Cases, {{"b", 64}}, 8), 8);
  EXPECT_EQ(warpsBy(Cases, {{"b", 65}}, 8), 2);
  EXPECT_EQ(warpsBy(Cases, {{"b", 128}}, 8), 2);
  EXPECT_EQ(warpsBy(Cases, {{"b", 129}}, 8), 4);
}

TEST(RuntimePieces, ofWhatLosesLittleAreOne) {
  // 4 and 3 warps serve where 3 and 2 were chosen.
  std::vector<RuntimeCase> Cases =
      casesOf("n", {8, {3, 4}, 4, {2, 3}, {3, 8}}, 8);
  ASSERT_EQ(Cases.size(), 2u);
  EXPECT_EQ(warpsBy(Cases, {{"n", 2}}, 8), 4);
  EXPECT_EQ(warpsBy(Cases, {{"n", 4}}, 8), 3);
  EXPECT_EQ(warpsBy(Cases, {{"n", 5}}, 8), 3);
  EXPECT_THAT(casesOf("n", {8, {4, 8}, {2, 8}}, 8), IsEmpty());
  // Every piece lies within the bounds of all its values.
  std::mt19937 Random(7);
  for (int Round = 0; Round != 100; ++Round) {
    std::vector<WarpBounds> Warps;
    for (int I = 0; I != 50; ++I) {
      int64_t Least = 1 + int64_t(Random() % 8);
      Warps.push_back({Least, Least + int64_t(Random() % (9 - Least))});
    }
    std::vector<Piece> Pieces = piecesOf(Warps);
    for (size_t I = 0; I != Pieces.size(); ++I) {
      size_t End = I + 1 == Pieces.size() ? 51 : Pieces[I + 1].From;
      for (size_t N = Pieces[I].From; N != End; ++N) {
        EXPECT_GE(Pieces[I].Warps, Warps[N - 1].Least);
        EXPECT_LE(Pieces[I].Warps, Warps[N - 1].Most);
      }
    }
  }
}

TEST(RuntimePieces, ofTwoLaunchesTakeTheLessDivided) {
  std::vector<RuntimeCase> A = {{"n", 4, 4}, {"n", 64, 8}}, B = {{"n", 8, 3}};
  auto Both = lessDivided(A, B, 8);
  ASSERT_TRUE(Both);
  for (int64_t N = 0; N != 100; ++N) {
    Values At = {{"n", N}};
    EXPECT_EQ(warpsBy(*Both, At, 8),
              std::max(warpsBy(A, At, 8), warpsBy(B, At, 8)));
  }
  // Joined to three arms.
  A = {{"n", 4, 4}, {"n", 16, 2}, {"n", 64, 8}};
  B = {{"n", 8, 3}, {"n", 32, 1}};
  Both = lessDivided(A, B, 8);
  ASSERT_TRUE(Both);
  EXPECT_LE(Both->size(), MostCases);
  for (int64_t N = 0; N != 100; ++N) {
    Values At = {{"n", N}};
    EXPECT_GE(warpsBy(*Both, At, 8),
              std::max(warpsBy(A, At, 8), warpsBy(B, At, 8)));
  }
  EXPECT_FALSE(lessDivided(A, {{"m", 8, 3}}, 8));
  EXPECT_FALSE(lessDivided(A, {{"n", 8, 3, {{"m", 1}}}}, 8));
}

//===-- Two inputs -------------------------------------------------------===//

TEST(RuntimeGrid, neverDividesFurtherThanItsCorners) {
  std::mt19937 Random(11);
  for (int Round = 0; Round != 200; ++Round) {
    WarpGrid Grid{"n", "m", {1, 4, 16, 64}, {1, 8, 32}, {}};
    for (size_t I = 0; I != Grid.First.size(); ++I) {
      Grid.Warps.emplace_back();
      for (size_t J = 0; J != Grid.Second.size(); ++J)
        Grid.Warps.back().push_back(
            Round % 2 ? int64_t(1 + Random() % 8)
                      : std::max<int64_t>(1, 8 - int64_t(I * J)));
    }
    std::vector<RuntimeCase> Cases = casesOf(Grid, 8);
    EXPECT_LE(Cases.size(), MostCases);
    for (size_t I = 0; I != Grid.First.size(); ++I)
      for (size_t J = 0; J != Grid.Second.size(); ++J)
        EXPECT_GE(
            warpsBy(Cases, {{"n", Grid.First[I]}, {"m", Grid.Second[J]}}, 8),
            Grid.Warps[I][J].Least);
    EXPECT_EQ(warpsBy(Cases, {{"n", 64}, {"m", 0}}, 8), 8);
  }
}

TEST(RuntimeGrid, hasOneCaseWhereTheSecondGainsLittle) {
  WarpGrid Grid{"n", "m", {1, 4}, {1, 8}, {{8, 8}, {4, 3}}};
  EXPECT_EQ(casesOf(Grid, 8).size(), 2u);
  Grid.Warps[1][1] = {3, 4};
  EXPECT_EQ(casesOf(Grid, 8).size(), 1u);
}

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

//===-- What is not left to run time -------------------------------------===//

TEST(RuntimeCases, needParametersThatKeepTheirValue) {
  for (const char *Code :
       {// Three inputs.
        "__global__ void k(const float *A, float *y, int n, int m, int l) {\n"
        "  int i = threadIdx.x;\n"
        "  for (int j = 0; j < 512; ++j)\n"
        "    y[i] += A[i * n + j] * A[i * m + j] * A[i * l + j];\n}\n"
        "void go(float *A, int n) { k<<<1056, 256>>>(A, A, n, n, n); }\n",
        // Another value before the loop.
        "__global__ void k(const float *A, float *y, int n) {\n"
        "  n = n * 2 + 1; int i = threadIdx.x;\n"
        "  for (int j = 0; j < 512; ++j) y[i] += A[i * n + j];\n}\n"
        "void go(float *A, int n) { k<<<1056, 256>>>(A, A, n); }\n"}) {
    Parsed P = parseSnippet(Code);
    LaunchPlan Open = plan(P.kernel(), options(28));
    EXPECT_THAT(Open.Plan.Loops[0].Cases, IsEmpty());
    ASSERT_TRUE(Open.Plan.Loops[0].Why);
    EXPECT_EQ(Open.Plan.Loops[0].Why->Kind, Reason::UnknownStride);
  }
}

} // namespace
} // namespace catt
