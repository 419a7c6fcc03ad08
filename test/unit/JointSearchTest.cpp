//===- JointSearchTest.cpp - Tests of JointStrategy, and of searching so --===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SpillTesting.h"
#include "analysis/plan/variant/JointStrategy.h"
#include "tool/optimize/Search.h"
#include <gmock/gmock.h>
#include <set>

namespace catt {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

RegisterPoint point(unsigned Cap, unsigned Registers, unsigned Spilled = 0) {
  return {Cap, Registers, Spilled, Spilled, Spilled, Origin::Measured};
}

/// A warp that takes as long wherever its loads are found.
WarpCost warp(double Cycles, double Issued, double Local, double Shared) {
  return {Cycles, Issued, 50, Local, Shared, Cycles};
}

/// A kernel without a loop around its accesses that takes 128 registers, so
/// that two blocks share an SM, and spills under every cap.
struct Bench : SpillBench {
  explicit Bench(const std::string &Code = manyValues()) : SpillBench(Code) {
    Use.Default = point(0, 128);
    Use.Caps = {point(48, 48, 240), point(64, 64, 160), point(80, 80, 80)};
    K().Spill.reset();
    plan();
  }
  KernelReport &K() { return R.Kernels[0]; }
  void plan() {
    K().Registers = planRegisters(K().Source, Use, Mix, Opt, Options);
    K().Joint.clear();
    if (K().Registers)
      K().Joint = jointVariants(K().Source, Use, K(), May, Options);
  }
  std::vector<int64_t> caps() {
    plan();
    std::vector<int64_t> Out;
    for (const Variant &J : K().Joint)
      if (J.Spill)
        Out.push_back(J.Spill->CapRegisters);
    return Out;
  }

  /// 200 blocks, of which one warp takes 30,000 cycles, and so many under a
  /// cap.
  void codeOf(double CyclesUnderCaps, double Local) {
    K().Source.Launches[0].Grid = {390, 1, 1};
    Use.Default.Warp = warp(30000, 1000, 0, 0);
    for (RegisterPoint &P : Use.Caps)
      P.Warp = warp(CyclesUnderCaps, 1000, Local, 0);
    Use.Default.Registers = 200;
  }

  /// An assembler that spills nothing once so many registers are moved.
  llvm::Error choose(std::map<unsigned, int64_t> Enough,
                     std::vector<std::string> Transforms = {"launch-bounds",
                                                            "spill-shared"}) {
    return search(
        R, searchesOf(R, May), {std::move(Transforms), {}},
        [&](llvm::ArrayRef<TextQuestion> Questions) {
          std::vector<TextAnswer> Out;
          for (const TextQuestion &Q : Questions) {
            unsigned Cap = Q.Caps.at("k");
            Asked.insert(Cap);
            unsigned Bytes = movedIn(Q.Texts) < Enough[Cap] ? 8 : 0;
            Out.push_back({{"k", point(Cap, Cap, Bytes)}});
            Out.back()["k"].Warp = Bytes == 0 ? Moved : Use.Caps.front().Warp;
          }
          return llvm::Expected<std::vector<TextAnswer>>(std::move(Out));
        });
  }
  std::string text() {
    RewriteOptions By{{"launch-bounds", "spill-shared"}, {}};
    auto New =
        llvm::cantFail(catt::apply(llvm::cantFail(rewrite(R, By)), R.Texts));
    return New.empty() ? P.Code : New.at(R.MainFile);
  }

  /// 600 cycles of computation and as many of memory for each block.
  InstructionMix Mix{2300, 70, 10, 1};
  std::optional<int64_t> Opt;
  Means May{.Spill = true, .Bounds = true};
  std::set<unsigned> Asked;
  std::optional<WarpCost> Moved; ///< of the texts that spill nothing
};

//===-- What is worth a trial ---------------------------------------------===//

TEST(JointVariants, PositivePointsThatSpillFewestBlocksFirst) {
  EXPECT_THAT(Bench().caps(), ElementsAre(80, 64, 48));
}

TEST(JointVariants, NegativeNothingToGain) {
  Bench B;
  B.Mix = InstructionMix{2300, 1, 1, 1}; // it computes, and warps do not help
  EXPECT_THAT(B.caps(), IsEmpty());
  B.Mix = InstructionMix{10, 70, 1, 1}; // the memory is all that counts
  EXPECT_THAT(B.caps(), IsEmpty());
}

TEST(JointVariants, NegativeNoInstructions) {
  Bench B;
  B.Mix = {};
  EXPECT_THAT(B.caps(), IsEmpty());
}

TEST(JointVariants, NegativeEstimatesAreNoTrial) {
  Bench B;
  for (RegisterPoint &P : B.Use.Caps)
    P.From = Origin::Estimated;
  EXPECT_THAT(B.caps(), IsEmpty());
}

TEST(JointVariants, NegativeStreamsAndDependentLoads) {
  Bench B;
  B.Mix.LoopAccesses = 60;
  B.Mix.Waits = 60; // more warps would hide that
  EXPECT_THAT(B.caps(), IsEmpty()) << "a stream";
  B.Mix.DependentAccesses = 10;
  EXPECT_THAT(B.caps(), IsEmpty()) << "dependent loads";
}

TEST(JointVariants, PositiveWhatEachRuleCouldComeTo) {
  Bench B;
  B.Options.By = Selector::Dru;
  EXPECT_THAT(B.caps(), ElementsAre(80)) << "one block more";
  B.Options.By = Selector::Orion;
  B.Use.MaxLive = 108;
  EXPECT_THAT(B.caps(), ElementsAre(64, 48)) << "where spills stay on the chip";
  B.Options.By = Selector::Unified;
  B.Mix.DispatchInterval = 12; // computation hides what does not spill more
  EXPECT_THAT(B.caps(), ElementsAre(80, 64, 48));
}

TEST(JointVariants, NegativeTpscWhereNothingSpillsWithoutACap) {
  Bench B; // whose cost is none: CRAT's product is the least there
  B.Options.By = Selector::Tpsc;
  EXPECT_THAT(B.caps(), IsEmpty());
}

TEST(JointVariants, NegativeTheUserDecides) {
  Bench B;
  B.Options.Target = 64;
  EXPECT_THAT(B.caps(), IsEmpty());
}

TEST(JointVariants, NegativeNoPartMayBeWritten) {
  Bench B;
  B.May = {.Bounds = true};
  EXPECT_THAT(B.caps(), IsEmpty());
  EXPECT_THAT(B.K().Joint, IsEmpty());
}

TEST(JointVariants, NegativeTheCacheWantsNoMoreBlocks) {
  Bench B;
  B.Opt = 2;
  EXPECT_THAT(B.caps(), IsEmpty());
}

TEST(JointVariants, NegativeNoBoundMayBeWritten) {
  EXPECT_THAT(Bench(manyValues("<<<9999, int(*A)>>>")).caps(), IsEmpty());
  EXPECT_THAT(Bench(manyValues("<<<9999, 256>>>", "__global__ void")).caps(),
              IsEmpty())
      << "launched elsewhere";
  EXPECT_THAT(Bench(manyValues("<<<9999, 256>>>",
                               "static __global__ void __launch_bounds__(256)"))
                  .caps(),
              IsEmpty());
}

TEST(JointVariants, NegativeNothingCanBeMoved) {
  Bench B;
  B.Use.Peaks.clear();
  EXPECT_THAT(B.caps(), IsEmpty());
}

//===-- The trial ---------------------------------------------------------===//

TEST(JointSearch, PositiveACapWithItsValues) {
  Bench B;
  EXPECT_FALSE(bool(B.choose({{80, 20}, {64, 99}})));
  EXPECT_THAT(B.Asked, ElementsAre(64, 80)) << "48 would spill more than 64";
  ASSERT_TRUE(B.K().Spill.has_value());
  EXPECT_EQ(B.K().Spill->CapRegisters, 80);
  EXPECT_GE(B.K().Spill->MovedRegisters, 20);
  EXPECT_EQ(B.K().Registers->chosen().Compiled.CapRegisters, 80u);
  const Selection &S = B.K().Registers->Selections.front();
  EXPECT_EQ(S.Point, B.K().Registers->Chosen);
  EXPECT_THAT(S.Why, HasSubstr("in shared memory"));
  EXPECT_THAT(B.text(), HasSubstr("__launch_bounds__(256, 3)"));
  EXPECT_THAT(B.text(), HasSubstr("cattSpill["));
}

TEST(JointSearch, PositiveTheLoosestOfThoseAboutAsGood) {
  Bench B;
  EXPECT_FALSE(bool(B.choose({{80, 4}, {64, 8}, {48, 12}})));
  EXPECT_THAT(B.Asked, ElementsAre(48, 64, 80));
  ASSERT_TRUE(B.K().Spill.has_value());
  // Gains of 1.12, 1.19 and 1.25 are predicted.
  EXPECT_EQ(B.K().Spill->CapRegisters, 64);
}

TEST(JointSearch, PositiveTlpRmGoesOnWherePtxasSpills) {
  Bench B;
  B.Options.By = Selector::Dru;
  B.plan();
  EXPECT_EQ(B.K().Registers->Chosen, 0u) << "80 registers spill";
  EXPECT_FALSE(bool(B.choose({{80, 20}})));
  EXPECT_THAT(B.Asked, ElementsAre(80));
  EXPECT_EQ(B.K().Registers->chosen().Compiled.CapRegisters, 80u);
  EXPECT_THAT(B.text(), HasSubstr("__launch_bounds__(256, 3)"));
  EXPECT_THAT(B.text(), HasSubstr("cattSpill["));
  const DesignPoint &Found = B.K().Registers->Relieved.at(1);
  EXPECT_GE(Found.By.Registers, 20);
  EXPECT_GT(Found.By.SharedAccesses, 0);
  EXPECT_FALSE(Found.spills());
}

TEST(JointSearch, PositiveUnifiedMovesBeforeItAsksAgain) {
  Bench B;
  B.Options.By = Selector::Unified;
  B.Mix.DispatchInterval = 12;
  B.plan();
  EXPECT_EQ(B.K().Registers->chosen().Compiled.CapRegisters, 80u)
      << "with local spills alone";
  EXPECT_FALSE(bool(B.choose({{80, 4}, {64, 8}, {48, 12}})));
  EXPECT_THAT(B.Asked, ElementsAre(48, 64, 80));
  EXPECT_EQ(B.K().Registers->chosen().Compiled.CapRegisters, 48u);
}

TEST(JointSearch, PositiveByCodeWhatATrialGains) {
  Bench B;
  B.codeOf(90000, 400); // spills take what waves would gain
  B.Moved = warp(31000, 1100, 0, 40);
  B.plan();
  EXPECT_EQ(B.K().Registers->Chosen, 0u);
  EXPECT_FALSE(bool(B.choose({{80, 4}, {64, 4}, {48, 4}})));
  EXPECT_THAT(B.Asked, ElementsAre(80));
  EXPECT_EQ(B.K().Registers->chosen().Compiled.CapRegisters, 80u);
  EXPECT_THAT(B.text(), HasSubstr("cattSpill["));
}

TEST(JointSearch, NegativeByCodeATrialThatGainsNothing) {
  Bench B;
  B.codeOf(40000, 40);
  B.Moved = warp(39000, 1100, 0, 40);
  B.plan();
  EXPECT_FALSE(bool(B.choose({{80, 4}, {64, 4}, {48, 4}})));
  EXPECT_THAT(B.Asked, Not(IsEmpty()));
  EXPECT_EQ(B.K().Registers->chosen().Compiled.CapRegisters, 80u);
  EXPECT_THAT(B.text(), HasSubstr("__launch_bounds__(256, 3)"));
  EXPECT_THAT(B.text(), Not(HasSubstr("cattSpill["))) << "spills are as good";
}

TEST(JointSearch, NegativeNoPointThatCannotBeatWhatWasFound) {
  Bench B;
  B.codeOf(31000, 300);
  // Eight blocks for each SM: three, four and five at a time take three turns
  // and two.
  B.K().Source.Launches[0].Grid = {1056, 1, 1};
  B.Moved = warp(30000, 1000, 0, 0); // as good as it can be
  EXPECT_THAT(B.caps(), ElementsAre(80, 64, 48));
  EXPECT_FALSE(bool(B.choose({{80, 4}, {64, 4}, {48, 4}})));
  EXPECT_THAT(B.Asked, ElementsAre(64, 80));
  EXPECT_EQ(B.K().Registers->chosen().Compiled.CapRegisters, 64u);
}

/// Whether the pragma is written where nothing can be moved and a warp takes so
/// many cycles with it, and 30,000 without.
bool takesPragma(double Cycles) {
  Bench B;
  B.K().Source.Values.clear();
  B.Options.HasSpillPragma = true;
  B.codeOf(30000, 120);
  B.plan();
  llvm::Error E = search(
      B.R, searchesOf(B.R, B.May), {{"launch-bounds", "spill-shared"}, {}},
      [&](llvm::ArrayRef<TextQuestion> Questions) {
        std::vector<TextAnswer> Out;
        for (const TextQuestion &Q : Questions) {
          const bool Pragma = llvm::any_of(Q.Texts, [](const auto &Text) {
            return Text.second.find("smem_spilling") != std::string::npos;
          });
          RegisterPoint P = point(Q.Caps.at("k"), Q.Caps.at("k"), 80);
          P.Warp = warp(Pragma ? Cycles : 30000, 1000, 120, 0);
          Out.push_back({{"k", P}});
        }
        return llvm::Expected<std::vector<TextAnswer>>(std::move(Out));
      });
  EXPECT_FALSE(bool(E));
  EXPECT_EQ(B.K().Registers->chosen().Compiled.CapRegisters, 80u);
  return B.text().find("smem_spilling") != std::string::npos;
}

TEST(JointSearch, PositiveByCodeThePragmaIsOneLine) {
  EXPECT_TRUE(takesPragma(28000));
}

TEST(JointSearch, NegativeByCodeThePragmaThatGainsHardlyAnything) {
  EXPECT_FALSE(takesPragma(29700));
}

TEST(JointVariants, NegativeCodeThatIsKnownUnderCapsAlone) {
  Bench Some, None; // that without a cap could not be followed
  for (Bench *B : {&Some, &None}) {
    B->codeOf(30000, 8);
    B->Use.Default.Warp.reset();
  }
  for (RegisterPoint &P : None.Use.Caps)
    P.Warp.reset();
  EXPECT_EQ(Some.caps(), None.caps());
}

TEST(JointSearch, PositiveTlpRmDoesNotAskTheModel) {
  Bench B;
  B.Options.By = Selector::Dru;
  B.codeOf(30000, 1);
  B.Moved = warp(90000, 1100, 0, 40);
  B.plan();
  EXPECT_FALSE(bool(B.choose({{80, 4}})));
  EXPECT_EQ(B.K().Registers->chosen().Compiled.CapRegisters, 80u);
  EXPECT_THAT(B.text(), HasSubstr("cattSpill["));
}

TEST(JointSearch, NegativeTlpRmSpillsNothingToLocalMemory) {
  Bench B;
  B.Options.By = Selector::Dru;
  B.plan();
  EXPECT_FALSE(bool(B.choose({{80, 99}})));
  EXPECT_EQ(B.K().Registers->Chosen, 0u);
  EXPECT_EQ(B.text(), B.P.Code);
}

TEST(JointSearch, NegativeItSpillsWhateverIsMoved) {
  Bench B;
  EXPECT_FALSE(bool(B.choose({{80, 99}, {64, 99}, {48, 99}})));
  EXPECT_THAT(B.Asked, ElementsAre(80));
  EXPECT_FALSE(B.K().Spill.has_value());
  EXPECT_EQ(B.K().Registers->Chosen, 0u);
  EXPECT_EQ(B.text(), B.P.Code);
}

TEST(JointSearch, NegativeTheAccessesCostMoreThanTheWarpsGain) {
  std::string Code = manyValues();
  // The values are used in a loop of many rounds.
  size_t At = Code.find("    y[i] = A[i]; // PEAK");
  Code.insert(At, "#pragma unroll\n    for (int j = 0; j < 40; ++j)\n"
                  "      v[j] += A[i];\n");
  Code.replace(Code.find("i < n; ++i)"), 11, "i < 999; ++i) {");
  Code.insert(Code.find("#pragma unroll\n  for (int i = 0; i < 40; ++i)\n"
                        "    y[n"),
              "  }\n");
  Bench B(Code);
  EXPECT_FALSE(bool(B.choose({})));
  EXPECT_THAT(B.Asked, Not(IsEmpty()));
  EXPECT_FALSE(B.K().Spill.has_value());
}

TEST(JointSearch, NegativeABoundThatCannotBeWritten) {
  Bench B;
  EXPECT_FALSE(bool(B.choose({}, {"spill-shared"})));
  EXPECT_FALSE(B.K().Spill.has_value()) << "without a cap it is no use";
}

TEST(JointSearch, NegativeAMacroOnThreadIdx) {
  Bench B("#define threadIdx threadIdx\n" + manyValues());
  EXPECT_FALSE(bool(B.choose({})));
  EXPECT_FALSE(B.K().Spill.has_value());
}

TEST(JointSearch, NegativeAnErrorLeavesThePlan) {
  Bench B;
  llvm::Error E = search(B.R, searchesOf(B.R, B.May),
                         {{"launch-bounds", "spill-shared"}, {}},
                         [](llvm::ArrayRef<TextQuestion>)
                             -> llvm::Expected<std::vector<TextAnswer>> {
                           return llvm::createStringError("no assembler");
                         });
  EXPECT_EQ(llvm::toString(std::move(E)), "no assembler");
  EXPECT_FALSE(B.K().Spill.has_value());
  EXPECT_EQ(B.K().Registers->Chosen, 0u);
}

} // namespace
} // namespace catt
