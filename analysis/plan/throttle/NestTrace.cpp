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
  /// Root: absent, all of the kernel.
  NestTrace(const Kernel &K, std::optional<unsigned> Root,
            const FootprintOptions &Options)
      : K(K), Root(Root), Options(Options) {}

  bool build();

  uint32_t lanes(unsigned Access, int64_t Block, unsigned Warp,
                 llvm::ArrayRef<int64_t> Iterations,
                 int64_t *Offsets) const override;
  std::optional<int64_t> stride(unsigned Access, unsigned Loop) const override {
    const Formula &F = Compiled[Access].Offset;
    if (Accesses[Access].Irregular)
      return 0;
    if (const Reference &R = Compiled[Access]; R.Step) {
      if (llvm::is_contained(R.Around, Loop))
        return std::nullopt;
      return R.Step->Loop == Loop ? R.Step->Bytes : 0;
    }
    if (!F.isLinearIn(LoopSlot + Loop))
      return std::nullopt;
    return F.stride(LoopSlot + Loop);
  }

private:
  struct Reference {
    Formula Offset;
    std::vector<Formula> Guards;
    /// Of a row that begins where data says: each lane's begins somewhere, in
    /// each iteration of the loops around.
    std::optional<RowStep> Step; ///< Loop: in Loops
    std::vector<unsigned> Around;
  };
  const Kernel &K;
  std::optional<unsigned> Root;
  const FootprintOptions &Options;
  std::vector<Reference> Compiled;       ///< of each of Accesses
  std::vector<const Access *> Added;     ///< the same
  std::map<unsigned, unsigned> NumberOf; ///< Loop::Id -> in Loops
  std::map<unsigned, Representative> Known;
  std::vector<int64_t> Middle; ///< iterations at which guards are looked at

  /// 0: around all of them.
  unsigned numberOf(std::optional<unsigned> Loop) const {
    auto At = Loop ? NumberOf.find(*Loop) : NumberOf.end();
    return At == NumberOf.end() ? 0 : At->second;
  }

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
    return K.Loops[Loop].Parent ? UnknownTrips : UnknownOutermost;
  }
  std::optional<Formula> compile(const AffineIndex &Index, bool IsGuard);
  bool leavesItsLoop(const Access &A) const;
  bool isForwarded(const Access &A) const;
  bool isShared(const Access &A) const;
  bool joins(const Access &A);
  bool walksRow(const Access &A, Reference &R) const;
  int64_t rowOf(const Reference &R, int64_t Thread,
                llvm::ArrayRef<int64_t> Iterations) const;
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
  Kept = Kept.substitute([&](const Atom &A) -> std::optional<AffineIndex> {
    if (A.K != Kind::Iterator || NumberOf.count(A.Id) || !Root)
      return std::nullopt;
    const std::map<unsigned, int64_t> &Around = standsFor(*Root).Iteration;
    auto At = Around.find(A.Id);
    return AffineIndex(At == Around.end() ? 0 : At->second);
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
  return A.Offset && A.Loop && isInnermost(K, *A.Loop) && !A.Atomic &&
         !A.Volatile && !Loops[NumberOf.at(*A.Loop)].HoldsBack &&
         !A.Offset->mentionsIterator(*A.Loop);
}

/// What an iteration stored is still in a register in the next one: nothing
/// else is stored in between, and the loop does not move it.
bool NestTrace::isForwarded(const Access &A) const {
  return A.Reads && A.Writes && A.Offset && A.Loop && !A.Atomic &&
         !A.Volatile && isInnermost(K, *A.Loop) &&
         !A.Offset->mentionsIterator(*A.Loop) &&
         llvm::none_of(K.Accesses, [&](const Access &Other) {
           return &Other != &A && Other.Loop == A.Loop && Other.Writes;
         });
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

/// What was added touches the same, or other members of an object that is
/// aligned so that one instruction loads or stores them all.
bool NestTrace::joins(const Access &A) {
  for (unsigned I = 0; I != Added.size(); ++I) {
    const Access &Earlier = *Added[I];
    if (!A.Offset || !Earlier.Offset || Earlier.BaseId != A.BaseId ||
        Earlier.Loop != A.Loop)
      continue;
    const std::optional<int64_t> Apart =
        (*A.Offset - *Earlier.Offset).constant();
    SimulatedAccess &To = Accesses[I];
    if (Apart == 0) {
      To.Loads |= A.Reads && A.ThroughL1;
      To.Stores |= A.Writes;
      return true;
    }
    const bool IsMember = Apart && A.Alignment == Earlier.Alignment &&
                          std::abs(*Apart) < int64_t(A.Alignment) &&
                          A.Reads == Earlier.Reads &&
                          A.Writes == Earlier.Writes;
    if (IsMember) {
      const int64_t End = std::max<int64_t>(To.Bytes, *Apart + A.SizeBytes);
      To.Bytes = unsigned(
          std::min<int64_t>(End - std::min<int64_t>(0, *Apart), A.Alignment));
      if (*Apart > 0)
        return true;
      std::optional<Formula> First = compile(*A.Offset, /*IsGuard=*/false);
      if (!First)
        return false;
      Added[I] = &A;
      Compiled[I].Offset = std::move(*First);
      return true;
    }
  }
  return false;
}

/// Where data says where the row of a reference begins, it may be known how a
/// loop walks it.
bool NestTrace::walksRow(const Access &A, Reference &R) const {
  if (A.Offset || !A.Step || !NumberOf.count(A.Step->Loop))
    return false;
  R.Step = {NumberOf.at(A.Step->Loop), A.Step->Bytes};
  for (auto L = K.Loops[A.Step->Loop].Parent; L; L = K.Loops[*L].Parent)
    if (NumberOf.count(*L))
      R.Around.push_back(NumberOf.at(*L));
  return true;
}

bool NestTrace::add(const Access &A) {
  if (leavesItsLoop(A) || (A.Reads && !A.ThroughL1 && !A.Writes) || joins(A))
    return true;
  SimulatedAccess S;
  S.Base = A.BaseId;
  S.Loads = A.Reads && A.ThroughL1 && !isForwarded(A);
  S.Stores = A.Writes;
  S.Bytes = A.SizeBytes;
  Reference R;
  S.Irregular = !walksRow(A, R) && !A.Offset;
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
  Loops[numberOf(A.Loop)].Items.push_back({false, unsigned(Added.size())});
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
  auto IsPart = [&](std::optional<unsigned> L) {
    return !Root || isInside(K, L, *Root);
  };
  Loops.emplace_back().Trips = 1;
  Middle.push_back(0);
  for (const Loop &L : K.Loops)
    if (IsPart(L.Id))
      addLoop(L);
  if (LoopSlot + Loops.size() > Formula::MaxSlots)
    return false;
  std::set<unsigned> Placed;
  for (const Access &A : K.Accesses) {
    if (!IsPart(A.Loop) || A.Space != AddressSpace::Global)
      continue;
    if (A.Atomic)
      return false;
    for (std::optional<unsigned> L = A.Loop;
         L && IsPart(L) && Placed.insert(*L).second; L = K.Loops[*L].Parent)
      Loops[numberOf(K.Loops[*L].Parent)].Items.push_back(
          {true, NumberOf.at(*L)});
    if (!add(A))
      return false;
  }
  for (unsigned A = 0; A != Accesses.size(); ++A)
    Accesses[A].BankTurns = bankTurns(A);
  return true;
}

double NestTrace::bankTurns(unsigned Access) const {
  if (Accesses[Access].Irregular || Compiled[Access].Step)
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

/// The row begins somewhere in 1 GiB (splitmix64, Steele et al. 2014).
int64_t NestTrace::rowOf(const Reference &R, int64_t Thread,
                         llvm::ArrayRef<int64_t> Iterations) const {
  uint64_t Z = uint64_t(Thread + 1);
  for (unsigned L : R.Around)
    Z = Z << 16 ^ Z >> 48 ^ uint64_t(Iterations[L]);
  Z *= 0x9e3779b97f4a7c15u;
  Z = (Z ^ Z >> 30) * 0xbf58476d1ce4e5b9u;
  Z = (Z ^ Z >> 27) * 0x94d049bb133111ebu;
  const int64_t Begins = int64_t((Z ^ Z >> 31) >> 34) & -BankBytes;
  return Begins + R.Step->Bytes * Iterations[R.Step->Loop];
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
    Offsets[I] =
        R.Step ? rowOf(R, Block * Threads + T, Iterations) : R.Offset(V.data());
    Mask |= 1u << I;
  }
  return Mask;
}

} // namespace

std::unique_ptr<SimulatedNest> traceOf(const Kernel &K,
                                       std::optional<unsigned> Loop,
                                       const FootprintOptions &Options) {
  auto Trace = std::make_unique<NestTrace>(K, Loop, Options);
  if (!Trace->build())
    return nullptr;
  return Trace;
}

std::vector<std::optional<unsigned>> partsToSimulate(const Kernel &K,
                                                     const SimulatedNest *All,
                                                     const SimulatedRun &Run) {
  if (All && runsWhole(*All, Run))
    return {std::nullopt};
  std::vector<std::optional<unsigned>> Out;
  for (const Loop &L : K.Loops)
    if (!L.Parent)
      Out.push_back(L.Id);
  return Out;
}

bool dataDecides(const Kernel &K, const SimulatedNest &Nest) {
  return llvm::any_of(K.Loops, [](const Loop &L) { return L.MayExitEarly; }) ||
         llvm::any_of(Nest.Accesses,
                      [](const SimulatedAccess &A) { return A.Irregular; });
}

} // namespace catt
