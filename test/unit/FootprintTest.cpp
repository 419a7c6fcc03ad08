//===- FootprintTest.cpp --------------------------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The oracle runs every thread through every iteration and writes down each
// byte that it touches. It shares nothing with the model but the choice of the
// representative block and iterations.
//
//===----------------------------------------------------------------------===//
#include "analysis/memory/Footprint.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <functional>
#include <random>
#include <set>

using namespace catt;
using testing::Optional;

namespace {

const AffineIndex Tx = AffineIndex::threadIdx(Axis::X);
const AffineIndex Ty = AffineIndex::threadIdx(Axis::Y);
const AffineIndex Bx = AffineIndex::blockIdx(Axis::X);
const AffineIndex By = AffineIndex::blockIdx(Axis::Y);
const AffineIndex Dx = AffineIndex::blockDim(Axis::X);
const AffineIndex Dy = AffineIndex::blockDim(Axis::Y);
const AffineIndex N = AffineIndex::parameter("n");
const AffineIndex I = Bx * Dx + Tx; // the usual global index
AffineIndex it(unsigned Loop) { return AffineIndex::iterator(Loop); }

//===-- The oracle -------------------------------------------------------===//

class Emulator {
public:
  using Lines = std::set<std::pair<unsigned, int64_t>>; // base, line or sector

  Emulator(const Kernel &K, const FootprintOptions &O, Representative R)
      : K(K), O(O), R(std::move(R)) {}

  int64_t threads() const { return *O.Block.count(); }
  int64_t warps() const { return (threads() + 31) / 32; }

  /// Lines of size Unit that threads [First, End) touch in one iteration.
  Lines lines(unsigned Level, int64_t Iteration, int64_t First, int64_t End,
              int64_t Unit, bool SharedOnly = false) {
    Lines Result;
    for (int64_t T = First; T < std::min(End, threads()); ++T) {
      Thread[0] = T % *O.Block.X;
      Thread[1] = T / *O.Block.X % *O.Block.Y;
      Thread[2] = T / *O.Block.X / *O.Block.Y;
      Iterators = R.Iteration;
      Iterators[Level] = Iteration;
      if (!reaches(Level))
        continue;
      visit(Level, [&](const Access &A) {
        if (SharedOnly && A.Offset->mentions(Atom::Kind::BlockIdx))
          return;
        int64_t Byte = value(*A.Offset);
        for (int64_t B = Byte; B < Byte + A.SizeBytes; ++B)
          Result.insert({A.BaseId, floorDiv(B, Unit)});
      });
    }
    return Result;
  }

  LevelFootprint level(unsigned Level) {
    LevelFootprint F;
    F.Loop = Level;
    int64_t At = R.Iteration.at(Level), End = threads();
    for (int64_t W = 0; W != warps(); ++W)
      F.LinesPerWarp = std::max(F.LinesPerWarp,
                                count(lines(Level, At, 32 * W, 32 * W + 32)));
    F.LinesPerBlock = count(lines(Level, At, 0, End));
    F.LinesShared = count(lines(Level, At, 0, End, 128, true));
    F.SectorsPerBlock = count(lines(Level, At, 0, End, 32));
    for (int64_t G = 1; G <= warps(); ++G) {
      int64_t Size = (warps() + G - 1) / G;
      for (int64_t W = 0; W < warps(); W += Size)
        F.LinesByWarps[Size] =
            std::max(F.LinesByWarps[Size],
                     count(lines(Level, At, 32 * W, 32 * (W + Size))));
    }
    F.Reuse = reuse(Level);
    return F;
  }

private:
  static int64_t floorDiv(int64_t A, int64_t B) {
    return A / B - (A % B < 0 ? 1 : 0);
  }
  static int64_t count(const Lines &L) { return L.size(); }
  Lines lines(unsigned Level, int64_t At, int64_t First, int64_t End) {
    return lines(Level, At, First, End, 128);
  }

  int64_t value(const AffineIndex &Index) const {
    return *Index.evaluate([&](const Atom &A) -> std::optional<int64_t> {
      const Shape *S = A.K == Atom::Kind::BlockDim ? &O.Block : &O.Grid;
      switch (A.K) {
      case Atom::Kind::ThreadIdx:
        return Thread[static_cast<unsigned>(A.Dim)];
      case Atom::Kind::BlockIdx:
        return R.Block[static_cast<unsigned>(A.Dim)];
      case Atom::Kind::BlockDim:
      case Atom::Kind::GridDim:
        return A.Dim == Axis::X ? S->X : A.Dim == Axis::Y ? S->Y : S->Z;
      case Atom::Kind::Iterator:
        return Iterators.at(A.Id);
      default:
        return O.Parameters.at(A.Name);
      }
    });
  }

  /// Whether the thread runs the current iterations of the loop and those
  /// around it.
  bool reaches(unsigned Level) const {
    for (std::optional<unsigned> L = Level; L; L = K.Loops[*L].Parent)
      if (K.Loops[*L].TripCount &&
          value(*K.Loops[*L].TripCount) <= Iterators.at(*L))
        return false;
    return true;
  }

  void visit(unsigned Level, const std::function<void(const Access &)> &Do) {
    for (const Access &A : K.Accesses)
      if (A.Loop == Level && A.Space == AddressSpace::Global && A.ThroughL1 &&
          A.Offset && guarded(A))
        Do(A);
    for (const Loop &Inner : K.Loops)
      if (Inner.Parent == Level) {
        int64_t Trip = value(*Inner.TripCount);
        for (Iterators[Inner.Id] = 0; Iterators[Inner.Id] < Trip;
             ++Iterators[Inner.Id])
          visit(Inner.Id, Do);
      }
  }

  bool guarded(const Access &A) const {
    for (const Guard &G : A.Guards)
      if (value(G.Condition) < 0)
        return false;
    return true;
  }

  bool reuse(unsigned Level) {
    int64_t First = R.Iteration.at(Level), Count = ReuseWindow;
    if (auto T = R.TripCount.find(Level); T != R.TripCount.end()) {
      First = std::min(First, std::max<int64_t>(T->second - ReuseWindow, 0));
      Count = std::min(Count, T->second - First);
    }
    Lines Seen;
    for (int64_t At = First; At < First + Count; ++At) {
      Lines Now = lines(Level, At, 0, threads());
      for (const auto &Line : Now)
        if (Seen.count(Line))
          return true;
      Seen.insert(Now.begin(), Now.end());
    }
    return false;
  }

  const Kernel &K;
  const FootprintOptions &O;
  Representative R;
  int64_t Thread[3] = {};
  std::map<unsigned, int64_t> Iterators;
};

void expectEqual(const LevelFootprint &Got, const LevelFootprint &Wanted) {
  EXPECT_EQ(Got.Loop, Wanted.Loop);
  EXPECT_EQ(Got.LinesPerWarp, Wanted.LinesPerWarp);
  EXPECT_EQ(Got.LinesPerBlock, Wanted.LinesPerBlock);
  EXPECT_EQ(Got.LinesShared, Wanted.LinesShared);
  EXPECT_EQ(Got.SectorsPerBlock, Wanted.SectorsPerBlock);
  EXPECT_EQ(Got.LinesByWarps, Wanted.LinesByWarps);
  EXPECT_EQ(Got.Reuse, Wanted.Reuse);
}

//===-- Random kernels ---------------------------------------------------===//

struct RandomKernel {
  std::mt19937 Random;
  Kernel K;
  FootprintOptions O;

  explicit RandomKernel(unsigned Seed) : Random(Seed) {
    const int64_t Xs[] = {1, 5, 8, 16, 17, 31, 32, 33, 48, 64, 96};
    const int64_t Ys[] = {1, 1, 1, 2, 3, 8};
    O.Block.X = pick(Xs);
    O.Block.Y = *O.Block.X > 33 ? 1 : pick(Ys);
    O.Block.Z = *O.Block.X * *O.Block.Y > 64 ? 1 : 1 + below(2);
    O.Grid = {2 + below(8), 2 + below(3), 2};
    const int64_t Ns[] = {1, 3, 8, 17, 64, 100};
    O.Parameters["n"] = pick(Ns);
    unsigned Loops = 1 + below(3);
    for (unsigned L = 0; L != Loops; ++L)
      addLoop(L);
    for (unsigned A = 0, E = 1 + below(4); A != E; ++A)
      addAccess();
  }

  std::string text() const {
    std::string Text = "block " + std::to_string(*O.Block.X) + "," +
                       std::to_string(*O.Block.Y) + "," +
                       std::to_string(*O.Block.Z) +
                       " n=" + std::to_string(O.Parameters.at("n"));
    for (const Loop &L : K.Loops)
      Text += "\n  loop " + std::to_string(L.Id) + " in " +
              (L.Parent ? std::to_string(*L.Parent) : "-") + ": " +
              L.TripCount->str();
    for (const Access &A : K.Accesses) {
      Text += "\n  " + std::to_string(A.SizeBytes) + " bytes of base " +
              std::to_string(A.BaseId) + " in loop " + std::to_string(*A.Loop) +
              ": " + A.Offset->str();
      for (const Guard &G : A.Guards)
        Text += " if " + G.Condition.str() + " >= 0";
    }
    return Text;
  }

private:
  int64_t below(unsigned Bound) { return Random() % Bound; }
  template <size_t Count> int64_t pick(const int64_t (&Values)[Count]) {
    return Values[below(Count)];
  }

  /// threadIdx, n, or the iterator of a loop around and including In.
  AffineIndex leaf(std::optional<unsigned> In) {
    switch (below(6)) {
    case 0:
      return Ty;
    case 1:
      return AffineIndex::threadIdx(Axis::Z);
    case 2:
      return below(2) ? N : Tx;
    default:
      while (In && below(2))
        In = K.Loops[*In].Parent;
      return In ? it(*In) : Tx;
    }
  }

  AffineIndex bent(std::optional<unsigned> In) {
    AffineIndex A = leaf(In) + below(3) * leaf(In) + below(9) - 4, B = leaf(In);
    switch (below(5)) {
    case 0:
      return AffineIndex::quotient(A, 2 + below(9));
    case 1:
      return AffineIndex::remainder(A, 2 + below(9));
    case 2:
      return AffineIndex::min(A, B);
    case 3:
      return AffineIndex::max(A, B);
    default:
      return AffineIndex::select(A - below(6), B, leaf(In));
    }
  }

  void addLoop(unsigned Id) {
    Loop L;
    L.Id = Id;
    if (Id != 0 && below(5) != 0)
      L.Parent = below(Id);
    bool Deep = L.Parent.has_value();
    switch (below(6)) {
    case 0:
      L.TripCount = Deep ? AffineIndex(2 + below(5)) : N;
      break;
    case 1:
      L.TripCount = AffineIndex::remainder(bent(L.Parent), 6) + 2;
      break;
    case 2:
      L.TripCount = 4 - leaf(L.Parent); // may be negative
      break;
    default:
      L.TripCount = Deep ? 1 + below(8) : 1 + below(90);
    }
    if (Deep) // keeps the oracle's work small
      L.TripCount = AffineIndex::min(*L.TripCount, 9);
    K.Loops.push_back(L);
  }

  void addAccess() {
    const int64_t Sizes[] = {1, 2, 4, 4, 4, 8, 12, 16};
    const int64_t Strides[] = {
        1,   2,  4,   4,   4,   8,    12, 16, 32, 60,  64,   124,  128,  129,
        132, 36, 136, 160, 256, 1000, -4, -8, -4, -60, -128, -132, -512, 4096};
    Access A;
    A.Loop = below(K.Loops.size());
    A.BaseId = below(3);
    A.SizeBytes = pick(Sizes);
    AffineIndex Offset = below(300) - 150;
    if (below(3) != 0)
      Offset += pick(Strides) * (below(3) ? I : I * N);
    if (below(5) == 0)
      Offset += (4 + below(200)) * By;
    for (unsigned T = 0, E = 1 + below(3); T != E; ++T)
      Offset += pick(Strides) * leaf(A.Loop) * (below(4) ? 1 : N);
    if (below(3) == 0)
      Offset += pick(Strides) * bent(A.Loop);
    A.Offset = Offset;
    for (unsigned G = below(4); G < 2; ++G)
      A.Guards.push_back({guard(A.Loop)});
    const AddressSpace Others[] = {AddressSpace::Shared, AddressSpace::Local,
                                   AddressSpace::Constant};
    if (below(12) == 0)
      A.Space = Others[below(3)];
    A.ThroughL1 = below(12) != 0;
    K.Accesses.push_back(A);
  }

  AffineIndex guard(std::optional<unsigned> In) {
    switch (below(5)) {
    case 0:
      return 40 * N - 1 - I;
    case 1:
      return leaf(In) - below(3);
    case 2:
      return leaf(In) - leaf(In);
    case 3:
      return bent(In) - 1;
    default:
      return below(50) - leaf(In);
    }
  }
};

TEST(Footprint, EqualsTheOracleOnRandomKernels) {
  unsigned Levels = 0, Reusing = 0, Busy = 0;
  for (unsigned Seed = 0; Seed != 700; ++Seed) {
    RandomKernel R(Seed);
    SCOPED_TRACE("seed " + std::to_string(Seed) + ": " + R.text());
    unsigned Loop = Seed % R.K.Loops.size();
    llvm::Expected<LoopProfile> P = profileLoop(R.K, Loop, R.O);
    ASSERT_TRUE(!!P) << llvm::toString(P.takeError());
    ASSERT_FALSE(P->Unknown) << P->Unknown->Detail;
    Emulator Oracle(R.K, R.O, representative(R.K, Loop, R.O));
    std::optional<unsigned> Level = Loop;
    for (const LevelFootprint &Got : P->Levels) {
      ASSERT_EQ(Got.Loop, *Level);
      EXPECT_EQ(Got.From, Origin::Proved);
      expectEqual(Got, Oracle.level(*Level));
      Level = R.K.Loops[*Level].Parent;
      ++Levels;
      Reusing += Got.Reuse;
      Busy += Got.LinesPerBlock > 8;
    }
    EXPECT_FALSE(Level) << "a level is missing";
    ASSERT_FALSE(testing::Test::HasFailure());
  }
  // The generator must not make only trivial kernels.
  EXPECT_GT(Levels, 800u);
  EXPECT_GT(Reusing, Levels / 5);
  EXPECT_LT(Reusing, Levels);
  EXPECT_GT(Busy, Levels / 3);
}

TEST(Footprint, IslIsExactOrAnUpperBound) {
  unsigned Exact = 0, Bounds = 0, Unknown = 0;
  for (unsigned Seed = 1000; Seed != 1024; ++Seed) {
    RandomKernel R(Seed);
    SCOPED_TRACE("seed " + std::to_string(Seed) + ": " + R.text());
    unsigned Loop = Seed % R.K.Loops.size();
    Emulator Oracle(R.K, R.O, representative(R.K, Loop, R.O));
    R.O.WalkLimit = 0; // nothing may be walked
    llvm::Expected<LoopProfile> P = profileLoop(R.K, Loop, R.O);
    ASSERT_TRUE(!!P) << llvm::toString(P.takeError());
    if (P->Unknown) {
      EXPECT_EQ(P->Unknown->Kind, Reason::TooComplex);
      ++Unknown;
    }
    for (const LevelFootprint &Got : P->Levels) {
      LevelFootprint Wanted = Oracle.level(Got.Loop);
      if (Got.From == Origin::Proved) {
        EXPECT_EQ(Got.LinesPerWarp, Wanted.LinesPerWarp);
        EXPECT_EQ(Got.LinesByWarps, Wanted.LinesByWarps);
        EXPECT_EQ(Got.LinesShared, Wanted.LinesShared);
        ++Exact;
      } else {
        EXPECT_GE(Got.LinesPerWarp, Wanted.LinesPerWarp);
        EXPECT_GE(Got.LinesPerBlock, Wanted.LinesPerBlock);
        EXPECT_GE(Got.SectorsPerBlock, Wanted.SectorsPerBlock);
        ++Bounds;
      }
    }
    ASSERT_FALSE(testing::Test::HasFailure());
  }
  EXPECT_GT(Exact, 10u);
  EXPECT_GT(Bounds, 0u);
  EXPECT_LT(Unknown, 5u) << "of " << Exact + Bounds;
}

//===-- Known kernels ----------------------------------------------------===//

Access access(unsigned BaseId, std::optional<AffineIndex> Offset, unsigned Loop,
              unsigned SizeBytes = 4) {
  Access A;
  A.BaseId = BaseId;
  A.Offset = std::move(Offset);
  A.Loop = Loop;
  A.SizeBytes = SizeBytes;
  A.Text = "A[...]";
  A.Where = {"k.cu", 10 + BaseId, 3};
  return A;
}

Loop loop(unsigned Id, std::optional<AffineIndex> TripCount,
          std::optional<unsigned> Parent = std::nullopt) {
  Loop L;
  L.Id = Id;
  L.Parent = Parent;
  L.TripCount = std::move(TripCount);
  L.Header = "for (loop " + std::to_string(Id) + ")";
  L.Where = {"k.cu", 1 + Id, 1};
  return L;
}

FootprintOptions launch(int64_t Grid, int64_t X, int64_t Y = 1) {
  FootprintOptions O;
  O.Grid = {Grid, 1, 1};
  O.Block = {X, Y, 1};
  return O;
}

LoopProfile profile(const Kernel &K, unsigned LoopId,
                    const FootprintOptions &O) {
  llvm::Expected<LoopProfile> P = profileLoop(K, LoopId, O);
  if (P)
    return std::move(*P);
  ADD_FAILURE() << llvm::toString(P.takeError());
  return {};
}

/// tmp[i] += A[i * n + j] * B[j], under `if (i < n)`.
Kernel rowWalk() {
  Kernel K;
  K.Loops = {loop(0, N)};
  K.Accesses = {access(0, 4 * I, 0), access(1, 4 * (I * N + it(0)), 0),
                access(2, 4 * it(0), 0)};
  for (Access &A : K.Accesses)
    A.Guards = {{N - 1 - I}};
  return K;
}

TEST(Footprint, RowWalk) {
  FootprintOptions O = launch(320, 256);
  O.Parameters["n"] = 40960;
  LoopProfile P = profile(rowWalk(), 0, O);
  ASSERT_EQ(P.Levels.size(), 1u);
  const LevelFootprint &F = P.Levels[0];
  EXPECT_EQ(F.LinesPerWarp, 34);   // 32 rows, one of tmp, one of B
  EXPECT_EQ(F.LinesPerBlock, 265); // 256 rows, 8 of tmp, one of B
  EXPECT_EQ(F.LinesShared, 1);     // B
  EXPECT_EQ(F.SectorsPerBlock, 256 + 32 + 1);
  EXPECT_EQ(F.LinesByWarps,
            (std::map<int64_t, int64_t>{
                {1, 34}, {2, 67}, {3, 100}, {4, 133}, {8, 265}}));
  EXPECT_TRUE(F.Reuse);
  EXPECT_EQ(F.From, Origin::Proved);
}

TEST(Footprint, AgainWithOtherParameters) {
  Kernel K = rowWalk();
  FootprintOptions O = launch(64, 256);
  for (auto [Value, Lines] : {std::pair(1ll, 0ll), std::pair(8192ll, 265ll),
                              std::pair(20000ll, 265ll)}) {
    O.Parameters["n"] = Value;
    // With n = 1 only thread 0 of block 0 runs.
    EXPECT_EQ(profile(K, 0, O).Levels[0].LinesPerBlock, Lines ? Lines : 3);
  }
}

TEST(Footprint, ColumnWalkAloneHasNoReuse) {
  Kernel K;
  K.Loops = {loop(0, N)};
  K.Accesses = {access(0, 4 * (it(0) * N + I), 0)};
  FootprintOptions O = launch(320, 256);
  O.Parameters["n"] = 40960;
  LevelFootprint F = profile(K, 0, O).Levels[0];
  EXPECT_EQ(F.LinesPerBlock, 8);
  EXPECT_FALSE(F.Reuse);
  K.Accesses.push_back(access(1, 4 * I, 0)); // tmp[i]: invariant
  EXPECT_TRUE(profile(K, 0, O).Levels[0].Reuse);
}

TEST(Footprint, TwoLevels) { // kmeans: features again for each centre
  Kernel K;
  K.Loops = {loop(0, 5), loop(1, 34, 0)};
  K.Accesses = {access(0, 4 * (I * 34 + it(1)), 1),
                access(1, 4 * (it(0) * 34 + it(1)), 1)};
  FootprintOptions O = launch(100, 256);
  LoopProfile P = profile(K, 1, O);
  ASSERT_EQ(P.Levels.size(), 2u);
  EXPECT_EQ(P.Levels[0].LinesPerWarp, 32 + 1);
  EXPECT_EQ(P.Levels[1].LinesPerWarp, 34 + 2); // 32 * 136 bytes; 136 bytes
  EXPECT_EQ(P.Levels[1].LinesPerBlock, 8 * 34 + 2);
  EXPECT_EQ(P.Levels[1].LinesShared, 2);
  EXPECT_TRUE(P.Levels[1].Reuse);
}

TEST(Footprint, RowsSharedByWarpsCountOnce) { // syr2k, 32 x 8
  Kernel K;
  K.Loops = {loop(0, 1024)};
  AffineIndex Row = By * Dy + Ty, Column = Bx * Dx + Tx;
  K.Accesses = {access(0, 4 * (Row * 1024 + it(0)), 0),
                access(1, 4 * (Column * 1024 + it(0)), 0)};
  FootprintOptions O = launch(32, 32, 8);
  O.Grid.Y = 128;
  LevelFootprint F = profile(K, 0, O).Levels[0];
  EXPECT_EQ(F.LinesPerWarp, 33);
  EXPECT_EQ(F.LinesPerBlock, 32 + 8);
  EXPECT_EQ(F.LinesByWarps.at(4), 32 + 4);
}

TEST(Footprint, PartialLastWarpAndStraddling) {
  Kernel K;
  K.Loops = {loop(0, 100)};
  K.Accesses = {access(0, 4096 * Tx + 120, 0, 16)};
  LevelFootprint F = profile(K, 0, launch(9, 33)).Levels[0];
  EXPECT_EQ(F.LinesPerWarp, 64);
  EXPECT_EQ(F.LinesPerBlock, 66);
  EXPECT_EQ(F.SectorsPerBlock, 66);
  EXPECT_EQ(F.LinesByWarps, (std::map<int64_t, int64_t>{{1, 64}, {2, 66}}));
}

TEST(Footprint, StridesJustAboveAUnitSkipOne) {
  Kernel K;
  K.Loops = {loop(0, 100)};
  K.Accesses = {access(0, 132 * Tx + 4, 0)};
  LevelFootprint F = profile(K, 0, launch(9, 32)).Levels[0];
  EXPECT_EQ(F.LinesPerWarp, 32); // lines 0 to 30, and 32
  K.Accesses = {access(0, 36 * Tx, 0)};
  F = profile(K, 0, launch(9, 32)).Levels[0];
  EXPECT_EQ(F.SectorsPerBlock, 32); // of 0 to 34
  EXPECT_EQ(F.LinesPerWarp, 9);
}

TEST(Footprint, OnlyWhatL1Caches) {
  Kernel K;
  K.Loops = {loop(0, 10)};
  for (auto Space : {AddressSpace::Shared, AddressSpace::Local,
                     AddressSpace::Constant, AddressSpace::Texture}) {
    K.Accesses.push_back(access(0, 4 * Tx, 0));
    K.Accesses.back().Space = Space;
  }
  K.Accesses.push_back(access(1, 4 * Tx, 0));
  K.Accesses.back().ThroughL1 = false;
  FootprintOptions O = launch(9, 64);
  EXPECT_EQ(profile(K, 0, O).Levels[0].LinesPerBlock, 0);
  EXPECT_FALSE(profile(K, 0, O).Levels[0].Reuse);
  O.ThroughL1Only = false;
  EXPECT_EQ(profile(K, 0, O).Levels[0].LinesPerBlock, 2);
}

TEST(Footprint, AccessesOfOtherLoopsDoNotCount) {
  Kernel K;
  K.Loops = {loop(0, 10), loop(1, 10), loop(2, 3, 0), loop(3, 3, 0)};
  K.Accesses = {access(0, 4 * Tx, 1), access(1, 4 * Tx, 2),
                access(2, 4 * Tx, 3), access(3, 4 * Tx, 0)};
  K.Accesses[3].Loop = std::nullopt; // outside all loops
  LoopProfile P = profile(K, 2, launch(9, 32));
  ASSERT_EQ(P.Levels.size(), 2u);
  EXPECT_EQ(P.Levels[0].LinesPerBlock, 1);
  EXPECT_EQ(P.Levels[1].LinesPerBlock, 2); // with the sibling loop 3
}

TEST(Footprint, GridOfOneBlockSharesAll) {
  LoopProfile P = profile(rowWalk(), 0, [] {
    FootprintOptions O = launch(1, 256);
    O.Parameters["n"] = 4096;
    return O;
  }());
  EXPECT_EQ(P.Levels[0].LinesShared, P.Levels[0].LinesPerBlock);
}

//===-- What is not known ------------------------------------------------===//

TEST(Footprint, IrregularIsOneLinePerWarp) {
  Kernel K;
  K.Loops = {loop(0, 10)};
  K.Accesses = {access(0, std::nullopt, 0), access(0, std::nullopt, 0)};
  LevelFootprint F = profile(K, 0, launch(9, 100)).Levels[0];
  EXPECT_EQ(F.LinesPerWarp, 2);
  EXPECT_EQ(F.LinesPerBlock, 8);
  EXPECT_EQ(F.LinesByWarps.at(2), 4);
  EXPECT_EQ(F.LinesShared, 0);
  EXPECT_FALSE(F.Reuse);
  EXPECT_EQ(F.From, Origin::Estimated);
  K.Accesses[0].Guards = {{31 - Tx}}; // only the first warp
  EXPECT_EQ(profile(K, 0, launch(9, 100)).Levels[0].LinesPerBlock, 5);
}

TEST(Footprint, UnknownStrideIsNamed) {
  Kernel K = rowWalk();
  LoopProfile P = profile(K, 0, launch(320, 256));
  EXPECT_TRUE(P.Levels.empty());
  ASSERT_TRUE(P.Unknown);
  EXPECT_EQ(P.Unknown->Kind, Reason::UnknownStride);
  EXPECT_EQ(P.Unknown->Detail, "n");
  EXPECT_EQ(P.Unknown->Where.Line, 11u);
  FootprintOptions O = launch(320, 256);
  O.Parameters["m"] = 7; // another one does not help
  EXPECT_TRUE(profile(K, 0, O).Unknown);
}

TEST(Footprint, UnknownShiftIsTakenAsAligned) {
  Kernel K;
  K.Loops = {loop(0, 64)};
  AffineIndex Row = it(0) * N;
  K.Accesses = {access(0, 4 * (Row + I), 0), access(0, 4 * (Row + I + 32), 0)};
  LevelFootprint F = profile(K, 0, launch(9, 256)).Levels[0];
  EXPECT_EQ(F.LinesPerBlock, 9);
  EXPECT_EQ(F.From, Origin::Estimated);
  EXPECT_FALSE(F.Reuse); // a stride not known is taken as longer than a line
  K.Accesses[1] = access(0, 4 * (Row + N + I), 0); // the next row
  F = profile(K, 0, launch(9, 256)).Levels[0];
  EXPECT_EQ(F.LinesPerBlock, 16);
  EXPECT_TRUE(F.Reuse); // which the next iteration reads again
}

TEST(Footprint, UnknownGuardIsTakenToHold) {
  Kernel K;
  K.Loops = {loop(0, 64)};
  K.Accesses = {access(0, 4 * I, 0)};
  K.Accesses[0].Guards = {{N - 1 - I}};
  LevelFootprint F = profile(K, 0, launch(9, 256)).Levels[0];
  EXPECT_EQ(F.LinesPerBlock, 8);
  EXPECT_EQ(F.From, Origin::Estimated);
  K.Accesses[0].Guards.clear();
  EXPECT_EQ(profile(K, 0, launch(9, 256)).Levels[0].From, Origin::Proved);
  K.Accesses[0].GuardsKnown = false;
  EXPECT_EQ(profile(K, 0, launch(9, 256)).Levels[0].From, Origin::Estimated);
}

TEST(Footprint, UnknownTripCountEndsTheLevels) {
  for (const std::optional<AffineIndex> &Trip :
       {std::optional<AffineIndex>(), std::optional<AffineIndex>(N)}) {
    Kernel K;
    K.Loops = {loop(0, 10), loop(1, Trip, 0), loop(2, 4, 1)};
    K.Accesses = {access(0, 4 * Tx + 256 * it(1), 2)};
    LoopProfile P = profile(K, 2, launch(9, 32));
    ASSERT_EQ(P.Levels.size(), 2u); // the loop and the one of unknown length
    ASSERT_TRUE(P.Unknown);
    EXPECT_EQ(P.Unknown->Kind, Reason::UnknownTripCount);
    EXPECT_EQ(P.Unknown->Detail, Trip ? "n" : "for (loop 1)");
    EXPECT_EQ(P.Unknown->Where.Line, 2u);
    FootprintOptions O = launch(9, 32);
    O.Parameters["n"] = 6;
    EXPECT_EQ(profile(K, 2, O).Levels.size(), Trip ? 3u : 2u);
  }
}

TEST(Footprint, UnknownTripCountOfTheLoopItselfIsNoMatter) {
  Kernel K = rowWalk();
  K.Loops[0].TripCount.reset();
  FootprintOptions O = launch(320, 256);
  O.Parameters["n"] = 40960;
  LoopProfile P = profile(K, 0, O);
  ASSERT_EQ(P.Levels.size(), 1u);
  EXPECT_EQ(P.Levels[0].LinesPerBlock, 265);
  EXPECT_EQ(P.Levels[0].From, Origin::Proved);
}

TEST(Footprint, EarlyExitInsideIsAnUpperBound) {
  Kernel K;
  K.Loops = {loop(0, 10), loop(1, 8, 0)};
  K.Loops[1].MayExitEarly = true;
  K.Accesses = {access(0, 128 * it(1), 1)};
  LoopProfile P = profile(K, 1, launch(9, 32));
  EXPECT_EQ(P.Levels[0].From, Origin::Proved);
  EXPECT_EQ(P.Levels[1].From, Origin::Estimated);
  EXPECT_EQ(P.Levels[1].LinesPerBlock, 8);
}

TEST(Footprint, NoBlockNoProfile) {
  FootprintOptions O = launch(9, 32);
  O.Block.Y.reset();
  LoopProfile P = profile(rowWalk(), 0, O);
  EXPECT_TRUE(P.Levels.empty());
  ASSERT_TRUE(P.Unknown);
  EXPECT_EQ(P.Unknown->Kind, Reason::UnknownLaunch);
  O.Block = {0, 1, 1};
  EXPECT_TRUE(profile(rowWalk(), 0, O).Unknown);
}

TEST(Footprint, NoSuchLoopIsAnError) {
  llvm::Expected<LoopProfile> P = profileLoop(rowWalk(), 1, launch(9, 32));
  ASSERT_FALSE(!!P);
  EXPECT_EQ(llvm::toString(P.takeError()), "no loop 1 in the kernel");
}

TEST(Footprint, BeyondWhatCanBeComputed) {
  Kernel K;
  K.Loops = {loop(0, 10)};
  for (const AffineIndex &Offset :
       {AffineIndex::quotient(4 * I, it(0) - 5), // may divide by zero
        AffineIndex(int64_t(1) << 50) * I,       // leaves 64 bits
        AffineIndex::quotient(I, 0)}) {          // undefined
    K.Accesses = {access(0, Offset, 0)};
    LoopProfile P = profile(K, 0, launch(9, 32));
    EXPECT_TRUE(P.Levels.empty());
    ASSERT_TRUE(P.Unknown);
    EXPECT_EQ(P.Unknown->Kind, Reason::TooComplex);
  }
}

TEST(Footprint, IslQuota) {
  Kernel K;
  K.Loops = {loop(0, 10), loop(1, 100, 0)};
  K.Accesses = {
      access(0, 4 * AffineIndex::remainder(17 * I + 5 * it(1), 1001), 1)};
  FootprintOptions O = launch(9, 64);
  O.WalkLimit = 0;
  O.IslOperations = 10;
  LoopProfile P = profile(K, 1, O);
  ASSERT_TRUE(P.Unknown);
  EXPECT_EQ(P.Unknown->Kind, Reason::TooComplex);
}

TEST(Footprint, ManyDivisionsAreAnUpperBound) {
  // Comparing the hull with its set could take isl minutes.
  Kernel K;
  K.Loops = {loop(0, 10), loop(1, 100, 0)};
  AffineIndex Sum = 0;
  for (int64_t D : {3, 5, 7, 11, 13, 17, 19})
    Sum = Sum + AffineIndex::quotient(it(1) + D * it(0), D);
  K.Accesses = {access(0, 4 * Sum, 1)};
  FootprintOptions O = launch(9, 64);
  O.WalkLimit = 0;
  LevelFootprint F = profile(K, 0, O).Levels[0];
  EXPECT_EQ(F.From, Origin::Estimated);
  EXPECT_GE(F.LinesPerBlock, 3);
}

TEST(Footprint, IslSeesTripCountsThatVary) {
  Kernel K;
  K.Loops = {loop(0, 10), loop(1, 10 - it(0), 0)};
  K.Accesses = {access(0, 128 * it(1), 1)};
  FootprintOptions O = launch(9, 64);
  O.WalkLimit = 0;
  LevelFootprint F = profile(K, 0, O).Levels[0];
  EXPECT_EQ(F.LinesPerBlock, 5); // in iteration 5
  EXPECT_EQ(F.From, Origin::Proved);
  EXPECT_TRUE(F.Reuse);
}

TEST(Footprint, HugeWindowsGoToIsl) {
  Kernel K; // 10^8 points a thread, all within one triangle
  K.Loops = {loop(0, 10), loop(1, 10000, 0), loop(2, 10000, 1)};
  K.Accesses = {access(0, 4 * (it(1) + it(2)), 2)};
  K.Accesses[0].Guards = {{it(1) - it(2)}};
  LoopProfile P = profile(K, 0, launch(9, 64));
  ASSERT_EQ(P.Levels.size(), 1u);
  EXPECT_EQ(P.Levels[0].LinesPerWarp, (2 * 9999 * 4) / 128 + 1);
  EXPECT_EQ(P.Levels[0].From, Origin::Proved);
}

//===-- What stands for the grid -----------------------------------------===//

TEST(Footprint, RepresentativeIsInTheMiddle) {
  Kernel K = rowWalk();
  FootprintOptions O = launch(160, 256);
  O.Parameters["n"] = 40960;
  Representative R = representative(K, 0, O);
  EXPECT_THAT(R.Block, testing::ElementsAre(80, 0, 0));
  EXPECT_EQ(R.Iteration.at(0), 20480);
  EXPECT_EQ(R.TripCount.at(0), 40960);
}

TEST(Footprint, RepresentativeAvoidsIdleBlocks) {
  Kernel K = rowWalk();
  FootprintOptions O = launch(320, 256);
  O.Parameters["n"] = 256; // only block 0 has work
  EXPECT_THAT(representative(K, 0, O).Block, testing::ElementsAre(0, 0, 0));
  O.Parameters["n"] = 81 * 256; // blocks 0 to 80
  EXPECT_THAT(representative(K, 0, O).Block, testing::ElementsAre(0, 0, 0));
  O.Parameters["n"] = 0; // none
  EXPECT_EQ(profile(K, 0, O).Levels[0].LinesPerBlock, 0);
}

TEST(Footprint, UnknownGridIsLongEnough) {
  FootprintOptions O = launch(1, 256);
  O.Grid.X.reset();
  O.Parameters["n"] = 40960;
  LoopProfile P = profile(rowWalk(), 0, O);
  ASSERT_EQ(P.Levels.size(), 1u);
  EXPECT_EQ(P.Levels[0].LinesPerBlock, 265);
  EXPECT_EQ(P.Levels[0].LinesShared, 1);
}

TEST(Footprint, TriangularLoopUsesTheLongestThread) {
  Kernel K;
  K.Loops = {loop(0, Tx)};
  K.Accesses = {access(0, 128 * Tx, 0)};
  FootprintOptions O = launch(9, 64);
  EXPECT_EQ(representative(K, 0, O).TripCount.at(0), 63);
  // Iteration 31 exists for the threads 32 to 63.
  EXPECT_EQ(profile(K, 0, O).Levels[0].LinesPerBlock, 32);
}

//===-- Lane strides -----------------------------------------------------===//

TEST(Footprint, LaneStride) {
  FootprintOptions O = launch(9, 256);
  O.Parameters["n"] = 4096;
  auto Stride = [&](const AffineIndex &Offset) {
    return laneStrideBytes(access(0, Offset, 0), O);
  };
  EXPECT_THAT(Stride(4 * (I * N + it(0))), Optional(16384));
  EXPECT_THAT(Stride(4 * (it(0) * N + I)), Optional(4));
  EXPECT_THAT(Stride(4 * it(0)), Optional(0));
  EXPECT_THAT(Stride(-8 * Tx + 4 * Ty), Optional(-8));
  // i / n and i % n are those of the first warp.
  const AffineIndex Row = AffineIndex::remainder(I, 1000);
  EXPECT_THAT(Stride(4 * (Row * N + it(0))), Optional(16384));
  EXPECT_THAT(Stride(4 * (AffineIndex::quotient(I, 1000) * N + it(0))),
              Optional(0));
  EXPECT_EQ(Stride(4 * AffineIndex::remainder(I, 8)), std::nullopt);
  EXPECT_EQ(Stride(4 * AffineIndex::quotient(Tx, 4)), std::nullopt);
  EXPECT_EQ(Stride(4 * AffineIndex::remainder(I, AffineIndex::parameter("m"))),
            std::nullopt);
  EXPECT_EQ(Stride(4 * Tx * it(0)), std::nullopt);
  EXPECT_EQ(Stride(4 * Tx * AffineIndex::parameter("m")), std::nullopt);
  EXPECT_EQ(laneStrideBytes(access(0, std::nullopt, 0), O), std::nullopt);
  O = launch(9, 1, 64); // a block one thread wide: lanes follow y
  EXPECT_THAT(Stride(4 * Tx + 12 * Ty), Optional(12));
}

} // namespace
