//===- TileLayout.cpp - Where the rows of tiles lie -----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/stage/TileLayout.h"
#include "analysis/device/Occupancy.h"
#include "analysis/plan/stage/LongRows.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

namespace catt {

static bool haveRowsAlike(const Kernel &A, const Kernel &B) {
  return A.Span.File == B.Span.File && A.Span.Begin == B.Span.Begin &&
         A.Span.Begin < A.Span.End &&
         llvm::equal(
             A.RowLoops, B.RowLoops,
             [](const RowLoop &L, const RowLoop &R) {
               return L.Span.Begin == R.Span.Begin &&
                      L.Reads.size() == R.Reads.size();
             });
}

unsigned narrowBytes(const RowRead &Read) {
  return Read.NarrowBytes ? Read.NarrowBytes : Read.ElementBytes;
}

void layOutAlike(std::vector<Kernel> &Kernels) {
  auto Widen = [](RowRead &Own, const RowRead &Other) {
    Own.NarrowBytes = std::min(narrowBytes(Own), narrowBytes(Other));
    Own.ElementBytes = std::max(Own.ElementBytes, Other.ElementBytes);
    Own.Alignment = std::max(Own.Alignment, Other.Alignment);
  };
  for (Kernel &K : Kernels)
    for (const Kernel &Other : Kernels)
      if (&K != &Other && haveRowsAlike(K, Other))
        for (auto [L, R] : llvm::zip_equal(K.RowLoops, Other.RowLoops))
          for (auto [Own, Its] : llvm::zip_equal(L.Reads, R.Reads))
            Widen(Own, Its);
}

/// The most of any row.
static unsigned widest(const RowLoop &Rows, const LoopVersion &V,
                       unsigned RowRead::*Bytes) {
  unsigned Most = 0;
  for (unsigned R : V.Reads)
    Most = std::max(Most, Rows.Reads[R].*Bytes);
  return Most;
}

bool isInWords(const RowRead &Read) {
  return Read.ElementBytes < WordBytes && !Read.Walk;
}

/// Of what a thread has of tiles.
static int64_t alignmentOf(const RowLoop &Rows, const LoopVersion &V) {
  return std::max(WordBytes, widest(Rows, V, &RowRead::Alignment));
}

int64_t rowBytes(const RowLoop &Rows, const LoopVersion &V, unsigned Read) {
  const RowRead &Row = Rows.Reads[Read];
  const int64_t InFront = isInWords(Row) ? WordBytes : 0;
  return llvm::alignTo(V.Columns * Row.ElementBytes + InFront,
                       alignmentOf(Rows, V));
}

int64_t threadBytes(const RowLoop &Rows, const LoopVersion &V) {
  int64_t Bytes = 0;
  for (unsigned R : V.Reads)
    Bytes += rowBytes(Rows, V, R);
  const int64_t Alignment = alignmentOf(Rows, V);
  return Bytes && Bytes % (2 * Alignment) == 0 ? Bytes + Alignment : Bytes;
}

std::optional<int64_t> knownLength(const Kernel &K, const RowRead &Read) {
  const std::optional<AffineIndex> &Trips = K.Loops[Read.Walk->Loop].TripCount;
  std::optional<int64_t> Count = Trips ? Trips->constant() : std::nullopt;
  return Count ? std::optional((*Count - 1) * Read.Walk->StepSize + 1 +
                               int64_t(Read.Halo))
               : std::nullopt;
}

/// Elements of each row in tiles of so many bytes.
static int64_t columnsOf(const Kernel &K, const LoopVersion &V,
                         int64_t TileBytes) {
  const RowLoop &Rows = K.RowLoops[V.Rows];
  const int64_t Elements = llvm::bit_floor(
      uint64_t(TileBytes / widest(Rows, V, &RowRead::ElementBytes)));
  const bool ByWords = llvm::all_of(
      V.Reads, [&](unsigned R) { return isInWords(Rows.Reads[R]); });
  if (!walkInside(Rows, V)) {
    const std::optional<AffineIndex> &Trips = K.Loops[Rows.Loop].TripCount;
    const std::optional<int64_t> Count =
        Trips ? Trips->constant() : std::nullopt;
    if (ByWords)
      return Elements;
    return std::min(
        {Elements, WarpLanes,
         Count ? int64_t(llvm::bit_ceil(uint64_t(*Count * Rows.StepSize)))
               : Elements});
  }
  if (V.MinTrips)
    return 2 * Elements;
  int64_t Longest = 0;
  for (unsigned R : V.Reads)
    Longest = std::max(Longest, *knownLength(K, Rows.Reads[R]));
  return Longest;
}

/// Whether only the run knows how long some rows are.
static bool anyOnlyIfLong(const Kernel &K, llvm::ArrayRef<LoopVersion> Loops) {
  return llvm::any_of(Loops, [&](const LoopVersion &V) {
    const std::optional<AffineIndex> Longest =
        longestTrips(K, K.RowLoops[V.Rows]);
    return !V.Reads.empty() && V.MinTrips && !(Longest && Longest->constant());
  });
}

/// Whether each launch can say if its rows are long.
static bool launchesCanTell(const Kernel &K,
                            const std::vector<LoopVersion> &Loops) {
  return llvm::all_of(K.Launches, [&](const Launch &L) {
    return longRowsAt(L, K, Loops).has_value();
  });
}

/// Behind what any launch asks for itself.
static int64_t behindOwn(const Kernel &K) {
  int64_t Own = 0;
  for (const Launch &L : K.Launches)
    Own = std::max(Own, L.DynamicSharedBytes.value_or(0));
  return llvm::alignTo(Own, 16);
}

/// A tile of fewer elements of a row does not pay for its barriers: of 4
/// objects of 16 bytes they took 0.6 to 2.1 times as long as none on an H200,
/// and 1.2 to 1.8 times as long as tiles of 8.
static int64_t leastColumns(const Setting &S, const LoopVersion &V,
                            bool Forced) {
  const bool AnyObject =
      widest(S.K.RowLoops[V.Rows], V, &RowRead::ElementBytes) > 8;
  return AnyObject && !Forced ? 8 : 4;
}

namespace {
/// What decides how tiles are laid out.
struct TileLimits {
  bool MayAsk = false;                 ///< launches can be asked for them
  bool IfLong = false;                 ///< and are, where rows are long
  bool Forced = false;                 ///< the user says how wide they are
  std::optional<int64_t> LargestBlock; ///< threads; absent: the block is known
};
} // namespace

/// Tiles with so many bytes of each row. False: they do not fit.
static bool layOut(const Setting &S, int64_t TileBytes, int64_t EnoughWarps,
                   const TileLimits &Limits, Stages &Out) {
  TileMemory &Tiles = Out.Tiles;
  Tiles = {};
  int64_t Alignment = 4;
  for (LoopVersion &V : Out.Loops) {
    const RowLoop &Rows = S.K.RowLoops[V.Rows];
    if (V.Reads.empty())
      continue;
    V.Columns = columnsOf(S.K, V, TileBytes);
    if (V.Columns < leastColumns(S, V, Limits.Forced))
      return false;
    Alignment = std::max(Alignment, alignmentOf(Rows, V));
    Tiles.ThreadBytes = std::max(Tiles.ThreadBytes, threadBytes(Rows, V));
  }
  // Where other loops need as much anyway, a tile is wider.
  for (LoopVersion &V : Out.Loops)
    while (!V.Reads.empty() && V.Columns < WarpLanes &&
           !walkInside(S.K.RowLoops[V.Rows], V)) {
      LoopVersion Wider = V;
      Wider.Columns *= 2;
      if (threadBytes(S.K.RowLoops[V.Rows], Wider) > Tiles.ThreadBytes)
        break;
      V = std::move(Wider);
    }
  Tiles.ThreadBytes = llvm::alignTo(Tiles.ThreadBytes, Alignment);
  Tiles.Threads = *S.Footprint.Block.count();
  BlockResources Block = S.Throttle.Block;
  Block.RegistersPerThread.reset();
  Block.GridBlocks.reset();
  Tiles.IfLong = Limits.IfLong;
  Tiles.AnyBlock = Limits.LargestBlock.has_value();
  Tiles.IsDynamic = Tiles.IfLong || Tiles.AnyBlock ||
                    Block.StaticSharedBytes + Tiles.bytes() >
                        S.Throttle.Gpu.SharedBytesPerBlock;
  if (Tiles.IsDynamic) {
    Tiles.DynamicOffset = behindOwn(S.K);
    Block.DynamicSharedBytes = Tiles.DynamicOffset;
  }
  const int64_t Others = Block.StaticSharedBytes + Block.DynamicSharedBytes,
                Most = Tiles.ThreadBytes *
                       Limits.LargestBlock.value_or(Tiles.Threads);
  Block.DynamicSharedBytes += Tiles.bytes();
  if ((Tiles.IsDynamic && !Limits.MayAsk) ||
      Others + Most > S.Throttle.Gpu.SharedBytesPerBlockOptIn)
    return false;
  llvm::Expected<Residency> With = residency(S.Throttle.Gpu, Block);
  if (!With) {
    llvm::consumeError(With.takeError());
    return false;
  }
  return With->activeWarps() >= std::min(EnoughWarps, S.Before.activeWarps());
}

bool chooseTiles(const Setting &S, const AnalysisOptions &Options,
                 std::optional<int64_t> LargestBlock, Stages &Out) {
  if (llvm::all_of(Out.Loops,
                   [](const LoopVersion &V) { return V.Reads.empty(); }))
    return true;
  TileLimits Limits;
  Limits.MayAsk = Options.May.LaunchTiles;
  Limits.LargestBlock = LargestBlock;
  Limits.IfLong = Limits.MayAsk && launchesCanTell(S.K, Out.Loops);
  Limits.Forced = Options.TileBytes.has_value();
  if (Limits.Forced)
    return layOut(S, *Options.TileBytes, /*EnoughWarps=*/1, Limits, Out);
  // Launches with short rows pay for tiles that they do not use, unless they
  // can do without.
  const int64_t Warps = !Limits.IfLong && anyOnlyIfLong(S.K, Out.Loops)
                            ? std::numeric_limits<int64_t>::max()
                            : EnoughWarps;
  for (int64_t Bytes : {LineBytes, LineBytes / 2, LineBytes / 4})
    if ((Bytes == LineBytes || !Out.OnlyWide) &&
        layOut(S, Bytes, Warps, Limits, Out))
      return true;
  return false;
}

} // namespace catt
