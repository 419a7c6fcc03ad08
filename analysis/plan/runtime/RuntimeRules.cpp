//===- RuntimeRules.cpp - What a loop does at every value -----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/runtime/RuntimeRules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace catt {

bool isSplit(const LoopPlan &P) { return P.Groups > 1 && !P.Why; }

Profiles profilesOf(const Setting &S, const std::vector<bool> &Matters,
                    bool AlwaysWork) {
  Profiles Result;
  for (const Loop &L : S.K.Loops) {
    LoopProfile Nothing;
    Nothing.Loop = L.Id;
    Result.push_back(Matters[L.Id] ? profileOf(S, L.Id, AlwaysWork) : Nothing);
  }
  return Result;
}

bool gainsLittle(const LoopPlan &P) {
  return P.Why && P.Why->Kind == Reason::SmallGain &&
         P.PredictedGain.value_or(1) > 1;
}

WarpBounds warpsOf(const Setting &S, const LoopPlan &P) {
  if (gainsLittle(P))
    return AnyWarps;
  return isSplit(P) ? warpsPerGroup(P) : S.Before.WarpsPerBlock;
}

//===-- One input --------------------------------------------------------===//

namespace {
class OneInput {
public:
  OneInput(Setting Given, std::string Name, const std::vector<bool> &Matters)
      : S(std::move(Given)), Name(std::move(Name)),
        Family(periodOf(S.K, this->Name), [this, Matters](int64_t Value) {
          Setting At = S;
          At.Footprint.Parameters[this->Name] = Value;
          return profilesOf(At, Matters, /*AlwaysWork=*/true);
        }) {}

  RuntimeRule decide(llvm::ArrayRef<unsigned> Open) {
    planAll();
    RuntimeRule Rule{/*Divides=*/true, {}};
    for (unsigned L : Open) {
      std::vector<RuntimeCase> Cases =
          casesOf(Name, Sequences[L], S.Before.WarpsPerBlock);
      const int64_t Value = shownValue(L, Cases);
      Rule.Loops.push_back({L, std::move(Cases), {{Name, Value}}});
    }
    return Rule;
  }

private:
  Setting S;
  std::string Name;
  ProfileFamily Family;
  /// By loop: at 1, 2, ... LargestMeasured, and the most of what lies beyond.
  std::vector<std::vector<WarpBounds>> Sequences;
  static constexpr int64_t Far = LargestMeasured + 1;

  void planAll() {
    Sequences.resize(S.K.Loops.size(),
                     std::vector<WarpBounds>(LargestMeasured, undivided()));
    const int64_t Law =
        Family.start() ? *Family.start() + 2 * Family.period() : Far;
    for (int64_t Value = 1; Value < std::min(Law, Far); ++Value)
      planAt(Value);
    for (int64_t Value = Law; Value < std::min(Law + Family.period(), Far);
         ++Value)
      planClass(Value);
    for (std::vector<WarpBounds> &Of : Sequences)
      Of.push_back(Family.start() ? AnyWarps : WarpBounds(undivided()));
    if (!Family.start() || S.Footprint.isSpent())
      return;
    for (int64_t Farther = 4 * LargestMeasured; Farther < 1 << 28;
         Farther *= 16)
      for (int64_t Class = 0; Class != Family.period(); ++Class)
        for (auto [Of, Here] :
             llvm::zip_equal(Sequences, warpsAt(Farther + Class)))
          Of.back() = common(Of.back(), Here);
  }

  void planAt(int64_t Value) {
    if (!S.Footprint.isSpent())
      for (auto [Of, Here] : llvm::zip_equal(Sequences, warpsAt(Value)))
        Of[Value - 1] = Here;
  }

  /// All values of the class that First is the first of, along which the
  /// numbers of the profiles are linear: each that is a fifth larger, and those
  /// between two that want different things.
  void planClass(int64_t First) {
    planAt(First);
    for (int64_t Low = First; Low + Family.period() < Far;) {
      const int64_t Steps = std::clamp<int64_t>(
          Low / 5 / Family.period(), 1, (Far - 1 - Low) / Family.period());
      const int64_t High = Low + Steps * Family.period();
      planAt(High);
      planBetween(Low, High);
      Low = High;
    }
  }

  void planBetween(int64_t Low, int64_t High) {
    const int64_t Steps = (High - Low) / Family.period();
    if (Steps < 2)
      return;
    const int64_t Middle = Low + Steps / 2 * Family.period();
    if (!llvm::all_of(Sequences, [&](const std::vector<WarpBounds> &Of) {
          return Of[Low - 1] == Of[High - 1];
        })) {
      planAt(Middle);
      planBetween(Low, Middle);
      return planBetween(Middle, High);
    }
    for (int64_t Value = Low; Value < High; Value += Family.period())
      for (std::vector<WarpBounds> &Of : Sequences)
        Of[Value - 1] = Of[Low - 1];
  }

  int64_t undivided() const { return S.Before.WarpsPerBlock; }

  std::vector<WarpBounds> warpsAt(int64_t Value) {
    std::vector<WarpBounds> Result(Sequences.size(), undivided());
    if (Value > Family.knownTo())
      return Result;
    int64_t Same = Value - Family.period();
    if (Family.isPeriodic() && Same >= *Family.start()) {
      Same = *Family.start() + (Same - *Family.start()) % Family.period();
      for (auto [To, Of] : llvm::zip_equal(Result, Sequences))
        To = Of[Same - 1];
      return Result;
    }
    KernelPlan Plan = planWith(S, Family.at(Value));
    for (auto [To, P] : llvm::zip_equal(Result, Plan.Loops))
      To = warpsOf(S, P);
    return Result;
  }

  /// The first value at which the loop is divided furthest, of those at which
  /// the cases divide it so; a large one if they never do.
  int64_t shownValue(unsigned Loop, llvm::ArrayRef<RuntimeCase> Cases) const {
    int64_t Last = std::min(Family.knownTo(), LargestMeasured);
    int64_t Least = undivided();
    for (const RuntimeCase &C : Cases)
      Least = std::min(Least, C.WarpsPerGroup);
    if (Least == undivided())
      return Last;
    for (int64_t Value = 1; Value != Last; ++Value)
      if (Sequences[Loop][Value - 1].Least == Least &&
          warpsBy(Cases, {{Name, Value}}, undivided()) == Least)
        return Value;
    return Last;
  }
};
} // namespace

RuntimeRule ruleOfOne(const Setting &S, const std::string &Name,
                      llvm::ArrayRef<unsigned> Open) {
  return OneInput(S, Name, nestsOf(S.K, Open)).decide(Open);
}

//===-- Rules that are known ---------------------------------------------===//

static void printLoops(const Kernel &K, llvm::raw_ostream &OS) {
  for (const Loop &L : K.Loops)
    OS << "\nloop " << L.Parent << ' '
       << (L.TripCount ? L.TripCount->str() : "?") << ' ' << L.GuardsKnown
       << L.MayExitEarly << L.HasUnrollPragma << L.KeepsRolled << ' '
       << L.Operations << ' ' << L.LeastInstructions << ' '
       << L.Site.has_value() << L.Refusals.empty();
}

static void printAccesses(const Kernel &K, llvm::raw_ostream &OS) {
  for (const Access &A : K.Accesses) {
    OS << "\naccess " << A.BaseId << ' ' << unsigned(A.Space) << ' ' << A.Reads
       << A.Writes << A.Atomic << A.Volatile << A.ThroughL1 << A.GuardsKnown
       << ' ' << A.SizeBytes << ' ' << A.Base << ' '
       << (A.Offset ? A.Offset->str() : "?") << ' ' << A.Loop;
    for (const Guard &G : A.Guards)
      OS << " if " << G.Condition.str();
  }
}

static void printSetting(const Setting &S, llvm::raw_ostream &OS) {
  for (const Shape &Of : {S.Footprint.Block, S.Footprint.Grid})
    OS << Of.X << ',' << Of.Y << ',' << Of.Z << ' ';
  for (const auto &[Name, Value] : S.Footprint.Parameters)
    OS << Name << '=' << Value << ' ';
  const ThrottleOptions &T = S.Throttle;
  OS << T.Gpu.SMs << ' ';
  if (const std::optional<CardRates> &R = T.Gpu.Rates) // of a file, perhaps
    for (double Rate : {R->Hit, R->L2, R->Dram, R->L2Sector, R->DramSector,
                        R->Port, R->Barrier, double(R->L2Bytes)})
      OS << Rate << ' ';
  OS << T.Gpu.Name << ' ' << T.Block.Threads << ' '
     << T.Block.RegistersPerThread << ' ' << T.Block.StaticSharedBytes << ' '
     << T.Block.DynamicSharedBytes << ' ' << T.Block.GridBlocks << ' '
     << T.Block.CarveoutPercent << ' ' << T.PaperRule << T.MaySplit
     << T.MayReserve << T.MayPreferL1 << T.MayGuess << ' ' << T.L1Bytes << ' '
     << T.MinGain << ' ' << T.OptBlocks << ' ' << S.Before.WarpsPerBlock << ' '
     << S.Before.BlocksPerSM << ' ' << S.Before.CarveoutBytes << ' '
     << S.Before.L1Bytes << ' ' << unsigned(S.Counting);
}

std::string RuleMemo::keyOf(const Setting &S, llvm::ArrayRef<std::string> Names,
                            llvm::ArrayRef<unsigned> Open) {
  std::string Key;
  llvm::raw_string_ostream OS(Key);
  llvm::interleave(Names, OS, " ");
  for (unsigned L : Open)
    OS << ' ' << L;
  OS << '\n';
  printSetting(S, OS);
  for (const Parameter &P : S.K.Parameters)
    OS << ' ' << P.Name << P.IsPointer << P.IsInteger << P.IsRestrict
       << P.IsFixed;
  OS << ' ' << S.K.Refusals.empty() << S.K.Waits.empty();
  printLoops(S.K, OS);
  printAccesses(S.K, OS);
  return Key;
}

const RuntimeRule *RuleMemo::find(const std::string &Key) const {
  auto At = Known.find(Key);
  return At == Known.end() ? nullptr : &At->second;
}

void RuleMemo::keep(std::string Key, RuntimeRule Rule) {
  constexpr size_t Most = 1024;
  if (Known.size() == Most)
    Known.clear();
  Known.emplace(std::move(Key), std::move(Rule));
}

} // namespace catt
