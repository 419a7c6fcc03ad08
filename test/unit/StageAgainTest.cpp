//===- StageAgainTest.cpp - Rows that are walked again -----------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows that another loop walks, too, and loops that run for another call.
//
//===----------------------------------------------------------------------===//
#include "StagePlanTesting.h"

namespace catt {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

//===-- What registers may keep -------------------------------------------===//

/// Two loops that walk 64 floats, the second one with this body.
std::string walksTwice(const std::string &Body, const std::string &Pragma = "",
                       const std::string &Trips = "64") {
  return "__global__ void __launch_bounds__(1024) k(const float *A, float *y) "
         "{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  float s = 0, t = 0;\n"
         "  for (int j = 0; j < " +
         Trips + "; ++j) s += A[i * 64 + j];\n" + Pragma +
         "  for (int j = 0; j < " + Trips + "; ++j) " + Body +
         "\n  y[i] = t;\n}\n"
         "void host(float *A) { k<<<1056, 256>>>(A, A); }\n";
}

/// nvcc 13.0 unrolls both, and keeps the row in 64 registers.
TEST(StagePlan, NegativeRowsThatRegistersKeep) {
  EXPECT_THAT(staged(walksTwice("t += (A[i * 64 + j] - s) * s;")), IsEmpty());
  EXPECT_THAT(
      staged(walksTwice("t += expf(A[i * 64 + j] - s);", "#pragma unroll\n")),
      IsEmpty());
}

/// What nvcc does not unroll by 4, ptxas may unroll whole.
TEST(StagePlan, NegativeRowsThatPtxasMayKeep) {
  EXPECT_THAT(staged(walksTwice("t += expf(A[i * 64 + j] - s);", "", "63")),
              IsEmpty());
}

TEST(StagePlan, PositiveRowsOfALoopThatStaysRolled) {
  EXPECT_THAT(staged(walksTwice("t += expf(A[i * 64 + j] - s);")),
              ElementsAre("A[i * 64 + j] in 32", "A[i * 64 + j] in 32"));
  EXPECT_THAT(
      staged(walksTwice("t += A[i * 64 + j] * s;", "#pragma unroll 4\n")),
      ElementsAre("A[i * 64 + j] in 32", "A[i * 64 + j] in 32"));
}

/// What is stored may be the row's: it is loaded again.
TEST(StagePlan, PositiveRowsThatStoresMayChange) {
  const std::string Twice =
      walksTwice("y[i * 64 + j] = A[i * 64 + j] - s;", "", "63");
  EXPECT_THAT(staged(Twice),
              ElementsAre("A[i * 64 + j] in 32",
                          "A[i * 64 + j] and y[i * 64 + j] in 32"));
  std::string Restrict = Twice;
  for (const char *Pointer : {"*A, ", "*y)"})
    Restrict.insert(Restrict.find(Pointer) + 1, "__restrict__ ");
  // Registers may keep it, but a row is made of it.
  EXPECT_THAT(staged(Restrict), SizeIs(2));
  Restrict.replace(Restrict.find("y[i * 64 + j] ="), 15, "t +=");
  EXPECT_THAT(staged(Restrict), IsEmpty());
}

/// With 12 elements and more: of fewer the loop that only loads stays.
TEST(StagePlan, PositiveShortRowsThatOthersAreMadeOf) {
  auto Made = [](const char *Trips, const char *Body) {
    return staged(walksTwice(Body, "", Trips));
  };
  const char *Stores = "y[i * 64 + j] = A[i * 64 + j] - s;";
  EXPECT_THAT(Made("12", Stores),
              ElementsAre("A[i * 64 + j] in 32",
                          "A[i * 64 + j] and y[i * 64 + j] in 16"));
  EXPECT_THAT(Made("11", Stores),
              ElementsAre("A[i * 64 + j] and y[i * 64 + j] in 16"));
  // Nothing is made of it, in place, of a number that only the run knows.
  EXPECT_THAT(Made("12", "t += A[i * 64 + j] * s;"), IsEmpty());
  EXPECT_THAT(Made("12", "t += A[i * 64 + j] * y[i * 64 + j];"), IsEmpty());
}

/// Scores of rows of 110 floats against 19 others.
std::string scores(const char *Launch) {
  return std::string(
             "__global__ void k(const float *__restrict__ A, const float *C, "
             "float *y) {\n"
             "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  float t = "
             "0;\n"
             "  for (int c = 0; c < 19; ++c) {\n    float s = 0;\n"
             "    for (int j = 0; j < 110; ++j) s += A[i * 110 + j] - C[c * "
             "110 "
             "+ j];\n    t = fmaxf(t, s);\n  }\n  y[i] = t;\n}\n"
             "void host(float *A) { k") +
         Launch + "(A, A, A); }\n";
}

/// A thread of a block of 1,024 has 64 registers; else nvcc keeps the row.
TEST(StagePlan, PositiveRowsThatABlockHasNoRegistersFor) {
  EXPECT_THAT(staged(scores("<<<264, 1024>>>")),
              ElementsAre("A[i * 110 + j] in 32"));
  EXPECT_THAT(staged(scores("<<<1056, 256>>>")), IsEmpty());
}

//===-- Rows that some iterations store -----------------------------------===//

/// Kernels whose i is this, in blocks of 16 by 16 or of 256.
std::string storesSometimes(const std::string &I, const std::string &Launch) {
  return "__global__ void __launch_bounds__(1024) k(float *A) {\n"
         "  int i = " +
         I +
         ";\n  for (int j = 0; j < 512; ++j)\n"
         "    if (A[i * 512 + j] < 0) A[i * 512 + j] = 0;\n}\n"
         "void host(float *A) {\n"
         "  dim3 flat(16, 16), wide(32, 33);\n  k<<<" +
         Launch + ">>>(A);\n}\n";
}

const std::string Flat = "blockIdx.x * blockDim.x + threadIdx.x",
                  Square = "(blockIdx.y * blockDim.y + threadIdx.y) * 512 + "
                           "blockIdx.x * blockDim.x + threadIdx.x";

TEST(StagePlan, PositiveRowsThatSomeIterationsStore) {
  EXPECT_THAT(staged(storesSometimes(Flat, "1056, 256")),
              ElementsAre("A[i * 512 + j] in 32"));
  EXPECT_THAT(
      staged(storesSometimes("blockIdx.x * 256 + threadIdx.x", "1056, 256")),
      ElementsAre("A[i * 512 + j] in 32"));
  EXPECT_THAT(staged(storesSometimes(
                  "blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * "
                  "blockDim.x + threadIdx.x",
                  "1056, flat")),
              ElementsAre("A[i * 512 + j] in 32"));
}

TEST(StagePlan, NegativeRowsThatOtherThreadsWalkAndStore) {
  // Of the next block along y, of the next threadIdx.y; of what meets again.
  for (const auto &[I, Launch] :
       {std::pair<std::string, const char *>{Flat, "wide, 256"},
        {Flat, "1056, flat"},
        {Square, "wide, flat"}, // as wide as gridDim says, or not
        {"blockIdx.x * 254 + threadIdx.x", "1056, 256"},
        {"blockIdx.x * 256 + threadIdx.x % 128", "1056, 256"},
        {"(" + Flat + ") / 2", "1056, 256"}})
    EXPECT_THAT(staged(storesSometimes(I, Launch)), IsEmpty()) << I << Launch;
}

//===-- Functions that are called twice -----------------------------------===//

std::string callsTwice(const std::string &First, const std::string &Second) {
  return "__device__ float sum(const float *a, int n) {\n  float s = 0;\n"
         "  for (int j = 0; j < n; ++j) s += a[j];\n  return s;\n}\n"
         "__global__ void __launch_bounds__(1024) k(const float *A, const float"
         " *B, float *y, int m) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  y[i] = sum(" +
         First + ") - sum(" + Second +
         ");\n}\nvoid host(float *A, int m) { k<<<1056, 256>>>(A, A, A, m); "
         "}\n";
}

TEST(StagePlan, PositiveBothCalls) {
  EXPECT_THAT(staged(callsTwice("A + i * 4096, 4096", "B + i * 4096, 4096")),
              ElementsAre("a[j] in 32", "a[j] in 32"));
  const KernelPlan Plan =
      decided(callsTwice("A + i * 4096, 4096", "B + i * m, m"));
  ASSERT_EQ(Plan.Versions.size(), 2u);
  EXPECT_EQ(Plan.Versions[0].MinTrips, 32);
  EXPECT_EQ(Plan.Versions[1].MinTrips, 32);
}

TEST(StagePlan, NegativeOneOfTwoCalls) {
  EXPECT_THAT(staged(callsTwice("A + i * 4096, 4096", "B, 4096")), IsEmpty());
  EXPECT_THAT(staged(callsTwice("A + i * 4096, 4096", "B + i * 8, 8")),
              IsEmpty());
}

} // namespace
} // namespace catt
