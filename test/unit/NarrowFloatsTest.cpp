//===- NarrowFloatsTest.cpp - Arithmetic of __half and its like -----------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With the built-in declarations and, where there is one, with the headers of a
// toolkit, whose functions hold assembly and follow addresses of variables.
//
//===----------------------------------------------------------------------===//

#include "SourceTesting.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace catt;
using namespace catt::testing;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace {

class NarrowFloats : public ::testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    const llvm::StringRef Path = GetParam();
    if (!Path.empty() && !llvm::sys::fs::exists(Path + "/include/cuda.h"))
      GTEST_SKIP() << "no CUDA toolkit";
  }

  /// A loop over rows of A, with the variables s and p of before it.
  Parsed loop(llvm::StringRef Type, llvm::StringRef Body,
              llvm::StringRef Before = "") const {
    return parseSnippet(("#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
                         "__global__ void k(const " +
                         Type + " *__restrict__ A, const " + Type +
                         " *__restrict__ x, " + Type + " *__restrict__ y, " +
                         Type +
                         " c, int n, int m) {\n"
                         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "  if (i >= n) return;\n  " +
                         Type + " s = y[i], p = s;\n" + Before +
                         "  for (int j = 1; j < m; ++j) {\n    " + Body +
                         "\n  }\n  y[i] = s;\n  y[i + n] = p;\n}\n")
                            .str(),
                        {}, "clang++", GetParam());
  }

  /// Its rows, or what refuses them.
  std::string rows(llvm::StringRef Type, llvm::StringRef Body,
                   llvm::StringRef Before = "") const {
    const Parsed P = loop(Type, Body, Before);
    const Kernel &K = P.kernel("k");
    if (K.RowLoops.size() != 1)
      return "no rows";
    std::vector<std::string> Out;
    for (const Refusal &R : K.RowLoops.front().Refusals)
      Out.push_back("refused: " + R.Detail);
    if (Out.empty())
      for (const RowRead &R : K.RowLoops.front().Reads)
        Out.push_back(R.Type + " " + K.Accesses[R.Access].Text);
    return llvm::join(Out, ", ");
  }
};

TEST_P(NarrowFloats, PositiveSums) {
  for (const char *Body :
       {"s = __hadd(s, __hmul(A[i * m + j], x[j]));",
        "s = __hfma(A[i * m + j], x[j], s);", "s = s + A[i * m + j] * x[j];",
        "s += A[i * m + j] * x[j];", "s -= A[i * m + j];",
        "s = __hmax(s, A[i * m + j]);"})
    EXPECT_THAT(rows("__half", Body), StartsWith("__half A[i * m + j]"))
        << Body;
  EXPECT_THAT(rows("__nv_bfloat16", "s += A[i * m + j] * x[j];"),
              StartsWith("__nv_bfloat16 A[i * m + j]"));
}

TEST_P(NarrowFloats, PositivePairs) {
  for (const char *Body :
       {"s = __hfma2(A[i * m + j], x[j], s);", "s = __hadd2(s, A[i * m + j]);",
        "float2 f = __half22float2(A[i * m + j]); "
        "s = __hadd2(s, __floats2half2_rn(f.x, f.y));"})
    EXPECT_THAT(rows("__half2", Body), StartsWith("__half2 A[i * m + j]"))
        << Body;
}

TEST_P(NarrowFloats, PositiveProductsOfTheirOwnIteration) {
  EXPECT_EQ(rows("__half", "__half d = A[i * m + j] * c; s = s + d;"),
            "__half A[i * m + j]");
  EXPECT_EQ(rows("__half", "p = __hmul_rn(A[i * m + j], c); s = s + p;"),
            "__half A[i * m + j]");
}

TEST_P(NarrowFloats, NegativeProductsThatTheNextIterationAdds) {
  for (const char *Body :
       {"s = __hadd(s, p); p = __hmul(A[i * m + j], x[j]);",
        "s += p; p = A[i * m + j] * x[j];", "s *= A[i * m + j]; s += x[j];",
        "s = s * A[i * m + j]; s = s + x[j];",
        "s = s + p; p = -(A[i * m + j] * c);"})
    EXPECT_THAT(rows("__half", Body), HasSubstr("that the next iteration sees"))
        << Body;
  EXPECT_THAT(rows("__half2", "s = __hadd2(s, p);"
                              "p = __hmul2(A[i * m + j], x[j]);"),
              HasSubstr("that the next iteration sees"));
}

TEST_P(NarrowFloats, NegativeProductsOfTwoIterations) {
  EXPECT_THAT(
      rows("__half", "s = s + c * A[i * m + j] + c * A[i * m + j - 1];"),
      HasSubstr("of another iteration"));
}

TEST_P(NarrowFloats, NegativeProductsOnBothSides) {
  EXPECT_THAT(rows("__half", "s = s + A[i * m + j] + p * c;",
                   "  y[i + 2 * n] = c * p + s;\n"),
              HasSubstr("stands on both sides"));
}

TEST_P(NarrowFloats, BodiesOfHeadersAreNotLookedInto) {
  const Parsed P = loop("__half", "s += A[i * m + j] * x[j];");
  for (const Access &A : P.kernel("k").Accesses)
    EXPECT_TRUE(A.Offset) << A.Text;
  EXPECT_EQ(offsetOf(P.kernel("k"), "x[j]"), "2*j + 2");
}

INSTANTIATE_TEST_SUITE_P(BuiltIn, NarrowFloats, ::testing::Values(""));
INSTANTIATE_TEST_SUITE_P(Toolkit, NarrowFloats,
                         ::testing::Values("/usr/local/cuda"));

//===-- Addresses of variables, and assembly ------------------------------===//

TEST(LocalAddresses, AreNoGlobalMemory) {
  const Parsed P =
      parseSnippet("__device__ void set(int *p, int v) { *p = v; }\n"
                   "__global__ void k(float *A, int n) {\n"
                   "  for (int j = 0; j < n; ++j) {\n    int v; set(&v, j);\n"
                   "    A[j * 32 + threadIdx.x] = v;\n    A[v] = 0;\n  }\n}\n");
  const Kernel &K = P.kernel("k");
  ASSERT_EQ(K.Accesses.size(), 3u);
  EXPECT_EQ(K.Accesses[0].Space, AddressSpace::Local);
  EXPECT_EQ(offsetOf(K, "A[j * 32 + threadIdx.x]"), "4*threadIdx.x + 128*j");
  EXPECT_EQ(offsetOf(K, "A[v]"), "irregular: the value of 'v'");
}

TEST(LocalAddresses, OfEitherKindAreUnknown) {
  const Parsed P = parseSnippet(
      "__global__ void k(int *A, int n) {\n"
      "  int v = 0; int *p = n > 3 ? &v : A;\n"
      "  for (int j = 0; j < n; ++j) { *p = j; }\n  A[v] = 0;\n}\n");
  EXPECT_EQ(P.kernel("k").Accesses[0].Space, AddressSpace::Global);
  EXPECT_FALSE(P.kernel("k").Accesses[0].Offset);
}

TEST(AssemblyResults, MayBeProducts) {
  const Parsed P = parseSnippet(
      "__device__ float times(float a, float b) {\n"
      "  float r; asm(\"mul.f32 %0, %1, %2;\" : \"=f\"(r) : \"f\"(a), "
      "\"f\"(b)); return r;\n}\n"
      "__global__ void k(const float *__restrict__ A, float *__restrict__ y, "
      "float z, int n, int m) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  float s = 0, p = times(z, z);\n"
      "  for (int j = 0; j < m; ++j) s += A[i * m + j] + p;\n"
      "  y[i] = s;\n}\n");
  const Kernel &K = P.kernel("k");
  ASSERT_EQ(K.RowLoops.size(), 1u);
  ASSERT_FALSE(K.RowLoops.front().Refusals.empty());
  EXPECT_THAT(K.RowLoops.front().Refusals.front().Detail,
              HasSubstr("a product in 'p'"));
}

} // namespace
