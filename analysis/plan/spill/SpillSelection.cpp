//===- SpillSelection.cpp - Which values to spill ---------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/spill/SpillSelection.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <numeric>
#include <tuple>

namespace catt {

static bool testBit(const llvm::BitVector &Bits, unsigned Point) {
  return Point < Bits.size() && Bits.test(Point);
}

//===-- TLP-RM ------------------------------------------------------------===//

std::vector<unsigned> pressure(llvm::ArrayRef<SpillCandidate> Values) {
  std::vector<unsigned> Out;
  for (const SpillCandidate &V : Values) {
    Out.resize(std::max(Out.size(), size_t(V.LiveAt.size())));
    for (unsigned Point : V.LiveAt.set_bits())
      Out[Point] += V.Registers;
  }
  return Out;
}

/// 0 for no points at all.
static unsigned highest(llvm::ArrayRef<unsigned> Pressure) {
  return Pressure.empty() ? 0 : *llvm::max_element(Pressure);
}

std::vector<PressureRegion> peaks(llvm::ArrayRef<unsigned> Pressure) {
  std::vector<PressureRegion> Out;
  unsigned Highest = highest(Pressure);
  if (Highest == 0)
    return Out;
  for (unsigned Point = 0; Point < Pressure.size(); ++Point) {
    if (Pressure[Point] != Highest)
      continue;
    if (!Out.empty() && Out.back().End + 1 == Point)
      Out.back().End = Point;
    else
      Out.push_back({Point, Point});
  }
  return Out;
}

bool qualifies(const SpillCandidate &V, const PressureRegion &R) {
  for (unsigned Point = R.Begin; Point <= R.End; ++Point)
    if (!testBit(V.LiveAt, Point) || testBit(V.TouchedAt, Point))
      return false;
  return V.MaySpill;
}

std::vector<size_t> spillOrder(llvm::ArrayRef<SpillCandidate> Values,
                               llvm::ArrayRef<PressureRegion> Regions) {
  std::vector<size_t> Order;
  if (Regions.empty())
    return Order;
  std::vector<std::pair<size_t, unsigned>> Merits(Values.size());
  for (size_t I = 0; I < Values.size(); ++I) {
    Merits[I] = {size_t(llvm::count_if(Regions,
                                       [&](const PressureRegion &R) {
                                         return qualifies(Values[I], R);
                                       })),
                 Values[I].LiveAt.count()};
    if (qualifies(Values[I], Regions.front()))
      Order.push_back(I);
  }
  llvm::stable_sort(Order,
                    [&](size_t A, size_t B) { return Merits[A] > Merits[B]; });
  return Order;
}

/// The gap around the region: from the last touch before it to the first one
/// behind it, or to where the live range ends.
static Spill gapAround(size_t Index, const SpillCandidate &V,
                       const PressureRegion &R) {
  Spill S{Index, R.Begin, R.End};
  while (S.StoreAfter > 0 && testBit(V.LiveAt, S.StoreAfter - 1)) {
    --S.StoreAfter;
    if (testBit(V.TouchedAt, S.StoreAfter))
      break;
  }
  while (testBit(V.LiveAt, S.LoadBefore + 1)) {
    ++S.LoadBefore;
    if (testBit(V.TouchedAt, S.LoadBefore))
      break;
  }
  return S;
}

/// The points of the gap, with both ends: its slot is live there.
static llvm::BitVector pointsOf(const Spill &S, unsigned Points) {
  llvm::BitVector Gap(Points);
  Gap.set(S.StoreAfter, S.LoadBefore + 1);
  return Gap;
}

SpillPlan spillDown(std::vector<SpillCandidate> Values, unsigned Desired,
                    unsigned MaxSpilled) {
  SpillPlan Plan;
  std::vector<SpillCandidate> InMemory; // the gaps, as live ranges of slots
  while (true) {
    std::vector<unsigned> Pressure = pressure(Values);
    Plan.Registers = highest(Pressure);
    if (Plan.Registers <= Desired)
      return Plan;
    std::vector<PressureRegion> Regions = peaks(Pressure);
    bool Found = false;
    for (size_t I : spillOrder(Values, Regions)) {
      SpillCandidate &V = Values[I];
      Spill S = gapAround(I, V, Regions.front());
      llvm::BitVector Gap = pointsOf(S, V.LiveAt.size());
      InMemory.push_back({V.Registers, Gap, {}, false});
      unsigned Spilled = highest(pressure(InMemory));
      if (Spilled > MaxSpilled) {
        InMemory.pop_back();
        continue;
      }
      Plan.Spills.push_back(S);
      Plan.Spilled = Spilled;
      V.LiveAt.reset(Gap.reset(V.TouchedAt)); // a register holds it there
      Found = true;
      break;
    }
    if (!Found)
      return Plan;
  }
}

//===-- CRAT --------------------------------------------------------------===//

std::vector<size_t> chooseSubStacks(llvm::ArrayRef<SubStack> Stacks,
                                    uint64_t SpareBytes) {
  // Sizes in units of their common divisor; more than all together is of no
  // use. A stack of no bytes costs nothing.
  uint64_t Unit = 0, All = 0;
  for (const SubStack &S : Stacks) {
    Unit = std::gcd(Unit, S.Bytes);
    All += S.Bytes;
  }
  Unit = std::max<uint64_t>(Unit, 1);
  uint64_t Capacity = std::min(SpareBytes, All) / Unit;
  // Best[v]: S[i, v] of algorithm 1 for the stacks so far.
  std::vector<uint64_t> Best(Capacity + 1);
  std::vector<llvm::BitVector> Taken; // Mask[i, v]
  for (const SubStack &S : Stacks) {
    llvm::BitVector &Mask = Taken.emplace_back(unsigned(Capacity + 1));
    uint64_t Size = S.Bytes / Unit;
    for (uint64_t V = Capacity + 1; V-- > Size;) {
      uint64_t With = Best[V - Size] + S.Gain;
      if (With <= Best[V])
        continue;
      Best[V] = With;
      Mask.set(unsigned(V));
    }
  }
  // From the smallest room that gives the largest gain back to the stacks.
  uint64_t Room = llvm::find(Best, Best.back()) - Best.begin();
  std::vector<size_t> Chosen;
  for (size_t I = Stacks.size(); I-- > 0;) {
    if (!Taken[I].test(unsigned(Room)))
      continue;
    Chosen.push_back(I);
    Room -= Stacks[I].Bytes / Unit;
  }
  std::reverse(Chosen.begin(), Chosen.end());
  return Chosen;
}

//===-- Unified -----------------------------------------------------------===//

/// Points that have something live or call something.
static unsigned pointCount(const SlotFunction &F) {
  unsigned Points = 0;
  for (const SlotValue &V : F.Values)
    Points = std::max(Points, V.LiveAt.size());
  for (const SlotCall &C : F.Calls)
    Points = std::max(Points, C.Point + 1);
  return Points;
}

/// How many chains of calls reach each function; empty: recursion, or more
/// than MaxCallChains together.
static std::optional<std::vector<size_t>>
callChains(llvm::ArrayRef<SlotFunction> Functions, unsigned Kernel) {
  std::optional<std::vector<unsigned>> Order = callOrder(Functions, Kernel);
  if (!Order)
    return std::nullopt;
  std::vector<size_t> Chains(Functions.size());
  Chains[Kernel] = 1;
  size_t All = 0;
  for (unsigned F : *Order) {
    All += Chains[F];
    if (All > MaxCallChains)
      return std::nullopt;
    for (const SlotCall &C : Functions[F].Calls)
      Chains[C.Callee] += Chains[F];
  }
  return Chains;
}

/// Appends all that begin with Prefix and go on in function F.
static void addCompositions(llvm::ArrayRef<SlotFunction> Functions, unsigned F,
                            Composition &Prefix,
                            std::vector<Composition> &Out) {
  for (unsigned Point = 0; Point < pointCount(Functions[F]); ++Point) {
    Prefix.push_back({F, Point});
    Out.push_back(Prefix);
    for (const SlotCall &C : Functions[F].Calls)
      if (C.Point == Point)
        addCompositions(Functions, C.Callee, Prefix, Out);
    Prefix.pop_back();
  }
}

std::optional<std::vector<Composition>>
compositions(llvm::ArrayRef<SlotFunction> Functions, unsigned Kernel) {
  if (!callChains(Functions, Kernel))
    return std::nullopt;
  std::vector<Composition> Out;
  Composition Prefix;
  addCompositions(Functions, Kernel, Prefix, Out);
  return Out;
}

std::optional<unsigned>
maxLiveAcrossCalls(llvm::ArrayRef<SlotFunction> Functions, unsigned Kernel) {
  std::optional<std::vector<unsigned>> Order = callOrder(Functions, Kernel);
  if (!Order)
    return std::nullopt;
  std::vector<unsigned> MaxLive(Functions.size());
  for (unsigned F : llvm::reverse(*Order)) { // callees first
    MaxLive[F] = maxLiveBytes(Functions[F].Values);
    for (const SlotCall &C : Functions[F].Calls) {
      unsigned Bytes = MaxLive[C.Callee];
      for (const SlotValue &V : Functions[F].Values)
        Bytes += testBit(V.LiveAt, C.Point) ? V.bytes() : 0;
      MaxLive[F] = std::max(MaxLive[F], Bytes);
    }
  }
  return MaxLive[Kernel];
}

namespace {
/// How much of what is live at each composition instruction has a place.
class Pruning {
public:
  Pruning(llvm::ArrayRef<SlotFunction> Functions, unsigned Limit,
          llvm::ArrayRef<Composition> All)
      : Functions(Functions), Limit(Limit) {
    for (const Composition &C : All) {
      std::vector<ValueOfFunction> Live = liveAt(C);
      unsigned Sum = 0;
      for (const ValueOfFunction &V : Live)
        Sum += bytes(V);
      if (Sum > Limit) // nothing is pruned for the sake of the others
        Over.push_back({std::move(Live), 0});
    }
  }

  /// Step 2: the values live over the limit, lowest priority first.
  std::vector<ValueOfFunction> ranked(SpillPriority By,
                                      llvm::ArrayRef<size_t> Chains) const;

  /// Gives the value a place if nothing exceeds the limit with it.
  bool place(const ValueOfFunction &V) {
    for (const OverLimit &P : Over)
      if (llvm::is_contained(P.Live, V) && P.Bytes + bytes(V) > Limit)
        return false;
    for (OverLimit &P : Over)
      if (llvm::is_contained(P.Live, V))
        P.Bytes += bytes(V);
    return true;
  }

private:
  /// A composition instruction of the Over-smem-limit set.
  struct OverLimit {
    std::vector<ValueOfFunction> Live;
    unsigned Bytes; ///< of those that have a place
  };

  const SlotValue &get(const ValueOfFunction &V) const {
    return Functions[V.Function].Values[V.Value];
  }
  unsigned bytes(const ValueOfFunction &V) const { return get(V).bytes(); }

  std::vector<ValueOfFunction> liveAt(const Composition &C) const {
    std::vector<ValueOfFunction> Live;
    for (const CompositionStep &S : C)
      for (size_t I = 0; I < Functions[S.Function].Values.size(); ++I)
        if (testBit(Functions[S.Function].Values[I].LiveAt, S.Point))
          Live.push_back({S.Function, I});
    return Live;
  }

  llvm::ArrayRef<SlotFunction> Functions;
  unsigned Limit;
  std::vector<OverLimit> Over;
};
} // namespace

std::vector<ValueOfFunction>
Pruning::ranked(SpillPriority By, llvm::ArrayRef<size_t> Chains) const {
  std::vector<ValueOfFunction> All; // one entry for each time it is live
  for (const OverLimit &P : Over)
    llvm::append_range(All, P.Live);
  llvm::sort(All);
  using Ranked = std::tuple<double, uint64_t, ValueOfFunction>;
  std::vector<Ranked> Values;
  for (auto It = All.begin(); It != All.end();) {
    auto End = std::upper_bound(It, All.end(), *It);
    uint64_t Accesses = get(*It).Accesses * Chains[It->Function];
    double Priority = By == SpillPriority::Frequency
                          ? double(End - It)
                          : double(Accesses) / std::max(bytes(*It), 1u);
    Values.push_back({Priority, Accesses, *It});
    It = End;
  }
  llvm::sort(Values);
  std::vector<ValueOfFunction> Out;
  for (const Ranked &R : Values)
    Out.push_back(std::get<ValueOfFunction>(R));
  return Out;
}

std::optional<std::vector<ValueOfFunction>>
pruneToFit(llvm::ArrayRef<SlotFunction> Functions, unsigned Kernel,
           unsigned BytesPerThread, SpillPriority By) {
  auto Chains = callChains(Functions, Kernel);
  auto All = compositions(Functions, Kernel);
  if (!Chains || !All)
    return std::nullopt;
  Pruning P(Functions, BytesPerThread, *All); // step 1
  // Step 3 from its other end: the highest come in while they fit, which leaves
  // what taking away the lowest would leave, and what fits beside it.
  std::vector<ValueOfFunction> Ranked = P.ranked(By, *Chains); // step 2
  std::vector<ValueOfFunction> Out;
  for (const ValueOfFunction &V : llvm::reverse(Ranked))
    if (!P.place(V))
      Out.push_back(V);
  std::reverse(Out.begin(), Out.end());
  return Out;
}

} // namespace catt
