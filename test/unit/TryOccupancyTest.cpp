//===- TryOccupancyTest.cpp - Tests of transforms/TryOccupancy ------------===//
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
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

/// Kernel k, whose launches may try 5 and 6 blocks, and fewer.
struct LevelBench : SnippetBench {
  explicit LevelBench(const std::string &Code,
                      std::vector<int64_t> More = {5, 6})
      : SnippetBench(Code, "try-occupancy") {
    R.Kernels[0].Levels = LevelPlan{/*MoreFirst=*/true, std::move(More), 256};
  }
};

std::vector<std::string> againstLevels(const std::string &Code) {
  LevelBench B(Code);
  std::vector<std::string> Out;
  for (const Refusal &R : B.edits().Refused)
    Out.push_back(R.Detail);
  return Out;
}

//===-- What is written ---------------------------------------------------===//

TEST(TryOccupancy, PositiveAWholeFile) {
  const std::string New =
      LevelBench(code("k<<<n / 256, 256, 64, on>>>(A, A, 3);")).checked();
  EXPECT_THAT(
      New,
      StartsWith(R"cu(// catt: try-occupancy(kernels): two kernels with one body
static __device__ __forceinline__ void cattBody_k(const float *A, float *y,
                                                  int m);
template <int cattBlocks>
static __global__ void __launch_bounds__(256, cattBlocks)
    cattMore_k(const float *A, float *y, int m) {
  cattBody_k(A, y, m);
} // catt: done
)cu"));
  EXPECT_THAT(New, HasSubstr("#include <catt/levels.h>"));
  EXPECT_THAT(New, HasSubstr(R"cu(
__global__ void k(const float *A, float *y, int m) {
// catt: try-occupancy(kernels): as it was written
  cattBody_k(A, y, m);
}
)cu"));
  EXPECT_THAT(New, HasSubstr(R"cu(
    static catt::Levels cattLevels("kernel.cu:k", catt::Levels::First::More);
    catt::Level cattLevel(cattLevels, n / 256, 256, 64, on, k,
                          {cattMore_k<5>, cattMore_k<6>}); // catt: begin
)cu"));
  EXPECT_THAT(New, HasSubstr("was: k */ cattLevel.kernel() /* catt: done */"
                             "<<<n / 256, 256, /* catt: "
                             "try-occupancy(level) was: 64 */ "
                             "cattLevel.shared() /* catt: done */, on>>>"));
}

TEST(TryOccupancy, PositiveFewerAloneWhereThereCanBeNoCopies) {
  const std::string Bounds = "__global__ void __launch_bounds__(256)";
  for (const std::string &Code :
       {with("__global__ void", Bounds),
        "#define KERNEL __global__ void\n" + with("__global__ void", "KERNEL"),
        with("int m) {", "int m = 3) {")})
    EXPECT_REWRITE(LevelBench(Code),
                   AllOf(HasSubstr("catt::Levels::First::Fewer);"),
                         HasSubstr("cattLevel(cattLevels, 9, 256, 0, nullptr, "
                                   "k);"),
                         Not(HasSubstr("cattBody_k"))));
  EXPECT_REWRITE(LevelBench(code(), {}), Not(HasSubstr("cattMore_k")));
}

TEST(TryOccupancy, PositiveATemplate) {
  std::string Code = code("k<float, 3><<<9, 256>>>(A, A, 3);");
  Code.insert(0, "template <class T, int N>\n");
  EXPECT_REWRITE(
      LevelBench(Code),
      AllOf(HasSubstr("template <int cattBlocks, class T, int N>\nstatic"),
            HasSubstr("{cattMore_k<5, float, 3>, cattMore_k<6, float, 3>}"),
            HasSubstr("cattBody_k<T, N>(A, y, m);")));
}

TEST(TryOccupancy, PositiveOddBlocksAndLaunches) {
  for (auto [Launch, Said] :
       {std::pair("k<<<dim3(n, 2), dim3(10, 10)>>>(A, A, 3);",
                  "(cattLevels, dim3(n, 2), dim3(10, 10), 0, nullptr, k,"),
        std::pair("if (n) k<<<9, 100, n * 4>>>(A++, A, n++); else next();",
                  "(cattLevels, 9, 100, n * 4, nullptr, k,"),
        std::pair("for (;;) { k<<<9, n>>>(A, A, 3); k<<<n, 32>>>(A, A, n); }",
                  "cattLevels(\"kernel.cu:k#2\"")})
    EXPECT_REWRITE(LevelBench(code(Launch)), HasSubstr(Said));
}

TEST(TryOccupancy, PositiveMacrosInALaunch) {
  EXPECT_REWRITE(LevelBench("#define BLOCK 256\n#define BYTES 64\n" +
                            code("k<<<n / BLOCK, BLOCK, BYTES>>>(A, A, 3);")),
                 HasSubstr("(cattLevels, n / BLOCK, BLOCK, BYTES, nullptr, k"));
}

TEST(TryOccupancy, PositiveNamesThatAreTaken) {
  EXPECT_REWRITE(
      LevelBench(with("float s = 0;",
                      "float s = 0, cattBlocks = 0, cattLevel = cattBlocks;")),
      AllOf(HasSubstr("template <int cattBlocks2>"),
            HasSubstr("cattLevel2(cattLevels, 9,")));
}

//===-- What is not -------------------------------------------------------===//

TEST(TryOccupancy, NegativeNothingIsPlanned) {
  LevelBench B(code());
  B.R.Kernels[0].Levels.reset();
  EXPECT_REWRITE(B, code());
  EXPECT_THAT(B.edits().Refused, IsEmpty());
}

TEST(TryOccupancy, NegativeConfigurationsThatMayNotBeReadTwice) {
  for (const char *Launch :
       {"k<<<n++, 256>>>(A, A, 3);", "k<<<9, n++>>>(A, A, 3);",
        "k<<<9, 256, n++>>>(A, A, 3);", "k<<<9, 256, 0, all[n++]>>>(A, A, 3);"})
    EXPECT_THAT(againstLevels(code(Launch)),
                ElementsAre("what a launch is configured with may not be read "
                            "twice"))
        << Launch;
}

TEST(TryOccupancy, NegativeLaunchesThatAreNoStatements) {
  for (const char *Launch :
       {"(k<<<9, 256>>>(A, A, 3), next());", "return k<<<9, 256>>>(A, A, 3);"})
    EXPECT_THAT(againstLevels(code(Launch)),
                ElementsAre("a launch is no statement of its own"));
}

TEST(TryOccupancy, NegativeMacros) {
  EXPECT_THAT(
      againstLevels("#define GO k<<<9, 256>>>(A, A, 3);\n" + code("GO")),
      Not(IsEmpty()));
  EXPECT_THAT(againstLevels("#define K k\n" + code("K<<<9, 256>>>(A, A, 3);")),
              Not(IsEmpty()));
}

TEST(TryOccupancy, NegativeKernelsThatAreUsedElsewhere) {
  for (const char *Use :
       {"cudaFuncSetAttribute(k, "
        "cudaFuncAttributePreferredSharedMemoryCarveout, 50);",
        "auto p = k; p<<<9, 256>>>(A, A, 3);"})
    EXPECT_THAT(
        againstLevels(code(std::string(Use) + " k<<<9, 256>>>(A, A, 3);")),
        ElementsAre("'k' is used where nothing is launched"));
}

TEST(TryOccupancy, NegativeBlocksThatWait) {
  LevelBench B(code());
  B.R.Kernels[0].Source.Waits.push_back(
      {Reason::WarpsCommunicate, B.R.Kernels[0].Source.Where, "a flag"});
  EXPECT_REFUSED(B, Reason::WarpsCommunicate);
}

TEST(TryOccupancy, NegativeLaunchedTogether) {
  LevelBench B(code());
  B.R.Kernels[0].Source.Launches[0].Cooperative = true;
  EXPECT_REFUSED(B, Reason::CooperativeLaunch);
}

TEST(TryOccupancy, NegativeASecondRun) {
  const std::string Once = LevelBench(code()).checked();
  LevelBench Again(Once);
  EXPECT_REWRITE(Again, Once);
}

} // namespace
} // namespace catt
