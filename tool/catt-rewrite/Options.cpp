//===- Options.cpp - The command line, checked ----------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Options.h"
#include "analysis/device/Device.h"
#include "analysis/model/Reasons.h"
#include "transforms/Transform.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

using namespace llvm;

namespace catt {
namespace {

cl::OptionCategory Category("catt-rewrite options");

cl::list<std::string> Files(cl::Positional, cl::desc("<file>..."),
                            cl::cat(Category));

/// An option of the table, as LLVM's parser knows it. One of the three is
/// there.
struct Parsed {
  const OptionRow *Row;
  std::unique_ptr<cl::opt<bool>> Flag = nullptr;
  std::unique_ptr<cl::opt<std::string>> Text = nullptr;
  std::unique_ptr<cl::list<std::string>> Words = nullptr;

  const cl::Option &option() const {
    if (Flag)
      return *Flag;
    return Text ? static_cast<const cl::Option &>(*Text) : *Words;
  }
  bool given() const { return option().getNumOccurrences() != 0; }
  std::string spelled() const {
    StringRef Name = option().ArgStr;
    return (Name.size() == 1 ? "-" : "--") + Name.str();
  }
};

Parsed parsedAs(const OptionRow &Row) {
  Parsed P{&Row};
  StringRef Name = optionName(Row);
  cl::desc Help(Row.Help);
  cl::value_desc Value(Row.Value);
  cl::cat In(Category);
  switch (Row.Kind) {
  case OptionKind::Flag:
    P.Flag = std::make_unique<cl::opt<bool>>(Name, Help, In);
    break;
  case OptionKind::Text:
  case OptionKind::Path:
  case OptionKind::Commas:
    P.Text = std::make_unique<cl::opt<std::string>>(Name, Value, Help, In);
    break;
  case OptionKind::Joined:
    P.Text = std::make_unique<cl::opt<std::string>>(Name, cl::Prefix, Value,
                                                    Help, In);
    break;
  case OptionKind::Words:
  case OptionKind::Map:
    P.Words = std::make_unique<cl::list<std::string>>(Name, Value, Help, In);
    break;
  case OptionKind::OptionalWords:
    P.Words = std::make_unique<cl::list<std::string>>(Name, cl::ValueOptional,
                                                      Value, Help, In);
    break;
  }
  return P;
}

/// Every option of the table, known to LLVM's parser for as long as this is.
class CommandLine {
public:
  CommandLine() {
    for (const OptionRow &Row : allOptions())
      if (Row.By != KnownTo::Editor)
        All.push_back(parsedAs(Row));
  }
  ArrayRef<Parsed> all() const { return All; }
  /// By the name on the command line, which must be one of the table.
  const Parsed &operator[](StringRef Name) const {
    return *find_if(
        All, [&](const Parsed &P) { return optionName(*P.Row) == Name; });
  }
  bool given(StringRef Name) const { return (*this)[Name].given(); }
  bool flag(StringRef Name) const { return *(*this)[Name].Flag; }
  /// Of what is not given: its default.
  std::string text(StringRef Name) const {
    const Parsed &P = (*this)[Name];
    return P.given() ? P.Text->getValue() : P.Row->Default.str();
  }

private:
  std::vector<Parsed> All;
};

constexpr StringLiteral Overview =
    "Finds CUDA loops whose warps share too little L1 cache, and rewrites them "
    "so that\nthey fit.\n\n"
    "  catt-rewrite [options] <file>... [-- <compile flags>]\n\n"
    "Without -i, --diff, --export-fixes or --report the rewritten source is "
    "printed, and\nremarks go to standard error.";

/// A usage error: one sentence, and nothing else happens.
Error usage(const Twine &Message) { return createStringError(Message); }

std::string transformList() {
  std::string Text;
  raw_string_ostream OS(Text);
  for (const Transform *T : allTransforms())
    OS << "  " << left_justify(T->name(), 20) << "  " << T->summary() << "\n";
  return Text;
}

/// Options that .catt files and editors can give too.
Error readSettings(const CommandLine &C, Options &O) {
  Stated Said;
  for (const Parsed &P : C.all()) {
    if (P.Row->By != KnownTo::All || !P.given())
      continue;
    std::vector<std::string> Values;
    if (P.Flag)
      Values = {*P.Flag ? "true" : "false"};
    else if (P.Text)
      Values = {*P.Text};
    else
      Values = *P.Words;
    for (const std::string &Value : Values)
      if (Error E = setValue(Said, P.Row->Name, Value, P.spelled()))
        return E;
  }
  static_cast<Settings &>(O) = std::move(Said.Values);
  O.Said = std::move(Said.Keys);
  return Error::success();
}

/// --force alone, or with "kernel:loop=N[,M]"; the kernel's name may hold "::".
Error readForces(ArrayRef<std::string> Forces, Options &O) {
  for (StringRef Spec : Forces) {
    if (Spec.empty()) {
      O.Force = true;
      continue;
    }
    ForcedChoice F;
    F.Text = Spec.str();
    auto [Names, Numbers] = Spec.rsplit('=');
    auto [Kernel, Loop] = Names.rsplit(':');
    auto [Groups, Blocks] = Numbers.split(',');
    int64_t M = 0;
    if (Kernel.empty() || Loop.empty() || Names.size() == Spec.size() ||
        Groups.getAsInteger(10, F.Groups) || F.Groups < 1 ||
        (Numbers.contains(',') && (Blocks.getAsInteger(10, M) || M < 0)))
      return usage("--force takes kernel:loop=N or kernel:loop=N,M with "
                   "whole numbers, N at least 1, as --force=gesummv:j=4, not "
                   "'" +
                   Spec + "'");
    F.Kernel = Kernel.str();
    F.Loop = Loop.str();
    if (Numbers.contains(','))
      F.BlocksRemoved = M;
    O.Forced.push_back(std::move(F));
  }
  return Error::success();
}

Error readJobs(const CommandLine &C, Options &O) {
  Expected<int64_t> N = wholeNumber("-j", C.text("j"), 0, 1024);
  if (!N)
    return N.takeError();
  O.Jobs = *N ? unsigned(*N) : hardware_concurrency().compute_thread_count();
  return Error::success();
}

Error readVerify(const CommandLine &C, Options &O) {
  O.Verify = C.flag("verify");
  O.Arguments = C.text("arguments");
  O.BuildCommand = C.text("build");
  O.RunCommand = C.text("run");
  Expected<double> Limit = secondsOf("--limit", C.text("limit"));
  if (!Limit)
    return Limit.takeError();
  O.LimitSeconds = *Limit;
  return Error::success();
}

Error readReport(const CommandLine &C, Options &O) {
  O.ReportFile = C.text("report-file");
  if (!C.given("report"))
    return Error::success();
  std::string Name = C.text("report");
  auto Kind = StringSwitch<std::optional<ReportKind>>(Name)
                  .Case("text", ReportKind::Text)
                  .Case("json", ReportKind::Json)
                  .Case("sarif", ReportKind::Sarif)
                  .Case("opt-remarks", ReportKind::OptRemarks)
                  .Case("flags", ReportKind::Flags)
                  .Default(std::nullopt);
  if (!Kind)
    return usage("--report must be text, json, sarif, opt-remarks or flags, "
                 "not '" +
                 Name + "'");
  O.Report = *Kind;
  return Error::success();
}

/// Options that decide what is read and what becomes of the result.
void readModes(const CommandLine &C, Options &O) {
  O.WholeProgram = C.flag("whole-program");
  O.Revert = C.flag("revert");
  O.Quiet = C.flag("quiet");
  O.KeepGoing = C.flag("keep-going");
  O.ErrorOnFindings = C.flag("error-on-findings");
  O.Strict = C.flag("strict");
  O.DumpConfig = C.flag("dump-config");
  O.ConfigFile = C.text("config");
  O.OutputFile = C.text("o");
  O.Depfile = C.text("depfile");
  O.LineDirectives = C.flag("line-directives");
  O.FixesFile = C.text("export-fixes");
  O.PtxFile = C.text("ptx");
  O.PtxasLogs = *C["ptxas-log"].Words;
  O.BaselineFile = C.text("baseline");
  O.Gate = C.flag("gate");
  if (C.flag("i"))
    O.Output = OutputMode::InPlace;
  else if (C.flag("diff"))
    O.Output = OutputMode::Diff;
  else if (C.given("export-fixes"))
    O.Output = OutputMode::ExportFixes;
  else if (C.given("report") && O.ReportFile.empty() && O.OutputFile.empty())
    O.Output = OutputMode::None;
}

/// Pairs of options of which only one may be given.
constexpr std::pair<StringLiteral, StringLiteral> Exclusive[] = {
    {"i", "diff"},
    {"i", "export-fixes"},
    {"diff", "export-fixes"},
    {"cuda-path", "no-cuda"},
    {"revert", "export-fixes"},
    {"revert", "report"},
    {"revert", "transforms"},
    {"revert", "kernel"},
    {"revert", "launch"},
    {"revert", "assume"},
    {"revert", "model"},
    {"revert", "l1d"},
    {"revert", "header-filter"},
    {"revert", "error-on-findings"},
    {"revert", "verify"},
    {"run", "arguments"},
    {"o", "i"},
    {"o", "diff"},
    {"o", "export-fixes"},
    {"line-directives", "i"},
    {"line-directives", "diff"},
    {"line-directives", "export-fixes"},
    {"line-directives", "revert"},
    {"depfile", "revert"}};

/// What --baseline and --gate need.
Error checkGate(const CommandLine &C) {
  if (C.given("gate") && !C.given("baseline"))
    return usage("--gate compares with a recorded file; name it with "
                 "--baseline=regs.json, and record it first without --gate");
  if (C.given("ptxas-log") && !C.given("baseline"))
    return usage(
        "--ptxas-log needs --baseline=regs.json, where it is recorded, "
        "or compared with --gate");
  if (C.given("baseline") && !C.given("ptxas-log") && !C.given("ptx"))
    return usage("--baseline needs --ptxas-log=build.log, the output of a "
                 "build with -Xptxas -v, or --ptx");
  for (StringRef Name : {"i", "diff", "o", "export-fixes", "report", "revert"})
    if (C.given("baseline") && C.given(Name))
      return usage("--baseline writes no source and no report; leave " +
                   C[Name].spelled() + " out");
  return Error::success();
}

Error checkVerify(const CommandLine &C) {
  for (StringRef Name : {"arguments", "build", "run", "limit"})
    if (C.given(Name) && !C.given("verify"))
      return usage(C[Name].spelled() + " has a meaning only with --verify");
  if (C.given("build") != C.given("run"))
    return usage("--build and --run say how --verify builds and runs the "
                 "program; give both");
  return Error::success();
}

Error checkContradictions(const CommandLine &C) {
  for (const auto &[A, B] : Exclusive)
    if (C.given(A) && C.given(B))
      return usage(C[A].spelled() + " and " + C[B].spelled() +
                   " contradict each other");
  if (C.given("report-file") && !C.given("report"))
    return usage("--report-file needs --report");
  for (StringRef Name :
       {"gpu", "export-fixes", "report-file", "p", "cuda-path", "config", "o",
        "depfile", "ptx", "baseline", "build", "run"})
    if (C.given(Name) && C.text(Name).empty())
      return usage(C[Name].spelled() + " is given without a value");
  if (C.given("report") && !C.given("report-file") && C.given("diff"))
    return usage("--diff and --report both print to standard output; give "
                 "the report a --report-file");
  if (C.given("o") && Files.size() > 1)
    return usage("-o takes one source, and " + Twine(Files.size()) +
                 " are given");
  if (C.given("depfile") && !C.given("o"))
    return usage("--depfile needs -o, whose file the rule is for");
  if (C.given("keep-going") && !C.given("i"))
    return usage("--keep-going has a meaning only with -i");
  if (C.given("ptx") && Files.size() > 1)
    return usage("--ptx is the PTX of one file, and there are " +
                 Twine(Files.size()));
  if (Error E = checkVerify(C))
    return E;
  return checkGate(C);
}

Error checkPaths(const Options &O) {
  if (!O.CudaPath.empty()) {
    SmallString<128> Header(O.CudaPath);
    sys::path::append(Header, "include", "cuda_runtime.h");
    if (!sys::fs::exists(Header))
      return usage("--cuda-path: there is no include/cuda_runtime.h in '" +
                   O.CudaPath + "'");
  }
  if (!O.BuildPath.empty()) {
    if (O.CompileFlags)
      return usage("-p and compile flags behind -- contradict each other");
    SmallString<128> Database(O.BuildPath);
    sys::path::append(Database, "compile_commands.json");
    if (!sys::fs::exists(Database))
      return usage("-p: there is no compile_commands.json in '" + O.BuildPath +
                   "'");
  }
  if (O.Files.empty() && !O.DumpConfig && O.BaselineFile.empty())
    return usage("no input file; see --help");
  return Error::success();
}

/// "h200              9.0  132 SMs  multiProcessorCount of an H200".
std::string gpuList() {
  std::string Out;
  for (const Device &D : allDevices()) {
    std::string Line = formatv("{0,-16} {1,5}", D.Name, D.capabilityText());
    if (D.SMs)
      Line += formatv("  {0,3} SMs  {1}", *D.SMs, D.SMsFrom).str();
    Out += Line + "\n";
  }
  return Out;
}

/// --list-transforms, --list-gpus and --explain. True if one was given.
Expected<bool> answerQuestion(const CommandLine &C) {
  if (C.flag("list-transforms")) {
    outs() << transformList();
    return true;
  }
  if (C.flag("list-gpus")) {
    outs() << gpuList();
    return true;
  }
  if (!C.given("explain"))
    return false;
  std::string Explain = C.text("explain");
  if (Explain == "all") {
    for (const ReasonInfo &R : allReasons())
      outs() << left_justify(R.Id, 24) << R.Developer << "\n";
    return true;
  }
  std::optional<Reason> Why = findReason(Explain);
  if (!Why)
    return usage("--explain: there is no reason '" + Explain +
                 "'; --explain=all lists them");
  const ReasonInfo &R = info(*Why);
  outs() << R.Id << " (" << name(R.Kind) << ")\n"
         << "  What is so:  " << whatText({*Why, {}, ""}) << "\n"
         << "  What to do:  " << R.Remedy << "\n"
         << "  Found by:    " << R.Developer << "\n";
  return true;
}

Expected<std::optional<Options>> readOptions(const CommandLine &C,
                                             ArrayRef<const char *> Argv) {
  Expected<bool> Answered = answerQuestion(C);
  if (!Answered)
    return Answered.takeError();
  if (*Answered)
    return std::optional<Options>();
  Options O;
  O.Program = Argv.front();
  O.Files = Files;
  if (Error E = checkContradictions(C))
    return E;
  if (Error E = readReport(C, O))
    return E;
  if (Error E = readSettings(C, O))
    return E;
  readModes(C, O);
  if (Error E = readForces(*C["force"].Words, O))
    return E;
  if (Error E = readVerify(C, O))
    return E;
  if (Error E = readJobs(C, O))
    return E;
  return std::optional<Options>(std::move(O));
}

} // namespace

bool wantsRegisters(const Options &O) {
  return O.RegistersBy || O.TargetRegisters || O.AskPtxas ||
         !O.PtxFile.empty() || O.Report == ReportKind::Flags ||
         any_of(chosenTransforms(O.Transforms),
                [](const Transform *T) { return T->traits().NeedsRegisters; });
}

/// Keys that go before what was measured of kernels.
constexpr StringLiteral Deciding[] = {
    "l1d",        "model",    "min-gain", "decide",           "transforms",
    "tile-bytes", "selector", "opt-tlp",  "target-registers", "bounds"};

/// Whether the command line or the editor says how kernels are planned.
static bool decides(const Options &O) {
  return O.Force || !O.Forced.empty() || any_of(Deciding, [&](StringRef Key) {
           return O.Said.count(Key.str());
         });
}

Options withConfig(Options O, const Config &File) {
  const bool Decides = decides(O);
  Stated All = overlay(File.Said, Stated{O, O.Said});
  static_cast<Settings &>(O) = std::move(All.Values);
  O.Said = std::move(All.Keys);
  if (Decides)
    O.Measured.clear();
  return O;
}

ParsedOptions parseOptions(int Argc, const char **Argv) {
  // What follows `--` belongs to the compiler.
  ArrayRef<const char *> All(Argv, Argc);
  const auto *Dashes =
      find_if(All, [](const char *A) { return StringRef(A) == "--"; });
  ArrayRef<const char *> Own(All.begin(), Dashes);

  static const CommandLine C;
  cl::HideUnrelatedOptions(Category);
  cl::SetVersionPrinter([](raw_ostream &OS) {
    OS << "catt-rewrite " CATT_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
  });
  std::string Help = "\nTransforms:\n\n" + transformList() +
                     "\nExit codes: 0 fine, 1 changes pending or findings, 2 "
                     "usage, 3 input that cannot\nbe read, parsed or written, "
                     "4 a defect of catt-rewrite.\n";
  cl::extrahelp MoreHelp(Help);
  std::string Message;
  raw_string_ostream OS(Message);
  if (!cl::ParseCommandLineOptions(Own.size(), Own.data(), Overview, &OS)) {
    errs() << Message;
    return {std::nullopt, ExitUsage};
  }
  Expected<std::optional<Options>> O = readOptions(C, Own);
  if (O && *O) {
    if (Dashes != All.end())
      (*O)->CompileFlags.emplace(Dashes + 1, All.end());
    for (const char *A : Own.drop_front())
      if (!is_contained((*O)->Files, A))
        (*O)->Given.push_back(A);
    if (Error E = checkPaths(**O))
      O = std::move(E);
  }
  if (!O) {
    errs() << "catt-rewrite: error: " << toString(O.takeError()) << "\n";
    return {std::nullopt, ExitUsage};
  }
  return {std::move(*O), ExitFine};
}

} // namespace catt
