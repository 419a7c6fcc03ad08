//===- RowWritesTest.cpp - Tests of stores in source/values/RowLoops ------===//
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
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// "float z[i * m + j] apart from A[i * m + j]", one text for each row that the
/// only loop writes; "in place" if it reads it, too.
std::vector<std::string>
writes(const std::string &Body,
       const std::string &Header = "for (int j = 0; j < m; ++j)") {
  Parsed P = parseSnippet(
      "__global__ void k(const float *A, const float *__restrict__ B, float *y,"
      " const int *rp, float *__restrict__ z, double *d, int m) {\n"
      "int i = blockIdx.x * blockDim.x + threadIdx.x;\nfloat s = 0;\n" +
      Header + " {\n" + Body + "\n}\ny[i] = s;\n}\n");
  std::vector<std::string> Out;
  for (const RowLoop &R : P.kernel("k").RowLoops)
    for (const RowRead &Row : R.Reads) {
      if (!Row.IsWritten)
        continue;
      for (const SourceSpan &Place : Row.Places)
        EXPECT_EQ(P.text(Place), Row.Text);
      EXPECT_TRUE(llvm::is_sorted(
          Row.Places, [](auto &L, auto &R) { return L.Begin < R.Begin; }));
      Out.push_back(Row.Type + " " + Row.Text);
      if (Row.IsRead)
        Out.back() += " in place of " + std::to_string(Row.Places.size());
      if (Row.IsWrittenSometimes)
        Out.back() += " sometimes";
      for (unsigned I : Row.Apart)
        Out.back() += " apart from " + R.Places[I].Text;
      if (Row.Why)
        Out.back() += " refused: " + info(Row.Why->Kind).Id.str();
    }
  return Out;
}

TEST(RowWrites, PositiveARow) {
  EXPECT_THAT(writes("z[i * m + j] = B[i * m + j];"),
              ElementsAre("float z[i * m + j]"));
  EXPECT_THAT(writes("z[i * m + j] = s;"), ElementsAre("float z[i * m + j]"));
  EXPECT_THAT(writes("d[i * m + j + 3] = j;"),
              ElementsAre("double d[i * m + j + 3]"));
}

TEST(RowWrites, PositiveWhatElseTheLoopTouchesIsCompared) {
  EXPECT_THAT(writes("y[i * m + j] = A[i * m + j] * B[j];"),
              ElementsAre("float y[i * m + j] apart from A[i * m + j]"));
  EXPECT_THAT(writes("y[i * m + j] = 1; d[i] = 2;"),
              ElementsAre("float y[i * m + j] apart from d[i]"));
}

TEST(RowWrites, PositiveTwoRows) {
  EXPECT_THAT(writes("z[i * m + j] = 0; y[i * m + j] = 1;"),
              ElementsAre("float z[i * m + j]", "float y[i * m + j]"));
}

TEST(RowWrites, PositiveAValueOfTheIteration) {
  EXPECT_THAT(writes("float t = B[j]; z[i * m + j] = t;"),
              ElementsAre("float z[i * m + j]"));
}

TEST(RowWrites, NegativeWhatTheLoopTouchesTwice) {
  EXPECT_THAT(writes("y[i * m + j] = 1; y[i * m + j] = 2;"),
              ElementsAre("float y[i * m + j] refused: may-alias",
                          "float y[i * m + j] refused: may-alias"));
  EXPECT_THAT(writes("z[i * m + j] = z[0];"),
              ElementsAre("float z[i * m + j] refused: may-alias"));
}

TEST(RowWrites, PositiveInPlace) {
  EXPECT_THAT(writes("z[i * m + j] = z[i * m + j] * 2;"),
              ElementsAre("float z[i * m + j] in place of 2"));
  EXPECT_THAT(writes("z[i * m + j] += B[j];"),
              ElementsAre("float z[i * m + j] in place of 1"));
  EXPECT_THAT(writes("float t = z[j + i * m]; z[j + i * m] = t * t;"),
              ElementsAre("float z[j + i * m] in place of 2"));
  EXPECT_THAT(writes("s += z[i * m + j]; z[i * m + j] /= s;"),
              ElementsAre("float z[i * m + j] in place of 2"));
  EXPECT_THAT(writes("z[i * m + j] = z[i * m + j] < 0 ? -z[i * m + j] : s;"),
              ElementsAre("float z[i * m + j] in place of 3"));
}

TEST(RowWrites, PositiveDownwards) {
  EXPECT_THAT(writes("z[i * m + j] = 1;", "for (int j = m; j > 0; --j)"),
              ElementsAre("float z[i * m + j]"));
  EXPECT_THAT(writes("z[i * m + j] *= 2;", "for (int j = m - 1; j >= 0; --j)"),
              ElementsAre("float z[i * m + j] in place of 1"));
}

TEST(RowWrites, PositiveAProductInAnElementThatNoOtherIterationSees) {
  EXPECT_THAT(writes("z[i * m + j] = B[j] * s; s += z[j] + B[j];"), IsEmpty());
  EXPECT_THAT(writes("s += z[i * m + j]; z[i * m + j] = B[j] * B[i];"),
              ElementsAre("float z[i * m + j] in place of 2"));
  EXPECT_THAT(
      writes("s += z[i * m + j]; z[i * m + j] = B[j] * B[i]; s += *(z + j);"),
      IsEmpty());
}

TEST(RowWrites, PositiveInPlaceComparedWithEverythingElse) {
  EXPECT_THAT(writes("y[i * m + j] *= A[j] + d[i];"),
              ElementsAre("float y[i * m + j] in place of 1 apart from A[j] "
                          "apart from d[i]"));
}

TEST(RowWrites, PositiveLoadedAfterTheOnlyStore) {
  EXPECT_THAT(writes("z[i * m + j] = s * B[i * m + j]; s += z[i * m + j];"),
              ElementsAre("float z[i * m + j]")); // not fetched
  EXPECT_THAT(writes("z[i * m + j] *= 2; s += z[i * m + j];"),
              ElementsAre("float z[i * m + j] in place of 2"));
  EXPECT_THAT(writes("if (s < 0) s = z[i * m + j]; z[i * m + j] = B[j];\n"
                     "s -= z[i * m + j];"),
              ElementsAre("float z[i * m + j] in place of 3"));
}

TEST(RowWrites, PositiveThroughAPointerToTheRow) {
  EXPECT_THAT(writes("row[j] = B[j] * s; s += row[j];",
                     "float *row = z + i * m;\nfor (int j = 0; j < m; ++j)"),
              ElementsAre("float row[j]"));
}

TEST(RowWrites, NegativeLoadedBehindAnotherStore) {
  EXPECT_THAT(writes("z[i * m + j] *= 2; d[j * m] = 0; s += z[i * m + j];"),
              AllOf(Not(IsEmpty()), Each(HasSubstr("refused: may-alias"))));
  EXPECT_THAT(writes("z[i * m + j] = s; z[i * m + j] += 2;"),
              Each(HasSubstr("refused: may-alias")));
}

TEST(RowWrites, NegativeAnotherElementOfTheRow) {
  EXPECT_THAT(writes("z[i * m + j] = z[i * m + j - 1] * 2;"),
              ElementsAre("float z[i * m + j] refused: may-alias"));
  EXPECT_THAT(writes("z[i * m + j] = z[i * m + j + 1] + z[i * m + j];"),
              ElementsAre("float z[i * m + j] refused: may-alias"));
  EXPECT_THAT(writes("z[i * m + j] += z[i * m];"),
              ElementsAre("float z[i * m + j] in place of 1 refused: "
                          "may-alias"));
}

TEST(RowWrites, PositiveInPlaceInSomeIterations) {
  EXPECT_THAT(writes("if (z[i * m + j] < 0) z[i * m + j] = 0;"),
              ElementsAre("float z[i * m + j] in place of 2 sometimes"));
  EXPECT_THAT(writes("float t = z[i * m + j]; if (t > 6) z[i * m + j] = 6; "
                     "else if (t < 0) z[i * m + j] = t * t;"),
              ElementsAre("float z[i * m + j] in place of 3 sometimes"));
  EXPECT_THAT(writes("s += z[i * m + j]; if (s < 0) continue; z[i * m + j] = "
                     "0;"),
              ElementsAre("float z[i * m + j] in place of 2 sometimes"));
  EXPECT_THAT(writes("if (y[i * m + j] < 0) y[i * m + j] = A[j];"),
              ElementsAre("float y[i * m + j] in place of 2 sometimes apart "
                          "from A[j]"));
  EXPECT_THAT(
      writes("s += z[i * m + j]; for (int q = 0; q < 3; ++q) z[i * m + j] "
             "= q;"),
      ElementsAre("float z[i * m + j] in place of 2 sometimes"));
}

TEST(RowWrites, PositiveInPlaceInSomeIterationsAndLoadedInSome) {
  EXPECT_THAT(writes("if (z[i * m + j] < 0) z[i * m + j] = 0; "
                     "if (s > 0) s += z[i * m + j];"),
              ElementsAre("float z[i * m + j] in place of 3 sometimes"));
}

TEST(RowWrites, NegativeInPlaceInSomeIterations) {
  // Not every iteration loads it.
  EXPECT_THAT(writes("if (s < 0) z[i * m + j] *= 2;"), IsEmpty());
  EXPECT_THAT(writes("if (s < 0 && z[i * m + j] > 1) z[i * m + j] = 2;"),
              IsEmpty());
  EXPECT_THAT(writes("if (s < 0) continue; if (z[i * m + j] < 0) z[i * m + j] "
                     "= 0;"),
              IsEmpty());
  // What is loaded behind it might be fused with what was stored.
  EXPECT_THAT(writes("if (z[i * m + j] < 0) z[i * m + j] = B[j] * B[j]; "
                     "y[i] = B[j] * s; s += z[i * m + j];"),
              IsEmpty());
  // Another element, another store.
  EXPECT_THAT(writes("if (z[i * m + j] < 0) z[i * m + j + 1] = 0;"), IsEmpty());
  EXPECT_THAT(writes("if (z[i * m + j] < 0) z[i * m + j] = 0; z[i] = s;"),
              Each(HasSubstr("refused: may-alias")));
  EXPECT_THAT(writes("if (y[i * m + j] < 0) y[i * m + j] = A[rp[j]];"),
              Each(HasSubstr("refused: may-alias")));
}

TEST(RowWrites, NegativeInPlaceOtherwise) {
  EXPECT_THAT(writes("z[i * m + j]++;"), IsEmpty());
  EXPECT_THAT(writes("float *p = &z[i * m + j]; *p *= 2;"), IsEmpty());
}

TEST(RowWrites, NegativePlacesThatAreNotKnown) {
  EXPECT_THAT(writes("y[i * m + j] = A[rp[j]];"),
              ElementsAre("float y[i * m + j] apart from rp[j] refused: "
                          "may-alias"));
}

TEST(RowWrites, NegativeNotInEveryIteration) {
  EXPECT_THAT(writes("if (s > 2) z[i * m + j] = 1;"), IsEmpty());
  EXPECT_THAT(writes("if (s > 2) continue; z[i * m + j] = 1;"), IsEmpty());
  EXPECT_THAT(writes("for (int q = 0; q < 2; ++q) z[i * m + j] = 1;"),
              IsEmpty());
}

TEST(RowWrites, NegativeOtherSteps) {
  EXPECT_THAT(writes("z[i * m + j] = 1;", "for (int j = 0; j < m; j += 2)"),
              IsEmpty());
  EXPECT_THAT(writes("z[i * m + j] = z[i * m + j + 1];",
                     "for (int j = m - 2; j >= 0; --j)"),
              ElementsAre("float z[i * m + j] refused: may-alias"));
  EXPECT_THAT(writes("z[i * m + 2 * j] = 1;"), IsEmpty());
  EXPECT_THAT(writes("z[i] = j;"), IsEmpty());
}

TEST(RowWrites, NegativeVolatileOrAtomic) {
  EXPECT_THAT(writes("((volatile float *)z)[i * m + j] = 1;"), IsEmpty());
}

} // namespace
} // namespace catt
