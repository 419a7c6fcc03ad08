//===- LaunchPlan.cpp - What one launch of a kernel asks for -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stride of at least one line puts neighbouring lanes into lines of their
// own, so the footprint has reached its largest by then, but for where the rows
// begin within their lines. Up to two lines the values where the decision
// changes are searched by halving; above, the smallest group that some far
// values ask for holds.
//
//===----------------------------------------------------------------------===//

#include "analysis/LaunchPlan.h"
#include "analysis/device/Occupancy.h"
#include "analysis/memory/CattFootprint.h"
#include "analysis/memory/Footprint.h"
#include "analysis/memory/LoopWork.h"
#include "analysis/plan/Force.h"
#include "analysis/plan/ThrottlePlan.h"
#include "llvm/ADT/STLExtras.h"

namespace catt {
namespace {

BlockResources resourcesOf(const Kernel &K, const Launch &L) {
  BlockResources R;
  R.Threads = *L.Block.count();
  R.StaticSharedBytes = K.StaticSharedBytes;
  R.DynamicSharedBytes = L.DynamicSharedBytes.value_or(0);
  R.GridBlocks = L.Grid.count();
  return R;
}

/// The inputs that stay the same while a parameter's value is tried.
struct Setting {
  const Kernel &K;
  FootprintOptions Footprint;
  ThrottleOptions Throttle;
  Residency Before;
  Model How;
};

/// The loop's own lines are used again and do not fit as they are.
bool contends(const Setting &S, const LoopProfile &P) {
  if (P.Levels.empty() || !P.Levels.front().Reuse)
    return false;
  return footprintBytes(P.Levels.front(), S.Before.WarpsPerBlock,
                        S.Before.BlocksPerSM, /*PaperRule=*/false) >
         S.Throttle.L1Bytes.value_or(S.Before.L1Bytes);
}

LoopProfile tooComplex(const Setting &S, unsigned Loop, llvm::Error E) {
  return {Loop,
          {},
          Refusal{Reason::TooComplex, S.K.Loops[Loop].Where,
                  llvm::toString(std::move(E))},
          std::nullopt};
}

/// What cannot be counted is unknown for this loop, and no more than that.
LoopProfile profileOf(const Setting &S, unsigned Loop) {
  if (S.How == Model::Catt)
    return cattProfile(S.K, Loop, S.Footprint);
  llvm::Expected<LoopProfile> P = profileLoop(S.K, Loop, S.Footprint);
  if (!P)
    return tooComplex(S, Loop, P.takeError());
  if (!contends(S, *P))
    return std::move(*P);
  llvm::Expected<LoopWork> Work = loopWork(S.K, Loop, S.Footprint);
  if (!Work)
    return tooComplex(S, Loop, Work.takeError());
  P->Work = *Work;
  return std::move(*P);
}

/// The parameter that the loop's footprint waits for, if the program can test
/// it where the loop stands.
const Parameter *openParameter(const Setting &S, const LoopProfile &P) {
  if (!P.Unknown || P.Unknown->Why != Reason::UnknownStride)
    return nullptr;
  auto It = llvm::find_if(S.K.Parameters, [&](const Parameter &Each) {
    return Each.Name == P.Unknown->Detail;
  });
  return It != S.K.Parameters.end() && It->IsInteger && It->IsFixed ? &*It
                                                                    : nullptr;
}

/// The profiles of all loops with the parameter set to a value.
std::vector<LoopProfile> profilesAt(Setting S, const std::string &Name,
                                    int64_t Value) {
  S.Footprint.Parameters[Name] = Value;
  std::vector<LoopProfile> Result;
  for (const Loop &L : S.K.Loops)
    Result.push_back(profileOf(S, L.Id));
  return Result;
}

/// Plans for the values of one parameter.
class ParameterSearch {
public:
  ParameterSearch(const Setting &S, std::string Name)
      : S(S), Name(std::move(Name)) {}

  /// Fills in the loops of `Plan` that waited for the parameter.
  void run(KernelPlan &Plan, std::vector<LoopProfile> &Profiles,
           const std::vector<unsigned> &Open) {
    const KernelPlan Far = at(FarValues[0]);
    std::vector<LoopProfile> FarProfiles = profilesAt(S, Name, FarValues[0]);
    for (unsigned L : Open) {
      Profiles[L] = FarProfiles[L];
      Plan.Loops[L] = Far.Loops[L];
      if (isSplit(Far.Loops[L]))
        fillCases(Plan.Loops[L]);
    }
  }

private:
  static constexpr int64_t Dense = 2 * LineBytes / 4;
  // Far beyond a line, whole lines and as far as one can be from them.
  static constexpr int64_t FarValues[] = {1 << 12, (1 << 12) + 1,
                                          (1 << 12) + 16, 1000, 65};
  const Setting &S;
  std::string Name;
  std::map<int64_t, KernelPlan> Memo;

  static bool isSplit(const LoopPlan &P) { return P.Groups > 1 && !P.Why; }

  const KernelPlan &at(int64_t Value) {
    auto [It, New] = Memo.try_emplace(Value);
    if (New)
      It->second =
          planThrottle(S.K, profilesAt(S, Name, Value), S.Before, S.Throttle);
    return It->second;
  }

  /// Warps per group at a value; those of a whole block where it is not split.
  int64_t warpsAt(unsigned Loop, int64_t Value) {
    const LoopPlan &L = at(Value).Loops[Loop];
    return isSplit(L) ? L.WarpsPerGroup : S.Before.WarpsPerBlock;
  }

  /// Calls `Note` for the first value and for each value from which on the
  /// decision is another one. A stretch with the same decision at both ends and
  /// in the middle is taken to have it throughout.
  void noteChanges(unsigned Loop, int64_t First, int64_t Last,
                   llvm::function_ref<void(int64_t From, int64_t Warps)> Note) {
    int64_t Middle = First + (Last - First) / 2;
    int64_t AtFirst = warpsAt(Loop, First), AtLast = warpsAt(Loop, Last);
    bool Same = AtFirst == AtLast && warpsAt(Loop, Middle) == AtFirst;
    if (Same || Last - First <= 1) {
      Note(First, AtFirst);
      Note(Last, AtLast);
      return;
    }
    noteChanges(Loop, First, Middle, Note);
    noteChanges(Loop, Middle, Last, Note);
  }

  void fillCases(LoopPlan &Plan) {
    int64_t Previous = S.Before.WarpsPerBlock;
    auto Note = [&](int64_t From, int64_t Warps) {
      if (Warps != Previous)
        Plan.Cases.push_back({Name, From, Warps});
      Previous = Warps;
    };
    noteChanges(Plan.Loop, 1, Dense - 1, Note);
    int64_t Least = S.Before.WarpsPerBlock;
    for (int64_t Value : FarValues)
      Least = std::min(Least, warpsAt(Plan.Loop, Value));
    Note(Dense, Least);
    Plan.WarpsPerGroup = Least;
    Plan.Groups = (S.Before.WarpsPerBlock + Least - 1) / Least;
  }
};

/// Decides the loops whose stride is a parameter.
void leaveToRunTime(const Setting &S, LaunchPlan &Result) {
  std::map<std::string, std::vector<unsigned>> Open; // by parameter
  for (const LoopProfile &P : Result.Profiles)
    if (const Parameter *Name = openParameter(S, P))
      Open[Name->Name].push_back(P.Loop);
  for (auto &[Name, Loops] : Open)
    ParameterSearch(S, Name).run(Result.Plan, Result.Profiles, Loops);
}

/// The reference whose lanes lie farthest apart, where they share no line.
void fillLayout(const Kernel &K, const FootprintOptions &Footprint,
                LoopPlan &Plan) {
  for (const Access &A : K.Accesses) {
    if (!isInside(K, A.Loop, Plan.Loop) || A.Space != AddressSpace::Global ||
        !A.ThroughL1)
      continue;
    auto Stride = laneStrideBytes(A, Footprint);
    if (!Stride || std::abs(*Stride) <= int64_t(A.SizeBytes))
      continue;
    if (!Plan.LaneStrideBytes ||
        std::abs(*Stride) > std::abs(*Plan.LaneStrideBytes)) {
      Plan.LaneStrideBytes = Stride;
      Plan.Reference = A.Text;
    }
  }
}

} // namespace

LaunchPlan planForLaunch(const Kernel &K, const Launch &L,
                         const AnalysisOptions &Options, bool MayReserve) {
  LaunchPlan Result;
  ThrottleOptions Throttle{Options.Gpu,
                           resourcesOf(K, L),
                           Options.How == Model::Catt,
                           Options.L1Bytes,
                           MayReserve,
                           Options.MinGain,
                           forcedFor(K, Options.Forced)};
  llvm::Expected<Residency> Before = residency(Options.Gpu, Throttle.Block);
  if (!Before) {
    for (const Loop &Each : K.Loops)
      Result.Profiles.push_back({Each.Id, {}, std::nullopt, std::nullopt});
    Result.Plan.Refusals.push_back(
        {Reason::UnknownLaunch, L.Where, llvm::toString(Before.takeError())});
    return Result;
  }
  FootprintOptions Footprint;
  Footprint.Block = L.Block;
  Footprint.Grid = L.Grid;
  Footprint.Parameters = L.Arguments;
  for (const auto &[Name, Value] : Options.Assumed)
    Footprint.Parameters[Name] = Value;
  Setting S{K, Footprint, Throttle, *Before, Options.How};
  for (const Loop &Each : K.Loops)
    Result.Profiles.push_back(profileOf(S, Each.Id));
  Result.Plan = planThrottle(K, Result.Profiles, *Before, Throttle);
  leaveToRunTime(S, Result);
  for (LoopPlan &Plan : Result.Plan.Loops)
    fillLayout(K, Footprint, Plan);
  return Result;
}

} // namespace catt
