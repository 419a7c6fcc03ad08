//===- Options.cpp - The command line, checked ----------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Options.h"
#include "analysis/model/Reasons.h"
#include "transforms/Transform.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
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
cl::opt<std::string>
    Gpu("gpu", cl::value_desc("card|sm_XX"), cl::cat(Category),
        cl::desc("The GPU to optimize for, as \"h200\" or \"sm_90\". Default: "
                 "that of this machine if nvidia-smi answers, else sm_80"));
cl::opt<std::string>
    L1d("l1d", cl::value_desc("KiB"), cl::cat(Category),
        cl::desc("Size of the L1 data cache, instead of what the launch "
                 "leaves of the unified memory"));
cl::opt<std::string>
    ModelName("model", cl::value_desc("exact|catt"), cl::init("exact"),
              cl::cat(Category),
              cl::desc("exact: count distinct cache lines; catt: the "
                       "equations of the CATT paper as printed"));
cl::opt<std::string>
    MinGain("min-gain", cl::value_desc("percent"), cl::cat(Category),
            cl::desc("Leave a loop alone if the time model predicts a smaller "
                     "gain (default 15, for registers 5; --model=catt does "
                     "not ask it)"));
cl::opt<std::string> TransformNames(
    "transforms", cl::value_desc("a,b|all"), cl::cat(Category),
    cl::desc("Transforms to apply (below); default: those for L1"));
cl::opt<std::string> SelectorName(
    "selector", cl::value_desc("model|tpsc|orion|unified|dru"),
    cl::cat(Category),
    cl::desc("Look at registers, and choose registers and blocks by this rule "
             "(default: model)"));
cl::opt<unsigned> TargetRegisters(
    "target-registers", cl::value_desc("n"), cl::cat(Category),
    cl::desc("Look at registers; bring them to at most n per thread (16-255)"));
cl::opt<bool> AskPtxas(
    "ptxas", cl::cat(Category),
    cl::desc("Look at registers, and ask the toolkit's ptxas for registers and "
             "spills under each cap that matters, instead of estimating"));
cl::opt<bool> VerifyCode(
    "verify-code", cl::cat(Category),
    cl::desc("Compile the original and the rewritten file with nvcc, and write "
             "nothing if floating-point operations are fused differently"));
cl::opt<std::string>
    PtxFile("ptx", cl::value_desc("file"), cl::cat(Category),
            cl::desc("Look at registers, in this PTX of the source (nvcc -ptx) "
                     "instead of clang's own"));
cl::opt<std::string> BoundsName(
    "bounds", cl::value_desc("launch-bounds|maxnreg"),
    cl::init("launch-bounds"), cl::cat(Category),
    cl::desc("What the transform launch-bounds writes: "
             "__launch_bounds__(B, T), or __maxnreg__(n), which any launch "
             "may exceed (CUDA 12.4)"));
cl::opt<std::string>
    KernelGlob("kernel", cl::value_desc("glob"), cl::init("*"),
               cl::cat(Category),
               cl::desc("Only kernels whose name, qualified or not, matches"));
cl::list<std::string> LaunchSpecs(
    "launch", cl::value_desc("kernel=grid:block[:shared]"), cl::cat(Category),
    cl::desc("A launch that the source does not show; grid and block as 320, "
             "320x4 or 32x8x1, shared in bytes; may be repeated"));
cl::list<std::string> Assumptions(
    "assume", cl::value_desc("parameter=value"), cl::cat(Category),
    cl::desc("The value of an integer kernel parameter; may be repeated"));
cl::list<std::string> Forces(
    "force", cl::ValueOptional, cl::value_desc("kernel:loop=N[,M]"),
    cl::cat(Category),
    cl::desc("Split a loop, named by iterator or number, into N warp groups "
             "and take M blocks per SM away, whatever the model says; may be "
             "repeated. Alone: write launch bounds although there are some "
             "already, launches may stand elsewhere, or register numbers are "
             "estimates"));
cl::opt<std::string> HeaderFilter(
    "header-filter", cl::value_desc("regex"), cl::cat(Category),
    cl::desc("Also rewrite kernels in included files whose path matches this "
             "extended regular expression"));
cl::opt<bool> InPlace("i", cl::cat(Category),
                      cl::desc("Replace each file by its rewritten text"));
cl::opt<bool> Diff("diff", cl::cat(Category),
                   cl::desc("Print a unified diff; exit with 1 if it is not "
                            "empty"));
cl::opt<std::string> OutputFile("o", cl::value_desc("file"), cl::cat(Category),
                                cl::desc("Write the rewritten source to a "
                                         "file; for one source"));
cl::opt<bool> LineDirectives(
    "line-directives", cl::cat(Category),
    cl::desc("Add #line directives, so that compilers and debuggers name the "
             "lines of the original; without -i, --diff and --export-fixes"));
cl::opt<std::string>
    Depfile("depfile", cl::value_desc("file"), cl::cat(Category),
            cl::desc("With -o: write the files that were read as a make rule"));
cl::opt<std::string> ExportFixes(
    "export-fixes", cl::value_desc("yaml"), cl::cat(Category),
    cl::desc("Write the edits to a file for clang-apply-replacements"));
cl::opt<std::string>
    ReportName("report", cl::value_desc("text|json|sarif|opt-remarks|flags"),
               cl::cat(Category),
               cl::desc("Report on every kernel and loop. Without "
                        "--report-file it goes to standard output, in place "
                        "of the rewritten source"));
cl::opt<std::string> ReportFile("report-file", cl::value_desc("file"),
                                cl::cat(Category),
                                cl::desc("Where --report goes"));
cl::opt<std::string> Jobs("j", cl::value_desc("N"), cl::Prefix, cl::init("1"),
                          cl::cat(Category),
                          cl::desc("Work on N files at once; 0: one per core"));
cl::opt<bool> Revert("revert", cl::cat(Category),
                     cl::desc("Take every earlier rewriting out again, by the "
                              "comments that it left"));
cl::opt<bool> Quiet("quiet", cl::cat(Category),
                    cl::desc("No remarks and no progress, only errors"));
cl::opt<bool> KeepGoing(
    "keep-going", cl::cat(Category),
    cl::desc("With -i: write the files that are fine even if others are not"));
cl::opt<bool> ErrorOnFindings(
    "error-on-findings", cl::cat(Category),
    cl::desc("Exit with 1 if some loop overflows the L1 data cache"));
cl::opt<std::string> BuildPath("p", cl::value_desc("dir"), cl::cat(Category),
                               cl::desc("Directory of compile_commands.json. "
                                        "Default: the nearest above each "
                                        "file, if there is one"));
cl::list<std::string>
    ExtraArgs("extra-arg", cl::value_desc("flag"), cl::cat(Category),
              cl::desc("Appended to the compile command; may be repeated"));
cl::list<std::string>
    ExtraArgsBefore("extra-arg-before", cl::value_desc("flag"),
                    cl::cat(Category),
                    cl::desc("Put in front of the compile command's flags; "
                             "may be repeated"));
cl::opt<std::string>
    CudaPath("cuda-path", cl::value_desc("dir"), cl::cat(Category),
             cl::desc("The CUDA toolkit whose headers are used. Default: "
                      "$CUDA_PATH, the nvcc of the compile command, "
                      "/usr/local/cuda, else built-in declarations"));
cl::opt<bool> NoCuda("no-cuda", cl::cat(Category),
                     cl::desc("Use the built-in CUDA declarations even where "
                              "a toolkit is installed"));
cl::opt<bool> Strict("strict", cl::cat(Category),
                     cl::desc("A file without a compile command is an error, "
                              "not a note"));
cl::opt<std::string> ConfigPath(
    "config", cl::value_desc("file|none"), cl::cat(Category),
    cl::desc("Settings for every file. Default: the .catt file that is "
             "nearest above it, if there is one"));
cl::opt<bool> DumpConfig("dump-config", cl::cat(Category),
                         cl::desc("Print the settings of the first file as a "
                                  ".catt file, and exit"));
cl::opt<bool> ListTransforms("list-transforms", cl::cat(Category),
                             cl::desc("List the transforms and exit"));
cl::opt<std::string>
    Explain("explain", cl::value_desc("reason"), cl::cat(Category),
            cl::desc("Explain a reason that a remark gave, and exit; "
                     "\"all\" lists them"));

constexpr StringLiteral Overview =
    "Finds CUDA loops whose warps share too little L1 cache, and rewrites them "
    "so that\nthey fit.\n\n"
    "  catt-rewrite [options] <file>... [-- <compile flags>]\n\n"
    "Without -i, --diff, --export-fixes or --report the rewritten source is "
    "printed, and\nremarks go to standard error.";

/// A usage error: one sentence, and nothing else happens.
Error usage(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), Message);
}

std::string transformList() {
  std::string Text;
  raw_string_ostream OS(Text);
  for (const Transform *T : allTransforms())
    OS << "  " << left_justify(T->name(), 20) << "  " << T->summary() << "\n";
  return Text;
}

std::string spell(const cl::Option &O) {
  return (O.ArgStr.size() == 1 ? "-" : "--") + O.ArgStr.str();
}

/// Options that a .catt file can give too.
Error readSettings(Options &O) {
  Stated Said;
  auto Say = [&](const cl::Option &From, StringRef Value) {
    StringRef Key = From.ArgStr == "p" ? "build-path" : From.ArgStr;
    return setValue(Said, Key, Value, spell(From));
  };
  for (const cl::opt<std::string> *One :
       {&Gpu, &L1d, &MinGain, &ModelName, &KernelGlob, &HeaderFilter,
        &TransformNames, &BuildPath, &CudaPath})
    if (One->getNumOccurrences())
      if (Error E = Say(*One, *One))
        return E;
  for (const cl::list<std::string> *Many :
       {std::addressof(LaunchSpecs), std::addressof(Assumptions),
        std::addressof(ExtraArgs), std::addressof(ExtraArgsBefore)})
    for (const std::string &Value : *Many)
      if (Error E = Say(*Many, Value))
        return E;
  if (NoCuda.getNumOccurrences())
    if (Error E = Say(NoCuda, NoCuda ? "true" : "false"))
      return E;
  static_cast<Settings &>(O) = std::move(Said.Values);
  O.Said = std::move(Said.Keys);
  return Error::success();
}

/// Options that concern registers; each but --force asks to look at them.
Error readRegisters(Options &O) {
  if (SelectorName.getNumOccurrences()) {
    O.RegistersBy = findSelector(SelectorName);
    if (!O.RegistersBy) {
      std::string Known;
      for (Selector By : allSelectors())
        Known += (Known.empty() ? "" : ", ") + name(By).str();
      return usage("--selector must be one of " + Known + ", not '" +
                   SelectorName + "'");
    }
  }
  if (TargetRegisters.getNumOccurrences()) {
    if (TargetRegisters < 16 || TargetRegisters > 255)
      return usage("--target-registers must be from 16 to 255");
    O.TargetRegisters = TargetRegisters;
  }
  if (BoundsName != "launch-bounds" && BoundsName != "maxnreg")
    return usage("--bounds must be launch-bounds or maxnreg, not '" +
                 BoundsName + "'");
  O.Bounds = BoundsName == "maxnreg" ? BoundsForm::MaxRegisters
                                     : BoundsForm::LaunchBounds;
  O.PtxFile = PtxFile;
  O.AskPtxas = AskPtxas;
  O.VerifyCode = VerifyCode;
  if (O.Files.size() > 1 && !O.PtxFile.empty())
    return usage("--ptx is the PTX of one file, and there are " +
                 Twine(O.Files.size()));
  return Error::success();
}

/// --force alone, or with "kernel:loop=N[,M]"; the kernel's name may hold "::".
Error readForces(Options &O) {
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

Error readJobs(Options &O) {
  Expected<int64_t> N = wholeNumber("-j", Jobs, 0, 1024);
  if (!N)
    return N.takeError();
  O.Jobs = *N ? unsigned(*N) : hardware_concurrency().compute_thread_count();
  return Error::success();
}

/// Options that decide what is read and what becomes of the result.
Error readModes(Options &O) {
  O.Revert = Revert;
  O.Quiet = Quiet;
  O.KeepGoing = KeepGoing;
  O.ErrorOnFindings = ErrorOnFindings;
  O.Strict = Strict;
  O.DumpConfig = DumpConfig;
  O.ConfigFile = ConfigPath;
  O.OutputFile = OutputFile;
  O.Depfile = Depfile;
  O.LineDirectives = LineDirectives;
  O.FixesFile = ExportFixes;
  O.ReportFile = ReportFile;
  if (ReportName.getNumOccurrences()) {
    auto Kind = StringSwitch<std::optional<ReportKind>>(ReportName)
                    .Case("text", ReportKind::Text)
                    .Case("json", ReportKind::Json)
                    .Case("sarif", ReportKind::Sarif)
                    .Case("opt-remarks", ReportKind::OptRemarks)
                    .Case("flags", ReportKind::Flags)
                    .Default(std::nullopt);
    if (!Kind)
      return usage("--report must be text, json, sarif, opt-remarks or "
                   "flags, not '" +
                   ReportName + "'");
    O.Report = *Kind;
  }
  if (InPlace)
    O.Output = OutputMode::InPlace;
  else if (Diff)
    O.Output = OutputMode::Diff;
  else if (ExportFixes.getNumOccurrences())
    O.Output = OutputMode::ExportFixes;
  else if (ReportName.getNumOccurrences() && O.ReportFile.empty() &&
           O.OutputFile.empty())
    O.Output = OutputMode::None;
  return Error::success();
}

bool given(const cl::Option &O) { return O.getNumOccurrences() != 0; }

Error checkContradictions() {
  struct Pair {
    const cl::Option &A, &B;
  };
  const Pair Exclusive[] = {
      {InPlace, Diff},           {InPlace, ExportFixes},
      {Diff, ExportFixes},       {CudaPath, NoCuda},
      {Revert, ExportFixes},     {Revert, ReportName},
      {Revert, TransformNames},  {Revert, KernelGlob},
      {Revert, LaunchSpecs},     {Revert, Assumptions},
      {Revert, ModelName},       {Revert, L1d},
      {Revert, HeaderFilter},    {Revert, ErrorOnFindings},
      {OutputFile, InPlace},     {OutputFile, Diff},
      {OutputFile, ExportFixes}, {LineDirectives, InPlace},
      {LineDirectives, Diff},    {LineDirectives, ExportFixes},
      {LineDirectives, Revert},  {Depfile, Revert}};
  for (const auto &[A, B] : Exclusive)
    if (given(A) && given(B))
      return usage(spell(A) + " and " + spell(B) + " contradict each other");
  if (given(ReportFile) && !given(ReportName))
    return usage("--report-file needs --report");
  for (const cl::opt<std::string> *O :
       {&Gpu, &ExportFixes, &ReportFile, &BuildPath, &CudaPath, &ConfigPath,
        &OutputFile, &Depfile, &PtxFile})
    if (given(*O) && O->empty())
      return usage(spell(*O) + " is given without a value");
  if (given(ReportName) && ReportFile.empty() && given(Diff))
    return usage("--diff and --report both print to standard output; give "
                 "the report a --report-file");
  if (given(OutputFile) && Files.size() > 1)
    return usage("-o takes one source, and " + Twine(Files.size()) +
                 " are given");
  if (given(Depfile) && !given(OutputFile))
    return usage("--depfile needs -o, whose file the rule is for");
  if (given(KeepGoing) && !given(InPlace))
    return usage("--keep-going has a meaning only with -i");
  return Error::success();
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
  if (O.Files.empty() && !O.DumpConfig)
    return usage("no input file; see --help");
  return Error::success();
}

/// --list-transforms and --explain. True if one was given.
Expected<bool> answerQuestion() {
  if (ListTransforms) {
    outs() << transformList();
    return true;
  }
  if (!given(Explain))
    return false;
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

Expected<std::optional<Options>> readOptions(ArrayRef<const char *> Argv) {
  Expected<bool> Answered = answerQuestion();
  if (!Answered)
    return Answered.takeError();
  if (*Answered)
    return std::optional<Options>();
  Options O;
  O.Program = Argv.front();
  O.Files = Files;
  if (Error E = checkContradictions())
    return E;
  if (Error E = readModes(O))
    return E;
  if (Error E = readSettings(O))
    return E;
  if (Error E = readRegisters(O))
    return E;
  if (Error E = readForces(O))
    return E;
  if (Error E = readJobs(O))
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

Options withConfig(Options O, const Config &File) {
  Stated All = overlay(File.Said, Stated{O, O.Said});
  static_cast<Settings &>(O) = std::move(All.Values);
  O.Said = std::move(All.Keys);
  return O;
}

ParsedOptions parseOptions(int Argc, const char **Argv) {
  // What follows `--` belongs to the compiler.
  ArrayRef<const char *> All(Argv, Argc);
  const auto *Dashes =
      find_if(All, [](const char *A) { return StringRef(A) == "--"; });
  ArrayRef<const char *> Own(All.begin(), Dashes);

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
  Expected<std::optional<Options>> O = readOptions(Own);
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
