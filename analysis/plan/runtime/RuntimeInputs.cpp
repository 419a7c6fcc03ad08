//===- RuntimeInputs.cpp - What a footprint depends on --------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/runtime/RuntimeInputs.h"
#include "analysis/nest/Nest.h"
#include "analysis/plan/runtime/ProfileFamily.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

namespace catt {

/// Whether the program can test the parameter where the loop stands.
static bool isReadable(const Kernel &K, const std::string &Name) {
  return llvm::any_of(K.Parameters, [&](const Parameter &P) {
    return P.Name == Name && P.IsInteger && P.IsFixed;
  });
}

bool isOpen(const LoopProfile &P) { return P.Levels.empty() && P.Unknown; }

Inputs inputsOf(Setting S, LoopProfile P) {
  constexpr int64_t AnyValue = 1000;
  Inputs Names;
  while (isOpen(P)) {
    const Refusal &Why = *P.Unknown;
    bool Waits = Why.Kind == Reason::UnknownStride ||
                 Why.Kind == Reason::UnknownTripCount;
    if (!Waits || Names.size() == 2 || !isReadable(S.K, Why.Detail) ||
        llvm::is_contained(Names, Why.Detail))
      return {};
    Names.push_back(Why.Detail);
    S.Footprint.Parameters[Why.Detail] = AnyValue;
    P = profileOf(S, P.Loop);
  }
  return Names;
}

std::vector<bool> nestsOf(const Kernel &K, llvm::ArrayRef<unsigned> Loops) {
  std::set<unsigned> Roots;
  for (unsigned L : Loops)
    Roots.insert(outermost(K, L));
  std::vector<bool> Inside;
  for (const Loop &L : K.Loops)
    Inside.push_back(Roots.count(outermost(K, L.Id)));
  return Inside;
}

std::optional<RuntimeBound> enoughTrips(const Setting &S, const Loop &L,
                                        const Inputs &Known) {
  if (!L.TripCount)
    return std::nullopt;
  for (const Parameter &P : S.K.Parameters) {
    if (!isReadable(S.K, P.Name) || llvm::is_contained(Known, P.Name) ||
        S.Footprint.Parameters.count(P.Name))
      continue;
    AffineIndex Rest = *L.TripCount - AffineIndex::parameter(P.Name);
    if (std::optional<int64_t> More = Rest.constant())
      return RuntimeBound{P.Name, LeastTrips - *More};
    // Where it counts down to nothing: max(m, 0).
    Rest = L.TripCount->substitute(
        [&](const Atom &A) -> std::optional<AffineIndex> {
          if (A.K == Atom::Kind::Parameter && A.Name == P.Name)
            return AffineIndex(LeastTrips);
          return std::nullopt;
        });
    if (Rest.constant() == LeastTrips)
      return RuntimeBound{P.Name, LeastTrips};
  }
  return std::nullopt;
}

bool isCheap(Setting S, llvm::ArrayRef<std::string> Names,
             llvm::ArrayRef<unsigned> Open) {
  constexpr uint64_t MostSteps = 1 << 14;
  for (const std::string &Name : Names)
    S.Footprint.Parameters[Name] = LargestMeasured;
  std::vector<bool> Matters = nestsOf(S.K, Open);
  uint64_t Steps = 0;
  for (const Loop &L : S.K.Loops)
    if (Matters[L.Id])
      Steps += stepsToProfile(S.K, L.Id, S.Footprint);
  return Steps <= MostSteps;
}

} // namespace catt
