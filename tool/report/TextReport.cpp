//===- TextReport.cpp - Remarks in the style of a compiler ----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   file:12:5: remark: loop over j: 32 warps x 66 lines = 264 KiB, L1D holds
//       192 KiB: split into 2 warp groups [split-warp-groups]
//   file:12:5: note: most lines go to 'A[i * n + j]': lanes are 16,384 bytes
//       apart: 32 lines where 1 would do; ...
//
// (in one line each). Several instantiations of one template say the same of
// the same place: equal messages are printed once.
//
//===----------------------------------------------------------------------===//
#include "Paths.h"
#include "Rendering.h"
#include "analysis/model/Reasons.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace catt {
namespace {

/// Decisions that no user needs to hear of unless they ask.
bool isQuiet(Reason Why) {
  return info(Why).Kind == ReasonKind::NothingToDo ||
         Why == Reason::Irregular || Why == Reason::Suppressed ||
         Why == Reason::AlreadyRewritten || Why == Reason::InSystemHeader ||
         Why == Reason::OtherFile;
}

class TextWriter {
public:
  TextWriter(const FileOutcome &File, const TextOptions &Options)
      : File(File), Options(Options), OS(Text) {
    OS.enable_colors(Options.Color);
  }

  std::vector<Finding> collect() {
    if (File.Analysed)
      writeReport(*File.Analysed);
    return std::move(Found);
  }

  std::string run() {
    if (File.Analysed)
      writeReport(*File.Analysed);
    if (!File.Error.empty())
      message("error", "catt-rewrite", File.Error);
    return std::move(Text);
  }

private:
  std::string displayPath(StringRef Path) const {
    if (File.Analysed && Path == File.Analysed->MainFile)
      return File.Name;
    return relativeTo(Options.Root, Path);
  }

  std::string place(const Location &L) const {
    if (!L.valid())
      return File.Name;
    return formatv("{0}:{1}:{2}", displayPath(L.File), L.Line, L.Column).str();
  }

  void message(StringRef Level, const std::string &Place, const Twine &What) {
    auto Colour = Level == "note"      ? raw_ostream::BLACK
                  : Level == "remark"  ? raw_ostream::BLUE
                  : Level == "warning" ? raw_ostream::MAGENTA
                                       : raw_ostream::RED;
    OS.changeColor(raw_ostream::SAVEDCOLOR, /*Bold=*/true);
    OS << Place << ": ";
    OS.changeColor(Colour, /*Bold=*/true);
    OS << Level << ": ";
    OS.resetColor();
    OS << What << "\n";
  }

  /// A remark and its notes as one block, unless the same was said before.
  struct Block {
    std::string Head;
    std::vector<std::pair<Location, std::string>> Notes;
    const Loop *Contended = nullptr;
  };

  void emit(const Location &Where, const Block &B) {
    std::string Key = place(Where) + B.Head;
    for (const auto &[NoteWhere, Note] : B.Notes)
      Key += "\n" + place(NoteWhere) + Note;
    if (!Said.insert(Key).second)
      return;
    message(find(Where, B) ? "warning" : "remark", place(Where), B.Head);
    for (const auto &[NoteWhere, Note] : B.Notes)
      message("note", place(NoteWhere), Note);
  }

  /// Keeps a remark that names a transform or a reason in brackets at its end.
  /// Returns whether it is a warning.
  bool find(const Location &Where, const Block &B) {
    auto [Message, Id] = StringRef(B.Head).rsplit(" [");
    if (!Id.consume_back("]"))
      return false;
    Finding F{Id.str(), Where, {}, Kernel, Message.str(), B.Notes, false};
    if (B.Contended) {
      F.Contended = true;
      if (B.Contended->Site)
        F.Site = B.Contended->Site->Where;
    }
    const std::optional<Reason> Why = findReason(Id);
    const bool Warns = Why && info(*Why).Kind == ReasonKind::Warning;
    F.Warns = Warns;
    Found.push_back(std::move(F));
    return Warns;
  }

  std::string key(const Refusal &R) const {
    return place(R.Where) + " " + info(R.Kind).Id.str();
  }

  void refusal(const Refusal &R, const Location &Fallback, StringRef Subject) {
    if ((isQuiet(R.Kind) && !Options.Everything) ||
        !Explained.insert(key(R)).second)
      return;
    const Location &Where = R.Where.valid() ? R.Where : Fallback;
    emit(
        Where,
        {(Subject + userText(R) + " [" + info(R.Kind).Id + "]").str(), {}, {}});
  }

  void writeHeader(const Report &R);
  void writeReport(const Report &R);
  void writeKernel(const KernelReport &K, const Report &R);
  void writeLaunch(const KernelReport &K);
  void writeRegisters(const KernelReport &K);
  void writeLoop(const KernelReport &K, const LoopPlan &Plan);
  void writeContended(const KernelReport &K, const LoopPlan &Plan);
  std::optional<Refusal> whyLeftAlone(const KernelReport &K,
                                      const LoopPlan &Plan) const;
  std::string decision(const KernelReport &K, const LoopPlan &Plan) const;
  void layoutNotes(const Loop &L, const LoopPlan &Plan, Block &B) const;
  void writeOtherChanges(const Report &R);
  void writeSummary(const Report &R);

  const FileOutcome &File;
  const TextOptions &Options;
  std::string Text;
  raw_string_ostream OS;
  std::string Kernel; ///< being written
  std::vector<Finding> Found;
  StringSet<> Said;      ///< blocks printed
  StringSet<> Explained; ///< refusals printed, by place and reason
};

void TextWriter::writeHeader(const Report &R) {
  OS << File.Name << ":\n"
     << "  GPU: " << gpuText(R) << "\n"
     << "  model: " << (R.Counting == Model::Catt ? "catt" : "exact") << "\n"
     << "  CUDA declarations: ";
  if (R.Cuda.Path.empty())
    OS << "built in\n";
  else
    OS << R.Cuda.Path << " (" << R.Cuda.Version << ")\n";
  OS << "  compile flags: " << File.CommandFrom << "\n";
  for (const std::string &Note : R.Notes)
    OS << "  flags: " << Note << "\n";
}

/// ", 138 registers a thread": what residency was computed with.
std::string registersPerThread(const KernelReport &K) {
  const std::optional<RegisterRange> &R = K.Source.Registers;
  if (!R)
    return "";
  if (R->From == Origin::Estimated && !R->isExact())
    return formatv(", about {0} (an estimate: {1} to {2}; --ptxas asks the "
                   "assembler)",
                   counted(R->Likely, "register"), R->Least, R->Most);
  bool Capped = K.Registers && K.Registers->Bounds &&
                R->Likely != K.Registers->Current.Compiled.Registers;
  return ", " + counted(R->Likely, "register") +
         (Capped ? " with " + spelling(*K.Registers->Bounds) : "");
}

void TextWriter::writeLaunch(const KernelReport &K) {
  const KernelPlan &P = K.Plan;
  if (!P.Before || !P.LaunchIndex)
    return;
  const Launch &L = K.Source.Launches[*P.LaunchIndex];
  message("note", place(L.Where.valid() ? L.Where : K.Source.Where),
          formatv("launched as {0}: blocks of {1}, grid of {2}: {3} of {4} per "
                  "SM (limited by {5}), L1D {6}{7}",
                  L.Text, shape(L.Block), shape(L.Grid),
                  counted(P.Before->BlocksPerSM, "block"),
                  counted(P.Before->WarpsPerBlock, "warp"),
                  toString(P.Before->LimitedBy), bytes(P.Before->L1Bytes),
                  registersPerThread(K))
              .str());
}

/// Why nothing was done to a loop, from the plan or from the transforms.
std::optional<Refusal> TextWriter::whyLeftAlone(const KernelReport &K,
                                                const LoopPlan &Plan) const {
  const Loop &L = K.Source.Loops[Plan.Loop];
  if (Plan.Why && Plan.Why->Kind == Reason::Fits && K.Plan.BlocksRemoved > 0)
    return std::nullopt;
  if (Plan.Why || findApplied(File.Changes, L, Part::Groups))
    return Plan.Why;
  for (const Refusal &R : File.Changes.Refused)
    if (isAt(R.Where, L) || place(R.Where) == place(K.Source.Where))
      return R;
  return std::nullopt;
}

std::string TextWriter::decision(const KernelReport &K,
                                 const LoopPlan &Plan) const {
  const Loop &L = K.Source.Loops[Plan.Loop];
  std::string Fewer;
  if (K.Plan.BlocksRemoved > 0)
    Fewer = counted(K.Plan.BlocksRemoved, "block") + " fewer per SM";
  if (Plan.Why)
    return formatv("{0} [{1}]", Fewer, transformFor(Part::Reserve).name());
  return formatv("{0} into {1}{2} [{3}]",
                 findApplied(File.Changes, L, Part::Groups) ? "split"
                                                            : "could be split",
                 counted(Plan.Groups, "warp group"),
                 Fewer.empty() ? "" : ", with " + Fewer,
                 transformFor(Part::Groups).name())
      .str();
}

void TextWriter::layoutNotes(const Loop &L, const LoopPlan &Plan,
                             Block &B) const {
  if (Plan.LaneStrideBytes && *Plan.LaneStrideBytes >= 2 * SectorBytes) {
    int64_t Lines =
        std::min(WarpLanes, WarpLanes * *Plan.LaneStrideBytes / LineBytes);
    B.Notes.push_back(
        {L.Where,
         formatv("lanes of '{0}' are {1:N} bytes apart: {2:N} lines where 1 "
                 "would do; throttling is the remedy when the layout cannot "
                 "change",
                 Plan.Reference, *Plan.LaneStrideBytes, Lines)
             .str()});
  } else if (!Plan.Reference.empty()) {
    B.Notes.push_back(
        {L.Where, formatv("most lines go to '{0}'", Plan.Reference).str()});
  }
}

/// "from n = 8 on, where m >= 64, 4 warps at a time"
std::string runtimeCase(const RuntimeCase &C) {
  std::string Text = formatv("from {0} = {1} on", C.Parameter, C.From).str();
  for (const RuntimeBound &B : C.And)
    Text += formatv(", where {0} >= {1}", B.Parameter, B.From).str();
  if (C.Groups > 1)
    return Text + ", " + counted(C.Groups, "group");
  // No block has more than 32 warps.
  if (C.Groups == 1 || C.WarpsPerGroup >= WarpLanes)
    return Text + ", the whole block";
  return Text + ", " + counted(C.WarpsPerGroup, "warp") + " at a time";
}

void TextWriter::writeContended(const KernelReport &K, const LoopPlan &Plan) {
  const Loop &L = K.Source.Loops[Plan.Loop];
  const Residency &Before = *K.Plan.Before;
  int64_t Warps = Before.activeWarps();
  std::optional<Refusal> Why = whyLeftAlone(K, Plan);
  if (Why && isQuiet(Why->Kind) && !Options.Everything)
    return;
  std::string Decision = Why ? "left alone: " + userText(*Why) + " [" +
                                   info(Why->Kind).Id.str() + "]"
                             : decision(K, Plan);
  if (Why)
    Explained.insert(key(*Why));
  Block B;
  bool Exact = Warps * Plan.LinesPerWarp * LineBytes == Plan.FootprintBytes;
  B.Head = formatv(Exact ? "{0}: {1} x {2} = {3}, L1D holds {4}: {5}"
                         : "{0}: {1} with up to {2} each touch {3}, L1D holds "
                           "{4}: {5}",
                   loopName(L), counted(Warps, "warp"),
                   counted(Plan.LinesPerWarp, "line"),
                   bytes(Plan.FootprintBytes), bytes(Before.L1Bytes), Decision)
               .str();
  B.Contended = &L;
  // The same place means different things in different instantiations.
  if (K.Source.Name.find('<') != std::string::npos)
    B.Notes.push_back({K.Source.Where, "in '" + K.Source.Name + "'"});
  if (K.Plan.LaunchIndex && K.Source.Launches.size() > 1)
    B.Notes.push_back(
        {K.Source.Launches[*K.Plan.LaunchIndex].Where, "for this launch"});
  layoutNotes(L, Plan, B);
  if (!Why) {
    int64_t L1 = K.Plan.After ? K.Plan.After->L1Bytes : Before.L1Bytes;
    int64_t Blocks =
        K.Plan.After ? K.Plan.After->BlocksPerSM : Before.BlocksPerSM;
    B.Notes.push_back(
        {L.Where,
         formatv("expected effect: {0} at a time instead of {1} touch {2}: {3}",
                 counted(Plan.WarpsPerGroup * Blocks, "warp"), Warps,
                 bytes(Plan.FootprintBytesAfter),
                 Plan.FootprintBytesAfter <= L1
                     ? "lines stay in L1D until they are used again"
                     : "more than L1D holds, but the best that is predicted: "
                       "fewer warps would wait for memory")
             .str()});
    if (std::string Gain = predictedText(Plan); !Gain.empty())
      B.Notes.back().second += " (" + Gain + ")";
  }
  for (const RuntimeCase &C : Plan.Cases)
    B.Notes.push_back({L.Where, "decided at run time: " + runtimeCase(C)});
  emit(L.Where, B);
}

void TextWriter::writeLoop(const KernelReport &K, const LoopPlan &Plan) {
  const Loop &L = K.Source.Loops[Plan.Loop];
  const bool InTiles = Plan.Why && Plan.Why->Kind == Reason::RowsStaged;
  if (!InTiles && (isContended(K.Plan, Plan) || (!Plan.Why && Plan.Groups > 1)))
    return writeContended(K, Plan);
  if (Plan.Why)
    return refusal(*Plan.Why, L.Where, loopName(L) + ": ");
  if (Options.Everything)
    emit(L.Where, {loopName(L) + ": left alone", {}, {}});
}

void TextWriter::writeRegisters(const KernelReport &K) {
  if (!K.Registers)
    return;
  const RegisterPlan &P = *K.Registers;
  std::string Kernel = "kernel '" + K.Source.Name + "': ";
  if (P.Forced)
    emit(K.Source.Where, {Kernel + forcedSpillText(*P.Forced) + " [" +
                              info(Reason::BoundSpills).Id.str() + "]",
                          {}});
  std::vector<std::string> Lines = registerLines(K);
  Block B{Kernel + Lines.front(), {}};
  if (Options.Everything)
    for (const std::string &Line : drop_begin(Lines))
      B.Notes.push_back({K.Source.Where, Line});
  if (Options.Everything || P.Bounds)
    emit(K.Source.Where, B);
  if (Options.Everything)
    for (const Refusal &R : P.Refusals)
      refusal(R, K.Source.Where, Kernel);
}

void TextWriter::writeKernel(const KernelReport &K, const Report &R) {
  Kernel = K.Source.Name;
  if (Options.Everything) {
    message("remark", place(K.Source.Where),
            formatv("kernel '{0}': {1}, launches known: {2}", K.Source.Name,
                    counted(K.Source.Loops.size(), "loop"),
                    K.Source.Launches.size())
                .str());
    writeLaunch(K);
  }
  if (K.Measured)
    emit(K.Source.Where,
         {"kernel '" + K.Source.Name + "': " + measuredText(*K.Measured), {}});
  for (const Refusal &F : K.Source.Warnings)
    refusal(F, K.Source.Where, "kernel '" + K.Source.Name + "': ");
  writeRegisters(K);
  for (const Refusal &F : K.Source.Refusals)
    refusal(F, K.Source.Where, "kernel '" + K.Source.Name + "': ");
  for (const Refusal &F : K.Plan.Refusals)
    refusal(F, K.Source.Where, "kernel '" + K.Source.Name + "': ");
  for (const LoopPlan &P : K.Plan.Loops)
    writeLoop(K, P);
}

/// Of the kernel whose loop runs in tiles.
static std::string predictedFor(const Report &R, const Applied &Stage) {
  for (const KernelReport &K : R.Kernels)
    for (const Loop &L : K.Source.Loops)
      if (isAt(Stage.Where, L) && K.Plan.ByTiles)
        return predictedText(K.Plan);
  return "";
}

/// Changes that belong to a kernel or a launch rather than to a loop.
void TextWriter::writeOtherChanges(const Report &R) {
  for (const Applied &A : File.Changes.Done)
    if (!A.By->writes(Part::Groups)) {
      Block B{A.Summary + " [" + A.By->name().str() + "]", {}};
      if (A.By->writes(Part::Stage))
        if (std::string Gain = predictedFor(R, A); !Gain.empty())
          B.Notes.push_back({A.Where, std::move(Gain)});
      emit(A.Where, B);
    }
}

void TextWriter::writeSummary(const Report &R) {
  size_t Edits = 0;
  for (const auto &[Path, Replacements] : File.Changes.Files)
    Edits += Replacements.size();
  OS << formatv("{0}: {1}, {2} beyond L1D, {3}\n", File.Name,
                counted(R.Kernels.size(), "kernel"),
                counted(countContended(R), "loop"),
                Edits ? counted(Edits, "edit") : "nothing to change");
}

void TextWriter::writeReport(const Report &R) {
  if (Options.Everything)
    writeHeader(R);
  for (const Diagnostic &D : R.Diagnostics)
    if (isError(D))
      message(toString(D.Severity), place(D.Where), D.Message);
  if (!R.RegisterProblem.empty())
    message("warning", File.Name, R.RegisterProblem);
  for (const KernelReport &K : R.Kernels)
    writeKernel(K, R);
  Kernel.clear();
  writeOtherChanges(R);
  for (const Refusal &F : File.Changes.Refused)
    refusal(F, {}, "");
  writeSummary(R);
}

} // namespace

std::vector<Finding> findings(const FileOutcome &File,
                              const TextOptions &Options) {
  return TextWriter(File, Options).collect();
}

std::string renderText(const FileOutcome &File, const TextOptions &Options) {
  return TextWriter(File, Options).run();
}

} // namespace catt
