//===- SharedSlotsTest.cpp - Tests of plan/SharedSlots ----------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small cases by hand, random ones against what must always hold, and the
// smallest frames against every way to place a few values.
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/spill/SharedSlots.h"
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace catt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Live from Begin to End, both included.
SlotValue value(unsigned Bytes, unsigned Begin, unsigned End,
                unsigned Elements = 1) {
  SlotValue V;
  V.ElementBytes = Bytes;
  V.Elements = Elements;
  V.LiveAt.resize(End + 1);
  V.LiveAt.set(Begin, End + 1);
  return V;
}

SlotValue word(unsigned Begin, unsigned End) { return value(4, Begin, End); }

bool overlap(const std::vector<SlotValue> &Values, const Slots &S, size_t A,
             size_t B) {
  return Values[A].LiveAt.anyCommon(Values[B].LiveAt) &&
         S.Offsets[A] < S.Offsets[B] + Values[B].bytes() &&
         S.Offsets[B] < S.Offsets[A] + Values[A].bytes();
}

/// No frame can be smaller: the most bytes that are live at one point.
unsigned maxLiveBytes(const std::vector<SlotValue> &Values) {
  unsigned Most = 0;
  for (unsigned Point = 0; Point < 64; ++Point) {
    unsigned Bytes = 0;
    for (const SlotValue &V : Values)
      if (Point < V.LiveAt.size() && V.LiveAt.test(Point))
        Bytes += V.bytes();
    Most = std::max(Most, Bytes);
  }
  return Most;
}

void expectApart(const std::vector<SlotValue> &Values, const Slots &S) {
  for (size_t A = 0; A < Values.size(); ++A) {
    EXPECT_LE(S.Offsets[A] + Values[A].bytes(), S.FrameBytes);
    for (size_t B = 0; B < A; ++B)
      EXPECT_FALSE(overlap(Values, S, A, B)) << A << " and " << B;
  }
}

/// Values with random live ranges; intervals, or any sets of points.
class RandomValues {
public:
  explicit RandomValues(unsigned Seed) : Random(Seed) {}
  unsigned below(unsigned N) { return unsigned(Random() % N); }

  SlotValue interval(unsigned Bytes, unsigned Points) {
    unsigned A = below(Points), B = below(Points);
    return value(Bytes, std::min(A, B), std::max(A, B));
  }
  SlotValue scattered(unsigned Bytes, unsigned Points) {
    SlotValue V = interval(Bytes, Points);
    for (unsigned I = 0; I < Points / 3; ++I)
      if (unsigned P = below(Points); P < V.LiveAt.size())
        V.LiveAt.reset(P);
    return V;
  }
  std::vector<SlotValue> mixed(size_t Count, unsigned Points) {
    std::vector<SlotValue> Out;
    for (size_t I = 0; I < Count; ++I) {
      Out.push_back(scattered(1u << below(5), Points));
      Out.back().Elements = 1 + below(3);
    }
    return Out;
  }

private:
  std::mt19937 Random;
};

//===-- The frame of a thread ---------------------------------------------===//

TEST(SharedSlots, ValuesNeverLiveTogetherShare) {
  Slots S = colourSlots({word(0, 3), word(2, 5), word(4, 7)});
  EXPECT_THAT(S.Offsets, ElementsAre(0, 4, 0));
  EXPECT_EQ(S.FrameBytes, 8u);
}

TEST(SharedSlots, ALoadAndAStoreAtOnePointDoNotShare) {
  Slots S = colourSlots({word(0, 3), word(3, 5)});
  EXPECT_THAT(S.Offsets, ElementsAre(0, 4));
}

TEST(SharedSlots, NothingTakesNothing) {
  Slots S = colourSlots({});
  EXPECT_THAT(S.Offsets, IsEmpty());
  EXPECT_EQ(S.FrameBytes, 0u);
}

TEST(SharedSlots, SubWordValuesArePacked) {
  std::vector<SlotValue> V = {value(1, 0, 9), value(2, 0, 9), value(1, 0, 9)};
  Slots S = colourSlots(V);
  expectApart(V, S);
  EXPECT_EQ(S.FrameBytes, 4u);
}

TEST(SharedSlots, WidthsShareOnlyAmongThemselves) {
  std::vector<SlotValue> V = {value(8, 0, 1), value(4, 2, 3), value(8, 4, 5),
                              value(16, 6, 7)};
  Slots S = colourSlots(V);
  EXPECT_THAT(S.Offsets, ElementsAre(16, 24, 16, 0));
  EXPECT_EQ(S.FrameBytes, 28u);
}

TEST(SharedSlots, ArraysAreOnePiece) {
  std::vector<SlotValue> V = {value(4, 0, 9, 3), value(4, 0, 4),
                              value(4, 5, 9)};
  Slots S = colourSlots(V);
  EXPECT_THAT(S.Offsets, ElementsAre(0, 12, 12));
}

TEST(SharedSlots, LargestFirstWhereThatIsSmaller) {
  // In order of time b leaves a gap of one word that c does not fit in.
  std::vector<SlotValue> V = {word(0, 2), word(1, 5), value(4, 3, 6, 2)};
  Slots S = colourSlots(V);
  expectApart(V, S);
  EXPECT_EQ(S.FrameBytes, maxLiveBytes(V));
}

TEST(SharedSlots, IntervalsTakeAsMuchAsIsLiveAtOnce) {
  for (unsigned Seed = 0; Seed < 300; ++Seed) {
    RandomValues R(Seed);
    unsigned Bytes = 4u << R.below(3);
    std::vector<SlotValue> V;
    for (unsigned I = 0; I < 1 + R.below(30); ++I)
      V.push_back(R.interval(Bytes, 40));
    Slots S = colourSlots(V);
    expectApart(V, S);
    EXPECT_EQ(S.FrameBytes, maxLiveBytes(V)) << "seed " << Seed;
  }
}

TEST(SharedSlots, AnyValuesLieApartAndAligned) {
  for (unsigned Seed = 0; Seed < 300; ++Seed) {
    std::vector<SlotValue> V = RandomValues(Seed).mixed(12, 30);
    Slots S = colourSlots(V);
    expectApart(V, S);
    EXPECT_GE(S.FrameBytes, maxLiveBytes(V));
    for (size_t I = 0; I < V.size(); ++I)
      EXPECT_EQ(S.Offsets[I] % V[I].ElementBytes, 0u);
  }
}

/// The fewest words that any placement of single words needs.
unsigned fewestWords(const std::vector<SlotValue> &V, Slots &S, size_t Next,
                     unsigned Used, unsigned Best) {
  if (Used >= Best || Next == V.size())
    return std::min(Used, Best);
  for (unsigned Slot = 0; Slot <= Used; ++Slot) {
    S.Offsets[Next] = Slot * 4;
    bool Free = true;
    for (size_t Other = 0; Other < Next; ++Other)
      Free = Free && !overlap(V, S, Next, Other);
    if (Free)
      Best = fewestWords(V, S, Next + 1, std::max(Used, Slot + 1), Best);
  }
  return Best;
}

TEST(SharedSlots, IntervalsAgainstEveryPlacement) {
  for (unsigned Seed = 0; Seed < 100; ++Seed) {
    RandomValues R(Seed);
    std::vector<SlotValue> V;
    for (unsigned I = 0; I < 7; ++I)
      V.push_back(R.interval(4, 12));
    Slots Scratch;
    Scratch.Offsets.resize(V.size());
    EXPECT_EQ(colourSlots(V).FrameBytes / 4,
              fewestWords(V, Scratch, 0, 0, unsigned(V.size())));
  }
}

//===-- The array of the block --------------------------------------------===//

/// Where a byte of a value lies in the array of the block.
uint64_t blockByte(const SlotValue &V, unsigned Offset, unsigned Byte,
                   unsigned Thread, unsigned Threads) {
  unsigned Within = Byte % V.ElementBytes;
  return uint64_t(Offset + Byte - Within) * Threads +
         uint64_t(Thread) * V.ElementBytes + Within;
}

/// Threads run apart: a byte of the block may belong to several values of one
/// thread that are never live together, and never to two threads.
TEST(SharedSlots, NoByteOfTheBlockBelongsToTwoThreads) {
  const unsigned Threads = 33;
  for (unsigned Seed = 0; Seed < 60; ++Seed) {
    std::vector<SlotValue> V = RandomValues(Seed).mixed(6, 12);
    Slots S = colourSlots(V);
    std::map<uint64_t, unsigned> Owner;
    for (size_t I = 0; I < V.size(); ++I)
      for (unsigned Byte = 0; Byte < V[I].bytes(); ++Byte)
        for (unsigned T = 0; T < Threads; ++T) {
          uint64_t At = blockByte(V[I], S.Offsets[I], Byte, T, Threads);
          EXPECT_LT(At, uint64_t(S.FrameBytes) * Threads);
          EXPECT_EQ(Owner.try_emplace(At, T).first->second, T);
        }
  }
}

TEST(SharedSlots, WhyWidthsDoNotMix) {
  // If a float lay where a double lay, thread 2's would be in thread 1's.
  SlotValue Double = value(8, 0, 1), Float = value(4, 2, 3);
  EXPECT_EQ(blockByte(Double, 0, 0, 1, 32), blockByte(Float, 0, 0, 2, 32));
}

} // namespace
} // namespace catt
