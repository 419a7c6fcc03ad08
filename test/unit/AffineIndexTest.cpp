//===- AffineIndexTest.cpp ------------------------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The oracle is a plain expression tree that computes with C's operators. It is
// built beside the index, so that every simplification is compared with what
// the program would have computed.
//
//===----------------------------------------------------------------------===//
#include "analysis/model/AffineIndex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <functional>
#include <limits>
#include <random>

using namespace catt;
using testing::Optional;

namespace {

constexpr int64_t Max = std::numeric_limits<int64_t>::max();
constexpr int64_t Min = std::numeric_limits<int64_t>::min();

const AffineIndex Tx = AffineIndex::threadIdx(Axis::X);
const AffineIndex Ty = AffineIndex::threadIdx(Axis::Y);
const AffineIndex Bx = AffineIndex::blockIdx(Axis::X);
const AffineIndex Dx = AffineIndex::blockDim(Axis::X);
const AffineIndex Dy = AffineIndex::blockDim(Axis::Y);
const AffineIndex Gx = AffineIndex::gridDim(Axis::X);
const AffineIndex I0 = AffineIndex::iterator(0);
const AffineIndex N = AffineIndex::parameter("n");

AffineIndex quo(const AffineIndex &A, const AffineIndex &B) {
  return AffineIndex::quotient(A, B);
}
AffineIndex rem(const AffineIndex &A, const AffineIndex &B) {
  return AffineIndex::remainder(A, B);
}

//===-- Polynomials ------------------------------------------------------===//

TEST(AffineIndex, PrintsAsWritten) {
  AffineIndex I = Bx * Dx + Tx;
  EXPECT_EQ((4 * (I * N + I0)).str(),
            "4*n*threadIdx.x + 4*n*blockDim.x*blockIdx.x + 4*i0");
  EXPECT_EQ((N - 3 * I0 - 5).str(), "-3*i0 + n - 5");
  EXPECT_EQ(AffineIndex(0).str(), "0");
  EXPECT_EQ(AffineIndex(Min).str(), "-9223372036854775808");
  EXPECT_EQ((Tx + 1).str([](unsigned) { return "j"; }), "threadIdx.x + 1");
  EXPECT_EQ(I0.str([](unsigned Id) { return "j" + std::to_string(Id); }), "j0");
}

TEST(AffineIndex, EqualWhateverTheOrder) {
  EXPECT_EQ((Tx + N) * (Tx - N), Tx * Tx - N * N);
  EXPECT_EQ(N * Tx * I0, I0 * N * Tx);
  EXPECT_EQ(Tx - Tx, AffineIndex(0));
  EXPECT_FALSE(Tx == Ty);
  EXPECT_FALSE(AffineIndex::parameter("m") == N);
  EXPECT_FALSE(AffineIndex::iterator(1) == I0);
  EXPECT_FALSE(Tx == Tx + 1);
  AffineIndex Twice = Tx;
  Twice += Twice;
  EXPECT_EQ(Twice, 2 * Tx);
  Twice -= Twice;
  EXPECT_EQ(Twice, AffineIndex(0));
  AffineIndex Square = Tx + 1;
  Square *= Square;
  EXPECT_EQ(Square, Tx * Tx + 2 * Tx + 1);
}

TEST(AffineIndex, OrderIsTotal) {
  std::vector<AffineIndex> All = {0, 1, Tx, Ty, Bx, 2 * Tx, Tx * N, quo(Tx, 7)};
  for (const AffineIndex &A : All)
    for (const AffineIndex &B : All)
      EXPECT_EQ(compare(A, B), -compare(B, A)) << A.str() << " , " << B.str();
}

TEST(AffineIndex, Questions) {
  EXPECT_THAT(AffineIndex(7).constant(), Optional(7));
  EXPECT_THAT((Tx - Tx).constant(), Optional(0));
  EXPECT_EQ(Tx.constant(), std::nullopt);
  AffineIndex Deep = quo(rem(3 * Tx + I0, 5) + N, 3);
  EXPECT_TRUE(Deep.mentions(Atom::Kind::ThreadIdx));
  EXPECT_TRUE(Deep.mentionsIterator(0));
  EXPECT_FALSE(Deep.mentionsIterator(1));
  EXPECT_FALSE(Deep.isBlockUniform());
  EXPECT_TRUE((Bx * N).isBlockUniform());
  EXPECT_TRUE(Deep.isAffine());
  EXPECT_FALSE((N * Tx).isAffine());
  EXPECT_FALSE(quo(Tx, N).isAffine());
  EXPECT_FALSE(AffineIndex::max(N * Tx, 3).isAffine());
  EXPECT_TRUE((4 * Tx + I0).isNonNegative());
  EXPECT_TRUE((Dx - 1 - Tx).isNonNegative());
  EXPECT_TRUE((Dx * Dy - Tx - Dx * Ty - 1).isNonNegative());
  EXPECT_FALSE((Dx - 2 - Tx).isNonNegative());
  EXPECT_FALSE((Tx - I0).isNonNegative());
  EXPECT_FALSE(N.isNonNegative());
}

//===-- Undefined --------------------------------------------------------===//

TEST(AffineIndex, OverflowNeverLooksLikeANumber) {
  auto Any = [](const Atom &) -> std::optional<int64_t> { return 0; };
  AffineIndex Sum = Max, Product = Max * Tx;
  Sum += 1;
  Product *= 2;
  for (const AffineIndex &U :
       {Sum, Product, quo(Min, -1), quo(Tx, 0), rem(Tx, 0), Sum * 0, Sum - Sum,
        Sum + Tx, quo(Sum, 2), rem(7, Sum), AffineIndex::min(Sum, 1),
        AffineIndex::max(2, Sum), AffineIndex::select(Sum, 1, 2)}) {
    EXPECT_TRUE(U.isUndefined());
    EXPECT_EQ(U.constant(), std::nullopt);
    EXPECT_EQ(U.evaluate(Any), std::nullopt);
    EXPECT_FALSE(U.isAffine());
    EXPECT_FALSE(U.isBlockUniform());
    EXPECT_FALSE(U.isNonNegative());
    EXPECT_EQ(U.str(), "undefined");
  }
  EXPECT_FALSE(AffineIndex(Max).isUndefined());
  EXPECT_THAT(rem(Min, -1).constant(), Optional(0));
}

TEST(AffineIndex, UndefinedBranchHarmsOnlyIfTaken) {
  AffineIndex S = AffineIndex::select(I0 - 3, quo(1, 0), Tx);
  auto At = [&](int64_t I) {
    return S.evaluate([&](const Atom &A) -> std::optional<int64_t> {
      return A.K == Atom::Kind::Iterator ? I : 9;
    });
  };
  EXPECT_THAT(At(2), Optional(9));
  EXPECT_EQ(At(3), std::nullopt);
}

TEST(AffineIndex, EvaluateRefuses) {
  auto Big = [](const Atom &) -> std::optional<int64_t> { return Max; };
  EXPECT_EQ((Tx + 1).evaluate(Big), std::nullopt);
  EXPECT_EQ((Tx * N).evaluate(Big), std::nullopt);
  EXPECT_THAT((Tx + 1 - N).evaluate(Big), Optional(1)); // only the sum counts
  auto Zero = [](const Atom &) -> std::optional<int64_t> { return 0; };
  EXPECT_EQ(quo(Tx, N).evaluate(Zero), std::nullopt);
  EXPECT_EQ(rem(Tx, N).evaluate(Zero), std::nullopt);
  auto None = [](const Atom &) -> std::optional<int64_t> {
    return std::nullopt;
  };
  EXPECT_EQ(Tx.evaluate(None), std::nullopt);
  EXPECT_THAT(AffineIndex(4).evaluate(None), Optional(4));
}

TEST(AffineIndex, HugeExpressionsEnd) {
  AffineIndex X = Tx, Y = Tx + Ty + Bx + N + I0;
  for (int Round = 0; Round != 40; ++Round) {
    X = AffineIndex::select(X - N, X * 3 + 1, quo(X, 5) - N);
    Y *= Y;
  }
  EXPECT_TRUE(X.isUndefined());
  EXPECT_TRUE(Y.isUndefined());
}

//===-- Simplification ---------------------------------------------------===//

TEST(AffineIndex, QuotientTakesMultiplesOut) {
  EXPECT_EQ(quo(32 * N, 32), N); // exact: for every sign
  EXPECT_EQ(quo(-32 * N, 8), -4 * N);
  EXPECT_EQ(quo(256 * Bx + Tx, 32), 8 * Bx + quo(Tx, 32));
  EXPECT_EQ(quo(Dx * Bx + Tx, Dx), Bx);
  EXPECT_EQ(rem(Dx * Bx + Tx, Dx), Tx);
  EXPECT_EQ(quo(Dx * Dy * Bx + Dx * Ty + Tx, Dx * Dy), Bx);
  EXPECT_EQ(quo(N * Tx, N), Tx);
  EXPECT_EQ(quo(Tx + 37, 32), 1 + quo(Tx + 5, 32));
  EXPECT_EQ(quo(4 * I0, 8), quo(I0, 2));
  EXPECT_EQ(rem(4 * I0, 8), 4 * rem(I0, 2));
  EXPECT_EQ(quo(rem(I0, 32), 32), AffineIndex(0));
  EXPECT_EQ(rem(rem(I0, 64), 32), rem(I0, 32));
  EXPECT_EQ(rem(rem(N, 64), 32), rem(N, 32));
  EXPECT_EQ(quo(quo(N, 4), 8), quo(N, 32));
  EXPECT_EQ(quo(Tx, 1024), AffineIndex(0));
  EXPECT_EQ(rem(Tx, 1024), Tx);
  EXPECT_EQ(quo(N, 1), N);
  EXPECT_EQ(rem(N, -1), AffineIndex(0));
  EXPECT_EQ(quo(N, -3), -quo(N, 3));
  EXPECT_EQ(rem(N, -3), rem(N, 3));
}

TEST(AffineIndex, QuotientKeepsWhatSignsForbid) {
  // (-32 + 31) / 32 is 0, -1 + 31 / 32 is -1.
  EXPECT_FALSE(quo(32 * N + Tx, 32) == N + quo(Tx, 32));
  EXPECT_FALSE(rem(32 * N + I0, 32) == rem(I0, 32));
  EXPECT_FALSE(quo(32 * I0 - Tx, 32) == I0 - quo(Tx, 32));
  EXPECT_FALSE(quo(N + 37, 32) == 1 + quo(N + 5, 32));
  EXPECT_FALSE(quo(N * Bx + Tx, N) == Bx);
  EXPECT_FALSE(rem(rem(N, 48), 32) == rem(N, 32));
  EXPECT_FALSE(quo(Tx, 1023) == AffineIndex(0));
  EXPECT_FALSE(quo(Dx * Ty + Tx, Dy) == Ty);
}

TEST(AffineIndex, RowAndColumnJoinAgain) {
  AffineIndex I = Bx * Dx + Tx;
  EXPECT_EQ(quo(I, N) * N + rem(I, N), I);
  EXPECT_EQ(4 * (rem(I, 100) + 100 * quo(I, 100)) + 8, 4 * I + 8);
  EXPECT_EQ(N * rem(I, 7) + 7 * quo(I, 7) * N, N * I);
  EXPECT_FALSE(quo(I, 100) * 101 + rem(I, 100) == I);
  EXPECT_FALSE(quo(I, N) * N - rem(I, N) == I);
}

TEST(AffineIndex, MinMaxSelectFold) {
  EXPECT_EQ(AffineIndex::min(3, 5), AffineIndex(3));
  EXPECT_EQ(AffineIndex::min(Tx, Tx + 1), Tx);
  EXPECT_EQ(AffineIndex::max(I0, 0), I0);
  EXPECT_EQ(AffineIndex::max(N, I0), AffineIndex::max(I0, N));
  EXPECT_EQ(AffineIndex::min(rem(I0, 8), 7), rem(I0, 8));
  EXPECT_EQ(AffineIndex::select(Tx, N, 5), N);
  EXPECT_EQ(AffineIndex::select(Tx - Dx, N, 5), AffineIndex(5));
  EXPECT_EQ(AffineIndex::select(N, I0, I0), I0);
  EXPECT_EQ(AffineIndex::select(N, 1, 2).str(), "(n >= 0 ? 1 : 2)");
  EXPECT_EQ(AffineIndex::min(N, 4 * Tx).str(), "min(4*threadIdx.x, n)");
  // `if (n > 8) n = 8;`, with `>=` too, and the other way round.
  for (int More : {0, 1}) {
    EXPECT_EQ(AffineIndex::select(N - 8 - More, 8, N), AffineIndex::min(N, 8));
    EXPECT_EQ(AffineIndex::select(8 - N - More, 8, N), AffineIndex::max(N, 8));
  }
  EXPECT_EQ(AffineIndex::select(N - 10, 8, N).str(), "(n - 10 >= 0 ? 8 : n)");
  EXPECT_FALSE(AffineIndex::max(N, 0) == N);
  EXPECT_FALSE(AffineIndex::min(Tx, 1022) == Tx);
}

TEST(AffineIndex, SubstituteMakesAffine) {
  AffineIndex I = 4 * ((Bx * Dx + Tx) * N + I0) + quo(Tx, N);
  AffineIndex Known =
      I.substitute([](const Atom &A) -> std::optional<AffineIndex> {
        if (A.K == Atom::Kind::BlockDim)
          return 256;
        if (A.K == Atom::Kind::Parameter)
          return 4096;
        return std::nullopt;
      });
  EXPECT_TRUE(Known.isAffine());
  EXPECT_EQ(Known, 16384 * Tx + 4194304 * Bx + 4 * I0);
  EXPECT_TRUE(I.substitute([](const Atom &A) -> std::optional<AffineIndex> {
                 if (A.K == Atom::Kind::Parameter)
                   return 0;
                 return std::nullopt;
               }).isUndefined()); // tid / 0
}

//===-- Against the oracle -----------------------------------------------===//

/// The leaves' values: one thread of one launch, at one iteration.
struct Point {
  int64_t Thread[3], Block[3], Dim[3], Grid[3], Iterator[2], Parameter[2];

  explicit Point(std::mt19937 &Random) {
    auto Pick = [&](int64_t Low, int64_t High) {
      return std::uniform_int_distribution<int64_t>(Low, High)(Random);
    };
    for (int D = 0; D != 3; ++D) {
      Dim[D] = Pick(1, D == 2 ? 4 : 40);
      Grid[D] = Pick(1, 9);
      Thread[D] = Pick(0, Dim[D] - 1);
      Block[D] = Pick(0, Grid[D] - 1);
    }
    for (int64_t &V : Iterator)
      V = Pick(0, 70);
    for (int64_t &V : Parameter)
      V = Pick(-40, 40);
  }

  int64_t operator()(const Atom &A) const {
    unsigned D = static_cast<unsigned>(A.Dim);
    switch (A.K) {
    case Atom::Kind::ThreadIdx:
      return Thread[D];
    case Atom::Kind::BlockIdx:
      return Block[D];
    case Atom::Kind::BlockDim:
      return Dim[D];
    case Atom::Kind::GridDim:
      return Grid[D];
    case Atom::Kind::Iterator:
      return Iterator[A.Id];
    default:
      return Parameter[A.Name == "n"];
    }
  }
};

using Value = std::optional<int64_t>;

/// An index and, beside it, what C computes; no value for undefined behaviour.
struct Both {
  AffineIndex Index;
  std::function<Value(const Point &)> Plain;
};

Both combine(int Operator, const Both &A, const Both &B) {
  using Apply = Value (*)(__int128, __int128);
  auto Checked = [](__int128 V) -> Value {
    return V > (1ll << 60) || V < -(1ll << 60) ? Value() : Value(V);
  };
  static const auto Fits = Checked;
  static const Apply Plain[] = {
      [](__int128 X, __int128 Y) { return Fits(X + Y); },
      [](__int128 X, __int128 Y) { return Fits(X - Y); },
      [](__int128 X, __int128 Y) { return Fits(X * Y); },
      [](__int128 X, __int128 Y) { return Y == 0 ? Value() : Fits(X / Y); },
      [](__int128 X, __int128 Y) { return Y == 0 ? Value() : Fits(X % Y); },
      [](__int128 X, __int128 Y) { return Fits(std::min(X, Y)); },
      [](__int128 X, __int128 Y) { return Fits(std::max(X, Y)); }};
  AffineIndex Index = Operator == 0   ? A.Index + B.Index
                      : Operator == 1 ? A.Index - B.Index
                      : Operator == 2 ? A.Index * B.Index
                      : Operator == 3 ? quo(A.Index, B.Index)
                      : Operator == 4 ? rem(A.Index, B.Index)
                      : Operator == 5 ? AffineIndex::min(A.Index, B.Index)
                                      : AffineIndex::max(A.Index, B.Index);
  return {Index, [=, Op = Plain[Operator]](const Point &P) -> Value {
            Value X = A.Plain(P), Y = B.Plain(P);
            return X && Y ? Op(*X, *Y) : Value();
          }};
}

Both choose(const Both &C, const Both &A, const Both &B) {
  return {AffineIndex::select(C.Index, A.Index, B.Index),
          [=](const Point &P) -> Value {
            Value X = C.Plain(P);
            return X ? (*X >= 0 ? A.Plain(P) : B.Plain(P)) : X;
          }};
}

class RandomIndex {
public:
  explicit RandomIndex(std::mt19937 &Random) : Random(Random) {}

  Both expression(int Depth) {
    if (Depth == 0 || below(6) == 0)
      return leaf();
    switch (below(12)) {
    case 0: // the shapes that the simplifications look for
      return combine(3, multiplesAndRest(Depth - 1), constant());
    case 1:
      return combine(4, multiplesAndRest(Depth - 1), constant());
    case 2:
      return rowAndColumn(Depth - 1);
    case 3:
      return choose(expression(Depth - 1), expression(Depth - 1),
                    expression(Depth - 1));
    case 4:
      return combine(3 + below(2), expression(Depth - 1), constant());
    default:
      return combine(below(7), expression(Depth - 1), expression(Depth - 1));
    }
  }

private:
  unsigned below(unsigned Bound) { return Random() % Bound; }

  Both constant() {
    static const int64_t Values[] = {1,  2,  3,  4,  5,   7,  8,  12,  16,
                                     31, 32, 33, 64, 128, -1, -4, -32, 0};
    int64_t V = Values[below(std::size(Values))];
    return {V, [V](const Point &) -> Value { return V; }};
  }

  Both leaf() {
    if (below(4) == 0)
      return constant();
    static const Axis Axes[] = {Axis::X, Axis::Y, Axis::Z};
    Atom A{static_cast<Atom::Kind>(below(6)), Axes[below(3)], 0, {}, {}};
    if (A.K == Atom::Kind::Iterator)
      A = {A.K, Axis::X, below(2), {}, {}};
    if (A.K == Atom::Kind::Parameter)
      A = {A.K, Axis::X, 0, below(2) ? "n" : "m", {}};
    return {AffineIndex::atom(A),
            [A](const Point &P) -> Value { return P(A); }};
  }

  Both multiplesAndRest(int Depth) {
    return combine(0, combine(2, expression(Depth), constant()), leaf());
  }

  Both rowAndColumn(int Depth) {
    Both X = expression(Depth), D = below(2) ? constant() : leaf();
    return combine(0, combine(2, combine(3, X, D), D), combine(4, X, D));
  }

  std::mt19937 &Random;
};

void expectSame(const Both &B, const Point &P, const std::string &Text) {
  Value Wanted = B.Plain(P);
  if (!Wanted || B.Index.isUndefined())
    return; // undefined behaviour, or an overflow on the way
  auto All = [&](const Atom &A) -> Value { return P(A); };
  EXPECT_EQ(B.Index.evaluate(All), Wanted) << Text;
  if (*Wanted < 0) {
    EXPECT_FALSE(B.Index.isNonNegative()) << Text;
  }
}

TEST(AffineIndex, AgreesWithPlainEvaluation) {
  std::mt19937 Random(20190805);
  unsigned Compared = 0;
  for (int Round = 0; Round != 10000; ++Round) {
    Both B = RandomIndex(Random).expression(1 + Round % 4);
    std::string Text = B.Index.str();
    for (int Try = 0; Try != 12 && !testing::Test::HasFailure(); ++Try) {
      Point P(Random);
      expectSame(B, P, Text);
      Compared += B.Plain(P).has_value() && !B.Index.isUndefined();
    }
    ASSERT_FALSE(testing::Test::HasFailure()) << "round " << Round;
  }
  EXPECT_GT(Compared, 75000u); // or the generator makes only nonsense
}

TEST(AffineIndex, AgreesAfterSubstitution) {
  std::mt19937 Random(20190808);
  for (int Round = 0; Round != 6000; ++Round) {
    Both B = RandomIndex(Random).expression(1 + Round % 4);
    Point P(Random);
    unsigned Known = Random(); // one bit per kind of leaf
    Both Less = B;
    Less.Index =
        B.Index.substitute([&](const Atom &A) -> std::optional<AffineIndex> {
          if (Known >> static_cast<unsigned>(A.K) & 1)
            return AffineIndex(P(A));
          return std::nullopt;
        });
    Value Wanted = B.Plain(P);
    if (!Wanted || B.Index.isUndefined() || Less.Index.isUndefined())
      continue;
    ASSERT_EQ(Less.Index.evaluate([&](const Atom &A) -> Value { return P(A); }),
              Wanted)
        << B.Index.str() << "  =>  " << Less.Index.str();
  }
}

} // namespace
