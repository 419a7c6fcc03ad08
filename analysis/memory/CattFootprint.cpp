//===- CattFootprint.cpp - The footprint as the CATT paper prints it ------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CattFootprint.h.
//
//===----------------------------------------------------------------------===//
#include "analysis/memory/CattFootprint.h"
#include "analysis/memory/LineWalk.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <set>

namespace catt {

using Kind = Atom::Kind;

/// The references of the loop and of those inside it, each once.
static std::vector<const Access *>
distinctReferences(const Kernel &K, unsigned LoopId,
                   const FootprintOptions &Options) {
  std::vector<const Access *> Result;
  auto Same = [](const Access &A, const Access &B) {
    if (A.BaseId != B.BaseId || A.Offset.has_value() != B.Offset.has_value())
      return false;
    return A.Offset ? *A.Offset == *B.Offset : A.Text == B.Text;
  };
  for (const Access &A : K.Accesses)
    if (isCounted(K, A, LoopId, Options) &&
        llvm::none_of(Result, [&](const Access *Old) { return Same(*Old, A); }))
      Result.push_back(&A);
  return Result;
}

/// Index(atom + 1) - Index, for an atom that the index is linear in.
static std::optional<int64_t>
coefficient(const AffineIndex &Index,
            llvm::function_ref<bool(const Atom &)> IsIt) {
  AffineIndex Next =
      Index.substitute([&](const Atom &A) -> std::optional<AffineIndex> {
        if (IsIt(A))
          return AffineIndex::atom(A) + 1;
        return std::nullopt;
      });
  return (Next - Index).constant();
}

static std::optional<int64_t> iteratorStride(const AffineIndex &Index,
                                             unsigned LoopId) {
  return coefficient(Index, [LoopId](const Atom &A) {
    return A.K == Kind::Iterator && A.Id == LoopId;
  });
}

/// Distinct lines of the first full warp's addresses, at iterators and blocks
/// 0; what is unknown but the same for all lanes moves no lane to another line.
static std::optional<int64_t> enumerateLanes(const Access &A,
                                             const AffineIndex &Offset,
                                             const FootprintOptions &Options) {
  int64_t X = *Options.Block.X, Y = *Options.Block.Y;
  std::set<int64_t> Lines;
  int64_t Count = std::min(*Options.Block.count(), WarpLanes);
  for (int64_t Lane = 0; Lane != Count; ++Lane) {
    const int64_t Thread[] = {Lane % X, Lane / X % Y, Lane / X / Y};
    AffineIndex Here =
        Offset.substitute([&](const Atom &Part) -> std::optional<AffineIndex> {
          if (Part.K == Kind::ThreadIdx)
            return AffineIndex(Thread[static_cast<unsigned>(Part.Dim)]);
          if (Part.K == Kind::Iterator || Part.K == Kind::BlockIdx)
            return AffineIndex(0);
          return std::nullopt;
        });
    AffineIndex First =
        Offset.substitute([&](const Atom &Part) -> std::optional<AffineIndex> {
          if (Part.K == Kind::ThreadIdx || Part.K == Kind::Iterator ||
              Part.K == Kind::BlockIdx)
            return AffineIndex(0);
          return std::nullopt;
        });
    std::optional<int64_t> Distance = (Here - First).constant();
    if (!Distance)
      return std::nullopt;
    int64_t Begin = First.constant().value_or(0) + *Distance;
    for (int64_t L = Begin >> 7; L <= (Begin + A.SizeBytes - 1) >> 7; ++L)
      Lines.insert(L);
  }
  return Lines.size();
}
static_assert(LineBytes == 1 << 7);

/// Equation 7 for one warp; std::nullopt if a parameter's value is missing.
static std::optional<int64_t> requests(const Access &A,
                                       const AffineIndex &Offset,
                                       const FootprintOptions &Options) {
  if (*Options.Block.Y == 1 && *Options.Block.Z == 1) {
    std::optional<int64_t> Bytes = coefficient(
        Offset, [](const Atom &Part) { return Part.K == Kind::ThreadIdx; });
    int64_t Size = std::max(A.SizeBytes, 1u);
    if (Bytes && *Bytes == 0)
      return 1;
    if (Bytes) // C_tid in elements, rounded up
      return std::min((std::abs(*Bytes) + Size - 1) / Size, WarpLanes);
  }
  return enumerateLanes(A, Offset, Options);
}

/// More lines than any cache holds; keeps products within 64 bits.
static constexpr int64_t TooMany = 1 << 30;

/// How many lines the loops between the reference and the level walk over while
/// the level makes one iteration.
static std::optional<int64_t>
linesOfInnerLoops(const Kernel &K, const Access &A, const AffineIndex &Offset,
                  unsigned Level, const FootprintOptions &Options,
                  Refusal &Why) {
  Representative Rep = representative(K, *A.Loop, Options);
  int64_t Lines = 1;
  for (unsigned L = *A.Loop; L != Level; L = *K.Loops[L].Parent) {
    auto Trip = Rep.TripCount.find(L);
    if (Trip == Rep.TripCount.end()) {
      Why = {Reason::UnknownTripCount, K.Loops[L].Where, K.Loops[L].Header};
      return std::nullopt;
    }
    // A stride that is not one number is taken to be longer than a line.
    int64_t Stride = std::abs(iteratorStride(Offset, L).value_or(LineBytes));
    int64_t Trips = std::min(Trip->second, TooMany);
    int64_t Crossed =
        (std::min(Stride, LineBytes) * Trips + LineBytes - 1) / LineBytes;
    Lines = std::min(Lines * std::max<int64_t>(Crossed, 1), TooMany);
  }
  return Lines;
}

/// Adds one reference to the level.
static std::optional<Refusal> addReference(const Kernel &K, const Access &A,
                                           const FootprintOptions &Options,
                                           LevelFootprint &Level) {
  if (!A.Offset) {
    Level.LinesPerWarp += 1; // C_tid = 1
    return std::nullopt;
  }
  AffineIndex Offset = underLaunch(*A.Offset, Options);
  std::optional<int64_t> PerWarp = requests(A, Offset, Options);
  if (!PerWarp)
    return Refusal{Reason::UnknownStride, A.Where, unknownName(Offset)};
  Refusal Why;
  std::optional<int64_t> Inner =
      linesOfInnerLoops(K, A, Offset, Level.Loop, Options, Why);
  if (!Inner)
    return Why;
  Level.LinesPerWarp += *PerWarp * *Inner;
  std::optional<int64_t> C = iteratorStride(Offset, Level.Loop);
  if (C && *C != 0 && std::abs(*C) <= LineBytes)
    Level.Reuse = true; // equation 6
  return std::nullopt;
}

LoopProfile cattProfile(const Kernel &K, unsigned LoopId,
                        const FootprintOptions &Options) {
  LoopProfile Profile;
  Profile.Loop = LoopId;
  if (LoopId >= K.Loops.size())
    return Profile;
  int64_t Threads = Options.Block.count().value_or(0);
  if (Threads <= 0) {
    Profile.Unknown = {Reason::UnknownLaunch, K.Loops[LoopId].Where, ""};
    return Profile;
  }
  LevelFootprint Level;
  Level.Loop = LoopId;
  Level.From = Origin::Estimated;
  for (const Access *A : distinctReferences(K, LoopId, Options))
    if ((Profile.Unknown = addReference(K, *A, Options, Level)))
      return Profile;
  int64_t Warps = (Threads + WarpLanes - 1) / WarpLanes;
  for (int64_t N = 1; N <= Warps; ++N) {
    int64_t Size = (Warps + N - 1) / N;
    Level.LinesByWarps[Size] = Level.LinesPerWarp * Size;
  }
  Level.LinesPerBlock = Level.LinesPerWarp * Warps;
  Level.SectorsPerBlock = Level.LinesPerBlock;
  Profile.Levels.push_back(std::move(Level));
  return Profile;
}

} // namespace catt
