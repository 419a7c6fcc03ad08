//===- PromoteAccumulatorsTest.cpp - Tests of the transform ------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SnippetBench.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catt {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// A snippet whose kernel k keeps every sum that it can in registers.
struct SumBench : SnippetBench {
  explicit SumBench(const std::string &Code, int64_t MinTrips = 32)
      : SnippetBench(Code, "promote-accumulators") {
    KernelReport &K = R.Kernels[0];
    for (unsigned I = 0; I < K.Source.RowLoops.size(); ++I) {
      const RowLoop &Rows = K.Source.RowLoops[I];
      LoopVersion Plan{I, {}, {}, 0, MinTrips};
      for (unsigned Sum = 0; Sum < Rows.Sums.size(); ++Sum)
        if (!Rows.Sums[Sum].Why)
          Plan.Sums.push_back(Sum);
      if (Rows.Refusals.empty() && !Plan.Sums.empty())
        K.Plan.Versions.push_back(Plan);
    }
    EXPECT_THAT(K.Plan.Versions, Not(IsEmpty())) << Code;
  }
};

std::string kernel(const std::string &Loop) {
  return "__global__ void k(const float *A, const float *__restrict__ B, "
         "double *y, int m) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
         Loop + "}\nvoid host(float *A, double *y) {\n" +
         "  k<<<9, 256>>>(A, A, y, 3);\n}\n";
}

const std::string Usual = "  for (int j = 0; j < m; ++j)\n"
                          "    y[i] += A[j * m + i];\n";

//===-- What is written ---------------------------------------------------===//

TEST(PromoteAccumulators, PositiveAWholeFile) {
  SumBench B(kernel(Usual));
  EXPECT_THAT(B.checked(), ::testing::StartsWith(
                               "// catt: promote-accumulators(kernel): whether "
                               "elements lie outside of others\n"
                               "#ifndef CATT_APART\n"));
  EXPECT_EQ(
      B.below(),
      kernel(
          R"cu(  // catt: promote-accumulators(1): what the loop adds up stays in registers
  if (m >= 32 && cattApart(&y[i], &y[i], &A[0 * m + i], &A[(m - 1) * m + i])) {
    double cattSum_y = y[i];
    for (int j = 0; j < m; ++j)
      cattSum_y += A[j * m + i];
    y[i] = cattSum_y;
    __syncwarp(__activemask());
  } else { // catt: begin
  for (int j = 0; j < m; ++j)
    y[i] += A[j * m + i];
  } // catt: end
  // catt: done
)cu"));
  ASSERT_EQ(B.edits().Done.size(), 1u);
  EXPECT_EQ(B.edits().Done[0].Summary, "keeps 1 sum in registers");
}

TEST(PromoteAccumulators, PositiveTwoSumsAndOneTwice) {
  SumBench B(kernel("  for (int j = 0; j < m; ++j) {\n"
                    "    y[i] += B[j];\n"
                    "    if (j % 2)\n"
                    "      y[i] -= 1;\n"
                    "    y[i + m] += B[j] * B[i];\n"
                    "  }\n"));
  EXPECT_REWRITE(
      B,
      AllOf(HasSubstr("if (m >= 32 && cattApart(&y[i], &y[i], &y[i + m], "
                      "&y[i + m])) {\n"
                      "    double cattSum_y = y[i];\n"
                      "    double cattSum_y_2 = y[i + m];\n"),
            HasSubstr("cattSum_y -= 1;"),
            HasSubstr("    cattSum_y_2 += B[j] * B[i];"),
            HasSubstr("    y[i] = cattSum_y;\n    y[i + m] = cattSum_y_2;\n")));
  EXPECT_EQ(B.edits().Done[0].Summary, "keeps 2 sums in registers");
}

TEST(PromoteAccumulators, PositiveARestrictedReadNeedsNoComparison) {
  EXPECT_REWRITE(
      SumBench(kernel("  for (int j = 0; j < m; ++j)\n"
                      "    y[i] += B[j * m + i];\n")),
      AllOf(HasSubstr("  if (m >= 32) {\n"), Not(HasSubstr("cattApart"))));
}

TEST(PromoteAccumulators, PositiveCommentsStayInTheOriginal) {
  EXPECT_REWRITE(SumBench(kernel("  for (int j = 0; j < m; ++j) // columns\n"
                                 "    y[i] += /* one */ B[j * m + i];\n")),
                 HasSubstr("    for (int j = 0; j < m; ++j)\n"
                           "      cattSum_y += B[j * m + i];\n"));
}

TEST(PromoteAccumulators, PositiveNamesThatAreTaken) {
  EXPECT_REWRITE(
      SumBench(kernel("  int cattSum_y = 1;\n  y[0] = cattSum_y;\n" + Usual)),
      HasSubstr("double cattSum_y2 = y[i];"));
}

TEST(PromoteAccumulators, PositiveAMacroThatIsTheWholeReference) {
  EXPECT_REWRITE(
      SumBench("#define OUT y[i]\n" + kernel("  for (int j = 0; j < m; ++j)\n"
                                             "    OUT += B[j * m + i];\n")),
      AllOf(HasSubstr("double cattSum_OUT = OUT;"),
            HasSubstr("    OUT = cattSum_OUT;")));
}

//===-- Left alone --------------------------------------------------------===//

TEST(PromoteAccumulators, NegativeOtherCodeOnItsLines) {
  for (std::string Loop :
       {"  y[0] = 1; for (int j = 0; j < m; ++j) y[i] += B[j];\n",
        "  for (int j = 0; j < m; ++j) y[i] += B[j]; y[0] = 1;\n"})
    EXPECT_REFUSED(SumBench(kernel(Loop)), Reason::InMacro) << Loop;
}

TEST(PromoteAccumulators, NegativeTheFunctionsNameIsTaken) {
  EXPECT_REFUSED(SumBench("struct cattApart;\n" + kernel(Usual)),
                 Reason::InMacro);
}

TEST(PromoteAccumulators, NegativeMacroOnABuiltin) {
  EXPECT_REFUSED(SumBench("#define blockDim blockDim\n" + kernel(Usual)),
                 Reason::InMacro);
}

TEST(PromoteAccumulators, NegativeSuppressed) {
  EXPECT_REFUSED(SumBench("// catt: off\n" + kernel(Usual)),
                 Reason::Suppressed);
}

TEST(PromoteAccumulators, NegativeATemplateWhoseInstantiationsDiffer) {
  const std::string Code =
      "template <int N> __global__ void k(const float *__restrict__ B, "
      "double *y) {\n"
      "  int i = threadIdx.x;\n"
      "  for (int j = 0; j < N; ++j)\n"
      "    y[i] += B[j];\n}\n"
      "void host(float *A, double *y) {\n  k<64><<<9, 256>>>(A, y);\n"
      "  k<32><<<9, 256>>>(A, y);\n}\n";
  Parsed P = parseSnippet(Code);
  SumBench B(kernel(Usual));
  B.R.Texts[B.R.MainFile] = Code;
  B.R.Kernels.clear();
  for (const char *Name : {"k<64>", "k<32>"}) {
    KernelReport K;
    K.Source = P.kernel(Name);
    if (K.Source.Name == "k<64>")
      K.Plan.Versions.push_back({0, {}, {0}, 0, 0});
    B.R.Kernels.push_back(std::move(K));
  }
  EXPECT_EQ(B.rewritten(), Code);
  EXPECT_THAT(B.refusals(), ::testing::Each(Reason::InstantiationsDiffer));
}

} // namespace
} // namespace catt
