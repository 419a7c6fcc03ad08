//===- Job.cpp - One file on its way through ------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Job.h"
#include "Output.h"
#include "analysis/plan/RegisterSources.h"
#include "tool/optimize/Optimize.h"
#include "tool/report/Fixes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace catt {
namespace {

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

/// Of a compiler or an assembler, at a time.
unsigned processes() { return hardware_concurrency().compute_thread_count(); }

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
  S.Jobs = processes();
  S.Known = A.Compiled;
  A.Registers.Ask = registerSource(S);
  return Error::success();
}

Expected<OptimizeOptions> optimizeOptions(const std::string &File,
                                          const ChosenGpu &Gpu,
                                          const Options &O, JobInput &In) {
  OptimizeOptions Out;
  Out.Name = File;
  if (Gpu.Origin != "default") {
    Out.Gpu = Gpu.Gpu;
    Out.GpuOrigin = Gpu.Origin;
  }
  Out.Transforms = O.Transforms;
  Out.By = O.By;
  Out.From = O.From;
  Out.FrontEnd.CudaPath = O.CudaPath;
  Out.FrontEnd.BuiltInOnly = O.BuiltInOnly;
  Out.FrontEnd.Earlier = std::move(In.Earlier);
  Out.Plan = planOptions(O);
  Out.VerifyCode = O.VerifyCode;
  if (In.Elsewhere)
    Out.Plan.Elsewhere = *In.Elsewhere;
  Out.Plan.Compiled = std::move(In.Compiled);
  Out.Plan.Rules = In.Rules;
  Out.AndWithoutTiles = In.AndWithoutTiles;
  Out.Jobs = processes();
  if (Error E = askRegisters(O, Out.Plan))
    return std::move(E);
  Out.Measured.All = O.Measured;
  RegisterSourceOptions Ptxas;
  Ptxas.AskPtxas = true;
  Ptxas.Jobs = Out.Jobs;
  Out.Measured.Registers = registerSource(Ptxas);
  return Out;
}

void fail(JobResult &R, const Obstacle &Why, const Options &O) {
  switch (Why.What) {
  case Obstacle::Kind::Choice:
    return fail(R, ExitUsage, Why.Message);
  case Obstacle::Kind::Input:
    return fail(R, ExitInput, Why.Message);
  case Obstacle::Kind::Defect:
    return fail(R, ExitDefect, defect(Why.Message, O, R.Outcome.Name));
  }
}

void optimizeFile(JobResult &R, const FoundCommand &Found, const ChosenGpu &Gpu,
                  const Options &O, JobInput &In) {
  Expected<OptimizeOptions> Wanted =
      optimizeOptions(R.Outcome.Name, Gpu, O, In);
  if (!Wanted)
    return fail(R, ExitInput, toString(Wanted.takeError()));
  // One file system for each job: a working directory of its own.
  if (!In.Files)
    In.Files = IntrusiveRefCntPtr<vfs::FileSystem>(
        vfs::createPhysicalFileSystem().release());
  PtxasMeasure Ptxas(processes());
  Wanted->Measured.Texts = &Ptxas;
  Expected<Outcome> Done =
      optimize(Found.Command, In.Files, *Wanted, O.AskPtxas ? &Ptxas : nullptr);
  if (!Done)
    return handleAllErrors(Done.takeError(), [&](const ObstacleError &Why) {
      fail(R, Why.Why, O);
    });
  R.Read = std::move(Done->Read);
  R.Kept = std::move(Done->Kept);
  R.OldTexts = Done->Analysed.Texts;
  R.Path = Done->Analysed.MainFile;
  R.Outcome.Analysed = std::move(Done->Analysed);
  R.Outcome.Changes = std::move(Done->Changes);
  R.NewTexts = std::move(Done->NewTexts);
  R.How = std::move(Done->Rewriting.How);
  R.WithoutTiles = std::move(Done->WithoutTiles);
  if (Done->Against)
    return fail(R, *Done->Against, O);
  if (O.Report == ReportKind::Sarif && !R.NewTexts.empty())
    R.Outcome.Fixes = fixesOf(*R.Outcome.Analysed, R.Outcome.Changes, R.How);
}

} // namespace

AnalysisOptions planOptions(const Options &O) {
  AnalysisOptions A;
  A.L1Bytes = O.L1Bytes;
  A.TileBytes = O.TileBytes;
  A.Counting = O.Counting;
  A.MinGain = O.MinGain;
  A.KernelGlob = O.KernelGlob;
  A.Told = O.Launches;
  A.Assumed = O.Assumed;
  A.HeaderFilter = O.HeaderFilter;
  A.Registers.By = O.RegistersBy.value_or(Selector::Model);
  A.Registers.Target = O.TargetRegisters;
  A.OptBlocks = O.OptBlocks;
  A.Registers.Form = O.Bounds;
  A.Registers.Force = O.Force;
  A.Forced = O.Forced;
  return A;
}

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
          [&] { optimizeFile(R, *Command, Gpu, O, In); }, OptimizeStackBytes)) {
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

Expected<UnitLaunches> launchesJob(const std::string &File,
                                   const FoundCommand &Command,
                                   const ChosenGpu &Gpu, const Options &O,
                                   bool Keep) {
  JobInput In;
  Expected<OptimizeOptions> Wanted = optimizeOptions(File, Gpu, O, In);
  if (!Wanted)
    return Wanted.takeError();
  Wanted->FrontEnd.KeepPreamble = Keep;
  Expected<UnitLaunches> Out = UnitLaunches();
  CrashRecoveryContext Recovery;
  if (Recovery.RunSafelyOnThread(
          [&] {
            Out = readLaunches(Command.Command,
                               IntrusiveRefCntPtr<vfs::FileSystem>(
                                   vfs::createPhysicalFileSystem().release()),
                               *Wanted);
          },
          OptimizeStackBytes))
    return Out;
  consumeError(Out.takeError());
  return createStringError("catt-rewrite crashed on it");
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
  R.Path = absolutePath(File);
  R.OldTexts[R.Path] = *Text;
  if (*Reverted != *Text)
    R.NewTexts[R.Path] = *Reverted;
  return R;
}

} // namespace catt
