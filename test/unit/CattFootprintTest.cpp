//===- CattFootprintTest.cpp ----------------------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The paper's model on the accesses of its own benchmarks, and equation 9 on
// top: what table 3 of the paper chooses (warps per block, 32 KiB and largest
// L1D), where it follows from the printed equations.
//
//===----------------------------------------------------------------------===//
#include "analysis/memory/CattFootprint.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace catt;

namespace {

const AffineIndex Tx = AffineIndex::threadIdx(Axis::X);
const AffineIndex Ty = AffineIndex::threadIdx(Axis::Y);
const AffineIndex Bx = AffineIndex::blockIdx(Axis::X);
const AffineIndex By = AffineIndex::blockIdx(Axis::Y);
const AffineIndex Dx = AffineIndex::blockDim(Axis::X);
const AffineIndex Dy = AffineIndex::blockDim(Axis::Y);
const AffineIndex N = AffineIndex::parameter("n");
const AffineIndex I = Bx * Dx + Tx;
AffineIndex it(unsigned Loop) { return AffineIndex::iterator(Loop); }

struct Model {
  Kernel K;
  FootprintOptions O;

  Model(int64_t X, int64_t Y = 1) {
    O.Block = {X, Y, 1};
    O.Grid = {320, 1, 1};
    O.Parameters["n"] = 40960;
  }
  Model &loop(std::optional<AffineIndex> Trip,
              std::optional<unsigned> Parent = std::nullopt) {
    Loop L;
    L.Id = K.Loops.size();
    L.Parent = Parent;
    L.TripCount = std::move(Trip);
    K.Loops.push_back(L);
    return *this;
  }
  /// In the loop added last, unless told.
  Model &access(unsigned BaseId, std::optional<AffineIndex> Offset,
                unsigned SizeBytes = 4,
                std::optional<unsigned> Loop = std::nullopt) {
    Access A;
    A.BaseId = BaseId;
    A.Text = "irregular" + std::to_string(BaseId);
    A.Offset = std::move(Offset);
    A.Loop = Loop.value_or(K.Loops.size() - 1);
    A.SizeBytes = SizeBytes;
    K.Accesses.push_back(A);
    return *this;
  }
  LevelFootprint level(unsigned Loop = 0) const {
    LoopProfile P = cattProfile(K, Loop, O);
    EXPECT_FALSE(P.Unknown);
    EXPECT_EQ(P.Levels.size(), 1u);
    return P.Levels.empty() ? LevelFootprint() : P.Levels[0];
  }
  /// Equation 9 over warps alone: active warps per block, 0 if nothing fits.
  int64_t warps(int64_t BlocksPerSM, int64_t L1Lines, unsigned Loop = 0) const {
    LevelFootprint F = level(Loop);
    int64_t All = F.LinesByWarps.rbegin()->first;
    if (!F.Reuse)
      return All;
    for (int64_t Groups = 1; Groups <= All; Groups *= 2)
      if (F.LinesByWarps.at(All / Groups) * BlocksPerSM <= L1Lines)
        return All / Groups;
    return 0;
  }
};

constexpr int64_t Small = 32 * 1024 / 128, Large = 128 * 1024 / 128;

//===-- Table 3 ----------------------------------------------------------===//

TEST(CattFootprint, AtaxBicgMvtRowWalk) {
  Model M(256);
  M.loop(N)
      .access(0, 4 * I)
      .access(1, 4 * (I * N + it(0)))
      .access(2, 4 * it(0))
      .access(0, 4 * I); // tmp[i] += is one reference, also if listed twice
  EXPECT_EQ(M.level().LinesPerWarp, 34);
  EXPECT_EQ(M.level().LinesPerBlock, 34 * 8);
  EXPECT_EQ(M.level().LinesByWarps.at(2), 68);
  EXPECT_TRUE(M.level().Reuse);
  EXPECT_EQ(M.warps(4, Small), 1);
  EXPECT_EQ(M.warps(4, Large), 4);
}

TEST(CattFootprint, AtaxBicgMvtColumnWalk) {
  Model M(256);
  M.loop(N)
      .access(0, 4 * I)
      .access(1, 4 * (it(0) * N + I))
      .access(2, 4 * it(0));
  EXPECT_EQ(M.level().LinesPerWarp, 3);
  EXPECT_EQ(M.warps(4, Small), 8);
  EXPECT_EQ(M.warps(4, Large), 8);
}

TEST(CattFootprint, Gesummv) {
  Model M(256);
  M.loop(N);
  for (unsigned Array : {0, 1}) {
    M.access(2 * Array, 4 * I);
    M.access(2 * Array + 1, 4 * (I * N + it(0)));
  }
  M.access(4, 4 * it(0));
  EXPECT_EQ(M.level().LinesPerWarp, 67);
  EXPECT_EQ(M.warps(2, Small), 1);
  EXPECT_EQ(M.warps(2, Large), 4);
}

TEST(CattFootprint, Kmeans) {
  Model M(256);
  M.loop(34).access(0, 4 * (I * 34 + it(0))).access(1, 4 * (I + it(0) * N));
  EXPECT_EQ(M.level().LinesPerWarp, 33);
  EXPECT_EQ(M.warps(8, Large), 2);
  EXPECT_EQ(M.warps(8, Small), 0); // one warp of each: 33 KiB; then M = 1
}

TEST(CattFootprint, Syr2k) { // by its warps' addresses: 32 x 8 threads
  Model M(32, 8);
  AffineIndex Row = By * Dy + Ty;
  M.O.Parameters["n"] = 1024;
  M.loop(N);
  for (unsigned Array : {0, 1}) {
    M.access(Array, 4 * (Row * N + it(0)));
    M.access(Array, 4 * (I * N + it(0)));
  }
  M.access(2, 4 * (Row * N + I));
  EXPECT_EQ(M.level().LinesPerWarp, 1 + 32 + 1 + 32 + 1);
  EXPECT_TRUE(M.level().Reuse);
}

TEST(CattFootprint, IrregularIsLeftAlone) { // bfs, cfd
  Model M(512);
  M.loop(std::nullopt)
      .access(0, 8 * I)
      .access(0, 8 * I + 4)
      .access(1, std::nullopt)
      .access(2, std::nullopt)
      .access(2, std::nullopt) // the same text: the same reference
      .access(3, 4 * (I + it(0) * N));
  EXPECT_EQ(M.level().LinesPerWarp, 2 + 2 + 1 + 1 + 1);
  EXPECT_FALSE(M.level().Reuse);
  EXPECT_EQ(M.warps(4, Small), 16);
}

TEST(CattFootprint, CorrIsLeftAlone) {
  Model M(256);
  M.O.Parameters["n"] = 2048;
  M.loop(N - 1 - I).loop(N, 0);
  AffineIndex Column = I + 1 + it(0);
  M.access(0, 4 * (it(1) * N + I))
      .access(0, 4 * (it(1) * N + Column))
      .access(1, 4 * (I * N + Column));
  // Inside, only what does not move stays in its line.
  EXPECT_EQ(M.level(1).LinesPerWarp, 1 + 1 + 32);
  EXPECT_FALSE(M.level(1).Reuse);
  // Outside, two columns of 2048 rows pass by: not even one warp fits.
  EXPECT_TRUE(M.level(0).Reuse);
  EXPECT_GT(M.level(0).LinesPerWarp, 2 * 2048);
  EXPECT_EQ(M.warps(1, Large, 0), 0);
}

//===-- The equations ----------------------------------------------------===//

TEST(CattFootprint, RequestsOfOneReference) {
  auto Requests = [](const AffineIndex &Offset, unsigned SizeBytes) {
    return Model(256).loop(8).access(0, Offset, SizeBytes).level().LinesPerWarp;
  };
  EXPECT_EQ(Requests(4 * it(0), 4), 1);
  EXPECT_EQ(Requests(4 * Tx, 4), 1);
  EXPECT_EQ(Requests(8 * Tx, 8), 1); // C_tid counts elements, not bytes
  EXPECT_EQ(Requests(32 * Tx, 4), 8);
  EXPECT_EQ(Requests(-32 * Tx, 4), 8);
  EXPECT_EQ(Requests(124 * Tx, 4), 31);
  EXPECT_EQ(Requests(4096 * Tx, 4), 32);
  EXPECT_EQ(Requests(12 * Tx + 4, 4), 3); // a field of a struct of three
  EXPECT_EQ(Requests(2 * Tx, 4), 1);      // never less than one
  // Not linear in threadIdx.x: the lanes' lines.
  EXPECT_EQ(Requests(128 * AffineIndex::quotient(Tx, 4), 4), 8);
  EXPECT_EQ(Requests(128 * AffineIndex::remainder(Tx, 5), 4), 5);
}

TEST(CattFootprint, BlocksOfTwoDimensionsListTheirLanes) {
  auto Requests = [](int64_t X, int64_t Y, const AffineIndex &Offset) {
    return Model(X, Y).loop(8).access(0, Offset).level().LinesPerWarp;
  };
  EXPECT_EQ(Requests(8, 8, 4 * Tx + 4096 * Ty), 4);
  EXPECT_EQ(Requests(8, 8, 4096 * Tx), 8);
  EXPECT_EQ(Requests(16, 3, 4 * (Ty * 16 + Tx)), 1);
  EXPECT_EQ(Requests(3, 3, 4096 * Tx), 3); // fewer than 32 threads
}

TEST(CattFootprint, LocalityIsEquation6) {
  auto Locality = [](const AffineIndex &Offset) {
    return Model(256).loop(8).access(0, Offset).level().Reuse;
  };
  EXPECT_TRUE(Locality(4 * it(0)));
  EXPECT_TRUE(Locality(128 * it(0)));
  EXPECT_TRUE(Locality(-128 * it(0)));
  EXPECT_FALSE(Locality(132 * it(0)));
  EXPECT_FALSE(Locality(4 * Tx)); // C_i = 0 alone
  EXPECT_FALSE(Locality(AffineIndex::parameter("m") * it(0)));
}

TEST(CattFootprint, WhatIsUnknownStaysUnknown) {
  Model M(256);
  M.loop(8).access(0, 4 * I * AffineIndex::parameter("m"));
  LoopProfile P = cattProfile(M.K, 0, M.O);
  EXPECT_TRUE(P.Levels.empty());
  ASSERT_TRUE(P.Unknown);
  EXPECT_EQ(P.Unknown->Kind, Reason::UnknownStride);
  EXPECT_EQ(P.Unknown->Detail, "m");

  Model Inner(256);
  Inner.loop(8).loop(std::nullopt, 0).access(0, 4 * I);
  ASSERT_TRUE(cattProfile(Inner.K, 0, Inner.O).Unknown);
  EXPECT_EQ(cattProfile(Inner.K, 0, Inner.O).Unknown->Kind,
            Reason::UnknownTripCount);
  EXPECT_FALSE(cattProfile(Inner.K, 1, Inner.O).Unknown);

  Inner.O.Block.X.reset();
  ASSERT_TRUE(cattProfile(Inner.K, 1, Inner.O).Unknown);
  EXPECT_EQ(cattProfile(Inner.K, 1, Inner.O).Unknown->Kind,
            Reason::UnknownLaunch);
}

TEST(CattFootprint, OnlyWhatL1Caches) {
  Model M(256);
  M.loop(8).access(0, 4096 * Tx + 4 * it(0));
  M.K.Accesses[0].Space = AddressSpace::Shared;
  EXPECT_EQ(M.level().LinesPerWarp, 0);
  EXPECT_FALSE(M.level().Reuse);
  EXPECT_EQ(M.warps(8, Small), 8);
}

} // namespace
