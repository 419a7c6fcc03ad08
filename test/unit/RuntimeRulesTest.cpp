//===- RuntimeRulesTest.cpp - Rules of the run that are known -------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/runtime/RuntimeRules.h"
#include "PlanTesting.h"
#include <gmock/gmock.h>

namespace catt {
namespace {

using namespace testing;

/// A kernel whose inner walk waits for `n`, or for `n` and `m`.
std::string kernel(const std::string &Index, const std::string &Before = "",
                   const std::string &Block = "256") {
  return Before +
         "__global__ void k(const float *A, const float *x, float *y, int n, "
         "int m) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  float s = 0;\n"
         "  for (int j = 0; j < 4096; ++j)\n    s += " +
         Index +
         " * x[j];\n  y[i] = s;\n}\n"
         "void go(float *A, int n, int m) { k<<<1056, " +
         Block + ">>>(A, A, A, n, m); }\n";
}

constexpr uint64_t Enough = 1'000'000'000;

/// Plans with what is known, and says what counting took.
struct Planned {
  LaunchPlan Plan;
  uint64_t Spent = 0;
};

Planned planned(const std::string &Code, RuleMemo *Rules,
                AnalysisOptions Options = options(28)) {
  const Parsed P = parseSnippet(Code);
  CountingQuota Quota(Enough);
  Options.Quota = &Quota;
  Options.Rules = Rules;
  LaunchPlan Plan = plan(P.kernel("k"), Options);
  return {std::move(Plan), Enough - Quota.left()};
}

TEST(RuntimeRules, PositiveTheSamePlan) {
  for (const char *Index : {"A[i * n + j]", "A[i * n + j * m]", "A[i * 64 + n]",
                            "A[i * n + j] * x[m]"}) {
    RuleMemo Rules;
    const Planned Alone = planned(kernel(Index), nullptr),
                  First = planned(kernel(Index), &Rules),
                  Again = planned(kernel(Index), &Rules);
    const LoopPlan &Loop = Alone.Plan.Plan.Loops[0];
    for (const Planned *Other : {&First, &Again}) {
      const LoopPlan &Its = Other->Plan.Plan.Loops[0];
      EXPECT_EQ(Its.Cases.size(), Loop.Cases.size()) << Index;
      for (const auto &[A, B] : llvm::zip(Its.Cases, Loop.Cases)) {
        EXPECT_EQ(A.Parameter, B.Parameter);
        EXPECT_EQ(A.From, B.From);
        EXPECT_EQ(A.WarpsPerGroup, B.WarpsPerGroup);
      }
      EXPECT_EQ(Its.Groups, Loop.Groups) << Index;
      EXPECT_EQ(Its.FootprintBytes, Loop.FootprintBytes) << Index;
      EXPECT_EQ(Its.PredictedGain, Loop.PredictedGain) << Index;
      EXPECT_EQ(Its.Why.has_value(), Loop.Why.has_value()) << Index;
    }
  }
}

TEST(RuntimeRules, PositiveWhatStandsElsewhereIsKnown) {
  RuleMemo Rules;
  const std::string Row = "A[i * n + j]";
  const Planned First = planned(kernel(Row), &Rules);
  EXPECT_FALSE(First.Plan.Plan.Loops[0].Cases.empty());
  const Planned Moved = planned(kernel(Row, "// another comment\n\n"), &Rules);
  EXPECT_LT(20 * Moved.Spent, First.Spent);
  EXPECT_EQ(Moved.Plan.Plan.Loops[0].Cases.size(),
            First.Plan.Plan.Loops[0].Cases.size());
}

TEST(RuntimeRules, NegativeWhatIsElseIsPlannedAgain) {
  RuleMemo Rules;
  const std::string Row = "A[i * n + j]";
  const uint64_t Spent = planned(kernel(Row), &Rules).Spent;
  for (const std::string &Code :
       {kernel("A[i * n + 2 * j]"), kernel("A[i * n + j + 1]"),
        kernel("A[i * m + j]"), kernel(Row, "", "512"),
        kernel(Row + " + y[i + 64 * j]")})
    EXPECT_LT(Spent, 10 * planned(Code, &Rules).Spent) << Code;
  for (const AnalysisOptions &Options : {options(32), options(std::nullopt)})
    EXPECT_LT(Spent, 10 * planned(kernel(Row), &Rules, Options).Spent);
  AnalysisOptions Other = options(28);
  Other.MinGain = 0.2;
  EXPECT_LT(Spent, 10 * planned(kernel(Row), &Rules, Other).Spent);
}

TEST(RuntimeRules, NegativeASpentQuotaIsNoRule) {
  RuleMemo Rules;
  const Parsed P = parseSnippet(kernel("A[i * n + j]"));
  AnalysisOptions Options = options(28);
  Options.Rules = &Rules;
  CountingQuota Little(planned(kernel("A[i * n + j]"), nullptr).Spent / 2);
  Options.Quota = &Little;
  EXPECT_EQ(plan(P.kernel("k"), Options).Plan.Loops[0].Why->Kind,
            Reason::TooComplex);
  EXPECT_FALSE(
      planned(kernel("A[i * n + j]"), &Rules).Plan.Plan.Loops[0].Cases.empty());
}

TEST(RuntimeRules, PositiveADecisionOfTheUserIsNoRule) {
  RuleMemo Rules;
  AnalysisOptions Forced = options(28);
  Forced.Forced = {{"k", "j", 2, std::nullopt, ""}};
  planned(kernel("A[i * n + j]"), &Rules, Forced);
  EXPECT_FALSE(
      planned(kernel("A[i * n + j]"), &Rules).Plan.Plan.Loops[0].Cases.empty());
}

} // namespace
} // namespace catt
