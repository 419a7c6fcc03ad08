//===- LoopWork.cpp - What an iteration asks of the memory -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/memory/LoopWork.h"
#include "analysis/memory/LineWalk.h"
#include "analysis/memory/Reuse.h"
#include "llvm/ADT/STLExtras.h"

namespace catt {
namespace {

constexpr int64_t UnknownTrips = 32;

std::optional<int64_t> tripsOf(const Representative &R, unsigned Loop) {
  auto It = R.TripCount.find(Loop);
  return It == R.TripCount.end() ? std::nullopt : std::optional(It->second);
}

/// How often the access happens in one iteration of the outer loop.
double timesInside(const Kernel &K, const Access &A, unsigned Outer,
                   const FootprintOptions &Options) {
  double Times = 1;
  Representative R = representative(K, *A.Loop, Options);
  for (std::optional<unsigned> L = A.Loop; L && *L != Outer;
       L = K.Loops[*L].Parent)
    Times *=
        double(std::max<int64_t>(1, tripsOf(R, *L).value_or(UnknownTrips)));
  return Times;
}

void addIrregular(const Access &A, double Times, LoopWork &Work) {
  Work.Lookups += Times;
  Work.SectorsNew += Times;
  Work.Loads += A.Reads * Times;
  Work.LoadsNew += A.Reads * Times;
}

} // namespace

llvm::Expected<LoopWork> loopWork(const Kernel &K, unsigned LoopId,
                                  const FootprintOptions &Options) {
  LoopWork Work;
  if (!Options.Block.count())
    return llvm::createStringError("the block size is not known");
  Work.Iterations = tripsOf(representative(K, LoopId, Options), LoopId);
  int64_t WholeWarps = (*Options.Block.count() + WarpLanes - 1) / WarpLanes;
  auto Warps = double(WholeWarps);
  std::vector<const Access *> Seen;
  for (const Access &A : K.Accesses) {
    if (!isInside(K, A.Loop, LoopId) || A.Space != AddressSpace::Global)
      continue;
    Work.Stores |= A.Writes;
    if (!A.ThroughL1)
      continue;
    double Times = timesInside(K, A, LoopId, Options);
    if (!A.Offset) {
      addIrregular(A, Times, Work);
      continue;
    }
    if (llvm::any_of(Seen, [&](const Access *B) {
          return A.BaseId == B->BaseId && *A.Offset == *B->Offset;
        }))
      continue;
    Seen.push_back(&A);
    Kernel Alone = K;
    Alone.Accesses = {A};
    llvm::Expected<LoopProfile> Own = profileLoop(Alone, *A.Loop, Options);
    if (!Own)
      return Own.takeError();
    llvm::Expected<std::vector<ReuseInfo>> Reuse =
        measureReuse(Alone, LoopId, Options);
    if (!Reuse)
      return Reuse.takeError();
    if (Own->Levels.empty() || Reuse->empty() ||
        Reuse->front().Iterations == 0) {
      addIrregular(A, Times, Work);
      continue;
    }
    const LevelFootprint &Once = Own->Levels.front();
    const ReuseInfo &Window = Reuse->front();
    double Iterations = double(Window.Iterations);
    double PerBlock = double(Window.SectorsTouched) / Iterations;
    // What warps share they fetch once while it stays, but each for itself
    // once it is lost.
    double SharedBy = double(Once.LinesPerWarp) * Warps /
                      double(std::max<int64_t>(1, Once.LinesPerBlock));
    double Touched = PerBlock * std::max(1.0, SharedBy) / Warps;
    double New = double(Window.SectorsNew) / Iterations / Warps;
    Work.Lookups += double(Once.LinesPerWarp) * Times;
    Work.SectorsNew += New;
    // A reference that stays where it is is used so often that it stays in L1,
    // too; only those that move can lose their lines.
    if (Window.MovingAgain > 0)
      Work.SectorsAgain += Touched - New;
    if (!A.Reads || PerBlock <= 0)
      continue;
    // Of the warps that share a sector one waits for it.
    double First = std::min(Times, double(Window.SectorsNew) /
                                       double(Window.SectorsTouched));
    double Sharing = std::max(1.0, SharedBy);
    Work.Loads += Times;
    Work.LoadsNew += First / Sharing;
    if (Window.MovingAgain > 0)
      Work.LoadsAgain += (Times - First) / Sharing;
  }
  return Work;
}

} // namespace catt
