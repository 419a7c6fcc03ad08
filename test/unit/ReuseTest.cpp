//===- ReuseTest.cpp ------------------------------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/memory/Reuse.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace catt;

namespace {

const AffineIndex Tx = AffineIndex::threadIdx(Axis::X);
const AffineIndex I =
    AffineIndex::blockIdx(Axis::X) * AffineIndex::blockDim(Axis::X) + Tx;
AffineIndex it(unsigned Loop) { return AffineIndex::iterator(Loop); }

Kernel kernel(std::vector<AffineIndex> TripCounts,
              std::vector<std::optional<AffineIndex>> Offsets) {
  Kernel K;
  for (unsigned L = 0; L != TripCounts.size(); ++L) { // a nest
    Loop Next;
    Next.Id = L;
    if (L != 0)
      Next.Parent = L - 1;
    Next.TripCount = TripCounts[L];
    K.Loops.push_back(Next);
  }
  for (unsigned A = 0; A != Offsets.size(); ++A) {
    Access Next;
    Next.BaseId = A;
    Next.Loop = TripCounts.size() - 1;
    Next.SizeBytes = 4;
    Next.Offset = Offsets[A];
    K.Accesses.push_back(Next);
  }
  return K;
}

std::vector<ReuseInfo> measure(const Kernel &K, unsigned LoopId,
                               int64_t Threads = 256) {
  FootprintOptions O;
  O.Block = {Threads, 1, 1};
  O.Grid = {64, 1, 1};
  llvm::Expected<std::vector<ReuseInfo>> R = measureReuse(K, LoopId, O);
  if (R)
    return *R;
  ADD_FAILURE() << llvm::toString(R.takeError());
  return {};
}

TEST(Reuse, RowWalkBringsANewLineEvery32Iterations) {
  ReuseInfo R = measure(kernel({4096}, {4 * (I * 4096 + it(0))}), 0)[0];
  EXPECT_EQ(R.Iterations, 32);
  EXPECT_EQ(R.LinesTouched, 32 * 256);
  EXPECT_EQ(R.LinesNew, 256);
  EXPECT_EQ(R.LinesStill, 0);
  EXPECT_EQ(R.MovingAgain, 31 * 256);
  EXPECT_TRUE(R.anyMoving());
  EXPECT_EQ(R.SectorsTouched, 32 * 256);
  EXPECT_EQ(R.SectorsNew, 4 * 256);
  EXPECT_EQ(R.DistanceLines, 256);
  EXPECT_EQ(R.distanceLines(4), 1024);
  EXPECT_TRUE(R.any());
  EXPECT_EQ(R.From, Origin::Proved);
}

TEST(Reuse, MovingAndInvariantAreToldApart) {
  AffineIndex Column = 4 * (it(0) * 4096 + I), Invariant = 4 * I;
  ReuseInfo None = measure(kernel({4096}, {Column}), 0)[0];
  EXPECT_FALSE(None.any());
  EXPECT_FALSE(None.anyMoving());
  EXPECT_EQ(None.LinesNew, None.LinesTouched);

  ReuseInfo Still = measure(kernel({4096}, {Column, Invariant}), 0)[0];
  EXPECT_TRUE(Still.any());
  EXPECT_FALSE(Still.anyMoving());
  EXPECT_EQ(Still.LinesStill, 8);

  // 48 bytes a step: each line is used 2 or 3 times.
  ReuseInfo Moving = measure(kernel({4096}, {48 * it(0) + 16384 * Tx}), 0)[0];
  EXPECT_TRUE(Moving.anyMoving());
  EXPECT_EQ(Moving.LinesStill, 0);
}

TEST(Reuse, OuterLevel) { // features again for each centre
  std::vector<ReuseInfo> R = measure(
      kernel({5, 34}, {4 * (I * 34 + it(1)), 4 * (it(0) * 34 + it(1))}), 1);
  ASSERT_EQ(R.size(), 2u);
  EXPECT_EQ(R[0].Loop, 1u);
  EXPECT_EQ(R[1].Loop, 0u);
  EXPECT_EQ(R[1].LinesStill, 8 * 34);
  EXPECT_GE(R[1].DistanceLines, 8 * 34);
  // The centre is the same for all blocks.
  EXPECT_EQ(R[1].DistanceLines - R[1].DistanceShared, 8 * 34);
}

TEST(Reuse, IrregularIsAlwaysNew) {
  ReuseInfo R = measure(kernel({64}, {std::nullopt}), 0)[0];
  EXPECT_EQ(R.LinesTouched, 32 * 8);
  EXPECT_EQ(R.LinesNew, R.LinesTouched);
  EXPECT_FALSE(R.any());
  EXPECT_EQ(R.From, Origin::Estimated);
}

TEST(Reuse, NothingToCompare) {
  for (int64_t Trip : {0, 1}) {
    ReuseInfo R = measure(kernel({Trip}, {4 * I}), 0)[0];
    EXPECT_EQ(R.Iterations, 0);
    EXPECT_FALSE(R.any());
    EXPECT_FALSE(R.anyMoving());
  }
  EXPECT_EQ(measure(kernel({2}, {4 * I}), 0)[0].Iterations, 1);
  EXPECT_TRUE(measure(kernel({2}, {4 * I}), 0, 0).empty()); // no block
}

TEST(Reuse, UnknownLevelsAreMissing) {
  AffineIndex N = AffineIndex::parameter("n");
  EXPECT_TRUE(measure(kernel({8}, {4 * Tx * N}), 0).empty());
  EXPECT_EQ(measure(kernel({8, N}, {4 * Tx}), 1).size(), 1u);
  FootprintOptions O;
  O.Block = {32, 1, 1};
  EXPECT_FALSE(
      llvm::errorToBool(measureReuse(kernel({8}, {4 * Tx}), 0, O).takeError()));
  EXPECT_TRUE(
      llvm::errorToBool(measureReuse(kernel({8}, {4 * Tx}), 1, O).takeError()));
}

} // namespace
