//===- KernelVersionsTest.cpp - Tests of transforms/KernelVersions --------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "StageTesting.h"

namespace catt {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// The usual kernel with one text in place of another, launched with rows whose
/// length the host function is told.
StageBench with(const std::string &Old, const std::string &New) {
  std::string Code = kernel(Usual);
  const size_t At = Code.find(Old);
  EXPECT_NE(At, std::string::npos) << Old;
  return launchedWith("n", Code.replace(At, Old.size(), New));
}

//===-- What is written ---------------------------------------------------===//

TEST(KernelVersions, PositiveAWholeKernel) {
  const std::string New = launchedWith("n").checked();
  EXPECT_THAT(New,
              ::testing::StartsWith(
                  R"cu(// catt: stage-rows(kernels): two kernels with one body
template <bool cattLong>
static __device__ __forceinline__ void
cattBody_k(const float *A, const float *__restrict__ B, float *y, int m);
static __global__ void cattRows_k(const float *A, const float *__restrict__ B,
                                  float *y, int m) {
  cattBody_k<true>(A, B, y, m);
} // catt: done
)cu"));
  EXPECT_THAT(New, HasSubstr(R"cu(
__global__ void k(const float *A, const float *__restrict__ B, float *y, int m) {
// catt: stage-rows(kernels): of short rows
  cattBody_k<false>(A, B, y, m);
}
template <bool cattLong>
static __device__ __forceinline__ void
cattBody_k(const float *A, const float *__restrict__ B, float *y, int m) { // catt: done
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  // catt: stage-rows(16): the warp loads the rows of its lanes together
  if (cattLong && blockDim.x <= 256 && )cu"));
  EXPECT_THAT(New, HasSubstr(R"cu(
  // catt: done
  y[i] = s;
}
)cu"));
  EXPECT_THAT(New, HasSubstr("  /* catt: stage-rows(tiles) was: k */ "
                             "(n >= 32 ? cattRows_k : k) /* catt: done */"
                             "<<<9, 256/* catt: stage-rows(tiles) */ , "
                             "cattShared(cattRows_k, 0, n >= 32 ? 17408 : 0) "
                             "/* catt: done */ >>>(A, A, A, n);"));
}

TEST(KernelVersions, PositiveALengthThatIsASum) {
  EXPECT_REWRITE(launchedWith("n + 1"),
                 HasSubstr("((n + 1) >= 32 ? cattRows_k : k)"));
}

TEST(KernelVersions, PositiveRegistersForTheLargestBlock) {
  StageBench B = launchedWith("n");
  EXPECT_THAT(B.checked(), Not(HasSubstr("__launch_bounds__")));
  B.R.Kernels[0].Source.Launches[0].Block.X = 512;
  EXPECT_REWRITE(
      B, AllOf(HasSubstr("static __global__ void __launch_bounds__(512)"),
               HasSubstr("\n__global__ void k(const float *A")));
  B.R.Kernels[0].Source.Launches[0].Block.X.reset();
  EXPECT_REWRITE(B,
                 HasSubstr("static __global__ void __launch_bounds__(1024)"));
  B.R.Cuda = {"/usr/local/cuda", "13.0"};
  EXPECT_REWRITE(B, HasSubstr("static __global__ void __maxnreg__(64)"));
}

TEST(KernelVersions, PositiveRegistersOfBothWhereALoopIsDivided) {
  StageBench B = launchedWith("n", kernel(std::string(Usual) +
                                          "  for (int q = 0; q < m; ++q)\n"
                                          "    s += A[q * m + i];\n"));
  KernelReport &K = B.R.Kernels[0];
  K.Source.Launches[0].Block.X = 512;
  K.Plan.Versions.resize(1);
  K.Plan.Versions[0].BoundThreads = 1024;
  LoopPlan &P = K.Plan.Loops.emplace_back();
  P.Loop = 1;
  P.Groups = 2;
  P.WarpsPerGroup = 8;
  B.Rewriting.Transforms = {"split-warp-groups", "stage-rows"};
  EXPECT_REWRITE(
      B, AllOf(HasSubstr("static __global__ void __launch_bounds__(512)"),
               HasSubstr("split-warp-groups(bounds)"),
               HasSubstr("cattBody_k<false>(A, B, y, m);")));
}

TEST(KernelVersions, NegativeBoundsThatDoNotCoverTheLaunch) {
  StageBench B =
      with("__global__ void", "__global__ void __launch_bounds__(128)");
  B.R.Kernels[0].Source.Launches[0].Block.X = 512;
  EXPECT_THAT(B.checked(), Not(HasSubstr("cattRows_k")));
}

TEST(KernelVersions, PositiveATemplate) {
  std::string Code = kernel(Usual);
  Code.insert(0, "template <class T, int N>\n");
  Code.replace(Code.find("k<<<"), 1, "k<float, 3>");
  EXPECT_REWRITE(
      launchedWith("n", Code),
      AllOf(HasSubstr("template <bool cattLong, class T, int N>\nstatic"),
            HasSubstr("  cattBody_k<false, T, N>(A, B, y, m);\n"),
            HasSubstr("\ntemplate <class T, int N>\n"
                      "static __global__ void cattRows_k("),
            HasSubstr("(n >= 32 ? cattRows_k<float, 3> : k<float, 3>)")));
}

TEST(KernelVersions, PositiveANamespace) {
  std::string Code = kernel(Usual);
  Code.insert(0, "namespace a {\n");
  Code.insert(Code.find("static void host"), "}\n");
  Code.replace(Code.find("k<<<"), 1, "a::k");
  EXPECT_REWRITE(launchedWith("n", Code),
                 AllOf(::testing::StartsWith("// catt: stage-rows(kernel)"),
                       HasSubstr("namespace a {\n// catt: stage-rows(kernels)"),
                       HasSubstr("(n >= 32 ? a::cattRows_k : a::k)")));
}

TEST(KernelVersions, PositiveAKernelDirectlyBehindAnother) {
  std::string Code = kernel(Usual);
  Code.insert(Code.find("static void host"), "__global__ void other() {}\n");
  EXPECT_REWRITE(launchedWith("n", Code),
                 HasSubstr("\n}\n__global__ void other() {}\n"));
}

TEST(KernelVersions, PositiveACarveoutIsForTheOneWithTiles) {
  StageBench B = launchedWith("n");
  B.R.Kernels[0].Plan.CarveoutPercent = 85;
  B.Rewriting.Transforms = {"prefer-l1", "stage-rows"};
  EXPECT_REWRITE(B, HasSubstr("cattPreferL1(cattRows_k, cattShared(cattRows_k, "
                              "0, n >= 32 ? 17408 : 0), 85)"));
}

TEST(KernelVersions, NegativeACarveoutForShortRowsOfOneKernel) {
  std::string Code = kernel(Usual);
  Code.replace(Code.find("__global__"), 10, "extern \"C\" __global__");
  StageBench B = launchedWith("n", Code);
  B.R.Kernels[0].Plan.CarveoutPercent = 85;
  B.Rewriting.Transforms = {"prefer-l1", "stage-rows"};
  EXPECT_REWRITE(B, HasSubstr("cattPreferL1(k, cattShared(k, 0, n >= 32 ? "
                              "17408 : 0), n >= 32 ? 85 : -1)"));
}

TEST(KernelVersions, PositiveBoundsAreForBoth) {
  EXPECT_REWRITE(
      with("__global__ void k",
           "static __global__ void __launch_bounds__(256, 2) k"),
      HasSubstr("\nstatic __global__ void __launch_bounds__(256, 2)\n"
                "    cattRows_k("));
}

TEST(KernelVersions, PositiveNamesThatAreTaken) {
  EXPECT_REWRITE(with("float s = 0;", "float s = 0, cattLong = 0, cattRows_k;"),
                 AllOf(HasSubstr("template <bool cattLong2>"),
                       HasSubstr("? cattRows_k2 : k)")));
}

TEST(KernelVersions, PositiveTwoDimensions) {
  std::string Code = kernel(Usual, "dim3(16, 16)");
  EXPECT_REWRITE(launchedWith("n", Code),
                 HasSubstr("if (cattLong && blockDim.x * blockDim.y"));
}

//===-- One kernel, whose loop has two versions ---------------------------===//

MATCHER(staysOneKernel, "") {
  return arg.find("cattRows_") == std::string::npos &&
         arg.find("cattShared(k, 0, n >= 32 ? 17408 : 0)") != std::string::npos;
}

TEST(KernelVersions, NegativeAVariableThatOutlivesALaunch) {
  EXPECT_REWRITE(
      with("float s = 0;", "static int calls;\n  float s = ++calls;"),
      staysOneKernel());
}

TEST(KernelVersions, NegativeTheFunctionsName) {
  EXPECT_REWRITE(with("float s = 0;", "float s = sizeof __func__;"),
                 staysOneKernel());
}

/// A kernel that calls sum(), which adds up a row; Before and Behind stand
/// around its definition.
std::string calling(llvm::StringRef Before, llvm::StringRef Behind = "",
                    llvm::StringRef Body = "float s = 0;",
                    llvm::StringRef Call = "sum(A + i * m, m)") {
  std::string Code =
      (Before + "__device__ float sum(const float *row, int m) {\n  " + Body +
       "\n  for (int j = 0; j < m; ++j)\n    s += row[j];\n  return s;\n}\n" +
       Behind)
          .str();
  return launchedWith("n", Code + kernel(("  s = " + Call + ";\n").str()))
      .checked();
}

TEST(KernelVersions, PositiveALoopOfAnotherFunction) {
  EXPECT_THAT(
      calling("// Of a row.\n"),
      AllOf(HasSubstr("// Of a row.\n"
                      "// catt: stage-rows(kernels): called by both\n"
                      "template <bool cattLong> // catt: done\n"
                      "__device__ float sum(const float *row, int m) {\n"),
            HasSubstr("if (cattLong && blockDim.x <= 256"),
            HasSubstr("sum/* catt: stage-rows(kernels) */ <cattLong> "
                      "/* catt: done */ (A + i * m, m);"),
            HasSubstr("n >= 32 ? cattRows_k : k")));
}

TEST(KernelVersions, PositiveALoopOfAFunctionInANamespace) {
  EXPECT_THAT(calling("namespace rows {\n", "}\n", "float s = 0;",
                      "rows::sum(A + i * m, m)"),
              AllOf(HasSubstr("template <bool cattLong>"),
                    HasSubstr("rows::sum/* catt: stage-rows(kernels) */ "
                              "<cattLong>"),
                    HasSubstr("cattRows_k")));
}

TEST(KernelVersions, PositiveALoopOfATemplate) {
  const std::string Code =
      "template <typename T>\n__device__ T sum(const T *row, int m) {\n"
      "  T s = 0;\n  for (int j = 0; j < m; ++j)\n    s += row[j];\n"
      "  return s;\n}\n";
  for (const char *Call : {"sum", "sum<float>"}) {
    const std::string New =
        launchedWith("n", Code + kernel("  s = " + std::string(Call) +
                                        "(A + i * m, m);\n"))
            .checked();
    EXPECT_THAT(New, AllOf(HasSubstr("bool cattLong, "),
                           HasSubstr("T *const cattRow_row = (T *)(cattTiles"),
                           HasSubstr("cattRows_k")));
    EXPECT_EQ(llvm::StringRef(New).contains("<cattLong>"), Call[3] == 0);
  }
}

TEST(KernelVersions, PositiveAFunctionThatOthersCall) {
  EXPECT_THAT(
      calling("", "__global__ void other(float *A) { A[0] = sum(A, 7); }\n"),
      AllOf(HasSubstr("// catt: stage-rows(kernels): its calls choose\n"
                      "template <bool cattLong = false> // catt: done\n"),
            HasSubstr("{ A[0] = sum(A, 7); }"),
            HasSubstr("sum/* catt: stage-rows(kernels) */ <cattLong> "
                      "/* catt: done */ (A + i * m, m);")));
}

TEST(KernelVersions, PositiveAFunctionThatIsCalledTwice) {
  const std::string New =
      calling("", "", "float s = 0;", "sum(A + i * m, m) - sum(B + i * m, m)");
  EXPECT_EQ(llvm::StringRef(New).count("/* catt: stage-rows(kernels) */ "
                                       "<cattLong> "),
            2u);
  EXPECT_EQ(llvm::StringRef(New).count("if (cattLong"), 1u);
}

/// It has the flag of the kernel's body.
TEST(KernelVersions, PositiveALambda) {
  EXPECT_THAT(
      launchedWith("n", kernel("  auto sum = [&](const float *row) {\n"
                               "    float t = 0;\n"
                               "    for (int j = 0; j < m; ++j)\n"
                               "      t += row[j];\n    return t;\n  };\n"
                               "  s = sum(A + i * m);\n"))
          .checked(),
      AllOf(HasSubstr("    if (cattLong && blockDim.x <= 256"),
            HasSubstr("t += cattRow_row[j - cattFrom];"),
            HasSubstr("s = sum(A + i * m);"),
            HasSubstr("n >= 32 ? cattRows_k : k")));
}

TEST(KernelVersions, NegativeFunctionsThatAreNoTemplates) {
  EXPECT_THAT(calling("__device__ float sum(const float *row, int m);\n"),
              staysOneKernel());
  EXPECT_THAT(calling("extern \"C\" "), staysOneKernel());
  EXPECT_THAT(calling("", "", "float s = sizeof __func__;"), staysOneKernel());
  EXPECT_THAT(
      calling("", "#define SUM sum\n", "float s = 0;", "SUM(A + i * m, m)"),
      staysOneKernel());
}

TEST(KernelVersions, NegativeAnOperator) {
  const std::string Code = "struct Row { const float *p; };\n"
                           "__device__ float operator%(Row row, int m) {\n"
                           "  float s = 0;\n  for (int j = 0; j < m; ++j)\n"
                           "    s += row.p[j];\n  return s;\n}\n" +
                           kernel("  s = Row{A + i * m} % m;\n");
  EXPECT_THAT(launchedWith("n", Code).checked(), Not(HasSubstr("cattRows_k")));
}

TEST(KernelVersions, NegativeAFunctionThatAnotherOneCalls) {
  EXPECT_THAT(calling("",
                      "__device__ float half(const float *row, int m) {\n"
                      "  return sum(row, m) / 2;\n}\n",
                      "float s = 0;", "half(A + i * m, m)"),
              staysOneKernel());
}

TEST(KernelVersions, NegativeLinkageOfC) {
  EXPECT_REWRITE(with("__global__", "extern \"C\" __global__"),
                 staysOneKernel());
}

TEST(KernelVersions, NegativeDefaultArguments) {
  EXPECT_REWRITE(with("int m)", "int m = 3)"), staysOneKernel());
}

TEST(KernelVersions, NegativeParametersWithoutAName) {
  EXPECT_REWRITE(with("const float *__restrict__ B", "const float *"),
                 staysOneKernel());
}

/// With a parameter of a class that is made from a pointer.
static StageBench withClass(const std::string &Members,
                            const std::string &Before = "struct Row {") {
  std::string Code = kernel(Usual);
  Code.replace(Code.find("const float *__restrict__"), 25, "Row");
  Code.insert(0, Before + "\n  Row(const float *) {}\n  " + Members + "\n};\n");
  return launchedWith("n", Code);
}

TEST(KernelVersions, PositiveParametersOfClasses) {
  EXPECT_REWRITE(withClass("const float *p; int n;"), HasSubstr("cattRows_k"));
  EXPECT_REWRITE(withClass("int n;", "struct Base {\n  float *p;\n};\n"
                                     "struct Row : Base {"),
                 HasSubstr("cattRows_k"));
}

TEST(KernelVersions, NegativeParametersOfClasses) {
  for (const char *Members : {"int sizes[4];", // may have to lie in memory
                              "struct { int sizes[4]; } s;", //
                              "Row(const Row &) {}", // does more than copy
                              "~Row() {}", "virtual int n() { return 0; }"})
    EXPECT_REWRITE(withClass(Members), staysOneKernel());
  EXPECT_REWRITE(withClass("float *p; int n;", "union Row {"),
                 staysOneKernel());
}

TEST(KernelVersions, NegativeCommentsInTheHead) {
  EXPECT_REWRITE(with("int m)", "int m /* columns */)"), staysOneKernel());
}

TEST(KernelVersions, NegativeMacros) {
  EXPECT_REWRITE(
      with("__global__ void", "#define KERNEL __global__ void\nKERNEL"),
      staysOneKernel());
  EXPECT_REWRITE(
      with("__global__ void k(", "#define NAME(x) x\n__global__ void NAME(k)("),
      Not(HasSubstr("cattRows_")));
}

TEST(KernelVersions, NegativeCodeBehindTheBrace) {
  EXPECT_REWRITE(with("int m) {\n", "int m) { "), staysOneKernel());
}

TEST(KernelVersions, NegativeLaunchesAboveTheKernel) {
  EXPECT_REWRITE(
      with("__global__ void k(",
           "__global__ void k(const float *, const float *__restrict__, float "
           "*, int);\nstatic void first(float *A, int n) {\n"
           "  k<<<9, 256>>>(A, A, A, n);\n}\n__global__ void k("),
      staysOneKernel());
}

TEST(KernelVersions, NegativeMuchSharedMemoryOfItsOwn) {
  StageBench B = launchedWith("n");
  B.R.Kernels[0].Plan.Tiles.DynamicOffset = 60 << 10;
  EXPECT_REWRITE(B, Not(HasSubstr("cattRows_")));
}

TEST(KernelVersions, NegativeOverloads) {
  EXPECT_REWRITE(
      with("static void host", "__global__ void k(int);\nstatic void host"),
      Not(HasSubstr("cattRows_")));
}

TEST(KernelVersions, NegativeTemplateParametersThatMayBeLeftOut) {
  std::string Code = kernel(Usual);
  Code.insert(0, "template <int N = 3>\n");
  EXPECT_REWRITE(launchedWith("n", Code), Not(HasSubstr("cattRows_")));
}

} // namespace
} // namespace catt
