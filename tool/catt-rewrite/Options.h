//===- Options.h - The command line, checked ----------------- -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   argv --(LLVM's option parser)--> strings --(checks)--> Options
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
#include "analysis/Analysis.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <optional>
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
  Remarks, ///< on standard error, only what concerns contended loops
  Text,    ///< --report=text: every kernel and loop
  Json,    ///< --report=json
};

struct Options {
  std::vector<std::string> Files; ///< as given
  std::string Program;            ///< argv[0], for reproduction commands
  std::vector<std::string> Given; ///< every argument but the files

  std::optional<std::string> GpuName;
  std::optional<int64_t> L1Bytes;
  Model How = Model::Exact;
  std::optional<double> MinGain;       ///< absent: the analysis's default
  std::vector<std::string> Transforms; ///< empty: all
  std::string KernelGlob = "*";
  std::map<std::string, std::vector<Launch>> Launches;
  std::map<std::string, int64_t> Assumed;
  std::string HeaderFilter;
  std::vector<ForcedChoice> Forced; ///< --force

  OutputMode Output = OutputMode::Stdout;
  std::string FixesFile;
  ReportKind Report = ReportKind::Remarks;
  std::string ReportFile; ///< empty: standard output, or error for remarks
  bool Revert = false;
  bool Quiet = false;
  bool KeepGoing = false;
  bool ErrorOnFindings = false;
  unsigned Jobs = 1;

  std::string BuildPath; ///< -p
  std::vector<std::string> ExtraArgs, ExtraArgsBefore;
  std::optional<std::vector<std::string>> CompileFlags; ///< behind `--`
  std::string CudaPath;
  bool BuiltInOnly = false;
};

/// What parseOptions made of argv: options to run with, or an exit code with
/// which everything has been said already (--help, --version, usage errors).
struct ParsedOptions {
  std::optional<Options> Run;
  int Exit = ExitFine;
};

ParsedOptions parseOptions(int Argc, const char **Argv);

/// "gesummv=2112x1:32x8:16384" as kernel name and launch. Dimensions that are
/// not given are 1. Error: says what is wrong, and the form expected.
llvm::Expected<std::pair<std::string, Launch>>
parseLaunch(llvm::StringRef Spec);

} // namespace catt

#endif
