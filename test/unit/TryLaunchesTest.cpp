//===- TryLaunchesTest.cpp - Tests of transforms/TryLaunches --------------===//
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

//===-- What is written ---------------------------------------------------===//

TEST(TryLaunches, PositiveAWholeFile) {
  const std::string New = TrialBench(code()).checked();
  EXPECT_THAT(New, HasSubstr(R"cu(
// catt: try-launches(header): what its loops and launches call
#include <catt/trials.h> // catt: done
)cu"));
  EXPECT_THAT(
      New,
      StartsWith(R"cu(// catt: try-launches(kernels): two kernels with one body
template <bool cattTried>
static __device__ __forceinline__ void cattBody_k(const float *A, float *y,
                                                  int m);
static __global__ void cattTried_k(const float *A, float *y, int m) {
  cattBody_k<true>(A, y, m);
} // catt: done
)cu"));
  EXPECT_THAT(New, HasSubstr(R"cu(
__global__ void k(const float *A, float *y, int m) {
// catt: try-launches(kernels): as it was written
  cattBody_k<false>(A, y, m);
}
)cu"));
  EXPECT_THAT(New, HasSubstr("if (!cattTried || cattThreads >= blockDim.x) {"));
  EXPECT_THAT(New, HasSubstr(R"cu(
  // catt: try-launches(trial): as it was written, or as changed
  {
    static catt::Trials cattTrials("kernel.cu:k");
    catt::Trial cattTrial(cattTrials, 9); // catt: begin
  /* catt: try-launches(trial) was: k */ (cattTrial.changed() ? cattTried_k : k) /* catt: done */<<<9, 256>>>(A, A, 3);
  } // catt: end
  // catt: done
)cu"));
}

TEST(TryLaunches, PositiveGridsAndStreamsThatMayBeReadTwice) {
  for (auto [Launch, Said] :
       {std::pair("k<<<n / 256, 256, 0, on>>>(A, A, 3);", "n / 256, on);"),
        std::pair("k<<<dim3(n, 2), 256, 0, all[n]>>>(A, A, 3);",
                  "dim3(n, 2), all[n]);"),
        std::pair("k<<<n, 256, 0, 0>>>(A, A, 3);", "cattTrials, n, 0);"),
        std::pair("k<<<n, 256, next()>>>(A, A, 3);", "cattTrials, n);")})
    EXPECT_REWRITE(TrialBench(code(Launch)), HasSubstr(Said));
}

TEST(TryLaunches, PositiveEveryLaunchHasANameOfItsOwn) {
  EXPECT_REWRITE(TrialBench(code("k<<<9, 256>>>(A, A, 3);\n"
                                 "  k<<<n, 256>>>(A, A, n);")),
                 AllOf(HasSubstr("cattTrials(\"kernel.cu:k\");"),
                       HasSubstr("cattTrials(\"kernel.cu:k#2\");")));
}

TEST(TryLaunches, PositiveWhatTheModelDoubtsRunsAsItWas) {
  TrialBench B(code());
  B.R.Kernels[0].Plan.IsDoubtful = true;
  EXPECT_REWRITE(
      B, HasSubstr("cattTrials(\"kernel.cu:k\", catt::Choice::Original);"));
}

TEST(TryLaunches, PositiveStatementsInOthers) {
  for (const char *Launch : {"if (n) k<<<9, 256>>>(A, A, 3); else next();",
                             "while (n--) k<<<9, 256>>>(A, A, 3);",
                             "do k<<<9, 256>>>(A, A, 3); while (next());",
                             "switch (n) { case 1: k<<<9, 256>>>(A, A, 3); }",
                             "auto f = [&] { k<<<9, 256>>>(A, A, 3); }; f();"})
    EXPECT_REWRITE(TrialBench(code(Launch)),
                   HasSubstr("(cattTrial.changed() ? cattTried_k : k)"));
}

TEST(TryLaunches, PositiveATemplate) {
  std::string Code = code("k<float, 3><<<9, 256>>>(A, A, 3);");
  Code.insert(0, "template <class T, int N>\n");
  EXPECT_REWRITE(
      TrialBench(Code),
      AllOf(HasSubstr("template <bool cattTried, class T, int N>\nstatic"),
            HasSubstr("(cattTrial.changed() ? cattTried_k<float, 3> : "
                      "k<float, 3>)")));
}

TEST(TryLaunches, PositiveOddBlocks) {
  EXPECT_REWRITE(TrialBench(with("256>>>", "dim3(16, 16)>>>")),
                 HasSubstr("if (!cattTried || cattThreads >= blockDim.x * "
                           "blockDim.y) {"));
  EXPECT_REWRITE(TrialBench(with("256>>>", "100>>>")),
                 HasSubstr("if (!cattTried || cattThreads >= blockDim.x) {"));
}

TEST(TryLaunches, PositiveRegistersForTheBlockThatIsTried) {
  TrialBench B(code("k<<<9, 512>>>(A, A, 3);"));
  EXPECT_REWRITE(
      B, AllOf(HasSubstr("static __global__ void __launch_bounds__(512)"),
               HasSubstr("\n__global__ void k(const float *A")));
}

TEST(TryLaunches, PositiveTilesThatLaunchesAskFor) {
  StageBench B = launchedWith("n");
  B.R.Kernels[0].Plan.ByTrials = true;
  const std::string New = B.checked();
  EXPECT_THAT(New, AllOf(HasSubstr("if (cattTried && "),
                         HasSubstr("cattTrial(cattTrials, 9, nullptr, n >= 32)"
                                   ";")));
  EXPECT_THAT(New, HasSubstr("(cattTrial.changed() ? cattTried_k : k)"));
  EXPECT_THAT(New, HasSubstr("cattShared(cattTried_k, 0, cattTrial.changed() ? "
                             "17408 : 0)"));
}

TEST(TryLaunches, PositiveTilesOfTheKernelItself) {
  StageBench B(kernel(Usual));
  B.R.Kernels[0].Plan.ByTrials = true;
  EXPECT_REWRITE(B, AllOf(HasSubstr("if (cattTried && "),
                          HasSubstr("cattTrial(cattTrials, 9);")));
}

TEST(TryLaunches, PositiveNamesThatAreTaken) {
  EXPECT_REWRITE(
      TrialBench(with("float s = 0;",
                      "float s = 0, cattTried = 0, cattTrial = cattTried;")),
      AllOf(HasSubstr("template <bool cattTried2>"),
            HasSubstr("cattTrial2(cattTrials, 9);")));
}

TEST(TryLaunches, PositiveTheHeaderIsThereAlready) {
  EXPECT_REWRITE(TrialBench("#include <catt/trials.h>\n" + code()),
                 Not(HasSubstr("try-launches(header)")));
}

//===-- What is not -------------------------------------------------------===//

TEST(TryLaunches, NegativeNothingIsPlanned) {
  TrialBench B(code(), "try-launches");
  B.R.Kernels[0].Plan.ByTrials = false;
  EXPECT_REWRITE(B, code());
  EXPECT_THAT(B.edits().Refused, IsEmpty());
}

TEST(TryLaunches, NegativeALaunchThatIsNoStatement) {
  for (const char *Launch : {"(k<<<9, 256>>>(A, A, 3), next());",
                             "for (; n; k<<<9, 256>>>(A, A, 3)) break;",
                             "n ? k<<<9, 256>>>(A, A, 3) : void();",
                             "return k<<<9, 256>>>(A, A, 3);",
                             "[&] { return k<<<9, 256>>>(A, A, 3); }();"})
    EXPECT_THAT(against(code(Launch)),
                ElementsAre("a launch is no statement of its own"))
        << Launch;
}

TEST(TryLaunches, NegativeMacros) {
  EXPECT_THAT(against("#define GO k<<<9, 256>>>(A, A, 3);\n" + code("GO")),
              Not(IsEmpty()));
  EXPECT_THAT(against("#define K k\n" + code("K<<<9, 256>>>(A, A, 3);")),
              ElementsAre("a kernel whose name a macro writes"));
  EXPECT_THAT(against("#define WITH (A, A, 3)\n" + code("k<<<9, 256>>>WITH;")),
              Not(IsEmpty()));
  EXPECT_THAT(against("#define END ;\n" + code("k<<<9, 256>>>(A, A, 3) END")),
              ElementsAre("a launch is no statement of its own"));
  EXPECT_THAT(against("#define KERNEL __global__ void\n" +
                      with("__global__ void", "KERNEL")),
              ElementsAre("a macro says __global__"));
}

TEST(TryLaunches, NegativeGridsAndStreamsThatAreCalls) {
  for (const char *Launch : {"k<<<next(), 256>>>(A, A, 3);",
                             "k<<<9, 256, 0, all[next()]>>>(A, A, 3);"})
    EXPECT_THAT(
        against(code(Launch)),
        ElementsAre("calls next(), whose body is not in sight and which "
                    "may select another device"));
  EXPECT_THAT(against(code("k<<<n++, 256>>>(A, A, 3);")),
              ElementsAre("the grid of a launch may not be read twice"));
  EXPECT_THAT(against(code("k<<<9, 256, 0, all[n++]>>>(A, A, 3);")),
              ElementsAre("the stream of a launch may not be read twice"));
}

TEST(TryLaunches, NegativeALaunchInFrontOfTheKernel) {
  EXPECT_THAT(
      against("__global__ void k(const float *A, float *y, int m);\n"
              "static void first(float *A) { k<<<9, 256>>>(A, A, 3); }\n" +
              code()),
      ElementsAre("a launch does not stand behind the kernel in each way that "
                  "the file is compiled"));
}

TEST(TryLaunches, NegativeOneOfSeveralLaunches) {
  EXPECT_THAT(against(code("k<<<9, 256>>>(A, A, 3);\n"
                           "  k<<<n++, 256>>>(A, A, 3);")),
              ElementsAre("the grid of a launch may not be read twice"));
}

TEST(TryLaunches, NegativeTheKernelsHead) {
  for (const char *Head :
       {"__global__ /* rows */ void k", "__global__ void // rows\nk"})
    EXPECT_THAT(against(with("__global__ void k", Head)),
                ElementsAre("comments, directives or other code stand in the "
                            "kernel's head"));
}

TEST(TryLaunches, NegativeALoopOfAnotherFunction) {
  EXPECT_THAT(against("__device__ float sum(const float *A, int m, int i) {\n"
                      "  float s = 0;\n"
                      "  for (int j = 0; j < m; ++j)\n    s += A[i * m + j];\n"
                      "  return s;\n}\n" +
                      code("k<<<9, 256>>>(A, A, 3);", "s = sum(A, m, i);")),
              ElementsAre("a loop that is split stands in another function"));
}

TEST(TryLaunches, NegativeWhatALambdaCannotHold) {
  EXPECT_THAT(against(code("k<<<9, 256>>>(A, A, 3);",
                           "struct P { int a, b; };\n"
                           "  auto [a, b] = P{i, m};\n"
                           "  for (int j = 0; j < b; ++j) s += A[a * m + j];")),
              ElementsAre("a lambda cannot hold the statements around a loop"));
}

TEST(TryLaunches, NegativeValuesThatMove) {
  TrialBench B(code(), "try-launches");
  B.R.Kernels[0].Spill.emplace();
  EXPECT_REFUSED(B, Reason::CannotTry);
}

TEST(TryLaunches, NegativeBoundsThatDoNotCoverTheLaunch) {
  StageBench B(with("__global__ void", "__global__ void __launch_bounds__(128)",
                    kernel(Usual, "512")));
  B.R.Kernels[0].Plan.ByTrials = true;
  B.Rewriting.Transforms = {"try-launches"};
  EXPECT_REFUSED(B, Reason::CannotTry);
}

} // namespace
} // namespace catt
