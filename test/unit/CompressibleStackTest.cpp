//===- CompressibleStackTest.cpp - Tests of the moving stack ----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Orion's figure first, then random frames against every order of their slots.
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/spill/CompressibleStack.h"
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace catt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

CallInFrame call(unsigned SlotCount, std::initializer_list<unsigned> Live,
                 unsigned Height = 0, uint64_t Times = 1) {
  CallInFrame C{llvm::BitVector(SlotCount), Height, Times};
  for (unsigned Slot : Live)
    C.Live.set(Slot);
  return C;
}

std::vector<unsigned> inOrder(unsigned Count) {
  std::vector<unsigned> Out(Count);
  std::iota(Out.begin(), Out.end(), 0);
  return Out;
}

uint64_t movesOf(const std::vector<CallInFrame> &Calls,
                 const std::vector<unsigned> &Places) {
  uint64_t Moves = 0;
  for (const CallInFrame &C : Calls)
    Moves += C.Times * movesBefore(C, Places).size();
  return Moves;
}

/// Orion figure 6: slots S1 to S4, here 0 to 3. The text tells of call(foo1)
/// that var5 in S4 moves to S2, between var3 and var1, and leaves three slots;
/// of call(foo2) that S3 is unused; of all that (a) has one move for each and
/// (b), with S2 where S4 was, S3 at S2 and S4 at S3, one at call(foo2) alone.
/// What is live at call(foo3) only the picture shows: two ways fit the text.
std::vector<std::vector<CallInFrame>> figure6() {
  CallInFrame Foo1 = call(4, {0, 2, 3}), Foo2 = call(4, {0, 1, 3});
  return {{Foo1, Foo2, call(4, {0, 2})}, {Foo1, Foo2, call(4, {0, 2, 3})}};
}

TEST(CompressibleStack, OrionFigure6) {
  for (const std::vector<CallInFrame> &Calls : figure6()) {
    // (a): three moves, one before each call; of foo1 from S4 to S2.
    EXPECT_EQ(staticLayout(Calls, 4).Moves, 3u);
    for (const CallInFrame &C : Calls)
      EXPECT_EQ(movesBefore(C, inOrder(4)).size(), 1u);
    EXPECT_THAT(movesBefore(Calls[0], inOrder(4)), ElementsAre(SlotMove{3, 1}));
    // (b): the paper's layout has one move, at call(foo2).
    std::vector<unsigned> PaperB = {0, 3, 1, 2};
    EXPECT_THAT(movesBefore(Calls[0], PaperB), IsEmpty());
    EXPECT_EQ(movesBefore(Calls[1], PaperB).size(), 1u);
    EXPECT_THAT(movesBefore(Calls[2], PaperB), IsEmpty());
    // And so has the layout that is found.
    FrameLayout Best = minimalMoves(Calls, 4);
    EXPECT_EQ(Best.Moves, 1u);
    EXPECT_EQ(movesOf(Calls, Best.Places), 1u);
  }
}

TEST(CompressibleStack, Figure6AsItIsColoured) {
  // The same frame out of values and calls: one value per slot, live at 1 to 3
  // where its slot is, and at 0 all together.
  std::vector<CallInFrame> Calls = figure6()[0];
  SlotFunction F;
  for (unsigned Slot = 0; Slot < 4; ++Slot) {
    SlotValue V;
    V.LiveAt.resize(4);
    V.LiveAt.set(0);
    for (unsigned Call = 0; Call < 3; ++Call)
      if (Calls[Call].Live.test(Slot))
        V.LiveAt.set(Call + 1);
    F.Values.push_back(V);
  }
  F.Calls = {{0, 1}, {0, 2}, {0, 3}};
  Slots Frame = colourSlots(F.Values, SlotLayout::Words);
  std::vector<CallInFrame> Found = callsInFrame(F, Frame);
  ASSERT_EQ(Found.size(), 3u);
  for (unsigned Call = 0; Call < 3; ++Call)
    EXPECT_TRUE(Found[Call].Live == Calls[Call].Live);
  EXPECT_EQ(minimalMoves(Found, Frame.FrameBytes / 4).Moves, 1u);
}

TEST(CompressibleStack, TheorysCosts) {
  // Theorem 1: one for each call where the slot is live and lies too high.
  auto W = movementCosts({call(3, {0, 2}), call(3, {2}, 0, 10)}, 3);
  EXPECT_THAT(W[0], ElementsAre(0, 0, 1));
  EXPECT_THAT(W[1], ElementsAre(0, 0, 0));
  EXPECT_THAT(W[2], ElementsAre(0, 10, 11));
}

TEST(CompressibleStack, NoMoveWhereTheCalleeHasRoomEnough) {
  std::vector<CallInFrame> Calls = {call(4, {1, 2}, 3)};
  EXPECT_EQ(staticLayout(Calls, 4).Moves, 0u);
  Calls[0].Height = 0;
  EXPECT_EQ(staticLayout(Calls, 4).Moves, 1u);
}

TEST(CompressibleStack, CallsInLoopsWeighMore) {
  // One slot must move at one of the calls: at that which runs once.
  std::vector<CallInFrame> Calls = {call(2, {0}), call(2, {1}, 0, 100)};
  FrameLayout Best = minimalMoves(Calls, 2);
  EXPECT_THAT(Best.Places, ElementsAre(1, 0));
  EXPECT_EQ(Best.Moves, 1u);
}

TEST(CompressibleStack, NothingToPlace) {
  EXPECT_THAT(minimalMoves({}, 0).Places, IsEmpty());
  EXPECT_THAT(minimalMoves({}, 3).Places, ElementsAre(0, 1, 2));
}

TEST(CompressibleStack, RelocatedFramesKeepTheirValuesApart) {
  std::mt19937 Random(21);
  unsigned WithoutMoves = 0;
  for (unsigned Case = 0; Case < 300; ++Case) {
    std::vector<SlotFunction> F(2);
    for (unsigned I = 0; I < 8; ++I) {
      unsigned A = Random() % 8, B = Random() % 8;
      SlotValue V;
      V.ElementBytes = 1u << Random() % 3;
      V.LiveAt.resize(8);
      V.LiveAt.set(std::min(A, B), std::max(A, B) + 1);
      F[I % 4 == 0].Values.push_back(V);
    }
    F[0].Calls = {{1, unsigned(Random() % 8)}, {1, unsigned(Random() % 8)}};
    std::vector<Slots> Frames;
    for (const SlotFunction &Function : F)
      Frames.push_back(colourSlots(Function.Values, SlotLayout::Words));
    FrameLayout Best =
        minimalMoves(callsInFrame(F[0], Frames[0]), Frames[0].FrameBytes / 4);
    unsigned Moving =
        placeFrames(F, Frames, 0, StackDiscipline::MovingStack)->Bytes;
    Frames[0] = *relocate(F[0], Frames[0], Best.Places);
    for (size_t A = 0; A < F[0].Values.size(); ++A)
      for (size_t B = 0; B < A; ++B) {
        const SlotValue &U = F[0].Values[A], &V = F[0].Values[B];
        if (!U.LiveAt.anyCommon(V.LiveAt))
          continue;
        EXPECT_TRUE(Frames[0].Offsets[A] + U.bytes() <= Frames[0].Offsets[B] ||
                    Frames[0].Offsets[B] + V.bytes() <= Frames[0].Offsets[A]);
      }
    // Where nothing moves, the callee begins behind the live slots all the
    // same.
    unsigned Still =
        placeFrames(F, Frames, 0, StackDiscipline::RegisterStack)->Bytes;
    EXPECT_GE(Still, Moving);
    if (Best.Moves > 0)
      continue;
    ++WithoutMoves;
    EXPECT_EQ(Still, Moving);
  }
  EXPECT_GT(WithoutMoves, 50u);
}

TEST(CompressibleStack, NegativeWideValuesAreNotTornApart) {
  SlotFunction F;
  F.Values.resize(1);
  F.Values[0].LiveAt.resize(1, true);
  F.Values[0].ElementBytes = 8;
  Slots Frame = colourSlots(F.Values, SlotLayout::Words);
  EXPECT_FALSE(relocate(F, Frame, {1, 0}).has_value());
  F.Values[0].ElementBytes = 4;
  EXPECT_TRUE(relocate(F, Frame, {1, 0}).has_value());
}

//===-- Every order of the slots ------------------------------------------===//

TEST(CompressibleStack, AssignmentAgainstEveryOrder) {
  std::mt19937 Random(5);
  for (unsigned Case = 0; Case < 300; ++Case) {
    unsigned Size = 1 + Random() % 6;
    std::vector<std::vector<int64_t>> Costs(Size);
    for (std::vector<int64_t> &Row : Costs)
      for (unsigned I = 0; I < Size; ++I)
        Row.push_back(int64_t(Random() % 41) - 20);
    auto Sum = [&](const std::vector<unsigned> &Columns) {
      int64_t Total = 0;
      for (unsigned I = 0; I < Size; ++I)
        Total += Costs[I][Columns[I]];
      return Total;
    };
    std::vector<unsigned> Columns = inOrder(Size);
    int64_t Least = Sum(Columns);
    while (std::next_permutation(Columns.begin(), Columns.end()))
      Least = std::min(Least, Sum(Columns));
    std::vector<unsigned> Found = minimalAssignment(Costs);
    EXPECT_EQ(Sum(Found), Least) << "case " << Case;
    EXPECT_TRUE(std::is_permutation(Found.begin(), Found.end(), Columns.begin(),
                                    Columns.end()));
  }
}

TEST(CompressibleStack, LayoutAgainstEveryOrder) {
  std::mt19937 Random(9);
  for (unsigned Case = 0; Case < 200; ++Case) {
    unsigned SlotCount = 1 + Random() % 6;
    std::vector<CallInFrame> Calls(1 + Random() % 5);
    for (CallInFrame &C : Calls) {
      C = call(SlotCount, {}, Random() % (SlotCount + 1), 1 + Random() % 9);
      for (unsigned Slot = 0; Slot < SlotCount; ++Slot)
        if (Random() % 2)
          C.Live.set(Slot);
    }
    std::vector<unsigned> Places = inOrder(SlotCount);
    EXPECT_EQ(staticLayout(Calls, SlotCount).Moves, movesOf(Calls, Places));
    uint64_t Least = movesOf(Calls, Places);
    while (std::next_permutation(Places.begin(), Places.end()))
      Least = std::min(Least, movesOf(Calls, Places));
    FrameLayout Best = minimalMoves(Calls, SlotCount);
    EXPECT_EQ(Best.Moves, Least) << "case " << Case;
    EXPECT_EQ(movesOf(Calls, Best.Places), Least);
  }
}

TEST(CompressibleStack, MovesLeaveTheLiveSlotsBelowTheHeight) {
  std::mt19937 Random(3);
  for (unsigned Case = 0; Case < 200; ++Case) {
    unsigned SlotCount = 1 + Random() % 12;
    CallInFrame C = call(SlotCount, {}, Random() % (SlotCount + 1));
    for (unsigned Slot = 0; Slot < SlotCount; ++Slot)
      if (Random() % 2)
        C.Live.set(Slot);
    std::vector<unsigned> Places = inOrder(SlotCount);
    std::shuffle(Places.begin(), Places.end(), Random);
    std::vector<int> Content(SlotCount, -1), Before;
    for (unsigned Slot : C.Live.set_bits())
      Content[Places[Slot]] = int(Slot);
    Before = Content;
    std::vector<SlotMove> Moves = movesBefore(C, Places);
    for (const SlotMove &M : Moves) {
      EXPECT_EQ(Content[M.To], -1); // nothing live is overwritten
      Content[M.To] = Content[M.From];
      Content[M.From] = -1;
    }
    for (unsigned Place = C.height(); Place < SlotCount; ++Place)
      EXPECT_EQ(Content[Place], -1);
    for (const SlotMove &M : Moves)
      std::swap(Content[M.From], Content[M.To]);
    EXPECT_EQ(Content, Before);
  }
}

} // namespace
} // namespace catt
