//===- OrderTest.cpp - What is promising, and tried first -----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/tune/Order.h"
#include "VariantsTesting.h"
#include "analysis/plan/throttle/PointGain.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace catt;
using testing::ElementsAre;

namespace {

//===-- The order ---------------------------------------------------------===//

Recipe point(const char *Name, int64_t Groups, int64_t BlocksRemoved) {
  Recipe P;
  P.Name = Name;
  P.Transforms = {"split-warp-groups"};
  P.Groups = Groups;
  P.BlocksRemoved = BlocksRemoved;
  return P;
}

std::vector<std::string>
orderOf(const std::vector<std::pair<Recipe, std::optional<double>>> &All) {
  std::vector<Recipe> Recipes;
  std::vector<std::optional<double>> Gains;
  for (const auto &[P, Gain] : All) {
    Recipes.push_back(P);
    Gains.push_back(Gain);
  }
  std::vector<std::string> Names;
  for (size_t I : promisingFirst(Recipes, Gains))
    Names.push_back(Recipes[I].Name);
  return Names;
}

Recipe modelsChoice() {
  Recipe P;
  P.Name = "default";
  return P;
}

TEST(Order, OfOneKindTheLargestGainIsFirst) {
  EXPECT_THAT(orderOf({{point("a", 2, 0), 1.1},
                       {point("b", 4, 0), 1.4},
                       {point("c", 8, 0), 0.7}}),
              ElementsAre("b", "a", "c"));
}

TEST(Order, TheModelsChoiceIsFirstAndNobodysTurn) {
  EXPECT_THAT(orderOf({{point("a", 2, 0), 3.0},
                       {point("sums", 1, 0), std::nullopt},
                       {modelsChoice(), std::nullopt}}),
              ElementsAre("default", "a", "sums"));
}

TEST(Order, KindsTakeTurns) {
  EXPECT_THAT(orderOf({{point("groups", 2, 0), 2.0},
                       {point("more groups", 4, 0), 1.9},
                       {point("most groups", 8, 0), 1.8},
                       {point("blocks", 1, 2), 1.3},
                       {point("both", 2, 2), 1.5},
                       {point("more of both", 2, 3), 1.6}}),
              ElementsAre("groups", "more of both", "blocks", "more groups",
                          "both", "most groups"));
}

TEST(Order, WhatIsNotJudgedIsBetweenGainsAndLosses) {
  EXPECT_THAT(orderOf({{point("loss", 1, 1), 0.9},
                       {point("gain", 2, 0), 1.2},
                       {point("l1", 1, 0), std::nullopt},
                       {point("sums", 1, 0), std::nullopt}}),
              ElementsAre("gain", "l1", "loss", "sums"));
}

TEST(Order, EqualOnesStayInTheirOrder) {
  EXPECT_THAT(orderOf({{point("a", 2, 0), 1.0},
                       {point("b", 3, 0), 1.0},
                       {point("c", 4, 0), 1.0}}),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(orderOf({}), testing::IsEmpty());
}

//===-- The gains ---------------------------------------------------------===//

/// Two loops one after the other, a third inside the second.
constexpr char Loops[] = "__global__ void rows(const float *A, float *y) {\n"
                         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "  for (int j = 0; j < 2048; ++j)\n"
                         "    y[i] += A[i * 2048 + j];\n"
                         "  for (int r = 0; r < 4; ++r)\n"
                         "    for (int j = 0; j < 2048; ++j)\n"
                         "      y[i] += A[i * 2048 + j];\n"
                         "}\n";
constexpr char Known[] =
    "void host(float *A, float *y) { rows<<<1056, 256>>>(A, y); }\n";

/// Of loops in Groups groups, with Removed blocks fewer on an SM.
ThrottlePoint at(const std::vector<const char *> &Names, int64_t Groups,
                 int64_t Removed) {
  ThrottlePoint Point;
  for (const char *Loop : Names)
    Point.push_back({"rows", Loop, Groups, Removed, "the test"});
  return Point;
}

std::vector<std::optional<double>>
gainsOf(const std::string &Text, const std::vector<ThrottlePoint> &Points,
        Model Counting = Model::Exact) {
  const JobResult Plain = job(Text, builtIn());
  AnalysisOptions O = planOptions(builtIn());
  O.Counting = Counting;
  O.Gpu = Plain.Outcome.Analysed->Gpu;
  return predictedGains(Plain.Outcome.Analysed->Kernels.at(0).Source, O,
                        Points);
}

std::optional<double> gainOf(const std::string &Text,
                             const ThrottlePoint &Point) {
  return gainsOf(Text, {Point}).front();
}

std::string launched(const char *Launches) {
  return std::string(Loops) + "void host(float *A, float *y) {" + Launches +
         "}\n";
}

TEST(PointGain, FewerWarpsGainWhereLinesOverflow) {
  auto Gains = gainsOf(std::string(Loops) + Known,
                       {at({"0"}, 4, 0), at({"0", "1"}, 4, 0), at({"2"}, 4, 0),
                        at({"0", "1"}, 1, 6), at({"0", "1"}, 8, 7)});
  for (const auto &Gain : Gains)
    ASSERT_TRUE(Gain);
  EXPECT_GT(*Gains[0], 1);
  EXPECT_GT(*Gains[1], *Gains[0]) << "a part of the time, and all of it";
  EXPECT_GT(*Gains[1], 1.2);
  EXPECT_GT(*Gains[3], 1);
  EXPECT_LT(*Gains[4], *Gains[1]) << "one warp on an SM hides nothing";
}

TEST(PointGain, WhereNothingOverflowsFewerWarpsLose) {
  std::string Text = "__global__ void rows(const float *A, float *y) {\n"
                     "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                     "  for (int j = 0; j < 2048; ++j)\n"
                     "    y[i] += A[j * 270336 + i];\n"
                     "}\n" +
                     std::string(Known);
  auto Gain = gainOf(Text, at({"0"}, 8, 0));
  ASSERT_TRUE(Gain);
  EXPECT_LT(*Gain, 1);
}

TEST(PointGain, NothingIsSaidOfWhatCannotBeDone) {
  const std::string Text = std::string(Loops) + Known;
  EXPECT_FALSE(gainOf(Text, at({"0"}, 9, 0))) << "8 warps";
  EXPECT_FALSE(gainOf(Text, at({"0"}, 1, 8))) << "of 8 blocks";
  EXPECT_FALSE(gainOf(Text, at({"7"}, 2, 0))) << "there is no such loop";
}

TEST(PointGain, NothingIsSaidWhereTheBlockIsNotKnown) {
  EXPECT_FALSE(gainOf(Loops, at({"0"}, 2, 0))) << "no launch";
  EXPECT_FALSE(gainOf(std::string(Loops) +
                          "void host(float *A, float *y, int b) "
                          "{ rows<<<8, b>>>(A, y); }\n",
                      at({"0"}, 2, 0)));
}

TEST(PointGain, NothingIsSaidByThePapersRule) {
  EXPECT_FALSE(
      gainsOf(std::string(Loops) + Known, {at({"0"}, 4, 0)}, Model::Catt)
          .front());
}

TEST(PointGain, LaunchesAddUp) {
  const char *Both = "rows<<<1056, 256>>>(A, y); rows<<<1056, 32>>>(A, y);";
  EXPECT_TRUE(gainOf(launched("rows<<<1056, 256>>>(A, y);"
                              "rows<<<2112, 256>>>(A, y);"),
                     at({"0"}, 4, 0)));
  EXPECT_FALSE(gainOf(launched(Both), at({"0"}, 4, 0)))
      << "one of them has one warp";
  EXPECT_FALSE(gainOf(launched("rows<<<1056, 256>>>(A, y);"
                               "rows<<<2112, 256>>>(A, y);"),
                      at({"0"}, 1, 2)))
      << "blocks are taken from a single launch alone";
}

} // namespace
