//===- VariantsTest.cpp - A measured variant is written as it was tried ---===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "VariantsTesting.h"
#include "tool/optimize/Measured.h"
#include "llvm/Support/GlobPattern.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <set>

using namespace catt;

namespace {

/// A row for each thread, whose sum stays in memory.
constexpr char Rows[] =
    "__global__ void rows(const float *A, const float *x, float *y) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  for (int j = 0; j < 4096; ++j)\n"
    "    y[i] += A[i * 4096 + j] * x[j];\n"
    "}\n"
    "void host(float *A, float *y) { rows<<<320, 256>>>(A, A, y); }\n";
/// Two loops one after the other, a third inside the second.
constexpr char Two[] =
    "__global__ void rows(const float *A, const float *x, float *y) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  for (int j = 0; j < 2048; ++j)\n"
    "    y[i] += A[i * 2048 + j];\n"
    "  for (int r = 0; r < 4; ++r) {\n"
    "    y[i] += x[r];\n"
    "    for (int j = 0; j < 2048; ++j)\n"
    "      y[i] += A[i * 2048 + j];\n"
    "  }\n"
    "}\n"
    "void host(float *A, float *y) { rows<<<320, 256>>>(A, A, y); }\n";
constexpr char Templates[] =
    "template <class T> __global__ void rows(const T *A, T *y) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  for (int j = 0; j < 4096; ++j)\n"
    "    y[i] += A[i * 4096 + j];\n"
    "}\n"
    "void host(float *A, double *B) {\n"
    "  rows<<<320, 256>>>(A, A);\n"
    "  rows<<<320, 256>>>(B, B);\n"
    "}\n";
constexpr char Macros[] =
    "#define EACH(i) int i = blockIdx.x * blockDim.x + threadIdx.x\n"
    "__global__ void rows(float *A, const float *x, int n) {\r\n"
    "  EACH(i);\r\n"
    "  if (i < n)\r\n"
    "    for (int j = 0; j < 4096; ++j)\r\n"
    "      A[i * 4096 + j] *= x[j];\r\n"
    "}\r\n"
    "void host(float *A, int n) { rows<<<n / 96, 96>>>(A, A, n); }\r\n";

MeasuredVariant entry(const Report &R, llvm::StringRef Variant) {
  MeasuredVariant M = measurable(R, R.Kernels.at(0).Source);
  M.Variant = Variant.str();
  M.Date = "2026-11-29";
  return M;
}

std::vector<std::string> namesOf(const char *Text, Points Which) {
  const JobResult Plain = job(Text, builtIn());
  std::vector<std::string> Names;
  for (const Recipe &P :
       recipesFor(Plain.Outcome.Analysed->Kernels.at(0).Source, Which))
    Names.push_back(P.Name);
  return Names;
}

TEST(Recipes, EveryPointIsThereOnce) {
  // 8, 4, 3, 2 and 1 of 8 warps at a time, and 0 to 7 of 8 blocks fewer.
  std::vector<std::string> All = namesOf(Rows, Points::All);
  EXPECT_EQ(All.size(), 1u + 5 * 8 - 1);
  EXPECT_EQ(std::set<std::string>(All.begin(), All.end()).size(), All.size());
  EXPECT_THAT(All, testing::Contains(
                       "groups-4-of-loop-0-and-blocks-7-fewer-in-loop-0"));
  EXPECT_THAT(All, testing::Contains("blocks-3-fewer-in-loop-0"));
  EXPECT_THAT(All, testing::Not(testing::Contains("tiles-64")));
  EXPECT_THAT(namesOf(Rows, Points::Few),
              testing::Not(testing::Contains("blocks-3-fewer-in-loop-0")));
  // 3, 2 and 1 of 3 warps, and 0 to 20 of 21 blocks fewer.
  EXPECT_EQ(namesOf(Macros, Points::All).size(), 1u + 3 * 21 - 1);
}

TEST(Recipes, AllLoopsHaveOneChoiceToo) {
  const JobResult Plain = job(Two, builtIn());
  const Kernel &K = Plain.Outcome.Analysed->Kernels.at(0).Source;
  auto Both =
      findRecipe(K, "groups-4-of-all-loops-and-blocks-2-fewer-in-all-loops");
  ASSERT_TRUE(Both);
  ASSERT_EQ(Both->forced().size(), 2u) << "not the loop inside";
  EXPECT_EQ(Both->forced()[0].Text, "rows:0=4,2");
  EXPECT_EQ(Both->forced()[1].Text, "rows:1=4,2");
  // Once for all, and for each of three loops.
  EXPECT_EQ(namesOf(Two, Points::All).size(), 1u + 4 * (5 * 8 - 1));
  for (const std::string &Name : namesOf(Two, Points::Few))
    EXPECT_THAT(Name, testing::Not(testing::HasSubstr("all-loops")));
  const JobResult One = job(Rows, builtIn());
  EXPECT_FALSE(findRecipe(One.Outcome.Analysed->Kernels.at(0).Source,
                          "groups-4-of-all-loops"));
  // A loop that holds a barrier has no groups.
  std::string Barrier = Two;
  const llvm::StringRef Sum = "y[i] += x[r];";
  Barrier.replace(Barrier.find(Sum), Sum.size(), "__syncthreads();");
  const JobResult Held = job(Barrier, builtIn());
  EXPECT_FALSE(findRecipe(Held.Outcome.Analysed->Kernels.at(0).Source,
                          "groups-4-of-all-loops"));
}

TEST(Recipes, PointsAreFoundByName) {
  const JobResult Plain = job(Rows, builtIn());
  const Kernel &K = Plain.Outcome.Analysed->Kernels.at(0).Source;
  auto Both = findRecipe(K, "groups-4-of-loop-0-and-blocks-7-fewer-in-loop-0");
  ASSERT_TRUE(Both);
  ASSERT_EQ(Both->forced().size(), 1u);
  EXPECT_EQ(Both->forced().front().Text, "rows:0=4,7");
  EXPECT_FALSE(findRecipe(K, "groups-4-of-loop-1"));
  EXPECT_TRUE(findRecipe(K, "groups-3-of-loop-0"));
  EXPECT_FALSE(findRecipe(K, "groups-5-of-loop-0")) << "2 warps, as of 4";
  EXPECT_FALSE(findRecipe(K, "blocks-8-fewer-in-loop-0"));
  EXPECT_FALSE(findRecipe(K, "groups-4"));
}

TEST(Recipes, BlocksAndBoundsForThemAreFoundByName) {
  const JobResult Plain = job(Rows, builtIn());
  const Kernel &K = Plain.Outcome.Analysed->Kernels.at(0).Source;
  EXPECT_EQ(namesOf(Rows, Points::Blocks).size(), 7u);
  EXPECT_EQ(findRecipe(K, "at-most-3-blocks")->OptBlocks, 3);
  EXPECT_FALSE(findRecipe(K, "at-most-8-blocks")) << "there are no more";
  EXPECT_FALSE(findRecipe(K, "at-most-0-blocks"));
  auto Bounds = findRecipe(K, "bounds-by-tpsc-with-3-blocks");
  ASSERT_TRUE(Bounds);
  EXPECT_EQ(Bounds->OptBlocks, 3);
  EXPECT_EQ(Bounds->Rule, "tpsc");
  EXPECT_EQ(Bounds->Kernel, "rows");
  EXPECT_TRUE(Bounds->needsPtxas());
  EXPECT_TRUE(findRecipe(K, "spill-by-tpsc-with-1-block"));
  for (const char *Name :
       {"bounds-by-tpsc-with-1-blocks", "bounds-by-tpsc-with-33-blocks",
        "bounds-by-dru-with-3-blocks", "bounds-by-tpsc-with-"})
    EXPECT_FALSE(findRecipe(K, Name)) << Name;
}

std::vector<std::string> candidates(unsigned MaxLive, int64_t Blocks,
                                    const std::vector<unsigned> &Caps) {
  SelectorInput In;
  In.Gpu = llvm::cantFail(findDevice("h200"));
  In.MaxLive = MaxLive;
  In.Points.emplace_back();
  In.Points.back().Blocks = Blocks;
  for (unsigned Cap : Caps) {
    In.Points.emplace_back();
    In.Points.back().Compiled.CapRegisters = Cap;
  }
  std::vector<std::string> Names;
  for (const Recipe &P : orionCandidates("rows", In))
    Names.push_back(P.Name);
  return Names;
}

TEST(Recipes, OrionsCandidatesAreInItsDirection) {
  using testing::ElementsAre;
  EXPECT_THAT(candidates(40, 4, {56, 48, 40}),
              ElementsAre("registers-56", "registers-48", "registers-40"));
  EXPECT_EQ(candidates(90, 2, {96, 80, 72, 64, 56, 48, 40}).size(), 5u);
  EXPECT_THAT(candidates(20, 3, {32}),
              ElementsAre("at-most-2-blocks", "at-most-1-block"));
  EXPECT_EQ(candidates(20, 8, {}).size(), 5u);
  EXPECT_THAT(candidates(20, 1, {}), testing::IsEmpty());
  EXPECT_THAT(candidates(90, 1, {}), testing::IsEmpty());
}

TEST(Recipes, StrategiesAreFoundByName) {
  const JobResult Plain = job(Rows, builtIn());
  const Kernel &K = Plain.Outcome.Analysed->Kernels.at(0).Source;
  auto Both = findRecipe(K, "both-by-dru");
  ASSERT_TRUE(Both);
  EXPECT_EQ(Both->Rule, "dru");
  EXPECT_THAT(
      Both->Transforms,
      testing::ElementsAre("launch-bounds", "spill-shared", "rematerialize"));
  EXPECT_EQ(Both->Kernel, "rows");
  EXPECT_TRUE(findRecipe(K, "spill-by-unified"));
  EXPECT_EQ(findRecipe(K, "registers-56")->Registers, 56);
  for (const char *Name : {"again-by-tpsc", "both-by-orion", "spill-by-crat",
                           "registers-15", "registers-256", "registers-056"})
    EXPECT_FALSE(findRecipe(K, Name)) << Name;
}

class Variants : public testing::TestWithParam<const char *> {};

TEST_P(Variants, PositiveSettingsWriteWhatWasTried) {
  const JobResult Plain = job(GetParam(), builtIn());
  ASSERT_TRUE(Plain.Outcome.Analysed) << Plain.Outcome.Error;
  const Report &R = *Plain.Outcome.Analysed;
  const llvm::GlobPattern Names = llvm::cantFail(llvm::GlobPattern::create(
      "{default,sums,tiles-64,groups-?-*,blocks-1*,registers-32,at-most-3*}",
      8));
  size_t Changing = 0;
  const Kernel &K = R.Kernels.at(0).Source;
  std::vector<Recipe> All = recipesFor(K);
  llvm::append_range(All, recipesFor(K, Points::Blocks));
  for (const Recipe &P : All) {
    SCOPED_TRACE(P.Name);
    if (!Names.match(P.Name))
      continue;
    JobResult Tried = job(GetParam(), withRecipe(builtIn(), P));
    Options O = builtIn();
    O.Measured = {entry(R, P.Name)};
    JobResult Settled = job(GetParam(), O);
    EXPECT_EQ(Settled.NewTexts, Tried.NewTexts);
    EXPECT_EQ(Settled.Exit, ExitFine) << Settled.Outcome.Error;
    for (const KernelReport &K : Settled.Outcome.Analysed->Kernels) {
      ASSERT_TRUE(K.Measured);
      EXPECT_EQ(K.Measured->WhyNot, "");
    }
    if (Settled.NewTexts.empty())
      continue;
    ++Changing;
    // The text that was measured is that without what was added since.
    JobResult Again = job(Settled.NewTexts.at(SnippetPath), O);
    EXPECT_TRUE(Again.NewTexts.empty());
    EXPECT_EQ(Again.Outcome.Analysed->Kernels.at(0).Measured->WhyNot, "");
  }
  EXPECT_GE(Changing, 3u);
}

TEST_P(Variants, PositiveAsWrittenIsLeftAlone) {
  const JobResult Plain = job(GetParam(), builtIn());
  EXPECT_FALSE(Plain.NewTexts.empty());
  Options O = builtIn();
  O.Measured = {entry(*Plain.Outcome.Analysed, AsWritten)};
  const JobResult Left = job(GetParam(), O);
  EXPECT_TRUE(Left.NewTexts.empty());
  EXPECT_TRUE(Left.Outcome.Changes.Done.empty());
}

INSTANTIATE_TEST_SUITE_P(All, Variants,
                         testing::Values(Rows, Templates, Macros));

} // namespace
