//===- L1Simulation.cpp - Warps that take turns at one L1 -----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/time/L1Simulation.h"
#include "analysis/model/Facts.h"
#include "analysis/time/SimulatedMemory.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <queue>
#include <tuple>

namespace catt {

SimulatedNest::~SimulatedNest() = default;

namespace {

bool isInnermost(const SimulatedLoop &L) {
  return llvm::none_of(L.Items, [](auto &Item) { return Item.IsLoop; });
}

/// Accesses that a warp executes, in all its iterations of the loop.
double accessesOf(const SimulatedNest &N, unsigned Loop) {
  double Once = 0;
  for (const SimulatedLoop::Item &I : N.Loops[Loop].Items)
    Once += I.IsLoop ? accessesOf(N, I.Index)
                     : N.Accesses[I.Index].Loads + N.Accesses[I.Index].Stores;
  return Once * double(N.Loops[Loop].Trips);
}

/// Where a warp is in the nest.
struct Warp {
  size_t Slot = 0;
  int64_t Block = 0;
  unsigned Index = 0;
  std::vector<int64_t> Iteration;                  ///< of each loop
  std::vector<std::pair<unsigned, unsigned>> Open; ///< loops, the item in each
  std::vector<int64_t> Offsets; ///< of each access's lanes, iterations 0
  std::vector<uint32_t> Lanes;  ///< that take part, for each access
  int64_t InBatch = 0;          ///< items of the batch that are done
  bool Storing = false;         ///< the loads are done
  double There = 0;             ///< when all that was loaded is
  double Done = 0;              ///< accesses
};

class Simulation {
public:
  Simulation(const SimulatedNest &N, const SimulatedRun &Run,
             const SimulationRates &R)
      : N(N), Run(Run), R(R), L1(Run, R), PerWarp(accessesOf(N, 0)) {
    for (unsigned A = 0; A != N.Accesses.size(); ++A) {
      std::vector<int64_t> &Of = Strides.emplace_back();
      IsBent.push_back(false);
      for (unsigned L = 0; L != N.Loops.size(); ++L) {
        std::optional<int64_t> Stride = N.stride(A, L);
        IsBent[A] = IsBent[A] || !Stride;
        Of.push_back(Stride.value_or(0));
      }
    }
  }

  SimulatedCost run();

private:
  struct Slot {
    int64_t Block = 0, Group = 0, Running = 0;
    double Until = 0;
  };
  using Turn = std::pair<double, size_t>; ///< from when on, warp

  const SimulatedNest &N;
  const SimulatedRun &Run;
  const SimulationRates &R;
  SimulatedMemory L1;
  const double PerWarp; ///< accesses
  std::vector<std::vector<int64_t>> Strides;
  std::vector<bool> IsBent; ///< its strides are no numbers
  std::vector<Warp> Warps;
  std::vector<Slot> Slots;
  EarliestFirst<Turn> Turns;
  int64_t Started = 0, Blocks = 0;
  uint64_t Accesses = 0;
  double PortFree = 0;

  void start(Warp &W, int64_t Block, unsigned Index);
  void startGroup(size_t S, double Time);
  void startBlock(size_t S, double Time);
  void endOfWarp(const Warp &W, double Time);
  bool step(Warp &W, double &Time);
  void stepInBatch(Warp &W, const SimulatedLoop &L, double &Time);
  double access(Warp &W, unsigned A, double &Time, bool Store);
  SimulatedCost runWhole();
  SimulatedCost runPart(double Limit);
};

void Simulation::start(Warp &W, int64_t Block, unsigned Index) {
  size_t S = W.Slot;
  W = Warp();
  W.Slot = S;
  W.Block = Block;
  W.Index = Index;
  W.Iteration.assign(N.Loops.size(), 0);
  W.Open.assign(1, {0, 0});
  W.Offsets.resize(N.Accesses.size() * WarpLanes);
  for (unsigned A = 0; A != N.Accesses.size(); ++A)
    W.Lanes.push_back(N.Accesses[A].Irregular
                          ? ~0u
                          : N.lanes(A, Block, Index, W.Iteration,
                                    &W.Offsets[size_t(A) * WarpLanes]));
}

/// One load or store at the port; when it is done. Time becomes when it was
/// issued.
double Simulation::access(Warp &W, unsigned A, double &Time, bool Store) {
  const SimulatedAccess &Ref = N.Accesses[A];
  ++Accesses;
  ++L1.Cost.Accesses;
  ++W.Done;
  std::array<int64_t, WarpLanes> Own;
  const int64_t *Offsets = &W.Offsets[size_t(A) * WarpLanes];
  uint32_t Lanes = W.Lanes[A];
  int64_t Moved = 0;
  if (IsBent[A]) {
    Lanes = N.lanes(A, W.Block, W.Index, W.Iteration, Own.data());
    Offsets = Own.data();
  } else {
    for (auto [Stride, Iteration] : llvm::zip_equal(Strides[A], W.Iteration))
      Moved += Stride * Iteration;
  }
  double Start = std::max(Time, PortFree), There = Start;
  int64_t LastSector = INT64_MIN, LinesTouched = 0;
  for (int64_t Lane = 0; Lane != WarpLanes; ++Lane) {
    if (!(Lanes >> Lane & 1))
      continue;
    int64_t Byte =
        Ref.Irregular ? int64_t(L1.draw() >> 30) : Offsets[Lane] + Moved;
    int64_t Last = (Byte + Ref.Bytes - 1) >> 5;
    for (int64_t Sector = Byte >> 5; Sector <= Last; ++Sector) {
      if (Sector == LastSector)
        continue;
      LastSector = Sector;
      uint32_t Line = L1.find(Ref.Base, Sector >> 2);
      LinesTouched += L1.touch(Line, Accesses);
      if (Store)
        L1.store(Line, unsigned(Sector & 3), Start);
      else
        There = std::max(There, L1.load(Line, unsigned(Sector & 3), Start,
                                        !Ref.IsShared && !Ref.Irregular));
    }
  }
  if (Lanes == 0)
    return Time;
  Time = Start;
  double Takes = R.Issue + R.Line * double(LinesTouched - 1) +
                 R.Bank * (Ref.BankTurns - 1);
  PortFree = std::max(PortFree, Start + Takes);
  return There + Takes;
}

/// The loads of some iterations, a wait, their stores.
void Simulation::stepInBatch(Warp &W, const SimulatedLoop &L, double &Time) {
  int64_t &Iteration = W.Iteration[W.Open.back().first];
  const int64_t First = Iteration, Size = int64_t(L.Items.size());
  const int64_t Wanted = L.HoldsBack       ? 1
                         : L.UnrolledWhole ? L.Trips
                                           : int64_t(R.Unroll);
  const int64_t Count = std::clamp<int64_t>(Wanted, 1, L.Trips - First);
  double InARow = 0;
  while (W.InBatch != Count * Size) {
    const int64_t At = W.InBatch++;
    unsigned A = L.Items[size_t(At % Size)].Index;
    if (W.Storing ? !N.Accesses[A].Stores : !N.Accesses[A].Loads)
      continue;
    Iteration = First + At / Size;
    double There = access(W, A, Time, W.Storing);
    Iteration = First;
    W.There = std::max(W.There, There);
    Time += R.Issue;
    if (++InARow >= R.InARow)
      return;
  }
  W.InBatch = 0;
  if (!W.Storing)
    Time = std::max(Time, W.There) + R.Operation * L.Operations * double(Count);
  else
    Iteration = First + Count;
  W.There = 0;
  W.Storing = !W.Storing;
}

/// The warp's next access or wait; Time becomes when it can go on. False: it
/// had ended.
bool Simulation::step(Warp &W, double &Time) {
  while (!W.Open.empty()) {
    auto &[Loop, Item] = W.Open.back();
    const SimulatedLoop &L = N.Loops[Loop];
    int64_t &Iteration = W.Iteration[Loop];
    if (Iteration >= L.Trips || L.Items.empty()) {
      Iteration = 0;
      W.Open.pop_back();
      continue;
    }
    if (isInnermost(L)) {
      stepInBatch(W, L, Time);
      return true;
    }
    if (Item == L.Items.size()) {
      Item = 0;
      ++Iteration;
      continue;
    }
    const SimulatedLoop::Item At = L.Items[Item];
    if (At.IsLoop) {
      ++Item;
      W.Open.push_back({At.Index, 0});
      continue;
    }
    const SimulatedAccess &Ref = N.Accesses[At.Index];
    const bool Store = W.Storing || !Ref.Loads;
    const double There = access(W, At.Index, Time, Store);
    Time = std::max(Time, There);
    W.Storing = !Store && Ref.Stores;
    Item += !W.Storing;
    return true;
  }
  return false;
}

void Simulation::startGroup(size_t S, double Time) {
  Slot &At = Slots[S];
  const int64_t First = At.Group * Run.WarpsPerGroup;
  const int64_t End = std::min(Run.WarpsPerBlock, First + Run.WarpsPerGroup);
  At.Running = End - First;
  for (int64_t I = First; I != End; ++I) {
    size_t Id = S * size_t(Run.WarpsPerGroup) + size_t(I - First);
    Warps[Id].Slot = S;
    start(Warps[Id], At.Block, unsigned(I));
    Turns.emplace(Time, Id);
  }
}

void Simulation::startBlock(size_t S, double Time) {
  if (Started == Blocks)
    return;
  Slots[S] = {Started++ * Run.SMs, 0, 0, 0};
  startGroup(S, Time);
}

void Simulation::endOfWarp(const Warp &W, double Time) {
  Slot &At = Slots[W.Slot];
  At.Until = std::max(At.Until, Time);
  if (--At.Running != 0)
    return;
  const bool IsDivided = Run.WarpsPerGroup < Run.WarpsPerBlock;
  const double Then = At.Until + R.Barrier * IsDivided;
  if (++At.Group * Run.WarpsPerGroup < Run.WarpsPerBlock)
    startGroup(W.Slot, Then);
  else
    startBlock(W.Slot, Then);
}

SimulatedCost Simulation::runWhole() {
  double End = 0;
  while (!Turns.empty()) {
    auto [Time, Id] = Turns.top();
    Turns.pop();
    if (step(Warps[Id], Time)) {
      Turns.emplace(Time, Id);
      continue;
    }
    End = std::max(End, Time);
    endOfWarp(Warps[Id], Time);
  }
  L1.Cost.CyclesPerWarp = End / double(Blocks * Run.WarpsPerBlock);
  return L1.Cost;
}

/// Begin, and the rest of the accesses as those of Steady.
SimulatedCost extrapolated(const SimulatedCost &Begin,
                           const SimulatedCost &Steady, double Accesses) {
  const double Times =
      std::max(0.0, Accesses - Begin.Accesses) / std::max(1.0, Steady.Accesses);
  SimulatedCost Out;
  for (double SimulatedCost::*Each :
       {&SimulatedCost::SectorsLoaded, &SimulatedCost::SectorsHit,
        &SimulatedCost::SectorsFromDram, &SimulatedCost::SectorsStored,
        &SimulatedCost::Accesses})
    Out.*Each = Begin.*Each + Times * Steady.*Each;
  return Out;
}

/// The first accesses of each warp of the first groups. The second half of them
/// runs on what the first left in L1, and stands for all that follow.
SimulatedCost Simulation::runPart(double Limit) {
  const double All = Limit * double(Warps.size());
  double Executed = 0, Half = 0, HalfAt = 0;
  double Time = 0;
  SimulatedCost Begin;
  while (!Turns.empty() && Executed < 0.95 * All) {
    size_t Id;
    std::tie(Time, Id) = Turns.top();
    Turns.pop();
    double Before = Warps[Id].Done, Next = Time;
    if (step(Warps[Id], Next) && Warps[Id].Done < Limit)
      Turns.emplace(Next, Id);
    Executed += Warps[Id].Done - Before;
    if (Half == 0 && Executed >= All / 2) {
      Half = Executed;
      HalfAt = Time;
      Begin = std::exchange(L1.Cost, SimulatedCost());
    }
  }
  const double Each = (Time - HalfAt) / std::max(1.0, Executed - Half);
  const double StartUp = std::max(0.0, HalfAt - Each * Half) +
                         R.Barrier * (Run.WarpsPerGroup < Run.WarpsPerBlock);
  SimulatedCost Out =
      extrapolated(Begin, L1.Cost, PerWarp * double(Warps.size()));
  Out.CyclesPerWarp = Each * PerWarp + StartUp / double(Warps.size());
  return Out;
}

/// How many blocks of a run come to an SM, and how many are there at a time.
struct BlocksOfSM {
  int64_t Come = 0, Places = 0;

  explicit BlocksOfSM(const SimulatedRun &Run)
      : Come(3 * Run.BlocksPerSM), Places(Run.BlocksPerSM) {
    if (Run.GridBlocks)
      Come = std::min(Come, (*Run.GridBlocks + Run.SMs - 1) / Run.SMs);
    Places = std::min(Places, Come);
  }
};

double lanesOfBlock(const SimulatedNest &N, const SimulatedRun &Run) {
  return accessesOf(N, 0) * double(Run.WarpsPerBlock * WarpLanes);
}

SimulatedCost Simulation::run() {
  if (PerWarp == 0)
    return {};
  const BlocksOfSM Of(Run);
  Slots.resize(size_t(Of.Places));
  Warps.resize(size_t(Of.Places * Run.WarpsPerGroup));
  const bool IsWhole = runsWhole(N, Run);
  Blocks = IsWhole
               ? std::min(Of.Come, int64_t(Run.Budget / lanesOfBlock(N, Run)))
               : Of.Places;
  for (size_t S = 0; S != Slots.size(); ++S)
    startBlock(S, 0);
  SimulatedCost Out =
      IsWhole ? runWhole()
              : runPart(std::min(
                    PerWarp, Run.Budget / double(Warps.size() * WarpLanes)));
  Out.AccessesPerWarp = PerWarp;
  return Out;
}

} // namespace

bool runsWhole(const SimulatedNest &Nest, const SimulatedRun &Run) {
  const BlocksOfSM Of(Run);
  return Run.Budget >=
         lanesOfBlock(Nest, Run) * double(std::min(Of.Come, 2 * Of.Places));
}

SimulatedCost simulate(const SimulatedNest &Nest, const SimulatedRun &Run,
                       const SimulationRates &Rates) {
  return Nest.Loops.empty() ? SimulatedCost()
                            : Simulation(Nest, Run, Rates).run();
}

} // namespace catt
