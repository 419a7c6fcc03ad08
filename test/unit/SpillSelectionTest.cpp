//===- SpillSelectionTest.cpp - Tests of plan/SpillSelection ----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The papers' examples as far as their text gives them, then random cases
// against brute force and against what must always hold.
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/spill/SpillSelection.h"
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace catt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

//===-- TLP-RM ------------------------------------------------------------===//

/// Live from its first touch to its last.
SpillCandidate touchedAt(std::initializer_list<unsigned> Points,
                         unsigned Registers = 1) {
  SpillCandidate V;
  V.Registers = Registers;
  V.LiveAt.resize(std::max(Points) + 1);
  V.LiveAt.set(std::min(Points), std::max(Points) + 1);
  V.TouchedAt.resize(V.LiveAt.size());
  for (unsigned P : Points)
    V.TouchedAt.set(P);
  return V;
}

/// TLP-RM figure 7: r3 is live over the period under pressure and not touched
/// in it; spilling it takes the segment from four registers to three. Which
/// register and these two numbers are the paper's; the instructions are only
/// in its picture, these here are ours.
std::vector<SpillCandidate> figure7() {
  return {touchedAt({0, 3, 5}),  // r1
          touchedAt({1, 4}),     // r2
          touchedAt({2, 7}),     // r3
          touchedAt({3, 4, 5})}; // r4
}

TEST(SpillSelection, TlpRmFigure7) {
  std::vector<SpillCandidate> V = figure7();
  EXPECT_THAT(pressure(V), ElementsAre(1, 2, 3, 4, 4, 3, 1, 1));
  EXPECT_THAT(peaks(pressure(V)), ElementsAre(PressureRegion{3, 4}));
  SpillPlan P = spillDown(V, 3, 8);
  EXPECT_THAT(P.Spills, ElementsAre(Spill{2, 2, 7}));
  EXPECT_EQ(P.Registers, 3u);
  EXPECT_EQ(P.Spilled, 1u);
}

TEST(SpillSelection, NothingToDoAtTheDesiredNumber) {
  SpillPlan P = spillDown(figure7(), 4, 8);
  EXPECT_THAT(P.Spills, IsEmpty());
  EXPECT_EQ(P.Registers, 4u);
}

TEST(SpillSelection, NegativeNoRoom) {
  SpillPlan P = spillDown(figure7(), 3, 0);
  EXPECT_THAT(P.Spills, IsEmpty());
  EXPECT_EQ(P.Registers, 4u);
}

TEST(SpillSelection, NegativeTouchedInTheRegion) {
  std::vector<SpillCandidate> V = figure7();
  V[2].TouchedAt.set(4);
  EXPECT_THAT(spillDown(V, 3, 8).Spills, IsEmpty());
  V = figure7();
  V[2].MaySpill = false;
  EXPECT_THAT(spillDown(V, 3, 8).Spills, IsEmpty());
  EXPECT_THAT(spillDown({}, 0, 8).Spills, IsEmpty());
}

TEST(SpillSelection, MostRegionsFirstThenLongest) {
  // Two regions of equal height, 4 to 5 and 8 to 9.
  std::vector<PressureRegion> Regions = {{4, 5}, {8, 9}};
  std::vector<SpillCandidate> V = {
      touchedAt({3, 6}),      // the first region
      touchedAt({3, 10}),     // both
      touchedAt({0, 7}),      // the first region, longer
      touchedAt({0, 5, 20}),  // touched in the first: not at all
      touchedAt({7, 10}),     // only the second
      touchedAt({0, 9, 20})}; // live in both, touched in the second
  EXPECT_THAT(spillOrder(V, Regions), ElementsAre(1, 5, 2, 0));
}

TEST(SpillSelection, WideValuesCountTheirWidth) {
  std::vector<SpillCandidate> V = figure7();
  V[2].Registers = 2;
  EXPECT_EQ(spillDown(V, 4, 1).Registers, 5u);
  SpillPlan P = spillDown(V, 4, 2);
  EXPECT_EQ(P.Registers, 4u); // where r3 is written
  EXPECT_EQ(P.Spilled, 2u);
}

TEST(SpillSelection, OneRegionAfterTheOther) {
  // The second is the peak only when the first has been brought down.
  std::vector<SpillCandidate> V = {touchedAt({0, 9}),    touchedAt({0, 5, 9}),
                                   touchedAt({1, 2, 3}), touchedAt({2, 3}),
                                   touchedAt({6, 7, 8}), touchedAt({0, 9}, 2)};
  SpillPlan P = spillDown(V, 4, 8);
  EXPECT_EQ(P.Registers, 4u);
  EXPECT_THAT(P.Spills, ElementsAre(Spill{0, 0, 9}, Spill{1, 0, 5}));
}

/// Random candidates with touches at both ends of their live range.
std::vector<SpillCandidate> randomCandidates(std::mt19937 &Random) {
  std::vector<SpillCandidate> Out;
  for (unsigned I = 0; I < 8; ++I) {
    unsigned A = Random() % 20, B = Random() % 20;
    Out.push_back(
        touchedAt({A, B,
                   std::min(A, B) + unsigned(Random()) %
                                        (std::max(A, B) - std::min(A, B) + 1)},
                  1 + Random() % 2));
  }
  return Out;
}

TEST(SpillSelection, SpillsAreWhatTheySay) {
  std::mt19937 Random(4);
  unsigned Helped = 0;
  for (unsigned Case = 0; Case < 500; ++Case) {
    std::vector<SpillCandidate> Before = randomCandidates(Random);
    unsigned Desired = Random() % 8, Room = Random() % 6;
    SpillPlan P = spillDown(Before, Desired, Room);
    std::vector<SpillCandidate> After = Before, InMemory;
    for (const Spill &S : P.Spills) {
      SpillCandidate Slot;
      Slot.Registers = Before[S.Value].Registers;
      Slot.LiveAt.resize(20);
      Slot.LiveAt.set(S.StoreAfter, S.LoadBefore + 1);
      InMemory.push_back(Slot);
      // Touched at both ends, nowhere between.
      EXPECT_TRUE(Before[S.Value].TouchedAt.test(S.StoreAfter));
      EXPECT_TRUE(Before[S.Value].TouchedAt.test(S.LoadBefore));
      for (unsigned I = S.StoreAfter + 1; I < S.LoadBefore; ++I) {
        EXPECT_FALSE(Before[S.Value].TouchedAt.test(I));
        After[S.Value].LiveAt.reset(I);
      }
    }
    auto Highest = [](const std::vector<SpillCandidate> &V) {
      std::vector<unsigned> At = pressure(V);
      return At.empty() ? 0 : *std::max_element(At.begin(), At.end());
    };
    EXPECT_EQ(P.Registers, Highest(After));
    EXPECT_EQ(P.Spilled, Highest(InMemory));
    EXPECT_LE(P.Spilled, Room);
    Helped += P.Registers < Highest(Before);
    if (P.Registers <= Desired)
      continue;
    // It stopped because each value that qualifies finds no room.
    for (size_t I : spillOrder(After, peaks(pressure(After)))) {
      const PressureRegion Region = peaks(pressure(After)).front();
      SpillCandidate Slot;
      Slot.Registers = After[I].Registers;
      Slot.LiveAt.resize(20);
      Slot.LiveAt.set(Region.Begin - 1, Region.End + 2);
      InMemory.push_back(Slot); // at least that
      unsigned AtLeast = Highest(InMemory);
      InMemory.back().LiveAt |= After[I].LiveAt; // at most that
      EXPECT_GT(Highest(InMemory), Room) << "case " << Case;
      EXPECT_LE(AtLeast, Highest(InMemory));
      InMemory.pop_back();
    }
  }
  EXPECT_GT(Helped, 50u); // the cases are not idle
}

//===-- CRAT --------------------------------------------------------------===//

uint64_t gainOf(const std::vector<SubStack> &Stacks,
                const std::vector<size_t> &Chosen) {
  uint64_t Gain = 0;
  for (size_t I : Chosen)
    Gain += Stacks[I].Gain;
  return Gain;
}

uint64_t bytesOf(const std::vector<SubStack> &Stacks,
                 const std::vector<size_t> &Chosen) {
  uint64_t Bytes = 0;
  for (size_t I : Chosen)
    Bytes += Stacks[I].Bytes;
  return Bytes;
}

TEST(SpillSelection, KnapsackWhereGreedyFails) {
  // By gain per byte the first goes in, and neither of the others fits beside
  // it: 60 instead of 100.
  std::vector<SubStack> Stacks = {{60, 2304}, {50, 2048}, {50, 2048}};
  EXPECT_THAT(chooseSubStacks(Stacks, 4096), ElementsAre(1, 2));
  // By gain alone it is the other way round.
  Stacks = {{60, 4096}, {50, 2048}, {50, 2048}};
  EXPECT_THAT(chooseSubStacks(Stacks, 4096), ElementsAre(1, 2));
}

TEST(SpillSelection, KnapsackAtItsEnds) {
  std::vector<SubStack> Stacks = {
      {3, 1024}, {0, 1024}, {5, 0}, {4, 4096}, {0, 0}};
  EXPECT_THAT(chooseSubStacks({}, 4096), IsEmpty());
  EXPECT_THAT(chooseSubStacks(Stacks, 0), ElementsAre(2));
  EXPECT_THAT(chooseSubStacks(Stacks, 1023), ElementsAre(2));
  EXPECT_THAT(chooseSubStacks(Stacks, 1024), ElementsAre(0, 2));
  // All the memory there is; what gains nothing takes nothing.
  EXPECT_THAT(chooseSubStacks(Stacks, ~0ull), ElementsAre(0, 2, 3));
}

TEST(SpillSelection, KnapsackTakesNoMoreBytesThanTheGainNeeds) {
  std::vector<SubStack> Stacks = {{7, 3000}, {7, 1000}};
  EXPECT_THAT(chooseSubStacks(Stacks, 3000), ElementsAre(1));
}

TEST(SpillSelection, KnapsackAgainstEverySubset) {
  std::mt19937 Random(6);
  for (unsigned Case = 0; Case < 400; ++Case) {
    std::vector<SubStack> Stacks(1 + Random() % 10);
    unsigned Unit = Case % 2 ? 1 : 128;
    for (SubStack &S : Stacks)
      S = {Random() % 50, uint64_t(Unit) * (Random() % 40)};
    uint64_t Spare = Unit * (Random() % 200) + Random() % Unit;
    uint64_t Best = 0, Fewest = 0;
    for (unsigned Set = 0; Set < 1u << Stacks.size(); ++Set) {
      std::vector<size_t> Members;
      for (size_t I = 0; I < Stacks.size(); ++I)
        if (Set >> I & 1)
          Members.push_back(I);
      uint64_t Gain = gainOf(Stacks, Members), Bytes = bytesOf(Stacks, Members);
      if (Bytes > Spare || Gain < Best || (Gain == Best && Bytes >= Fewest))
        continue;
      Best = Gain;
      Fewest = Bytes;
    }
    std::vector<size_t> Chosen = chooseSubStacks(Stacks, Spare);
    EXPECT_EQ(gainOf(Stacks, Chosen), Best) << "case " << Case;
    EXPECT_EQ(bytesOf(Stacks, Chosen), Fewest) << "case " << Case;
  }
}

TEST(SpillSelection, KnapsackOfAWholeSM) {
  // 227 KiB, a hundred stacks, sizes without a common divisor.
  std::mt19937 Random(8);
  std::vector<SubStack> Stacks(100);
  for (SubStack &S : Stacks)
    S = {1 + Random() % 1000, 1 + Random() % 9000};
  std::vector<size_t> Chosen = chooseSubStacks(Stacks, 227 * 1024);
  EXPECT_LE(bytesOf(Stacks, Chosen), 227 * 1024u);
  // No exchange of one stack for another one is better.
  for (size_t Out : Chosen)
    for (size_t In = 0; In < Stacks.size(); ++In)
      if (!llvm::is_contained(Chosen, In) &&
          bytesOf(Stacks, Chosen) - Stacks[Out].Bytes + Stacks[In].Bytes <=
              227 * 1024u) {
        EXPECT_LE(Stacks[In].Gain, Stacks[Out].Gain);
      }
}

//===-- Unified -----------------------------------------------------------===//

SlotValue word(unsigned Begin, unsigned End, uint64_t Accesses = 0,
               unsigned Elements = 1) {
  SlotValue V;
  V.Elements = Elements;
  V.Accesses = Accesses;
  V.LiveAt.resize(End + 1);
  V.LiveAt.set(Begin, End + 1);
  return V;
}

/// Functions that call later ones, with words live over intervals.
std::vector<SlotFunction> randomProgram(std::mt19937 &Random) {
  std::vector<SlotFunction> F(4);
  for (unsigned I = 0; I < F.size(); ++I) {
    for (unsigned V = 0; V < Random() % 6; ++V) {
      unsigned A = Random() % 6, B = Random() % 6;
      F[I].Values.push_back(
          word(std::min(A, B), std::max(A, B), Random() % 100));
    }
    for (unsigned C = I + 1; C < F.size(); ++C)
      for (unsigned Site = Random() % 3; Site > 0; --Site)
        F[I].Calls.push_back({C, unsigned(Random() % 6)});
  }
  return F;
}

unsigned liveBytes(const std::vector<SlotFunction> &F, const Composition &C) {
  unsigned Bytes = 0;
  for (const CompositionStep &S : C)
    for (const SlotValue &V : F[S.Function].Values)
      if (S.Point < V.LiveAt.size() && V.LiveAt.test(S.Point))
        Bytes += V.bytes();
  return Bytes;
}

TEST(SpillSelection, UnifiedCompositionInstruction) {
  // Section 3.2.2: inst2 of func0 calls func1, inst3 of func1 calls func2;
  // the one that ends at inst0 of func2 is
  // {(func0, inst2), (func1, inst3), (func2, inst0)}.
  std::vector<SlotFunction> F(3);
  F[0].Calls = {{1, 2}};
  F[1].Calls = {{2, 3}};
  F[2].Values = {word(0, 0)};
  std::vector<Composition> All = *compositions(F, 0);
  EXPECT_THAT(All, ::testing::Contains(Composition{{0, 2}, {1, 3}, {2, 0}}));
  EXPECT_EQ(All.size(), 3u + 4u + 1u);
  EXPECT_EQ(All.front(), (Composition{{0, 0}}));
}

TEST(SpillSelection, UnifiedMaxLiveOfFigure3) {
  // Two, two and four variables, as SharedSlotsTest has them: 8 words.
  std::vector<SlotFunction> F(3);
  F[0].Values = {word(0, 1), word(0, 0), word(0, 1), word(0, 0)};
  F[1].Values = {word(0, 0), word(0, 1), word(0, 1), word(0, 0)};
  F[2].Values = {word(0, 0), word(0, 0), word(0, 0), word(0, 0)};
  F[0].Calls = {{1, 1}};
  F[1].Calls = {{2, 1}};
  EXPECT_EQ(maxLiveAcrossCalls(F, 0), 8 * 4u);
}

TEST(SpillSelection, MaxLiveIsThatOfTheLargestComposition) {
  std::mt19937 Random(2);
  for (unsigned Case = 0; Case < 300; ++Case) {
    std::vector<SlotFunction> F = randomProgram(Random);
    unsigned Most = 0;
    std::vector<Composition> All = *compositions(F, 0);
    for (const Composition &C : All)
      Most = std::max(Most, liveBytes(F, C));
    EXPECT_EQ(maxLiveAcrossCalls(F, 0), Most) << "case " << Case;
  }
}

TEST(SpillSelection, MovingStackTakesAsMuchAsIsLiveAtOnce) {
  std::mt19937 Random(12);
  for (unsigned Case = 0; Case < 300; ++Case) {
    std::vector<SlotFunction> F = randomProgram(Random);
    std::vector<Slots> Frames;
    for (const SlotFunction &Function : F)
      Frames.push_back(colourSlots(Function.Values, SlotLayout::Words));
    EXPECT_EQ(placeFrames(F, Frames, 0, StackDiscipline::MovingStack)->Bytes,
              maxLiveAcrossCalls(F, 0));
  }
}

/// A kernel with one value over its calls of a function with two, called from
/// two places; 8 bytes are available.
std::vector<SlotFunction> twoCalls() {
  std::vector<SlotFunction> F(2);
  F[0].Values = {word(0, 3, 2), word(0, 0, 50)};
  F[0].Calls = {{1, 1}, {1, 2}};
  F[1].Values = {word(0, 1, 5), word(1, 2, 4)};
  return F;
}

TEST(SpillSelection, UnifiedPrunesTheLeastFrequent) {
  // Over the limit: point 1 of the function, by either call. All three values
  // that are live there are so twice: the accesses decide, and those of the
  // function count for both calls.
  EXPECT_THAT(*pruneToFit(twoCalls(), 0, 8),
              ElementsAre(ValueOfFunction{0, 0}));
  // Two words more at the function's point 0, which is then over the limit
  // too: now the kernel's value is at four of the points, its neighbours at
  // two, and stays although nothing is accessed less.
  std::vector<SlotFunction> F = twoCalls();
  F[1].Values.push_back(word(0, 0, 1, 2));
  EXPECT_THAT(*pruneToFit(F, 0, 8, SpillPriority::Frequency),
              ElementsAre(ValueOfFunction{1, 2}, ValueOfFunction{1, 1}));
  EXPECT_THAT(*pruneToFit(F, 0, 8, SpillPriority::AccessesPerByte),
              ElementsAre(ValueOfFunction{1, 2}, ValueOfFunction{0, 0}));
}

TEST(SpillSelection, AccessesCountOnceForEachChainOfCalls) {
  std::vector<SlotFunction> F = twoCalls();
  F[0].Values[0].Accesses = 6; // 5 and 4 of the function are 10 and 8
  EXPECT_THAT(*pruneToFit(F, 0, 8, SpillPriority::AccessesPerByte),
              ElementsAre(ValueOfFunction{0, 0}));
  F[0].Calls.pop_back();
  EXPECT_THAT(*pruneToFit(F, 0, 8, SpillPriority::AccessesPerByte),
              ElementsAre(ValueOfFunction{1, 1}));
}

TEST(SpillSelection, WhatFitsBesideTheRestStays) {
  // The word is the lowest, and the array does not fit without it either.
  std::vector<SlotFunction> F(1);
  F[0].Values = {word(0, 1, 1), word(0, 1, 9, 4)};
  EXPECT_THAT(*pruneToFit(F, 0, 4), ElementsAre(ValueOfFunction{0, 1}));
}

TEST(SpillSelection, NothingIsPrunedThatFits) {
  EXPECT_THAT(*pruneToFit(twoCalls(), 0, 12), IsEmpty());
  EXPECT_THAT(pruneToFit(twoCalls(), 0, 0)->size(), 4u);
}

TEST(SpillSelection, NegativeRecursionAndTooManyChains) {
  std::vector<SlotFunction> F = twoCalls();
  F[1].Calls = {{0, 0}};
  EXPECT_FALSE(compositions(F, 0).has_value());
  EXPECT_FALSE(maxLiveAcrossCalls(F, 0).has_value());
  EXPECT_FALSE(pruneToFit(F, 0, 8).has_value());
  // 2^0 + ... + 2^63 chains: counted, never walked.
  std::vector<SlotFunction> Deep(64);
  for (unsigned I = 0; I + 1 < Deep.size(); ++I)
    Deep[I].Calls = {{I + 1, 0}, {I + 1, 1}};
  EXPECT_FALSE(pruneToFit(Deep, 0, 8).has_value());
  EXPECT_EQ(maxLiveAcrossCalls(Deep, 0), 0u);
}

TEST(SpillSelection, WhatIsLeftFitsAndNothingElseDoes) {
  std::mt19937 Random(14);
  unsigned Pruned = 0;
  for (unsigned Case = 0; Case < 300; ++Case) {
    const std::vector<SlotFunction> F = randomProgram(Random);
    unsigned Limit = 4 * (Random() % 6);
    for (SpillPriority By :
         {SpillPriority::Frequency, SpillPriority::AccessesPerByte}) {
      std::vector<ValueOfFunction> Out = *pruneToFit(F, 0, Limit, By);
      Pruned += !Out.empty();
      std::vector<SlotFunction> Left = F;
      for (const ValueOfFunction &V : Out)
        Left[V.Function].Values[V.Value].LiveAt.reset();
      EXPECT_LE(*maxLiveAcrossCalls(Left, 0), Limit);
      for (const ValueOfFunction &V : Out) {
        std::vector<SlotFunction> Again = Left;
        Again[V.Function].Values[V.Value] = F[V.Function].Values[V.Value];
        EXPECT_GT(*maxLiveAcrossCalls(Again, 0), Limit);
      }
    }
  }
  EXPECT_GT(Pruned, 100u);
}

} // namespace
} // namespace catt
