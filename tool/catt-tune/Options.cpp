//===- Options.cpp - The command line of catt-tune ------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/catt-tune/Options.h"
#include "tool/config/Card.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/GlobPattern.h"

using namespace llvm;

namespace catt {
namespace {

struct Row {
  /// Without a value: a flag. "[=glob]": the value may be left out.
  StringLiteral Name, Value, Help;
  bool isOptional() const { return Value.starts_with("["); }
};

constexpr Row Rows[] = {
    {"build", "command", "Builds the program, by a shell (required)"},
    {"run", "command", "Runs it (required)"},
    {"check", "command",
     "Says by exit code 0 that a run's results are right. Default: its output "
     "is that of the original"},
    {"no-check", "", "Look at exit codes alone"},
    {"budget", "time",
     "Try no further variant after 90s, 5m or 2h (default 5m)"},
    {"limit", "time",
     "Stop a command after this time, and give the variant up (default 10m)"},
    {"runs", "n", "Runs of each variant, 1 to 100 (default 3)"},
    {"builds", "one|each",
     "Build variants of a kernel in one where they can stand side by side (the "
     "default), or each by itself"},
    {"kernel", "glob", "Only kernels whose name, qualified or not, matches"},
    {"variants", "glob", "Only variants of this name, as {default,tiles-*}"},
    {"bftt", "",
     "Try all numbers of warp groups and blocks, and nothing else (CATT's "
     "BFTT, and each loop by itself)"},
    {"replay", "[=glob]",
     "Run launches of these kernels several times in one run, and no more of "
     "the program (without a glob: of kernels with fewer than 5 launches)"},
    {"opt-tlp", "",
     "Find out with how many blocks on an SM a kernel is fastest (OptTLP), "
     "then try the registers that CRAT's rule chooses for these"},
    {"strategy", "name",
     "Try only what a paper's method writes of registers: crat, orion, "
     "unified or tlp-rm; or model, this tool's own"},
    {"most", "n",
     "Try at most n variants of each kernel, 1 to 1000, those first that the "
     "time model likes best"},
    {"gpu", "card|sm_XX", "As of catt-rewrite"},
    {"p", "dir", "Directory of compile_commands.json, as of catt-rewrite"},
    {"config", "file|none", "As of catt-rewrite"},
    {"no-cuda", "", "As of catt-rewrite"},
    {"i", "", "Write the best into the sources"},
    {"diff", "", "Print the best as a diff (the default, but for --settings)"},
    {"no-diff", "", "Print the table alone"},
    {"settings", "",
     "Write what was measured of each kernel into the .catt file that applies "
     "to it, or a new one beside it: catt-rewrite and editors go by it"},
    {"export", "file", "Write all results as Kernel Tuner's cache file"},
    {"page", "file", "Write all results as a page with pictures (HTML)"},
    {"calibrate", "[=file]",
     "Measure the rates of the first GPU instead, with nvcc, into a file for "
     "--gpu=card.json (default card.json)"},
    {"restart", "", "Try again what earlier searches have tried"},
    {"state", "dir", "Where the search keeps its files (default .catt-tune)"},
    {"quiet", "", "No progress"},
    {"help", "", "This text"},
    {"version", "", "The version"}};

std::string helpText() {
  std::string Text =
      "OVERVIEW: Tries the ways in which catt-rewrite can write kernels, and "
      "keeps the fastest.\n\n"
      "  catt-tune --build=<command> --run=<command> [options] <file>... "
      "[-- <compile flags>]\n  catt-tune --calibrate[=<card.json>]\n\n"
      "OPTIONS:\n\n";
  for (const Row &R : Rows) {
    std::string Name = (R.Name.size() == 1 ? "-" : "--") + R.Name.str();
    if (R.isOptional())
      Name += "[=<" + R.Value.drop_front(2).drop_back().str() + ">]";
    else if (!R.Value.empty())
      Name += "=<" + R.Value.str() + ">";
    Name.resize(std::max<size_t>(Name.size(), 22), ' ');
    Text += "  " + Name + " - " + R.Help.str() + "\n";
  }
  return Text + "\nExit codes: 0 something better was found, 1 nothing was, 2 "
                "usage, 3 an input or the\noriginal program that cannot be "
                "used, 130 interrupted.\n";
}

/// What was said, by option.
struct Said {
  std::map<std::string, std::string> Values;
  std::vector<std::string> Files;
  std::optional<std::vector<std::string>> Flags;
  bool has(StringRef Name) const { return Values.count(Name.str()); }
  std::string text(StringRef Name, StringRef Default = "") const {
    auto Found = Values.find(Name.str());
    return Found == Values.end() ? Default.str() : Found->second;
  }
};

Expected<Said> split(ArrayRef<const char *> Argv) {
  Said S;
  for (size_t I = 1; I < Argv.size(); ++I) {
    StringRef Word = Argv[I];
    if (Word == "--") {
      S.Flags.emplace(Argv.begin() + I + 1, Argv.end());
      break;
    }
    if (!Word.starts_with("-") || Word == "-") {
      S.Files.push_back(Word.str());
      continue;
    }
    auto [Name, Value] = Word.ltrim('-').split('=');
    const Row *R =
        find_if(Rows, [&, N = Name](const Row &R) { return R.Name == N; });
    if (R == std::end(Rows))
      return createStringError("there is no option '" + Word +
                               "'; --help lists them");
    if (R->Value.empty() && Word.contains('='))
      return createStringError("'" + Word + "': this option takes no value");
    if (R->isOptional() && Word.contains('=') && Value.empty())
      return createStringError("'" + Word + "' is given without a value");
    if (!R->Value.empty() && !R->isOptional() && !Word.contains('=')) {
      if (I + 1 == Argv.size())
        return createStringError("'" + Word + "' is given without a value");
      Value = Argv[++I];
    }
    S.Values[Name.str()] = Value.str();
  }
  return S;
}

Error readRewriting(const Said &S, Options &O) {
  Stated Out;
  for (auto [Ours, Key] : {std::pair<StringRef, StringRef>{"gpu", "gpu"},
                           {"kernel", "kernel"},
                           {"p", "build-path"}})
    if (S.has(Ours))
      if (Error E = setValue(Out, Key, S.text(Ours), "--" + Ours))
        return E;
  if (S.has("no-cuda"))
    if (Error E = setValue(Out, "no-cuda", "true", "--no-cuda"))
      return E;
  static_cast<Settings &>(O) = Out.Values;
  O.Said = Out.Keys;
  O.Files = S.Files;
  O.CompileFlags = S.Flags;
  O.ConfigFile = S.text("config");
  O.Program = "catt-rewrite";
  if (!O.BuildPath.empty() &&
      !sys::fs::exists(O.BuildPath + "/compile_commands.json"))
    return createStringError("-p: there is no compile_commands.json in '" +
                             O.BuildPath + "'");
  return Error::success();
}

Error readTrying(const Said &S, TuneOptions &T) {
  TrialOptions &O = T.Trying;
  O.Build = S.text("build");
  O.Run = S.text("run");
  O.Check = S.text("check");
  if (S.has("check"))
    O.By = Checking::Command;
  if (S.has("no-check"))
    O.By = Checking::None;
  if (S.has("check") && S.has("no-check"))
    return createStringError("--check and --no-check contradict each other");
  for (auto [Name, Default, Into] : {std::tuple<StringRef, StringRef, double *>{
                                         "budget", "5m", &T.BudgetSeconds},
                                     {"limit", "10m", &O.LimitSeconds}}) {
    Expected<double> Seconds = secondsOf("--" + Name, S.text(Name, Default));
    if (!Seconds)
      return Seconds.takeError();
    *Into = *Seconds;
  }
  Expected<int64_t> Runs = wholeNumber("--runs", S.text("runs", "3"), 1, 100);
  if (!Runs)
    return Runs.takeError();
  O.Runs = unsigned(*Runs);
  const std::string Builds = S.text("builds", "one");
  if (Builds != "one" && Builds != "each")
    return createStringError("--builds=" + Builds + ": there are one and each");
  T.BuildEach = Builds == "each";
  if (S.has("most")) {
    Expected<int64_t> Most = wholeNumber("--most", S.text("most"), 1, 1000);
    if (!Most)
      return Most.takeError();
    T.Most = unsigned(*Most);
  }
  return Error::success();
}

/// Which variants there are.
Error readWay(const Said &S, TuneOptions &T) {
  if (S.has("bftt") + S.has("opt-tlp") + S.has("strategy") > 1)
    return createStringError("--bftt, --opt-tlp and --strategy are searches of "
                             "their own; run one after the other");
  if (S.has("bftt"))
    T.Which = Points::All;
  if (S.has("opt-tlp"))
    T.Which = Points::Blocks;
  if (!S.has("strategy"))
    return Error::success();
  const std::string Name = S.text("strategy");
  T.Strategy = findSelector(Name == "crat"     ? "tpsc"
                            : Name == "tlp-rm" ? "dru"
                                               : StringRef(Name));
  if (!T.Strategy)
    return createStringError("--strategy=" + Name +
                             ": there are crat, orion, unified, tlp-rm and "
                             "model");
  return Error::success();
}

Expected<CalibrationOptions> readCalibration(const Said &S) {
  for (const auto &[Name, Value] : S.Values)
    if (Name != "calibrate" && Name != "state" && Name != "quiet")
      return createStringError("--calibrate measures the GPU and tunes "
                               "nothing; --" +
                               Name + " has no meaning with it");
  if (!S.Files.empty() || S.Flags)
    return createStringError(
        "--calibrate takes no files and no flags; another name for the "
        "card's file is --calibrate=<file>");
  CalibrationOptions O;
  O.Card = S.text("calibrate");
  if (O.Card.empty())
    O.Card = "card.json";
  if (!isCardFile(O.Card))
    return createStringError("--calibrate=" + O.Card +
                             ": the name ends in .json, by which --gpu "
                             "knows a measured card");
  O.Directory = S.text("state", ".catt-tune");
  O.Quiet = S.has("quiet");
  return O;
}

} // namespace

Expected<TuneCommandLine> parseTuneOptions(int Argc, const char **Argv) {
  TuneCommandLine C;
  Expected<Said> S = split(ArrayRef(Argv, Argc));
  if (!S)
    return S.takeError();
  if (S->has("help"))
    C.Answer = helpText();
  else if (S->has("version"))
    C.Answer = "catt-tune " CATT_VERSION "\n";
  if (!C.Answer.empty())
    return C;
  if (S->has("calibrate")) {
    Expected<CalibrationOptions> Calibration = readCalibration(*S);
    if (!Calibration)
      return Calibration.takeError();
    C.Calibration = *Calibration;
    C.Quiet = Calibration->Quiet;
    return C;
  }
  if (S->text("build").empty() || S->text("run").empty())
    return createStringError("--build and --run say how the program is built "
                             "and run; both are needed");
  if (S->Files.empty())
    return createStringError("no input file; see --help");
  if (S->has("i") && (S->has("diff") || S->has("no-diff")))
    return createStringError("-i and --diff contradict each other");
  if (S->has("settings") && S->text("config") == "none")
    return createStringError("--settings and --config=none contradict each "
                             "other: a .catt file would hold the settings");
  if (Error E = readRewriting(*S, C.Tune.Rewriting))
    return std::move(E);
  if (Error E = readTrying(*S, C.Tune))
    return std::move(E);
  C.Tune.Names = S->text("variants", "*");
  Expected<GlobPattern> Names =
      GlobPattern::create(C.Tune.Names, MaxVariantPatterns);
  if (!Names)
    return createStringError("--variants: " + toString(Names.takeError()));
  if (S->has("replay"))
    C.Tune.Replay = S->text("replay");
  if (Expected<GlobPattern> Kernels =
          GlobPattern::create(S->text("replay"), MaxReplayPatterns);
      !Kernels)
    return createStringError("--replay: " + toString(Kernels.takeError()));
  if (Error E = readWay(*S, C.Tune))
    return std::move(E);
  C.Tune.Restart = S->has("restart");
  C.Tune.Directory = S->text("state", ".catt-tune");
  C.Export = S->text("export");
  C.Page = S->text("page");
  C.Quiet = S->has("quiet");
  C.Settings = S->has("settings");
  const bool Prints = S->has("diff") || !(C.Settings || S->has("no-diff"));
  C.Output = S->has("i") ? TuneOutput::InPlace
             : Prints    ? TuneOutput::Diff
                         : TuneOutput::None;
  return C;
}

} // namespace catt
