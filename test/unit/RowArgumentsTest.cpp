//===- RowArgumentsTest.cpp - Elements that functions load ----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RowsTesting.h"
#include <gmock/gmock.h>

namespace catt {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string Larger = "template <class T> __device__ T larger(const T &a, "
                           "const T &b) { return a < b ? b : a; }\n";

/// What a loop reads that hands elements to f.
std::vector<std::string> withFunction(const std::string &Function,
                                      const std::string &Body) {
  return rows(Usual + "  " + Body, Function);
}

TEST(RowArguments, PositiveByReferenceToConst) {
  for (const char *Function :
       {"__device__ float f(const float &v) { return v > 0 ? v : 0.0f; }\n",
        "__device__ float f(const float &v) { float w = v + 1; return w; }\n",
        "__device__ float f(const float &v) { if (v > 3) return 1; return v; "
        "}\n",
        "template <class T> __device__ T f(const T &v) { return v; }\n"})
    EXPECT_THAT(
        withFunction(Function, "s += f(A[i * m + j]);"),
        ElementsAre("int j = 0; 0 to m by ++j reads float A[i * m + j]"))
        << Function;
  EXPECT_THAT(withFunction(Larger, "s = larger(s, A[i * m + j]);"),
              ElementsAre(HasSubstr("reads float A[i * m + j]")));
  EXPECT_THAT(
      rows("const float *p = A + i * m;\n" + Usual + "  s = larger(s, *p++);",
           Larger),
      ElementsAre(HasSubstr("reads float *p +0")));
}

TEST(RowArguments, PositiveLambdas) {
  for (const char *Lambda :
       {"[](const float &v) { return v > 0 ? v : 0; }",
        "[](const auto &v) { return v + 1; }", "[](auto v) { return v + 1; }"})
    EXPECT_THAT(rows("auto f = " + std::string(Lambda) + ";\n" + Usual +
                     "  s += f(A[i * m + j]);"),
                ElementsAre(HasSubstr("reads float A[i * m + j]")))
        << Lambda;
}

TEST(RowArguments, NegativeWhatIsNotSurelyLoaded) {
  for (const char *Function :
       {"__device__ float f(const float &v, int j) { return j > 3 ? v : 0; }\n",
        "__device__ float f(const float &v, int j) { if (j > 3) return 1; "
        "return v; }\n",
        "__device__ float f(const float &v, int j) { float s = 0; "
        "for (int q = 0; q < j; ++q) s += v; return s; }\n",
        "__device__ float f(const float &v, int j) { return j > 3 && v > 2; "
        "}\n",
        "__device__ float f(const float &v, int j) { return j; }\n",
        "__device__ float f(const float &v, int j) { switch (j) { case 3: "
        "return v; } return 0; }\n"})
    EXPECT_THAT(withFunction(Function, "s += f(A[i * m + j], j);"),
                ::testing::Each(Not(HasSubstr("reads float A"))))
        << Function;
}

TEST(RowArguments, NegativeOtherThanLoads) {
  for (const char *Function :
       {"__device__ const float &f(const float &v) { return v; }\n",
        "__device__ float f(const float &v) { return v + (&v)[1]; }\n",
        "__device__ float f(const float &v) { const float &w = v; "
        "return v + w; }\n",
        "__device__ float f(const volatile float &v) { return v; }\n",
        "__device__ float f(const double &v) { return v; }\n",
        "__device__ float f(const float &v);\n",
        "__device__ float f(float &v) { return v; }\n"
        "__device__ float f(const float &v) { return v + 1; }\n",
        "template <class T> __device__ float f(T &&v) { return v; }\n",
        "template <class T> __device__ float f(T &v) { return v; }\n"}) {
    const bool IsAnotherNumber =
        std::string(Function).find("double") != std::string::npos;
    EXPECT_THAT(withFunction(Function, "s += f(A[i * m + j]);"),
                IsAnotherNumber // which is loaded here
                    ? ::testing::Matcher<std::vector<std::string>>(
                          ElementsAre(HasSubstr("reads float A")))
                    : ::testing::Each(Not(HasSubstr("reads float A"))))
        << Function;
  }
}

TEST(RowArguments, PositiveTwoCalls) {
  EXPECT_THAT(withFunction(Larger, "s = larger(larger(s, A[i * m + j]), "
                                   "B[i * m + j]);"),
              ElementsAre(AllOf(HasSubstr("reads float A[i * m + j]"),
                                HasSubstr("reads float B[i * m + j]"))));
}

} // namespace
} // namespace catt
