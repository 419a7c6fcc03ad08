//===- IndexExpressionsTest.cpp - What indices become -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceTesting.h"
#include "gmock/gmock.h"

using namespace catt;
using namespace catt::testing;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace {

/// The offset of the access `A[...]` or `A(...)` in a kernel body.
std::string offset(llvm::StringRef Body, llvm::StringRef Access,
                   llvm::StringRef Before = "",
                   llvm::StringRef Parameters = "float *A, int n, int m") {
  Parsed P = parseSnippet(
      (Before + "\n__global__ void k(" + Parameters + ") {\n" + Body + "\n}\n")
          .str());
  return offsetOf(P.kernel(), Access);
}

const char *Row = "int i = blockIdx.x * blockDim.x + threadIdx.x;\n";

std::string inRow(llvm::StringRef Body, llvm::StringRef Access,
                  llvm::StringRef Before = "") {
  return offset((llvm::Twine(Row) + Body).str(), Access, Before);
}

TEST(IndexExpressions, positiveThreadIndex) {
  EXPECT_EQ(inRow("A[i] = 1;", "A[i]"),
            "4*threadIdx.x + 4*blockDim.x*blockIdx.x");
}
TEST(IndexExpressions, positiveConstantStride) {
  EXPECT_EQ(
      offset("for (int j = 0; j < 10; ++j) A[threadIdx.x * 1024 + j] = 1;",
             "A[threadIdx.x * 1024 + j]"),
      "4096*threadIdx.x + 4*j");
}
TEST(IndexExpressions, positiveSymbolicStride) {
  EXPECT_EQ(offset("for (int j = 0; j < m; ++j) A[threadIdx.x * n + j] = 1;",
                   "A[threadIdx.x * n + j]"),
            "4*n*threadIdx.x + 4*j");
}
TEST(IndexExpressions, positiveStartAndStep) {
  EXPECT_EQ(offset("for (int j = 3; j < m; j += 5) A[j] = 1;", "A[j]"),
            "20*j + 12");
}
TEST(IndexExpressions, positiveCountsDown) {
  EXPECT_EQ(offset("for (int j = 9; j >= 0; --j) A[j] = 1;", "A[j]"),
            "-4*j + 36");
}
TEST(IndexExpressions, positiveGridStride) {
  EXPECT_EQ(
      offset("for (int i = threadIdx.x; i < n; i += blockDim.x) A[i] = 1;",
             "A[i]"),
      "4*threadIdx.x + 4*blockDim.x*i");
}
TEST(IndexExpressions, positiveWhile) {
  EXPECT_EQ(
      offset("int j = 0; while (j < n) { A[j * 2] = 1; j++; }", "A[j * 2]"),
      "8*#0");
}
TEST(IndexExpressions, positiveAfterTheStep) {
  EXPECT_EQ(offset("int j = 0; do { j++; A[j] = 1; } while (j < n);", "A[j]"),
            "4*#0 + 4");
}
TEST(IndexExpressions, positiveMovingPointer) {
  EXPECT_EQ(offset("float *p = A + threadIdx.x; for (int j = 0; j < m; ++j, p "
                   "+= n) *p = 1;",
                   "*p"),
            "4*threadIdx.x + 4*n*j");
}
TEST(IndexExpressions, positivePostIncrementedPointer) {
  EXPECT_EQ(
      offset("float *p = A; for (int j = 0; j < m; ++j) *p++ = 1;", "*p++"),
      "4*j");
}
TEST(IndexExpressions, positiveDivisionAndRemainder) {
  EXPECT_EQ(offset("A[threadIdx.x / 16 * 64 + threadIdx.x % 16] = 1;",
                   "A[threadIdx.x / 16 * 64 + threadIdx.x % 16]"),
            "256*(threadIdx.x / 16) + 4*(threadIdx.x % 16)");
}
TEST(IndexExpressions, positiveShiftsAndMasks) {
  EXPECT_EQ(offset("A[(threadIdx.x >> 4 << 6) | (threadIdx.x & 15)] = 1;",
                   "A[(threadIdx.x >> 4 << 6) | (threadIdx.x & 15)]"),
            offset("A[threadIdx.x / 16 * 64 + threadIdx.x % 16] = 1;",
                   "A[threadIdx.x / 16 * 64 + threadIdx.x % 16]"));
}
TEST(IndexExpressions, positiveMinimum) {
  EXPECT_EQ(
      offset("A[min((int)threadIdx.x, n)] = 1;", "A[min((int)threadIdx.x, n)]"),
      "4*min(threadIdx.x, n)");
}
TEST(IndexExpressions, positiveTernary) {
  EXPECT_THAT(
      offset("int i = threadIdx.x < 8 ? threadIdx.x : 8; A[i] = 1;", "A[i]"),
      HasSubstr("threadIdx.x"));
}
TEST(IndexExpressions, positiveChoiceOfTwoObjects) {
  for (const char *Body : {"float s = 0; s = s > A[i] ? s : A[i * 2];",
                           "const float *B = A; float s = 0;\n"
                           "s = s > A[i] ? s : B[i * 2];"}) {
    std::string Read = llvm::StringRef(Body).contains("B[") ? "B" : "A";
    EXPECT_EQ(inRow(Body, "A[i]"), "4*threadIdx.x + 4*blockDim.x*blockIdx.x");
    EXPECT_EQ(inRow(Body, Read + "[i * 2]"),
              "8*threadIdx.x + 8*blockDim.x*blockIdx.x");
  }
}
TEST(IndexExpressions, positiveBranchesMerge) {
  EXPECT_EQ(
      offset(
          "int i; if (n > 3) i = threadIdx.x; else i = threadIdx.x; A[i] = 1;",
          "A[i]"),
      "4*threadIdx.x");
}
TEST(IndexExpressions, positiveStructField) {
  EXPECT_EQ(offset("P[threadIdx.x].y = 1;", "P[threadIdx.x].y",
                   "struct Point { float x, y, z; };", "Point *P"),
            "12*threadIdx.x + 4");
}
TEST(IndexExpressions, positiveTwoDimensionalArray) {
  EXPECT_EQ(offset("for (int j = 0; j < 64; ++j) M[threadIdx.x][j] = 1;",
                   "M[threadIdx.x][j]", "", "float (*M)[64]"),
            "256*threadIdx.x + 4*j");
}
TEST(IndexExpressions, positiveDeviceArray) {
  EXPECT_EQ(offset("G[threadIdx.x][2] = 1;", "G[threadIdx.x][2]",
                   "__device__ double G[128][8];"),
            "64*threadIdx.x + 16");
}
TEST(IndexExpressions, positiveDeviceFunction) {
  EXPECT_EQ(inRow("put(A, i * n);", "p[at]",
                  "__device__ void put(float *p, int at) { p[at] = 1; }"),
            "4*n*threadIdx.x + 4*n*blockDim.x*blockIdx.x");
}
TEST(IndexExpressions, positiveIndexHelper) {
  EXPECT_EQ(
      offset("A[at(threadIdx.x, 3, n)] = 1;", "A[at(threadIdx.x, 3, n)]",
             "__device__ int at(int r, int c, int ld) { return r * ld + c; }"),
      "4*n*threadIdx.x + 12");
}
TEST(IndexExpressions, positiveArrayView) {
  const char *View = "struct View { float *data; int ld;\n"
                     "  __device__ float &operator()(int r, int c) const { "
                     "return data[r * ld + c]; } };";
  Parsed P = parseSnippet(
      std::string(View) +
      "\n__global__ void k(View v) {\n"
      "  for (int j = 0; j < 9; ++j) v(threadIdx.x, j) += 1;\n}\n");
  ASSERT_FALSE(P.kernel().Accesses.empty());
  const Access &A = P.kernel().Accesses.front();
  ASSERT_TRUE(A.Offset);
  EXPECT_EQ(A.Offset->str([](unsigned) { return "j"; }),
            "4*v.ld*threadIdx.x + 4*j");
  EXPECT_EQ(A.Base, "v.data");
}
TEST(IndexExpressions, positiveTemplateParameter) {
  Parsed P = parseSnippet(
      "template <int N> __global__ void k(float *A) {\n"
      "  A[threadIdx.x * N] = 1;\n}\n"
      "void go(float *A) { k<16><<<1, 32>>>(A); k<3><<<1, 32>>>(A); }\n");
  ASSERT_EQ(P.Kernels.size(), 2u);
  EXPECT_EQ(offsetOf(P.kernel("k<16>"), "A[threadIdx.x * N]"),
            "64*threadIdx.x");
  EXPECT_EQ(offsetOf(P.kernel("k<3>"), "A[threadIdx.x * N]"), "12*threadIdx.x");
}
TEST(IndexExpressions, positiveMacro) {
  EXPECT_EQ(offset("A[IDX(threadIdx.x, 2)] = 1;", "A[IDX(threadIdx.x, 2)]",
                   "#define IDX(r, c) ((r) * n + (c))"),
            "4*n*threadIdx.x + 8");
}
TEST(IndexExpressions, positiveVectorType) {
  EXPECT_EQ(offset("float4 v = V[threadIdx.x]; A[0] = v.x;", "V[threadIdx.x]",
                   "", "float4 *V, float *A"),
            "16*threadIdx.x");
}
TEST(IndexExpressions, positiveReadOnlyLoad) {
  Parsed P =
      parseSnippet("__global__ void k(const float *A, float *B) {\n"
                   "  B[0] = __ldg(&A[threadIdx.x]) + __ldcg(A + 2);\n}\n");
  EXPECT_EQ(offsetOf(P.kernel(), "__ldg(&A[threadIdx.x])"), "4*threadIdx.x");
  for (const Access &A : P.kernel().Accesses)
    if (A.Text == "__ldcg(A + 2)")
      EXPECT_FALSE(A.ThroughL1);
}
TEST(IndexExpressions, positiveReferenceAlias) {
  EXPECT_EQ(offset("float &r = A[threadIdx.x * 2]; r = 1;", "r"),
            "8*threadIdx.x");
}
TEST(IndexExpressions, positiveOneReferenceForUpdate) {
  Parsed P =
      parseSnippet("__global__ void k(float *A) { A[threadIdx.x] += 1; }");
  ASSERT_EQ(P.kernel().Accesses.size(), 1u);
  EXPECT_TRUE(P.kernel().Accesses[0].Reads);
  EXPECT_TRUE(P.kernel().Accesses[0].Writes);
}

// What cannot be expressed is irregular, and never a number.
TEST(IndexExpressions, negativeIndirect) {
  EXPECT_THAT(offset("A[(int)A[threadIdx.x]] = 1;", "A[(int)A[threadIdx.x]]"),
              StartsWith("irregular: "));
}
TEST(IndexExpressions, negativeLoadedIndex) {
  EXPECT_THAT(offset("int i = I[threadIdx.x]; A[i] = 1;", "A[i]", "",
                     "float *A, int *I"),
              HasSubstr("loaded from memory"));
}
TEST(IndexExpressions, negativeProductOfThreads) {
  EXPECT_EQ(offset("A[threadIdx.x * threadIdx.x] = 1;",
                   "A[threadIdx.x * threadIdx.x]"),
            "4*threadIdx.x*threadIdx.x");
}
TEST(IndexExpressions, negativeVariableShift) {
  EXPECT_THAT(offset("A[1 << n] = 1;", "A[1 << n]"), StartsWith("irregular"));
}
TEST(IndexExpressions, negativeDivisionByThread) {
  EXPECT_THAT(
      offset("A[n / (threadIdx.x + 1)] = 1;", "A[n / (threadIdx.x + 1)]"),
      StartsWith("irregular"));
}
TEST(IndexExpressions, negativeDivisionByZero) {
  EXPECT_THAT(offset("int z = 0; A[n / z] = 1;", "A[n / z]"),
              StartsWith("irregular"));
}
TEST(IndexExpressions, negativeAddressTaken) {
  EXPECT_THAT(offset("int i = threadIdx.x; change(&i); A[i] = 1;", "A[i]",
                     "__device__ void change(int *p);"),
              StartsWith("irregular"));
}
TEST(IndexExpressions, negativeChangedByReference) {
  EXPECT_THAT(offset("int i = threadIdx.x; change(i); A[i] = 1;", "A[i]",
                     "__device__ void change(int &p);"),
              StartsWith("irregular"));
}
TEST(IndexExpressions, negativeRecursion) {
  EXPECT_THAT(
      offset("A[f(threadIdx.x)] = 1;", "A[f(threadIdx.x)]",
             "__device__ int f(int x) { return x < 1 ? 0 : f(x - 1); }"),
      StartsWith("irregular"));
}
TEST(IndexExpressions, negativeMultiplicativeStep) {
  EXPECT_THAT(offset("for (int j = 1; j < n; j *= 2) A[j] = 1;", "A[j]"),
              StartsWith("irregular"));
}
TEST(IndexExpressions, negativeConditionalStep) {
  EXPECT_THAT(offset("int j = 0; for (int i = 0; i < n; ++i) { if (A[i] > 0) "
                     "j++; A[j] = 1; }",
                     "A[j]"),
              StartsWith("irregular"));
}
TEST(IndexExpressions, negativeStepTwice) {
  EXPECT_THAT(
      offset("for (int j = 0; j < n; ++j) { A[j] = 1; if (n > 5) ++j; }",
             "A[j]"),
      StartsWith("irregular"));
}
TEST(IndexExpressions, negativeStepSkippedByContinue) {
  EXPECT_THAT(offset("int j = 0; int i = 0; while (i < n) { ++i; A[j] = 1; if "
                     "(A[i] > 0) continue; ++j; }",
                     "A[j]"),
              StartsWith("irregular"));
}
TEST(IndexExpressions, negativeAfterBreak) {
  EXPECT_THAT(
      offset("int j = 0; for (; j < n; ++j) if (A[j] > 0) break; A[j + 1] = 1;",
             "A[j + 1]"),
      StartsWith("irregular"));
}
TEST(IndexExpressions, negativeBranchesDiffer) {
  EXPECT_THAT(
      offset("int i; if (A[0] > 0) i = threadIdx.x; else i = 0; A[i] = 1;",
             "A[i]"),
      StartsWith("irregular"));
}
TEST(IndexExpressions, negativeFloatingPoint) {
  EXPECT_THAT(offset("A[(int)(threadIdx.x * 0.5f)] = 1;",
                     "A[(int)(threadIdx.x * 0.5f)]"),
              StartsWith("irregular"));
}
TEST(IndexExpressions, negativeGoto) {
  EXPECT_THAT(
      offset("int i = 0; again: i += 1; if (i < n) goto again; A[i] = 1;",
             "A[i]"),
      StartsWith("irregular"));
}
TEST(IndexExpressions, negativeSwitch) {
  EXPECT_THAT(
      offset("int i = 0; switch (n) { case 1: i = 4; } A[i] = 1;", "A[i]"),
      StartsWith("irregular"));
}

TEST(IndexExpressions, negativeCasesOfASwitchAreAlternatives) {
  EXPECT_THAT(
      offset(
          "int i = 2; switch (n) { case 0: i = 1; break; default: A[i] = 1; }",
          "A[i]"),
      StartsWith("irregular"));
}
TEST(IndexExpressions, negativeAReturnInOneCaseDoesNotGuardTheNext) {
  Parsed P = parseSnippet(
      "__global__ void k(float *A, int n) {\n"
      "  switch (n) {\n"
      "  case 0: { if (threadIdx.x >= 5) return; A[0] = 0; } break;\n"
      "  default: A[1] = 0;\n  }\n  A[2] = 0;\n}\n");
  ASSERT_EQ(P.kernel().Accesses.size(), 3u);
  EXPECT_EQ(P.kernel().Accesses[0].Guards.size(), 1u);
  for (const Access &A : P.kernel().Accesses) {
    EXPECT_FALSE(A.GuardsKnown) << A.Text;
    EXPECT_EQ(A.Guards.empty(), A.Text != "A[0]") << A.Text;
  }
}
TEST(IndexExpressions, negativeEarlierIterationsMayLeave) {
  Parsed P = parseSnippet(
      "__global__ void k(float *A, int n) {\n"
      "  for (int j = 0; j < 3; ++j) { A[j] = 0; if (n % 2) return; }\n"
      "  A[9] = 0;\n}\n");
  for (const Access &A : P.kernel().Accesses)
    EXPECT_FALSE(A.GuardsKnown) << A.Text;
}
TEST(IndexExpressions, negativeSomeThreadsLeftInALoop) {
  Parsed P = parseSnippet(
      "__global__ void k(float *A) {\n"
      "  for (int i = 0; i < 3; ++i) { if (threadIdx.x % 2 == 1) return; }\n"
      "  for (int j = 0; j < 3; ++j) A[j] = 0;\n}\n");
  ASSERT_EQ(P.kernel().Accesses.size(), 1u);
  EXPECT_FALSE(P.kernel().Accesses[0].GuardsKnown);
}

TEST(Loops, tripCountsOfCountdowns) {
  Parsed P =
      parseSnippet("__global__ void k(float *A, int n, unsigned u) {\n"
                   "  int a = 9; while (a-- > 0) A[a] = 0;\n  A[a + 5] = 0;\n"
                   "  while (u--) A[u] = 0;\n"
                   "  int b = n; while (b-- > 1) A[b] = 0;\n"
                   "  int c = 9; do { A[c] = 0; } while (c-- > 0);\n}\n");
  const auto &L = P.kernel().Loops;
  ASSERT_EQ(L.size(), 4u);
  EXPECT_EQ(L[0].TripCount->constant(), 9);
  EXPECT_EQ(L[1].TripCount->str(), "max(0, u)");
  EXPECT_FALSE(L[2].TripCount);
  EXPECT_FALSE(L[3].TripCount);
  const auto &A = P.kernel().Accesses;
  EXPECT_EQ(A[0].Offset->str(), "-4*i0 + 32"); // 8, 7, ..., 0
  EXPECT_FALSE(A[1].Offset);                   // -1, and not 0
}

TEST(Loops, tripCounts) {
  Parsed P =
      parseSnippet("__global__ void k(float *A, int n) {\n"
                   "  for (int j = 0; j < 10; ++j) A[j] = 0;\n"
                   "  for (int j = 9; j >= 0; j -= 3) A[j] = 0;\n"
                   "  for (int j = 0; j != 7; ++j) A[j] = 0;\n"
                   "  for (int j = threadIdx.x; j < n; j += 32) A[j] = 0;\n"
                   "  int i = 0; do { A[i] = 0; i += 2; } while (i < 5);\n"
                   "  for (int j = 0; j < n && A[j] > 0; ++j) A[j] = 0;\n"
                   "  for (int j = 1; j < n; j *= 2) A[j] = 0;\n}\n");
  const auto &L = P.kernel().Loops;
  ASSERT_EQ(L.size(), 7u);
  EXPECT_EQ(L[0].TripCount->constant(), 10);
  EXPECT_EQ(L[1].TripCount->constant(), 4);
  EXPECT_EQ(L[2].TripCount->constant(), 7);
  EXPECT_TRUE(L[3].TripCount);
  EXPECT_FALSE(L[3].MayExitEarly);
  EXPECT_EQ(L[4].TripCount->constant(), 3);
  EXPECT_TRUE(L[5].TripCount);
  EXPECT_TRUE(L[5].MayExitEarly);
  EXPECT_FALSE(L[6].TripCount);
}

TEST(Loops, guards) {
  Parsed P = parseSnippet("__global__ void k(float *A, int n) {\n"
                          "  int i = threadIdx.x;\n"
                          "  if (i >= n) return;\n"
                          "  A[i] = 0;\n"
                          "  if (A[0] > 0) A[i + 1] = 0;\n}\n");
  for (const Access &A : P.kernel().Accesses) {
    if (A.Text == "A[i]") {
      EXPECT_TRUE(A.GuardsKnown);
      ASSERT_EQ(A.Guards.size(), 1u);
      EXPECT_EQ(A.Guards[0].Condition.str(), "-threadIdx.x + n - 1");
    }
    if (A.Text == "A[i + 1]")
      EXPECT_FALSE(A.GuardsKnown);
  }
}

} // namespace
