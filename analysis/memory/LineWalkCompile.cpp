//===- LineWalkCompile.cpp - A loop level made ready to walk --------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first half of LineWalk.h's picture: from accesses to formulas.
//
//===----------------------------------------------------------------------===//
#include "analysis/memory/LineWalk.h"
#include "analysis/nest/Nest.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace catt {

using Kind = Atom::Kind;
using Range = Formula::Range;

static constexpr unsigned LevelSlot = 3;

static std::optional<int64_t> extent(const Shape &S, Axis Dim) {
  return Dim == Axis::X ? S.X : Dim == Axis::Y ? S.Y : S.Z;
}

AffineIndex underLaunch(const AffineIndex &Index,
                        const FootprintOptions &Options) {
  return Index.substitute([&](const Atom &A) -> std::optional<AffineIndex> {
    std::optional<int64_t> Value;
    switch (A.K) {
    case Kind::BlockDim:
      Value = extent(Options.Block, A.Dim);
      break;
    case Kind::GridDim:
      Value = extent(Options.Grid, A.Dim);
      break;
    case Kind::ThreadIdx:
      if (extent(Options.Block, A.Dim) == 1)
        Value = 0;
      break;
    case Kind::BlockIdx:
      if (extent(Options.Grid, A.Dim) == 1)
        Value = 0;
      break;
    case Kind::Parameter:
      if (auto Known = Options.Parameters.find(A.Name);
          Known != Options.Parameters.end())
        Value = Known->second;
      break;
    default:
      break;
    }
    return Value ? std::optional<AffineIndex>(*Value) : std::nullopt;
  });
}

static bool isUnknownLeaf(const Atom &A) {
  return A.K == Kind::Parameter || A.K == Kind::GridDim ||
         A.K == Kind::BlockDim;
}

std::string unknownName(const AffineIndex &Index) {
  std::string Name;
  (void)Index.mentions([&Name](const Atom &A) {
    if (!isUnknownLeaf(A))
      return false;
    Name = A.K == Kind::Parameter ? A.Name : AffineIndex::atom(A).str();
    return true;
  });
  return Name;
}

bool isCounted(const Kernel &K, const Access &A, unsigned Level,
               const FootprintOptions &Options) {
  return A.Space == AddressSpace::Global &&
         (A.ThroughL1 || !Options.ThroughL1Only) && isInside(K, A.Loop, Level);
}

static bool baseLess(const std::pair<unsigned, AffineIndex> &A,
                     const std::pair<unsigned, AffineIndex> &B) {
  return A.first != B.first ? A.first < B.first
                            : compare(A.second, B.second) < 0;
}

LineWalk::LineWalk(const Kernel &K, unsigned Level, const Representative &Rep,
                   const FootprintOptions &Options)
    : K(K), Options(Options), Rep(Rep), Level(Level), Bases(baseLess) {
  Threads = Options.Block.count().value_or(0);
  if (Threads <= 0) {
    Unknown = Refusal{Reason::UnknownLaunch, K.Where, "the block size"};
    return;
  }
  BlockSize = {*Options.Block.X, *Options.Block.Y, *Options.Block.Z};
  for (int64_t Size : BlockSize)
    Ranges.push_back({0, Size - 1});
  auto [First, Count] = reuseWindow(1, Level, Rep, Options);
  int64_t At = Rep.Iteration.at(Level);
  Ranges.push_back(
      {std::min(First, At), std::max<int64_t>(First + Count - 1, At)});
  SlotOfLoop[Level] = LevelSlot;
  for (const Access &A : K.Accesses) {
    if (!isCounted(K, A, Level, Options))
      continue;
    if (isOutOfQuota() || (Unknown = addReference(A)))
      return;
  }
  (void)isOutOfQuota();
}

Refusal LineWalk::refusal(Reason Why, const Access &A,
                          std::string Detail) const {
  return {Why, A.Where, std::move(Detail)};
}

/// Everything but threads, the level's iterator and those inside it replaced.
AffineIndex LineWalk::atRepresentative(const AffineIndex &Index) const {
  return underLaunch(Index, Options)
      .substitute([&](const Atom &A) -> std::optional<AffineIndex> {
        if (A.K == Kind::BlockIdx)
          return AffineIndex(Rep.Block[static_cast<unsigned>(A.Dim)]);
        if (A.K == Kind::Iterator && A.Id != Level && A.Id < K.Loops.size() &&
            isInside(K, Level, A.Id))
          return AffineIndex(Rep.Iteration.at(A.Id));
        return std::nullopt;
      });
}

std::optional<unsigned> LineWalk::slotOf(const Atom &A) const {
  if (A.K == Kind::ThreadIdx)
    return static_cast<unsigned>(A.Dim);
  if (A.K == Kind::Iterator)
    if (auto At = SlotOfLoop.find(A.Id); At != SlotOfLoop.end())
      return At->second;
  return std::nullopt;
}

std::optional<Formula> LineWalk::compile(const AffineIndex &Index) const {
  std::optional<Formula> Compiled =
      Formula::compile(Index, [this](const Atom &A) { return slotOf(A); });
  if (Compiled && !Compiled->range(Ranges))
    return std::nullopt;
  return Compiled;
}

/// To put numbers into an index and compile it, for each operation of the
/// formula that comes of it.
static constexpr uint64_t OperationsToCompile = 64;

std::optional<Refusal> LineWalk::addReference(const Access &A) {
  Reference R;
  R.Source = &A;
  R.Irregular = !A.Offset;
  if (R.Irregular || !A.GuardsKnown)
    From = Origin::Estimated;
  if (!R.Irregular)
    if (std::optional<Refusal> Why = addLoops(R))
      return Why;
  if (Ranges.size() > Formula::MaxSlots)
    return refusal(Reason::TooComplex, A, A.Text);
  // Lanes come last, as neighbours often share a line; but first if the trip
  // count of a loop depends on them.
  bool LanesFirst = llvm::any_of(
      R.Dims, [](const Dimension &D) { return D.Trip.mentions(0); });
  R.Dims.insert(LanesFirst ? R.Dims.begin() : R.Dims.end(), Dimension());
  if (std::optional<Refusal> Why = addOffset(R))
    return Why;
  bool Never = false;
  if (std::optional<Refusal> Why = addGuards(R, Never); Why || Never)
    return Why;
  chooseBoxes(R);
  R.OffsetCost = R.Offset.cost();
  unsigned Cost = R.OffsetCost;
  for (Dimension &D : R.Dims) {
    for (const Formula &G : D.Guards)
      D.GuardCost += G.cost();
    Cost += D.GuardCost + D.Trip.cost();
  }
  Options.spend(OperationsToCompile * Cost);
  uint64_t Own = stepsOf(R);
  R.ByHull = Own > Options.WalkLimit;
  Steps += std::min(Own, Options.WalkLimit);
  References.push_back(std::move(R));
  return std::nullopt;
}

/// Adds the loops between the level and the access, outermost first.
std::optional<Refusal> LineWalk::addLoops(Reference &R) {
  llvm::SmallVector<unsigned, 4> Chain;
  for (unsigned L = *R.Source->Loop; L != Level; L = *K.Loops[L].Parent)
    Chain.push_back(L);
  for (unsigned L : llvm::reverse(Chain)) {
    const Loop &Inner = K.Loops[L];
    Refusal Unbounded = {Reason::UnknownTripCount, Inner.Where, Inner.Header};
    if (!Inner.TripCount)
      return Unbounded;
    AffineIndex Trip = atRepresentative(*Inner.TripCount);
    if (std::string Name = unknownName(Trip); !Name.empty()) {
      Unbounded.Detail = Name;
      return Unbounded;
    }
    std::optional<Formula> Compiled = compile(Trip);
    if (!Compiled)
      return refusal(Reason::TooComplex, *R.Source, Inner.Header);
    if (Inner.MayExitEarly)
      From = Origin::Estimated;
    int64_t Most = std::max<int64_t>(Compiled->range(Ranges)->Hi, 0);
    auto [Slot, New] = SlotOfLoop.try_emplace(L, Ranges.size());
    if (New)
      Ranges.push_back({0, std::max<int64_t>(Most - 1, 0)});
    Dimension D;
    D.Slot = Slot->second;
    D.Trip = *Compiled;
    R.Dims.push_back(std::move(D));
    R.TripIndices.emplace_back(Slot->second, Trip);
  }
  return std::nullopt;
}

/// Splits the offset into what is known and a shift that is not.
std::optional<Refusal> LineWalk::addOffset(Reference &R) {
  const Access &A = *R.Source;
  if (R.Irregular) {
    R.Base = NextBase++; // no other access shares its lines
    return std::nullopt;
  }
  AffineIndex Launched = underLaunch(*A.Offset, Options);
  R.Shared = !Launched.mentions(Kind::BlockIdx);
  Launched = atRepresentative(*A.Offset);
  R.Moving = Launched.mentionsIterator(Level);
  for (const auto &[M, C] : Launched.terms()) {
    AffineIndex Term = C;
    for (const AtomRef &Part : M)
      Term *= AffineIndex::atom(*Part);
    std::string Name = unknownName(Term);
    if (Name.empty()) {
      R.OffsetIndex += Term;
      continue;
    }
    if (Term.mentions([&](const Atom &Part) {
          return Part.K == Kind::ThreadIdx ||
                 (Part.K == Kind::Iterator && Part.Id != Level);
        }))
      return refusal(Reason::UnknownStride, A, Name);
    R.Shift += Term;
    From = Origin::Estimated;
  }
  std::optional<Formula> Compiled = compile(R.OffsetIndex);
  if (!Compiled)
    return refusal(Reason::TooComplex, A, A.Text);
  R.Offset = std::move(*Compiled);
  if (!R.Shift.mentionsIterator(Level))
    R.Base = baseFor(A.BaseId, R.Shift);
  return std::nullopt;
}

/// The reference happens only under its guards, and where the representative
/// iterations of the loops around it exist for the thread.
std::optional<Refusal> LineWalk::addGuards(Reference &R, bool &Never) {
  std::vector<AffineIndex> Conditions;
  for (std::optional<unsigned> L = Level; L; L = K.Loops[*L].Parent) {
    if (!K.Loops[*L].TripCount)
      continue;
    AffineIndex Exists = atRepresentative(*K.Loops[*L].TripCount - 1 -
                                          AffineIndex::iterator(*L));
    // A bound that is unknown but the same for all threads leaves no doubt: the
    // question is what the iteration touches, if there is one.
    if (unknownName(Exists).empty() || !Exists.isBlockUniform())
      Conditions.push_back(std::move(Exists));
  }
  for (const Guard &G : R.Source->Guards)
    Conditions.push_back(atRepresentative(G.Condition));
  for (const AffineIndex &Condition : Conditions)
    if (std::optional<Refusal> Why = addGuard(R, Condition, Never);
        Why || Never)
      return Why;
  return std::nullopt;
}

std::optional<Refusal>
LineWalk::addGuard(Reference &R, const AffineIndex &Condition, bool &Never) {
  if (!unknownName(Condition).empty()) {
    From = Origin::Estimated; // taken to hold
    return std::nullopt;
  }
  bool InnerIterators = Condition.mentions(
      [this](const Atom &A) { return A.K == Kind::Iterator && A.Id != Level; });
  if (R.Irregular && InnerIterators)
    return std::nullopt; // an irregular access counts once in any case
  std::optional<Formula> Compiled = compile(Condition);
  if (!Compiled)
    return refusal(Reason::TooComplex, *R.Source, Condition.str());
  Range Values = *Compiled->range(Ranges);
  Never = Values.Hi < 0;
  if (Values.Lo >= 0 || Never)
    return std::nullopt;
  R.GuardIndices.push_back(Condition);
  placeGuard(R, std::move(*Compiled));
  return std::nullopt;
}

/// Puts the guard where the last dimension that it mentions has a value.
void LineWalk::placeGuard(Reference &R, Formula Compiled) {
  for (Dimension &D : llvm::reverse(R.Dims))
    if (Compiled.mentions(D.Slot)) {
      D.Guards.push_back(std::move(Compiled));
      return;
    }
  R.Guards.push_back(std::move(Compiled));
}

void LineWalk::chooseBoxes(Reference &R) {
  uint32_t Depends = 0;
  for (const Dimension &D : R.Dims) {
    Depends |= D.Trip.mentioned();
    for (const Formula &G : D.Guards)
      Depends |= G.mentioned();
  }
  for (unsigned I = 0; I != R.Dims.size(); ++I) {
    Dimension &D = R.Dims[I];
    if ((Depends >> D.Slot & 1) || !R.Offset.isLinearIn(D.Slot))
      continue;
    D.Boxed = true;
    D.Stride = R.Offset.stride(D.Slot);
    R.Order.push_back(I);
  }
  llvm::sort(R.Order, [&R](unsigned A, unsigned B) {
    int64_t SA = std::abs(R.Dims[A].Stride), SB = std::abs(R.Dims[B].Stride);
    return SA != SB ? SA < SB : A < B;
  });
  for (unsigned I = 0; I != R.Order.size(); ++I)
    R.Dims[R.Order[I]].Place = I;
}

/// About how many intervals one iteration lists: rows times walked values times
/// copies that do not merge. Saturates.
uint64_t LineWalk::stepsOf(const Reference &R) const {
  int64_t Lanes = std::min(BlockSize[0], WarpLanes);
  __int128 Product = Threads / Lanes + warps(); // rows
  __int128 Extent = R.Source->SizeBytes;
  auto Times = [&](const Dimension &D) {
    int64_t Count = D.Slot == 0 ? Lanes : Ranges[D.Slot].Hi + 1;
    if (D.Boxed && std::abs(D.Stride) - Extent < SectorBytes)
      Extent += std::abs(D.Stride) * __int128(Count - 1);
    else
      Product = std::min<__int128>(Product * Count, UINT64_MAX);
  };
  for (const Dimension &D : R.Dims)
    if (!D.Boxed)
      Times(D);
  for (unsigned I : R.Order)
    Times(R.Dims[I]);
  return Product;
}

uint32_t LineWalk::baseFor(unsigned BaseId, const AffineIndex &Shift) {
  auto [Place, New] = Bases.try_emplace({BaseId, Shift}, NextBase);
  NextBase += New;
  return Place->second;
}

/// Offsets that differ by something unknown are taken to share no line, which
/// makes counts upper bounds. The shift may move from iteration to iteration.
uint32_t LineWalk::baseOf(const Reference &R, int64_t Iteration) {
  if (R.Irregular || !R.Shift.mentionsIterator(Level))
    return R.Base;
  return baseFor(
      R.Source->BaseId,
      R.Shift.substitute([&](const Atom &A) -> std::optional<AffineIndex> {
        if (A.K == Kind::Iterator)
          return AffineIndex(Iteration);
        return std::nullopt;
      }));
}

} // namespace catt
