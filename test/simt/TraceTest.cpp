//===- TraceTest.cpp - Lines counted by hand, caches played by hand --------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/simt/Trace.h"
#include "test/simt/Testing.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace catt::simt;

namespace {

/// The line of Traced.cu with a mark at its end.
unsigned lineOf(llvm::StringRef Mark) {
  auto Buffer = llvm::MemoryBuffer::getFile(CATT_SIMT_KERNELS "/Traced.cu");
  llvm::SmallVector<llvm::StringRef> Lines;
  (*Buffer)->getBuffer().split(Lines, '\n');
  for (unsigned I = 0; I < Lines.size(); ++I)
    if (Lines[I].rtrim().ends_with(("// " + Mark).str()))
      return I + 1;
  ADD_FAILURE() << "no line with " << Mark.str();
  return 0;
}

Result trace(const char *Kernel, Dim Grid, Dim Block,
             const std::vector<void *> &Args, uint64_t Seed = 0) {
  Options O;
  O.Trace = true;
  O.Seed = Seed;
  O.ResidentBlocks = Seed ? 3 : 1;
  Result R = kernels("Traced.cu").run(Kernel, Grid, Block, 0, Args, O);
  EXPECT_EQ(all(R.Findings), "");
  return R;
}

Result traceRows(int N, Dim Grid, Dim Block, uint64_t Seed = 0) {
  deviceReset();
  size_t Threads = Grid.count() * Block.count();
  Buffer<float> A(Threads * N, 1), Out(Threads, 0);
  Result R = trace("rows", Grid, Block, {A.arg(), Out.arg(), &N}, Seed);
  EXPECT_EQ(Out[0], N);
  return R;
}

Filter rows(std::optional<unsigned> Warp,
            const std::vector<uint32_t> &Blocks = {}) {
  Filter F;
  F.Line = lineOf("ROWS");
  F.Warp = Warp;
  F.Blocks = Blocks;
  return F;
}

//===-- Lines -------------------------------------------------------------===//

TEST(Trace, aColumnOfRowsIsALineForEachLane) {
  Result R = traceRows(64, {2}, {64});
  unsigned Loop = lineOf("ROWS") - 1;
  Filter F = rows(1, {0});
  F.Windows = {{Loop, 3, 3}};
  EXPECT_EQ(touched(R, F).Lines.size(), 32u);
  EXPECT_EQ(touched(R, F).Sectors.size(), 32u);
  F.Windows = {{Loop, 0, 31}}; // 32 floats of each row: one line
  EXPECT_EQ(touched(R, F).Lines.size(), 32u);
  EXPECT_EQ(touched(R, F).Sectors.size(), 128u);
  F.Windows = {{Loop, 31, 32}}; // the last float of one line, the first of next
  EXPECT_EQ(touched(R, F).Lines.size(), 64u);
  EXPECT_EQ(touched(R, F).Sectors.size(), 64u);
  F.Windows = {{Loop, 64, UINT32_MAX}}; // no such iteration
  EXPECT_TRUE(touched(R, F).Lines.empty());
}

TEST(Trace, rowsOfABlockAndOfAnSM) {
  Result R = traceRows(16, {6}, {40}); // rows of half a line
  EXPECT_EQ(touched(R, rows({}, {0})).Lines.size(), 20u);
  EXPECT_EQ(touched(R, rows(1, {0})).Lines.size(), 4u); // 8 lanes
  EXPECT_EQ(blocksOfSM(6, 4, 1), (std::vector<uint32_t>{1, 5}));
  EXPECT_EQ(touched(R, rows({}, blocksOfSM(6, 4, 1))).Lines.size(), 40u);
  EXPECT_EQ(touched(R, rows({})).Lines.size(), 120u);
}

TEST(Trace, everyScheduleTouchesTheSame) {
  Touched First = touched(traceRows(24, {3}, {96}), rows({}));
  for (uint64_t Seed : {1, 2, 3}) {
    Touched T = touched(traceRows(24, {3}, {96}, Seed), rows({}));
    EXPECT_EQ(T.Lines, First.Lines);
    EXPECT_EQ(T.Sectors, First.Sectors);
  }
}

TEST(Trace, loopsNestThroughCallsAndSurviveContinueAndBreak) {
  deviceReset();
  int N = 4, M = 3;
  Buffer<float> A(64, 1), Out(32, 0);
  Result R = trace("nested", {1}, {32}, {A.arg(), Out.arg(), &N, &M});
  Filter F;
  F.Line = lineOf("INNER");
  F.Thread = 1; // skips odd iterations
  std::vector<std::pair<uint32_t, uint32_t>> Seen;
  for (const TraceRecord &T : R.Trace)
    if (selects(F, T, R.Places)) {
      ASSERT_EQ(T.Depth, 2);
      EXPECT_EQ(R.Places[T.Loops[0].Where].Line, lineOf("OUTER"));
      EXPECT_EQ(R.Places[T.Where].Function, "inner");
      Seen.push_back({T.Loops[0].Iteration, T.Loops[1].Iteration});
    }
  EXPECT_EQ(Seen, (std::vector<std::pair<uint32_t, uint32_t>>{
                      {0, 0}, {0, 1}, {0, 2}, {2, 0}, {2, 1}, {2, 2}}));
  F.Line = lineOf("WHILE") + 1;
  unsigned Count = 0;
  for (const TraceRecord &T : R.Trace)
    if (selects(F, T, R.Places)) {
      ASSERT_EQ(T.Depth, 1);
      EXPECT_EQ(R.Places[T.Loops[0].Where].Line, lineOf("WHILE"));
      EXPECT_EQ(T.Loops[0].Iteration, Count++);
    }
  EXPECT_EQ(Count, 4u);
}

TEST(Trace, vectorsDoublesAndAtomics) {
  deviceReset();
  Buffer<float> A(128, 1);
  Buffer<double> B(32, 0);
  Buffer<char> C(32 * 256, 0);
  Result R = trace("wide", {1}, {32}, {A.arg(), B.arg(), C.arg()});
  auto In = [](auto &Buf, size_t Bytes) {
    Filter F;
    F.From = Buf.address();
    F.To = F.From + Bytes;
    return F;
  };
  EXPECT_EQ(touched(R, In(A, 512)).Lines.size(), 4u);
  EXPECT_EQ(touched(R, In(B, 256)).Lines.size(), 2u);
  EXPECT_EQ(touched(R, In(C, 8192)).Sectors.size(), 32u);
  Filter Loads = In(B, 256);
  Loads.Stores = false;
  EXPECT_TRUE(touched(R, Loads).Lines.empty());
}

//===-- Cache -------------------------------------------------------------===//

/// Requests of single warps, by hand: one line each, all four sectors.
WarpRequests byHand(std::vector<std::vector<uint64_t>> Warps) {
  WarpRequests W;
  for (unsigned I = 0; I < Warps.size(); ++I)
    for (uint64_t Line : Warps[I])
      W[{0, I}].push_back({{{Line, 0xf}}});
  return W;
}

CacheStats play(const WarpRequests &W, uint64_t Lines, unsigned Ways = 0,
                SMShape S = {}, Replacement P = Replacement::LRU) {
  return simulateL1(W, {0, 1, 2, 3}, {Lines * 128, Ways, P, 1}, S);
}

TEST(L1, leastRecentlyUsedGoesFirst) {
  // 1 2 3 | 1 hits | 4 evicts 2 | 1 3 hit | 2 misses
  CacheStats S = play(byHand({{1, 2, 3, 1, 4, 1, 3, 2}}), 3);
  EXPECT_EQ(S.Sectors, 32u);
  EXPECT_EQ(S.SectorHits, 12u);
  EXPECT_EQ(S.LookUps, 8u);
}

TEST(L1, cyclingOverOneLineTooManyNeverHits) {
  std::vector<uint64_t> Cycle;
  for (int I = 0; I < 50; ++I)
    Cycle.push_back(I % 5);
  EXPECT_EQ(play(byHand({Cycle}), 4).SectorHits, 0u);
  EXPECT_EQ(play(byHand({Cycle}), 5).SectorHits, 45u * 4);
  // A random victim keeps some of them.
  CacheStats R = play(byHand({Cycle}), 4, 0, {}, Replacement::Random);
  EXPECT_GT(R.SectorHits, 0u);
  EXPECT_LT(R.SectorHits, 45u * 4);
}

TEST(L1, setsConflict) {
  // Lines 0 and 4 share one of four sets.
  EXPECT_EQ(play(byHand({{0, 4, 0, 4}}), 4, 1).SectorHits, 0u);
  EXPECT_EQ(play(byHand({{0, 5, 0, 5}}), 4, 1).SectorHits, 8u);
  EXPECT_EQ(play(byHand({{0, 4, 0, 4}}), 8, 2).SectorHits, 8u);
}

TEST(L1, aLineIsFilledSectorBySector) {
  WarpRequests W;
  W[{0, 0}] = {{{{7, 0b0001}}}, {{{7, 0b0011}}}, {{{7, 0b0011}}}};
  CacheStats S = play(W, 4);
  EXPECT_EQ(S.Sectors, 5u);
  EXPECT_EQ(S.SectorHits, 3u);
}

TEST(L1, storesPassThrough) {
  WarpRequests W;
  W[{0, 0}] = {{{{7, 0xf}}, true}, {{{7, 0xf}}}};
  CacheStats S = play(W, 4);
  EXPECT_EQ(S.WrittenSectors, 4u);
  EXPECT_EQ(S.SectorHits, 0u);
  EXPECT_EQ(S.Requests, 1u);
}

TEST(L1, fewerActiveWarpsFit) {
  // Two warps that cycle over three lines each, in a cache of four.
  std::vector<uint64_t> A, B;
  for (int I = 0; I < 30; ++I) {
    A.push_back(I % 3);
    B.push_back(10 + I % 3);
  }
  SMShape One;
  One.ActiveWarps = 1;
  EXPECT_EQ(play(byHand({A, B}), 4).SectorHits, 0u);
  EXPECT_EQ(play(byHand({A, B}), 4, 0, One).SectorHits, 2u * 27 * 4);
  SMShape Greedy;
  Greedy.Order = WarpOrder::GreedyThenOldest;
  EXPECT_EQ(play(byHand({A, B}), 4, 0, Greedy).SectorHits, 2u * 27 * 4);
  Greedy.MissSlots = 1; // then the other warp takes its turn
  EXPECT_EQ(play(byHand({A, B}), 4, 0, Greedy).SectorHits, 0u);
  EXPECT_EQ(play(byHand({A, B}), 6, 0, Greedy).SectorHits, 2u * 27 * 4);
}

TEST(L1, throttlingAKernelRaisesItsHitRate) {
  deviceReset();
  int Rounds = 4;
  Buffer<float> A(8 * 1024, 1), Out(256, 0);
  Result R = trace("reuse", {4}, {64}, {A.arg(), Out.arg(), &Rounds});
  WarpRequests W = warpRequests(R);
  ASSERT_EQ(W.size(), 8u);
  EXPECT_EQ(W.begin()->second.size(), 32u * 4 + 1);
  // Each warp's 4 KiB are used four times; 9 KiB hold two warps.
  CacheShape C{9 * 1024};
  auto Rate = [&](unsigned Blocks, unsigned Active) {
    return simulateL1(W, {0, 1, 2, 3}, C, {Blocks, Active}).hitRate();
  };
  EXPECT_EQ(Rate(1, 0), 0.75);
  EXPECT_EQ(Rate(4, 0), 0.0);
  EXPECT_EQ(Rate(4, 2), 0.75);
  EXPECT_EQ(Rate(2, 1), 0.75);
}

TEST(L1, lanesMeetInOneRequest) {
  Result R = traceRows(8, {1}, {48}, 5);
  WarpRequests W = warpRequests(R, rows({}));
  ASSERT_EQ(W.size(), 2u);
  for (auto &[Warp, Requests] : W) {
    ASSERT_EQ(Requests.size(), 8u); // one for each iteration
    for (const WarpRequest &Q : Requests)
      EXPECT_EQ(Q.Lines.size(), Warp.second == 0 ? 8u : 4u);
  }
}

} // namespace
