//===- ProfileFamily.cpp - Footprints as a function of a number -----------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/plan/runtime/ProfileFamily.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <numeric>

namespace catt {

//===-- The numbers of a profile -----------------------------------------===//

/// Calls back with each number of the profiles, in a fixed order.
template <class AnyProfiles, class Visitor>
static void forEachNumber(AnyProfiles &All, Visitor Visit) {
  for (auto &P : All) {
    for (auto &L : P.Levels) {
      Visit(L.LinesPerWarp);
      Visit(L.LinesPerBlock);
      Visit(L.LinesShared);
      Visit(L.SectorsPerBlock);
      for (auto &Entry : L.LinesByWarps)
        Visit(Entry.second);
    }
    if (!P.Work)
      continue;
    auto &W = *P.Work;
    for (auto *Number : {&W.Lookups, &W.BankTurns, &W.Loads, &W.LoadsNew,
                         &W.LoadsAgain, &W.LoadsTwice, &W.SectorsNew,
                         &W.SectorsAgain, &W.SectorsTwice, &W.SectorsStored})
      Visit(*Number);
    if (W.Iterations)
      Visit(*W.Iterations);
  }
}

static std::vector<double> numbersOf(const Profiles &All) {
  std::vector<double> Numbers;
  forEachNumber(All, [&](auto Number) { Numbers.push_back(double(Number)); });
  return Numbers;
}

static bool sameShape(const LevelFootprint &A, const LevelFootprint &B) {
  return A.Loop == B.Loop && A.Reuse == B.Reuse && A.From == B.From &&
         A.LinesByWarps.size() == B.LinesByWarps.size();
}

/// True if the two differ in numbers alone.
static bool sameShape(const LoopProfile &A, const LoopProfile &B) {
  auto Why = [](const LoopProfile &P) {
    return P.Unknown ? std::optional(P.Unknown->Kind) : std::nullopt;
  };
  if (A.Levels.size() != B.Levels.size() || Why(A) != Why(B) ||
      A.Work.has_value() != B.Work.has_value())
    return false;
  for (const auto &[Of, Other] : llvm::zip_equal(A.Levels, B.Levels))
    if (!sameShape(Of, Other))
      return false;
  return !A.Work ||
         (A.Work->HoldsBack == B.Work->HoldsBack &&
          A.Work->Iterations.has_value() == B.Work->Iterations.has_value());
}

static bool sameShape(const Profiles &A, const Profiles &B) {
  return llvm::all_of(llvm::zip_equal(A, B), [](const auto &Pair) {
    return sameShape(std::get<0>(Pair), std::get<1>(Pair));
  });
}

//===-- The law ----------------------------------------------------------===//

ProfileFamily::ProfileFamily(int64_t Period, Measure At)
    : Period(Period), Take(std::move(At)) {
  for (int64_t First = Period; First <= LastStart && !Start; First *= 4)
    if (holdsFrom(First))
      Start = First;
}

const Profiles &ProfileFamily::measured(int64_t Value) {
  auto [It, New] = Memo.try_emplace(Value);
  if (New)
    It->second = Take(Value);
  return It->second;
}

/// The largest measured value of the same class.
int64_t ProfileFamily::farthest(int64_t Value) const {
  return LargestMeasured - (LargestMeasured - Value) % Period;
}

bool ProfileFamily::holdsFrom(int64_t First) {
  Periodic = true;
  for (int64_t Value = First; Value != First + Period; ++Value) {
    const Profiles &A = measured(Value), &B = measured(Value + Period),
                   &C = measured(farthest(Value));
    if (!sameShape(A, B) || !sameShape(A, C))
      return false;
    double Steps = double(farthest(Value) - Value) / double(Period);
    std::vector<double> AtC = numbersOf(C), AtB = numbersOf(B);
    for (const auto &[At, Next, Far] :
         llvm::zip_equal(numbersOf(A), AtB, AtC)) {
      double Growth = Next - At;
      // Counts are whole numbers, averages over a window are not.
      if (std::abs(At + Growth * Steps - Far) > 1e-9 * std::max(1.0, Far))
        return false;
      Periodic &= Growth == 0;
    }
  }
  return true;
}

const Profiles &ProfileFamily::at(int64_t Value) {
  if (!Start || Value < *Start + 2 * Period || Memo.count(Value))
    return measured(Value);
  int64_t Near = *Start + (Value - *Start) % Period;
  if (Periodic)
    return measured(Near);
  int64_t Far = farthest(Near);
  double Share = double(Value - Near) / double(Far - Near);
  std::vector<double> AtFar = numbersOf(measured(Far));
  Computed = measured(Near);
  const double *Next = AtFar.data();
  forEachNumber(Computed, [&](auto &Number) {
    double Exact = double(Number) + (*Next++ - double(Number)) * Share;
    if constexpr (std::is_integral_v<std::remove_reference_t<decltype(Number)>>)
      Number = std::llround(Exact);
    else
      Number = Exact;
  });
  return Computed;
}

//===-- The period -------------------------------------------------------===//

static bool mentions(const AffineIndex &Index, const std::string &Parameter) {
  return Index.mentions([&](const Atom &A) {
    return A.K == Atom::Kind::Parameter && A.Name == Parameter;
  });
}

/// Lines repeat after so many steps of so many bytes.
static int64_t stepsToLine(int64_t Bytes) {
  return LineBytes / std::gcd(Bytes, LineBytes);
}

int64_t periodOf(const Kernel &K, const std::string &Parameter) {
  // A trip count of n moves the end of what an inner loop walks over, element
  // by element; and what stands for n iterations is iteration n / 2.
  bool Counts = llvm::any_of(K.Loops, [&](const Loop &L) {
    return L.TripCount && mentions(*L.TripCount, Parameter);
  });
  int64_t Period = 1;
  for (const Access &A : K.Accesses) {
    if (!A.Offset)
      continue;
    if (Counts)
      Period = std::max(Period, 2 * stepsToLine(A.SizeBytes));
    for (const auto &[M, Coefficient] : A.Offset->terms()) {
      bool Here = false, Inside = false; // as a factor; within a quotient, say
      for (const AtomRef &Part : M) {
        bool Is = Part->K == Atom::Kind::Parameter && Part->Name == Parameter;
        Here |= Is;
        Inside |= !Is && mentions(AffineIndex::atom(*Part), Parameter);
      }
      if (Here || Inside)
        Period = std::max(Period, (Counts ? 2 : 1) *
                                      stepsToLine(Inside ? 1 : Coefficient));
    }
  }
  return Period;
}

} // namespace catt
