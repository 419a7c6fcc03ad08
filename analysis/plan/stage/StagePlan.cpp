//===- StagePlan.cpp - Rows in tiles and sums in registers ----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/stage/StagePlan.h"
#include "analysis/nest/Nest.h"
#include "analysis/plan/stage/LongRows.h"
#include "analysis/plan/stage/TileLayout.h"
#include "analysis/plan/stage/WorthTiles.h"
#include "analysis/plan/throttle/Prediction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

namespace catt {

/// Of a triangle, whose lanes run other numbers of iterations: with tiles of
/// 128 bytes rows of up to 64 elements were 0.95 to 1.66 times as fast on an
/// H200, of up to 128 1.00 to 2.02, of up to 256 to 2,048 1.16 to 4.74 times;
/// halves of matrices 1.05 to 2.91 times. With 11 and 12 warps on an SM in the
/// mean two took 1.03 and 1.24 times as long.
static constexpr int64_t MinUneven = 128;

/// From this compute capability on, the elements of a tile come without passing
/// through registers (PTX ISA, "cp.async"). Before, tiles were not measured.
static constexpr int AsynchronousCopies = 80;

/// Of rows that stay: with 16 to 64 elements they were measured to be 0.92 to
/// 13 times as fast on an H100, with 12 0.71 to 1.5 times, and with less than
/// 64 bytes of narrower elements 0.49 to 3 times
/// (docs/verification.md, "Rows that stay").
static constexpr int64_t ShortestToStay = 16;
static constexpr int64_t BytesToStay = 64;

static int64_t shortestToStay(const RowRead &Read) {
  return std::max(ShortestToStay, BytesToStay / Read.ElementBytes);
}

/// Registers that another version of a loop may add. With sums, 29 were seen;
/// with a row of floats 10 to 29, and with three of doubles, of which nvcc 13.0
/// unrolls the loop over the tile, 54 more than an estimate had said.
static int64_t moreRegisters(const RowLoop &Rows, const LoopVersion &V) {
  int64_t More = V.Reads.empty() ? 32 : 24;
  for (unsigned R : V.Reads)
    More += 4 * int64_t(Rows.Reads[R].ElementBytes);
  return More;
}

/// Sums that a loop may keep in registers though only the run knows whether it
/// is long: more may cost a block on each SM, which short loops feel.
static constexpr size_t FewSums = 2;

/// Warps with which the stores of a row that is written cost more than tiles:
/// each stores to 32 lines, whatever L1 holds. With 3 to 14 on an SM in the
/// mean tiles were measured to be 1.7 to 7 times as fast, with 1.3 0.75 times;
/// with 1 to 2 in the mean, but 8 on each SM that is busy, 1.04 to 6.4 times.
static constexpr int64_t EnoughOnBusySMs = 8;
static constexpr int64_t EnoughToStore = 3;

static std::vector<unsigned> usableSums(const RowLoop &Rows) {
  std::vector<unsigned> Out;
  for (const auto &[I, Sum] : llvm::enumerate(Rows.Sums))
    if (!Sum.Why)
      Out.push_back(I);
  return Out;
}

//===-- Which loops -------------------------------------------------------===//

namespace {
/// Finds the loops of a kernel that get another version.
class StageChooser {
public:
  StageChooser(const Setting &S, const std::vector<LoopProfile> &Profiles,
               const AnalysisOptions &Options, llvm::ArrayRef<unsigned> Without)
      : S(S), Profiles(Profiles), Options(Options), Without(Without),
        Long(withLongRows(S)),
        IsKnown(Long.Footprint.Parameters == S.Footprint.Parameters),
        IsBusy(Options.TileBytes || S.Before.activeWarps() >= EnoughWarps ||
               (writesRows() && (S.Before.activeWarps() >= EnoughOnBusySMs ||
                                 meanWarps(S) >= EnoughToStore))) {}

  Stages run() {
    for (unsigned I = 0; I < S.K.RowLoops.size(); ++I)
      if (hasShortLoopsOnly(S.K.RowLoops[I].Loop))
        add(I);
      else if (Options.May.Stage)
        addStaying(I);
    return std::move(Out);
  }

private:
  /// Any row that may run in tiles, if it runs where data does not decide.
  bool writesRows() const {
    return llvm::any_of(S.K.RowLoops, [&](const RowLoop &Rows) {
      return Rows.Refusals.empty() && hasShortLoopsOnly(Rows.Loop) &&
             llvm::any_of(Rows.Reads, [&](const RowRead &Row) {
               return Row.IsWritten && !Row.IsWrittenSometimes && !Row.Why &&
                      isApart(Long, S.K.Accesses[Row.Access]);
             });
    });
  }

  /// The loops inside, if there are any, are known to be too short for rows
  /// that stay: compilers unroll them.
  bool hasShortLoopsOnly(unsigned Id) const {
    return llvm::all_of(S.K.Loops, [&](const Loop &L) {
      return L.Id == Id || !isInside(S.K, L.Id, Id) ||
             (L.TripCount && L.TripCount->constant().value_or(ShortestToStay) <
                                 ShortestToStay);
    });
  }

  /// The loop stands in one whose rows stay.
  bool isTaken(const RowLoop &Rows) const {
    return llvm::any_of(Out.Loops, [&](const LoopVersion &V) {
      return isInside(S.K, Rows.Loop, S.K.RowLoops[V.Rows].Loop);
    });
  }

  void add(unsigned Index) {
    const RowLoop &Rows = S.K.RowLoops[Index];
    if (isTaken(Rows))
      return;
    const std::optional<AffineIndex> &Count = S.K.Loops[Rows.Loop].TripCount;
    std::optional<int64_t> Trips = Count ? Count->constant() : std::nullopt;
    LoopVersion Each;
    Each.Rows = Index;
    if (Options.May.Stage)
      Each.Reads = readsOf(Rows);
    const int64_t Least = leastOf(Rows, Each.Reads);
    if (Trips && *Trips * Rows.StepSize < Least)
      return;
    Each.MinTrips = Trips ? 0 : Least;
    if (!Each.Reads.empty() && isUneven(Rows) && !Options.TileBytes)
      Each.MinTrips = MinUneven;
    if (Options.May.Sums && Rows.Refusals.empty())
      Each.Sums = usableSums(Rows);
    // Of a loop that may not run at all, no sum may be stored.
    if (!Each.Reads.empty() && Each.Sums.empty() && isPadded(Rows, Each.Reads))
      Each.MinTrips = 0;
    if (Each.Reads.empty() && Each.MinTrips && Each.Sums.size() > FewSums)
      Each.Sums.clear();
    if (!Each.Reads.empty() || !Each.Sums.empty())
      take(std::move(Each));
  }

  /// Elements from which on a loop has such rows in tiles.
  int64_t leastOf(const RowLoop &Rows, llvm::ArrayRef<unsigned> Reads) const {
    int64_t Least = Reads.empty() ? EnoughElements : 0;
    for (unsigned R : Reads) {
      const RowRead &Read = Rows.Reads[R];
      const int64_t Its = leastElements(S.K, Rows, Read);
      if (Read.IsWritten)
        return Its;
      Least = std::max(Least, Its);
    }
    return Least;
  }

  /// If blocks keep their registers.
  void take(LoopVersion Each) {
    const RowLoop &Rows = S.K.RowLoops[Each.Rows];
    if (std::optional<int64_t> Lacking =
            boundFor(Each, moreRegisters(Rows, Each)))
      Out.Refusals.push_back({Reason::NotEnoughRegisters,
                              S.K.Loops[Rows.Loop].Where,
                              std::to_string(*Lacking) + " threads"});
    else
      Out.Loops.push_back(std::move(Each));
  }

  //===-- Rows that stay --------------------------------------------------===//

  void addStaying(unsigned Index) {
    const RowLoop &Rows = S.K.RowLoops[Index];
    const std::optional<AffineIndex> &Count = S.K.Loops[Rows.Loop].TripCount;
    if (!Rows.Refusals.empty() || Rows.NotInTiles || isTaken(Rows) ||
        llvm::is_contained(Without, Rows.Loop) ||
        (Count && Count->constant().value_or(2) < 2) || promotesInside(Rows))
      return;
    LoopVersion Each;
    Each.Rows = Index;
    for (const auto &[I, Read] : llvm::enumerate(Rows.Reads))
      if (Read.Walk && stays(Rows, Read, Each))
        Each.Reads.push_back(I);
    if (!Each.Reads.empty())
      take(std::move(Each));
  }

  /// A loop inside has sums for registers: that is worth as much.
  bool promotesInside(const RowLoop &Rows) const {
    return Options.May.Sums &&
           llvm::any_of(S.K.RowLoops, [&](const RowLoop &Each) {
             return isInside(S.K, Each.Loop, Rows.Loop) &&
                    Each.Refusals.empty() && !usableSums(Each).empty();
           });
  }

  /// Whether a row is to stay in a version, and can with those that do.
  bool stays(const RowLoop &Rows, const RowRead &Read, LoopVersion &Each) {
    const Access &A = S.K.Accesses[Read.Access];
    const std::optional<AffineIndex> &Trips =
        S.K.Loops[Read.Walk->Loop].TripCount;
    const std::optional<int64_t> Length = knownLength(S.K, Read);
    if (!Trips || !Trips->isBlockUniform() || !A.GuardsKnown ||
        !isApart(Long, A) || (Length && !staysIfKnown(Read, *Length)))
      return false;
    const bool Alike =
        Each.Reads.empty() ||
        walkAlike(*Rows.Reads[Each.Reads.front()].Walk, *Read.Walk);
    const RowContext In = contextOf(Rows, Read);
    if (!Alike || !In.Counted ||
        (!In.Contends && (!IsBusy || !savesLookUps(Long, Read))))
      return false;
    if (Read.Why) {
      if (In.Contends)
        Out.Refusals.push_back(*Read.Why);
      return false;
    }
    Each.MinTrips = Length ? 0 : std::max(Each.MinTrips, shortestToStay(Read));
    return true;
  }

  /// What the compiler keeps in registers itself is unrolled, and no store can
  /// change it.
  bool staysIfKnown(const RowRead &Read, int64_t Length) const {
    constexpr int64_t MostBytes = 256;
    return Length >= shortestToStay(Read) &&
           Length * Read.ElementBytes <= MostBytes &&
           (Options.TileBytes || !Read.Apart.empty() ||
            staysRolled(S.K.Loops[Read.Walk->Loop]));
  }

  RowContext contextOf(const RowLoop &Rows, const RowRead &Read) const {
    RowContext In;
    const std::optional<LoopProfile> Walk = profileIfLong(Read.Walk->Loop),
                                     Whole = profileIfLong(Rows.Loop);
    In.Counted =
        Walk && Walk->Work &&
        Walk->Work->Iterations.value_or(ShortestToStay) * Read.Walk->StepSize >=
            ShortestToStay;
    In.Contends = In.Counted &&
                  (contends(Long, *Walk) || (Whole && contends(Long, *Whole)));
    return In;
  }

  /// What a kernel that holds the version has to be compiled for, unless it
  /// surely has the registers. A block that it cannot be compiled for without
  /// spilling what it takes as it is, if so. Long rows alone may have a kernel
  /// of their own.
  std::optional<int64_t> boundFor(LoopVersion &V, int64_t More) const {
    const Device &Gpu = S.Throttle.Gpu;
    const int64_t Threads = threadsToBound(S.K, Gpu, More);
    if (!Threads)
      return std::nullopt;
    V.BoundThreads = Threads;
    const bool MayBeApart = V.MinTrips && !V.Reads.empty();
    return MayBeApart || hasRegisters(S.K, Gpu, Threads, /*More=*/0)
               ? std::nullopt
               : std::optional(Threads);
  }

  /// A triangle: its lanes run more and fewer iterations.
  bool isUneven(const RowLoop &Rows) const {
    const std::optional<AffineIndex> &Trips = S.K.Loops[Rows.Loop].TripCount;
    return Trips && !areEven(*Trips);
  }

  /// Some lane of a triangle may run enough of them.
  bool maybeLong(const RowLoop &Rows) const {
    const std::optional<AffineIndex> Longest = longestTrips(S.K, Rows);
    return Longest && Longest->constant().value_or(MinUneven) >= MinUneven;
  }

  std::vector<unsigned> readsOf(const RowLoop &Rows) {
    const bool Uneven = isUneven(Rows);
    if (llvm::is_contained(Without, Rows.Loop) ||
        (((Uneven && (!maybeLong(Rows) || meanWarps(S) < EnoughWarps)) ||
          waitsForConstants(S.K, Rows)) &&
         !Options.TileBytes))
      return {};
    const std::optional<LoopProfile> Profile = profileIfLong(Rows.Loop);
    if (!Profile)
      return {};
    RowContext In;
    In.Counted =
        Profile->Work &&
        Profile->Work->Iterations.value_or(EnoughElements) * Rows.StepSize >=
            LeastElements;
    In.Contends = In.Counted && contends(Long, *Profile);
    In.Busy = IsBusy;
    In.Forced = Options.TileBytes.has_value();
    In.HasRoom = llvm::any_of(
        Out.Loops, [](const LoopVersion &V) { return !V.Reads.empty(); });
    std::vector<Refusal> Against = Rows.Refusals;
    std::vector<unsigned> Reads;
    if (Rows.NotInTiles)
      Against.push_back(*Rows.NotInTiles);
    if (Against.empty())
      Reads = rowsApart(Long, Rows, In, Against);
    bool OnlyWide = (!In.Contends && !IsBusy) || Uneven;
    if (Reads.empty() && Against.empty() && !In.Forced) {
      Reads = paddedReads(Rows);
      OnlyWide = true;
    }
    Out.OnlyWide |= OnlyWide && !Reads.empty();
    // Where L1 holds all lines, nobody misses the tiles.
    if (In.Contends)
      llvm::append_range(Out.Refusals, Against);
    return Reads;
  }

  bool isPadded(const RowLoop &Rows, llvm::ArrayRef<unsigned> Reads) const {
    return llvm::all_of(
        Reads, [&](unsigned R) { return catt::isPadded(S, Rows.Reads[R]); });
  }

  /// The rows that may run in tiles are all such ones.
  std::vector<unsigned> paddedReads(const RowLoop &Rows) const {
    std::vector<unsigned> Usable;
    for (const auto &[I, Read] : llvm::enumerate(Rows.Reads))
      if (!Read.Why && !Read.Walk && isApart(S, S.K.Accesses[Read.Access]))
        Usable.push_back(I);
    if (!IsBusy || !isPadded(Rows, Usable))
      Usable.clear();
    return Usable;
  }

  std::optional<LoopProfile> profileIfLong(unsigned Loop) const {
    const LoopProfile *Profile = profileOf(Profiles, Loop);
    if (!Profile)
      return std::nullopt;
    if (IsKnown && Profile->Work)
      return *Profile;
    return profileOf(Long, Loop, /*AlwaysWork=*/true);
  }

  const Setting &S;
  const std::vector<LoopProfile> &Profiles;
  const AnalysisOptions &Options;
  const llvm::ArrayRef<unsigned> Without;
  const Setting Long;
  const bool IsKnown, IsBusy;
  Stages Out;
};
} // namespace

/// Loops that share their tiles stand in one function: in the kernel, if any
/// does.
static void keepOneFunction(const Kernel &K, Stages &Out) {
  const RowLoop *First = nullptr; // of the kernel, if it has any
  for (LoopVersion &V : Out.Loops) {
    const RowLoop &Rows = K.RowLoops[V.Rows];
    if (V.Reads.empty())
      continue;
    if (!First)
      First = &Rows;
    if (Rows.Span.File != First->Span.File ||
        Rows.BodyBegin != First->BodyBegin)
      V.Reads.clear();
  }
}

/// Loops that matter keep their tiles.
static void leaveMinor(const Kernel &K, Stages &Out) {
  std::vector<unsigned> WithTiles;
  for (const LoopVersion &V : Out.Loops)
    if (!V.Reads.empty())
      WithTiles.push_back(K.RowLoops[V.Rows].Loop);
  for (LoopVersion &V : Out.Loops)
    if (isMinor(K, V, WithTiles))
      V.Reads.clear();
}

/// Whether two calls of a function want the same text in it.
static bool wantAlike(const Kernel &K, const LoopVersion &A,
                      const LoopVersion &B) {
  const RowLoop &Rows = K.RowLoops[A.Rows], &Its = K.RowLoops[B.Rows];
  auto IsUniform = [&](const RowLoop &Each) {
    const std::optional<AffineIndex> &Trips = K.Loops[Each.Loop].TripCount;
    return Trips && Trips->isBlockUniform();
  };
  return A.Reads == B.Reads && IsUniform(Rows) == IsUniform(Its) &&
         llvm::all_of(A.Reads, [&](unsigned R) {
           return Rows.Reads[R].Apart == Its.Reads[R].Apart;
         });
}

void keepOneText(const Kernel &K, std::vector<LoopVersion> &Versions) {
  auto OfText = [&](const LoopVersion &V) {
    std::vector<LoopVersion *> Same;
    for (LoopVersion &Each : Versions)
      if (K.RowLoops[Each.Rows].isTextOf(K.RowLoops[V.Rows]))
        Same.push_back(&Each);
    return Same;
  };
  for (LoopVersion &V : Versions) {
    const std::vector<LoopVersion *> Same = OfText(V);
    const auto Calls = llvm::count_if(K.RowLoops, [&](const RowLoop &Each) {
      return Each.isTextOf(K.RowLoops[V.Rows]);
    });
    const bool Alike = Calls == std::ptrdiff_t(Same.size()) &&
                       llvm::all_of(Same, [&](const LoopVersion *Each) {
                         return wantAlike(K, V, *Each);
                       });
    for (LoopVersion *Each : Same) {
      if (!Alike)
        Each->Reads.clear();
      Each->MinTrips = std::max(Each->MinTrips, V.MinTrips);
    }
  }
}

Stages stagesFor(const Setting &S, const std::vector<LoopProfile> &Profiles,
                 const AnalysisOptions &Options,
                 std::optional<int64_t> LargestBlock,
                 llvm::ArrayRef<unsigned> Without) {
  if (S.Throttle.Gpu.Capability < AsynchronousCopies)
    return {};
  Stages Out = StageChooser(S, Profiles, Options, Without).run();
  keepOneText(S.K, Out.Loops);
  keepOneFunction(S.K, Out);
  if (!Options.TileBytes)
    leaveMinor(S.K, Out);
  llvm::erase_if(Out.Loops, [](const LoopVersion &V) {
    return V.Reads.empty() && V.Sums.empty();
  });
  if (chooseTiles(S, Options, LargestBlock, Out))
    return Out;
  for (LoopVersion &V : Out.Loops) {
    if (V.Reads.empty())
      continue;
    Out.Refusals.push_back(
        {Reason::NotEnoughShared, S.K.Loops[S.K.RowLoops[V.Rows].Loop].Where,
         "for tiles of " + namesOf(S.K.RowLoops[V.Rows], V)});
    V.Reads.clear();
  }
  llvm::erase_if(Out.Loops,
                 [](const LoopVersion &V) { return V.Sums.empty(); });
  Out.Tiles = {};
  return Out;
}

std::optional<TileMemory> tilesOfBoth(const TileMemory &A, const TileMemory &B,
                                      bool MayAsk) {
  if (A == B)
    return A;
  if (!MayAsk || A.ThreadBytes != B.ThreadBytes || A.IfLong != B.IfLong)
    return std::nullopt;
  TileMemory Out = A;
  Out.Threads = std::max(A.Threads, B.Threads);
  Out.DynamicOffset = std::max(A.DynamicOffset, B.DynamicOffset);
  Out.AnyBlock = Out.IsDynamic = true;
  return Out;
}

unsigned walkerOf(const RowLoop &Rows, const RowRead &Read) {
  return Read.Walk ? Read.Walk->Loop : Rows.Loop;
}

Kernel withStages(const Kernel &K, const Stages &Found) {
  Kernel With = K;
  if (!Found.Tiles.IsDynamic)
    With.StaticSharedBytes += Found.Tiles.bytes();
  std::set<size_t> Left;
  for (const LoopVersion &Each : Found.Loops) {
    const RowLoop &Rows = K.RowLoops[Each.Rows];
    for (unsigned R : Each.Reads)
      Left.insert(Rows.Reads[R].Own.begin(), Rows.Reads[R].Own.end());
    for (unsigned R : Each.Sums)
      for (const auto &[I, A] : llvm::enumerate(K.Accesses))
        if (A.Loop == Rows.Loop && A.Text == Rows.Sums[R].Text)
          Left.insert(I);
  }
  With.Accesses.clear();
  for (const auto &[I, A] : llvm::enumerate(K.Accesses))
    if (!Left.count(I))
      With.Accesses.push_back(A);
  return With;
}

std::string namesOf(const RowLoop &Rows, const LoopVersion &Version) {
  std::vector<std::string> Names;
  for (unsigned R : Version.Reads)
    Names.push_back(Rows.Reads[R].Text);
  std::string Last = Names.back();
  Names.pop_back();
  return Names.empty() ? Last : llvm::join(Names, ", ") + " and " + Last;
}

} // namespace catt
