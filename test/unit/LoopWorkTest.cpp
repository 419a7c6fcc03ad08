//===- LoopWorkTest.cpp - What an iteration asks of the memory --*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops whose numbers follow with pencil and paper: 8 warps, 4-byte words, one
// row per thread unless the test says otherwise.
//
//===----------------------------------------------------------------------===//

#include "analysis/memory/LoopWork.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace catt;
using ::testing::DoubleEq;
using ::testing::DoubleNear;

namespace {

const AffineIndex Tid = AffineIndex::threadIdx(Axis::X);

AffineIndex iterator(unsigned Loop) { return AffineIndex::iterator(Loop); }

class Work : public ::testing::Test {
protected:
  Kernel K;
  FootprintOptions Options;

  Work() {
    Options.Block = {256, 1, 1};
    Options.Grid = {1, 1, 1};
    addLoop(1024);
  }
  unsigned addLoop(std::optional<int64_t> Trips,
                   std::optional<unsigned> Parent = std::nullopt) {
    Loop L;
    L.Id = unsigned(K.Loops.size());
    L.Parent = Parent;
    if (Trips)
      L.TripCount = AffineIndex(*Trips);
    K.Loops.push_back(L);
    return L.Id;
  }
  Access &add(std::optional<AffineIndex> Offset, unsigned Base = 0,
              unsigned Size = 4, unsigned Loop = 0) {
    Access A;
    A.BaseId = Base;
    A.Reads = true;
    A.SizeBytes = Size;
    A.Offset = std::move(Offset);
    A.Loop = Loop;
    K.Accesses.push_back(A);
    return K.Accesses.back();
  }
  /// Row walk with this many bytes from row to row.
  Access &addRows(int64_t Stride, unsigned Base = 0) {
    return add(Tid * Stride + iterator(0) * 4, Base);
  }
  LoopWork measure(unsigned Loop = 0) {
    llvm::Expected<LoopWork> W = loopWork(K, Loop, Options);
    if (W)
      return *W;
    ADD_FAILURE() << llvm::toString(W.takeError());
    return {};
  }
};

TEST_F(Work, rowsOfWholeLinesMeetInOneBank) {
  addRows(4096);
  LoopWork W = measure();
  EXPECT_EQ(W.Lookups, 32);
  EXPECT_EQ(W.BankTurns, 32);
  EXPECT_EQ(W.SectorsNew, 4); // a new sector every eighth iteration
  EXPECT_EQ(W.SectorsAgain, 28);
  EXPECT_EQ(W.Loads, 1);
  EXPECT_EQ(W.Iterations, 1024);
  EXPECT_FALSE(W.HoldsBack);
}

TEST_F(Work, oneWordMoreSpreadsOverAllBanks) {
  addRows(4096 + 4);
  EXPECT_EQ(measure().Lookups, 32);
  EXPECT_EQ(measure().BankTurns, 1);
}

// Lanes whose rows begin at other places of a sector come to its end in other
// iterations, and the warp waits each time.
TEST_F(Work, lanesThatMeetNewSectorsTogetherWaitTogether) {
  addRows(4096);
  EXPECT_THAT(measure().LoadsNew, DoubleEq(1.0 / 8));
  EXPECT_THAT(measure().LoadsAgain, DoubleEq(7.0 / 8));
}

TEST_F(Work, rowsFromTwoPlacesOfASectorAreWaitedForTwiceAsOften) {
  addRows(4096 + 16);
  LoopWork W = measure();
  EXPECT_THAT(W.LoadsNew, DoubleNear(2.0 / 8, 0.01));
  EXPECT_THAT(W.SectorsNew, DoubleNear(4, 0.01)); // no more of them
}

TEST_F(Work, rowsFromAllPlacesOfASectorAreWaitedForEachTime) {
  addRows(4096 + 4);
  EXPECT_THAT(measure().LoadsNew, DoubleNear(1, 0.01));
  EXPECT_THAT(measure().LoadsAgain, DoubleNear(0, 0.01));
}

TEST_F(Work, aSlidingWindowIsWaitedForByItsLastLane) {
  add(Tid * 4 + iterator(0) * 4); // one lane of 32 meets one in 8 iterations
  EXPECT_THAT(measure().LoadsNew, DoubleNear(1.0 / 8 / 8, 0.01)); // of 8 warps
}

TEST_F(Work, banksRepeatEvery128Bytes) {
  addRows(1000 * 4); // 1000 = 8 mod 32: four banks
  EXPECT_EQ(measure().BankTurns, 8);
}

TEST_F(Work, doublesTakeTwoBanksEach) {
  add(Tid * 4096 + iterator(0) * 8, 0, 8);
  EXPECT_EQ(measure().BankTurns, 32);
  EXPECT_EQ(measure().SectorsNew, 8);
}

TEST_F(Work, neighboursShareLineAndTurn) {
  add(Tid * 4 + iterator(0) * 1024);
  LoopWork W = measure();
  EXPECT_EQ(W.Lookups, 1);
  EXPECT_EQ(W.BankTurns, 1);
  EXPECT_EQ(W.SectorsNew, 4);
  EXPECT_EQ(W.SectorsAgain, 0);
}

TEST_F(Work, oneWordForAllIsOneTurnAndFetchedOnce) {
  add(iterator(0) * 4);
  LoopWork W = measure();
  EXPECT_EQ(W.Lookups, 1);
  EXPECT_EQ(W.BankTurns, 1);
  EXPECT_THAT(W.SectorsNew, DoubleEq(1.0 / 8 / 8)); // of 8 warps, 8 iterations
}

TEST_F(Work, aReferenceWrittenTwiceIsOne) {
  addRows(4096);
  addRows(4096);
  EXPECT_EQ(measure().Lookups, 32);
}

TEST_F(Work, fieldsOfOneSectorAreNewOnce) {
  for (int Field : {0, 8, 16})
    add(Tid * 4096 + iterator(0) * 32 + Field);
  LoopWork W = measure();
  EXPECT_EQ(W.Lookups, 96);
  EXPECT_THAT(W.SectorsNew, DoubleNear(32, 1e-9));
  EXPECT_THAT(W.SectorsAgain, DoubleNear(0, 1e-9));
  EXPECT_THAT(W.SectorsTwice, DoubleNear(64, 1e-9)); // by one iteration
  EXPECT_THAT(W.LoadsNew, DoubleNear(1, 1e-9));
  EXPECT_THAT(W.LoadsTwice, DoubleNear(2, 1e-9));
}

// The neighbour's word lies in the sectors that the first reference fetched,
// but for one, which the next warp fetches as well.
TEST_F(Work, overlappingReferencesCountWhatBothTouchOnce) {
  add(Tid * 4 + iterator(0) * 4096);
  add(Tid * 4 + 4 + iterator(0) * 4096);
  LoopWork W = measure();
  EXPECT_THAT(W.SectorsNew, DoubleEq(33.0 / 8)); // 8 warps
  EXPECT_THAT(W.SectorsNew + W.SectorsAgain, DoubleEq(5));
  EXPECT_THAT(W.SectorsTwice, DoubleEq(4));
}

TEST_F(Work, everyWarpWaitsForWhatItLost) {
  add(iterator(0) * 4); // the same word for all warps
  EXPECT_THAT(measure().SectorsAgain, DoubleEq(1 - 1.0 / 64));
  EXPECT_THAT(measure().LoadsAgain, DoubleEq(1 - 1.0 / 64));
}

TEST_F(Work, differentArraysAreNewEach) {
  addRows(4096, 0);
  addRows(4096, 1);
  EXPECT_THAT(measure().SectorsNew, DoubleNear(8, 1e-9));
}

TEST_F(Work, whatStaysCannotBeLost) {
  Access &Sum = add(Tid * 4);
  Sum.Writes = true;
  LoopWork W = measure();
  EXPECT_EQ(W.SectorsAgain, 0);
  EXPECT_EQ(W.SectorsStored, 4);
  EXPECT_FALSE(W.HoldsBack);
}

TEST_F(Work, storesHoldBackLoadsOfWhatTheyMayChange) {
  addRows(4096, 0).Base = "A";
  Access &Sum = add(Tid * 4, 1);
  Sum.Base = "y";
  Sum.Writes = true;
  EXPECT_TRUE(measure().HoldsBack);
  for (const char *Restrict : {"A", "y"}) {
    Parameter P;
    P.Name = Restrict;
    P.IsRestrict = true;
    K.Parameters = {P};
    EXPECT_FALSE(measure().HoldsBack) << Restrict;
  }
}

TEST_F(Work, storesHoldBackNoLoadsOfTheirOwnArray) {
  addRows(4096);
  Access &Out = addRows(4096);
  Out.Reads = false;
  Out.Writes = true;
  EXPECT_FALSE(measure().HoldsBack);
}

TEST_F(Work, storesAloneFetchNothing) {
  Access &Out = addRows(4096);
  Out.Reads = false;
  Out.Writes = true;
  LoopWork W = measure();
  EXPECT_EQ(W.SectorsNew, 0);
  EXPECT_EQ(W.SectorsStored, 32);
  EXPECT_EQ(W.Loads, 0);
}

TEST_F(Work, innerLoopsRunCompletely) {
  unsigned Inner = addLoop(34, 0);
  add(Tid * 136 + iterator(Inner) * 4, 0, 4, Inner);
  LoopWork W = measure(0);
  EXPECT_EQ(W.Loads, 34);
  EXPECT_EQ(W.BankTurns, 34 * 2); // 34 words from row to row
  EXPECT_EQ(measure(Inner).Loads, 1);
}

// A row of 34 floats per thread, walked once in each iteration of the loop
// around: 32 rows of 136 bytes are 136 sectors, and all of them come back.
TEST_F(Work, whatALoopInsideWalksComesBackToTheLoopAround) {
  unsigned Inner = addLoop(34, 0);
  add(Tid * 136 + iterator(Inner) * 4, 0, 4, Inner);
  LoopWork W = measure(0);
  EXPECT_EQ(W.SectorsNew, 0);
  EXPECT_EQ(W.SectorsAgain, 136);
  EXPECT_EQ(W.SectorsTwice, 0); // the loop inside counts these
}

TEST_F(Work, unknownTripCountsCountAs32) {
  unsigned Inner = addLoop(std::nullopt, 0);
  add(Tid * 4096 + iterator(0) * 4, 0, 4, Inner);
  EXPECT_EQ(measure(0).Loads, 32);
  EXPECT_EQ(measure(Inner).Iterations, std::nullopt);
}

TEST_F(Work, irregularMeansALineForEachLane) {
  add(std::nullopt);
  LoopWork W = measure();
  EXPECT_EQ(W.Lookups, 32);
  EXPECT_EQ(W.SectorsNew, 32);
  EXPECT_EQ(W.SectorsAgain, 0);
}

TEST_F(Work, otherMemoryIsNotCounted) {
  addRows(4096).Space = AddressSpace::Shared;
  addRows(4096, 1).ThroughL1 = false;
  EXPECT_EQ(measure().Lookups, 0);
}

TEST_F(Work, aLoopThatNeverRunsAsksForNothingRegular) {
  K.Loops[0].TripCount = AffineIndex(0);
  addRows(4096);
  EXPECT_EQ(measure().SectorsAgain, 0);
}

TEST_F(Work, needsBlockAndLoop) {
  addRows(4096);
  EXPECT_TRUE(llvm::errorToBool(loopWork(K, 7, Options).takeError()));
  Options.Block.X.reset();
  EXPECT_TRUE(llvm::errorToBool(loopWork(K, 0, Options).takeError()));
}

} // namespace
