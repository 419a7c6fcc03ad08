//===- BodySizeTest.cpp - Tests of syntax/BodySize ---------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SourceTesting.h"
#include <gtest/gtest.h>

namespace catt {
namespace {

using namespace testing;

unsigned size(const std::string &Body,
              const std::vector<std::string> &Flags = {}) {
  const Parsed P = parseSnippet(
      "__global__ void k(const float *A, const double *D, float *y, int m, "
      "float a) {\nfloat s = 0;\nfor (int j = 0; j < 64; ++j) {\n" +
          Body + "\n}\n*y = s;\n}\n",
      Flags);
  return P.kernel("k").Loops.at(0).LeastInstructions;
}

TEST(BodySize, LoadsAndOperations) {
  EXPECT_EQ(size("s += A[j];"), 2u);
  EXPECT_EQ(size("s += A[j] + A[j];"), 3u); // loaded once
  EXPECT_EQ(size("s += A[j] + A[j + 1];"), 4u);
  EXPECT_EQ(size("y[j] = A[j];"), 2u);
  EXPECT_EQ(size("if (A[j] > a) s = A[j];"), 2u);
  EXPECT_EQ(size("float d = A[j] - a;\ns = d / a;"), 3u);
}

TEST(BodySize, ProductsOfSums) {
  EXPECT_EQ(size("s += A[j] * a;"), 2u); // one FFMA
  EXPECT_EQ(size("s = s - a * A[j];"), 2u);
  EXPECT_EQ(size("s *= A[j] * a;"), 3u);
}

TEST(BodySize, Calls) {
  EXPECT_EQ(size("s += expf(A[j]);"), 9u);
  EXPECT_EQ(size("s += fmaxf(A[j], a);"), 3u);
  EXPECT_EQ(size("s += sqrtf(A[j]);"), 3u);
  EXPECT_EQ(size("s += __expf(A[j]);"), 3u);
  EXPECT_EQ(size("s += expf(A[j]);", {"-fgpu-approx-transcendentals"}), 3u);
}

TEST(BodySize, WhatStaysIsNotCounted) {
  EXPECT_EQ(size("s += a * expf(a);"), 0u);
  EXPECT_EQ(size("s += A[m];"), 0u);
  EXPECT_EQ(size("m += m * j;"), 0u);
  EXPECT_EQ(size("s += A[j] * (a * a + 1);"), 2u);
}

TEST(BodySize, LoopsInsideCountOnce) {
  EXPECT_EQ(size("for (int q = 0; q < 8; ++q) s += A[j * 8 + q];"), 2u);
}

} // namespace
} // namespace catt
