//===- RowSumsTest.cpp - Tests of sums in source/values/RowLoops -*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SourceTesting.h"
#include "analysis/model/Reasons.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catt {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// "y[i] apart from A[i * m + j]", one text for each sum of the only loop.
std::vector<std::string> sums(const std::string &Body) {
  Parsed P = parseSnippet(
      "__global__ void k(const float *A, const float *__restrict__ B, float *y,"
      " const int *rp, float *__restrict__ z, int m) {\n"
      "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "for (int j = 0; j < m; ++j) {\n" +
      Body + "\n}\n}\n");
  std::vector<std::string> Out;
  for (const RowLoop &R : P.kernel("k").RowLoops)
    for (const RowSum &Sum : R.Sums) {
      std::string Text = Sum.Type + " " + Sum.Text;
      for (const SourceSpan &Place : Sum.Places)
        EXPECT_EQ(P.text(Place), Sum.Text);
      if (Sum.Places.size() != 1)
        Text += " " + std::to_string(Sum.Places.size()) + "x";
      for (unsigned I : Sum.Apart)
        Text += " apart from " + R.Places[I].Text;
      if (Sum.Why)
        Text += " refused: " + info(Sum.Why->Kind).Id.str();
      Out.push_back(Text);
    }
  return Out;
}
TEST(RowSums, PositiveSums) {
  EXPECT_THAT(sums("y[i] += A[i * m + j];"),
              ElementsAre("float y[i] apart from A[i * m + j]"));
  EXPECT_THAT(sums("y[i] -= B[j * m + i];"), ElementsAre("float y[i]"));
  EXPECT_THAT(sums("y[i] += B[j];\nif (j % 2) y[i] += 1;"),
              ElementsAre("float y[i] 2x"));
  EXPECT_THAT(sums("y[i] += A[j];\ny[i + m] -= A[j];"),
              ElementsAre("float y[i] apart from A[j] apart from y[i + m]",
                          "float y[i + m] apart from A[j] apart from y[i]"));
}

TEST(RowSums, NegativeElementsThatAreMoreThanSums) {
  for (const char *Body :
       {"y[i] += y[i] * 2;", "y[i] = y[i] + A[j];", "y[i] *= A[j];",
        "y[i] += A[j];\ny[i] *= 2;", "y[i] += A[j];\nif (y[i] > 9) ++j;",
        "float v = y[i];\ny[i] += v;", "y[i]++;",
        "y[i] += A[j];\n{ int i = j; y[i] += 1; }", "if (j % 2) y[i] += A[j];",
        "y[j] += A[i];", "y[rp[i]] += A[j];", "y[rp[j]] += 1;"})
    EXPECT_THAT(sums(Body), IsEmpty()) << Body;
}

TEST(RowSums, NegativeSumsOfRestrictedPointersAreTheCompilers) {
  EXPECT_THAT(sums("z[i] += A[i * m + j];"), IsEmpty());
}

TEST(RowSums, NegativeSumsThatMayBeRead) {
  for (const char *Body :
       {"y[i] += A[rp[j]];", "y[i] += *A;", "y[i] += A[j * j];",
        "y[i] += __ldg(&A[rp[j]]);", "y[i] += A[j];\ny[rp[j]] = 1;"})
    EXPECT_THAT(sums(Body), ElementsAre(HasSubstr("refused: may-alias")))
        << Body;
}

} // namespace
} // namespace catt
