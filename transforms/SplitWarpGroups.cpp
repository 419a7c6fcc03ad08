//===- SplitWarpGroups.cpp - Run a loop by groups of warps -------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   plan --splits: one per site, the outermost--> sites
//        --obstacle: what only the text shows---> sites that can be edited
//        --addition: the code-------------------> edits
//
//===----------------------------------------------------------------------===//
#include "transforms/SplitWarpGroups.h"
#include "analysis/plan/runtime/Agreement.h"
#include "analysis/plan/runtime/RuntimeCases.h"
#include "transforms/GroupSize.h"
#include "transforms/SourceEdit.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <set>
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

/// Two loops at one site share one wrap: at each value of the parameter the
/// smaller group of the two. With different parameters, several, or too many
/// cases, the one that can go lower decides alone.
static void combine(Split &Into, const Split &Other) {
  const GroupSize A = Into.Size, B = Other.Size;
  if (B.smallest() < A.smallest()) {
    Into.Plan = Other.Plan;
    Into.Size = B;
  }
  std::set<std::string> Parameters;
  std::set<int64_t> Bounds;
  for (const GroupSize *Size : {&A, &B})
    for (const RuntimeCase &C : Size->Cases) {
      Parameters.insert(C.Parameter);
      Bounds.insert(C.From);
    }
  if (Parameters.size() > 1 || !A.isSimple() || !B.isSimple())
    return;
  GroupSize Both = Into.Size;
  Both.Below = std::min(A.Below, B.Below);
  Both.Cases.clear();
  int64_t Last = Both.Below;
  for (int64_t From : Bounds) {
    int64_t Warps = std::min(A.at(From), B.at(From));
    if (Warps != Last)
      Both.Cases.push_back({*Parameters.begin(), From, Warps});
    Last = Warps;
  }
  if (Both.Cases.size() <= MostCases)
    Into.Size = std::move(Both);
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
      combine(Last, S);
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

static bool contains(const SourceSpan &Outer, const SourceSpan &Inner) {
  return Outer.File == Inner.File && Outer.Begin <= Inner.Begin &&
         Inner.End <= Outer.End;
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
                             const TextMap &Texts, Edits &Out) {
  const SourceSpan &Site = S.Site.Span;
  if (!contains(Kernel.Span, Site) && hasRewrittenLoop(Kernel, Texts, Out))
    return true;
  if (isMarked(Kernel, {"split-warp-groups"}, Texts, Out))
    return true;
  return contains(Kernel.Span, Site) &&
         factsOf(Texts, Site.File, Out).MayBeMarked &&
         !findMarkers(Texts.at(Site.File), Kernel.Span.Begin, Kernel.Span.End)
              .empty();
}

/// The name of a builtin that a declaration visible at the site hides, if any.
/// `threadIdx` that is no member access and follows a type is a declaration.
static std::string hiddenBuiltin(const Kernel &Kernel, const SourceSpan &Site,
                                 const std::string &Text) {
  std::vector<std::pair<unsigned, std::string>> Declared; // depth, name
  unsigned Depth = 0, Parens = 0;
  bool AfterType = false, Pending = false;
  std::string Name;
  unsigned From = contains(Kernel.Span, Site) ? Kernel.Span.Begin : 0;
  forEachToken(
      Text, From, [&](const clang::Token &Token, unsigned Begin, unsigned End) {
        if (Begin >= Site.Begin)
          return false;
        if (Token.is(clang::tok::comment))
          return true;
        // A parameter lives in the block that follows the parentheses.
        if (Pending && Token.isNot(clang::tok::period))
          Declared.push_back({Depth + (Parens > 0), Name});
        Pending = false;
        StringRef Word = StringRef(Text).slice(Begin, End);
        if (Word == "threadIdx" || Word == "blockDim" ||
            Word == "__syncthreads") {
          Pending = AfterType;
          Name = Word.str();
        }
        AfterType = Token.isOneOf(clang::tok::star, clang::tok::amp,
                                  clang::tok::ampamp, clang::tok::greater) ||
                    (Token.is(clang::tok::raw_identifier) && Word != "return" &&
                     Word != "else" && Word != "do");
        if (Token.is(clang::tok::l_paren))
          ++Parens;
        if (Token.is(clang::tok::r_paren))
          Parens -= Parens > 0;
        if (Token.is(clang::tok::semi) && Parens == 0) // of a prototype
          llvm::erase_if(Declared, [&](auto &D) { return D.first > Depth; });
        if (Token.is(clang::tok::l_brace))
          ++Depth;
        if (Token.is(clang::tok::r_brace)) {
          llvm::erase_if(Declared, [&](auto &D) { return D.first >= Depth; });
          Depth -= Depth > 0;
        }
        return true;
      });
  return Declared.empty() ? "" : Declared.front().second;
}

/// Why the site's text cannot be edited, if so.
static std::optional<Refusal> obstacle(const Kernel &Kernel, const Split &S,
                                       const TextMap &Texts, Edits &Out) {
  const Location &Where = S.Where->Where;
  if (std::optional<Refusal> R = cannotEdit(Texts, S.Site.Span, Where))
    return R;
  const std::string &Text = Texts.at(S.Site.Span.File);
  const FileFacts &Facts = factsOf(Texts, S.Site.Span.File, Out);
  if (alreadyRewritten(Kernel, S, Texts, Out))
    return Refusal{Reason::AlreadyRewritten, Where, ""};
  if (!Facts.MacroOnBuiltin.empty())
    return Refusal{Reason::InMacro, Where, "the macro " + Facts.MacroOnBuiltin};
  std::string Hidden = hiddenBuiltin(Kernel, S.Site.Span, Text);
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

namespace {
/// The linear number of a thread and the size of its block, as CUDA text.
struct Numbering {
  const char *Thread, *Size;
};
} // namespace

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
    return {"(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * "
            "threadIdx.z))",
            "blockDim.x * blockDim.y * blockDim.z"};
  if (!All(&Shape::Y))
    return {"(threadIdx.x + blockDim.x * threadIdx.y)",
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
                         StringRef Text, const FileFacts &Facts) {
  Addition Out;
  Out.Transform = "split-warp-groups";
  Out.Argument = std::to_string(mostGroups(S));
  Out.Reason = reasonOf(Kernel.Plan, S);
  Out.Close = {"}", "__syncthreads();", "}"};

  std::string Group = freshName(Text, "cattGroup", Facts);
  std::string Init = "unsigned " + Group + " = 0";
  std::string Width = std::to_string(S.Size.Below * WarpLanes);
  Numbering Number = numbering(Kernel.Source, S.Site);
  if (!S.Size.Cases.empty()) {
    Width = freshName(Text, "cattThreads", Facts);
    GroupThreads Threads = threadsByCase(
        S.Size, Width, Number.Size,
        Kernel.Plan.Before ? Kernel.Plan.Before->WarpsPerBlock : WholeBlock);
    if (Threads.Later.empty()) {
      Init += ", " + Width + " = " + Threads.First;
    } else {
      // A block, so that all is one statement and can take the place of one.
      Out.Open = {"{", "unsigned " + Width + " = " + Threads.First + ";"};
      llvm::append_range(Out.Open, Threads.Later);
      Out.Close.push_back("}");
    }
    // A block that stays whole waits for nothing.
    Out.Close[1] = "if (" + Width + " < " + Number.Size + ") " + Out.Close[1];
  }
  Out.Open.push_back("for (" + Init + "; " + Group + " * " + Width + " < " +
                     Number.Size + "; ++" + Group + ") {");
  Out.Open.push_back(std::string("if (") + Number.Thread + " / " + Width +
                     " == " + Group + ") {");
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

Transform::Preparation SplitWarpGroups::prepare(const KernelReport &Kernel,
                                                const Device &Gpu) const {
  Preparation Out;
  Out.Wanted = llvm::any_of(Kernel.Plan.Loops, [&](const LoopPlan &Plan) {
    return isWanted(Kernel, Plan);
  });
  splits(Kernel, Gpu, Out.Refusals);
  return Out;
}

llvm::Error SplitWarpGroups::apply(const KernelReport &Kernel,
                                   const Device &Gpu, const TextMap &Texts,
                                   Edits &Out) const {
  std::vector<Refusal> Prepared; // told by prepare()
  for (const Split &S : splits(Kernel, Gpu, Prepared)) {
    if (std::optional<Refusal> R = obstacle(Kernel.Source, S, Texts, Out)) {
      Out.Refused.push_back(*R);
      continue;
    }
    const SourceSpan &Span = S.Site.Span;
    const FileFacts &Facts = factsOf(Texts, Span.File, Out);
    wrapStatements(Texts, Span, S.Site.OwnLines,
                   addition(Kernel, S, Texts.at(Span.File), Facts), Out);
    Out.Done.push_back({name().str(), S.Where->Where, summaryOf(S)});
  }
  return llvm::Error::success();
}

//===-- What is written already, and what is not --------------------------===//

/// Loops that are planned in groups and were not written so.
bool SplitWarpGroups::giveUp(KernelReport &Kernel,
                             const Shortfall &Refused) const {
  bool Any = false;
  for (const LoopPlan &P : Kernel.Plan.Loops) {
    Loop &L = Kernel.Source.Loops[P.Loop];
    auto AtLoop = [&](const Location &Where) { return Where == L.Where; };
    if (!isDivided(P) || llvm::any_of(Refused.Done, AtLoop))
      continue;
    auto Own = llvm::find_if(Refused.Why,
                             [&](const Refusal &R) { return AtLoop(R.Where); });
    L.Refusals.push_back(Own == Refused.Why.end() ? Refused.Why.front() : *Own);
    Any = true;
  }
  return Any;
}

bool SplitWarpGroups::hasThrottled(const catt::Kernel &Kernel,
                                   const TextMap &Texts, Edits &Facts) const {
  return isMarked(Kernel, {name()}, Texts, Facts) ||
         hasRewrittenLoop(Kernel, Texts, Facts);
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
