//===- RuntimePlan.cpp - Plans for values known only at run time ----------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/plan/runtime/RuntimePlan.h"
#include "analysis/plan/runtime/Agreement.h"
#include "analysis/plan/runtime/RuntimeRules.h"
#include "analysis/plan/throttle/ThrottlePlan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <set>

namespace catt {
namespace {

//===-- Plans for values -------------------------------------------------===//

/// Takes the plan and the profile of one value as those of the loop.
void show(LaunchPlan &Result, const KernelPlan &Plan, const Profiles &Known,
          unsigned Loop) {
  Result.Plan.Loops[Loop] = Plan.Loops[Loop];
  Result.Profiles[Loop] = Known[Loop];
  Result.ShownAt[Loop] = Known;
}

/// True for the block that the report names.
bool isShown(const Setting &S, const LaunchPlan &Result) {
  return Result.Plan.Before &&
         Result.Plan.Before->WarpsPerBlock == S.Before.WarpsPerBlock;
}

/// No cases for a loop that some value divides: the expression would be too
/// long, and without one the loop must not be divided at all.
void refuseWithoutCases(const Kernel &K, const std::string &Inputs,
                        LoopPlan &Plan) {
  if (Plan.Cases.empty() && isSplit(Plan))
    Plan.Why = Refusal{Reason::UnknownStride, K.Loops[Plan.Loop].Where, Inputs};
}

//===-- Grids ------------------------------------------------------------===//

/// Strides and trip counts of each kind: below a line, at one, at several, with
/// rows that begin at a line and rows that do not.
constexpr int64_t GridValues[] = {1,  2,  3,  4,  6,  8,   12,   16,   20,  24,
                                  28, 31, 32, 33, 64, 127, 1024, 1037, 4096};

/// One input and the values at which plans are made.
struct GridAxis {
  std::string Name;
  std::vector<int64_t> Values;
};

/// How much of a block runs at a time: warps, or, where the blocks differ, a
/// rank of the number of groups. More is less divided.
using GridRow = std::vector<Setting>;
using Score = llvm::function_ref<WarpBounds(const Setting &, const LoopPlan &)>;
/// Is told what is to be shown of a loop: what comes later goes before.
using Shower = llvm::function_ref<void(const Setting &, const KernelPlan &,
                                       const Profiles &, unsigned Loop)>;

/// Fills in the grids of some loops and shows the plan that divides furthest,
/// of the block that the report names where one of its plans divides. Rows:
/// settings for each value of the first input, which must do with one decision.
std::map<unsigned, WarpGrid>
measureGrids(llvm::ArrayRef<GridRow> Rows, const GridAxis &First,
             const GridAxis &Second, llvm::ArrayRef<unsigned> Open,
             Score ScoreOf, const LaunchPlan &Result, Shower Show) {
  std::vector<bool> Matters = nestsOf(Rows.front().front().K, Open);
  std::map<unsigned, WarpGrid> Grids;
  std::map<unsigned, std::pair<bool, int64_t>> Least;
  for (unsigned L : Open)
    Grids[L] = {First.Name, Second.Name, First.Values, Second.Values,
                std::vector(First.Values.size(),
                            std::vector(Second.Values.size(), AnyWarps))};
  auto Take = [&](Setting At, size_t I, size_t J) {
    At.Footprint.Parameters[Second.Name] = Second.Values[J];
    Profiles Known = profilesOf(At, Matters, /*AlwaysWork=*/false);
    KernelPlan Plan = planWith(At, Known);
    for (unsigned L : Open) {
      WarpBounds Here = ScoreOf(At, Plan.Loops[L]);
      WarpBounds &All = Grids[L].Warps[I][J];
      All = common(All, Here);
      const std::pair Rank(!isShown(At, Result) || !isSplit(Plan.Loops[L]),
                           gainsLittle(Plan.Loops[L]) ? INT64_MAX : Here.Least);
      auto [To, New] = Least.try_emplace(L, Rank);
      if (New || Rank <= To->second)
        Show(At, Plan, Known, L);
      To->second = std::min(To->second, Rank);
    }
  };
  for (size_t I = 0; I != First.Values.size(); ++I)
    for (size_t J = 0; J != Second.Values.size(); ++J)
      for (const Setting &At : Rows[I]) {
        if (At.Footprint.isSpent())
          return {};
        Take(At, I, J);
      }
  return Grids;
}

/// The rule of loops that wait for two inputs, on a grid of values.
RuntimeRule ruleOfTwo(const Setting &S, const Inputs &Names,
                      llvm::ArrayRef<unsigned> Open, const LaunchPlan &Result) {
  std::vector<int64_t> Values(std::begin(GridValues), std::end(GridValues));
  std::vector<GridRow> Rows(Values.size(), {S});
  for (auto [Row, Value] : llvm::zip_equal(Rows, Values))
    Row.front().Footprint.Parameters[Names[0]] = Value;
  std::map<unsigned, std::map<std::string, int64_t>> ShownAt;
  auto Show = [&](const Setting &At, const KernelPlan &, const Profiles &,
                  unsigned L) {
    for (const std::string &Name : Names)
      ShownAt[L][Name] = At.Footprint.Parameters.at(Name);
  };
  RuntimeRule Rule{/*Divides=*/true, {}};
  for (auto &[L, Grid] :
       measureGrids(Rows, {Names[0], Values}, {Names[1], Values}, Open, warpsOf,
                    Result, Show))
    Rule.Loops.push_back(
        {L, casesOf(Grid, S.Before.WarpsPerBlock), ShownAt[L]});
  return Rule;
}

//===-- All loops that wait for inputs -----------------------------------===//

/// A first look at a few values of each input, as most loops fit at all of
/// them. Where none divides a loop, they are shown at the largest.
RuntimeRule firstLook(const Setting &S, const Inputs &Names,
                      llvm::ArrayRef<unsigned> Open) {
  // A band of values that divide lies between a footprint that fits and one
  // of which nothing stays: seldom narrower than a third of its value.
  static constexpr int64_t OfOne[] = {2,  3,   4,   6,   8,   10,  12, 16,
                                      20, 24,  28,  33,  40,  48,  64, 80,
                                      96, 128, 192, 256, 512, 4096};
  static constexpr int64_t OfTwo[] = {2, 8, 16, 20, 33, 4096};
  llvm::ArrayRef<int64_t> FirstLook = OfTwo;
  if (Names.size() == 1)
    FirstLook = OfOne;
  std::vector<bool> Matters = nestsOf(S.K, Open);
  RuntimeRule Rule;
  Setting At = S;
  for (int64_t First : FirstLook)
    for (int64_t Second : FirstLook) {
      if (Names.size() == 1 && Second != First)
        continue;
      At.Footprint.Parameters[Names.back()] = Second;
      At.Footprint.Parameters[Names.front()] = First;
      const KernelPlan Plan =
          planWith(At, profilesOf(At, Matters, /*AlwaysWork=*/false));
      Rule.Divides |=
          !At.Footprint.isSpent() && llvm::any_of(Open, [&](unsigned L) {
            return isSplit(Plan.Loops[L]);
          });
      if (Rule.Divides || At.Footprint.isSpent())
        return Rule;
    }
  for (unsigned L : Open) {
    Rule.Loops.push_back({L, {}, {}});
    for (const std::string &Name : Names)
      Rule.Loops.back().ShownAt[Name] = At.Footprint.Parameters.at(Name);
  }
  return Rule;
}

/// Of a setting that was given no rule before. Nothing once the quota is spent.
RuntimeRule madeRule(const Setting &S, const Inputs &Names,
                     llvm::ArrayRef<unsigned> Open, const LaunchPlan &Result) {
  RuntimeRule Rule = firstLook(S, Names, Open);
  if (!Rule.Divides)
    return Rule;
  return Names.size() == 1 ? ruleOfOne(S, Names.front(), Open)
                           : ruleOfTwo(S, Names, Open, Result);
}

RuntimeRule ruleFor(const Setting &S, const Inputs &Names,
                    llvm::ArrayRef<unsigned> Open, const LaunchPlan &Result) {
  if (!S.Rules || !S.Throttle.Forced.empty())
    return madeRule(S, Names, Open, Result);
  std::string Key = RuleMemo::keyOf(S, Names, Open);
  if (const RuntimeRule *Known = S.Rules->find(Key))
    return *Known;
  RuntimeRule Rule = madeRule(S, Names, Open, Result);
  if (!S.Footprint.isSpent())
    S.Rules->keep(std::move(Key), Rule);
  return Rule;
}

/// Fills in the loops of `Result` that a rule is for.
void apply(const RuntimeRule &Rule, const Setting &S, const Inputs &Names,
           LaunchPlan &Result) {
  for (const RuntimeRule::OfLoop &Of : Rule.Loops) {
    Setting At = S;
    for (const auto &[Name, Value] : Of.ShownAt)
      At.Footprint.Parameters[Name] = Value;
    const Profiles Known = profilesOf(At, nestsOf(S.K, {Of.Loop}),
                                      /*AlwaysWork=*/Rule.Divides);
    show(Result, planWith(At, Known), Known, Of.Loop);
    LoopPlan &Plan = Result.Plan.Loops[Of.Loop];
    Plan.Cases = Of.Cases;
    if (Rule.Divides)
      refuseWithoutCases(S.K, llvm::join(Names, " and "), Plan);
  }
}

/// Groups and warps are those of the case that divides furthest; a loop that no
/// case divides is left alone.
void finish(const Setting &S, LaunchPlan &Result, unsigned Loop,
            const std::optional<RuntimeBound> &Trips) {
  LoopPlan &Plan = Result.Plan.Loops[Loop];
  if (Plan.Why)
    return Plan.Cases.clear();
  int64_t Whole = S.Before.WarpsPerBlock, Least = Whole;
  for (RuntimeCase &C : Plan.Cases) {
    Least = std::min(Least, C.WarpsPerGroup);
    if (Trips)
      C.And.push_back(*Trips);
  }
  Plan.WarpsPerGroup = Least;
  Plan.Groups = llvm::divideCeil(Whole, Least);
  judge(S, Result, Plan);
}

} // namespace

/// Loops for which the quota was spent before all values were tried: those that
/// were tried say nothing of the others.
static void leaveUncounted(const Kernel &K, llvm::ArrayRef<unsigned> Loops,
                           LaunchPlan &Result) {
  for (unsigned L : Loops) {
    Refusal Why{Reason::TooComplex, K.Loops[L].Where, K.Loops[L].Header};
    Result.Plan.Loops[L] = LoopPlan();
    Result.Plan.Loops[L].Loop = L;
    Result.Plan.Loops[L].Why = Why;
    Result.Profiles[L] = {L, {}, Why, std::nullopt};
  }
}

void leaveToRunTime(Setting S, LaunchPlan &Result) {
  if (Result.Plan.After)
    S.Before = *Result.Plan.After;
  S.Throttle.MayReserve = false;
  // Loops that wait for the same are decided together.
  std::map<std::pair<Inputs, std::optional<RuntimeBound>>,
           std::vector<unsigned>>
      Groups;
  for (const LoopProfile &P : Result.Profiles) {
    Inputs Names = inputsOf(S, P);
    if (!Names.empty())
      Groups[{Names, enoughTrips(S, S.K.Loops[P.Loop], Names)}].push_back(
          P.Loop);
  }
  for (const auto &[Of, Loops] : Groups) {
    const auto &[Names, Trips] = Of;
    Setting At = S;
    if (Trips)
      At.Footprint.Parameters[Trips->Parameter] = Trips->From;
    if (!isCheap(At, Names, Loops))
      continue;
    const RuntimeRule Rule = ruleFor(At, Names, Loops, Result);
    if (S.Footprint.isSpent())
      break;
    apply(Rule, At, Names, Result);
    if (!Rule.Divides)
      continue;
    for (unsigned L : Loops)
      finish(S, Result, L, Trips);
  }
  if (S.Footprint.isSpent())
    for (const auto &[Of, Loops] : Groups)
      leaveUncounted(S.K, Loops, Result);
}

//===-- Unknown block sizes ----------------------------------------------===//

namespace {

constexpr int64_t MostGroups = 1024 / WarpLanes;

/// More for fewer groups, MostGroups for an undivided block.
WarpBounds groupScore(const Setting &S, const LoopPlan &P) {
  if (gainsLittle(P))
    return AnyWarps;
  if (!isSplit(P))
    return MostGroups;
  int64_t Fewest =
      llvm::divideCeil(S.Before.WarpsPerBlock, warpsPerGroup(P).Most);
  return {MostGroups + 1 - P.Groups, MostGroups + 1 - Fewest};
}

/// Warps stood for numbers of groups.
void scoresToGroups(LoopPlan &Plan) {
  for (RuntimeCase &C : Plan.Cases) {
    C.Groups = MostGroups + 1 - C.WarpsPerGroup;
    C.WarpsPerGroup = 0;
  }
}

/// What is decided at each block size, in both ways to say it.
struct BlockScores {
  std::vector<WarpBounds> Groups, Warps;
};

/// A loop whose footprint follows from the block size: every size in whole
/// warps is looked at. Groups of so many warps, or so many groups, whichever
/// changes less often from size to size.
void decideByBlock(const std::string &Input, llvm::ArrayRef<Setting> Settings,
                   llvm::ArrayRef<unsigned> Known, LaunchPlan &Result) {
  const std::vector<WarpBounds> Any(Settings.back().Before.WarpsPerBlock,
                                    AnyWarps);
  std::map<unsigned, BlockScores> Scores;
  std::map<unsigned, int64_t> Least;
  std::set<unsigned> Shown; // as the block is that the report shows
  for (const Setting &S : Settings) {
    const bool IsShown = isShown(S, Result);
    Profiles At = profilesOf(S, nestsOf(S.K, Known), /*AlwaysWork=*/false);
    KernelPlan Plan = planWith(S, At);
    for (unsigned L : Known) {
      const LoopPlan &P = Plan.Loops[L];
      WarpBounds Here = groupScore(S, P);
      int64_t &To = Least.try_emplace(L, MostGroups).first->second;
      if (IsShown && isSplit(P))
        Shown.insert(L);
      if (Shown.count(L) ? IsShown && isSplit(P)
                         : isSplit(P) && Here.Least < To)
        show(Result, Plan, At, L);
      To = isSplit(P) ? std::min(To, Here.Least) : To;
      BlockScores &Of = Scores.try_emplace(L, Any, Any).first->second;
      const int64_t I = S.Before.WarpsPerBlock - 1;
      Of.Groups[I] = common(Of.Groups[I], Here);
      Of.Warps[I] =
          common(Of.Warps[I], isSplit(P)       ? warpsPerGroup(P)
                              : gainsLittle(P) ? AnyWarps
                                               : WarpBounds(MostGroups));
    }
  }
  for (auto &[L, Of] : Scores) {
    LoopPlan &Plan = Result.Plan.Loops[L];
    bool ByGroups = piecesOf(Of.Groups).size() <= piecesOf(Of.Warps).size();
    Plan.Cases =
        casesByThreads(Input, ByGroups ? Of.Groups : Of.Warps, MostGroups);
    refuseWithoutCases(Settings.front().K, Input, Plan);
    if (ByGroups)
      scoresToGroups(Plan);
  }
}

/// A loop that waits for one more input.
void decideByBlockAnd(const std::string &Input, const std::string &Name,
                      llvm::ArrayRef<Setting> Settings,
                      llvm::ArrayRef<unsigned> Open, LaunchPlan &Result) {
  std::vector<GridRow> Rows;
  GridAxis Blocks{Input, {}};
  for (const Setting &S : Settings) {
    const int64_t Threads = *S.Footprint.Block.count();
    if (!llvm::isPowerOf2_64(Threads))
      continue;
    if (Blocks.Values.empty() || Blocks.Values.back() != Threads) {
      Blocks.Values.push_back(Threads);
      Rows.emplace_back();
    }
    Rows.back().push_back(S);
  }
  if (Rows.empty())
    return;
  std::vector<int64_t> Values(std::begin(GridValues), std::end(GridValues));
  for (auto &[L, Grid] : measureGrids(
           Rows, Blocks, {Name, Values}, Open, groupScore, Result,
           [&](const Setting &, const KernelPlan &Plan, const Profiles &Known,
               unsigned L) { show(Result, Plan, Known, L); })) {
    LoopPlan &Plan = Result.Plan.Loops[L];
    Plan.Cases = casesOf(Grid, MostGroups);
    refuseWithoutCases(Settings.front().K,
                       (llvm::Twine(Input) + " and " + Name).str(), Plan);
    scoresToGroups(Plan);
  }
}

} // namespace

bool contendsAnywhere(llvm::ArrayRef<Setting> Settings) {
  auto Contends = [](const Setting &S, const Loop &L) {
    LoopProfile P = profileOf(S, L.Id);
    Inputs Names = isOpen(P) ? inputsOf(S, P) : Inputs();
    if (Names.size() != 1)
      return contends(S, P);
    Setting At = S;
    return llvm::any_of(llvm::ArrayRef<int64_t>{8, 33, 4096}, [&](int64_t N) {
      At.Footprint.Parameters[Names.front()] = N;
      return contends(At, profileOf(At, L.Id));
    });
  };
  return llvm::any_of(Settings, [&](const Setting &S) {
    return llvm::any_of(S.K.Loops,
                        [&](const Loop &L) { return Contends(S, L); });
  });
}

void leaveBlockToRunTime(const std::string &Input,
                         llvm::ArrayRef<Setting> Settings, LaunchPlan &Result) {
  const Setting &Any = Settings.back();
  std::vector<unsigned> Known;
  std::map<std::string, std::vector<unsigned>> Open;
  for (const LoopProfile &P : Result.Profiles) {
    if (!isOpen(P)) {
      Known.push_back(P.Loop);
      continue;
    }
    Inputs Names = inputsOf(Any, P);
    if (Names.size() == 1)
      Open[Names.front()].push_back(P.Loop);
  }
  if (!Known.empty())
    decideByBlock(Input, Settings, Known, Result);
  for (const auto &[Name, Loops] : Open)
    if (isCheap(Any, {Name}, Loops))
      decideByBlockAnd(Input, Name, Settings, Loops, Result);
  for (LoopPlan &P : Result.Plan.Loops)
    if (P.Why)
      P.Cases.clear();
}

} // namespace catt
