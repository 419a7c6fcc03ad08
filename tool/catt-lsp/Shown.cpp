//===- Shown.cpp - Diagnostics, hover, hints and lenses -------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Features.h"
#include "Json.h"
#include "Rows.h"
#include "analysis/model/Reasons.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <set>

using namespace llvm;

namespace catt {
namespace {

/// DiagnosticSeverity of the protocol.
enum Severity { Warning = 2, Information = 3, Hint = 4 };

constexpr StringLiteral RegisterLimited = "register-limited";

/// A contended loop that can be helped is a warning, one that cannot is worth
/// knowing; so is a change that goes with another. The rest are hints.
Severity severityOf(const Finding &F) {
  if (F.Warns)
    return Warning;
  bool Refused = findReason(F.Id).has_value();
  if (F.Contended)
    return Refused ? Information : Warning;
  return Refused ? Hint : Information;
}

bool isHere(const Snapshot &S, const Location &Where) {
  return Where.valid() && Where.File == S.Path;
}

/// From the place to the end of its line.
lsp::Range restOfLine(const TextPositions &Positions, const Location &Where) {
  return {Positions.at(Where.Line, Where.Column),
          Positions.endOfLine(Where.Line)};
}

json::Value related(const Snapshot &S, const Location &Where,
                    const std::string &Message) {
  std::string Uri = S.Uri;
  lsp::Range Range = restOfLine(S.Positions, Where);
  auto Other = S.Result.OldTexts.find(Where.File);
  if (!isHere(S, Where)) {
    Uri = uriOf(Where.File);
    Range = Other == S.Result.OldTexts.end()
                ? lsp::Range(lsp::Position(Where.Line - 1, 0))
                : restOfLine(TextPositions(Other->second), Where);
  }
  return json::Object{
      {"location", json::Object{{"uri", Uri}, {"range", toJSON(Range)}}},
      {"message", json::fixUTF8(Message)}};
}

json::Object diagnostic(const Snapshot &S, const Location &Where, Severity How,
                        StringRef Id, StringRef Message) {
  lsp::Range Range = Where.valid() ? restOfLine(S.Positions, Where)
                                   : lsp::Range(lsp::Position(0, 0));
  return json::Object{{"range", toJSON(Range)},
                      {"severity", static_cast<int>(How)},
                      {"code", Id.str()},
                      {"source", "catt"},
                      {"message", json::fixUTF8(Message)}};
}

json::Object diagnostic(const Snapshot &S, const Finding &F,
                        const ClientAbilities &Can) {
  std::string Message = F.Message;
  json::Array Related;
  for (const auto &[Where, Note] : F.Notes)
    if (Can.RelatedPlaces && Where.valid())
      Related.push_back(related(S, Where, Note));
    else
      Message += "\n" + Note;
  json::Object D = diagnostic(S, F.Where, severityOf(F), F.Id, Message);
  if (!Related.empty())
    D["relatedInformation"] = std::move(Related);
  return D;
}

std::string occupancyText(const Residency &R, const Device &Gpu) {
  return formatv("{0} of {1} per SM ({2} of {3} warps), limited by {4}",
                 counted(R.BlocksPerSM, "block"),
                 counted(R.WarpsPerBlock, "warp"), R.activeWarps(),
                 Gpu.MaxWarpsPerSM, toString(R.LimitedBy))
      .str();
}

/// Calls back with each kernel of the file that is shown.
template <typename Function> void forEachKernel(const Snapshot &S, Function F) {
  if (S.Result.Outcome.Analysed)
    for (const KernelReport &K : S.Result.Outcome.Analysed->Kernels)
      F(K);
}

/// Calls back with each loop of the file that a plan speaks of.
template <typename Function> void forEachLoop(const Snapshot &S, Function F) {
  forEachKernel(S, [&](const KernelReport &K) {
    for (const LoopPlan &P : K.Plan.Loops)
      if (isHere(S, K.Source.Loops[P.Loop].Where))
        F(K, K.Source.Loops[P.Loop], P);
  });
}

void addRegisterLimits(const Snapshot &S, json::Array &Out) {
  forEachKernel(S, [&](const KernelReport &K) {
    if (!K.Plan.Before || K.Plan.Before->LimitedBy != Limiter::Registers ||
        !isHere(S, K.Source.Where))
      return;
    Out.push_back(diagnostic(
        S, K.Source.Where, Information, RegisterLimited,
        "kernel '" + K.Source.Name + "': " +
            occupancyText(*K.Plan.Before, S.Result.Outcome.Analysed->Gpu)));
  });
}

} // namespace

json::Array diagnostics(const Snapshot &S, const ClientAbilities &Can) {
  json::Array Out;
  const FileOutcome &File = S.Result.Outcome;
  // Errors of the code are the compiler's to show; a file that could not even
  // be read as CUDA has no other message.
  if (!File.Error.empty() && (!File.Analysed || S.Result.Exit == ExitDefect))
    Out.push_back(diagnostic(S, {}, Warning, "not-analysed", File.Error));
  for (const Finding &F : findings(File))
    if (isHere(S, F.Where) || !F.Where.valid())
      Out.push_back(diagnostic(S, F, Can));
  addRegisterLimits(S, Out);
  return Out;
}

//===-- Hover
//--------------------------------------------------------------===//

namespace {

std::string launchText(const KernelReport &K) {
  const KernelPlan &P = K.Plan;
  if (!P.LaunchIndex)
    return "";
  const Launch &L = K.Source.Launches[*P.LaunchIndex];
  return formatv("Launched as `{0}`: blocks of {1}, grid of {2}\n\n", L.Text,
                 shape(L.Block), shape(L.Grid))
      .str();
}

/// Rows "name | now | with the change"; the last column only if there is one.
class Table {
public:
  explicit Table(bool Change) : Change(Change) {
    Text = Change ? "| | now | with the change |\n|---|---|---|\n"
                  : "| | now |\n|---|---|\n";
  }
  void add(StringRef Name, const std::string &Now, const std::string &After) {
    Text += ("| " + Name + " | " + Now + " |").str();
    Text += Change ? " " + After + " |\n" : "\n";
  }
  std::string take() { return std::move(Text) + "\n"; }

private:
  bool Change;
  std::string Text;
};

/// Whether the plan changes how many blocks are resident.
bool changesBlocks(const KernelPlan &P) {
  return P.After && P.BlocksRemoved > 0;
}

std::string kernelHover(const KernelReport &K, const Device &Gpu) {
  std::string Text = "**kernel** `" + K.Source.Name + "` on " + Gpu.Name +
                     " (" + Gpu.architecture() + ")\n\n" + launchText(K);
  if (const std::optional<Residency> &Now = K.Plan.Before) {
    bool Change = changesBlocks(K.Plan);
    const Residency &After = Change ? *K.Plan.After : *Now;
    auto Warps = [&](const Residency &R) {
      return formatv("{0} of {1} ({2}%)", R.activeWarps(), Gpu.MaxWarpsPerSM,
                     100 * R.activeWarps() / Gpu.MaxWarpsPerSM)
          .str();
    };
    Table T(Change);
    T.add("blocks per SM", std::to_string(Now->BlocksPerSM),
          std::to_string(After.BlocksPerSM));
    T.add("warps per SM", Warps(*Now), Warps(After));
    T.add("limited by", toString(Now->LimitedBy).str(),
          toString(After.LimitedBy).str());
    T.add("L1D", bytes(Now->L1Bytes), bytes(After.L1Bytes));
    T.add("shared memory carve-out", bytes(Now->CarveoutBytes),
          bytes(After.CarveoutBytes));
    Text += T.take();
  }
  if (K.Measured)
    Text += "- " + measuredText(*K.Measured) + "\n";
  for (const std::vector<Refusal> *All : {&K.Source.Refusals, &K.Plan.Refusals})
    for (const Refusal &R : *All)
      Text += "- " + userText(R) + " `" + info(R.Kind).Id.str() + "`\n";
  return Text;
}

/// The numbers of a loop: what it touches beside what there is.
std::string loopTable(const KernelReport &K, const LoopPlan &P) {
  const Residency &Now = *K.Plan.Before;
  bool Change = (!P.Why && P.Groups > 1) || changesBlocks(K.Plan);
  const Residency &After = K.Plan.After ? *K.Plan.After : Now;
  int64_t Warps = P.WarpsPerGroup ? P.WarpsPerGroup : After.WarpsPerBlock;
  Table T(Change);
  T.add("touched between two uses", bytes(P.FootprintBytes),
        bytes(P.FootprintBytesAfter));
  T.add("L1D", bytes(Now.L1Bytes), bytes(After.L1Bytes));
  T.add("warps at a time", std::to_string(Now.activeWarps()),
        std::to_string(Warps * After.BlocksPerSM));
  T.add("lines of one warp", std::to_string(P.LinesPerWarp),
        std::to_string(P.LinesPerWarp));
  T.add("limited by", toString(Now.LimitedBy).str(),
        toString(After.LimitedBy).str());
  return T.take();
}

/// The same of a loop that is to have tiles; Alone: without.
std::string tilesTable(const KernelReport &Alone, const KernelReport &K,
                       const LoopPlan &P) {
  auto Was = llvm::find_if(Alone.Plan.Loops, [&](const LoopPlan &Each) {
    return Each.Loop == P.Loop;
  });
  if (!Alone.Plan.Before || Was == Alone.Plan.Loops.end())
    return "";
  const Residency &Now = *Alone.Plan.Before,
                  &After = K.Plan.After ? *K.Plan.After : *K.Plan.Before;
  Table T(/*Change=*/true);
  T.add("touched between two uses", bytes(Was->FootprintBytes),
        bytes(P.FootprintBytesAfter) + " beside the tiles");
  T.add("L1D", bytes(Now.L1Bytes), bytes(After.L1Bytes));
  T.add("warps at a time", std::to_string(Now.activeWarps()),
        std::to_string(After.activeWarps()));
  T.add("lines of one warp", std::to_string(Was->LinesPerWarp),
        std::to_string(P.LinesPerWarp));
  T.add("limited by", toString(Now.LimitedBy).str(),
        toString(After.LimitedBy).str());
  return T.take();
}

std::string loopHover(const Snapshot &S, const KernelReport &K, const Loop &L,
                      const LoopPlan &P) {
  std::string Text = "**" + loopName(L) + "** in `" + K.Source.Name + "`\n\n";
  const LoopVersion *Tiles = tiledVersion(K, P.Loop);
  const KernelReport *Alone = Tiles ? withoutTiles(S, K) : nullptr;
  if (K.Plan.Before && Alone)
    Text += tilesTable(*Alone, K, P);
  else if (K.Plan.Before && P.FootprintBytes > 0)
    Text += loopTable(K, P);
  if (Tiles)
    Text += "```text\n" + rowsPicture(S, K, *Tiles) + "```\n\n";
  // What the report says of this loop in this kernel alone.
  FileOutcome One;
  One.Name = S.Path;
  One.Analysed = Report{};
  One.Analysed->MainFile = S.Path;
  One.Analysed->Kernels.push_back(K);
  One.Changes = S.Result.Outcome.Changes;
  TextOptions Everything;
  Everything.Everything = true;
  for (const Finding &F : findings(One, Everything)) {
    if (!isAt(F.Where, L))
      continue;
    Text += "- " + F.Message + " `" + F.Id + "`\n";
    for (const auto &[Where, Note] : F.Notes)
      Text += "- " + Note + "\n";
  }
  return Text;
}

json::Value markdown(const std::string &Text, lsp::Range Range) {
  if (Text.empty())
    return nullptr;
  return json::Object{
      {"contents",
       json::Object{{"kind", "markdown"}, {"value", json::fixUTF8(Text)}}},
      {"range", toJSON(Range)}};
}

bool isOnLine(const Snapshot &S, const Location &Where, lsp::Position At) {
  return isHere(S, Where) && static_cast<int>(Where.Line) == At.line + 1;
}

} // namespace

json::Value hover(const Snapshot &S, lsp::Position At) {
  std::string Text;
  lsp::Range Range;
  auto Add = [&](const std::string &More, const Location &Where) {
    Text += (Text.empty() ? "" : "\n---\n\n") + More;
    Range = restOfLine(S.Positions, Where);
  };
  forEachLoop(S, [&](const KernelReport &K, const Loop &L, const LoopPlan &P) {
    if (isOnLine(S, L.Where, At))
      Add(loopHover(S, K, L, P), L.Where);
  });
  if (Text.empty())
    forEachKernel(S, [&](const KernelReport &K) {
      if (isOnLine(S, K.Source.Where, At))
        Add(kernelHover(K, S.Result.Outcome.Analysed->Gpu), K.Source.Where);
    });
  return markdown(Text, Range);
}

//===-- Hints and lenses
//---------------------------------------------------===//

json::Array inlayHints(const Snapshot &S, lsp::Range Within) {
  // Of several instantiations, the one that touches most.
  struct Worst {
    int64_t Touched, Held;
  };
  std::map<unsigned, Worst> ByLine;
  forEachLoop(S, [&](const KernelReport &K, const Loop &L, const LoopPlan &P) {
    if (!K.Plan.Before || P.FootprintBytes <= 0)
      return;
    Worst Here{P.FootprintBytes, K.Plan.Before->L1Bytes};
    auto [It, New] = ByLine.try_emplace(L.Where.Line, Here);
    if (!New && It->second.Touched < Here.Touched)
      It->second = Here;
  });
  json::Array Out;
  for (const auto &[Line, W] : ByLine) {
    lsp::Position At = S.Positions.endOfLine(Line);
    if (At < Within.start || Within.end < At)
      continue;
    Out.push_back(json::Object{
        {"position", toJSON(At)},
        {"label", bytes(W.Touched) + " of " + bytes(W.Held) + " L1D"},
        {"paddingLeft", true},
        {"tooltip", "What all resident warps touch between two uses of a "
                    "line, beside the L1 data cache"}});
  }
  return Out;
}

namespace {

std::string lensTitle(const Snapshot &S, const KernelReport &K) {
  if (!K.Plan.Before)
    return "catt: the launch is not known";
  Report One = onlyKernel(S, K.Source.Where);
  std::string Title = formatv(
      "{0}; L1D {1}; {2} beyond it", occupancyText(*K.Plan.Before, One.Gpu),
      bytes(K.Plan.Before->L1Bytes), counted(countContended(One), "loop"));
  for (const LoopPlan &P : K.Plan.Loops)
    if (P.Why && P.Why->Kind == Reason::AlreadyRewritten &&
        !P.Why->Detail.empty())
      return Title + "; handled: " + P.Why->Detail;
  return Title;
}

json::Object lens(const Snapshot &S, const KernelReport &K,
                  const std::string &Title, StringRef Command) {
  lsp::Range Range = restOfLine(S.Positions, K.Source.Where);
  return json::Object{
      {"range", toJSON(Range)},
      {"command",
       json::Object{{"title", json::fixUTF8(Title)},
                    {"command", Command.str()},
                    {"arguments", json::Array{S.Uri, Range.start.line}}}}};
}

} // namespace

json::Array codeLenses(const Snapshot &S) {
  json::Array Out;
  std::set<unsigned> Seen;
  forEachKernel(S, [&](const KernelReport &K) {
    if (!isHere(S, K.Source.Where) || !Seen.insert(K.Source.Where.Line).second)
      return;
    Out.push_back(lens(S, K, lensTitle(S, K), ShowReport));
    if (allEdits(S, K.Source.Where.Line - 1, {}))
      Out.push_back(lens(S, K, "Apply what is proposed", ApplyKernel));
  });
  return Out;
}

std::string report(const Snapshot &S, std::optional<int64_t> Line) {
  FileOutcome Shown = S.Result.Outcome;
  if (Line && Shown.Analysed)
    for (const KernelReport &K : S.Result.Outcome.Analysed->Kernels)
      if (isHere(S, K.Source.Where) && K.Source.Where.Line == *Line + 1) {
        Shown.Analysed = onlyKernel(S, K.Source.Where);
        break;
      }
  TextOptions Everything;
  Everything.Everything = true;
  return renderText(Shown, Everything);
}

} // namespace catt
