//===- Reuse.cpp - Which loop brings a line back, and when ----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Reuse.h.
//
//===----------------------------------------------------------------------===//
#include "analysis/memory/Reuse.h"
#include "analysis/memory/LineWalk.h"
#include "llvm/ADT/STLExtras.h"

namespace catt {

namespace {
/// Sums over a window, in lines or sectors.
struct WindowCount {
  int64_t Touched = 0, New = 0;
};
} // namespace

/// Counts a window over a subset of what is regular; the first iteration only
/// says what is not new.
static llvm::Expected<WindowCount> countWindow(LineWalk &Walk, int64_t First,
                                               int64_t Count,
                                               int64_t Granularity,
                                               LineWalk::Which Subset) {
  WindowCount Result;
  LineSet Seen;
  int64_t InFirst = 0;
  for (int64_t I = First; I != First + Count; ++I) {
    llvm::Expected<LineSet> Now = linesOfBlock(Walk, I, Granularity, Subset);
    if (!Now)
      return Now.takeError();
    Seen.unite(*Now);
    if (I == First)
      InFirst = Seen.count();
    else
      Result.Touched += Now->count();
  }
  Result.New = Seen.count() - InFirst;
  return Result;
}

/// First iteration and number of iterations of the window; each is listed
/// twice or more.
static std::pair<int64_t, int64_t> windowOf(const LineWalk &Walk, unsigned Loop,
                                            const Representative &Rep,
                                            const FootprintOptions &Options) {
  return reuseWindow(2 * Walk.steps(), Loop, Rep, Options);
}

llvm::Expected<SectorWindow> countSectors(LineWalk &Walk, unsigned Loop,
                                          const Representative &Rep,
                                          const FootprintOptions &Options) {
  auto [First, Count] = windowOf(Walk, Loop, Rep, Options);
  if (Count < 1)
    return SectorWindow();
  llvm::Expected<WindowCount> Sectors =
      countWindow(Walk, First, Count, SectorBytes, LineWalk::Which::Regular);
  if (!Sectors)
    return Sectors.takeError();
  return SectorWindow{Count - 1, Sectors->Touched, Sectors->New};
}

llvm::Error measureLevel(ReuseInfo &Info, LineWalk &Walk,
                         const Representative &Rep,
                         const FootprintOptions &Options) {
  auto [First, Count] = windowOf(Walk, Info.Loop, Rep, Options);
  if (Count < 1)
    return llvm::Error::success(); // the loop does not run
  Info.Iterations = Count - 1;
  using Which = LineWalk::Which;
  llvm::Expected<WindowCount> Lines =
      countWindow(Walk, First, Count, LineBytes, Which::Regular);
  if (!Lines)
    return Lines.takeError();
  llvm::Expected<WindowCount> Moving =
      countWindow(Walk, First, Count, LineBytes, Which::Moving);
  if (!Moving)
    return Moving.takeError();
  llvm::Expected<SectorWindow> Sectors =
      countSectors(Walk, Info.Loop, Rep, Options);
  if (!Sectors)
    return Sectors.takeError();
  Info.MovingAgain = Moving->Touched - Moving->New;

  LineSet Sets[4];
  const Which Subsets[] = {Which::All, Which::Shared, Which::Still,
                           Which::Regular};
  int64_t At = Rep.Iteration.at(Info.Loop);
  for (auto [Set, Subset] : llvm::zip_equal(Sets, Subsets)) {
    llvm::Expected<LineSet> Of = linesOfBlock(Walk, At, LineBytes, Subset);
    if (!Of)
      return Of.takeError();
    Set = std::move(*Of);
  }
  Info.DistanceLines = Sets[0].count();
  Info.DistanceShared = Sets[1].count();
  Info.LinesStill = Sets[2].count();
  // What irregular accesses touch is new each time.
  int64_t Irregular = (Sets[0].count() - Sets[3].count()) * Info.Iterations;
  int64_t IrregularSectors = Irregular * (LineBytes / SectorBytes);
  Info.LinesTouched = Lines->Touched + Irregular;
  Info.LinesNew = Lines->New + Irregular;
  Info.SectorsTouched = Sectors->Touched + IrregularSectors;
  Info.SectorsNew = Sectors->New + IrregularSectors;
  Info.From = Walk.from();
  return llvm::Error::success();
}

llvm::Expected<std::vector<ReuseInfo>>
measureReuse(const Kernel &K, unsigned LoopId,
             const FootprintOptions &Options) {
  if (LoopId >= K.Loops.size())
    return unknownLoop(LoopId);
  std::vector<ReuseInfo> Levels;
  if (Options.Block.count().value_or(0) <= 0)
    return Levels;
  Representative Rep = representative(K, LoopId, Options);
  for (std::optional<unsigned> L = LoopId; L; L = K.Loops[*L].Parent) {
    LineWalk Walk(K, *L, Rep, Options);
    ReuseInfo Info;
    Info.Loop = *L;
    if (!Walk.unknown())
      if (llvm::Error E = measureLevel(Info, Walk, Rep, Options))
        return std::move(E);
    if (Walk.unknown())
      break;
    Levels.push_back(Info);
  }
  return Levels;
}

} // namespace catt
