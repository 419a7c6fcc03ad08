//===- Options.h - The command line, checked ----------------- -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   argv --(CommandLine, by Options.def)--> strings --(checks)--> Options
//   Options, .catt of a file --(withConfig)--> Options for that file
//
// Everything that can be said of the options without looking at a source file
// is said here, in one sentence on standard error: unknown names, numbers out
// of range, options that contradict each other.
//
// Limits: options of the compiler follow `--`; they are passed on unchecked.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATTREWRITE_OPTIONS_H
#define CATT_TOOL_CATTREWRITE_OPTIONS_H

#include "ExitCodes.h"
#include "tool/config/ConfigFile.h"
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace catt {

/// What becomes of the rewritten text.
enum class OutputMode : uint8_t {
  Stdout,      ///< the source itself (the default)
  InPlace,     ///< -i
  Diff,        ///< --diff
  ExportFixes, ///< --export-fixes
  None,        ///< --report without --report-file: only the report
};

enum class ReportKind : uint8_t {
  Remarks,    ///< on standard error, only what concerns contended loops
  Text,       ///< --report=text: every kernel and loop
  Json,       ///< --report=json
  Sarif,      ///< --report=sarif
  OptRemarks, ///< --report=opt-remarks
  Flags,      ///< --report=flags: register caps for a build system
};

struct Options : Settings {
  std::set<std::string> Said;     ///< keys of the settings that were given
  std::vector<std::string> Files; ///< as given
  std::string Program;            ///< argv[0], for reproduction commands
  std::vector<std::string> Given; ///< every argument but the files

  bool WholeProgram = false;          ///< --whole-program
  bool Force = false;                 ///< --force alone
  std::vector<ForcedChoice> Forced;   ///< --force=<kernel:loop=N,M>
  std::string PtxFile;                ///< --ptx
  std::vector<std::string> PtxasLogs; ///< --ptxas-log
  std::string BaselineFile;           ///< --baseline
  bool Gate = false;                  ///< --gate

  bool Verify = false;                  ///< --verify
  std::string Arguments;                ///< --arguments, for a shell
  std::string BuildCommand, RunCommand; ///< --build, --run
  double LimitSeconds = 600;            ///< --limit

  OutputMode Output = OutputMode::Stdout;
  std::string OutputFile; ///< -o: instead of standard output
  std::string Depfile;    ///< --depfile
  bool LineDirectives = false;
  std::string FixesFile;
  ReportKind Report = ReportKind::Remarks;
  std::string ReportFile; ///< empty: standard output, or error for remarks
  bool Revert = false;
  bool Quiet = false;
  bool KeepGoing = false;
  bool ErrorOnFindings = false;
  unsigned Jobs = 1;

  bool DumpConfig = false;
  bool Strict = false;    ///< a file without a compile command is an error
  std::string ConfigFile; ///< --config: a path or "none"; empty: the nearest
  std::optional<std::vector<std::string>> CompileFlags; ///< behind `--`
};

/// What parseOptions made of argv: options to run with, or an exit code with
/// which everything has been said already (--help, --version, usage errors).
struct ParsedOptions {
  std::optional<Options> Run;
  int Exit = ExitFine;
};

ParsedOptions parseOptions(int Argc, const char **Argv);

/// True if an option, a transform or a report asks for a look at registers.
bool wantsRegisters(const Options &O);

/// The options for one file: where the command line says nothing, its
/// configuration does. Of what was measured nothing is left if the command line
/// says how kernels are planned.
Options withConfig(Options O, const Config &File);

} // namespace catt

#endif
