//===- LoopWork.cpp - What an iteration asks of the memory -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/memory/LoopWork.h"
#include "analysis/memory/Reuse.h"
#include "llvm/ADT/STLExtras.h"

namespace catt {
namespace {

constexpr int64_t UnknownTrips = 32;

/// Shared memory and L1 are one memory of 32 banks, each 4 bytes wide (CUDA C++
/// Programming Guide, "Shared Memory" of compute capability 5.x and later).
constexpr int64_t Banks = 32, BankBytes = 4;

/// Of these words, those in the bank that holds most.
int64_t bankTurns(const LineSet &Words) {
  std::array<int64_t, Banks> Held = {};
  for (const LineInterval &I : Words.intervals()) {
    int64_t Count = I.Hi - I.Lo + 1;
    for (int64_t &Bank : Held)
      Bank += Count / Banks;
    for (int64_t W = I.Lo; W != I.Lo + Count % Banks; ++W)
      ++Held[((W % Banks) + Banks) % Banks];
  }
  return *llvm::max_element(Held);
}

/// One execution of a reference by a whole warp.
struct Execution {
  int64_t LinesPerWarp = 0, LinesPerBlock = 0;
  int64_t SectorsPerWarp = 0, SectorsPerBlock = 0;
  int64_t BankTurns = 0;
};

/// What the references of a loop ask for, one after the other.
class WorkCount {
public:
  WorkCount(const Kernel &K, unsigned LoopId, const FootprintOptions &Options)
      : K(K), LoopId(LoopId), Options(Options) {
    Alone.Where = K.Where;
    Alone.Loops = K.Loops;
  }

  llvm::Expected<LoopWork> run() {
    Work.Iterations = tripsOf(LoopId);
    std::vector<const Access *> Seen;
    for (const Access &A : K.Accesses) {
      if (!isInside(K, A.Loop, LoopId) || A.Space != AddressSpace::Global)
        continue;
      Work.Stores |= A.Writes;
      bool Twice = llvm::any_of(Seen, [&](const Access *B) {
        return A.Offset && A.BaseId == B->BaseId && *A.Offset == *B->Offset;
      });
      if (!A.ThroughL1 || Twice)
        continue;
      if (A.Offset)
        Seen.push_back(&A);
      if (llvm::Error E = add(A))
        return std::move(E);
    }
    if (llvm::Error E = countOnce())
      return std::move(E);
    return Work;
  }

private:
  const Kernel &K;
  unsigned LoopId;
  const FootprintOptions &Options;
  Kernel Alone; ///< the same loops, one reference at a time
  std::map<unsigned, Representative> Known;
  std::vector<Access> Regular; ///< that read
  double NewApart = 0;         ///< of Work.SectorsNew: each of these by itself
  double LoadsApart = 0;
  LoopWork Work;

  /// What stands for the grid, for one loop; found once.
  const Representative &standsFor(unsigned Loop) {
    auto [At, New] = Known.try_emplace(Loop);
    if (New)
      At->second = representative(K, Loop, Options);
    return At->second;
  }

  std::optional<int64_t> tripsOf(unsigned Loop) {
    const Representative &R = standsFor(Loop);
    auto At = R.TripCount.find(Loop);
    return At == R.TripCount.end() ? std::nullopt : std::optional(At->second);
  }

  /// How often the reference executes in one iteration of the loop.
  double timesInside(const Access &A) {
    double Times = 1;
    for (std::optional<unsigned> L = A.Loop; L && *L != LoopId;
         L = K.Loops[*L].Parent)
      Times *= double(std::max<int64_t>(1, tripsOf(*L).value_or(UnknownTrips)));
    return Times;
  }

  /// As if each lane used a line of its own, never used before; of 32 words
  /// anywhere, 3.5 are in the bank that holds most, in the mean.
  void addIrregular(const Access &A, double Times) {
    Work.Lookups += WarpLanes * Times;
    Work.BankTurns += 3.5 * Times;
    Work.SectorsStored += A.Writes * WarpLanes * Times;
    Work.SectorsNew += A.Reads * WarpLanes * Times;
    Work.Loads += A.Reads * Times;
    Work.LoadsNew += A.Reads * Times;
  }

  /// Alone.Accesses executed once; std::nullopt if that cannot be counted.
  llvm::Expected<std::optional<Execution>> executeOnce(unsigned Loop) {
    LineWalk Walk(Alone, Loop, standsFor(Loop), Options);
    if (Walk.unknown())
      return std::nullopt;
    int64_t At = standsFor(Loop).Iteration.at(Loop);
    Execution Once;
    LineSet Block, BlockSectors;
    for (int64_t W = 0; W != Walk.warps(); ++W) {
      LineSet Words, Sectors;
      if (llvm::Error E = Walk.add(Words, {W, W + 1}, At, BankBytes))
        return std::move(E);
      if (llvm::Error E = Walk.add(Sectors, {W, W + 1}, At, SectorBytes))
        return std::move(E);
      Words.normalize();
      Sectors.normalize();
      LineSet Lines = Sectors.linesOfSectors();
      Once.BankTurns = std::max(Once.BankTurns, bankTurns(Words));
      Once.SectorsPerWarp = std::max(Once.SectorsPerWarp, Sectors.count());
      Once.LinesPerWarp = std::max(Once.LinesPerWarp, Lines.count());
      Block.unite(Lines);
      BlockSectors.unite(Sectors);
    }
    Once.LinesPerBlock = Block.count();
    Once.SectorsPerBlock = BlockSectors.count();
    return Once;
  }

  llvm::Error add(const Access &A) {
    double Times = timesInside(A);
    Alone.Accesses.assign(1, A);
    std::optional<Execution> Once;
    ReuseInfo Window;
    Window.Loop = LoopId;
    if (A.Offset) {
      llvm::Expected<std::optional<Execution>> Own = executeOnce(*A.Loop);
      if (!Own)
        return Own.takeError();
      Once = *Own;
      const Representative &Rep = standsFor(LoopId);
      LineWalk Walk(Alone, LoopId, Rep, Options);
      if (!Walk.unknown())
        if (llvm::Error E = measureLevel(Window, Walk, Rep, Options))
          return E;
    }
    if (!Once || Window.Iterations == 0)
      addIrregular(A, Times);
    else
      addRegular(A, Times, *Once, Window);
    return llvm::Error::success();
  }

  /// What two references both touch is new once: the fields of a struct.
  llvm::Error countOnce() {
    if (Regular.size() < 2)
      return llvm::Error::success();
    Alone.Accesses = Regular;
    const Representative &Rep = standsFor(LoopId);
    LineWalk Walk(Alone, LoopId, Rep, Options);
    ReuseInfo Window;
    Window.Loop = LoopId;
    if (!Walk.unknown())
      if (llvm::Error E = measureLevel(Window, Walk, Rep, Options))
        return E;
    if (Window.Iterations == 0 || NewApart <= 0)
      return llvm::Error::success();
    double Warps = double(Walk.warps());
    double New = std::min(NewApart, double(Window.SectorsNew) /
                                        double(Window.Iterations) / Warps);
    double Loads = LoadsApart * New / NewApart;
    Work.SectorsNew -= NewApart - New;
    Work.SectorsAgain += NewApart - New;
    Work.LoadsNew -= LoadsApart - Loads;
    Work.LoadsAgain += LoadsApart - Loads;
    return llvm::Error::success();
  }

  void addRegular(const Access &A, double Times, const Execution &Once,
                  const ReuseInfo &Window) {
    Work.Lookups += double(Once.LinesPerWarp) * Times;
    Work.BankTurns += double(Once.BankTurns) * Times;
    if (A.Writes)
      Work.SectorsStored += double(Once.SectorsPerWarp) * Times;
    if (!A.Reads || Window.SectorsTouched == 0)
      return;
    double Iterations = double(Window.Iterations);
    int64_t WholeWarps = (*Options.Block.count() + WarpLanes - 1) / WarpLanes;
    auto Warps = double(WholeWarps);
    // What warps share they fetch once while it stays, but each for itself
    // once it is lost.
    double Sharing =
        std::max(1.0, double(Once.LinesPerWarp) * Warps /
                          double(std::max<int64_t>(1, Once.LinesPerBlock)));
    double Touched =
        double(Window.SectorsTouched) / Iterations * Sharing / Warps;
    double New = double(Window.SectorsNew) / Iterations / Warps;
    // Of the warps that share a sector one waits for it, and of the executions
    // that walk through a sector the first.
    double First =
        std::min(Times, double(Window.SectorsNew) / Iterations /
                            double(std::max<int64_t>(1, Once.SectorsPerBlock)));
    Regular.push_back(A);
    NewApart += New;
    LoadsApart += First / Sharing;
    Work.SectorsNew += New;
    Work.Loads += Times;
    Work.LoadsNew += First / Sharing;
    // A reference that stays where it is is used so often that it stays in L1,
    // too; only those that move can lose their lines.
    if (Window.anyMoving()) {
      Work.SectorsAgain += Touched - New;
      Work.LoadsAgain += (Times - First) / Sharing;
    }
  }
};

} // namespace

llvm::Expected<LoopWork> loopWork(const Kernel &K, unsigned LoopId,
                                  const FootprintOptions &Options) {
  if (LoopId >= K.Loops.size())
    return unknownLoop(LoopId);
  if (Options.Block.count().value_or(0) <= 0)
    return llvm::createStringError("the block size is not known");
  return WorkCount(K, LoopId, Options).run();
}

} // namespace catt
