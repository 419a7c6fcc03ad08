//===- RuntimeCases.cpp - Decisions that wait for a value -----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/plan/runtime/RuntimeCases.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <set>

namespace catt {

WarpBounds warpsPerGroup(const LoopPlan &P) {
  return {P.WarpsPerGroup, std::max(P.WarpsPerGroup, P.MostWarps.value_or(0))};
}

WarpBounds common(WarpBounds A, WarpBounds B) {
  return {std::max(A.Least, B.Least), std::min(A.Most, B.Most)};
}

//===-- One input --------------------------------------------------------===//

std::vector<Piece> piecesOf(llvm::ArrayRef<WarpBounds> Warps) {
  std::vector<Piece> Pieces;
  int64_t Most = 0; // that all of the last piece can do with
  for (size_t I = 0; I != Warps.size(); ++I) {
    Most = std::min(Most, Warps[I].Most);
    if (I == 0 || std::max(Pieces.back().Warps, Warps[I].Least) > Most) {
      Pieces.push_back({int64_t(I) + 1, Warps[I].Least});
      Most = Warps[I].Most;
    }
    Pieces.back().Warps = std::max(Pieces.back().Warps, Warps[I].Least);
  }
  return Pieces;
}

/// Each AnyWarps becomes what is decided around it, if that is near; else
/// whole.
static std::vector<WarpBounds> filled(llvm::ArrayRef<WarpBounds> Given,
                                      int64_t Whole) {
  std::vector<WarpBounds> Warps(Given.begin(), Given.end());
  for (size_t From = 0, To; From != Warps.size();
       From = std::max(To, From + 1)) {
    for (To = From; To != Warps.size() && Warps[To].Least == AnyWarps.Least;)
      ++To;
    int64_t Around = Whole;
    if (From != 0 && To != Warps.size() && To - From <= 1 + From / 10)
      Around = std::max(Warps[From - 1].Least, Warps[To].Least);
    std::fill(Warps.begin() + From, Warps.begin() + To, Around);
  }
  return Warps;
}

namespace {
/// One or two cases: from piece A on, and from B on.
struct Choice {
  double Gain = 0; ///< octaves by which blocks are divided, over all values
  size_t A = 0, B = 0;
  int64_t FromA = 0, FromB = 0; ///< warps
};
} // namespace

/// Octaves that the values of each piece span: what is small is used as often.
static std::vector<double> octavesOf(llvm::ArrayRef<Piece> Pieces,
                                     int64_t End) {
  std::vector<double> Octaves;
  for (size_t I = 0; I != Pieces.size(); ++I) {
    int64_t To = I + 1 == Pieces.size() ? End : Pieces[I + 1].From;
    int64_t From = std::max<int64_t>(Pieces[I].From, 1);
    Octaves.push_back(std::log2(double(std::max(To, From + 1)) / double(From)));
  }
  return Octaves;
}

/// The two cases that divide most, and no piece further than it says; B is A
/// where one does as well.
static Choice best(llvm::ArrayRef<Piece> Pieces, int64_t End, int64_t Whole) {
  const std::vector<double> Octaves = octavesOf(Pieces, End);
  const size_t N = Pieces.size();
  std::vector<int64_t> Most(N); // of the warps of this piece and all behind
  std::vector<double> Behind(N + 1);
  for (size_t I = N; I-- > 0;) {
    Most[I] = std::max(Pieces[I].Warps, I + 1 == N ? 0 : Most[I + 1]);
    Behind[I] = Behind[I + 1] + Octaves[I];
  }
  auto Divided = [&](int64_t Warps) {
    return std::log2(double(Whole) / double(Warps));
  };
  Choice Best;
  auto Try = [&](const Choice &C) {
    if (C.Gain > Best.Gain + 1e-9)
      Best = C;
  };
  for (size_t A = 0; A != N; ++A)
    Try({Behind[A] * Divided(Most[A]), A, A, Most[A], Most[A]});
  for (size_t A = 0; A != N; ++A) {
    int64_t Warps = 0;
    for (size_t B = A + 1; B != N; ++B) {
      Warps = std::max(Warps, Pieces[B - 1].Warps);
      if (Warps >= Whole)
        break;
      Try({(Behind[A] - Behind[B]) * Divided(Warps) +
               Behind[B] * Divided(Most[B]),
           A, B, Warps, Most[B]});
    }
  }
  return Best;
}

std::vector<RuntimeCase> casesOf(const std::string &Input,
                                 llvm::ArrayRef<Piece> Pieces, int64_t End,
                                 int64_t Whole) {
  Choice C = best(Pieces, End, Whole);
  if (C.Gain == 0)
    return {};
  std::vector<RuntimeCase> Cases = {{Input, Pieces[C.A].From, C.FromA}};
  if (C.B != C.A)
    Cases.push_back({Input, Pieces[C.B].From, C.FromB});
  return Cases;
}

std::vector<RuntimeCase> casesOf(const std::string &Input,
                                 llvm::ArrayRef<WarpBounds> Warps,
                                 int64_t Whole) {
  return casesOf(Input, piecesOf(filled(Warps, Whole)),
                 int64_t(Warps.size()) + 1, Whole);
}

std::vector<RuntimeCase> casesByThreads(const std::string &Input,
                                        llvm::ArrayRef<WarpBounds> Scores,
                                        int64_t Whole) {
  std::vector<RuntimeCase> Cases = casesOf(Input, Scores, Whole);
  for (RuntimeCase &C : Cases)
    C.From = (C.From - 1) * WarpLanes + 1;
  return Cases;
}

//===-- Two inputs -------------------------------------------------------===//

/// Gives each box, known by its lowest corner, what its corners can do with.
static void coverBoxes(WarpGrid &Grid) {
  for (size_t I = 0; I != Grid.First.size(); ++I)
    for (size_t J = 0; J != Grid.Second.size(); ++J)
      for (size_t NextI : {I, std::min(I + 1, Grid.First.size() - 1)})
        for (size_t NextJ : {J, std::min(J + 1, Grid.Second.size() - 1)})
          Grid.Warps[I][J] = common(Grid.Warps[I][J], Grid.Warps[NextI][NextJ]);
}

/// What a box and all that lie above it along both inputs can do with.
static WarpGrid above(WarpGrid Grid) {
  for (size_t I = Grid.First.size(); I-- > 0;)
    for (size_t J = Grid.Second.size(); J-- > 0;) {
      WarpBounds &Here = Grid.Warps[I][J];
      if (I + 1 != Grid.First.size())
        Here = common(Here, Grid.Warps[I + 1][J]);
      if (J + 1 != Grid.Second.size())
        Here = common(Here, Grid.Warps[I][J + 1]);
    }
  return Grid;
}

namespace {
/// The boxes above one, as a case.
struct Region {
  size_t I = 0, J = 0;
  int64_t Warps = 0;
  int64_t Most = 0; ///< warps that all of them can do with
  double Boxes = 0;
};
} // namespace

std::vector<RuntimeCase> casesOf(WarpGrid Grid, int64_t Whole) {
  coverBoxes(Grid);
  Grid = above(std::move(Grid));
  std::vector<Region> Regions; // that divide
  for (size_t I = 0; I != Grid.First.size(); ++I)
    for (size_t J = 0; J != Grid.Second.size(); ++J)
      if (auto [Least, Most] = Grid.Warps[I][J];
          Least != AnyWarps.Least && Least < Whole)
        Regions.push_back(
            {I, J, Least, Most,
             double((Grid.First.size() - I) * (Grid.Second.size() - J))});
  auto Divided = [&](const Region &R) {
    return std::log2(double(Whole) / double(R.Warps));
  };
  const Region *Outer = nullptr, *Inner = nullptr;
  double Most = 0;
  for (const Region &A : Regions)
    for (const Region &B : Regions) {
      bool Inside =
          B.I >= A.I && B.J >= A.J && B.Warps < A.Warps && B.Most < A.Warps;
      double Gain =
          Inside ? (A.Boxes - B.Boxes) * Divided(A) + B.Boxes * Divided(B)
                 : A.Boxes * Divided(A);
      if (Gain <= Most + 1e-9)
        continue;
      Most = Gain;
      Outer = &A;
      Inner = Inside ? &B : nullptr;
    }
  std::vector<RuntimeCase> Cases;
  for (const Region *R : {Outer, Inner})
    if (R)
      Cases.push_back({Grid.FirstInput,
                       Grid.First[R->I],
                       R->Warps,
                       {{Grid.SecondInput, Grid.Second[R->J]}}});
  return Cases;
}

int64_t warpsBy(llvm::ArrayRef<RuntimeCase> Cases,
                const std::map<std::string, int64_t> &Values, int64_t Whole) {
  auto Reaches = [&](const std::string &Input, int64_t From) {
    auto It = Values.find(Input);
    return It != Values.end() && It->second >= From;
  };
  int64_t Warps = Whole;
  for (const RuntimeCase &C : Cases)
    if (Reaches(C.Parameter, C.From) &&
        llvm::all_of(C.And, [&](const RuntimeBound &B) {
          return Reaches(B.Parameter, B.From);
        }))
      Warps = C.WarpsPerGroup;
  return Warps;
}

std::optional<std::vector<RuntimeCase>>
lessDivided(llvm::ArrayRef<RuntimeCase> A, llvm::ArrayRef<RuntimeCase> B,
            int64_t Whole) {
  std::set<int64_t> Bounds;
  std::set<std::string> Names;
  std::vector<RuntimeBound> Common;
  if (!A.empty())
    Common = A.front().And;
  for (llvm::ArrayRef<RuntimeCase> Cases : {A, B})
    for (const RuntimeCase &C : Cases) {
      if (C.And != Common || C.Groups)
        return std::nullopt;
      Bounds.insert(C.From);
      Names.insert(C.Parameter);
    }
  if (Names.size() != 1)
    return std::nullopt;
  std::map<std::string, int64_t> At;
  for (const RuntimeBound &Bound : Common)
    At[Bound.Parameter] = Bound.From;
  std::vector<Piece> Pieces;
  if (*Bounds.begin() > 1)
    Pieces.push_back({1, Whole});
  for (int64_t From : Bounds) {
    At[*Names.begin()] = From;
    Pieces.push_back(
        {From, std::max(warpsBy(A, At, Whole), warpsBy(B, At, Whole))});
  }
  std::vector<RuntimeCase> Both =
      casesOf(*Names.begin(), Pieces, 2 * *Bounds.rbegin(), Whole);
  for (RuntimeCase &C : Both)
    C.And = Common;
  return Both;
}

} // namespace catt
