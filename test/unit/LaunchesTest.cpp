//===- LaunchesTest.cpp - Which shapes launches have -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceTesting.h"

using namespace catt;
using namespace catt::testing;

namespace {

std::string extent(std::optional<int64_t> E) {
  return E ? std::to_string(*E) : "?";
}
std::string shape(const Shape &S) {
  return extent(S.X) + "x" + extent(S.Y) + "x" + extent(S.Z);
}
std::string launches(const Kernel &K) {
  std::string Result;
  for (const Launch &L : K.Launches) {
    Result += Result.empty() ? "" : " ";
    Result += shape(L.Grid) + ":" + shape(L.Block);
    if (L.DynamicSharedBytes && *L.DynamicSharedBytes)
      Result += ":" + std::to_string(*L.DynamicSharedBytes);
  }
  return Result;
}
std::string launches(llvm::StringRef Host, llvm::StringRef Before = "") {
  return launches(
      parseSnippet(("#include <cuda_runtime.h>\n" + Before +
                    "\n__global__ void k(float *A, int n) {}\n" + Host + "\n")
                       .str())
          .kernel());
}

TEST(Launches, positiveLiterals) {
  EXPECT_EQ(launches("void f(float *A) { k<<<10, 256>>>(A, 1); }"),
            "10x1x1:256x1x1");
}
TEST(Launches, positiveMacro) {
  EXPECT_EQ(launches("void f(float *A) { k<<<N / B, B>>>(A, 1); }",
                     "#define N 1024\n#define B 128"),
            "8x1x1:128x1x1");
}
TEST(Launches, positiveConstexprAndRoundUp) {
  EXPECT_EQ(launches("constexpr int B = 96;\nvoid f(float *A) { k<<<(1000 + B "
                     "- 1) / B, B>>>(A, 1); }"),
            "11x1x1:96x1x1");
}
TEST(Launches, positiveGlobalConstant) {
  EXPECT_EQ(launches("const int Threads = 96;\nvoid f(float *A) { k<<<2, "
                     "Threads>>>(A, 1); }"),
            "2x1x1:96x1x1");
}
TEST(Launches, positiveVariableSetOnce) {
  EXPECT_EQ(launches("void f(float *A) { int threads = 192; int blocks = 40 * "
                     "2; k<<<blocks, threads>>>(A, 1); }"),
            "80x1x1:192x1x1");
}
TEST(Launches, positiveDim3) {
  EXPECT_EQ(
      launches(
          "void f(float *A) { dim3 b(32, 8), g(4, 5); k<<<g, b>>>(A, 1); }"),
      "4x5x1:32x8x1");
}
TEST(Launches, positiveDim3Braces) {
  EXPECT_EQ(
      launches("void f(float *A) { k<<<dim3{7}, dim3{16, 4, 2}>>>(A, 1); }"),
      "7x1x1:16x4x2");
}
TEST(Launches, positiveDim3Reassigned) {
  EXPECT_EQ(
      launches("void f(float *A) { dim3 b(64); k<<<1, b>>>(A, 1); b = "
               "dim3(128); k<<<1, b>>>(A, 1); b.x = 256; k<<<1, b>>>(A, 1); }"),
      "1x1x1:64x1x1 1x1x1:128x1x1 1x1x1:256x1x1");
}
TEST(Launches, positiveHelper) {
  EXPECT_EQ(launches("int up(int a, int b) { return (a + b - 1) / b; }\nvoid "
                     "f(float *A) { k<<<up(1000, 128), 128>>>(A, 1); }"),
            "8x1x1:128x1x1");
}
TEST(Launches, positiveDynamicShared) {
  EXPECT_EQ(
      launches("void f(float *A) { k<<<1, 64, 64 * sizeof(float)>>>(A, 1); }"),
      "1x1x1:64x1x1:256");
}
TEST(Launches, positiveCudaLaunchKernel) {
  EXPECT_EQ(
      launches("void f(float *A) { void *args[1]; cudaLaunchKernel((const void "
               "*)k, dim3(3), dim3(32), args, 0, 0); }"),
      "3x1x1:32x1x1");
}
TEST(Launches, positiveCooperative) {
  Parsed P = parseSnippet(
      "#include <cuda_runtime.h>\n__global__ void k(float *A) {}\n"
      "void f() { void *args[1]; cudaLaunchCooperativeKernel((void *)k, "
      "dim3(3), dim3(32), args, 0, 0); }\n");
  ASSERT_EQ(P.kernel().Launches.size(), 1u);
  EXPECT_TRUE(P.kernel().Launches[0].Cooperative);
}
TEST(Launches, positiveArguments) {
  Parsed P = parseSnippet(
      "__global__ void k(float *A, int n, int m) {}\n"
      "void f(float *A, int q) { k<<<1, 32>>>(A, 4 * 1024, q); }\n");
  const auto &A = P.kernel().Launches.at(0).Arguments;
  EXPECT_EQ(A.at("n"), 4096);
  EXPECT_EQ(A.count("m"), 0u);
}
TEST(Launches, positiveComment) {
  EXPECT_EQ(
      launches(parseSnippet("// catt: launch(grid=320, block=32x8, shared=64)\n"
                            "__global__ void k() {}\n")
                   .kernel()),
      "320x1x1:32x8x1:64");
}
TEST(Launches, positiveTemplate) {
  Parsed P = parseSnippet(
      "template <class T, int B> __global__ void k(T *A) {}\n"
      "template <int B> void f(float *A) { k<float, B><<<2, B>>>(A); }\n"
      "void g(float *A) { f<64>(A); f<128>(A); }\n");
  ASSERT_EQ(P.Kernels.size(), 2u);
  EXPECT_EQ(launches(P.kernel("k<float, 128>")), "2x1x1:128x1x1");
  EXPECT_EQ(launches(P.kernel("k<float, 64>")), "2x1x1:64x1x1");
}

TEST(Launches, negativeArgument) {
  EXPECT_EQ(
      launches("void f(float *A, int threads) { k<<<1, threads>>>(A, 1); }"),
      "1x1x1:?x1x1");
}
TEST(Launches, negativeAssignedTwice) {
  EXPECT_EQ(launches("bool c(); void f(float *A) { int t = 64; if (c()) t = "
                     "128; k<<<1, t>>>(A, 1); }"),
            "1x1x1:?x1x1");
}
TEST(Launches, negativeChangesInALoop) {
  EXPECT_EQ(launches("void f(float *A) { for (int t = 32; t < 512; t *= 2) "
                     "k<<<1, t>>>(A, 1); }"),
            "1x1x1:?x1x1");
}
TEST(Launches, negativeReadAtRunTime) {
  EXPECT_EQ(launches("int atoi(const char *); void f(float *A, char **v) { int "
                     "t = atoi(v[1]); k<<<t, t>>>(A, 1); }"),
            "?x1x1:?x1x1");
}
TEST(Launches, negativeCommentWithoutBlock) {
  Parsed P =
      parseSnippet("// catt: launch(grid=320)\n__global__ void k() {}\n");
  EXPECT_TRUE(P.kernel().Launches.empty());
  ASSERT_EQ(P.Problems.size(), 1u);
  EXPECT_EQ(P.Problems[0].Where.Line, 1u);
}
TEST(Launches, negativeNobodyLaunches) {
  EXPECT_EQ(launches("void f() {}"), "");
}

} // namespace
