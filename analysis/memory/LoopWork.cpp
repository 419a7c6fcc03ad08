//===- LoopWork.cpp - What an iteration asks of the memory -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/memory/LoopWork.h"
#include "analysis/memory/Reuse.h"
#include "analysis/nest/Nest.h"
#include "llvm/ADT/STLExtras.h"

namespace catt {
namespace {

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

LineSet sectorsOfWords(const LineSet &Words) {
  constexpr unsigned Shift = 3;
  static_assert(SectorBytes == BankBytes << Shift);
  LineSet Sectors;
  for (const LineInterval &I : Words.intervals()) // right shifts round down
    Sectors.add({I.Base, I.Lo >> Shift, I.Hi >> Shift});
  return Sectors;
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
    Innermost = isInnermost(K, LoopId);
  }

  llvm::Expected<LoopWork> run() {
    Work.Iterations = tripsOf(LoopId);
    Work.HoldsBack = holdsBack(K, LoopId);
    std::vector<const Access *> Seen;
    for (const Access &A : K.Accesses) {
      if (!isInside(K, A.Loop, LoopId) || A.Space != AddressSpace::Global)
        continue;
      bool Twice = llvm::any_of(Seen, [&](const Access *B) {
        return A.Offset && A.BaseId == B->BaseId && *A.Offset == *B->Offset;
      });
      if (!A.ThroughL1 || Twice)
        continue;
      if (A.Offset)
        Seen.push_back(&A);
      if (Options.isSpent())
        break;
      if (llvm::Error E = add(A))
        return std::move(E);
    }
    if (llvm::Error E = countOnce())
      return std::move(E);
    if (Options.isSpent())
      return llvm::createStringError(K.Loops[LoopId].Header);
    return Work;
  }

private:
  const Kernel &K;
  unsigned LoopId;
  const FootprintOptions &Options;
  Kernel Alone; ///< the same loops, one reference at a time
  std::map<unsigned, Representative> Known;
  std::vector<Access> Regular; ///< that read
  double NewApart = 0;         ///< sectors: each of these by itself
  double LoadsApart = 0;       ///< loads that meet those
  std::vector<Access> Moving;  ///< of Regular
  double Touched = 0;          ///< sectors in an iteration: each of Moving
  double LoadsTouched = 0;     ///< loads that meet those first
  double Executed = 0;         ///< sectors of each execution of each of Moving
  double LoadsExecuted = 0;
  bool Innermost = true;
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

  /// The walk's references, executed once.
  llvm::Expected<Execution> executeOnce(LineWalk &Walk, unsigned Loop) {
    int64_t At = standsFor(Loop).Iteration.at(Loop);
    Execution Once;
    LineSet Block, BlockSectors;
    for (int64_t W = 0; W != Walk.warps(); ++W) {
      LineSet Words;
      if (llvm::Error E = Walk.add(Words, {W, W + 1}, At, BankBytes))
        return std::move(E);
      Words.normalize();
      LineSet Sectors = sectorsOfWords(Words);
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
    if (!A.Offset) {
      addIrregular(A, Times);
      return llvm::Error::success();
    }
    Alone.Accesses.assign(1, A);
    const unsigned Own = *A.Loop;
    LineWalk Execute(Alone, Own, standsFor(Own), Options);
    std::optional<LineWalk> Outside;
    LineWalk &Walk =
        Own == LoopId
            ? Execute
            : Outside.emplace(Alone, LoopId, standsFor(LoopId), Options);
    SectorWindow Window;
    if (!Execute.unknown() && !Walk.unknown()) {
      llvm::Expected<SectorWindow> Counted =
          countSectors(Walk, LoopId, standsFor(LoopId), Options);
      if (!Counted)
        return Counted.takeError();
      Window = *Counted;
    }
    if (Window.Iterations == 0) {
      addIrregular(A, Times);
      return llvm::Error::success();
    }
    return addRegular(A, Times, Execute, Walk, Window);
  }

  /// How many times as many executions of Alone.Accesses meet a new sector as
  /// if all lanes met theirs in the same one. Rows of whole sectors: 1. Rows
  /// that begin at all 8 places of a sector of words: 8, each time other lanes.
  llvm::Expected<double> lanesApart(LineWalk &Walk, unsigned Loop,
                                    const Execution &Once) {
    auto [First, Count] =
        reuseWindow(Walk.steps(), Loop, standsFor(Loop), Options);
    LineSet Seen;
    int64_t Meetings = 0, New = 0;
    for (int64_t I = First; I < First + Count && !Walk.unknown(); ++I) {
      const int64_t Before = Seen.count();
      LineSet Now;
      if (llvm::Error E = Walk.add(Now, {0, 1}, I, SectorBytes))
        return std::move(E);
      Now.normalize();
      Seen.unite(Now);
      if (I == First)
        continue;
      Meetings += Seen.count() > Before;
      New += Seen.count() - Before;
    }
    if (New == 0)
      return 1;
    return std::max(1.0, double(Meetings) * double(Once.SectorsPerWarp) /
                             double(New));
  }

  /// Sectors that a warp touches in one iteration of the loop, in the mean over
  /// the block's warps, by all of the walk's references together.
  llvm::Expected<double> sectorsPerWarp(LineWalk &Walk) {
    int64_t Sum = 0;
    for (int64_t W = 0; W != Walk.warps() && !Walk.unknown(); ++W) {
      LineSet Sectors;
      if (llvm::Error E =
              Walk.add(Sectors, {W, W + 1},
                       standsFor(LoopId).Iteration.at(LoopId), SectorBytes))
        return std::move(E);
      Sectors.normalize();
      Sum += Sectors.count();
    }
    return double(Sum) / double(std::max<int64_t>(1, Walk.warps()));
  }

  /// What two references both touch is new once (the fields of a struct), and
  /// cannot be lost between the two: the iteration touches it once.
  llvm::Error countOnce() {
    if (Moving.size() > 1) {
      Alone.Accesses = Moving;
      LineWalk Walk(Alone, LoopId, standsFor(LoopId), Options);
      llvm::Expected<double> Union = sectorsPerWarp(Walk);
      if (!Union)
        return Union.takeError();
      if (*Union > 0 && *Union < Touched) {
        LoadsTouched *= *Union / Touched;
        Touched = *Union;
      }
    }
    double New = NewApart, LoadsNew = LoadsApart;
    if (Regular.size() > 1 && NewApart > 0) {
      Alone.Accesses = Regular;
      const Representative &Rep = standsFor(LoopId);
      LineWalk Walk(Alone, LoopId, Rep, Options);
      SectorWindow Window;
      if (!Walk.unknown()) {
        llvm::Expected<SectorWindow> Counted =
            countSectors(Walk, LoopId, Rep, Options);
        if (!Counted)
          return Counted.takeError();
        Window = *Counted;
      }
      if (Window.Iterations > 0) {
        New =
            std::min(NewApart, double(Window.New) / double(Window.Iterations) /
                                   double(Walk.warps()));
        LoadsNew = LoadsApart * New / NewApart;
      }
    }
    Work.SectorsNew += New;
    Work.LoadsNew += LoadsNew;
    Work.SectorsAgain += std::max(0.0, Touched - New);
    Work.LoadsAgain += std::max(0.0, LoadsTouched - LoadsNew);
    if (Innermost) {
      Work.SectorsTwice += std::max(0.0, Executed - Touched);
      Work.LoadsTwice += std::max(0.0, LoadsExecuted - LoadsTouched);
    }
    return llvm::Error::success();
  }

  /// True if the loop, or one inside that the reference stands in, moves it.
  bool moves(const Access &A) const {
    for (std::optional<unsigned> L = A.Loop; L; L = K.Loops[*L].Parent) {
      if (A.Offset->mentionsIterator(*L))
        return true;
      if (*L == LoopId)
        break;
    }
    return false;
  }

  /// Execute: of the loop that A stands in; Walk: of LoopId.
  llvm::Error addRegular(const Access &A, double Times, LineWalk &Execute,
                         LineWalk &Walk, const SectorWindow &Window) {
    llvm::Expected<Execution> Counted = executeOnce(Execute, *A.Loop);
    if (!Counted)
      return Counted.takeError();
    const Execution &Once = *Counted;
    Work.Lookups += double(Once.LinesPerWarp) * Times;
    Work.BankTurns += double(Once.BankTurns) * Times;
    if (A.Writes)
      Work.SectorsStored += double(Once.SectorsPerWarp) * Times;
    if (!A.Reads || Window.Touched == 0)
      return llvm::Error::success();
    double Iterations = double(Window.Iterations);
    int64_t WholeWarps = (*Options.Block.count() + WarpLanes - 1) / WarpLanes;
    auto Warps = double(WholeWarps);
    // Of the warps that share a sector one waits for it the first time.
    double Sharing =
        std::max(1.0, double(Once.LinesPerWarp) * Warps /
                          double(std::max<int64_t>(1, Once.LinesPerBlock)));
    double New = double(Window.New) / Iterations / Warps;
    llvm::Expected<double> Apart = lanesApart(Execute, *A.Loop, Once);
    if (!Apart)
      return Apart.takeError();
    // Of the executions that walk through a sector the first waits.
    double First =
        std::min(Times, *Apart * double(Window.New) / Iterations /
                            double(std::max<int64_t>(1, Once.SectorsPerBlock)));
    Regular.push_back(A);
    NewApart += New;
    LoadsApart += First / Sharing;
    Work.Loads += Times;
    // A reference that stays where it is is used so often that it stays in L1,
    // too; only those that move can lose their lines.
    if (!moves(A))
      return llvm::Error::success();
    // What warps share they fetch once while it stays, but each for itself
    // once it is lost.
    llvm::Expected<double> Own = sectorsPerWarp(Walk);
    if (!Own)
      return Own.takeError();
    Moving.push_back(A);
    Executed += double(Once.SectorsPerWarp) * Times;
    LoadsExecuted += Times;
    Touched += *Own;
    LoadsTouched +=
        std::min(Times, *Apart * *Own /
                            double(std::max<int64_t>(1, Once.SectorsPerWarp)));
    return llvm::Error::success();
  }
};

} // namespace

/// What points there is the only way to it, as far as the compiler knows.
static bool isRestrict(const Kernel &K, const Access &A) {
  return llvm::any_of(K.Parameters, [&](const Parameter &P) {
    return P.IsRestrict && P.Name == A.Base;
  });
}

bool holdsBack(const Kernel &K, unsigned LoopId) {
  std::vector<const Access *> Inside;
  for (const Access &A : K.Accesses)
    if (A.Space == AddressSpace::Global && isInside(K, A.Loop, LoopId))
      Inside.push_back(&A);
  return llvm::any_of(Inside, [&](const Access *Store) {
    return Store->Writes && !isRestrict(K, *Store) &&
           llvm::any_of(Inside, [&](const Access *Load) {
             return Load->Reads && !Load->Writes &&
                    Load->BaseId != Store->BaseId && !isRestrict(K, *Load);
           });
  });
}

llvm::Expected<LoopWork> loopWork(const Kernel &K, unsigned LoopId,
                                  const FootprintOptions &Options) {
  if (LoopId >= K.Loops.size())
    return unknownLoop(LoopId);
  if (Options.Block.count().value_or(0) <= 0)
    return llvm::createStringError("the block size is not known");
  return WorkCount(K, LoopId, Options).run();
}

} // namespace catt
