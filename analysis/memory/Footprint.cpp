//===- Footprint.cpp - Cache lines that a loop touches --------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Footprint.h. The counting itself is in LineWalk; here are the choice of
// what stands for the grid, and the numbers of a level.
//
//===----------------------------------------------------------------------===//
#include "analysis/memory/Footprint.h"
#include "analysis/memory/LineWalk.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <limits>
#include <tuple>

namespace catt {

using Kind = Atom::Kind;

//===-- What stands for the grid -----------------------------------------===//

/// Calls the function with the coordinates of each thread of the block.
static void
forEachThread(const Shape &Block,
              llvm::function_ref<void(const std::array<int64_t, 3> &)> Do) {
  for (int64_t Z = 0; Z != *Block.Z; ++Z)
    for (int64_t Y = 0; Y != *Block.Y; ++Y)
      for (int64_t X = 0; X != *Block.X; ++X)
        Do({X, Y, Z});
}

static std::optional<unsigned> threadSlot(const Atom &A) {
  if (A.K == Kind::ThreadIdx)
    return static_cast<unsigned>(A.Dim);
  return std::nullopt;
}

/// The index as a function of the thread, at the block and the iterations
/// (others count as their first); std::nullopt if something is unknown.
static std::optional<Formula> ofThread(const AffineIndex &Index,
                                       const Representative &Rep,
                                       const FootprintOptions &Options) {
  AffineIndex Known =
      underLaunch(Index, Options)
          .substitute([&](const Atom &A) -> std::optional<AffineIndex> {
            if (A.K == Kind::BlockIdx)
              return AffineIndex(Rep.Block[static_cast<unsigned>(A.Dim)]);
            if (A.K != Kind::Iterator)
              return std::nullopt;
            auto At = Rep.Iteration.find(A.Id);
            return AffineIndex(At == Rep.Iteration.end() ? 0 : At->second);
          });
  std::optional<Formula> Result = Formula::compile(Known, threadSlot);
  const Shape &B = Options.Block;
  if (Result && Result->range({{0, *B.X - 1}, {0, *B.Y - 1}, {0, *B.Z - 1}}))
    return Result;
  return std::nullopt;
}

/// Fills in iterations and trip counts of the loop and those around it.
static void chooseIterations(const Kernel &K, unsigned LoopId,
                             const FootprintOptions &Options,
                             Representative &Rep) {
  if (K.Loops[LoopId].Parent)
    chooseIterations(K, *K.Loops[LoopId].Parent, Options, Rep);
  Rep.Iteration[LoopId] = 1;
  if (!K.Loops[LoopId].TripCount)
    return;
  std::optional<Formula> Trip =
      ofThread(*K.Loops[LoopId].TripCount, Rep, Options);
  if (!Trip)
    return;
  int64_t Most = 0;
  Options.spend(*Options.Block.count() * Trip->cost());
  forEachThread(Options.Block, [&](const std::array<int64_t, 3> &Thread) {
    Most = std::max(Most, (*Trip)(Thread.data()));
  });
  Rep.TripCount[LoopId] = Most;
  Rep.Iteration[LoopId] = Most / 2;
}

/// How many pairs of a counted access of the loop and a thread have guards that
/// hold, as far as they are known.
static int64_t activity(const Kernel &K, unsigned LoopId,
                        const FootprintOptions &Options,
                        const Representative &Rep) {
  int64_t Active = 0;
  for (const Access &A : K.Accesses) {
    if (!isCounted(K, A, LoopId, Options))
      continue;
    std::vector<Formula> Guards;
    for (const Guard &G : A.Guards)
      if (std::optional<Formula> F = ofThread(G.Condition, Rep, Options))
        Guards.push_back(std::move(*F));
    if (Guards.empty()) {
      Active += *Options.Block.count();
      continue;
    }
    for (const Formula &G : Guards)
      Options.spend(*Options.Block.count() * G.cost());
    forEachThread(Options.Block, [&](const std::array<int64_t, 3> &Thread) {
      Active += llvm::all_of(
          Guards, [&](const Formula &G) { return G(Thread.data()) >= 0; });
    });
  }
  return Active;
}

/// The n-th candidate: middle, first, last, and the quarters of each axis.
static std::array<int64_t, 3> candidateBlock(const Shape &Grid, unsigned N) {
  std::array<int64_t, 3> Block;
  for (auto [At, Size] : llvm::zip_equal(
           Block,
           std::array<std::optional<int64_t>, 3>{Grid.X, Grid.Y, Grid.Z})) {
    const int64_t IfKnown[] = {Size.value_or(0) / 2, 0, Size.value_or(1) - 1,
                               Size.value_or(0) / 4, Size.value_or(0) * 3 / 4};
    const int64_t Otherwise[] = {1, 0, 2, 3, 4};
    At = Size ? IfKnown[N] : Otherwise[N];
  }
  return Block;
}

Representative representative(const Kernel &K, unsigned LoopId,
                              const FootprintOptions &Options) {
  constexpr unsigned Candidates = 5;
  int64_t Counted = llvm::count_if(K.Accesses, [&](const Access &A) {
    return isCounted(K, A, LoopId, Options);
  });
  Representative Best;
  int64_t Most = -1;
  for (unsigned N = 0; N != Candidates; ++N) {
    Representative Rep;
    Rep.Block = candidateBlock(Options.Grid, N);
    chooseIterations(K, LoopId, Options, Rep);
    int64_t Active = activity(K, LoopId, Options, Rep);
    if (Active > Most) {
      Best = std::move(Rep);
      Most = Active;
    }
    if (Most == Counted * *Options.Block.count())
      break;
  }
  return Best;
}

//===-- The numbers of a level -------------------------------------------===//

/// Intervals with their warps, sorted. Base by base, as these are often in
/// order from warp to warp.
using WarpIntervals = std::vector<std::pair<LineInterval, int64_t>>;

static WarpIntervals sortedIntervals(llvm::ArrayRef<LineSet> Warps) {
  WarpIntervals All;
  std::vector<size_t> Next(Warps.size(), 0);
  for (uint32_t Base = 0;; ++Base) {
    size_t Begin = All.size(), Left = 0;
    for (size_t W = 0; W != Warps.size(); ++W) {
      llvm::ArrayRef<LineInterval> Of = Warps[W].intervals();
      for (; Next[W] != Of.size() && Of[Next[W]].Base == Base; ++Next[W])
        All.emplace_back(Of[Next[W]], W);
      Left += Of.size() - Next[W];
    }
    auto Less = [](const auto &A, const auto &B) {
      return std::tie(A.first.Lo, A.second) < std::tie(B.first.Lo, B.second);
    };
    if (!std::is_sorted(All.begin() + Begin, All.end(), Less))
      std::sort(All.begin() + Begin, All.end(), Less);
    if (Left == 0)
      return All;
  }
}

/// The most lines that one of the groups [g * Size, (g + 1) * Size) of warps
/// has: in one pass over all intervals, each adds to its group what goes beyond
/// the group's last line so far.
static int64_t largestGroup(const WarpIntervals &All, int64_t Warps,
                            int64_t Size) {
  struct Group {
    int64_t Lines = 0, Last = 0;
    std::optional<uint32_t> Base;
  };
  std::vector<Group> Groups((Warps + Size - 1) / Size);
  std::vector<unsigned> GroupOf(Warps);
  for (int64_t W = 0; W != Warps; ++W)
    GroupOf[W] = W / Size;
  for (const auto &[I, Warp] : All) {
    Group &G = Groups[GroupOf[Warp]];
    int64_t From = G.Base == I.Base ? std::max(I.Lo, G.Last + 1) : I.Lo;
    if (From > I.Hi)
      continue;
    G.Lines += I.Hi - From + 1;
    G.Last = I.Hi;
    G.Base = I.Base;
  }
  int64_t Most = 0;
  for (const Group &G : Groups)
    Most = std::max(Most, G.Lines);
  return Most;
}

llvm::Expected<LineSet> linesOfBlock(LineWalk &Walk, int64_t Iteration,
                                     int64_t Granularity,
                                     LineWalk::Which Subset) {
  LineSet Block;
  if (llvm::Error E =
          Walk.add(Block, {0, Walk.warps()}, Iteration, Granularity, Subset))
    return std::move(E);
  Block.normalize();
  return Block;
}

std::pair<int64_t, int64_t> reuseWindow(uint64_t Steps, unsigned Level,
                                        const Representative &Rep,
                                        const FootprintOptions &Options) {
  int64_t First = Rep.Iteration.at(Level), Count = ReuseWindow;
  if (auto Trip = Rep.TripCount.find(Level); Trip != Rep.TripCount.end()) {
    First = std::min(First, std::max<int64_t>(Trip->second - ReuseWindow, 0));
    Count = std::min(Count, Trip->second - First);
  }
  uint64_t Affordable = Options.WalkLimit / std::max<uint64_t>(Steps, 1);
  return {First, std::min<int64_t>(Count, std::max<uint64_t>(Affordable, 2))};
}

/// The lines of Count iterations from First on, by halves, so that equal effort
/// goes into each; ends early, with part of the lines, once Reuse is true.
static llvm::Expected<LineSet> linesOfWindow(LineWalk &Walk, int64_t First,
                                             int64_t Count, bool &Reuse) {
  if (Count <= 1)
    return linesOfBlock(Walk, First, LineBytes, LineWalk::Which::Regular);
  llvm::Expected<LineSet> Lines = linesOfWindow(Walk, First, Count / 2, Reuse);
  if (!Lines || Reuse)
    return Lines;
  llvm::Expected<LineSet> More =
      linesOfWindow(Walk, First + Count / 2, Count - Count / 2, Reuse);
  if (!More || Reuse)
    return More;
  int64_t Separate = Lines->count() + More->count();
  Lines->unite(*More);
  Reuse = Lines->count() < Separate;
  return Lines;
}

static llvm::Error measure(LevelFootprint &Level, LineWalk &Walk,
                           const Representative &Rep,
                           const FootprintOptions &Options) {
  int64_t At = Rep.Iteration.at(Level.Loop);
  int64_t Count = Walk.warps();
  std::vector<LineSet> Sectors(Count), Lines;
  for (int64_t W = 0; W != Count; ++W) {
    if (llvm::Error E = Walk.add(Sectors[W], {W, W + 1}, At, SectorBytes))
      return E;
    Sectors[W].normalize();
    Lines.push_back(Sectors[W].linesOfSectors());
    Level.LinesPerWarp = std::max(Level.LinesPerWarp, Lines.back().count());
  }
  Level.SectorsPerBlock = largestGroup(sortedIntervals(Sectors), Count, Count);
  WarpIntervals All = sortedIntervals(Lines);
  for (int64_t N = 1; N <= Count; ++N) {
    auto [Most, New] = Level.LinesByWarps.try_emplace((Count + N - 1) / N, 0);
    if (New)
      Most->second = largestGroup(All, Count, Most->first);
  }
  Level.LinesPerBlock = Level.LinesByWarps.at(Count);

  llvm::Expected<LineSet> Shared =
      linesOfBlock(Walk, At, LineBytes, LineWalk::Which::Shared);
  if (!Shared)
    return Shared.takeError();
  Level.LinesShared = Shared->count();

  auto [First, Long] = reuseWindow(Walk.steps(), Level.Loop, Rep, Options);
  llvm::Expected<LineSet> Window =
      linesOfWindow(Walk, First, Long, Level.Reuse);
  if (!Window)
    return Window.takeError();
  Level.From = Walk.from();
  return llvm::Error::success();
}

llvm::Error unknownLoop(unsigned LoopId) {
  return llvm::createStringError("no loop %u in the kernel", LoopId);
}

uint64_t stepsToProfile(const Kernel &K, unsigned LoopId,
                        const FootprintOptions &Options) {
  if (LoopId >= K.Loops.size() || Options.Block.count().value_or(0) <= 0)
    return 0;
  Representative Rep = representative(K, LoopId, Options);
  uint64_t Steps = 0;
  for (std::optional<unsigned> L = LoopId; L; L = K.Loops[*L].Parent)
    Steps += LineWalk(K, *L, Rep, Options).steps();
  return Options.isSpent() ? std::numeric_limits<uint64_t>::max() : Steps;
}

llvm::Expected<LoopProfile> profileLoop(const Kernel &K, unsigned LoopId,
                                        const FootprintOptions &Options) {
  if (LoopId >= K.Loops.size())
    return unknownLoop(LoopId);
  LoopProfile Profile;
  Profile.Loop = LoopId;
  if (Options.Block.count().value_or(0) <= 0) {
    Profile.Unknown = {Reason::UnknownLaunch, K.Loops[LoopId].Where, ""};
    return Profile;
  }
  Representative Rep = representative(K, LoopId, Options);
  for (std::optional<unsigned> L = LoopId; L; L = K.Loops[*L].Parent) {
    LineWalk Walk(K, *L, Rep, Options);
    LevelFootprint Level;
    Level.Loop = *L;
    if (!Walk.unknown())
      if (llvm::Error E = measure(Level, Walk, Rep, Options))
        return std::move(E);
    if ((Profile.Unknown = Walk.unknown()))
      break;
    Profile.Levels.push_back(std::move(Level));
  }
  return Profile;
}

//===-- For remarks ------------------------------------------------------===//

std::optional<int64_t> laneStrideBytes(const Access &A,
                                       const FootprintOptions &Options) {
  Axis Along = Axis::X; // the first along which there is a neighbour
  if (Options.Block.X == 1)
    Along = Options.Block.Y == 1 ? Axis::Z : Axis::Y;
  return strideBytes(A, Along, Options);
}

/// Of `i / n` and `i % n`: what is between all neighbours along x of the first
/// warp, or all but two.
static std::optional<int64_t> usualStride(const AffineIndex &Apart,
                                          const FootprintOptions &Options) {
  const int64_t Lanes =
      std::min<int64_t>(WarpLanes, Options.Block.X.value_or(0));
  std::map<int64_t, int64_t> Times;
  for (int64_t Lane = 0; Lane + 1 < Lanes; ++Lane) {
    std::optional<int64_t> Each =
        Apart.evaluate([&](const Atom &A) -> std::optional<int64_t> {
          if (A.K == Kind::ThreadIdx)
            return A.Dim == Axis::X ? Lane : 0;
          return A.K == Kind::BlockIdx ? std::optional<int64_t>(0)
                                       : std::nullopt;
        });
    if (!Each)
      return std::nullopt;
    if (++Times[*Each] >= Lanes - 2)
      return Each;
  }
  return std::nullopt;
}

std::optional<int64_t> strideBytes(const Access &A, Axis Along,
                                   const FootprintOptions &Options) {
  if (!A.Offset)
    return std::nullopt;
  AffineIndex Here = underLaunch(*A.Offset, Options);
  AffineIndex Next =
      Here.substitute([&](const Atom &Part) -> std::optional<AffineIndex> {
        if (Part.K == Kind::ThreadIdx && Part.Dim == Along)
          return AffineIndex::threadIdx(Along) + 1;
        return std::nullopt;
      });
  const AffineIndex Apart = Next - Here;
  return Apart.constant() || Along != Axis::X ? Apart.constant()
                                              : usualStride(Apart, Options);
}

} // namespace catt
