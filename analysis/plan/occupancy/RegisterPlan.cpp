//===- RegisterPlan.cpp - Registers and blocks of one kernel ---*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/occupancy/RegisterPlan.h"
#include "analysis/plan/throttle/Candidates.h"
#include "analysis/plan/throttle/Setting.h"
#include "analysis/time/TimeModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>
#include <set>

namespace catt {

std::string spelling(const BoundsPlan &Bounds) {
  if (Bounds.Form == BoundsForm::MaxRegisters)
    return llvm::formatv("__maxnreg__({0})", Bounds.Registers).str();
  return llvm::formatv("__launch_bounds__({0}, {1})", Bounds.MaxThreads,
                       Bounds.MinBlocks)
      .str();
}

const Launch *decidingLaunch(const Kernel &K) {
  const Launch *Largest = nullptr;
  for (const Launch &L : K.Launches)
    if (L.Block.count() &&
        (!Largest || *L.Block.count() > *Largest->Block.count()))
      Largest = &L;
  return Largest;
}

//===-- Bounds that are there ---------------------------------------------===//

namespace {
/// A bound of the source or of the flags.
struct ExistingBound {
  std::string Text;
  int64_t Cap = 0; ///< registers per thread that it allows
};
} // namespace

static std::string launchBounds(int64_t MaxThreads,
                                std::optional<int64_t> MinBlocks) {
  if (!MinBlocks)
    return llvm::formatv("__launch_bounds__({0})", MaxThreads).str();
  return spelling({BoundsForm::LaunchBounds, MaxThreads, *MinBlocks});
}

/// CUDA C++ Programming Guide, "Launch Bounds": registers so that MinBlocks
/// blocks of MaxThreads threads can be resident; -maxrregcount is ignored for
/// kernels with launch bounds.
static std::optional<ExistingBound> existingBound(const Kernel &K,
                                                  const RegisterOptions &O) {
  if (K.MaxThreads && *K.MaxThreads > 0)
    return ExistingBound{
        launchBounds(*K.MaxThreads, K.MinBlocks),
        registersForBlocks(O.Gpu, *K.MaxThreads, K.MinBlocks.value_or(1))};
  if (K.MaxRegisters && *K.MaxRegisters > 0)
    return ExistingBound{
        spelling({BoundsForm::MaxRegisters, 0, 0, *K.MaxRegisters}),
        *K.MaxRegisters};
  if (O.CapOfFlags && !K.MaxRegisters)
    return ExistingBound{
        llvm::formatv("-maxrregcount={0}", *O.CapOfFlags).str(), *O.CapOfFlags};
  return std::nullopt;
}

/// Who names a target wants it even where the grid has no more blocks: other
/// kernels may share the SMs.
static BlockResources whateverGrid(BlockResources Block) {
  Block.GridBlocks.reset();
  return Block;
}

/// The kernel under a cap: as it is without one where that needs no more.
static std::optional<RegisterPoint> pointAt(const RegisterUse &Use,
                                            int64_t Cap) {
  if (int64_t(Use.Default.Registers) <= Cap)
    return Use.Default;
  for (const RegisterPoint &P : Use.Caps)
    if (int64_t(P.CapRegisters) == Cap)
      return P;
  return std::nullopt;
}

/// The tightest bound of the same kind, looser than this one, that spills
/// nothing; empty: none is known.
static std::string looserBound(const Kernel &K, const RegisterUse &Use,
                               const ExistingBound &Bound,
                               const RegisterOptions &O) {
  if (K.MaxThreads) {
    for (int64_t T = K.MinBlocks.value_or(1) - 1; T >= 1; --T)
      if (auto P = pointAt(Use, registersForBlocks(O.Gpu, *K.MaxThreads, T));
          P && !P->spills())
        return launchBounds(*K.MaxThreads, T);
    return "";
  }
  for (const RegisterPoint &P : Use.Caps) // ascending: the tightest first
    if (int64_t(P.CapRegisters) > Bound.Cap && !P.spills())
      return llvm::formatv("-maxrregcount={0}", P.CapRegisters).str();
  return "";
}

static std::optional<ForcedSpill> forcedSpill(const Kernel &K,
                                              const RegisterUse &Use,
                                              const ExistingBound &Bound,
                                              const RegisterOptions &O) {
  std::optional<RegisterPoint> Under = pointAt(Use, Bound.Cap);
  if (!Under || !Under->spills() || Use.Default.spills())
    return std::nullopt;
  ForcedSpill F;
  F.Bound = Bound.Text;
  F.Under = *Under;
  F.Needed = Use.Default.Registers;
  if (!Use.Peaks.empty())
    llvm::copy_if(Use.Peaks.front().Live, std::back_inserter(F.Values),
                  [](const LiveValue &V) { return !V.TouchedInPeak; });
  llvm::stable_sort(F.Values, [](const LiveValue &A, const LiveValue &B) {
    return A.Registers > B.Registers;
  });
  F.Instead = looserBound(K, Use, Bound, O);
  return F;
}

//===-- What limits residency ---------------------------------------------===//

/// No compiler takes fewer (ptxas raises the cap).
constexpr unsigned LeastCap = 16;

/// What ptxas takes over the estimate, for four of five kernels: the 10th and
/// the 90th percentile of the public kernels in
/// docs/results/registers-accuracy.json, by what was estimated. Of the 270 for
/// which fewer than 32 were, none took more than 32; of the 81 with 32, 7 did;
/// more were estimated for 57.
static RegisterRange aroundEstimate(int64_t Registers) {
  auto Times = [&](double Ratio) {
    return int64_t(std::lround(double(Registers) * Ratio));
  };
  constexpr int64_t Stair = 32;
  RegisterRange R{Registers, 0, 0, Origin::Estimated};
  if (Registers < Stair) {
    R.Least = Times(0.75);
    R.Most = std::min(Times(1.30), Stair);
  } else if (Registers == Stair) {
    R.Least = Times(0.81);
    R.Most = Stair;
  } else {
    R.Least = Times(0.78);
    R.Most = Times(1.25);
  }
  return R;
}

static RegisterRange under(RegisterRange R, int64_t Cap) {
  for (int64_t *Each : {&R.Likely, &R.Least, &R.Most})
    *Each = std::min(*Each, Cap);
  return R;
}

RegisterRange registersOf(const Kernel &K, const RegisterUse &Use,
                          const RegisterOptions &O) {
  RegisterPoint Now = Use.Default;
  std::optional<ExistingBound> Bound = existingBound(K, O);
  if (Bound)
    if (std::optional<RegisterPoint> Under = pointAt(Use, Bound->Cap))
      Now = *Under;
  int64_t Cap = O.Gpu.MaxRegistersPerThread;
  if (Bound)
    Cap = std::min(Cap, std::max<int64_t>(Bound->Cap, LeastCap));
  int64_t Taken = Now.Registers;
  bool Readable = !K.MaxRegisters || *K.MaxRegisters > 0;
  if (Now.From == Origin::Measured && Taken <= Cap && Readable)
    return {Taken, Taken, Taken, Origin::Measured};
  RegisterRange R = aroundEstimate(Use.Default.Registers);
  if (Use.Default.From == Origin::Measured)
    R.Likely = R.Least = R.Most = Use.Default.Registers;
  if (!Readable)
    R.Least = std::min<int64_t>(R.Least, LeastCap);
  return under(R, Cap);
}

RegisterRange anyRegisters(const Kernel &K, const RegisterOptions &O) {
  int64_t Most = O.Gpu.MaxRegistersPerThread;
  if (std::optional<ExistingBound> Bound = existingBound(K, O))
    Most = std::min(Most, std::max<int64_t>(Bound->Cap, LeastCap));
  int64_t Least = std::min(Most, minRegisters(O.Gpu));
  return {Least, Least, Most, Origin::Estimated};
}

std::vector<unsigned> capsOfBounds(const Kernel &K, const RegisterOptions &O) {
  std::optional<ExistingBound> Bound = existingBound(K, O);
  if (!Bound || Bound->Cap < LeastCap ||
      Bound->Cap >= O.Gpu.MaxRegistersPerThread)
    return {};
  return {unsigned(Bound->Cap)};
}

std::vector<unsigned> capsToAsk(const Kernel &K, const Launch &L,
                                const RegisterOptions &O) {
  std::set<unsigned> Caps;
  BlockResources Block = blockOf(K, L);
  auto Stairs = staircase(O.Gpu, O.Target ? whateverGrid(Block) : Block,
                          O.Gpu.MaxRegistersPerThread);
  if (!Stairs) {
    llvm::consumeError(Stairs.takeError());
    return {};
  }
  // The loosest, too: without any cap ptxas often stops before it.
  for (const Stair &S : *Stairs)
    Caps.insert(unsigned(S.Registers));
  if (std::optional<ExistingBound> Bound = existingBound(K, O)) {
    for (int64_t T = 1; K.MaxThreads && T <= K.MinBlocks.value_or(1); ++T)
      Caps.insert(unsigned(registersForBlocks(O.Gpu, *K.MaxThreads, T)));
    Caps.insert(unsigned(Bound->Cap));
  }
  Caps.erase(Caps.begin(), Caps.lower_bound(LeastCap));
  return {Caps.begin(), Caps.end()};
}

//===-- OptTLP ------------------------------------------------------------===//

/// The loop is inside another one that is counted with it.
static bool isCovered(const LoopProfile &P,
                      const std::vector<LoopProfile> &All) {
  return llvm::any_of(llvm::drop_begin(P.Levels), [&](const auto &Outer) {
    return llvm::any_of(All, [&](const LoopProfile &Other) {
      return Other.Loop == Outer.Loop && Other.Work;
    });
  });
}

std::optional<int64_t> optimalBlocks(const std::vector<LoopProfile> &Profiles,
                                     const Residency &Most, const Device &Gpu) {
  MemoryRates Rates = memoryRates(Gpu);
  std::vector<const LoopProfile *> Contending;
  for (const LoopProfile &P : Profiles)
    if (P.Work && !P.Levels.empty() && !isCovered(P, Profiles))
      Contending.push_back(&P);
  if (Contending.empty())
    return std::nullopt;
  auto Cycles = [&](int64_t Blocks) {
    double Sum = 0;
    for (const LoopProfile *P : Contending) {
      int64_t Bytes = footprintBytes(P->Levels.front(), Most.WarpsPerBlock,
                                     Blocks, /*PaperRule=*/false);
      Sum += cyclesPerWarp({{{*P->Work, Bytes, 1}},
                            Most.WarpsPerBlock,
                            Most.WarpsPerBlock,
                            Blocks,
                            Most.L1Bytes},
                           Gpu, Rates);
    }
    return Sum;
  };
  int64_t Best = Most.BlocksPerSM;
  for (int64_t Blocks = Best - 1; Blocks >= 1; --Blocks)
    if (Cycles(Blocks) < Cycles(Best))
      Best = Blocks;
  return Best;
}

//===-- The plan ----------------------------------------------------------===//

/// T of a launch bound that means this cap: the most blocks that it admits.
static int64_t blocksMeant(const Device &Gpu, int64_t Threads, int64_t Cap) {
  int64_t T = 1;
  while ((T + 1) * Threads <= Gpu.MaxThreadsPerSM &&
         registersForBlocks(Gpu, Threads, T + 1) >= Cap)
    ++T;
  return T;
}

std::optional<Refusal> unseenLaunch(const Kernel &K, const RegisterOptions &O) {
  if (!K.AllLaunchesVisible)
    return Refusal{Reason::LaunchedElsewhere, K.Where, ""};
  if (!O.InMainFile)
    return Refusal{Reason::LaunchedElsewhere, K.Where,
                   "every file that includes the header may launch the kernel"};
  for (const Launch &L : K.Launches)
    if (!L.Block.count())
      return Refusal{Reason::LaunchedElsewhere, L.Where,
                     "the block of " + L.Text + " is known only at run time"};
  return std::nullopt;
}

void choosePoint(const Kernel &K, size_t Point, const RegisterOptions &O,
                 RegisterPlan &Plan) {
  Plan.Chosen = Point;
  Plan.Bounds.reset();
  Plan.Refusals.clear();
  const RegisterPoint &Chosen = Plan.chosen().Compiled;
  bool Bound = K.MaxThreads.has_value();
  if (Plan.Chosen == 0 ||
      (Bound && Plan.Current.Compiled.CapRegisters == Chosen.CapRegisters))
    return;
  BoundsPlan B;
  B.Form = O.Form;
  B.MaxThreads = *Plan.Deciding.Block.count();
  B.Registers = Chosen.CapRegisters;
  B.MinBlocks = blocksMeant(O.Gpu, B.MaxThreads, B.Registers);
  B.Replaces = Bound;
  B.Force = O.Force;
  Plan.Bounds = B;
  if (O.Form == BoundsForm::MaxRegisters && O.LacksMaxnreg)
    Plan.Refusals.push_back({Reason::ToolkitTooOld, K.Where, "__maxnreg__"});
  // A second form beside launch bounds would be ignored or an error.
  if (Bound && (!O.Force || O.Form == BoundsForm::MaxRegisters))
    Plan.Refusals.push_back({Reason::BoundsExist, K.Where,
                             launchBounds(*K.MaxThreads, K.MinBlocks)});
  if (O.Force)
    return;
  if (Chosen.From != Origin::Measured)
    Plan.Refusals.push_back({Reason::RegistersEstimated, K.Where, ""});
  if (O.Form == BoundsForm::LaunchBounds)
    if (std::optional<Refusal> R = unseenLaunch(K, O))
      Plan.Refusals.push_back(*R);
}

/// The roomiest point that takes at most so many registers; if each takes more,
/// the one that takes the fewest.
static size_t pointWithin(const std::vector<DesignPoint> &Points,
                          int64_t Target) {
  auto Registers = [&](size_t I) {
    return int64_t(Points[I].Compiled.Registers);
  };
  size_t Best = 0;
  for (size_t I = 1; I < Points.size(); ++I)
    if (Registers(Best) > Target
            ? Registers(I) < Registers(Best)
            : Registers(I) <= Target && Registers(I) > Registers(Best))
      Best = I;
  return Best;
}

/// The points of a kernel, fewest blocks first; none where no block fits.
static std::vector<DesignPoint> pointsOf(const Device &Gpu,
                                         const BlockResources &Block,
                                         const RegisterUse &Use) {
  auto Points = designPoints(Gpu, Block, Use);
  if (Points)
    return std::move(*Points);
  llvm::consumeError(Points.takeError());
  return {};
}

/// The points, and the one that the user's target or else the selector takes.
static void takePoint(const SelectorInput &In, const BlockResources &Block,
                      const RegisterUse &Use, const RegisterOptions &Options,
                      RegisterPlan &Plan) {
  Plan.In = In;
  for (const Selector &By : allSelectors()) {
    Plan.Selections.push_back(By.Select(In));
    if (By == Options.By)
      Plan.Chosen = Plan.Selections.back().Point;
  }
  Plan.Points = In.Points;
  if (Options.Target) {
    if (auto All = pointsOf(Options.Gpu, whateverGrid(Block), Use);
        !All.empty())
      Plan.Points = std::move(All);
    Plan.Chosen = pointWithin(Plan.Points, *Options.Target);
  }
  llvm::append_range(Plan.Points, In.Roomier);
}

/// The kernel under its own bounds. False: no block fits so.
static bool fillCurrent(const Kernel &K, const RegisterUse &Use,
                        BlockResources Block, const RegisterOptions &Options,
                        RegisterPlan &Plan) {
  Plan.Current = Plan.Points.front();
  if (std::optional<ExistingBound> Bound = existingBound(K, Options)) {
    Plan.Forced = forcedSpill(K, Use, *Bound, Options);
    if (std::optional<RegisterPoint> P = pointAt(Use, Bound->Cap))
      Plan.Current.Compiled = *P;
  }
  Block.RegistersPerThread = Plan.Current.Compiled.Registers;
  llvm::Expected<Residency> Before = residency(Options.Gpu, Block);
  if (!Before) {
    llvm::consumeError(Before.takeError());
    return false;
  }
  Plan.Before = *Before;
  Plan.Current.Blocks = Before->BlocksPerSM;
  return true;
}

/// The blocks of each launch; empty: they differ, or are not known.
static std::optional<int64_t> gridOf(const Kernel &K) {
  std::optional<int64_t> Blocks;
  for (const Launch &L : K.Launches) {
    if (!L.Grid.count() || (Blocks && *Blocks != *L.Grid.count()))
      return std::nullopt;
    Blocks = L.Grid.count();
  }
  return Blocks;
}

std::optional<RegisterPlan> planRegisters(const Kernel &K,
                                          const RegisterUse &Use,
                                          const InstructionMix &Mix,
                                          std::optional<int64_t> OptBlocks,
                                          const RegisterOptions &Options) {
  const Launch *L = decidingLaunch(K);
  if (!L)
    return std::nullopt;
  BlockResources Block = blockOf(K, *L);
  std::vector<DesignPoint> Points = pointsOf(Options.Gpu, Block, Use);
  if (Points.empty())
    return std::nullopt;
  RegisterPlan Plan;
  Plan.Deciding = *L;
  Plan.By = Options.By;
  Plan.Target = Options.Target;
  takePoint({Options.Gpu, Block.Threads,
             Block.StaticSharedBytes + Block.DynamicSharedBytes,
             std::move(Points), roomierPoints(Options.Gpu, Block, Use),
             Use.MaxLive, Mix, OptBlocks, Options.MinGain, gridOf(K)},
            Block, Use, Options, Plan);
  if (!fillCurrent(K, Use, Block, Options, Plan))
    return std::nullopt;
  choosePoint(K, Plan.Chosen, Options, Plan);
  return Plan;
}

} // namespace catt
