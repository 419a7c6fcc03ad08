//===- Options.cpp - The command line, checked ----------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Options.h"
#include "analysis/plan/Reasons.h"
#include "analysis/source/Directives.h"
#include "transforms/Transform.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"

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
                     "gain (default 5; --model=catt does not ask it)"));
cl::opt<std::string>
    TransformNames("transforms", cl::value_desc("a,b|all"), cl::init("all"),
                   cl::cat(Category),
                   cl::desc("Which transforms to apply (listed below)"));
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
cl::opt<std::string> HeaderFilter(
    "header-filter", cl::value_desc("regex"), cl::cat(Category),
    cl::desc("Also rewrite kernels in included files whose path matches this "
             "extended regular expression"));
cl::opt<bool> InPlace("i", cl::cat(Category),
                      cl::desc("Replace each file by its rewritten text"));
cl::opt<bool> Diff("diff", cl::cat(Category),
                   cl::desc("Print a unified diff; exit with 1 if it is not "
                            "empty"));
cl::opt<std::string> ExportFixes(
    "export-fixes", cl::value_desc("yaml"), cl::cat(Category),
    cl::desc("Write the edits to a file for clang-apply-replacements"));
cl::opt<std::string>
    ReportName("report", cl::value_desc("text|json"), cl::cat(Category),
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

/// A whole number with nothing around it, in [Low, High].
Expected<int64_t> number(StringRef What, StringRef Text, int64_t Low,
                         int64_t High) {
  int64_t Value = 0;
  if (Text.getAsInteger(10, Value) || Value < Low || Value > High)
    return usage(What + " must be a whole number from " + Twine(Low) + " to " +
                 Twine(High) + ", not '" + Text + "'");
  return Value;
}

/// As in a launch comment, and no extent beyond what any launch may have, in x
/// of the grid.
Expected<Shape> readShape(StringRef What, StringRef Text) {
  Expected<Shape> S = parseShape(Text);
  if (!S)
    return usage(What + ": " + toString(S.takeError()));
  for (const std::optional<int64_t> &Extent : {S->X, S->Y, S->Z})
    if (*Extent > INT32_MAX)
      return usage(What + ": '" + Text + "' is larger than CUDA allows (" +
                   Twine(INT32_MAX) + ")");
  return S;
}

Error readTransforms(Options &O) {
  if (TransformNames == "all")
    return Error::success();
  SmallVector<StringRef, 4> Names;
  StringRef(TransformNames).split(Names, ',');
  for (StringRef Name : Names) {
    if (none_of(allTransforms(),
                [&](const Transform *T) { return T->name() == Name; }))
      return usage("--transforms: there is no transform '" + Name +
                   "'; --list-transforms lists them");
    if (!is_contained(O.Transforms, Name))
      O.Transforms.push_back(Name.str());
  }
  return Error::success();
}

bool isIdentifier(StringRef S) {
  return !S.empty() && !isDigit(S.front()) &&
         all_of(S, [](char C) { return isAlnum(C) || C == '_'; });
}

Error readAssumptions(Options &O) {
  for (StringRef Spec : Assumptions) {
    auto [Name, Text] = Spec.split('=');
    int64_t Value = 0;
    if (!isIdentifier(Name) || Text.getAsInteger(10, Value))
      return usage("--assume takes parameter=value with a whole number, as "
                   "--assume=n=4096, not '" +
                   Spec + "'");
    auto [It, New] = O.Assumed.try_emplace(Name.str(), Value);
    if (!New && It->second != Value)
      return usage("--assume gives '" + Name + "' two values, " +
                   Twine(It->second) + " and " + Twine(Value));
  }
  return Error::success();
}

/// Options that stand for values: numbers, names and patterns.
Error readValues(Options &O) {
  if (Gpu.getNumOccurrences())
    O.GpuName = Gpu;
  if (L1d.getNumOccurrences()) {
    Expected<int64_t> KiB = number("--l1d", L1d, 1, 1024);
    if (!KiB)
      return KiB.takeError();
    O.L1Bytes = *KiB * 1024;
  }
  if (MinGain.getNumOccurrences()) {
    Expected<int64_t> Percent = number("--min-gain", MinGain, 0, 100);
    if (!Percent)
      return Percent.takeError();
    O.MinGain = double(*Percent) / 100;
  }
  if (ModelName != "exact" && ModelName != "catt")
    return usage("--model must be exact or catt, not '" + ModelName + "'");
  O.How = ModelName == "catt" ? Model::Catt : Model::Exact;
  O.KernelGlob = KernelGlob;
  if (Expected<GlobPattern> Glob = GlobPattern::create(O.KernelGlob); !Glob)
    return usage("--kernel: '" + O.KernelGlob +
                 "' is no glob: " + toString(Glob.takeError()));
  O.HeaderFilter = HeaderFilter;
  std::string RegexError;
  if (!O.HeaderFilter.empty() && !Regex(O.HeaderFilter).isValid(RegexError))
    return usage("--header-filter: '" + O.HeaderFilter +
                 "' is no regular expression: " + RegexError);
  Expected<int64_t> N = number("-j", Jobs, 0, 1024);
  if (!N)
    return N.takeError();
  O.Jobs = *N ? unsigned(*N) : hardware_concurrency().compute_thread_count();
  for (StringRef Spec : LaunchSpecs) {
    auto L = parseLaunch(Spec);
    if (!L)
      return L.takeError();
    O.Launches[L->first].push_back(std::move(L->second));
  }
  if (Error E = readAssumptions(O))
    return E;
  return readTransforms(O);
}

/// Options that decide what is read and what becomes of the result.
Error readModes(Options &O) {
  O.Revert = Revert;
  O.Quiet = Quiet;
  O.KeepGoing = KeepGoing;
  O.ErrorOnFindings = ErrorOnFindings;
  O.BuildPath = BuildPath;
  O.ExtraArgs = ExtraArgs;
  O.ExtraArgsBefore = ExtraArgsBefore;
  O.CudaPath = CudaPath;
  O.BuiltInOnly = NoCuda;
  O.FixesFile = ExportFixes;
  O.ReportFile = ReportFile;
  if (ReportName.getNumOccurrences()) {
    if (ReportName != "text" && ReportName != "json")
      return usage("--report must be text or json, not '" + ReportName + "'");
    O.Report = ReportName == "json" ? ReportKind::Json : ReportKind::Text;
  }
  if (InPlace)
    O.Output = OutputMode::InPlace;
  else if (Diff)
    O.Output = OutputMode::Diff;
  else if (ExportFixes.getNumOccurrences())
    O.Output = OutputMode::ExportFixes;
  else if (ReportName.getNumOccurrences() && O.ReportFile.empty())
    O.Output = OutputMode::None;
  return Error::success();
}

bool given(const cl::Option &O) { return O.getNumOccurrences() != 0; }

Error checkContradictions() {
  struct Pair {
    const cl::Option &A, &B;
  };
  const Pair Exclusive[] = {
      {InPlace, Diff},          {InPlace, ExportFixes},   {Diff, ExportFixes},
      {CudaPath, NoCuda},       {Revert, ExportFixes},    {Revert, ReportName},
      {Revert, TransformNames}, {Revert, KernelGlob},     {Revert, LaunchSpecs},
      {Revert, Assumptions},    {Revert, ModelName},      {Revert, L1d},
      {Revert, HeaderFilter},   {Revert, ErrorOnFindings}};
  auto Spell = [](const cl::Option &O) {
    return (O.ArgStr.size() == 1 ? "-" : "--") + O.ArgStr.str();
  };
  for (const auto &[A, B] : Exclusive)
    if (given(A) && given(B))
      return usage(Spell(A) + " and " + Spell(B) + " contradict each other");
  if (given(ReportFile) && !given(ReportName))
    return usage("--report-file needs --report=text or --report=json");
  for (const cl::opt<std::string> *O :
       {&Gpu, &ExportFixes, &ReportFile, &BuildPath, &CudaPath})
    if (given(*O) && O->empty())
      return usage(Spell(*O) + " is given without a value");
  if (given(ReportName) && ReportFile.empty() && given(Diff))
    return usage("--diff and --report both print to standard output; give "
                 "the report a --report-file");
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
  if (O.Files.empty())
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
  if (Error E = readValues(O))
    return E;
  return std::optional<Options>(std::move(O));
}

} // namespace

Expected<std::pair<std::string, Launch>> parseLaunch(StringRef Spec) {
  StringRef Form = "--launch takes kernel=grid:block[:shared], as "
                   "--launch='gesummv=2112:128', not '";
  auto [Name, Rest] = Spec.split('=');
  SmallVector<StringRef, 3> Parts;
  Rest.split(Parts, ':');
  if (Name.trim().empty() || Parts.size() < 2 || Parts.size() > 3)
    return usage(Form + Spec + "'");
  Launch L;
  L.From = Origin::Told;
  L.Text = ("--launch=" + Spec).str();
  L.Callee = Name.trim().str();
  Expected<Shape> Grid = readShape("--launch: grid", Parts[0]);
  if (!Grid)
    return Grid.takeError();
  Expected<Shape> Block = readShape("--launch: block", Parts[1]);
  if (!Block)
    return Block.takeError();
  L.Grid = *Grid;
  L.Block = *Block;
  // CUDA C++ Programming Guide, "Compute Capabilities": threads per block.
  std::optional<int64_t> Threads;
  if (*Block->X <= 1024 && *Block->Y <= 1024 && *Block->Z <= 64)
    Threads = Block->count();
  if (!Threads || *Threads > 1024)
    return usage("--launch: a block of " + Parts[1] +
                 " is larger than CUDA allows (1024 threads)");
  L.DynamicSharedBytes = 0;
  if (Parts.size() == 3) {
    Expected<int64_t> Shared =
        number("--launch: shared memory", Parts[2], 0, 1 << 20);
    if (!Shared)
      return Shared.takeError();
    L.DynamicSharedBytes = *Shared;
  }
  return std::make_pair(L.Callee, std::move(L));
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
