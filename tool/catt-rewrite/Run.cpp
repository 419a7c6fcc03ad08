//===- Run.cpp - From files to results ------------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Run.h"
#include "Commands.h"
#include "GateRun.h"
#include "Job.h"
#include "Merge.h"
#include "Output.h"
#include "Progress.h"
#include "Tasks.h"
#include "Units.h"
#include "tool/report/OptRemarks.h"
#include "tool/report/Paths.h"
#include "tool/report/Rendering.h"
#include "tool/report/Sarif.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>
#include <set>

using namespace llvm;

namespace catt {
namespace {

/// Error: as that of readUnits().
Expected<std::vector<JobResult>> runJobs(const Options &O,
                                         ArrayRef<Task> Tasks) {
  CommandFinder Finder;
  Units Known;
  if (!O.Revert) {
    Expected<Units> Read = readUnits(O, Tasks, Finder);
    if (!Read)
      return Read.takeError();
    Known = std::move(*Read);
  }
  std::vector<std::optional<JobResult>> Results(Tasks.size());
  Progress Shown(O, Results);
  std::mutex FinderMutex;
  CrashRecoveryContext::Enable();
  DefaultThreadPool Pool(hardware_concurrency(O.Jobs));
  for (size_t I = 0; I != Tasks.size(); ++I)
    Pool.async([&, I] {
      const Task &T = Tasks[I];
      if (O.Revert)
        return Shown.finish(I, revertJob(T.File));
      auto Command = [&] {
        std::lock_guard<std::mutex> Lock(FinderMutex);
        return Finder.find(T.File, T.O);
      }();
      JobInput In;
      In.Elsewhere = &Known.Joined;
      if (auto Kept = Known.Kept.find(T.File); Kept != Known.Kept.end())
        In.Earlier = Kept->second;
      JobResult R = runJob(T.File, std::move(Command), T.Gpu, T.O, In);
      append_range(R.Read, Known.Read);
      llvm::sort(R.Read);
      R.Read.erase(llvm::unique(R.Read), R.Read.end());
      Shown.finish(I, std::move(R));
    });
  Pool.wait();
  CrashRecoveryContext::Disable();
  std::vector<JobResult> All;
  for (std::optional<JobResult> &R : Results)
    All.push_back(std::move(*R));
  return All;
}

/// One line if files were parsed without flags, and none were given.
void sayWithoutCommand(ArrayRef<JobResult> Results, const Options &O) {
  size_t Without =
      count_if(Results, [](const JobResult &R) { return R.WithoutCommand; });
  if (!Without || O.Quiet)
    return;
  errs() << "catt-rewrite: note: no compile command for ";
  if (Without == 1)
    errs() << "'"
           << find_if(Results,
                      [](const JobResult &R) { return R.WithoutCommand; })
                  ->Outcome.Name
           << "'";
  else
    errs() << Without << " files";
  errs() << ", parsed with no flags; see -p and --\n";
}

/// One line for each GPU that was planned for, and why: other text would be
/// written for another.
void sayGpu(ArrayRef<JobResult> Results, const Options &O) {
  std::set<std::string> Lines;
  for (const JobResult &R : Results)
    if (R.Outcome.Analysed && !R.NewTexts.empty())
      Lines.insert("planned for " + gpuText(*R.Outcome.Analysed));
  if (O.Output == OutputMode::Diff && !O.Quiet)
    for (const std::string &Line : Lines)
      errs() << "catt-rewrite: note: " << Line << "\n";
}

/// Paths of changed files: sources as given and in their order, then headers.
std::vector<std::pair<std::string, std::string>>
inOrder(const MergedFiles &Files, ArrayRef<JobResult> Results) {
  std::vector<std::pair<std::string, std::string>> Shown;
  std::set<std::string> Seen;
  for (const JobResult &R : Results)
    if (Files.count(R.Path) && Seen.insert(R.Path).second)
      Shown.push_back({R.Path, R.Outcome.Name});
  for (const auto &[Path, File] : Files)
    if (Seen.insert(Path).second)
      Shown.push_back({Path, relativeTo(workingDirectory(), Path)});
  return Shown;
}

/// The text that one source becomes.
Expected<std::string> newSource(const MergedFiles &Files, const JobResult &R,
                                const Options &O) {
  auto It = Files.find(R.Path);
  if (It != Files.end() && !O.LineDirectives)
    return It->second.New;
  auto Old = R.OldTexts.find(R.Path);
  Expected<std::string> Text =
      Old != R.OldTexts.end() ? Old->second : readSource(R.Path);
  if (!Text || !O.LineDirectives)
    return Text;
  return withLineDirectives(R.Path, *Text,
                            It == Files.end() ? clang::tooling::Replacements()
                                              : It->second.Edits);
}

/// Sources go to standard output, or the one that there is to -o.
Error printSources(const MergedFiles &Files, ArrayRef<JobResult> Results,
                   const Options &O) {
  std::set<std::string> Mains;
  for (const JobResult &R : Results) {
    if (R.Exit != ExitFine)
      continue;
    Mains.insert(R.Path);
    Expected<std::string> Text = newSource(Files, R, O);
    if (!Text)
      return Text.takeError();
    if (O.OutputFile.empty()) {
      outs() << *Text;
      continue;
    }
    if (Error E = writeFile(O.OutputFile, *Text))
      return E;
    if (!O.Depfile.empty())
      if (Error E = writeFile(O.Depfile, makeRule(O.OutputFile, R.Read)))
        return E;
  }
  for (const auto &[Path, File] : Files)
    if (!Mains.count(Path))
      errs() << "catt-rewrite: note: '" << Path
             << "' changes too; --diff shows it, and -i writes it\n";
  return Error::success();
}

Error writeInPlace(const MergedFiles &Files, ArrayRef<JobResult> Results,
                   bool Failed, const Options &O) {
  if (Files.empty())
    return Error::success();
  if (Failed && !O.KeepGoing)
    return createStringError("no file was written because of the errors above; "
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
    if (Error E = printSources(Files, Results, O))
      return std::move(E);
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
  switch (O.Report) {
  case ReportKind::Remarks:
    break;
  case ReportKind::Text:
    for (const FileOutcome &F : Outcomes)
      Text += renderText(F, T);
    break;
  case ReportKind::Json:
    Text = renderJson(Outcomes);
    break;
  case ReportKind::Sarif:
    Text = renderSarif(Outcomes, T.Root);
    break;
  case ReportKind::OptRemarks:
    Text = renderOptRemarks(Outcomes, T.Root);
    break;
  case ReportKind::Flags:
    Text = renderFlags(Outcomes);
    break;
  }
  if (!O.ReportFile.empty())
    return writeFile(O.ReportFile, Text);
  outs() << Text;
  return Error::success();
}

int dump(const Options &O) {
  Expected<std::string> Text = describeConfig(O);
  if (!Text) {
    complain(toString(Text.takeError()));
    return ExitUsage;
  }
  outs() << *Text;
  return ExitFine;
}

/// --baseline: of the sources nothing is asked but how they launch kernels.
int gateWithLaunches(const Options &Given) {
  KnownLaunches Launches = Given.Launches;
  if (Given.Files.empty())
    return runGate(Given, Launches);
  Options O = Given;
  O.Quiet = true; // of loops there is nothing to say
  O.PtxFile.clear();
  Expected<std::vector<Task>> Tasks = planTasks(O);
  if (!Tasks) {
    complain(toString(Tasks.takeError()));
    return ExitUsage;
  }
  Expected<std::vector<JobResult>> Results = runJobs(O, *Tasks);
  if (!Results) {
    complain(toString(Results.takeError()));
    return ExitUsage;
  }
  int Exit = ExitFine;
  for (const JobResult &R : *Results) {
    Exit = std::max(Exit, R.Exit);
    if (!R.Outcome.Analysed)
      continue;
    for (const KernelReport &K : R.Outcome.Analysed->Kernels)
      append_range(Launches[K.Source.Name], K.Source.Launches);
  }
  return Exit == ExitFine ? runGate(Given, Launches) : Exit;
}

} // namespace

int run(const Options &O, const Verifier &Verify) {
  if (O.DumpConfig)
    return dump(O);
  if (!O.BaselineFile.empty())
    return gateWithLaunches(O);
  Expected<std::vector<Task>> Tasks = planTasks(O);
  if (!Tasks) {
    complain(toString(Tasks.takeError()));
    return ExitUsage;
  }
  Expected<std::vector<JobResult>> Ran = runJobs(O, *Tasks);
  if (!Ran) {
    complain(toString(Ran.takeError()));
    return ExitUsage;
  }
  std::vector<JobResult> Results = std::move(*Ran);
  sayWithoutCommand(Results, O);
  sayGpu(Results, O);
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
  if (O.Verify && !Failed && !Files->empty()) {
    Expected<bool> Same = Verify(O, *Tasks, *Files);
    if (!Same)
      complain(toString(Same.takeError()));
    if (!Same || !*Same)
      return Same ? ExitDefect : ExitInput;
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
