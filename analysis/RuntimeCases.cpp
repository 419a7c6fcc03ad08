//===- RuntimeCases.cpp - Decisions that wait for a value -----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/RuntimeCases.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace catt {

//===-- One input --------------------------------------------------------===//

/// Neighbours with equally many warps become one piece.
static void joinEqual(std::vector<Piece> &Pieces) {
  auto Same = [](const Piece &A, const Piece &B) { return A.Warps == B.Warps; };
  Pieces.erase(llvm::unique(Pieces, Same), Pieces.end());
}

std::vector<Piece> piecesOf(llvm::ArrayRef<int64_t> Warps, size_t Most) {
  std::vector<Piece> Pieces;
  for (size_t I = 0; I != Warps.size(); ++I)
    Pieces.push_back({int64_t(I) + 1, Warps[I]});
  joinEqual(Pieces);
  while (Pieces.size() > std::max<size_t>(Most, 1)) {
    // Joining two pieces costs warps for as many values as the one that
    // changes spans, counted in octaves: what is small is used as often.
    size_t Best = 0;
    double Least = 0;
    for (size_t I = 0; I + 1 != Pieces.size(); ++I) {
      size_t Changed = Pieces[I].Warps < Pieces[I + 1].Warps ? I : I + 1;
      double End = Changed + 1 < Pieces.size()
                       ? double(Pieces[Changed + 1].From)
                       : double(Warps.size()) + 1;
      double Share = double(Pieces[I].Warps) / double(Pieces[I + 1].Warps);
      double Cost = std::abs(std::log2(Share)) *
                    std::log2(End / double(Pieces[Changed].From));
      if (I == 0 || Cost < Least) {
        Least = Cost;
        Best = I;
      }
    }
    Pieces[Best].Warps = std::max(Pieces[Best].Warps, Pieces[Best + 1].Warps);
    Pieces.erase(Pieces.begin() + Best + 1);
    joinEqual(Pieces);
  }
  return Pieces;
}

std::vector<RuntimeCase> casesOf(const std::string &Input,
                                 llvm::ArrayRef<Piece> Pieces, int64_t Whole) {
  std::vector<RuntimeCase> Cases;
  int64_t Before = Whole;
  for (const Piece &P : Pieces) {
    if (P.Warps != Before)
      Cases.push_back({Input, P.From, P.Warps, {}});
    Before = P.Warps;
  }
  return Cases;
}

/// The pieces at the values whose being a multiple of Of is as given. What lies
/// between such values counts as the one before.
static std::vector<Piece> piecesAt(const WarpSequence &Sequence, int64_t Of,
                                   bool Multiples, size_t Most) {
  auto Counts = [&](size_t Value) { return (Value % Of == 0) == Multiples; };
  size_t First = 1;
  while (First < Sequence.Warps.size() && !Counts(First))
    ++First;
  std::vector<int64_t> Warps;
  int64_t Last = Sequence.Warps[First - 1], Far = 0;
  for (size_t I = 0; I != Sequence.Warps.size(); ++I)
    Warps.push_back(Last = Counts(I + 1) ? Sequence.Warps[I] : Last);
  for (size_t R = 0; R != Sequence.Beyond.size(); ++R)
    if (Counts(R))
      Far = std::max(Far, Sequence.Beyond[R]);
  Warps.push_back(Far);
  return piecesOf(Warps, Most);
}

/// How much further the sequence divides than the cases let it: octaves of
/// warps, small values weighing as much as large ones.
static double distance(const WarpSequence &Of,
                       llvm::ArrayRef<RuntimeCase> Cases,
                       const std::string &Input, int64_t Whole) {
  double Sum = 0;
  for (size_t I = 0; I != Of.Warps.size(); ++I) {
    int64_t Value = int64_t(I) + 1;
    int64_t Got = warpsBy(Cases, {{Input, Value}}, Whole);
    if (Got != Of.Warps[I])
      Sum += std::log2(double(Got) / double(Of.Warps[I])) / double(Value);
  }
  return Sum;
}

std::vector<RuntimeCase> casesOf(const std::string &Input,
                                 const WarpSequence &Of, int64_t Whole) {
  std::vector<RuntimeCase> Best =
      casesOf(Input, piecesAt(Of, 1, true, MostCases), Whole);
  double Least = distance(Of, Best, Input, Whole);
  for (int64_t D = 2; D <= int64_t(Of.Beyond.size()) && Least > 0; D *= 2) {
    std::vector<RuntimeCase> Cases =
        casesOf(Input, piecesAt(Of, D, false, MostCases / 2), Whole);
    for (const Piece &P : piecesAt(Of, D, true, MostCases / 2)) {
      RuntimeCase &C = Cases.emplace_back();
      C.Parameter = Input;
      C.From = std::max(P.From, D);
      C.WarpsPerGroup = P.Warps;
      C.MultipleOf = D;
    }
    double Distance = distance(Of, Cases, Input, Whole);
    if (Distance < Least) {
      Least = Distance;
      Best = std::move(Cases);
    }
  }
  return Best;
}

std::vector<RuntimeCase> inWholeWarps(std::vector<RuntimeCase> Cases) {
  for (RuntimeCase &C : Cases)
    C.MultipleOf = WarpLanes;
  return Cases;
}

std::vector<RuntimeCase> casesByThreads(const std::string &Input,
                                        llvm::ArrayRef<int64_t> Scores,
                                        int64_t Whole) {
  std::vector<Piece> Pieces = piecesOf(Scores, MostCases);
  for (Piece &P : Pieces)
    P.From *= WarpLanes;
  return inWholeWarps(casesOf(Input, Pieces, Whole));
}

//===-- Two inputs -------------------------------------------------------===//

/// Gives each box, known by its lowest corner, the most warps of its corners.
static void coverBoxes(WarpGrid &Grid) {
  for (size_t I = 0; I != Grid.First.size(); ++I)
    for (size_t J = 0; J != Grid.Second.size(); ++J)
      for (size_t NextI : {I, std::min(I + 1, Grid.First.size() - 1)})
        for (size_t NextJ : {J, std::min(J + 1, Grid.Second.size() - 1)})
          Grid.Warps[I][J] =
              std::max(Grid.Warps[I][J], Grid.Warps[NextI][NextJ]);
}

/// Makes the warps fall along both inputs, never below what they were.
static void makeMonotone(WarpGrid &Grid) {
  for (size_t I = Grid.First.size(); I-- > 0;)
    for (size_t J = Grid.Second.size(); J-- > 0;) {
      int64_t &Here = Grid.Warps[I][J];
      if (I + 1 != Grid.First.size())
        Here = std::max(Here, Grid.Warps[I + 1][J]);
      if (J + 1 != Grid.Second.size())
        Here = std::max(Here, Grid.Warps[I][J + 1]);
    }
}

/// Rows of boxes, and the pieces of each: a later row takes all from an earlier
/// one.
static std::vector<RuntimeCase> casesByRows(const WarpGrid &Grid,
                                            int64_t Whole) {
  std::vector<RuntimeCase> Cases;
  const std::vector<int64_t> *RowBefore = nullptr;
  for (size_t I = 0; I != Grid.First.size(); ++I) {
    const std::vector<int64_t> &Row = Grid.Warps[I];
    if (RowBefore && *RowBefore == Row)
      continue;
    bool First = !RowBefore;
    RowBefore = &Row;
    int64_t Before = First ? Whole : -1;
    for (size_t J = 0; J != Row.size(); ++J) {
      if (Row[J] != Before)
        Cases.push_back({Grid.FirstInput,
                         Grid.First[I],
                         Row[J],
                         {{Grid.SecondInput, Grid.Second[J]}}});
      Before = Row[J];
    }
  }
  return Cases;
}

/// Takes out each case without which every corner is decided the same.
static void dropRedundant(std::vector<RuntimeCase> &Cases, const WarpGrid &Grid,
                          int64_t Whole) {
  auto Same = [&](llvm::ArrayRef<RuntimeCase> Fewer) {
    for (int64_t First : Grid.First)
      for (int64_t Second : Grid.Second) {
        std::map<std::string, int64_t> At = {{Grid.FirstInput, First},
                                             {Grid.SecondInput, Second}};
        if (warpsBy(Fewer, At, Whole) != warpsBy(Cases, At, Whole))
          return false;
      }
    return true;
  };
  for (size_t I = Cases.size(); I-- > 0;) {
    std::vector<RuntimeCase> Fewer = Cases;
    Fewer.erase(Fewer.begin() + I);
    if (Same(Fewer))
      Cases = std::move(Fewer);
  }
}

/// Joins the values of warps that differ least, upwards, until few are left.
static bool joinClosest(WarpGrid &Grid) {
  std::vector<int64_t> Values;
  for (const std::vector<int64_t> &Row : Grid.Warps)
    llvm::append_range(Values, Row);
  llvm::sort(Values);
  Values.erase(llvm::unique(Values), Values.end());
  if (Values.size() < 3)
    return false;
  size_t Best = 0;
  for (size_t I = 1; I + 1 != Values.size(); ++I)
    if (Values[I + 1] * Values[Best] < Values[Best + 1] * Values[I])
      Best = I;
  for (std::vector<int64_t> &Row : Grid.Warps)
    llvm::replace(Row, Values[Best], Values[Best + 1]);
  return true;
}

/// Octaves of division that two lists lose if each element becomes the larger
/// one of both.
static double lostByJoining(const std::vector<int64_t> &A,
                            const std::vector<int64_t> &B) {
  double Lost = 0;
  for (const auto &[InA, InB] : llvm::zip_equal(A, B))
    Lost += std::abs(std::log2(double(InA) / double(InB)));
  return Lost;
}

static WarpGrid transposed(const WarpGrid &Of) {
  WarpGrid Out{Of.SecondInput, Of.FirstInput, Of.Second, Of.First, {}};
  for (size_t J = 0; J != Of.Second.size(); ++J) {
    Out.Warps.emplace_back();
    for (const std::vector<int64_t> &Row : Of.Warps)
      Out.Warps.back().push_back(Row[J]);
  }
  return Out;
}

/// The row whose boxes lose least when they are joined with those of the next,
/// and what that is.
static std::pair<size_t, double> closestRow(const WarpGrid &Grid) {
  std::pair<size_t, double> Best{0, std::numeric_limits<double>::infinity()};
  for (size_t I = 0; I + 1 < Grid.Warps.size(); ++I)
    if (double Lost = lostByJoining(Grid.Warps[I], Grid.Warps[I + 1]);
        Lost < Best.second)
      Best = {I, Lost};
  return Best;
}

static void joinWithNextRow(WarpGrid &Grid, size_t Row) {
  for (auto [Here, Next] :
       llvm::zip_equal(Grid.Warps[Row], Grid.Warps[Row + 1]))
    Here = std::max(Here, Next);
  Grid.Warps.erase(Grid.Warps.begin() + Row + 1);
  Grid.First.erase(Grid.First.begin() + Row + 1);
}

/// Joins two neighbouring rows or columns of boxes, upwards. False if there is
/// one box left.
static bool joinNeighbours(WarpGrid &Grid) {
  WarpGrid Turned = transposed(Grid);
  auto [Row, LostInRow] = closestRow(Grid);
  auto [Column, LostInColumn] = closestRow(Turned);
  if (std::min(LostInRow, LostInColumn) ==
      std::numeric_limits<double>::infinity())
    return false;
  if (LostInRow <= LostInColumn) {
    joinWithNextRow(Grid, Row);
  } else {
    joinWithNextRow(Turned, Column);
    Grid = transposed(Turned);
  }
  return true;
}

/// Few enough cases, by fewer different numbers of warps, and then by fewer
/// boxes.
static std::vector<RuntimeCase> fewCases(WarpGrid Grid, int64_t Whole) {
  std::vector<RuntimeCase> Cases = casesByRows(Grid, Whole);
  while (Cases.size() > MostCases &&
         (joinClosest(Grid) || joinNeighbours(Grid)))
    Cases = casesByRows(Grid, Whole);
  dropRedundant(Cases, Grid, Whole);
  return Cases;
}

/// Octaves of warps by which the cases divide the block, over all corners.
static double divided(llvm::ArrayRef<RuntimeCase> Cases, const WarpGrid &Grid,
                      int64_t Whole) {
  double Sum = 0;
  for (int64_t First : Grid.First)
    for (int64_t Second : Grid.Second)
      Sum += std::log2(
          double(Whole) /
          double(warpsBy(Cases,
                         {{Grid.FirstInput, First}, {Grid.SecondInput, Second}},
                         Whole)));
  return Sum;
}

std::vector<RuntimeCase> casesOf(WarpGrid Grid, int64_t Whole) {
  coverBoxes(Grid);
  std::vector<RuntimeCase> AsItIs = fewCases(Grid, Whole);
  makeMonotone(Grid);
  std::vector<RuntimeCase> Monotone = fewCases(Grid, Whole);
  return divided(Monotone, Grid, Whole) > divided(AsItIs, Grid, Whole)
             ? Monotone
             : AsItIs;
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
        Values.at(C.Parameter) % C.MultipleOf == 0 &&
        llvm::all_of(C.And, [&](const RuntimeBound &B) {
          return Reaches(B.Parameter, B.From);
        }))
      Warps = C.WarpsPerGroup;
  return Warps;
}

std::optional<std::vector<RuntimeCase>>
lessDivided(llvm::ArrayRef<RuntimeCase> A, llvm::ArrayRef<RuntimeCase> B,
            int64_t Whole) {
  std::set<int64_t> Bounds, Multiples = {1};
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
      Multiples.insert(C.MultipleOf);
    }
  if (Names.size() != 1)
    return std::nullopt;
  // Powers of two: each takes its multiples out of those before it.
  std::vector<RuntimeCase> Both;
  for (auto It = Multiples.begin(); It != Multiples.end(); ++It) {
    int64_t D = *It;
    auto Next = std::next(It);
    for (int64_t From : Bounds) {
      int64_t Value = (std::max(From, D) + D - 1) / D * D;
      if (Next != Multiples.end() && Value % *Next == 0)
        Value += D;
      std::map<std::string, int64_t> At = {{*Names.begin(), Value}};
      for (const RuntimeBound &Bound : Common)
        At[Bound.Parameter] = Bound.From;
      RuntimeCase C{*Names.begin(), std::max(From, D),
                    std::max(warpsBy(A, At, Whole), warpsBy(B, At, Whole)),
                    Common};
      C.MultipleOf = D;
      bool Changes = Both.empty() || Both.back().MultipleOf != D ||
                     Both.back().WarpsPerGroup != C.WarpsPerGroup;
      bool IsWhole = Both.empty() && C.WarpsPerGroup == Whole;
      if (Changes && !IsWhole)
        Both.push_back(C);
    }
  }
  return Both;
}

} // namespace catt
