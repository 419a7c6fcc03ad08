//===- RematPlan.cpp - Which values are computed again --------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/remat/RematPlan.h"
#include "analysis/plan/remat/RematCandidates.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace catt {
namespace {

constexpr unsigned MostHelpers = 3; ///< operands of operands

class Chooser {
public:
  Chooser(const Kernel &K, std::vector<RematRegion> Given, RematPlan &Out)
      : K(K), Regions(std::move(Given)), Find(K, Regions), Out(Out),
        Candidates(Find.find(Out.Refusals)) {}

  void run() {
    for (;;) {
      if (const Plan *Best = best())
        take(*Best);
      else if (!keepOne())
        break;
    }
    for (const RematCandidate &C : Candidates)
      if (!Taken.count(C.What.Value) && !missing(C).empty())
        refuseMissing(C);
    for (auto &[Value, What] : Taken)
      Out.Values.push_back(std::move(What));
  }

  /// What is left of the highest peak's excess.
  unsigned left() const {
    unsigned Most = 0;
    for (const RematRegion &R : Regions)
      Most = std::max(Most, R.Excess);
    return Most;
  }

private:
  /// A candidate with the operands that have to be computed again for it.
  struct Plan {
    const RematCandidate *Of = nullptr;
    std::vector<RematCandidate> Helpers;
  };

  /// Operands that would be there for this value only, and are not kept yet.
  std::vector<unsigned> missing(const RematCandidate &C) const {
    std::vector<unsigned> Left;
    llvm::copy_if(C.Missing, std::back_inserter(Left),
                  [&](unsigned W) { return !Kept.count(W); });
    return Left;
  }

  /// Makes sure of the operands of a value at the places where it is computed
  /// again: each is used there anyway, kept, or computed again too.
  bool addHelpers(const RematCandidate &C, unsigned Depth,
                  std::vector<RematCandidate> &Helpers) const {
    for (unsigned W : C.Operands) {
      bool Missing = llvm::is_contained(C.Missing, W) && !Kept.count(W);
      if (!Missing && !Taken.count(W))
        continue;
      std::optional<RematCandidate> H = Find.helper(W, C.What.Before);
      if (!H || Depth == MostHelpers || !addHelpers(*H, Depth + 1, Helpers))
        return false;
      Helpers.push_back(std::move(*H));
    }
    return true;
  }

  /// Whether those that are computed again from this value can get it again
  /// too, where they are.
  bool servesTaken(const RematCandidate &C,
                   std::vector<RematCandidate> &Helpers) const {
    for (unsigned User : usersOf(C.What.Value)) {
      std::optional<RematCandidate> H =
          Find.helper(C.What.Value, Taken.at(User).Before);
      if (!H || !addHelpers(*H, 0, Helpers))
        return false;
      Helpers.push_back(std::move(*H));
    }
    return true;
  }

  std::vector<unsigned> usersOf(unsigned Value) const {
    std::vector<unsigned> Out;
    for (const auto &[User, Operands] : OperandsOf)
      if (llvm::is_contained(Operands, Value))
        Out.push_back(User);
    return Out;
  }

  /// Most peaks that are still too high, then least cost per register, then the
  /// order of the text.
  const Plan *best() {
    std::tuple<int64_t, double> BestKey;
    Current.Of = nullptr;
    for (const RematCandidate &C : Candidates) {
      auto [High, Freed] = freedBy(C);
      Plan P{&C, {}};
      if (High == 0 || Taken.count(C.What.Value) || Kept.count(C.What.Value) ||
          !addHelpers(C, 0, P.Helpers) || !servesTaken(C, P.Helpers))
        continue;
      uint64_t Cost = C.What.Cost;
      for (const RematCandidate &H : P.Helpers)
        Cost += H.What.Cost;
      std::tuple Key{-High, double(Cost) / Freed};
      if (!Current.Of || Key < BestKey) {
        Current = std::move(P);
        BestKey = Key;
      }
    }
    return Current.Of ? &Current : nullptr;
  }

  /// How many peaks that are too high it covers, and the most registers that it
  /// frees in one.
  std::pair<int64_t, unsigned> freedBy(const RematCandidate &C) const {
    int64_t High = 0;
    unsigned Freed = 0;
    for (size_t I = 0; I < C.Covers.size(); ++I)
      if (Regions[C.Covers[I]].Excess) {
        ++High;
        Freed = std::max(Freed, C.Freed[I]);
      }
    return {High, Freed};
  }

  void take(const Plan &P) {
    add(*P.Of);
    for (const RematCandidate &H : P.Helpers)
      add(H);
    Recomputation &What = Taken.at(P.Of->What.Value);
    for (size_t I = 0; I < P.Of->Covers.size(); ++I) {
      unsigned &Excess = Regions[P.Of->Covers[I]].Excess;
      Excess -= std::min(Excess, P.Of->Freed[I]);
      What.Registers = std::max(What.Registers, P.Of->Freed[I]);
    }
  }

  /// Also at these places; those that another one leads to are left out.
  void add(const RematCandidate &C) {
    Recomputation &What = Taken.try_emplace(C.What.Value, C.What).first->second;
    llvm::append_range(What.Before, C.What.Before);
    std::set<unsigned> All(What.Before.begin(), What.Before.end());
    What.Before.clear();
    for (unsigned S : All)
      if (llvm::none_of(What.Before,
                        [&](unsigned E) { return Find.leads(E, S); }))
        What.Before.push_back(S);
    What.Cost = Find.costOf(C.What.Value, What.Before);
    OperandsOf[C.What.Value] = C.Operands;
  }

  /// One operand that is worth keeping: computed from it and from nothing else
  /// that is missing, several values need no register.
  bool keepOne() {
    std::map<unsigned, int64_t> Gain;
    for (const RematCandidate &C : Candidates) {
      std::vector<unsigned> Left = missing(C);
      auto [High, Freed] = freedBy(C);
      if (High && Left.size() == 1 && !Taken.count(C.What.Value) &&
          !Taken.count(Left[0]))
        Gain[Left[0]] += Freed;
    }
    for (auto &[W, G] : Gain)
      G -= registersOf(W);
    auto Best = std::max_element(
        Gain.begin(), Gain.end(),
        [](const auto &A, const auto &B) { return A.second < B.second; });
    if (Best == Gain.end() || Best->second <= 0)
      return false;
    Kept.insert(Best->first);
    for (RematRegion &R : Regions)
      if (R.Excess)
        R.Excess += registersOf(Best->first);
    return true;
  }

  unsigned registersOf(unsigned Value) const {
    return (K.Values[Value].ElementBytes + 3) / 4;
  }

  void refuseMissing(const RematCandidate &C) {
    const ThreadValue &V = K.Values[C.What.Value];
    Out.Refusals.push_back({Reason::OperandsGone, V.Where,
                            "'" + K.Values[missing(C)[0]].Name + "', which '" +
                                V.Name + "' needs"});
  }

  const Kernel &K;
  std::vector<RematRegion> Regions;
  RematCandidates Find;
  RematPlan &Out;
  std::vector<RematCandidate> Candidates;
  Plan Current;
  std::map<unsigned, Recomputation> Taken; ///< by index in Kernel::Values
  std::map<unsigned, std::vector<unsigned>> OperandsOf; ///< of those
  std::set<unsigned> Kept;
};

/// Registers that have to go: what the assembler spills at the target, where
/// it was asked; else what is live at once beyond it.
unsigned wantedRegisters(const RegisterUse &Use, unsigned Target) {
  unsigned Live = Use.MaxLive > Target ? Use.MaxLive - Target : 0;
  for (const RegisterPoint &P : Use.Caps)
    if (P.CapRegisters == Target)
      return P.spills() ? std::max({1U, Live, (P.SpillStoreBytes + 3) / 4}) : 0;
  return Use.Default.Registers <= Target ? 0 : Live;
}
} // namespace

std::optional<RematPlan> planRemat(const Kernel &K, const RegisterUse &Use,
                                   unsigned Target,
                                   std::optional<unsigned> Wanted) {
  RematPlan Out;
  Out.TargetRegisters = Target;
  Out.Wanted = Wanted ? *Wanted : wantedRegisters(Use, Target);
  if (Out.Wanted == 0)
    return std::nullopt;
  unsigned Highest = 0;
  for (const PressurePeak &P : Use.Peaks)
    Highest = std::max(Highest, P.Registers);
  std::vector<RematRegion> Regions;
  for (const PressurePeak &P : Use.Peaks)
    if (P.Registers + Out.Wanted > Highest)
      if (std::optional<RematRegion> R = regionOf(K, P)) {
        R->Excess = P.Registers + Out.Wanted - Highest;
        Regions.push_back(std::move(*R));
      }
  if (Regions.empty()) {
    bool HasLines = llvm::any_of(
        Use.Peaks, [](const PressurePeak &P) { return P.Begin.valid(); });
    Out.Refusals.push_back({Reason::CannotReachTarget, K.Where,
                            HasLines
                                ? "the peak is in no statement of the kernel"
                                : "the PTX does not say at which lines; make "
                                  "it with -lineinfo"});
    return Out;
  }
  Chooser C(K, std::move(Regions), Out);
  C.run();
  Out.Freed = Out.Wanted - std::min(Out.Wanted, C.left());
  if (Out.Values.empty() && Out.Refusals.empty())
    Out.Refusals.push_back({Reason::CannotReachTarget, K.Where, ""});
  return Out;
}

} // namespace catt
