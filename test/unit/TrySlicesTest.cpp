//===- TrySlicesTest.cpp - Tests of launches in parts ---------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TrialTesting.h"

namespace catt {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TrialBench sliced(const std::string &Code) {
  TrialBench B(Code);
  B.R.Kernels[0].Plan.InSlices = true;
  return B;
}

/// What stands against parts of the grid alone.
std::vector<std::string> againstParts(const std::string &Code) {
  return against(Code, /*InSlices=*/true);
}

/// The kernel with another statement in its body, and what stands above it.
std::string asking(const std::string &Above, const std::string &Statement) {
  return Above +
         code("k<<<9, 256>>>(A, A, 3);",
              "for (int j = 0; j < m; ++j)\n    s += A[i * m + j];\n  " +
                  Statement);
}

//===-- What is written ---------------------------------------------------===//

TEST(TrySlices, PositiveAWholeFile) {
  const std::string New =
      sliced(code("k<<<n / 256, 256>>>(A, A, 3);")).checked();
  EXPECT_THAT(New, HasSubstr("#include <catt/slices.h>"));
  EXPECT_THAT(
      New,
      HasSubstr(R"cu(// catt: try-launches(kernels): two kernels with one body
template <bool cattTried>
static __device__ __forceinline__ void
cattBody_k(uint3 blockIdx, dim3 gridDim, const float *A, float *y, int m);
template <bool cattTried>
static __global__ void cattPart_k(uint3 cattFirst, dim3 cattGrid,
                                  const float *A, float *y, int m) {
  cattBody_k<cattTried>({blockIdx.x + cattFirst.x, blockIdx.y + cattFirst.y,
                         blockIdx.z + cattFirst.z},
                        cattGrid, A, y, m);
} // catt: done
)cu"));
  EXPECT_THAT(New, HasSubstr(R"cu(
__global__ void k(const float *A, float *y, int m) {
// catt: try-launches(kernels): as it was written
  cattBody_k<false>(blockIdx, gridDim, A, y, m);
}
)cu"));
  EXPECT_THAT(New, HasSubstr(R"cu(
    static catt::Trials cattTrials("kernel.cu:k");
    for (catt::Slices cattSlices(cattTrials, n / 256, 256);
         cattSlices.next();) // catt: begin
)cu"));
  EXPECT_THAT(New, HasSubstr("(cattSlices.changed() ? cattPart_k<true> : "
                             "cattPart_k<false>)"));
  EXPECT_THAT(New, HasSubstr("<<</* catt: try-launches(part) was: n / 256 */ "
                             "cattSlices.grid() /* catt: done */, 256>>>("));
  EXPECT_THAT(New, HasSubstr("cattSlices.first(), cattSlices.whole(), "));
}

TEST(TrySlices, PositiveATemplate) {
  std::string Code = code("k<float, 3><<<9, 256>>>(A, A, 3);");
  Code.insert(0, "template <class T, int N>\n");
  EXPECT_REWRITE(
      sliced(Code),
      AllOf(HasSubstr("template <bool cattTried, class T, int N>\n"
                      "static __global__ void cattPart_k("),
            HasSubstr("(cattSlices.changed() ? cattPart_k<true, float, 3> : "
                      "cattPart_k<false, float, 3>)")));
}

TEST(TrySlices, PositiveGridsBlocksAndStreams) {
  for (auto [Launch, Said] :
       {std::pair("k<<<dim3(n, 2), dim3(32, 8), 0, on>>>(A, A, 3);",
                  "(cattTrials, dim3(n, 2), dim3(32, 8), on);"),
        std::pair("int two[2] = {}; struct { int n; } s = {};\n"
                  "  k<<<n, 64, 0, on>>>(A, A, two[n] + s.n);",
                  "(cattTrials, n, 64, on);"),
        std::pair("k<<<n, 100>>>(A, A + 1, n * 3);", "(cattTrials, n, 100);")})
    EXPECT_REWRITE(sliced(code(Launch)), HasSubstr(Said));
}

TEST(TrySlices, PositiveAGridThatAMacroEnds) {
  EXPECT_REWRITE(
      sliced("#define BLOCK 256\n" +
             code("k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(A, A, 3);")),
      HasSubstr("was: (n + BLOCK - 1) / BLOCK */ cattSlices.grid()"));
}

TEST(TrySlices, PositiveTilesThatLaunchesAskFor) {
  StageBench B = launchedWith("n");
  B.R.Kernels[0].Plan.ByTrials = B.R.Kernels[0].Plan.InSlices = true;
  EXPECT_REWRITE(
      B, AllOf(HasSubstr("cattSlices(cattTrials, 9, 256, nullptr, n >= 32);"),
               HasSubstr("(cattSlices.changed() ? cattPart_k<true> : "
                         "cattPart_k<false>)"),
               HasSubstr("cattShared(cattPart_k<true>, 0, cattSlices.changed() "
                         "? 17408 : 0)")));
}

TEST(TrySlices, PositiveFunctionsThatAskForTheThreadAlone) {
  EXPECT_REWRITE(
      sliced(asking("__device__ int lane() { return threadIdx.x % 32; }\n",
                    "s += lane() + blockIdx.x + gridDim.x + clock();")),
      HasSubstr("cattSlices.next()"));
}

TEST(TrySlices, PositiveNamesThatAreTaken) {
  EXPECT_REWRITE(
      sliced(with("float s = 0;",
                  "float s = 0, cattFirst = 0, cattSlices = cattFirst;")),
      AllOf(HasSubstr("uint3 cattFirst2, dim3 cattGrid,"),
            HasSubstr("cattSlices2.next()")));
}

//===-- What is not -------------------------------------------------------===//

TEST(TrySlices, NegativeWhoElseAsksForTheBlock) {
  EXPECT_THAT(
      againstParts(asking("__device__ int own() { return blockIdx.x; }\n",
                          "s += own();")),
      ElementsAre("'own' asks for blockIdx"));
  EXPECT_THAT(againstParts(asking("__device__ int own() { return gridDim.y; }\n"
                                  "template <class T> __device__ T of() {\n"
                                  "  return own();\n}\n",
                                  "s += of<float>();")),
              ElementsAre("'own' asks for gridDim"));
  EXPECT_THAT(againstParts(asking("struct Own {\n  int b;\n"
                                  "  __device__ Own() : b(blockIdx.x) {}\n};\n",
                                  "Own o; s += o.b;")),
              ElementsAre("'Own' asks for blockIdx"));
  EXPECT_THAT(againstParts(asking("", "s += [] { return blockIdx.x; }();")),
              ElementsAre("a lambda asks for blockIdx"));
  EXPECT_THAT(againstParts(asking("", "s += ::blockIdx.x;")),
              ElementsAre("'::blockIdx' would be the launch's own"));
}

TEST(TrySlices, NegativeAssembly) {
  EXPECT_THAT(
      againstParts(asking("", "unsigned b;\n"
                              "  asm(\"mov.u32 %0, %%ctaid.x;\" : \"=r\"(b));\n"
                              "  s += b;")),
      ElementsAre("assembly asks for the block or the grid"));
}

TEST(TrySlices, NegativeNamesOfItsOwn) {
  EXPECT_THAT(againstParts(asking("", "int gridDim = 3; s += gridDim;")),
              ElementsAre("'gridDim' is the kernel's own"));
}

TEST(TrySlices, NegativeBlocksThatWait) {
  TrialBench B(code(), "try-launches");
  B.R.Kernels[0].Plan.InSlices = true;
  B.R.Kernels[0].Source.Waits.push_back(
      {Reason::WarpsCommunicate, B.R.Kernels[0].Source.Where, "a flag"});
  EXPECT_REFUSED(B, Reason::CannotSlice);
}

TEST(TrySlices, NegativeLaunchesThatMayNotBeRepeated) {
  EXPECT_THAT(againstParts(code("k<<<9, n++>>>(A, A, 3);")),
              ElementsAre("the block of a launch may not be read twice"));
  for (const char *Launch :
       {"k<<<9, 256>>>(A, A, n++);", "k<<<9, 256>>>(A++, A, 3);",
        "k<<<9, 256>>>(A, A, (int)*A);", "k<<<9, 256>>>(A, A, (int)A[n]);",
        "k<<<9, 256, n++>>>(A, A, 3);", "k<<<9, 256, 0, all[n]>>>(A, A, 3);",
        "int &r = n; k<<<9, 256>>>(A, A, r);",
        "struct S { int n; } s, *p = &s; k<<<9, 256>>>(A, A, p->n);"})
    EXPECT_THAT(againstParts(code(Launch)),
                ElementsAre("what a launch is given may change while it runs"))
        << Launch;
}

TEST(TrySlices, NegativeWholeLaunchesAreTriedThen) {
  TrialBench B(code("k<<<9, 256>>>(A, A, n++);"));
  KernelReport &K = B.R.Kernels[0];
  K.Plan.InSlices = true;
  const Edits E = B.edits();
  ASSERT_EQ(E.Shortfalls.size(), 1U);
  EXPECT_TRUE(E.Shortfalls[0].By->giveUp(K, E.Shortfalls[0]));
  EXPECT_FALSE(K.May.Slices);
  EXPECT_TRUE(K.May.Trials);
}

} // namespace
} // namespace catt
