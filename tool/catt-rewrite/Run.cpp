//===- Run.cpp - From files to results ------------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Run.h"
#include "Commands.h"
#include "Gpu.h"
#include "Job.h"
#include "Output.h"
#include "tool/report/Rendering.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>
#include <set>

using namespace llvm;

namespace catt {
namespace {

void complain(const Twine &Message) {
  errs() << "catt-rewrite: error: " << Message << "\n";
}

std::string workingDirectory() {
  SmallString<256> Result;
  (void)sys::fs::current_path(Result);
  return Result.str().str();
}

/// Remarks and progress on standard error, in the order of the command line.
class Progress {
public:
  Progress(const Options &O, std::vector<std::optional<JobResult>> &Results)
      : O(O), Results(Results),
        Terminal(sys::Process::StandardErrIsDisplayed()) {
    Text.Color = Terminal && sys::Process::StandardErrHasColors();
    Text.Root = workingDirectory();
  }

  /// Keeps a result, and prints what has become printable.
  void finish(size_t Index, JobResult R) {
    std::lock_guard<std::mutex> Lock(Mutex);
    Results[Index] = std::move(R);
    ++Done;
    if (Terminal && several())
      errs() << "\r\033[K";
    for (; Next < Results.size() && Results[Next]; ++Next)
      print(*Results[Next]);
    if (Terminal && several() && Done != Results.size())
      errs() << "[" << Done << "/" << Results.size() << "] " << O.Files[Index];
  }

private:
  bool several() const { return Results.size() > 1 && !O.Quiet; }

  void print(const JobResult &R) {
    if (!Terminal && several())
      errs() << "[" << Next + 1 << "/" << Results.size() << "] "
             << R.Outcome.Name << "\n";
    if (!O.Quiet && O.Report == ReportKind::Remarks) {
      errs() << renderText(R.Outcome, Text);
      return;
    }
    // Errors are said even if everything else is not.
    if (!R.Outcome.Error.empty())
      complain(R.Outcome.Error);
  }

  const Options &O;
  std::vector<std::optional<JobResult>> &Results;
  bool Terminal;
  TextOptions Text;
  std::mutex Mutex;
  size_t Done = 0, Next = 0;
};

std::vector<JobResult> runJobs(const Options &O, const ChosenGpu &Gpu) {
  std::vector<std::optional<JobResult>> Results(O.Files.size());
  Progress Shown(O, Results);
  CommandFinder Finder(O);
  std::mutex FinderMutex;
  CrashRecoveryContext::Enable();
  DefaultThreadPool Pool(hardware_concurrency(O.Jobs));
  for (size_t I = 0; I != O.Files.size(); ++I)
    Pool.async([&, I] {
      if (O.Revert)
        return Shown.finish(I, revertJob(O.Files[I]));
      auto Command = [&] {
        std::lock_guard<std::mutex> Lock(FinderMutex);
        return Finder.find(O.Files[I]);
      }();
      Shown.finish(I, runJob(O.Files[I], std::move(Command), Gpu, O));
    });
  Pool.wait();
  CrashRecoveryContext::Disable();
  std::vector<JobResult> All;
  for (std::optional<JobResult> &R : Results)
    All.push_back(std::move(*R));
  return All;
}

/// Every file that changes, with the source that asked for it first.
struct MergedFile {
  std::string Source; ///< as given on the command line
  std::string Old, New;
  clang::tooling::Replacements Edits;
};
using MergedFiles = std::map<std::string, MergedFile>;

Error conflict(StringRef Path, StringRef A, StringRef B) {
  return createStringError(
      inconvertibleErrorCode(),
      "'" + Path + "' would be rewritten differently for '" + A +
          "' and for '" + B + "'; it is left alone, and nothing is written");
}

/// Adds another source's edits of the same file: those that are there already
/// are the same change, others must not touch them.
Error mergeInto(MergedFile &Known, const JobResult &R,
                const std::string &Path) {
  const clang::tooling::Replacements &More = R.Outcome.Changes.Files.at(Path);
  if (Known.Old != R.OldTexts.at(Path))
    return conflict(Path, Known.Source, R.Outcome.Name);
  for (const clang::tooling::Replacement &E : More) {
    if (is_contained(Known.Edits, E))
      continue;
    if (Error Overlap = Known.Edits.add(E)) {
      consumeError(std::move(Overlap));
      return conflict(Path, Known.Source, R.Outcome.Name);
    }
  }
  auto New = clang::tooling::applyAllReplacements(Known.Old, Known.Edits);
  if (!New)
    return New.takeError();
  Known.New = std::move(*New);
  return Error::success();
}

Expected<MergedFiles> merge(ArrayRef<JobResult> Results) {
  MergedFiles Files;
  for (const JobResult &R : Results)
    for (const auto &[Path, New] : R.NewTexts) {
      auto Edits = R.Outcome.Changes.Files.find(Path);
      bool HasEdits = Edits != R.Outcome.Changes.Files.end();
      auto [It, IsNew] = Files.try_emplace(
          Path, MergedFile{R.Outcome.Name, R.OldTexts.at(Path), New,
                           HasEdits ? Edits->second
                                    : clang::tooling::Replacements()});
      if (!IsNew && HasEdits)
        if (Error E = mergeInto(It->second, R, Path))
          return std::move(E);
    }
  return Files;
}

/// Paths of changed files: sources as given and in their order, then headers.
std::vector<std::pair<std::string, std::string>>
inOrder(const MergedFiles &Files, ArrayRef<JobResult> Results) {
  std::vector<std::pair<std::string, std::string>> Shown;
  std::set<std::string> Seen;
  for (const JobResult &R : Results)
    if (Files.count(R.Path) && Seen.insert(R.Path).second)
      Shown.push_back({R.Path, R.Outcome.Name});
  std::string Root = workingDirectory() + "/";
  for (const auto &[Path, File] : Files)
    if (Seen.insert(Path).second) {
      StringRef Relative = Path;
      Relative.consume_front(Root);
      Shown.push_back({Path, Relative.str()});
    }
  return Shown;
}

void printSources(const MergedFiles &Files, ArrayRef<JobResult> Results) {
  std::set<std::string> Mains;
  for (const JobResult &R : Results) {
    if (R.Exit != ExitFine)
      continue;
    Mains.insert(R.Path);
    auto It = Files.find(R.Path);
    if (It != Files.end()) {
      outs() << It->second.New;
      continue;
    }
    auto Old = R.OldTexts.find(R.Path);
    if (Old != R.OldTexts.end())
      outs() << Old->second;
    else if (Expected<std::string> Text = readSource(R.Path))
      outs() << *Text;
    else
      consumeError(Text.takeError());
  }
  for (const auto &[Path, File] : Files)
    if (!Mains.count(Path))
      errs() << "catt-rewrite: note: '" << Path
             << "' changes too; --diff shows it, and -i writes it\n";
}

Error writeInPlace(const MergedFiles &Files, ArrayRef<JobResult> Results,
                   bool Failed, const Options &O) {
  if (Files.empty())
    return Error::success();
  if (Failed && !O.KeepGoing)
    return createStringError(inconvertibleErrorCode(),
                             "no file was written because of the errors above; "
                             "--keep-going writes those that are fine");
  std::vector<Replaced> All;
  for (const auto &[Path, Name] : inOrder(Files, Results))
    All.push_back({Path, Files.at(Path).Old, Files.at(Path).New});
  return replaceFiles(All);
}

/// Puts the results where the options want them. Returns whether changes are
/// pending (--diff).
Expected<bool> output(const MergedFiles &Files, ArrayRef<JobResult> Results,
                      bool Failed, const Options &O) {
  switch (O.Output) {
  case OutputMode::Stdout:
    printSources(Files, Results);
    return false;
  case OutputMode::Diff:
    for (const auto &[Path, Name] : inOrder(Files, Results))
      outs() << unifiedDiff(Name, Files.at(Path).Old, Files.at(Path).New);
    return !Files.empty();
  case OutputMode::InPlace:
    if (Error E = writeInPlace(Files, Results, Failed, O))
      return std::move(E);
    return false;
  case OutputMode::ExportFixes: {
    if (Failed)
      return false;
    std::map<std::string, clang::tooling::Replacements> Edits;
    for (const auto &[Path, File] : Files)
      Edits[Path] = File.Edits;
    if (Error E = writeFile(O.FixesFile, fixesYaml(Edits)))
      return std::move(E);
    return false;
  }
  case OutputMode::None:
    return false;
  }
  return false;
}

Error writeReport(ArrayRef<JobResult> Results, const Options &O) {
  if (O.Report == ReportKind::Remarks)
    return Error::success();
  std::string Text;
  std::vector<FileOutcome> Outcomes;
  for (const JobResult &R : Results)
    Outcomes.push_back(R.Outcome);
  TextOptions T;
  T.Everything = true;
  T.Root = workingDirectory();
  T.Color = O.ReportFile.empty() && sys::Process::StandardOutIsDisplayed() &&
            sys::Process::StandardOutHasColors();
  if (O.Report == ReportKind::Json)
    Text = renderJson(Outcomes);
  else if (O.Report == ReportKind::Flags)
    Text = renderFlags(Outcomes);
  else
    for (const FileOutcome &F : Outcomes)
      Text += renderText(F, T);
  if (!O.ReportFile.empty())
    return writeFile(O.ReportFile, Text);
  outs() << Text;
  return Error::success();
}

} // namespace

int run(const Options &O) {
  Expected<ChosenGpu> Gpu =
      O.Revert ? Expected<ChosenGpu>(ChosenGpu()) : chooseGpu(O.GpuName);
  if (!Gpu) {
    complain("--gpu: " + toString(Gpu.takeError()));
    return ExitUsage;
  }
  std::vector<JobResult> Results = runJobs(O, *Gpu);
  int Exit = ExitFine;
  unsigned Findings = 0;
  for (const JobResult &R : Results) {
    Exit = std::max(Exit, R.Exit);
    if (R.Outcome.Analysed)
      Findings += countContended(*R.Outcome.Analysed);
  }
  bool Failed = Exit != ExitFine;
  Expected<MergedFiles> Files = merge(Results);
  if (!Files) {
    complain(toString(Files.takeError()));
    return std::max<int>(Exit, ExitInput);
  }
  Expected<bool> Pending = output(*Files, Results, Failed, O);
  if (!Pending) {
    complain(toString(Pending.takeError()));
    Exit = std::max<int>(Exit, ExitInput);
  } else if (*Pending) {
    Exit = std::max<int>(Exit, ExitPending);
  }
  if (Error E = writeReport(Results, O)) {
    complain(toString(std::move(E)));
    Exit = std::max<int>(Exit, ExitInput);
  }
  if (O.ErrorOnFindings && Findings)
    Exit = std::max<int>(Exit, ExitPending);
  outs().flush();
  if (outs().has_error()) {
    complain("standard output cannot be written: " + outs().error().message());
    outs().clear_error();
    Exit = std::max<int>(Exit, ExitInput);
  }
  return Exit;
}

} // namespace catt
