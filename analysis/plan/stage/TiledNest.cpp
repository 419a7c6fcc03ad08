//===- TiledNest.cpp - A loop nest whose rows are in tiles ----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/stage/TiledNest.h"
#include "analysis/nest/Nest.h"
#include "analysis/plan/stage/LongRows.h"
#include "analysis/plan/stage/TileLayout.h"
#include "analysis/plan/throttle/NestTrace.h"
#include "analysis/plan/throttle/SecondOpinion.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace catt {
namespace {

/// Loops: those of the nest, the first one around it, and behind them those
/// that were added. Accesses: those of the nest without what is in tiles, and
/// behind them what was added.
class TiledNest : public SimulatedNest {
public:
  /// False: where a row lies is not known.
  bool build(const Setting &S, const Stages &Found,
             std::optional<unsigned> Root);

  uint32_t lanes(unsigned Access, int64_t Block, unsigned Warp,
                 llvm::ArrayRef<int64_t> Iterations,
                 int64_t *Offsets) const override;
  std::optional<int64_t> stride(unsigned Access, unsigned Loop) const override;

private:
  /// The part of a row that a tile has.
  struct Row {
    std::unique_ptr<const Kernel> Alone;  ///< with its first element alone
    std::unique_ptr<SimulatedNest> Trace; ///< of that
    int64_t Bytes = 0;                    ///< of a tile
    int64_t LaneBytes = 0;                ///< that a lane loads at a time
  };
  /// An access that was added: a load of a tile, or one of shared memory.
  struct Added {
    std::optional<unsigned> Row; ///< absent: each warp's own line
    int64_t First = 0;           ///< its lane 0: so many loads into the tile
  };
  /// A loop of the nest that runs inside one over tiles.
  struct Tiled {
    unsigned Loop = 0, Tiles = 0; ///< in Loops
    int64_t Iterations = 0;       ///< of a tile
  };

  std::unique_ptr<const Kernel> With; ///< without what is in tiles
  std::unique_ptr<SimulatedNest> Rest;
  std::vector<Row> Rows;
  std::vector<Added> AddedAccesses;
  std::vector<Tiled> TiledLoops;
  std::vector<unsigned> Ids; ///< of the nest's loops: Loop::Id

  unsigned place(unsigned Id) const {
    return 1 + unsigned(llvm::find(Ids, Id) - Ids.begin());
  }
  /// Of one that stands in no loop of the nest: the one around it.
  unsigned placeOrFirst(std::optional<unsigned> Id) const {
    return Id && llvm::is_contained(Ids, *Id) ? place(*Id) : 0;
  }
  bool add(const Setting &S, const LoopVersion &V,
           std::optional<unsigned> Root);
  unsigned addLoop(int64_t Trips) {
    Loops.emplace_back().Trips = Trips;
    return unsigned(Loops.size()) - 1;
  }
  unsigned addAccess(SimulatedAccess Access, const Added &How) {
    Accesses.push_back(Access);
    AddedAccesses.push_back(How);
    return unsigned(Accesses.size()) - 1;
  }
  /// Where a loop stands.
  std::pair<unsigned, size_t> standsIn(unsigned Loop) const;
  /// The iterations of the nest's own loops, the outermost first.
  std::vector<int64_t> ownOf(llvm::ArrayRef<int64_t> Iterations) const;
};

std::pair<unsigned, size_t> TiledNest::standsIn(unsigned Loop) const {
  for (const auto &[I, Each] : llvm::enumerate(Loops))
    for (const auto &[At, Item] : llvm::enumerate(Each.Items))
      if (Item.IsLoop && Item.Index == Loop)
        return {unsigned(I), At};
  llvm_unreachable("the outermost loop stands in none");
}

std::vector<int64_t>
TiledNest::ownOf(llvm::ArrayRef<int64_t> Iterations) const {
  std::vector<int64_t> Own(Iterations.take_front(1 + Ids.size()).vec());
  for (const Tiled &T : TiledLoops)
    Own[T.Loop] += Iterations[T.Tiles] * T.Iterations;
  return Own;
}

/// The kernel with one access alone, which nothing keeps from its loop.
Kernel alone(const Kernel &K, size_t Access) {
  Kernel One = K;
  One.Accesses = {K.Accesses[Access]};
  One.Accesses.front().ThroughL1 = true;
  One.Accesses.front().Reads = true;
  return One;
}

bool TiledNest::add(const Setting &S, const LoopVersion &V,
                    std::optional<unsigned> Root) {
  const RowLoop &Its = S.K.RowLoops[V.Rows];
  const unsigned Walk = place(walkerOf(Its, Its.Reads[V.Reads.front()]));
  const bool Stays = walkInside(Its, V).has_value();
  const unsigned Fetch = addLoop(1), Back = addLoop(1);
  Loops[Fetch].UnrolledWhole = Loops[Back].UnrolledWhole = true;
  for (unsigned R : V.Reads) {
    const RowRead &Read = Its.Reads[R];
    Row &New = Rows.emplace_back();
    New.Alone = std::make_unique<const Kernel>(alone(S.K, Read.Access));
    New.Trace = traceOf(*New.Alone, Root, S.Footprint);
    if (!New.Trace || New.Trace->Accesses.empty() ||
        New.Trace->Accesses.front().Irregular)
      return false;
    New.LaneBytes = std::max(WordBytes, Read.ElementBytes);
    New.Bytes = std::max(V.Columns * Read.ElementBytes, New.LaneBytes);
    SimulatedAccess Access = New.Trace->Accesses.front();
    Access.Bytes = unsigned(New.LaneBytes);
    Access.BankTurns = 1;
    const int64_t Loads = New.Bytes / New.LaneBytes; // of 32 lanes
    for (int64_t L = 0; L != Loads; ++L) {
      const Added How = {unsigned(Rows.size()) - 1, L * WarpLanes};
      Access.Loads = true, Access.Stores = false;
      if (Read.IsRead)
        Loops[Fetch].Items.push_back({false, addAccess(Access, How)});
      Access.Loads = false, Access.Stores = true;
      if (Read.IsWritten)
        Loops[Back].Items.push_back({false, addAccess(Access, How)});
    }
    SimulatedAccess Shared;
    Shared.Base = ~0u - unsigned(Rows.size());
    Shared.IsShared = true;
    Loops[Walk].Items.push_back({false, addAccess(Shared, {})});
  }
  const unsigned Around = Stays ? place(Its.Loop) : Walk;
  const auto [Outer, At] = standsIn(Around);
  if (Stays) {
    std::vector<SimulatedLoop::Item> &Items = Loops[Outer].Items;
    Items.insert(Items.begin() + std::ptrdiff_t(At), {true, Fetch});
    Items.insert(Items.begin() + std::ptrdiff_t(At) + 2, {true, Back});
    return true;
  }
  Tiled T;
  T.Loop = Walk;
  const int64_t Trips = Loops[Walk].Trips;
  T.Iterations = std::clamp<int64_t>(V.Columns / Its.StepSize, 1,
                                     std::max<int64_t>(1, Trips));
  T.Tiles = addLoop(int64_t(llvm::divideCeil(Trips, T.Iterations)));
  Loops[Outer].Items[At].Index = T.Tiles;
  Loops[T.Tiles].Items = {{true, Fetch}, {true, Walk}, {true, Back}};
  Loops[Walk].Trips = T.Iterations;
  TiledLoops.push_back(T);
  return true;
}

bool TiledNest::build(const Setting &S, const Stages &Found,
                      std::optional<unsigned> Root) {
  With = std::make_unique<const Kernel>(withStages(S.K, Found));
  Rest = traceOf(*With, Root, S.Footprint);
  if (!Rest)
    return false;
  auto IsPart = [&](unsigned L) { return !Root || isInside(S.K, L, *Root); };
  for (const Loop &L : S.K.Loops)
    if (IsPart(L.Id))
      Ids.push_back(L.Id);
  Loops = Rest->Loops;
  // A loop all of whose accesses are in tiles stands nowhere any more.
  for (unsigned L = 1; L < Loops.size(); ++L)
    if (llvm::none_of(Loops, [&](const SimulatedLoop &Each) {
          return llvm::any_of(Each.Items, [&](const SimulatedLoop::Item &Item) {
            return Item.IsLoop && Item.Index == L;
          });
        }))
      Loops[placeOrFirst(S.K.Loops[Ids[L - 1]].Parent)].Items.push_back(
          {true, L});
  Accesses = Rest->Accesses;
  return llvm::all_of(Found.Loops, [&](const LoopVersion &V) {
    return V.Reads.empty() || !IsPart(S.K.RowLoops[V.Rows].Loop) ||
           add(S, V, Root);
  });
}

uint32_t TiledNest::lanes(unsigned Access, int64_t Block, unsigned Warp,
                          llvm::ArrayRef<int64_t> Iterations,
                          int64_t *Offsets) const {
  const std::vector<int64_t> Own = ownOf(Iterations);
  if (Access < Rest->Accesses.size())
    return Rest->lanes(Access, Block, Warp, Own, Offsets);
  const Added &How = AddedAccesses[Access - Rest->Accesses.size()];
  if (!How.Row) {
    for (unsigned Lane = 0; Lane != WarpLanes; ++Lane)
      Offsets[Lane] =
          (Block * 32 + Warp) * LineBytes + int64_t(Lane) * WordBytes;
    return ~0u;
  }
  const Row &R = Rows[*How.Row];
  int64_t Starts[WarpLanes];
  const uint32_t There = R.Trace->lanes(0, Block, Warp, Own, Starts);
  uint32_t Mask = 0;
  for (unsigned Lane = 0; Lane != WarpLanes; ++Lane) {
    const int64_t At = (How.First + Lane) * R.LaneBytes;
    const unsigned Of = unsigned(At / R.Bytes);
    if (!(There >> Of & 1))
      continue;
    Offsets[Lane] = Starts[Of] + At % R.Bytes;
    Mask |= 1u << Lane;
  }
  return Mask;
}

std::optional<int64_t> TiledNest::stride(unsigned Access, unsigned Loop) const {
  auto Own = [&](unsigned Of) -> std::optional<int64_t> {
    if (Access < Rest->Accesses.size())
      return Rest->stride(Access, Of);
    const std::optional<unsigned> Row =
        AddedAccesses[Access - Rest->Accesses.size()].Row;
    return Row ? Rows[*Row].Trace->stride(0, Of) : 0;
  };
  for (const Tiled &T : TiledLoops)
    if (Loop == T.Tiles) {
      const std::optional<int64_t> Each = Own(T.Loop);
      return Each ? std::optional(*Each * T.Iterations) : std::nullopt;
    }
  return Loop >= 1 && Loop <= Ids.size() ? Own(Loop) : 0;
}

/// All warps of a block at a time.
Candidate undivided(const Residency &Runs) {
  Candidate C;
  C.WarpsPerGroup = Runs.WarpsPerBlock;
  C.BlocksPerSM = Runs.BlocksPerSM;
  C.L1Bytes = Runs.L1Bytes;
  return C;
}
} // namespace

std::optional<double> gainByTiles(const Setting &S, const Stages &Found,
                                  const Residency &After) {
  const std::unique_ptr<SimulatedNest> All =
      S.Throttle.Gpu.SMs ? traceOf(S.K, std::nullopt, S.Footprint) : nullptr;
  if (!All || dataDecides(S.K, *All))
    return std::nullopt;
  double As = 0, With = 0;
  for (const std::optional<unsigned> &Root : partsToSimulate(
           S.K, All.get(), simulatedRun(undivided(S.Before), S.Throttle))) {
    const std::unique_ptr<SimulatedNest> Nest = traceOf(S.K, Root, S.Footprint);
    TiledNest Tiles;
    if (!Nest || !Tiles.build(S, Found, Root))
      return std::nullopt;
    As += simulatedCycles(*Nest, undivided(S.Before), S.Throttle);
    With += simulatedCycles(Tiles, undivided(After), S.Throttle);
  }
  return As > 0 && With > 0 ? std::optional(As / With) : std::nullopt;
}

} // namespace catt
