//===- TryLaunches.cpp - Launches find out what is faster -----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps the kernel as it was beside what is planned for it, and lets its
// launches find out which of both is faster. (Orion, section 3.3 and figure 9:
// candidates are tried in the iterations of the program itself.)
//
// Before:
//   __global__ void rows(const float *A, int m) {
//     ... loop ...
//   }
//   rows<<<grid, 256, 0, stream>>>(A, m);
//
// After:
//   ... two kernels with one body (KernelVersions.h) ...
//   // catt: try-launches(trial): as it was written, or as changed
//   {
//     static catt::Trials cattTrials("rows.cu:rows");
//     catt::Trial cattTrial(cattTrials, grid, stream); // catt: begin 41f7c7
//   (cattTrial.changed() ? cattTried_rows : rows)<<<grid, 256, 0, stream>>>(A,
//                                                                           m);
//   } // catt: end
//   // catt: done 14e55f
//
// With --decide=slices a launch finds out by itself, in parts of its grid:
//   {
//     static catt::Trials cattTrials("rows.cu:rows");
//     for (catt::Slices cattSlices(cattTrials, grid, 256, stream);
//          cattSlices.next();)
//   (cattSlices.changed() ? cattPart_rows<true> : cattPart_rows<false>)
//       <<<cattSlices.grid(), 256, 0, stream>>>(cattSlices.first(),
//                                               cattSlices.whole(), A, m);
//   }
//
// catt/trials.h times the first launches of each by events in their stream,
// without waiting, and then stays with the faster one. Both compute the same
// bits, so that it does not matter which one runs. Before it knows, launches
// that are not timed run the changed kernel, or the original where the model
// alone would leave it: cattTrials("rows.cu:rows", catt::Choice::Original).
//
// Limits. The plan is one of warps per group, tiles and sums; blocks per SM and
// carve-outs are not tried. Refused, so that the model decides: launches that
// are no statements of their own, whose grid or stream may not be read twice,
// or that KernelVersions.h cannot make choose; loops in functions that the
// kernel calls, and statements around a loop that a lambda cannot hold. Refused
// in parts, so that whole launches are tried: kernels of which something else
// than their own text asks for the block or the grid, that wait for other
// blocks, and launches that are given what may change while they run.
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/runtime/Agreement.h"
#include "analysis/plan/stage/LongRows.h"
#include "transforms/GroupLoop.h"
#include "transforms/LaunchEdit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using llvm::StringRef;

namespace catt {
namespace {

/// One launch that is to choose its kernel.
struct Site {
  const Launch *At;
  std::string Trial; ///< the arguments of its trial, but for the first
  unsigned Open = 0; ///< of its parts: behind the "(" of its arguments
};

struct PreparedTrials final : Prepared {
  void edit(EditBuilder &Out) const override;
  std::vector<std::string> before(const Site &S, size_t Number,
                                  const std::string &Trials) const;
  void slice(const Site &S, EditBuilder &Out) const;
  const KernelPlan *Plan = nullptr;
  SecondKernel Second;
  std::vector<Site> Sites;
};

class TryLaunches final : public Transform {
public:
  using Transform::Transform;
  StringRef summary() const override {
    return "Keeps the kernel as it was beside what is planned for it, and lets "
           "its launches find out which of both is faster.";
  }
  Preparation prepare(const Context &C) const override;
  bool giveUp(KernelReport &Kernel, const Shortfall &S) const override {
    if (!Kernel.Plan.ByTrials)
      return false;
    const bool Whole = llvm::all_of(
        S.Why, [](const Refusal &R) { return R.Kind == Reason::CannotSlice; });
    return std::exchange(Whole ? Kernel.May.Slices : Kernel.May.Trials, false);
  }
};

} // namespace

//===-- What stands against it --------------------------------------------===//

/// Why groups of a loop cannot depend on a constant of the kernel's body.
static StringRef against(const Loop &L, const Kernel &K,
                         const FileContexts &Files) {
  if (!L.Site || !contains(K.Span, L.Site->Span))
    return "a loop that is split stands in another function";
  if (!canBeNamed(*L.Site, Files.at(L.Site->Span.File)))
    return "a lambda cannot hold the statements around a loop";
  return "";
}

/// Why the launch cannot choose its kernel; else what its trial is told.
static StringRef against(const Launch &L, const KernelReport &Kernel,
                         Site &Out) {
  const LaunchText &W = *L.Written;
  if (W.Alone.File.empty())
    return "a launch is no statement of its own";
  if (W.PlainGrid.empty())
    return "the grid of a launch may not be read twice";
  if (!W.PlainStream)
    return "the stream of a launch may not be read twice";
  Out.At = &L;
  Out.Trial = W.PlainGrid;
  if (Kernel.Plan.InSlices)
    Out.Trial += ", " + W.PlainBlock;
  const std::string Stream =
      W.PlainStream->empty() ? "nullptr" : *W.PlainStream;
  const bool IfLong = Kernel.Plan.Tiles.IfLong;
  if (IfLong || Stream != "nullptr")
    Out.Trial += ", " + Stream;
  if (!IfLong)
    return "";
  std::optional<std::string> Long =
      longRowsAt(L, Kernel.Source, Kernel.Plan.Versions);
  if (!Long)
    return "a launch does not know how long the rows are";
  Out.Trial += ", " + *Long;
  return "";
}

/// Behind the "(" of a launch's arguments; 0: something else follows its ">>>".
static unsigned argumentsOf(StringRef Text, const LaunchText &W) {
  const size_t At = Text.find_first_not_of(" \t\r\n", W.Config.End);
  return At != StringRef::npos && Text[At] == '(' ? At + 1 : 0;
}

/// Why the launches cannot run in parts of their grid. Open: what the arguments
/// of each begin with, by launch.
static std::optional<Refusal> againstSlices(const Context &C,
                                            std::vector<Site> &Sites) {
  const Kernel &K = C.Kernel.Source;
  auto Not = [](const Location &Where, StringRef Why) {
    return Refusal{Reason::CannotSlice, Where, Why.str()};
  };
  if (!K.Head->NoSlices.empty())
    return Not(K.Where, K.Head->NoSlices);
  std::vector<Refusal> Waits;
  refuseFewerBlocks(K, Waits);
  if (!Waits.empty())
    return Not(Waits.front().Where, "its blocks may wait for others");
  for (Site &S : Sites) {
    const LaunchText &W = *S.At->Written;
    S.Open = argumentsOf(C.Files.at(W.Config.File).Text, W);
    if (W.PlainBlock.empty())
      return Not(S.At->Where, "the block of a launch may not be read twice");
    if (!W.IsSteady)
      return Not(S.At->Where,
                 "what a launch is given may change while it runs");
    if (W.Grid.File.empty() || !S.Open)
      return Not(S.At->Where, "a macro has a part in a launch");
  }
  return std::nullopt;
}

Preparation TryLaunches::prepare(const Context &C) const {
  const Kernel &K = C.Kernel.Source;
  const KernelPlan &Plan = C.Kernel.Plan;
  if (!Plan.ByTrials)
    return {};
  auto Not = [&](const Location &Where, StringRef Why) {
    return Refusal{Reason::CannotTry, Where, Why.str()};
  };
  if (C.Kernel.Spill || C.Kernel.Remat)
    return Not(K.Where, "values of both kernels would move");
  if (StringRef Why = againstSecondKernel(C); !Why.empty())
    return Not(K.Where, Why);
  std::optional<SecondKernel> Second = secondKernelOf(C);
  if (!Second)
    return Not(K.Where, "the kernel's own bounds would be those of both");
  for (const LoopPlan &P : Plan.Loops)
    if (const Loop &L = K.Loops[P.Loop]; isDivided(P))
      if (StringRef Why = against(L, K, C.Files); !Why.empty())
        return Not(L.Where, Why);
  auto Found = std::make_unique<PreparedTrials>();
  Found->Plan = &Plan;
  Found->Second = std::move(*Second);
  std::vector<Refusal> Refusals;
  for (const Launch *L : launchSites(K, Refusals)) {
    const SourceSpan &Config = L->Written->Config;
    if (cannotEdit(C.Files, Config, L->Where))
      return Not(L->Where, "a launch stands where nothing can be added");
    if (isInsideAddition(C.Files.at(Config.File).Text, Config))
      return Refusal{Reason::AlreadyRewritten, L->Where, ""};
    StringRef Why = against(*L, C.Kernel, Found->Sites.emplace_back());
    if (!Why.empty())
      return Not(L->Where, Why);
  }
  if (!Refusals.empty())
    return Not(Refusals.front().Where, Refusals.front().Detail);
  if (Plan.InSlices)
    if (std::optional<Refusal> Why = againstSlices(C, Found->Sites))
      return *Why;
  return Found;
}

//===-- The text ----------------------------------------------------------===//

/// "rows.cu:rows", "rows.cu:rows#2": what its choice is kept by.
static std::string nameOf(const Kernel &K, size_t Number) {
  return (llvm::sys::path::filename(K.Span.File) + ":" + K.UnqualifiedName +
          (Number ? "#" + std::to_string(Number + 1) : ""))
      .str();
}

/// What stands before a launch in its own block.
std::vector<std::string>
PreparedTrials::before(const Site &S, size_t Number,
                       const std::string &Trials) const {
  const std::string Until = Plan->IsDoubtful ? ", catt::Choice::Original" : "",
                    Object = Second.Trial + "(" + Trials + ", " + S.Trial + ")";
  return {"{",
          "static catt::Trials " + Trials + "(\"" + nameOf(*Second.Of, Number) +
              "\"" + Until + ");",
          Second.InSlices ? "for (catt::Slices " + Object + "; " +
                                Second.Trial + ".next();)"
                          : "catt::Trial " + Object + ";"};
}

/// Has a launch run a part of its grid.
void PreparedTrials::slice(const Site &S, EditBuilder &Out) const {
  const LaunchText &W = *S.At->Written;
  const std::string &Of = Second.Trial;
  Out.replace(W.Grid, {"part", "", {Of + ".grid()"}, {}});
  Out.addInline({W.Config.File, S.Open, S.Open},
                {"part",
                 "",
                 {Of + ".first(), " + Of + ".whole()" +
                  (Second.Of->Parameters.empty() ? "" : ",")},
                 {}});
}

void PreparedTrials::edit(EditBuilder &Out) const {
  const Kernel &K = *Second.Of;
  const FileContext &File = Out.files().at(K.Span.File);
  const std::string Trials = freshName(File, "cattTrials");
  writeSecondKernel(Second, Out);
  for (auto [I, S] : llvm::enumerate(Sites)) {
    const LaunchText &W = *S.At->Written;
    const bool OwnLines = isFirstOnLine(File.Text, W.Alone.Begin) &&
                          behindLine(File.Text, W.Alone.End).has_value();
    Out.wrapStatements(W.Alone, OwnLines,
                       {"trial",
                        "as it was written, or as changed",
                        before(S, I, Trials),
                        {"}"}});
    if (Second.InSlices)
      slice(S, Out);
    // Where launches ask for tiles, stage-rows has them choose.
    if (!Plan->Tiles.IsDynamic)
      Out.replace(W.Callee,
                  {"trial",
                   "",
                   {"(" + Second.Trial + ".changed() ? " + Second.at(*S.At) +
                    " : " + Second.otherwiseAt(*S.At) + ")"},
                   {}});
    Out.edits().Calls.push_back(
        {Second.InSlices ? "catt::Slices" : "catt::Trial", &Out.transform(),
         W.Config.File, W.Config.Begin, W.Tops});
    Out.done(S.At->Where,
             "tries the kernel as it was and as changed, and stays with the "
             "faster one");
  }
}

const Transform &theTryLaunches(const TransformTraits &Traits) {
  static const TryLaunches Only(Traits);
  return Only;
}

} // namespace catt
