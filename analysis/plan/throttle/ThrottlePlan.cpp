//===- ThrottlePlan.cpp - Warps and blocks per loop -----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/throttle/ThrottlePlan.h"
#include "analysis/nest/Nest.h"
#include "analysis/plan/throttle/Force.h"
#include "analysis/plan/throttle/Prediction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <set>

using namespace llvm;

namespace catt {
namespace {

/// What planThrottle was given.
struct Input {
  const Kernel &K;
  const std::vector<LoopProfile> &Profiles;
  const Residency &Before;
  const ThrottleOptions &Options;
  MemoryRates Rates;
  const SecondOpinion &Ask;
};

/// How a loop fares under one BlockChoice.
enum class Outcome : uint8_t {
  Fine,      ///< nothing to do, or nothing known
  Split,     ///< into groups of Plan.WarpsPerGroup
  Covered,   ///< by the split of a loop around it
  Contended, ///< and nothing is done about it: Plan.Why says why
  GivenUp,   ///< contended inside a loop that cannot fit (the paper's rule)
};

struct LoopState {
  LoopPlan Plan;
  Outcome Result = Outcome::Fine;
  unsigned CoveredBy = 0; ///< the loop that is split
};

const LevelFootprint *ownLevel(const Input &In, unsigned Loop) {
  const LoopProfile *P = profileOf(In.Profiles, Loop);
  return P && !P->Levels.empty() ? &P->Levels.front() : nullptr;
}

double cycles(const Input &In, const Loop &L, const Candidate &C) {
  return predictedCycles(In.K, In.Profiles, L.Id, C, In.Options, In.Rates);
}

/// For one number of blocks, with the most warps first.
std::vector<TimedCandidate> timesOf(const Input &In, const Loop &L,
                                    const BlockChoice &Blocks) {
  return predictedTimes(In.K, In.Profiles, L.Id, Blocks, In.Options, In.Rates);
}

Candidate undivided(const Input &In, const Loop &L, const BlockChoice &Blocks) {
  return makeCandidate(*ownLevel(In, L.Id), Blocks.After.WarpsPerBlock, Blocks,
                       In.Options);
}

/// Why there is no footprint to judge by.
std::optional<Refusal> withoutFootprint(const Input &In, const Loop &L) {
  if (const LevelFootprint *Level = ownLevel(In, L.Id)) {
    if (Level->LinesPerBlock == 0 && Level->LinesPerWarp == 0)
      return Refusal{Reason::NoGlobalAccess, L.Where, ""};
    return std::nullopt;
  }
  const LoopProfile *P = profileOf(In.Profiles, L.Id);
  if (P && P->Unknown)
    return P->Unknown;
  return Refusal{P ? Reason::NoGlobalAccess : Reason::UnknownLaunch, L.Where,
                 ""};
}

/// Why a contended loop cannot be split into groups.
std::optional<Refusal> notSplittable(const Input &In, const Loop &L) {
  if (!L.Refusals.empty())
    return L.Refusals.front();
  if (!In.Options.MaySplit)
    return Refusal{Reason::NotSelected, L.Where, ""};
  if (!L.Site)
    return Refusal{Reason::DivergentBarrier, L.Where, ""};
  if (const int64_t Threads =
          std::max(largestBlockInSight(In.K), In.Options.Block.Threads);
      !hasRegisters(In.K, In.Options.Gpu, Threads, SplitRegisters))
    return Refusal{Reason::NotEnoughRegisters, L.Where,
                   std::to_string(Threads) + " threads"};
  if (L.Site->NeedsSm70 && !In.Options.Gpu.barrierCountsLiveThreads())
    return Refusal{Reason::ThreadsExitedEarly, L.Where, ""};
  if (!In.K.Refusals.empty())
    return In.K.Refusals.front();
  return std::nullopt;
}

/// True if a loop inside overflows by itself and can be split.
bool contendsInside(const Input &In, const Loop &L, const BlockChoice &Blocks) {
  for (const Loop &Each : In.K.Loops) {
    if (Each.Id == L.Id || !isInside(In.K, Each.Id, L.Id))
      continue;
    const LevelFootprint *Level = ownLevel(In, Each.Id);
    if (Level && Level->Reuse && !notSplittable(In, Each) &&
        !undivided(In, Each, Blocks).fits())
      return true;
  }
  return false;
}

void divide(const Loop &L, const Candidate &C, LoopState &State) {
  State.Result = Outcome::Split;
  State.CoveredBy = L.Id;
  State.Plan.Groups = C.Groups;
  State.Plan.WarpsPerGroup = C.WarpsPerGroup;
  State.Plan.FootprintBytesAfter = C.FootprintBytes;
}

/// A contended loop whose times can be predicted.
void decideByTime(const Input &In, const Loop &L, const BlockChoice &Blocks,
                  LoopState &State) {
  std::vector<TimedCandidate> Times = timesOf(In, L, Blocks);
  double Before = Times.front().Cycles;
  const auto &[Best, After] = fastest(Times);
  // Barriers around a loop that stays lost would serve the loops inside: those
  // are split themselves.
  if (contendsInside(In, L, Blocks) && Best.Groups > 1 &&
      lostShare(double(Best.FootprintBytes), double(Best.L1Bytes),
                In.Rates.Slope) >= 1) {
    State.Plan.Why =
        Refusal{Reason::CannotFit, L.Where,
                formatv("the best choice touches {0}, L1 has {1}",
                        kib(Best.FootprintBytes), kib(Best.L1Bytes))};
    return;
  }
  State.Plan.PredictedGain = Before / After;
  State.Plan.GainError = In.Rates.GainError;
  State.Plan.RatesOfAnother = In.Rates.From != Origin::Measured;
  const LoopWork &Work = *profileOf(In.Profiles, L.Id)->Work;
  if (Best.Groups == 1 ||
      Before < After * (1 + In.Options.minGain(Work.HoldsBack))) {
    State.Plan.Why =
        Refusal{Reason::SmallGain, L.Where,
                formatv("the best choice is predicted to gain {0:f0} %",
                        Best.Groups == 1 ? 0 : 100 * (Before / After - 1))};
    return;
  }
  if (!In.Options.MinGain)
    State.Plan.Why = veto(In.Ask, In.K, L, Times.front().Choice, Best,
                          Before / After, Work.HoldsBack);
  if (State.Plan.Why)
    return;
  divide(L, Best, State);
  State.Plan.MostWarps = mostWarps(Times, {Best, After});
}

/// A contended loop: split it, or say why not.
void decideContended(const Input &In, const Loop &L, const BlockChoice &Blocks,
                     LoopState &State) {
  const LevelFootprint &Level = *ownLevel(In, L.Id);
  State.Result = Outcome::Contended;
  State.Plan.Why = notSplittable(In, L);
  // Fewer warps may be there already: throttled, such kernels took 0.67 to 1.5
  // times their time on an H200, half of them more (docs/model.md).
  if (const Access *Data = decidedByData(In.K, L.Id);
      Data && !State.Plan.Why && !In.Options.PaperRule && !In.Options.MayGuess)
    State.Plan.Why =
        Refusal{Reason::DataDecides, L.Where, "as for '" + Data->Text + "'"};
  if (State.Plan.Why)
    return;
  const LoopProfile &Profile = *profileOf(In.Profiles, L.Id);
  if (Profile.Work && !In.Options.PaperRule)
    return decideByTime(In, L, Blocks, State);
  if (auto C = mostWarps(Level, Blocks, In.Options))
    return divide(L, *C, State);
  int64_t T = Blocks.After.BlocksPerSM;
  std::string Who = T == 1 ? std::string("one warp of one block")
                           : formatv("one warp of each of {0} blocks", T).str();
  State.Plan.Why =
      Refusal{Reason::CannotFit, L.Where,
              formatv("{0} touches {1}, L1 has {2}", Who,
                      kib(footprintBytes(Level, 1, T, In.Options.PaperRule)),
                      kib(l1Of(Blocks.After, In.Options)))};
}

/// A loop that --force decides, where that is possible at all.
void decideByForce(const Input &In, const Loop &L, const ForcedChoice &F,
                   const BlockChoice &Blocks, LoopState &State) {
  State.Plan.Why = notSplittable(In, L);
  if (F.Groups == 1)
    State.Plan.Why = Refusal{Reason::Forced, L.Where, ""};
  if (State.Plan.Why || F.Groups > Blocks.After.WarpsPerBlock)
    return;
  const LevelFootprint *Level = ownLevel(In, L.Id);
  divide(L,
         makeCandidate(Level ? *Level : LevelFootprint(),
                       divideCeil(Blocks.After.WarpsPerBlock, F.Groups), Blocks,
                       In.Options),
         State);
}

/// The loop by itself, whatever is done to the loops around it.
LoopState stateAlone(const Input &In, const Loop &L,
                     const BlockChoice &Blocks) {
  const Residency &R = Blocks.After;
  LoopState State;
  State.Plan.Loop = L.Id;
  State.Plan.WarpsPerGroup = R.WarpsPerBlock;
  const ForcedChoice *Forced = forcedOn(L, In.Options.Forced);
  State.Plan.Why = withoutFootprint(In, L);
  if (State.Plan.Why) {
    if (Forced)
      decideByForce(In, L, *Forced, Blocks, State);
    return State;
  }
  const LevelFootprint &Level = *ownLevel(In, L.Id);
  auto Bytes = [&](const Residency &Of) {
    return footprintBytes(Level, Of.WarpsPerBlock, Of.BlocksPerSM,
                          In.Options.PaperRule);
  };
  State.Plan.LinesPerWarp = Level.LinesPerWarp;
  State.Plan.FootprintBytes = Bytes(In.Before);
  State.Plan.FootprintBytesAfter = Bytes(R);
  int64_t L1 = l1Of(R, In.Options);
  const Access *Irregular = irregularIn(In.K, L.Id);
  if (Forced)
    decideByForce(In, L, *Forced, Blocks, State);
  else if (Irregular &&
           (!Level.Reuse || Bytes(R) <= L1)) // they count one line each
    State.Plan.Why = *Irregular->Irregularity;
  else if (!Level.Reuse)
    State.Plan.Why = Refusal{Reason::NoReuse, L.Where, ""};
  else if (Bytes(R) <= L1)
    State.Plan.Why = Refusal{Reason::Fits, L.Where,
                             formatv("{0} of {1}", kib(Bytes(R)), kib(L1))};
  else
    decideContended(In, L, Blocks, State);
  return State;
}

/// Of the warps that run at a time.
int64_t bytesWith(const Input &In, const LoopPlan &Plan,
                  const BlockChoice &Blocks) {
  const LevelFootprint *Level = ownLevel(In, Plan.Loop);
  return Level ? footprintBytes(*Level, Plan.WarpsPerGroup,
                                Blocks.After.BlocksPerSM, In.Options.PaperRule)
               : 0;
}

/// A loop inside a split one runs with its warps and needs nothing of its own.
void coverBy(const Input &In, const LoopState &Outer, const BlockChoice &Blocks,
             LoopState &State) {
  LoopPlan &Plan = State.Plan;
  if (State.Result != Outcome::Fine)
    Plan.Why = Refusal{Reason::CoveredByOther, In.K.Loops[Plan.Loop].Where,
                       formatv("that of the loop at line {0}",
                               In.K.Loops[Outer.CoveredBy].Where.Line)};
  Plan.Groups = 1;
  Plan.WarpsPerGroup = Outer.Plan.WarpsPerGroup;
  Plan.FootprintBytesAfter = bytesWith(In, Plan, Blocks);
  State.Result = Outcome::Covered;
  State.CoveredBy = Outer.CoveredBy;
}

/// The nearest loop around L that cannot fit.
const LoopState *givenUpAround(const Input &In, const Loop &L,
                               const std::vector<LoopState> &States) {
  for (auto Outer = L.Parent; Outer && *Outer < States.size();
       Outer = In.K.Loops[*Outer].Parent) {
    const LoopState &State = States[*Outer];
    if (State.Result == Outcome::Contended &&
        State.Plan.Why->Kind == Reason::CannotFit)
      return &State;
  }
  return nullptr;
}

/// The paper leaves a nest alone whose outer loop cannot fit.
void giveUpWith(const Input &In, const LoopState &Outer,
                const BlockChoice &Blocks, LoopState &State) {
  if (State.Result == Outcome::Fine)
    return;
  LoopPlan &Plan = State.Plan;
  Plan.Why = Outer.Plan.Why;
  Plan.Groups = 1;
  Plan.WarpsPerGroup = Blocks.After.WarpsPerBlock;
  Plan.FootprintBytesAfter = bytesWith(In, Plan, Blocks);
  State.Result = Outcome::GivenUp;
}

/// All loops, outer before inner, under one number of blocks.
std::vector<LoopState> statesFor(const Input &In, const BlockChoice &Blocks) {
  std::vector<LoopState> States;
  for (const Loop &L : In.K.Loops) {
    LoopState State = stateAlone(In, L, Blocks);
    const LoopState *Parent =
        L.Parent && *L.Parent < States.size() ? &States[*L.Parent] : nullptr;
    if (Parent && (Parent->Result == Outcome::Split ||
                   Parent->Result == Outcome::Covered))
      coverBy(In, *Parent, Blocks, State);
    else if (const LoopState *Outer = givenUpAround(In, L, States);
             Outer && In.Options.PaperRule)
      giveUpWith(In, *Outer, Blocks, State);
    States.push_back(std::move(State));
  }
  return States;
}

bool overflows(const LoopState &State) {
  return State.Result == Outcome::Contended || State.Result == Outcome::GivenUp;
}

bool needsFewerBlocks(const LoopState &State) {
  return State.Result == Outcome::Contended &&
         State.Plan.Why->Kind == Reason::CannotFit;
}

/// True if a loop that was fine, or made so, no longer is: the reserved shared
/// memory took its L1.
bool harms(const std::vector<LoopState> &Before,
           const std::vector<LoopState> &After) {
  for (const auto &[Old, New] : zip_equal(Before, After))
    if (!overflows(Old) && overflows(New))
      return true;
  return false;
}

/// Predicted cycles of all contended loops under one number of blocks, each
/// split as is best for it where that gains at least MinGain, else whole; 0 if
/// none can be predicted.
double predictedCycles(const Input &In, const BlockChoice &Blocks,
                       double MinGain) {
  double Sum = 0;
  std::set<unsigned> Covered; // by the loop around, whose time has theirs
  for (const Loop &L : In.K.Loops) {
    const LoopProfile *P = profileOf(In.Profiles, L.Id);
    bool Counted = P && P->Work && ownLevel(In, L.Id);
    bool Splittable = Counted && !notSplittable(In, L);
    bool Inside = L.Parent && Covered.count(*L.Parent);
    if (Counted && !Inside) {
      double Whole = cycles(In, L, undivided(In, L, Blocks));
      double Best = Splittable ? fastest(timesOf(In, L, Blocks)).Cycles : Whole;
      Sum += Whole < Best * (1 + MinGain) ? Whole : Best;
    }
    if (Inside || Splittable)
      Covered.insert(L.Id);
  }
  return Sum;
}

/// M by predicted time: fewer blocks only where the kernel as it is written
/// gains enough, and splitting alone does not come near, neither with every
/// loop split as is best for it nor with each as it is then decided. With less
/// than 6 warps five of eight drawn kernels were slower, up to 2.9 times.
size_t fastestBlocks(const Input &In, const std::vector<BlockChoice> &Choices) {
  constexpr double Near = 1.05, Never = std::numeric_limits<double>::infinity();
  constexpr int64_t FewWarps = 6;
  std::vector<double> Cycles = {predictedCycles(In, Choices[0], 0)};
  for (const BlockChoice &C : drop_begin(Choices))
    Cycles.push_back(
        C.After.activeWarps() < FewWarps ? Never : predictedCycles(In, C, 0));
  const double Alone = Cycles[0], Least = *min_element(Cycles);
  // Of those that are as good the most blocks.
  auto IsBest = [&](double Each) { return Each < Least * Near; };
  const size_t Best = find_if(Cycles, IsBest) - Cycles.begin();
  double Enough = minGain(In.Options, In.Profiles);
  double AsWritten = predictedCycles(In, Choices[0], Never);
  bool Gains = Least * (1 + Enough) < AsWritten && Least * Near < Alone &&
               predictedCycles(In, Choices[Best], Enough) * Near <
                   predictedCycles(In, Choices[0], Enough);
  return Gains ? Best : 0;
}

/// M for the kernel: the largest that one of its loops needs and none suffers
/// from. Index into Choices; 0 takes no block away.
size_t chooseBlocks(const Input &In, const std::vector<BlockChoice> &Choices) {
  std::vector<std::vector<LoopState>> States;
  States.push_back(statesFor(In, Choices[0]));
  if (none_of(States[0], needsFewerBlocks))
    return 0;
  for (const BlockChoice &C : drop_begin(Choices))
    States.push_back(statesFor(In, C));
  std::set<size_t> Needed;
  for (size_t Loop = 0; Loop < States[0].size(); ++Loop)
    for (size_t I = 1; I < Choices.size() && needsFewerBlocks(States[0][Loop]);
         ++I)
      if (!overflows(States[I][Loop])) {
        Needed.insert(I);
        break;
      }
  for (size_t I : reverse(Needed))
    if (!harms(States[0], States[I]))
      return I;
  return 0;
}

/// Where fewer blocks would fit but no shared memory is left to hold them off.
std::optional<Refusal> notEnoughShared(const Input &In,
                                       const std::vector<BlockChoice> &Choices,
                                       const std::vector<LoopState> &States) {
  for (const LoopState &State : States) {
    if (!needsFewerBlocks(State))
      continue;
    const Loop &L = In.K.Loops[State.Plan.Loop];
    const LevelFootprint *Level = ownLevel(In, L.Id);
    for (int64_t Blocks = In.Before.BlocksPerSM - 1; Level && Blocks;
         --Blocks) {
      bool Realised = any_of(Choices, [&](const BlockChoice &C) {
        return C.After.BlocksPerSM == Blocks;
      });
      int64_t Bytes = footprintBytes(*Level, 1, Blocks, In.Options.PaperRule);
      if (!Realised && Bytes <= l1Of(In.Before, In.Options))
        return Refusal{Reason::NotEnoughShared, L.Where,
                       formatv("{0} block{1} per SM would fit", Blocks,
                               Blocks == 1 ? "" : "s")};
    }
  }
  return std::nullopt;
}

/// True if some loop that overflows under one choice does so no longer, or need
/// not be divided so far.
bool helps(const std::vector<LoopState> &Before,
           const std::vector<LoopState> &After) {
  return any_of(zip_equal(Before, After), [](const auto &Loop) {
    const auto &[Old, New] = Loop;
    return (overflows(Old) && !overflows(New)) ||
           Old.Plan.WarpsPerGroup < New.Plan.WarpsPerGroup;
  });
}

/// prefer-l1: the blocks with a larger L1 than the driver leaves them, where
/// that is worth a call at each launch.
std::optional<BlockChoice> withPreferredL1(const Input &In,
                                           const BlockChoice &Blocks) {
  std::optional<BlockChoice> Asked = withLargestL1(Blocks, In.Options);
  if (!Asked)
    return std::nullopt;
  double MinGain = minGain(In.Options, In.Profiles);
  double Before = predictedCycles(In, Blocks, MinGain);
  bool ByTime = !In.Options.PaperRule && Before > 0;
  bool Gains =
      ByTime ? Before >= predictedCycles(In, *Asked, MinGain) * (1 + MinGain)
             : helps(statesFor(In, Blocks), statesFor(In, *Asked));
  return Gains ? Asked : std::nullopt;
}

size_t chosenBlocks(const Input &In, const std::vector<BlockChoice> &Choices) {
  if (!In.Options.Forced.empty()) {
    auto Forced = find_if(Choices, [&](const BlockChoice &C) {
      return asksToRemove(C.Removed, In.Options.Forced);
    });
    return Forced == Choices.end() ? 0 : Forced - Choices.begin();
  }
  if (In.Options.OptBlocks) {
    auto Told = find_if(Choices, [&](const BlockChoice &C) {
      return C.After.BlocksPerSM <= *In.Options.OptBlocks;
    });
    return Told == Choices.end() ? 0 : Told - Choices.begin();
  }
  bool ByTime =
      !In.Options.PaperRule &&
      any_of(In.Profiles, [](const LoopProfile &P) { return P.Work; });
  return ByTime ? fastestBlocks(In, Choices) : chooseBlocks(In, Choices);
}

} // namespace

KernelPlan planThrottle(const Kernel &K,
                        const std::vector<LoopProfile> &Profiles,
                        const Residency &Before, const ThrottleOptions &Options,
                        const SecondOpinion &Ask) {
  Input In{K, Profiles, Before, Options, memoryRates(Options.Gpu), Ask};
  std::vector<BlockChoice> Choices = blockChoices(Before, Options);
  BlockChoice Chosen = Choices[chosenBlocks(In, Choices)];
  if (auto Asked = withPreferredL1(In, Chosen))
    Chosen = *Asked;
  std::vector<LoopState> States = statesFor(In, Chosen);
  KernelPlan Plan;
  Plan.Before = Before;
  Plan.After = Chosen.After;
  Plan.BlocksRemoved = Chosen.Removed;
  Plan.CarveoutPercent = Chosen.CarveoutPercent;
  if (Chosen.Removed)
    Plan.ReserveSharedBytes = Chosen.ReserveBytes;
  for (LoopState &State : States)
    Plan.Loops.push_back(State.Plan);
  Plan.Refusals = K.Refusals;
  if (K.Loops.empty())
    Plan.Refusals.push_back({Reason::NoLoop, K.Where, ""});
  if (auto R = notEnoughShared(In, Choices, States))
    Plan.Refusals.push_back(*R);
  return Plan;
}

} // namespace catt
