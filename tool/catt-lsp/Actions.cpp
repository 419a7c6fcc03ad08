//===- Actions.cpp - Code actions and their edits -------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   cursor --> kernels and loops around it
//          --> for each loop and transform: a report that decides nothing else
//          --> rewrite() --> edits, or the refusal that stands against them
//
// A loop whose rows are staged has two actions beside each other: that, and
// what limits its warps, from the plan that the kernel would have without tiles
// (Outcome::WithoutTiles).
//
//===----------------------------------------------------------------------===//
#include "Features.h"
#include "Json.h"
#include "Rows.h"
#include "analysis/model/Reasons.h"
#include "analysis/plan/runtime/Agreement.h"
#include "tool/optimize/Optimize.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace catt {

static Report withoutKernels(const std::optional<Report> &Whole) {
  Report Rest = Whole ? *Whole : Report();
  Rest.Kernels.clear();
  return Rest;
}

Snapshot::Snapshot(std::string Uri, std::string Path, int64_t Version,
                   std::string GivenText, JobResult GivenResult,
                   std::vector<std::string> Transforms)
    : Uri(std::move(Uri)), Path(std::move(Path)), Version(Version),
      Text(std::move(GivenText)), Positions(Text),
      Result(std::move(GivenResult)), Transforms(std::move(Transforms)),
      NoKernels(withoutKernels(Result.Outcome.Analysed)) {}

Report onlyKernel(const Snapshot &S, const Location &Definition) {
  Report One = S.NoKernels;
  if (S.Result.Outcome.Analysed)
    llvm::copy_if(
        S.Result.Outcome.Analysed->Kernels, std::back_inserter(One.Kernels),
        [&](const KernelReport &K) { return K.Source.Where == Definition; });
  return One;
}

namespace {

/// Leaves the other version of the loop at Where, and tiles if it has some.
void keepVersions(KernelReport &K, const Location &Where) {
  auto LoopOf = [&](const LoopVersion &V) -> const Loop & {
    return K.Source.Loops[K.Source.RowLoops[V.Rows].Loop];
  };
  llvm::erase_if(K.Plan.Versions, [&](const LoopVersion &V) {
    return LoopOf(V).Where != Where;
  });
  if (none_of(K.Plan.Versions,
              [](const LoopVersion &V) { return !V.Reads.empty(); }))
    K.Plan.Tiles = {};
}

/// The report without decisions for other loops than the one at Where; without
/// any where none is there.
Report onlyLoop(Report Whole, const Location &Where) {
  for (KernelReport &K : Whole.Kernels)
    for (LoopPlan &P : K.Plan.Loops)
      if (K.Source.Loops[P.Loop].Where != Where) {
        P.Groups = 1;
        P.Cases.clear();
        if (!P.Why)
          P.Why = Refusal{Reason::Suppressed, Where, ""};
      }
  for (KernelReport &K : Whole.Kernels)
    keepVersions(K, Where);
  return Whole;
}

/// The report with its decisions as they are without a trial: what is written
/// for one loop or by one transform alone.
Report untried(Report R) {
  for (KernelReport &K : R.Kernels)
    K.Plan.ByTrials = false;
  return R;
}

/// Whether a plan limits the warps that run the loop.
bool limitsWarps(const KernelPlan &Plan, const LoopPlan &P) {
  return isDivided(P) || ((Plan.BlocksRemoved > 0 || !Plan.ByThreads.empty()) &&
                          isContended(Plan, P));
}

/// What an action of this part is called where nothing was written.
StringRef nameOf(Part P) {
  return P == Part::Groups  ? "Limit active warps"
         : P == Part::Stage ? "Load rows together"
                            : "Keep sums in registers";
}

bool changes(const Edits &E) {
  return any_of(E.Files, [](const auto &F) { return !F.second.empty(); });
}

json::Array textEdits(const clang::tooling::Replacements &All,
                      const TextPositions &Positions) {
  json::Array Out;
  for (const clang::tooling::Replacement &R : All)
    Out.push_back(json::Object{
        {"range",
         toJSON(Positions.range(R.getOffset(), R.getOffset() + R.getLength()))},
        {"newText", json::fixUTF8(R.getReplacementText())}});
  return Out;
}

json::Value workspaceEdit(const Snapshot &S, const Edits &E,
                          const ClientAbilities &Can) {
  json::Array Documents;
  json::Object Changes;
  for (const auto &[Path, Replacements] : E.Files) {
    bool Main = Path == S.Path;
    auto Old = S.Result.OldTexts.find(Path);
    if (Replacements.empty() || (!Main && Old == S.Result.OldTexts.end()))
      continue;
    std::string Uri = Main ? S.Uri : uriOf(Path);
    json::Array Texts =
        Main ? textEdits(Replacements, S.Positions)
             : textEdits(Replacements, TextPositions(Old->second));
    if (Can.VersionedEdits)
      Documents.push_back(
          json::Object{{"textDocument",
                        json::Object{{"uri", Uri},
                                     {"version", Main ? json::Value(S.Version)
                                                      : json::Value(nullptr)}}},
                       {"edits", std::move(Texts)}});
    else
      Changes[Uri] = std::move(Texts);
  }
  if (Can.VersionedEdits)
    return json::Object{{"documentChanges", std::move(Documents)}};
  return json::Object{{"changes", std::move(Changes)}};
}

/// "split into 2 warp groups; ..." of everything that was done.
std::string summaryOf(const Edits &E) {
  std::string Text;
  for (const Applied &A : E.Done)
    if (!StringRef(Text).contains(A.Summary))
      Text += (Text.empty() ? "" : "; ") + A.Summary;
  return Text;
}

std::string titleOf(const Edits &E, StringRef Where) {
  std::string Title = summaryOf(E);
  if (!Title.empty())
    Title[0] = toUpper(Title[0]);
  return Title + " (" + Where.str() + ")";
}

/// Collects the actions for the lines of one range.
class Finder {
public:
  Finder(const Snapshot &S, lsp::Range Range,
         const std::vector<std::string> &Only, const ClientAbilities &Can)
      : S(S), Only(Only), Can(Can),
        Begin(S.Positions.offset({Range.start.line, 0})),
        End(S.Positions.offset(S.Positions.endOfLine(Range.end.line + 1))) {}

  json::Array run() {
    if (!S.Result.Outcome.Analysed)
      return {};
    for (const Location &Kernel : kernelsAtRange())
      addKernel(onlyKernel(S, Kernel));
    if (changes(S.Result.Outcome.Changes))
      add("Apply all that catt proposes in this file", "file",
          S.Result.Outcome.Changes);
    addRevert();
    return std::move(Actions);
  }

private:
  bool touches(const SourceSpan &Span) const {
    return Span.File == S.Path && Span.Begin <= End && Begin <= Span.End;
  }

  /// The definitions around the range: kernels, and those whose loops in device
  /// functions are.
  std::vector<Location> kernelsAtRange() const {
    std::vector<Location> Out;
    for (const KernelReport &K : S.Result.Outcome.Analysed->Kernels) {
      bool Near = touches(K.Source.Span) ||
                  any_of(K.Source.Loops,
                         [&](const Loop &L) { return touches(L.Span); });
      if (Near && none_of(Out, [&](const Location &Known) {
            return Known == K.Source.Where;
          }))
        Out.push_back(K.Source.Where);
    }
    return Out;
  }

  /// What the user has chosen, and what a kernel was measured with; else all
  /// there is: an editor only proposes.
  std::vector<const Transform *> transforms() const {
    return S.Transforms.empty()
               ? allTransforms().vec()
               : chosenTransforms(*S.Result.Outcome.Analysed, S.Transforms);
  }

  Edits editsOf(const Report &R, ArrayRef<const Transform *> Transforms) const {
    return rewrite(R, Transforms, S.Result.How);
  }

  bool wanted(StringRef Kind) const {
    return Only.empty() || any_of(Only, [&](StringRef Prefix) {
             StringRef Rest = Kind;
             return Rest.consume_front(Prefix) &&
                    (Rest.empty() || Rest.front() == '.');
           });
  }

  void add(const std::string &Title, StringRef Kind, const Edits &E) {
    std::string Whole = (ActionKind + "." + Kind).str();
    if (wanted(Whole))
      Actions.push_back(json::Object{{"title", json::fixUTF8(Title)},
                                     {"kind", Whole},
                                     {"edit", workspaceEdit(S, E, Can)}});
  }

  void addDisabled(const std::string &Title, StringRef Kind,
                   const Refusal &Why) {
    std::string Whole = (ActionKind + "." + Kind).str();
    if (Can.DisabledActions && wanted(Whole))
      Actions.push_back(json::Object{
          {"title", json::fixUTF8(Title)},
          {"kind", Whole},
          {"disabled",
           json::Object{{"reason", json::fixUTF8(userText(Why))}}}});
  }

  /// Takes this tool's edits out of the text again.
  void addRevert() {
    Expected<std::string> Old = revert(S.Path, S.Text);
    if (!Old) // a marker was damaged by hand: the command line says where
      return consumeError(Old.takeError());
    std::string Kind = (ActionKind + ".revert").str();
    if (*Old == S.Text || !wanted(Kind))
      return;
    clang::tooling::Replacements Whole(
        clang::tooling::Replacement(S.Path, 0, S.Text.size(), *Old));
    Edits E;
    E.Files[S.Path] = std::move(Whole);
    add("Take all edits of catt out of this file", "revert", E);
  }

  void addKernel(const Report &One) {
    std::string Name =
        "kernel '" + One.Kernels.front().Source.UnqualifiedName + "'";
    auto IsForLoops = [](const Transform *T) {
      return T->traits().DecidedFor == TransformTraits::Scope::Loop;
    };
    std::vector<const Transform *> All = transforms();
    // What is proposed for rows stands before what limits the warps.
    llvm::stable_sort(All, [](const Transform *A, const Transform *B) {
      return A->writes(Part::Stage) && !B->writes(Part::Stage);
    });
    const Report Untried = untried(One);
    for (const Transform *T : All)
      if (IsForLoops(T))
        addLoops(Untried, *T);
    // How a launch divides L1 goes with the tiles, where there are some.
    Report NoLoops = onlyLoop(withoutTilesOf(Untried), {});
    for (const Transform *T : transforms())
      if (!IsForLoops(T))
        addTransform(NoLoops, *T, Name);
    Edits Whole = editsOf(One, transforms());
    if (changes(Whole))
      add("Apply all that catt proposes for " + Name, "kernel", Whole);
    else if (std::optional<Refusal> Why = whyNothing(One))
      addDisabled("Fit " + Name + " into the cache", "kernel", *Why);
  }

  void addTransform(const Report &R, const Transform &T,
                    const std::string &Where) {
    Edits E = editsOf(R, &T);
    if (changes(E))
      add(titleOf(E, Where), T.name(), E);
    else if (!E.Refused.empty())
      addDisabled(formatv("{0} ({1})", T.name(), Where), T.name(),
                  E.Refused.front());
  }

  /// One action for each loop around the range, the innermost first.
  void addLoops(const Report &One, const Transform &T) {
    std::vector<Location> Seen;
    for (const KernelReport &K : One.Kernels)
      for (const LoopPlan &P : llvm::reverse(K.Plan.Loops)) {
        const Loop &L = K.Source.Loops[P.Loop];
        if (!touches(L.Span) ||
            any_of(Seen, [&](const Location &W) { return W == L.Where; }))
          continue;
        Seen.push_back(L.Where);
        addLoop(One, T, K, L, P);
      }
  }

  void addLoop(const Report &One, const Transform &T, const KernelReport &K,
               const Loop &L, const LoopPlan &P) {
    if (T.writes(Part::Groups)) {
      const KernelReport *Alone =
          tiledVersion(K, P.Loop) ? withoutTiles(S, K) : nullptr;
      return Alone ? addLimit(withoutTilesOf(One), T, *Alone, P.Loop)
                   : addLimit(One, T, K, P.Loop);
    }
    if (const LoopVersion *V = tiledVersion(K, P.Loop);
        V && T.writes(Part::Stage))
      if (Edits E = editsOf(onlyLoop(One, L.Where), withL1(T)); stages(E))
        return add(rowsTitle(K, *V, L), T.name(), E);
    Edits E = editsOf(onlyLoop(One, L.Where), &T);
    if (changes(E))
      return add(titleOf(E, loopName(L)), T.name(), E);
    if (T.writes(Part::Stage))
      llvm::append_range(E.Refused, K.Plan.NotStaged);
    for (const Refusal &Why : E.Refused)
      if (concerns(Why, K, L))
        return addDisabled(
            formatv("{0} ({1})", nameOf(T.traits().Writes), loopName(L)),
            T.name(), Why);
  }

  /// Everything that limits the warps of one loop, with what launches ask for.
  void addLimit(const Report &Whole, const Transform &T, const KernelReport &K,
                unsigned Loop) {
    const auto P = llvm::find_if(
        K.Plan.Loops, [&](const LoopPlan &Each) { return Each.Loop == Loop; });
    const auto &L = K.Source.Loops[Loop];
    std::string Title =
        formatv("{0} ({1})", nameOf(Part::Groups), loopName(L)).str();
    Edits E;
    std::optional<Refusal> Why;
    if (!K.Plan.Refusals.empty())
      Why = K.Plan.Refusals.front();
    if (P != K.Plan.Loops.end())
      Why = P->Why;
    if (P != K.Plan.Loops.end() && limitsWarps(K.Plan, *P))
      E = editsOf(onlyLoop(Whole, L.Where), throttlings(transforms()));
    if (any_of(E.Done, [](const Applied &A) {
          return A.By->writes(Part::Groups) || A.By->writes(Part::Reserve);
        }))
      return add(Title + ", " + effectOf(K.Plan, *P) + ": " + summaryOf(E),
                 T.name(), E);
    if (!E.Refused.empty())
      Why = E.Refused.front();
    if (Why)
      addDisabled(Title, T.name(), *Why);
  }

  /// The prediction, or what there is without one.
  static std::string effectOf(const KernelPlan &Plan, const LoopPlan &P) {
    if (std::string Gain = predictedText(P); !Gain.empty())
      return Gain;
    if (!P.Cases.empty() || !Plan.Before)
      return "decided at run time";
    const Residency &After = Plan.After ? *Plan.After : *Plan.Before;
    return bytes(P.FootprintBytesAfter) + " of " + bytes(After.L1Bytes) +
           " L1D instead of " + bytes(P.FootprintBytes);
  }

  std::string rowsTitle(const KernelReport &K, const LoopVersion &V,
                        const Loop &L) const {
    std::string Title = formatv("{0} ({1}), {2}", nameOf(Part::Stage),
                                loopName(L), linesText(S, K, V));
    if (!V.Sums.empty())
      Title += "; " + counted(V.Sums.size(), "sum") + " in registers";
    if (const std::string Gain = predictedText(K.Plan); !Gain.empty())
      Title += ", " + Gain;
    return Title;
  }

  /// A transform that adds tiles, with what leaves L1 the rest.
  std::vector<const Transform *> withL1(const Transform &T) const {
    std::vector<const Transform *> Out = transforms();
    llvm::erase_if(Out, [&](const Transform *Each) {
      return Each != &T && !Each->writes(Part::Carveout);
    });
    return Out;
  }

  static bool stages(const Edits &E) {
    return any_of(E.Done,
                  [](const Applied &A) { return A.By->writes(Part::Stage); });
  }

  /// The report with the plans that its kernels would have without tiles.
  Report withoutTilesOf(Report One) const {
    for (KernelReport &K : One.Kernels)
      if (const KernelReport *Alone = withoutTiles(S, K))
        K = *Alone;
    return One;
  }

  /// Whether a refusal is of the loop, of something in it, or of the kernel.
  bool concerns(const Refusal &Why, const KernelReport &K,
                const Loop &L) const {
    const int Last = S.Positions.at(L.Span.End).line + 1;
    return isAt(Why.Where, L) || Why.Where == K.Source.Where ||
           (Why.Where.File == L.Where.File && L.Span.File == S.Path &&
            L.Where.Line <= Why.Where.Line && int(Why.Where.Line) <= Last);
  }

  /// Why nothing at all is proposed for a kernel.
  static std::optional<Refusal> whyNothing(const Report &One) {
    for (const KernelReport &K : One.Kernels) {
      for (const auto *Refusals : {&K.Source.Refusals, &K.Plan.Refusals})
        if (!Refusals->empty())
          return Refusals->front();
      for (const LoopPlan &P : K.Plan.Loops)
        if (P.Why)
          return P.Why;
    }
    return std::nullopt;
  }

  const Snapshot &S;
  const std::vector<std::string> &Only;
  const ClientAbilities &Can;
  unsigned Begin, End;
  json::Array Actions;
};

} // namespace

json::Array codeActions(const Snapshot &S, lsp::Range Range,
                        const std::vector<std::string> &Only,
                        const ClientAbilities &Can) {
  return Finder(S, Range, Only, Can).run();
}

std::optional<json::Value> allEdits(const Snapshot &S,
                                    std::optional<int64_t> Line,
                                    const ClientAbilities &Can) {
  const FileOutcome &File = S.Result.Outcome;
  if (!File.Analysed || !changes(File.Changes))
    return std::nullopt;
  if (!Line)
    return workspaceEdit(S, File.Changes, Can);
  for (const KernelReport &K : File.Analysed->Kernels) {
    if (K.Source.Where.File != S.Path || K.Source.Where.Line != *Line + 1)
      continue;
    const Report One = onlyKernel(S, K.Source.Where);
    Edits E = rewrite(One, chosenTransforms(One, S.Transforms), S.Result.How);
    if (changes(E))
      return workspaceEdit(S, E, Can);
    return std::nullopt;
  }
  return std::nullopt;
}

ClientAbilities readAbilities(const json::Value &Capabilities) {
  auto Has = [&](ArrayRef<StringRef> Path) {
    const json::Value *V = &Capabilities;
    for (StringRef Key : Path) {
      const json::Object *O = V->getAsObject();
      V = O ? O->get(Key) : nullptr;
      if (!V)
        return false;
    }
    return V->getAsBoolean().value_or(false);
  };
  ClientAbilities Can;
  Can.DisabledActions = Has({"textDocument", "codeAction", "disabledSupport"});
  Can.VersionedEdits = Has({"workspace", "workspaceEdit", "documentChanges"});
  Can.RelatedPlaces =
      Has({"textDocument", "publishDiagnostics", "relatedInformation"});
  Can.Progress = Has({"window", "workDoneProgress"});
  Can.ApplyEdit = Has({"workspace", "applyEdit"});
  Can.RefreshHints = Has({"workspace", "inlayHint", "refreshSupport"});
  Can.RefreshLenses = Has({"workspace", "codeLens", "refreshSupport"});
  return Can;
}

} // namespace catt
