//===- LongRows.cpp - Which launches have rows that are long -------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/stage/LongRows.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdlib>

namespace catt {

std::string termOf(const std::string &Text) {
  bool Simple = llvm::all_of(
      Text, [](char C) { return llvm::isAlnum(C) || C == '_' || C == '.'; });
  return Simple ? Text : "(" + Text + ")";
}

const std::optional<RowWalk> &walkInside(const RowLoop &Rows,
                                         const LoopVersion &Version) {
  static const std::optional<RowWalk> Itself;
  return Version.Reads.empty() ? Itself
                               : Rows.Reads[Version.Reads.front()].Walk;
}

bool walkAlike(const RowWalk &A, const RowWalk &B) {
  RowWalk Other = B;
  Other.Loop = A.Loop, Other.Iterator = A.Iterator;
  return A == Other;
}

int64_t windowOf(const RowLoop &Rows, const LoopVersion &Version) {
  int64_t Least = Version.Columns;
  for (unsigned R : Version.Reads) {
    const RowRead &Read = Rows.Reads[R];
    Least =
        std::min(Least, (Version.Columns - 1 - Read.Halo) / Read.Stride + 1);
  }
  return Least;
}

std::optional<int64_t> mostTrips(const RowLoop &Rows,
                                 const LoopVersion &Version) {
  return walkInside(Rows, Version) ? std::optional(windowOf(Rows, Version))
                                   : std::nullopt;
}

/// The operands of the atom that an index is, if it is one of this kind.
static const std::vector<AffineIndex> *operandsOf(const AffineIndex &Index,
                                                  Atom::Kind K) {
  if (Index.terms().size() != 1)
    return nullptr;
  const auto &[Atoms, Factor] = *Index.terms().begin();
  return Atoms.size() == 1 && Factor == 1 && Atoms[0]->K == K
             ? &Atoms[0]->Operands
             : nullptr;
}

AffineIndex withoutFloor(const AffineIndex &Trips) {
  for (const AffineIndex &Least : {AffineIndex(0), AffineIndex(1)}) {
    const AffineIndex More = Trips - Least; // 1: of `do ... while`
    const std::vector<AffineIndex> *Of = operandsOf(More, Atom::Kind::Max);
    if (!Of)
      continue;
    for (unsigned I : {0, 1})
      if ((*Of)[I].constant() == 0)
        return (*Of)[1 - I] + Least;
  }
  return Trips;
}

/// What an atom may be: `b` and `c` of `a >= 0 ? b : c`.
static std::vector<AffineIndex> choicesOf(const Atom &A) {
  if (A.K == Atom::Kind::Select)
    return {A.Operands[1], A.Operands[2]};
  return A.K == Atom::Kind::Min ? A.Operands : std::vector<AffineIndex>();
}

bool areEven(const AffineIndex &Trips) {
  if (Trips.isBlockUniform())
    return true;
  const AffineIndex Each = withoutFloor(Trips);
  return llvm::any_of(Each.terms(), [&](const auto &Term) {
    const auto &[Atoms, Factor] = Term;
    if (Atoms.size() != 1 || Factor != 1)
      return false;
    const std::vector<AffineIndex> Choices = choicesOf(*Atoms.front());
    const AffineIndex Rest = Each - AffineIndex::atom(*Atoms.front());
    return !Rest.isBlockUniform() && // min(thread, n) is a triangle
           llvm::any_of(Choices, [&](const AffineIndex &Choice) {
             return (Rest + Choice).isBlockUniform();
           });
  });
}

static AffineIndex mostOfAnyThread(const AffineIndex &Index);

/// `min(thread % n + 1, 1024)` is 1024 at most: of the operands that no thread
/// has more of, a constant, or else the first. std::nullopt: there is none.
static std::optional<AffineIndex> leastOperand(const Atom &Min) {
  std::optional<AffineIndex> Out;
  for (const AffineIndex &Each : Min.Operands) {
    const AffineIndex Most = mostOfAnyThread(Each);
    if (Most.isBlockUniform() && (!Out || Most.constant()))
      Out = Most;
  }
  return Out;
}

/// What is not less in any thread, as far as its terms say: each number of a
/// thread that is taken away is 0 at least, a remainder less than its divisor.
static AffineIndex mostOfAnyThread(const AffineIndex &Index) {
  AffineIndex Out;
  for (const auto &[Atoms, Factor] : Index.terms()) {
    if (Atoms.size() == 1 && Factor == 1 && Atoms.front()->K == Atom::Kind::Min)
      if (std::optional<AffineIndex> Least = leastOperand(*Atoms.front())) {
        Out += *Least;
        continue;
      }
    AffineIndex Term = Factor;
    bool OfThread = false, IsCounted = true;
    for (const AtomRef &A : Atoms) {
      const bool IsRemainder = A->K == Atom::Kind::Remainder && Factor == 1 &&
                               Atoms.size() == 1 &&
                               A->Operands[1].isBlockUniform();
      OfThread |= A->K == Atom::Kind::ThreadIdx || A->K == Atom::Kind::BlockIdx;
      IsCounted &= A->K == Atom::Kind::ThreadIdx ||
                   A->K == Atom::Kind::BlockIdx || A->K == Atom::Kind::BlockDim;
      Term *= IsRemainder ? A->Operands[1] : AffineIndex::atom(*A);
      if (IsRemainder)
        Out -= AffineIndex(1);
    }
    if (!(OfThread && IsCounted && Factor < 0))
      Out += Term;
  }
  return Out;
}

std::optional<AffineIndex> longestTrips(const Kernel &K, const RowLoop &Rows) {
  const std::optional<AffineIndex> &Trips = K.Loops[Rows.Loop].TripCount;
  if (!Trips || Trips->isBlockUniform() || Rows.Reads.empty())
    return Trips;
  AffineIndex Most = mostOfAnyThread(withoutFloor(*Trips));
  if (Most.isBlockUniform())
    return Most;
  for (const Guard &G : K.Accesses[Rows.Reads.front().Access].Guards)
    if (AffineIndex Sum = Most + G.Condition; Sum.isBlockUniform())
      return Sum;
  return std::nullopt;
}

/// What the iterator passes by, of `(n + step - 1) / step` trips n.
static AffineIndex distanceOf(const AffineIndex &Trips, int64_t Step) {
  AffineIndex Each = withoutFloor(Trips);
  const std::vector<AffineIndex> *Of = operandsOf(Each, Atom::Kind::Quotient);
  if (Step == 1 || !Of || (*Of)[1].constant() != Step)
    return Each;
  return (*Of)[0] - AffineIndex(Step - 1);
}

namespace {
/// (Sum + More) / Divisor, with "m - first" as the Sum: what a launch knows.
struct LaunchSum {
  std::string Sum;
  int64_t More = 0, Divisor = 1;

  int64_t least(int64_t Quotient) const { return Quotient * Divisor - More; }
  int64_t most(int64_t Quotient) const {
    return (Quotient + 1) * Divisor - 1 - More;
  }
};
} // namespace

static std::optional<LaunchSum> sumAt(const AffineIndex &Index,
                                      const LaunchText &Written) {
  // `m >> 2`: of a negative m something else, which is less than any length.
  if (const std::vector<AffineIndex> *Of =
          operandsOf(Index, Atom::Kind::Select)) {
    const std::vector<AffineIndex> *Quotient =
        operandsOf((*Of)[1], Atom::Kind::Quotient);
    return Quotient && ((*Quotient)[0] - (*Of)[0]).constant() == 0
               ? sumAt((*Of)[1], Written)
               : std::nullopt;
  }
  if (const std::vector<AffineIndex> *Of =
          operandsOf(Index, Atom::Kind::Quotient)) {
    const int64_t Divisor = (*Of)[1].constant().value_or(0);
    std::optional<LaunchSum> Sum = sumAt((*Of)[0], Written);
    if (!Sum || Sum->Divisor != 1 || Divisor <= 0)
      return std::nullopt;
    Sum->Divisor = Divisor;
    return Sum;
  }
  LaunchSum Out;
  for (const auto &[Atoms, Factor] : Index.terms()) {
    if (Atoms.empty()) {
      Out.More += Factor;
      continue;
    }
    const Atom &Only = *Atoms.front();
    constexpr int64_t Most = 16; // 2 of `m - 2 * r`
    if (Atoms.size() != 1 || Only.K != Atom::Kind::Parameter ||
        std::abs(Factor) > Most)
      return std::nullopt;
    auto Argument = Written.PlainArguments.find(Only.Name);
    if (Argument == Written.PlainArguments.end())
      return std::nullopt;
    if (!Out.Sum.empty())
      Out.Sum += Factor > 0 ? " + " : " - ";
    else if (Factor < 0)
      Out.Sum += "-";
    if (std::abs(Factor) != 1)
      Out.Sum += std::to_string(std::abs(Factor)) + " * ";
    Out.Sum += termOf(Argument->second);
  }
  if (Out.Sum.empty())
    return std::nullopt;
  return Out;
}

std::optional<std::string>
longRowsAt(const Launch &L, const Kernel &K,
           const std::vector<LoopVersion> &Versions) {
  if (!L.Written)
    return std::nullopt;
  struct Range {
    std::string Text;
    int64_t Least;
    std::optional<int64_t> Most;
  };
  std::vector<Range> Any;
  for (const LoopVersion &V : Versions) {
    if (V.Reads.empty())
      continue;
    const RowLoop &Rows = K.RowLoops[V.Rows];
    const std::optional<RowWalk> &Inside = walkInside(Rows, V);
    const std::optional<AffineIndex> Trips =
        Inside ? K.Loops[Inside->Loop].TripCount : longestTrips(K, Rows);
    if (!V.MinTrips || !Trips)
      return std::nullopt;
    const int64_t Step = Inside ? Inside->StepSize : Rows.StepSize;
    const std::optional<LaunchSum> Way =
        sumAt(distanceOf(*Trips, Step), *L.Written);
    if (!Way)
      return std::nullopt;
    const int64_t Least = Way->least(V.MinTrips);
    std::optional<int64_t> Most = mostTrips(Rows, V);
    if (Most)
      Most = Way->most(*Most);
    auto Same = llvm::find_if(
        Any, [&](const Range &Other) { return Other.Text == Way->Sum; });
    if (Same == Any.end()) {
      Any.push_back({Way->Sum, Least, Most});
      continue;
    }
    Same->Least = std::min(Same->Least, Least);
    Same->Most = Same->Most && Most ? std::max(Same->Most, Most) : std::nullopt;
  }
  std::vector<std::string> Texts;
  for (const Range &Each : Any) {
    std::string Text = Each.Text + " >= " + std::to_string(Each.Least);
    if (Each.Most)
      Text += " && " + Each.Text + " <= " + std::to_string(*Each.Most);
    Texts.push_back(Each.Most && Any.size() > 1 ? "(" + Text + ")" : Text);
  }
  if (Texts.empty())
    return std::nullopt;
  return llvm::join(Texts, " || ");
}

} // namespace catt
