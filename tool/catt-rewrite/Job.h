//===- Job.h - One file on its way through ------------------- -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATTREWRITE_JOB_H
#define CATT_TOOL_CATTREWRITE_JOB_H

#include "Commands.h"
#include "Gpu.h"
#include "Options.h"
#include "tool/report/Rendering.h"
#include <map>
#include <memory>
#include <string>

namespace catt {

/// What one file came to.
struct JobResult {
  FileOutcome Outcome;
  int Exit = ExitFine;
  std::string Path;              ///< absolute path of the main file
  std::vector<std::string> Read; ///< every file that was opened, sorted
  bool WithoutCommand = false;   ///< parsed with no flags, for want of any
  /// Texts as they were read, for every file in Outcome.Changes or NewTexts.
  std::map<std::string, std::string> OldTexts;
  /// Texts after the edits of this file alone.
  std::map<std::string, std::string> NewTexts;
  Writing How;                            ///< of the lines that were added
  std::vector<KernelReport> WithoutTiles; ///< as Outcome::WithoutTiles
  /// What the next job on this file may be given as JobInput::Earlier.
  std::shared_ptr<const Preamble> Kept;
};

/// Where a job reads from, if not from the disk alone.
struct JobInput {
  /// Texts that an editor holds, over the disk. One for each job.
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files = nullptr;
  std::shared_ptr<const Preamble> Earlier; ///< of a former job, or null
  bool AndWithoutTiles = false;       ///< as OptimizeOptions::AndWithoutTiles
  const Program *Elsewhere = nullptr; ///< what other units launch
  /// Of former jobs on the same texts, or null: they are compiled again.
  std::shared_ptr<CompiledAsIs> Compiled;
  RuleMemo *Rules = nullptr; ///< as AnalysisOptions::Rules
};

/// What kernels are planned by, but for the GPU and who is asked of registers.
AnalysisOptions planOptions(const Options &O);

/// optimize() with the options of a command line, and what came of it as a
/// message and an exit code. Writes nothing; a crash inside becomes ExitDefect.
JobResult runJob(const std::string &File, llvm::Expected<FoundCommand> Command,
                 const ChosenGpu &Gpu, const Options &O,
                 JobInput In = JobInput());

struct UnitLaunches;

/// readLaunches() with the options of a command line. Keep: the preamble.
/// Error: why it cannot be parsed; a crash inside, too.
llvm::Expected<UnitLaunches> launchesJob(const std::string &File,
                                         const FoundCommand &Command,
                                         const ChosenGpu &Gpu, const Options &O,
                                         bool Keep);

/// Takes this tool's edits out of one file.
JobResult revertJob(const std::string &File);

/// A command that shows what happened with one file, quoted for a shell.
std::string reproduction(const Options &O, const std::string &File);

} // namespace catt

#endif
