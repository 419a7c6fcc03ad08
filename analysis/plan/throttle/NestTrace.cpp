//===- NestTrace.cpp - A loop nest as the simulation runs it --------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/plan/throttle/NestTrace.h"
#include "analysis/memory/Formula.h"
#include "analysis/memory/LineWalk.h"
#include "analysis/memory/LoopWork.h"
#include "analysis/nest/Nest.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

namespace catt {
namespace {

using Kind = Atom::Kind;
constexpr unsigned BlockSlot = 3, LoopSlot = 6;
/// Trips of an outermost loop that are not known; of one that is unrolled as a
/// whole, at most.
constexpr int64_t UnknownOutermost = 256;
/// As in LoopWork.
constexpr int64_t Banks = 32, BankBytes = 4;
/// In the mean, of 32 words anywhere.
constexpr double IrregularTurns = 3.5;

class NestTrace : public SimulatedNest {
public:
  NestTrace(const Kernel &K, unsigned Root, const FootprintOptions &Options)
      : K(K), Root(Root), Options(Options) {}

  bool build();

  uint32_t lanes(unsigned Access, int64_t Block, unsigned Warp,
                 llvm::ArrayRef<int64_t> Iterations,
                 int64_t *Offsets) const override;
  std::optional<int64_t> stride(unsigned Access, unsigned Loop) const override {
    const Formula &F = Compiled[Access].Offset;
    if (Accesses[Access].Irregular)
      return 0;
    if (!F.isLinearIn(LoopSlot + Loop))
      return std::nullopt;
    return F.stride(LoopSlot + Loop);
  }

private:
  struct Reference {
    Formula Offset;
    std::vector<Formula> Guards;
  };
  const Kernel &K;
  unsigned Root;
  const FootprintOptions &Options;
  std::vector<Reference> Compiled;       ///< of each of Accesses
  std::vector<const Access *> Added;     ///< the same
  std::map<unsigned, unsigned> NumberOf; ///< Loop::Id -> in Loops
  std::map<unsigned, Representative> Known;
  std::vector<int64_t> Middle; ///< iterations at which guards are looked at

  const Representative &standsFor(unsigned Loop) {
    auto [At, New] = Known.try_emplace(Loop);
    if (New)
      At->second = representative(K, Loop, Options);
    return At->second;
  }
  int64_t tripsOf(unsigned Loop) {
    const Representative &R = standsFor(Loop);
    auto At = R.TripCount.find(Loop);
    if (At != R.TripCount.end())
      return At->second;
    return Loop == Root ? UnknownOutermost : UnknownTrips;
  }
  std::optional<Formula> compile(const AffineIndex &Index, bool IsGuard);
  bool leavesItsLoop(const Access &A) const;
  bool isShared(const Access &A) const;
  bool add(const Access &A);
  void addLoop(const Loop &L);
  double bankTurns(unsigned Access) const;
};

/// What all threads have in common is left out of an offset where it is not
/// known, and not of a guard. std::nullopt: threads or iterations are apart by
/// what is not known, or a guard depends on it.
std::optional<Formula> NestTrace::compile(const AffineIndex &Index,
                                          bool IsGuard) {
  AffineIndex Known = underLaunch(Index, Options);
  AffineIndex Kept;
  for (const auto &[M, C] : Known.terms()) {
    AffineIndex Term = C;
    for (const AtomRef &Part : M)
      Term *= AffineIndex::atom(*Part);
    if (unknownName(Term).empty())
      Kept += Term;
    else if (IsGuard || Term.mentions([](const Atom &A) {
               return A.K == Kind::ThreadIdx || A.K == Kind::Iterator;
             }))
      return std::nullopt;
  }
  const Representative &R = standsFor(Root);
  Kept = Kept.substitute([&](const Atom &A) -> std::optional<AffineIndex> {
    if (A.K != Kind::Iterator || NumberOf.count(A.Id))
      return std::nullopt;
    auto At = R.Iteration.find(A.Id);
    return AffineIndex(At == R.Iteration.end() ? 0 : At->second);
  });
  std::optional<Formula> F =
      Formula::compile(Kept, [&](const Atom &A) -> std::optional<unsigned> {
        if (A.K == Kind::ThreadIdx)
          return unsigned(A.Dim);
        if (A.K == Kind::BlockIdx)
          return BlockSlot + unsigned(A.Dim);
        if (A.K == Kind::Iterator)
          if (auto At = NumberOf.find(A.Id); At != NumberOf.end())
            return LoopSlot + At->second;
        return std::nullopt;
      });
  if (!F)
    return std::nullopt;
  std::vector<Formula::Range> Ranges;
  const Shape &B = Options.Block, &G = Options.Grid;
  for (auto Size : {B.X, B.Y, B.Z})
    Ranges.push_back({0, *Size - 1});
  for (auto Size : {G.X, G.Y, G.Z})
    Ranges.push_back({0, Size.value_or(1 << 16) - 1});
  for (const SimulatedLoop &L : Loops)
    Ranges.push_back({0, std::max<int64_t>(0, L.Trips - 1)});
  if (!F->range(Ranges))
    return std::nullopt;
  return F;
}

/// What the innermost loop does not move is loaded before it and stored behind
/// it, where the compiler may.
bool NestTrace::leavesItsLoop(const Access &A) const {
  return A.Offset && isInnermost(K, *A.Loop) && !A.Atomic && !A.Volatile &&
         !Loops[NumberOf.at(*A.Loop)].HoldsBack &&
         !A.Offset->mentionsIterator(*A.Loop);
}

/// Other blocks read the same: some axis of the grid does not move it.
bool NestTrace::isShared(const Access &A) const {
  AffineIndex Offset = underLaunch(*A.Offset, Options);
  return llvm::any_of(
      std::array{std::pair(Options.Grid.X, Axis::X),
                 std::pair(Options.Grid.Y, Axis::Y),
                 std::pair(Options.Grid.Z, Axis::Z)},
      [&](auto &Along) {
        return Along.first.value_or(2) > 1 && !Offset.mentions([&](auto &Of) {
          return Of.K == Kind::BlockIdx && Of.Dim == Along.second;
        });
      });
}

bool NestTrace::add(const Access &A) {
  if (leavesItsLoop(A) || (A.Reads && !A.ThroughL1 && !A.Writes))
    return true;
  for (const auto &[Earlier, To] : llvm::zip_equal(Added, Accesses))
    if (A.Offset && Earlier->Offset && Earlier->BaseId == A.BaseId &&
        Earlier->Loop == A.Loop && *Earlier->Offset == *A.Offset) {
      To.Loads |= A.Reads && A.ThroughL1;
      To.Stores |= A.Writes;
      return true;
    }
  SimulatedAccess S;
  S.Base = A.BaseId;
  S.Loads = A.Reads && A.ThroughL1;
  S.Stores = A.Writes;
  S.Bytes = A.SizeBytes;
  S.Irregular = !A.Offset;
  Reference R;
  if (A.Offset) {
    std::optional<Formula> F = compile(*A.Offset, /*IsGuard=*/false);
    if (!F)
      return false;
    R.Offset = std::move(*F);
    S.IsShared = isShared(A);
    for (const Guard &G : A.Guards)
      if (std::optional<Formula> Condition =
              compile(G.Condition, /*IsGuard=*/true))
        R.Guards.push_back(std::move(*Condition));
  }
  Loops[NumberOf.at(*A.Loop)].Items.push_back({false, unsigned(Added.size())});
  Added.push_back(&A);
  Accesses.push_back(S);
  Compiled.push_back(std::move(R));
  return true;
}

void NestTrace::addLoop(const Loop &L) {
  NumberOf[L.Id] = unsigned(Loops.size());
  SimulatedLoop S;
  S.Trips = tripsOf(L.Id);
  S.Operations = L.Operations;
  S.UnrolledWhole = isUnrolledWhole(K, L.Id);
  S.HoldsBack = holdsBack(K, L.Id);
  Loops.push_back(S);
  Middle.push_back(S.Trips / 2);
}

bool NestTrace::build() {
  if (Options.Block.count().value_or(0) <= 0)
    return false;
  for (const Loop &L : K.Loops)
    if (isInside(K, L.Id, Root))
      addLoop(L);
  if (LoopSlot + Loops.size() > Formula::MaxSlots)
    return false;
  std::set<unsigned> Placed = {Root};
  for (const Access &A : K.Accesses) {
    if (!isInside(K, A.Loop, Root) || A.Space != AddressSpace::Global)
      continue;
    for (unsigned L = *A.Loop; Placed.insert(L).second; L = *K.Loops[L].Parent)
      Loops[NumberOf.at(*K.Loops[L].Parent)].Items.push_back(
          {true, NumberOf.at(L)});
    if (!add(A))
      return false;
  }
  for (unsigned A = 0; A != Accesses.size(); ++A)
    Accesses[A].BankTurns = bankTurns(A);
  return true;
}

double NestTrace::bankTurns(unsigned Access) const {
  if (Accesses[Access].Irregular)
    return IrregularTurns;
  int64_t Offsets[WarpLanes];
  int64_t Block = Options.Grid.count().value_or(2) / 2;
  uint32_t Mask = lanes(Access, Block, 0, Middle, Offsets);
  std::vector<int64_t> Words;
  for (unsigned I = 0; I < WarpLanes; ++I)
    if (Mask >> I & 1)
      for (int64_t B = 0; B < int64_t(Accesses[Access].Bytes); B += BankBytes)
        Words.push_back((Offsets[I] + B) >> 2);
  llvm::sort(Words);
  Words.erase(llvm::unique(Words), Words.end());
  std::array<int, Banks> Held = {};
  for (int64_t W : Words)
    ++Held[size_t(((W % Banks) + Banks) % Banks)];
  return std::max(1, *llvm::max_element(Held));
}

uint32_t NestTrace::lanes(unsigned Access, int64_t Block, unsigned Warp,
                          llvm::ArrayRef<int64_t> Iterations,
                          int64_t *Offsets) const {
  std::array<int64_t, Formula::MaxSlots> V = {};
  const Shape &B = Options.Block, &G = Options.Grid;
  int64_t GX = G.X.value_or(1 << 16), GY = G.Y.value_or(1 << 16);
  Block %= std::max<int64_t>(1, G.count().value_or(INT64_MAX));
  V[BlockSlot] = Block % GX;
  V[BlockSlot + 1] = Block / GX % GY;
  V[BlockSlot + 2] = Block / GX / GY;
  int64_t Threads = *B.count();
  const Reference &R = Compiled[Access];
  uint32_t Mask = 0;
  for (unsigned I = 0; I < WarpLanes; ++I) {
    int64_t T = int64_t(Warp) * WarpLanes + I;
    if (T >= Threads)
      break;
    V[0] = T % *B.X;
    V[1] = T / *B.X % *B.Y;
    V[2] = T / *B.X / *B.Y;
    bool Holds = true;
    if (!R.Guards.empty()) {
      for (size_t L = 0; L < Middle.size(); ++L)
        V[LoopSlot + L] = Middle[L];
      Holds = llvm::all_of(R.Guards,
                           [&](const Formula &F) { return F(V.data()) >= 0; });
    }
    if (!Holds)
      continue;
    for (size_t L = 0; L < Iterations.size(); ++L)
      V[LoopSlot + L] = Iterations[L];
    Offsets[I] = R.Offset(V.data());
    Mask |= 1u << I;
  }
  return Mask;
}

} // namespace

std::unique_ptr<SimulatedNest> traceOf(const Kernel &K, unsigned Loop,
                                       const FootprintOptions &Options) {
  auto Trace = std::make_unique<NestTrace>(K, Loop, Options);
  if (!Trace->build())
    return nullptr;
  return Trace;
}

} // namespace catt
