//===- Job.cpp - One file on its way through ------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Job.h"
#include "Feedback.h"
#include "Forced.h"
#include "JointFeedback.h"
#include "Output.h"
#include "RematFeedback.h"
#include "analysis/frontend/NvccFlags.h"
#include "analysis/plan/RegisterSources.h"
#include "analysis/plan/throttle/Force.h"
#include "tool/report/Fixes.h"
#include "transforms/Replan.h"
#include "clang/Format/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace llvm;

namespace catt {
namespace {

/// Deeply nested expressions recurse in Clang and in the analysis.
constexpr unsigned StackBytes = 64 << 20;

void fail(JobResult &R, int Exit, std::string Message) {
  R.Exit = Exit;
  R.Outcome.Error = std::move(Message);
  R.Outcome.Changes.Files.clear();
  R.Outcome.Changes.Done.clear();
  R.NewTexts.clear();
}

std::string defect(StringRef What, const Options &O, const std::string &File) {
  return (What +
          "\n  this is a defect of catt-rewrite, not of your code; no "
          "file was changed. Please report it with the file and this "
          "command:\n  " +
          reproduction(O, File))
      .str();
}

std::string place(const Diagnostic &D) {
  return D.Where.File + ":" + std::to_string(D.Where.Line) + ":" +
         std::to_string(D.Where.Column);
}

/// Parsing goes on without the header, but what it would have changed is not
/// known: a macro, a launch, another overload.
bool isMissingHeader(const Diagnostic &D) {
  return isError(D) && StringRef(D.Message).ends_with("' file not found");
}

/// An input error that stands against rewriting this file at all, or nothing.
std::string fatalProblem(const Report &R, const std::string &File) {
  // What nvcc accepts and clang does not is no error of the input.
  bool Errors = any_of(R.Diagnostics, isError);
  for (const KernelReport &K : R.Kernels)
    for (const Refusal &F : K.Source.Refusals)
      if (F.Kind == Reason::BrokenCode && Errors)
        return "'" + File + "': kernel '" + K.Source.Name +
               "' has errors (above); nothing was changed";
  for (const Diagnostic &D : R.Diagnostics)
    if (D.Severity == Diagnostic::Level::Fatal || isMissingHeader(D))
      return "'" + File + "' cannot be parsed: " + place(D) + ": " + D.Message;
  if (R.Kernels.empty() && any_of(R.Diagnostics, isError))
    return "'" + File + "' has errors (above), and no kernel was found";
  return "";
}

/// The first error of the rewritten text that the input had not. Lines move, so
/// errors are compared by message and counted.
std::optional<Diagnostic> newError(ArrayRef<Diagnostic> Before,
                                   ArrayRef<Diagnostic> After) {
  std::map<std::string, int> Known;
  for (const Diagnostic &D : Before)
    if (isError(D))
      ++Known[D.Message];
  for (const Diagnostic &D : After)
    if (isError(D) && Known[D.Message]-- <= 0)
      return D;
  return std::nullopt;
}

AnalysisOptions analysisOptions(const ChosenGpu &Gpu, const Options &O) {
  AnalysisOptions A;
  A.Gpu = Gpu.Gpu;
  A.L1Bytes = O.L1Bytes;
  A.Counting = O.Counting;
  A.MinGain = O.MinGain;
  A.KernelGlob = O.KernelGlob;
  A.Told = O.Launches;
  A.Assumed = O.Assumed;
  A.HeaderFilter = O.HeaderFilter;
  A.Registers.By = O.RegistersBy.value_or(Selector::Model);
  A.Registers.Target = O.TargetRegisters;
  A.Registers.Form = O.Bounds;
  A.Registers.Force = O.Force;
  A.Registers.Writes = isChosen("launch-bounds", O.Transforms);
  A.Forced = O.Forced;
  A.May = {isChosen("split-warp-groups", O.Transforms),
           isChosen("reserve-shared", O.Transforms),
           isChosen("prefer-l1", O.Transforms)};
  if (!A.May.Split && !A.May.Reserve && !A.May.PreferL1)
    A.May = {}; // nothing of the plan is written: say what could be
  return A;
}

/// Remembers which files were opened: what a build has to watch.
class RecordingFiles : public vfs::ProxyFileSystem {
public:
  using vfs::ProxyFileSystem::ProxyFileSystem;
  ErrorOr<std::unique_ptr<vfs::File>>
  openFileForRead(const Twine &Path) override {
    auto File = vfs::ProxyFileSystem::openFileForRead(Path);
    if (File) {
      // Builds fold `..` without looking at links, so no such path may be left.
      SmallString<256> Absolute, Real;
      Path.toVector(Absolute);
      (void)makeAbsolute(Absolute);
      if (sys::fs::real_path(Absolute, Real))
        Real = Absolute;
      Opened.insert(Real.str().str());
    }
    return File;
  }
  std::set<std::string> Opened;
};

/// Who says what registers the kernels take. Error: --ptx cannot be read.
Error askRegisters(const Options &O, AnalysisOptions &A) {
  if (!wantsRegisters(O))
    return Error::success();
  RegisterSourceOptions S;
  if (!O.PtxFile.empty()) {
    Expected<std::string> Text = readSource(O.PtxFile);
    if (!Text)
      return Text.takeError();
    S.Ptx = std::move(*Text);
    S.PtxName = O.PtxFile;
  }
  S.AskPtxas = O.AskPtxas;
  S.Jobs = hardware_concurrency().compute_thread_count();
  A.Registers.Ask = registerSource(S);
  return Error::success();
}

/// The .clang-format that applies to each file, where there is one. One that
/// cannot be read is no reason to fail: lines are then added like those around.
std::map<std::string, clang::format::FormatStyle>
stylesFor(const Report &Analysed) {
  std::map<std::string, clang::format::FormatStyle> Styles;
  for (const auto &[Path, Text] : Analysed.Texts) {
    auto Style = clang::format::getStyle("file", Path, "none");
    if (!Style)
      consumeError(Style.takeError());
    else if (!Style->DisableFormat)
      Styles[Path] = *Style;
  }
  return Styles;
}

/// With an assembler at hand, what to do about spills is decided by what it
/// says. Computing again comes first: it takes fewer instructions (TLP-RM).
void askWhatIsBetter(Report &Analysed, const TranslationUnit &Unit,
                     const Options &O, const RewriteOptions &Rewriting) {
  auto Wants = [&](StringRef Transform) {
    return isChosen(Transform, O.Transforms);
  };
  RegisterSourceOptions S;
  S.AskPtxas = true;
  S.Jobs = hardware_concurrency().compute_thread_count();
  TextMeasure Measure = textMeasure(Unit, S);
  if (Wants("rematerialize") && O.AskPtxas)
    if (Error E = improveRemat(Analysed, Rewriting, Measure))
      Analysed.Notes.push_back("rematerialize: decided by an estimate: " +
                               toString(std::move(E)));
  if (Wants("rematerialize") && Wants("spill-shared"))
    keepApart(Analysed);
  if (!Wants("spill-shared") || !O.AskPtxas)
    return;
  std::vector<KernelReport *> Spilling;
  for (KernelReport &K : Analysed.Kernels)
    Spilling.push_back(&K);
  if (Error E = improveSpills(Analysed, Spilling, Rewriting, Measure))
    Analysed.Notes.push_back("spill-shared: decided by an estimate: " +
                             toString(std::move(E)));
  if (Wants("launch-bounds"))
    if (Error E = chooseJointly(Analysed, Rewriting, Measure))
      Analysed.Notes.push_back("spill-shared: no tighter cap was tried: " +
                               toString(std::move(E)));
}

/// What nvcc makes of the rewritten text that it does not make of the original,
/// or why it cannot be told.
std::string changedCode(const TranslationUnit &Unit,
                        const std::map<std::string, std::string> &Texts,
                        const Options &O) {
  Expected<std::vector<std::string>> Changed =
      compareCode(Unit, Texts, hardware_concurrency().compute_thread_count());
  if (!Changed)
    return toString(Changed.takeError()) + "; nothing was changed";
  if (Changed->empty())
    return "";
  return "nvcc rounds the rewritten code differently: " + join(*Changed, "; ") +
         "; nothing was changed";
}

/// Rewrites and checks; the report is in the outcome already.
void rewriteAndCheck(JobResult &R, const TranslationUnit &Unit,
                     const AnalysisOptions &Analysing, const Options &O) {
  const std::string &File = R.Outcome.Name;
  RewriteOptions Rewriting{O.Transforms, stylesFor(*R.Outcome.Analysed)};
  askWhatIsBetter(*R.Outcome.Analysed, Unit, O, Rewriting);
  Report &Analysed = *R.Outcome.Analysed;
  Expected<Edits> Changes = rewriteWhole(Analysed, Analysing, Rewriting);
  if (!Changes)
    return fail(R, ExitDefect,
                defect("rewriting '" + File +
                           "' failed: " + toString(Changes.takeError()),
                       O, File));
  for (const ForcedChoice &F : O.Forced)
    if (std::string Why = notWritten(F, Analysed, *Changes); !Why.empty())
      return fail(R, ExitUsage, (llvm::Twine("'") + File + "': " + Why).str());
  R.Outcome.Changes = std::move(*Changes);
  auto Texts = catt::apply(R.Outcome.Changes, Analysed.Texts);
  if (!Texts)
    return fail(R, ExitDefect,
                defect("the edits of '" + File + "' cannot be applied: " +
                           toString(Texts.takeError()),
                       O, File));
  if (Texts->empty())
    return;
  auto After = Unit.check(*Texts);
  if (!After)
    return fail(R, ExitDefect,
                defect("the rewritten '" + File + "' cannot be checked: " +
                           toString(After.takeError()),
                       O, File));
  if (std::optional<Diagnostic> D = newError(Analysed.Diagnostics, *After))
    return fail(R, ExitDefect,
                defect("the rewritten '" + File +
                           "' has an error that the "
                           "input had not: " +
                           place(*D) + ": " + D->Message,
                       O, File));
  if (O.VerifyCode)
    if (std::string Why = changedCode(Unit, *Texts, O); !Why.empty())
      return fail(R, ExitInput, "'" + File + "': --verify-code: " + Why);
  R.NewTexts = std::move(*Texts);
  if (O.Report != ReportKind::Sarif)
    return;
  Expected<std::vector<Fix>> Fixes =
      fixesOf(Analysed, R.Outcome.Changes, Rewriting);
  if (!Fixes)
    return fail(R, ExitDefect,
                defect("rewriting a part of '" + File +
                           "' failed: " + toString(Fixes.takeError()),
                       O, File));
  R.Outcome.Fixes = std::move(*Fixes);
}

/// What the code is compiled for goes before the default.
ChosenGpu gpuFor(const FoundCommand &Found, const ChosenGpu &Chosen) {
  if (Chosen.Origin != "default")
    return Chosen;
  auto Files = vfs::createPhysicalFileSystem();
  Expected<ClangCommand> Words =
      translateNvcc(Found.Command.CommandLine, Found.Command.Directory, *Files);
  if (!Words) {
    consumeError(Words.takeError()); // parsing says so
    return Chosen;
  }
  Expected<Device> Gpu = findDevice(Words->Architecture.value_or(""));
  if (Gpu)
    return {*Gpu, "the compile command"};
  consumeError(Gpu.takeError());
  return Chosen;
}

void parseAndAnalyse(JobResult &R, const FoundCommand &Found,
                     const ChosenGpu &Chosen, const Options &O, JobInput &In) {
  const std::string &File = R.Outcome.Name;
  const ChosenGpu Gpu = gpuFor(Found, Chosen);
  FrontEndOptions F;
  F.Architecture = Gpu.Gpu.architecture();
  F.CudaPath = O.CudaPath;
  F.BuiltInOnly = O.BuiltInOnly;
  F.Earlier = std::move(In.Earlier);
  // One file system for each job: a working directory of its own.
  if (!In.Files)
    In.Files = IntrusiveRefCntPtr<vfs::FileSystem>(
        vfs::createPhysicalFileSystem().release());
  auto Files = makeIntrusiveRefCnt<RecordingFiles>(In.Files);
  auto Unit = parse(Found.Command, F, Files);
  R.Read.assign(Files->Opened.begin(), Files->Opened.end());
  if (!Unit)
    return fail(R, ExitInput, toString(Unit.takeError()));
  R.Kept = (*Unit)->preamble();
  AnalysisOptions Analysing = analysisOptions(Gpu, O);
  if (Error E = askRegisters(O, Analysing))
    return fail(R, ExitInput, toString(std::move(E)));
  Expected<Report> Analysed = analyze(**Unit, Analysing);
  if (!Analysed)
    return fail(R, ExitDefect,
                defect("analysing '" + File +
                           "' failed: " + toString(Analysed.takeError()),
                       O, File));
  std::vector<PlannedKernel> Plans;
  for (const KernelReport &K : Analysed->Kernels)
    Plans.push_back({&K.Source, &K.Plan});
  for (const ForcedChoice &F : O.Forced)
    if (std::string Why = forceError(F, Plans); !Why.empty())
      return fail(R, ExitUsage, (Twine("'") + File + "': " + Why).str());
  Analysed->GpuOrigin = Gpu.Origin;
  R.OldTexts = Analysed->Texts;
  R.Path = Analysed->MainFile;
  R.Outcome.Analysed = std::move(*Analysed);
  if (std::string P = fatalProblem(*R.Outcome.Analysed, File); !P.empty())
    return fail(R, ExitInput, std::move(P));
  rewriteAndCheck(R, **Unit, Analysing, O);
}

} // namespace

std::string reproduction(const Options &O, const std::string &File) {
  std::string Text;
  raw_string_ostream OS(Text);
  auto Add = [&](StringRef Word) {
    // Single quotes protect everything but themselves.
    OS << (Text.empty() ? "" : " ");
    if (!Word.empty() &&
        Word.find_first_of(" '\"$`\\*?[](){}<>|&;#~!\n") == StringRef::npos) {
      OS << Word;
      return;
    }
    OS << '\'';
    for (char C : Word)
      C == '\'' ? OS << "'\\''" : OS << C;
    OS << '\'';
  };
  Add(O.Program);
  for (const std::string &Word : O.Given)
    Add(Word);
  Add(File);
  if (O.CompileFlags) {
    Add("--");
    for (const std::string &Word : *O.CompileFlags)
      Add(Word);
  }
  return Text;
}

JobResult runJob(const std::string &File, Expected<FoundCommand> Command,
                 const ChosenGpu &Gpu, const Options &O, JobInput In) {
  JobResult R;
  R.Outcome.Name = File;
  if (!In.Files) {
    Expected<std::string> Text = readSource(File);
    if (!Text) {
      if (!Command)
        consumeError(Command.takeError());
      fail(R, ExitInput, toString(Text.takeError()));
      return R;
    }
  }
  if (!Command) {
    fail(R, ExitInput, toString(Command.takeError()));
    return R;
  }
  R.Outcome.CommandFrom = Command->From;
  R.WithoutCommand = Command->Without;
  CrashRecoveryContext Recovery;
  if (!Recovery.RunSafelyOnThread(
          [&] { parseAndAnalyse(R, *Command, Gpu, O, In); }, StackBytes)) {
    // What was built before the crash cannot be trusted.
    JobResult Crashed;
    Crashed.Outcome.Name = File;
    Crashed.Outcome.CommandFrom = R.Outcome.CommandFrom;
    fail(Crashed, ExitDefect,
         defect("catt-rewrite crashed on '" + File + "'", O, File));
    return Crashed;
  }
  return R;
}

JobResult revertJob(const std::string &File) {
  JobResult R;
  R.Outcome.Name = File;
  Expected<std::string> Text = readSource(File);
  if (!Text) {
    fail(R, ExitInput, toString(Text.takeError()));
    return R;
  }
  Expected<std::string> Reverted = revert(File, *Text);
  if (!Reverted) {
    fail(R, ExitInput, toString(Reverted.takeError()));
    return R;
  }
  SmallString<256> Path(File);
  (void)sys::fs::make_absolute(Path);
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  R.Path = Path.str().str();
  R.OldTexts[R.Path] = *Text;
  if (*Reverted != *Text)
    R.NewTexts[R.Path] = *Reverted;
  return R;
}

} // namespace catt
