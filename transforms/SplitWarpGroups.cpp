//===- SplitWarpGroups.cpp - Run a loop by groups of warps ----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a loop by a few warps of each block at a time, so that their cache lines
// fit in L1. (CATT section 4.3, figure 4; MODEL.md section 6.)
//
// Before:
//   if (i < n) {
//     for (int j = 0; j < m; ++j)
//       sum += A[i * m + j] * x[j];
//     y[i] = sum;
//   }
//
// After, for blocks of 8 warps in 2 groups:
//   // catt: split-warp-groups(2): 4 of 8 warps at a time, ...
//   for (unsigned cattGroup = 0; cattGroup * 128 < blockDim.x; ++cattGroup) {
//     if (threadIdx.x / 128 == cattGroup) { // catt: begin 41f7c7
//   if (i < n) {
//     for (int j = 0; j < m; ++j)
//       sum += A[i * m + j] * x[j];
//     y[i] = sum;
//   }
//     } // catt: end
//     __syncthreads();
//   } // catt: done 14e55f
//
// Where the run decides:
//   // catt: split-warp-groups(4): by n, ...
//   {
//     auto cattLoop = [&]() __attribute__((always_inline)) {
//     // catt: begin a5b218
//   ...
//     }; // catt: end
//     unsigned cattThreads = 1024;
//     if (n >= 8)
//       cattThreads = 128;
//     if (n >= 32)
//       cattThreads = 64;
//     if (cattThreads >= blockDim.x) {
//       cattLoop();
//     } else {
//       for (unsigned cattFirst = 0; cattFirst < blockDim.x;
//            cattFirst += cattThreads) {
//         if (threadIdx.x >= cattFirst && threadIdx.x < cattFirst +
//         cattThreads)
//           cattLoop();
//         __syncthreads();
//       }
//     }
//   } // catt: done b7ee12
//
// A block that stays whole runs the statements as they were, and they are
// compiled as they were for it: a guard and a barrier around them cost short
// loops up to a fifth of their time. Statements that a lambda cannot hold stand
// in the loop instead (see GroupLoop.h).
//
// Right for every launch, not only for those that were seen. Let L be the
// linear number of a thread in its block, S the size of the block and w the
// threads per group. L / w is one number in [0, ceil(S / w)), and the loop
// visits each of these (its w threads, where the run decides) once: every
// thread runs the statements exactly once. The trip count depends on blockDim
// alone, or also on what a run-time case tests, which is the same for the whole
// grid; so all threads reach each barrier, also where S is no multiple of 32 or
// of w. A case that leaves the block whole has no barrier. Any function of the
// thread with values in that range will do, so where every known launch has Y =
// Z = 1, threadIdx.x and blockDim.x stand for L and S; a launch that is not
// known then still computes the same, only in other groups.
//
// The paper's figure copies the body once per group and puts the barrier inside
// the guard, where half a block may not reach it. Here there is one body, and
// the site that the analysis found lies outside the guard.
//
// Limits. The analysis vouches for the site: whole statements that all threads
// which have not exited reach together, no barrier or wait for other warps
// inside, and a run-time case's parameter that is neither shadowed nor written
// before. Refused here: files that may not be edited, directives and
// conditionals that cut the site, blockDim, threadIdx or __syncthreads declared
// anew, text that carries a marker already, and, before sm_70, barriers that
// threads which have exited would never reach.
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/runtime/Agreement.h"
#include "analysis/plan/throttle/Candidates.h"
#include "transforms/GroupLoop.h"
#include "transforms/GroupSize.h"
#include "transforms/KernelBounds.h"
#include "transforms/KernelVersions.h"
#include "transforms/SourceEdit.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <tuple>

using llvm::StringRef;

namespace catt {
namespace {

/// One loop over groups that is to be written.
struct Split {
  const Loop *Where;
  WrapSite Site;
  const LoopPlan *Plan; ///< of the loop that decided
  GroupSize Size;
};

} // namespace

/// Reasons about other things than dividing a loop's warps: what was or was not
/// worth it is the plan's business, and a launch needs no edit here.
static bool standsAgainstSplitting(Reason Why) {
  switch (Why) {
  case Reason::Fits:
  case Reason::NoReuse:
  case Reason::NoLoop:
  case Reason::NoGlobalAccess:
  case Reason::CoveredByOther:
  case Reason::UnknownLaunch:
  case Reason::UnknownStride:
  case Reason::UnknownTripCount:
  case Reason::Irregular:
  case Reason::TooComplex:
  case Reason::RegistersEstimated:
  case Reason::NeverResident:
  case Reason::CannotFit:
  case Reason::SmallGain:
  case Reason::LaunchNotEditable:
  case Reason::NotEnoughShared:
    return false;
  default:
    return true;
  }
}

/// A plan that asks for groups.
static bool isWanted(const KernelReport &Kernel, const LoopPlan &Plan) {
  if (Plan.Why || Plan.Loop >= Kernel.Source.Loops.size())
    return false;
  return !Plan.Cases.empty() || (Plan.Groups > 1 && Plan.WarpsPerGroup > 0);
}

static bool collect(const std::vector<Refusal> &From,
                    std::vector<Refusal> &Into) {
  size_t Before = Into.size();
  llvm::copy_if(From, std::back_inserter(Into), [](const Refusal &R) {
    return standsAgainstSplitting(R.Kind);
  });
  return Into.size() != Before;
}

/// What stands against any split in the kernel.
static bool refuseKernel(const Kernel &Kernel, std::vector<Refusal> &Refusals) {
  bool Refused = collect(Kernel.Refusals, Refusals);
  for (const Launch &L : Kernel.Launches) {
    if (!L.Cooperative || llvm::any_of(Refusals, [](const Refusal &R) {
          return R.Kind == Reason::CooperativeLaunch;
        }))
      continue;
    Refusals.push_back({Reason::CooperativeLaunch, L.Where, L.Text});
    Refused = true;
  }
  return Refused;
}

/// What stands against splitting at this loop's site.
static bool refuseLoop(const Loop &Loop, const Device &Gpu,
                       std::vector<Refusal> &Refusals) {
  if (collect(Loop.Refusals, Refusals))
    return true;
  if (!Loop.Site)
    Refusals.push_back({Reason::DivergentBarrier, Loop.Where, ""});
  else if (Loop.Site->NeedsSm70 && !Gpu.barrierCountsLiveThreads())
    Refusals.push_back(
        {Reason::ThreadsExitedEarly, Loop.Where, Gpu.architecture()});
  else
    return false;
  return true;
}

/// Drops what is inside an outer site and joins equal ones.
static std::vector<Split> outermost(std::vector<Split> All,
                                    std::vector<Refusal> &Refusals) {
  llvm::sort(All, [](const Split &A, const Split &B) {
    const SourceSpan &S = A.Site.Span, &T = B.Site.Span;
    // Of two sites that begin together, the longer one first.
    return std::tie(S.File, S.Begin, T.End, A.Where->Id) <
           std::tie(T.File, T.Begin, S.End, B.Where->Id);
  });
  std::vector<Split> Out;
  for (Split &S : All) {
    const SourceSpan &Span = S.Site.Span;
    bool Apart = Out.empty() || Out.back().Site.Span.File != Span.File ||
                 Out.back().Site.Span.End <= Span.Begin;
    if (Apart) {
      Out.push_back(std::move(S));
      continue;
    }
    Split &Last = Out.back();
    const SourceSpan &Outer = Last.Site.Span;
    if (Outer.Begin == Span.Begin && Outer.End == Span.End) {
      if (S.Size.smallest() < Last.Size.smallest())
        Last.Plan = S.Plan;
      Last.Size = Last.Size.smallerOf(S.Size);
      Last.Site.OwnLines &= S.Site.OwnLines;
    } else if (Span.End > Outer.End) {
      Refusals.push_back({Reason::DivergentBarrier, S.Where->Where,
                          "statements that partly overlap those around the "
                          "loop at line " +
                              std::to_string(Last.Where->Where.Line)});
    }
  }
  return Out;
}

/// A site in the kernel may hold a call whose function has a site of its own: a
/// barrier inside a group. Text alone does not show which, so the splits of one
/// kernel stand in one function: the kernel if it has any, else the first.
static void keepOneFunction(const Kernel &Kernel, std::vector<Split> &Found,
                            std::vector<Refusal> &Refusals) {
  auto InKernel = [&](const Split &S) {
    return contains(Kernel.Span, S.Site.Span);
  };
  bool Any = llvm::any_of(Found, InKernel);
  std::string First = Found.empty() ? "" : Found.front().Where->Function;
  llvm::erase_if(Found, [&](const Split &S) {
    if (Any ? InKernel(S) : S.Where->Function == First)
      return false;
    Refusals.push_back(
        {Reason::DivergentBarrier, S.Where->Where,
         "the statements around another split may call " + S.Where->Function});
    return true;
  });
}

static std::vector<Split> splits(const KernelReport &Kernel, const Device &Gpu,
                                 std::vector<Refusal> &Refusals) {
  std::vector<Split> Found;
  if (llvm::none_of(
          Kernel.Plan.Loops,
          [&](const LoopPlan &Plan) { return isWanted(Kernel, Plan); }) ||
      refuseKernel(Kernel.Source, Refusals))
    return Found;
  for (const LoopPlan &Plan : Kernel.Plan.Loops) {
    if (!isWanted(Kernel, Plan))
      continue;
    const Loop &Loop = Kernel.Source.Loops[Plan.Loop];
    if (!refuseLoop(Loop, Gpu, Refusals))
      Found.push_back({&Loop, *Loop.Site, &Plan, GroupSize(Plan)});
  }
  keepOneFunction(Kernel.Source, Found, Refusals);
  return outermost(std::move(Found), Refusals);
}

//===-- What only the text shows ------------------------------------------===//

/// Whether this tool has been at the site, or anywhere in the kernel: a second
/// run must change nothing, whatever the analysis makes of the group loop. The
/// splits of the first run stay the only ones, as in keepOneFunction.
static bool alreadyRewritten(const Kernel &Kernel, const Split &S,
                             StringRef Transform, const FileContexts &Files) {
  const SourceSpan &Site = S.Site.Span;
  if (!contains(Kernel.Span, Site) && hasRewrittenLoop(Kernel, Files))
    return true;
  if (isMarked(Kernel, Transform, Files))
    return true;
  const FileContext &File = Files.at(Site.File);
  return contains(Kernel.Span, Site) && File.MayBeMarked &&
         !findMarkers(File.Text, Kernel.Span.Begin, Kernel.Span.End).empty();
}

/// Why the site's text cannot be edited, if so.
static std::optional<Refusal> obstacle(const Kernel &Kernel, const Split &S,
                                       StringRef Transform,
                                       const FileContexts &Files) {
  const Location &Where = S.Where->Where;
  if (std::optional<Refusal> R = cannotEdit(Files, S.Site.Span, Where))
    return R;
  const FileContext &File = Files.at(S.Site.Span.File);
  if (alreadyRewritten(Kernel, S, Transform, Files))
    return Refusal{Reason::AlreadyRewritten, Where, ""};
  if (!File.MacroOnBuiltin.empty())
    return Refusal{Reason::InMacro, Where, "the macro " + File.MacroOnBuiltin};
  std::string Hidden = hiddenBuiltin(
      File.Text, contains(Kernel.Span, S.Site.Span) ? Kernel.Span.Begin : 0,
      S.Site.Span.Begin);
  if (!Hidden.empty())
    return Refusal{Reason::InMacro, Where,
                   "the declaration that hides CUDA's " + Hidden};
  if (contains(Kernel.Span, S.Site.Span))
    return std::nullopt;
  for (const std::string &Input : S.Size.inputs())
    if (!StringRef(Input).starts_with("blockDim."))
      return Refusal{Reason::UnknownStride, Where,
                     Input + ", which " + S.Where->Function + " does not see"};
  return std::nullopt;
}

//===-- The code ----------------------------------------------------------===//

/// As few coordinates as the known launches need (see the header). Where warps
/// work together inside, no launch may divide one: all coordinates, unless
/// every launch is known.
static Numbering numbering(const Kernel &Kernel, const WrapSite &Site) {
  bool OnlyThese = !Site.WarpSynchronous || Kernel.AllLaunchesVisible;
  auto All = [&](std::optional<int64_t> Shape::*Extent) {
    return OnlyThese && !Kernel.Launches.empty() &&
           llvm::all_of(Kernel.Launches,
                        [&](const Launch &L) { return L.Block.*Extent == 1; });
  };
  if (!All(&Shape::Z))
    return {"threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * "
            "threadIdx.z)",
            "blockDim.x * blockDim.y * blockDim.z"};
  if (!All(&Shape::Y))
    return {"threadIdx.x + blockDim.x * threadIdx.y",
            "blockDim.x * blockDim.y"};
  return {"threadIdx.x", "blockDim.x"};
}

/// "4 of 8 warps at a time, 512 KiB of cache lines for 208 KiB of L1D"
static std::string reasonOf(const KernelPlan &Kernel, const Split &S) {
  const LoopPlan &Plan = *S.Plan;
  std::string Out;
  if (!S.Size.Cases.empty())
    Out = "by " + llvm::join(S.Size.inputs(), " and ");
  else if (Kernel.Before && Kernel.Before->WarpsPerBlock > 0)
    Out = std::to_string(S.Size.Below) + " of " +
          std::to_string(Kernel.Before->WarpsPerBlock) + " warps at a time";
  if (Plan.FootprintBytes > 0 && Kernel.Before && Kernel.Before->L1Bytes > 0)
    Out += (Out.empty() ? "" : ", ") +
           std::to_string((Plan.FootprintBytes + 1023) / 1024) +
           " KiB of cache lines for " +
           std::to_string(Kernel.Before->L1Bytes / 1024) + " KiB of L1D";
  return Out;
}

/// The groups of the block, or of the one that is divided furthest.
static int64_t mostGroups(const Split &S) {
  int64_t Most = S.Plan->Groups;
  for (const RuntimeCase &C : S.Size.Cases)
    Most = std::max(Most, C.Groups);
  return Most;
}

static Addition addition(const KernelReport &Kernel, const Split &S,
                         const FileContext &File) {
  Addition Out = loopOverGroups(
      S.Size, numbering(Kernel.Source, S.Site),
      Kernel.Plan.Before ? Kernel.Plan.Before->WarpsPerBlock : WholeBlock,
      canBeNamed(S.Site, File), File);
  Out.Argument = std::to_string(mostGroups(S));
  Out.Reason = reasonOf(Kernel.Plan, S);
  return Out;
}

static std::string summaryOf(const Split &S) {
  std::string Groups = std::to_string(mostGroups(S)) + " warp groups";
  if (!S.Size.Cases.empty())
    return "split into up to " + Groups + ", by " +
           llvm::join(S.Size.inputs(), " and ");
  return "split into " + Groups + " of " + std::to_string(S.Size.Below) +
         (S.Size.Below == 1 ? " warp" : " warps");
}

//===-- The transform -----------------------------------------------------===//

namespace {
/// The loops over groups of one kernel.
struct PreparedSplits final : Prepared {
  PreparedSplits(const KernelReport &Kernel, std::vector<Split> Splits)
      : Kernel(Kernel), Splits(std::move(Splits)) {}
  void edit(EditBuilder &Out) const override {
    writeBounds(Kernel.Source, Bounds, Out);
    for (const Split &S : Splits) {
      const SourceSpan &Span = S.Site.Span;
      Out.wrapStatements(Span, S.Site.OwnLines,
                         addition(Kernel, S, Out.files().at(Span.File)));
      Out.done(S.Where->Where, summaryOf(S));
    }
  }
  const KernelReport &Kernel;
  std::vector<Split> Splits;
  std::string Bounds; ///< of the kernel, where there is one
};

class SplitWarpGroups final : public Transform {
public:
  using Transform::Transform;
  llvm::StringRef summary() const override {
    return "Runs a loop by a few warps of each block at a time, so that their "
           "cache lines fit in L1.";
  }
  Preparation prepare(const Context &C) const override;
  bool giveUp(KernelReport &Kernel, const Shortfall &Refused) const override;
  bool hasThrottled(const Kernel &Kernel,
                    const FileContexts &Files) const override;
  std::string foundAround(const std::string &Text,
                          const SourceSpan &Loop) const override;
};
} // namespace

/// Threads of the block that the kernel has to be compiled for, unless another
/// transform sees to it; 0: none. HasSecond: launches choose between it and one
/// that has the bounds for tiles to itself (KernelVersions.h).
static int64_t blockToBound(const Context &C, bool HasSecond) {
  auto IsBound = [&](const LoopVersion &V) {
    return V.BoundThreads && (V.Reads.empty() || !HasSecond);
  };
  if ((HasSecond && C.Kernel.Plan.ByTrials) ||
      (C.Kernel.Registers && C.Kernel.Registers->Bounds) ||
      llvm::any_of(C.Kernel.Plan.Versions, IsBound))
    return 0;
  const Kernel &K = C.Kernel.Source;
  const int64_t Any = threadsToBound(K, C.Gpu, SplitRegisters),
                InSight = largestBlockInSight(K);
  if (hasRegisters(K, C.Gpu, Any, /*More=*/0))
    return Any;
  // Blocks that it has no registers for as it is are not launched elsewhere.
  return mayLackRegisters(K, C.Gpu, InSight) ? InSight : 0;
}

Preparation SplitWarpGroups::prepare(const Context &C) const {
  Preparation Out;
  std::vector<Split> Found = splits(C.Kernel, C.Gpu, Out.Refusals);
  llvm::erase_if(Found, [&](const Split &S) {
    std::optional<Refusal> R = obstacle(C.Kernel.Source, S, name(), C.Files);
    if (R)
      Out.Refusals.push_back(std::move(*R));
    return R.has_value();
  });
  if (Found.empty())
    return Out;
  const std::optional<SecondKernel> Second = secondKernelOf(C);
  if (Second && C.Kernel.Plan.ByTrials)
    for (Split &S : Found)
      S.Size.OnlyIf = Second->Flag;
  const int64_t Threads = blockToBound(C, Second.has_value());
  if (Threads)
    if (std::optional<Refusal> Why = cannotBound(C, Threads)) {
      Out.Refusals.push_back(std::move(*Why));
      return Out;
    }
  auto Splits = std::make_unique<PreparedSplits>(C.Kernel, std::move(Found));
  if (Threads)
    Splits->Bounds = boundsFor(C, Threads);
  Out.Found = std::move(Splits);
  return Out;
}

//===-- What is written already, and what is not --------------------------===//

/// Loops that are planned in groups and were not written so.
bool SplitWarpGroups::giveUp(KernelReport &Kernel,
                             const Shortfall &Refused) const {
  bool Any = false;
  for (const LoopPlan &P : Kernel.Plan.Loops) {
    Loop &L = Kernel.Source.Loops[P.Loop];
    std::optional<Refusal> Why = Refused.refusedAt(L.Where);
    if (!isDivided(P) || !Why)
      continue;
    L.Refusals.push_back(std::move(*Why));
    Any = true;
  }
  return Any;
}

bool SplitWarpGroups::hasThrottled(const catt::Kernel &Kernel,
                                   const FileContexts &Files) const {
  return isMarked(Kernel, name(), Files) || hasRewrittenLoop(Kernel, Files);
}

std::string SplitWarpGroups::foundAround(const std::string &Text,
                                         const SourceSpan &Loop) const {
  StringRef Head;
  for (const Marker &M : findMarkers(Text)) {
    if (Loop.Begin < M.Begin)
      break;
    if (M.K == Marker::Kind::Head && M.Transform == name())
      Head = StringRef(Text).slice(M.Begin, M.End);
    else if (M.K == Marker::Kind::Done)
      Head = "";
  }
  StringRef Groups = Head.split('(').second.split(')').first;
  return Groups.empty() ? "" : Groups.str() + " warp groups";
}

const Transform &theSplitWarpGroups(const TransformTraits &Traits) {
  static const SplitWarpGroups Only(Traits);
  return Only;
}

} // namespace catt
