//===- LivenessTest.cpp - Pressure against counts by hand -----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/Liveness.h"
#include "RegistersTesting.h"
#include "analysis/registers/ColorRegisters.h"
#include "analysis/registers/Schedule.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <random>

using namespace catt;
using namespace catt::testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

/// Code of one block: each operation as {defines, uses}; widths of the values.
Code oneBlock(
    const std::vector<unsigned> &Widths,
    const std::vector<std::pair<std::vector<unsigned>, std::vector<unsigned>>>
        &Ops) {
  Code C;
  for (unsigned W : Widths)
    C.Values.push_back({W});
  for (const auto &[Defines, Uses] : Ops)
    C.Operations.push_back({Defines, Uses});
  C.Blocks.push_back({0, static_cast<unsigned>(Ops.size()), {}});
  return C;
}

//===-- MaxLive, counted by hand -----------------------------------------===//

TEST(Liveness, ADeadSourceGivesItsRegisterToTheResult) {
  // v0 =; v1 = v0; v2 = v0, v1: v0 and v1 are live before the last, v2 behind.
  EXPECT_EQ(maxLive(oneBlock(
                {1, 1, 1}, {{{0}, {}}, {{1}, {0}}, {{2}, {0, 1}}, {{}, {2}}})),
            2U);
}

TEST(Liveness, WideValuesCountTheirWidth) {
  // A 64-bit and a 128-bit value at once, and a predicate that takes nothing.
  EXPECT_EQ(
      maxLive(oneBlock({2, 4, 0},
                       {{{0}, {}}, {{1}, {}}, {{2}, {0}}, {{}, {0, 1, 2}}})),
      6U);
}

TEST(Liveness, AResultThatNothingReadsStillNeedsARegister) {
  EXPECT_EQ(maxLive(oneBlock({1, 1}, {{{0}, {}}, {{1}, {}}, {{}, {0}}})), 2U);
}

TEST(Liveness, NothingIsLiveInAnEmptyKernel) {
  EXPECT_EQ(maxLive(Code()), 0U);
  EXPECT_EQ(maxLive(lowerKernel("ret;")), 0U);
}

TEST(Liveness, ALoopKeepsWhatItsNextIterationReads) {
  Code C = lowerKernel(R"(
    .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [k_param_0];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %laneid;
    mov.u32 %r3, %ctaid.x;
  $L: add.u32 %r1, %r1, %r2;
    setp.lt.u32 %p, %r1, 100;
    @%p bra $L;
    st.global.u32 [%rd1], %r3;)");
  // %r1, %r2 and %r3 are live in the loop; the parameter is an operand, and
  // behind the loop its address takes two registers beside %r3.
  EXPECT_EQ(maxLive(C), 3U);
  Liveness L = computeLiveness(C);
  ASSERT_EQ(C.Blocks.size(), 3U);
  EXPECT_EQ(wordsOf(C, L.In[1]), 3U);
  EXPECT_EQ(wordsOf(C, L.In[2]), 1U);
  EXPECT_EQ(C.Blocks[1].Depth, 1U);
  EXPECT_TRUE(C.Blocks[1].Loops);
  EXPECT_EQ(C.Blocks[2].Depth, 0U);
}

TEST(Liveness, TheArmsOfABranchDoNotAddUp) {
  Code C = lowerKernel(R"(
    .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %rd;
    ld.param.u64 %rd, [k_param_0];
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p, %r1, 5;
    @%p bra $L_then;
    mul.lo.u32 %r2, %r1, %r1; xor.b32 %r3, %r1, %r2; add.u32 %r4, %r2, %r3;
    bra.uni $L_end;
  $L_then: add.u32 %r4, %r1, 7;
  $L_end: st.global.u32 [%rd], %r4;)");
  // %r1 and %r2, then %r2 and %r3; at the store, %r4 and the address.
  EXPECT_EQ(maxLive(C), 3U);
}

//===-- Lowering ---------------------------------------------------------===//

TEST(Liveness, ParametersConstantsAndCopiesAreNoValues) {
  Code C = lowerKernel(R"(
    .reg .b32 %r<4>; .reg .b64 %rd<6>; .reg .f32 %f<2>;
    ld.param.u64 %rd1, [k_param_0];
    ld.param.u32 %r1, [k_param_1];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r2, %tid.x;
    mul.wide.s32 %rd3, %r2, 4;
    add.s64 %rd4, %rd2, %rd3;
    ld.global.f32 %f1, [%rd4];
    st.global.f32 [%rd4+4], %f1;)");
  // %r2 (the thread), %rd4 (the address) and %f1 are left.
  EXPECT_EQ(C.Values.size(), 3U);
  EXPECT_EQ(C.Operations.size(), 4U);
  EXPECT_EQ(maxLive(C), 3U);
}

TEST(Liveness, AnIndexThatIsReadOtherwiseIsAValue) {
  Code C = lowerKernel(R"(
    .reg .b32 %r<2>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [k_param_0];
    mov.u32 %r1, %tid.x;
    mul.wide.s32 %rd2, %r1, 4;
    st.global.u64 [%rd1], %rd2;)");
  EXPECT_EQ(C.Values.size(), 2U);
}

TEST(Liveness, WhatIsNeverReadIsNotComputed) {
  Code C = lowerKernel(R"(
    .reg .b32 %r<5>; .reg .b64 %rd;
    ld.param.u64 %rd, [k_param_0];
    mov.u32 %r1, %tid.x; add.u32 %r2, %r1, 1; mul.lo.u32 %r3, %r2, %r2;
    atom.global.add.u32 %r4, [%rd], 1;)");
  // The atomic stays although nothing reads what it returns.
  EXPECT_EQ(C.Operations.size(), 1U);
}

//===-- Scheduling -------------------------------------------------------===//

constexpr const char *FourLoads = R"(
    .reg .b32 %r<2>; .reg .b64 %rd<9>; .reg .f32 %f<9>;
    ld.param.u64 %rd1, [k_param_0]; mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 16; add.s64 %rd3, %rd1, %rd2;
    ld.global.f32 %f1, [%rd3];   add.f32 %f5, %f1, %f1;
    ld.global.f32 %f2, [%rd3+4]; add.f32 %f6, %f5, %f2;
    ld.global.f32 %f3, [%rd3+8]; add.f32 %f7, %f6, %f3;
    ld.global.f32 %f4, [%rd3+12]; add.f32 %f8, %f7, %f4;
    st.global.f32 [%rd3], %f8;)";

TEST(Liveness, LoadsAreBatchedWhileRegistersAreFree) {
  Code C = lowerKernel(FourLoads);
  Liveness L = computeLiveness(C);
  // One after the other: the address, the sum and one loaded value.
  EXPECT_EQ(maxLive(C), 4U);
  // All four at once, beside the address.
  EXPECT_EQ(scheduledPressure(C, L, {100, 1, 64})[0], 6U);
  EXPECT_EQ(scheduledPressure(C, L, {0, 1, 64})[0], 4U);
}

TEST(Liveness, FewerRegistersMeanMoreWaits) {
  Code C = lowerKernel(FourLoads);
  Liveness L = computeLiveness(C);
  auto Waits = [&](unsigned Limit, bool Count = true) {
    return scheduledWaits(C, L, {Limit, 1, 64}, [&](const Operation &O) {
      return Count && (O.Reads & Space::Global) != 0;
    })[0];
  };
  EXPECT_EQ(Waits(100), 1); // all four are under way
  EXPECT_EQ(Waits(0), 4);   // one after the other
  EXPECT_EQ(Waits(0, false), 0);
}

TEST(Liveness, NoLoadMovesAboveAStoreThatMayHitIt) {
  Code C = lowerKernel(R"(
    .reg .b32 %r<2>; .reg .b64 %rd<4>; .reg .f32 %f<3>;
    ld.param.u64 %rd1, [k_param_0]; mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 16; add.s64 %rd3, %rd1, %rd2;
    ld.global.f32 %f1, [%rd3]; st.global.f32 [%rd3+4], %f1;
    ld.global.f32 %f2, [%rd3+8]; st.global.f32 [%rd3+12], %f2;)");
  EXPECT_EQ(scheduledPressure(C, computeLiveness(C), {100, 1, 64})[0], 3U);
}

TEST(Liveness, AReorderedBlockComputesTheSame) {
  Code C = lowerKernel(FourLoads);
  Liveness L = computeLiveness(C);
  Code R = reordered(C, L, 0);
  ASSERT_EQ(R.Operations.size(), C.Operations.size());
  // Every value is defined before it is used.
  std::vector<bool> Defined(R.Values.size());
  for (const Operation &O : R.Operations) {
    for (unsigned V : O.Uses)
      EXPECT_TRUE(Defined[V]);
    for (unsigned V : O.Defines)
      Defined[V] = true;
  }
}

//===-- Colouring --------------------------------------------------------===//

TEST(ColorRegisters, WhatFitsIsNotSpilled) {
  Code C = lowerKernel(FourLoads);
  Allocation A = colorRegisters(C, 4);
  EXPECT_THAT(A.Spilled, IsEmpty());
  EXPECT_EQ(A.StoreBytes + A.LoadBytes + A.StackBytes, 0U);
  EXPECT_LE(A.Registers, 4U);
  EXPECT_TRUE(A.Complete);
}

TEST(ColorRegisters, TheLongUnusedValueIsSpilled) {
  // v0 is live across everything and read once; v1 and v2 are read often.
  Code C = oneBlock({1, 1, 1, 1}, {{{0}, {}},
                                   {{1}, {}},
                                   {{2}, {1}},
                                   {{3}, {1, 2}},
                                   {{}, {1, 2, 3}},
                                   {{}, {0}}});
  Allocation A = colorRegisters(C, 3);
  EXPECT_THAT(A.Spilled, ElementsAre(0U));
  EXPECT_EQ(A.StoreBytes, 4U);
  EXPECT_EQ(A.LoadBytes, 4U);
  EXPECT_EQ(A.StackBytes, 4U);
}

TEST(ColorRegisters, TemporariesTakeRegisters) {
  // v0 is live across an operation that needs two registers for a moment.
  Code C = oneBlock({1, 1}, {{{0}, {}}, {{1}, {}}, {{}, {1}}, {{}, {0}}});
  EXPECT_THAT(colorRegisters(C, 3).Spilled, IsEmpty());
  C.Operations[1].Temporaries = 2;
  EXPECT_THAT(colorRegisters(C, 4).Spilled, IsEmpty());
  Allocation A = colorRegisters(C, 3);
  EXPECT_THAT(A.Spilled, ElementsAre(0U));
  EXPECT_TRUE(A.Complete);
}

TEST(ColorRegisters, PairsAreAligned) {
  // One word and a pair: the pair cannot start at register 1, so four are
  // needed although three are live.
  Code C = oneBlock({1, 2, 1}, {{{0}, {}}, {{1}, {}}, {{}, {0, 1}}});
  EXPECT_LE(colorRegisters(C, 4).Registers, 4U);
  EXPECT_TRUE(colorRegisters(C, 4).Complete);
}

TEST(ColorRegisters, ACapBelowOneOperationIsSaid) {
  Code C =
      oneBlock({1, 1, 1}, {{{0}, {}}, {{1}, {}}, {{2}, {}}, {{}, {0, 1, 2}}});
  EXPECT_FALSE(colorRegisters(C, 2).Complete);
  Allocation None = colorRegisters(C, 0);
  EXPECT_FALSE(None.Complete);
  EXPECT_EQ(None.Registers, 0U);
  EXPECT_THAT(None.Spilled, ElementsAre(0U, 1U, 2U));
  EXPECT_EQ(None.StoreBytes, 12U);
  EXPECT_EQ(None.LoadBytes, 12U);
  EXPECT_EQ(None.StackBytes, 12U);
}

TEST(ColorRegisters, AValueWiderThanTheCapIsSpilledOnce) {
  Code C = oneBlock({4, 1}, {{{0}, {}}, {{1}, {}}, {{}, {1}}, {{}, {0}}});
  Allocation A = colorRegisters(C, 2);
  EXPECT_FALSE(A.Complete);
  EXPECT_THAT(A.Spilled, ElementsAre(0U));
  EXPECT_EQ(A.StackBytes, 16U);
}

/// A random block whose operations read two earlier values each.
Code randomBlock(unsigned Seed) {
  std::mt19937 Random(Seed);
  Code C;
  for (unsigned I = 0; I != 40; ++I) {
    C.Values.push_back({Random() % 3 == 0 ? 2U : 1U});
    Operation O;
    O.Defines = {I};
    if (I > 1) {
      O.Uses = {static_cast<unsigned>(Random() % I),
                static_cast<unsigned>(Random() % I)};
      llvm::sort(O.Uses);
      O.Uses.erase(std::unique(O.Uses.begin(), O.Uses.end()), O.Uses.end());
    }
    C.Operations.push_back(O);
  }
  C.Blocks.push_back({0, 40, {}});
  return C;
}

/// MaxLive by asking, at each place, which values are made before it and read
/// from it on: no data flow, no order of visits.
unsigned bruteMaxLive(const Code &C) {
  unsigned Most = 0;
  for (unsigned I = 0; I != C.Operations.size(); ++I) {
    unsigned Before = 0, Behind = 0;
    for (unsigned V = 0; V != C.Values.size(); ++V) {
      unsigned LastRead = 0;
      for (unsigned J = 0; J != C.Operations.size(); ++J)
        for (unsigned U : C.Operations[J].Uses)
          if (U == V)
            LastRead = J;
      if (V < I && LastRead >= I)
        Before += C.Values[V].Words;
      if (V == I || (V < I && LastRead > I))
        Behind += C.Values[V].Words;
    }
    Most = std::max({Most, Before, Behind});
  }
  return Most;
}

TEST(Liveness, RandomBlocksAgreeWithBruteForce) {
  for (unsigned Seed = 0; Seed != 200; ++Seed) {
    Code C = randomBlock(Seed);
    EXPECT_EQ(maxLive(C), bruteMaxLive(C)) << "seed " << Seed;
  }
}

TEST(ColorRegisters, NoAllocationBeatsMaxLiveWithoutASpill) {
  for (unsigned Seed = 0; Seed != 60; ++Seed) {
    Code C = randomBlock(Seed);
    unsigned Live = maxLive(C);
    Allocation Below = colorRegisters(C, Live - 1);
    EXPECT_TRUE(!Below.Spilled.empty() || !Below.Complete) << "seed " << Seed;
    // Alignment can cost, but never more than as much again.
    EXPECT_THAT(colorRegisters(C, 2 * Live).Spilled, IsEmpty())
        << "seed " << Seed;
  }
}

TEST(ColorRegisters, EveryCapEndsAndSpillsAValueOnce) {
  for (unsigned Seed = 0; Seed != 20; ++Seed) {
    Code C = randomBlock(Seed);
    unsigned Bytes = 0;
    for (const CodeValue &V : C.Values)
      Bytes += 4 * V.Words;
    for (unsigned Cap = 0; Cap != maxLive(C); ++Cap) {
      Allocation A = colorRegisters(C, Cap);
      EXPECT_EQ(std::adjacent_find(A.Spilled.begin(), A.Spilled.end()),
                A.Spilled.end())
          << "seed " << Seed << ", cap " << Cap;
      EXPECT_LE(A.StackBytes, Bytes) << "seed " << Seed << ", cap " << Cap;
      EXPECT_LE(A.Registers, Cap) << "seed " << Seed << ", cap " << Cap;
    }
  }
}

} // namespace
