//===- RowReadsTest.cpp - Tests of values/RowReads ---------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows that stay while a loop runs. Those that the loop walks itself are in
// RowLoopsTest.cpp.
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
using ::testing::IsEmpty;

/// "P[i * d + j] by j from 0 to d", for each row that stays.
std::vector<std::string> staying(const std::string &Body) {
  const Parsed P = parseSnippet(
      "#define EACH(j, d) for (int j = 0; j < d; ++j)\n"
      "__global__ void k(const float *P, const float *__restrict__ C, float *y,"
      " float *__restrict__ z, int n, int d) {\n"
      "int i = blockIdx.x * blockDim.x + threadIdx.x;\nfloat s = 0;\n" +
      Body + "\ny[i] = s;\n}\n");
  std::vector<std::string> Out;
  for (const RowLoop &Rows : P.kernel().RowLoops)
    for (const RowRead &Read : Rows.Reads) {
      if (!Read.Walk || !Rows.Refusals.empty())
        continue;
      Out.push_back(Read.Text + " by " + Read.Walk->Iterator + " from " +
                    Read.Walk->Start + " to " + Read.Walk->Limit);
      if (Read.Halo)
        Out.back() += " and " + std::to_string(Read.Halo);
      for (unsigned I : Read.Apart)
        Out.back() += " apart from " + Rows.Places[I].Text;
      if (Read.Why)
        Out.back() += " refused: " + info(Read.Why->Kind).Id.str();
    }
  return Out;
}

/// What is walked in each of n iterations.
std::string nest(const std::string &Inside) {
  return "for (int c = 0; c < n; ++c) {\n" + Inside + "\n}";
}

const std::string Walk = "for (int j = 0; j < d; ++j) s += P[i * d + j];";

TEST(RowReads, PositiveARowThatStays) {
  EXPECT_THAT(staying(nest(Walk)),
              ElementsAre("P[i * d + j] by j from 0 to d"));
  EXPECT_THAT(staying(nest("float q = 0;\nfor (int j = 0; j < d; ++j)\n"
                           "  q += P[i * d + j] * C[c * d + j];\n"
                           "s = q < s ? q : s;")),
              ElementsAre("P[i * d + j] by j from 0 to d"));
}

TEST(RowReads, PositiveNeighboursAndOtherDirections) {
  EXPECT_THAT(staying(nest("for (int j = 1; j <= d; j += 2)\n"
                           "  s += P[i * d + j] + P[i * d + j + 1];")),
              ElementsAre("P[i * d + j] by j from 1 to d and 1"));
  EXPECT_THAT(staying(nest("for (int j = d - 1; j >= 0; --j)\n"
                           "  s += P[i * d + j];")),
              ElementsAre("P[i * d + j] by j from d - 1 to 0"));
}

TEST(RowReads, PositiveAPointerToTheRow) {
  EXPECT_THAT(staying("const float *p = P + i * d;\n" +
                      nest("for (int j = 0; j < d; ++j) s += p[j];")),
              ElementsAre("p[j] by j from 0 to d"));
}

TEST(RowReads, PositiveStoresThatCanBeCompared) {
  EXPECT_THAT(staying(nest(Walk + "\ny[i * n + c] = s;")),
              ElementsAre("P[i * d + j] by j from 0 to d apart from "
                          "y[i * n + c]"));
  EXPECT_THAT(staying(nest(Walk + "\nz[i * n + c] = s;")),
              ElementsAre("P[i * d + j] by j from 0 to d"));
}

TEST(RowReads, NegativeStoresThatCannotBeCompared) {
  EXPECT_THAT(staying(nest(Walk + "\ny[int(s)] = s;")),
              ElementsAre("P[i * d + j] by j from 0 to d refused: may-alias"));
}

TEST(RowReads, NegativeARowOfEachIteration) {
  EXPECT_THAT(staying(nest("for (int j = 0; j < d; ++j) s += P[c * d + j];")),
              IsEmpty());
  EXPECT_THAT(staying(nest("int r = i + c;\n"
                           "for (int j = 0; j < d; ++j) s += P[r * d + j];")),
              IsEmpty());
  EXPECT_THAT(staying("int r = i;\n" + nest("for (int j = 0; j < d; ++j)\n"
                                            "  s += P[r * d + j];\n++r;")),
              IsEmpty());
}

TEST(RowReads, NegativeALengthOfEachIteration) {
  EXPECT_THAT(staying(nest("for (int j = 0; j < c; ++j) s += P[i * d + j];")),
              IsEmpty());
  EXPECT_THAT(staying(nest("for (int j = c; j < d; ++j) s += P[i * d + j];")),
              IsEmpty());
  EXPECT_THAT(staying("int e = d;\n" + nest("for (int j = 0; j < e; ++j)\n"
                                            "  s += P[i * d + j];\n--e;")),
              IsEmpty());
}

TEST(RowReads, NegativeIterationsThatDoNotWalk) {
  EXPECT_THAT(staying(nest("if (c > 3)\n" + Walk)), IsEmpty());
  EXPECT_THAT(staying(nest("if (c > 3) continue;\n" + Walk)), IsEmpty());
  EXPECT_THAT(staying(nest("while (s < 3)\n" + Walk)), IsEmpty());
  EXPECT_THAT(staying(nest("for (int j = 0; j < d; ++j)\n  if (j % 3)\n"
                           "    s += P[i * d + j];")),
              IsEmpty());
}

TEST(RowReads, NegativeWalksThatEndEarly) {
  EXPECT_THAT(staying(nest("for (int j = 0; j < d; ++j) {\n  if (s > 9) break;"
                           "\n  s += P[i * d + j];\n}")),
              IsEmpty());
  EXPECT_THAT(staying(nest(Walk + "\nif (s > 9) break;")), IsEmpty());
}

TEST(RowReads, NegativeBarriersAndMacros) {
  EXPECT_THAT(staying(nest(Walk + "\n__syncthreads();")), IsEmpty());
  EXPECT_THAT(staying(nest("EACH(j, d) s += P[i * d + j];")), IsEmpty());
}

TEST(RowReads, NegativeALoopThatIsNotCounted) {
  EXPECT_THAT(staying("int c = n;\nwhile (--c > 0) {\n" + Walk + "\n}"),
              IsEmpty());
  EXPECT_THAT(staying("for (int c = 1; c < n; c *= 2) {\n" + Walk + "\n}"),
              IsEmpty());
}

} // namespace
} // namespace catt
