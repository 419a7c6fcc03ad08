//===- Analysis.cpp - What is true of a program -----------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   findKernels --> decide --> of those that registers matter for: their
//                              registers --> decide
//
// Nobody's device code is compiled where no loop contends. Where the user has
// registers looked at anyway, they are asked for before anything is decided.
//
//===----------------------------------------------------------------------===//

#include "analysis/Analysis.h"
#include "analysis/memory/Footprint.h"
#include "analysis/plan/Decide.h"
#include "analysis/plan/RegisterSources.h"
#include "analysis/plan/Warnings.h"
#include "analysis/plan/stage/TileLayout.h"
#include "analysis/plan/throttle/ProfileMemo.h"
#include "analysis/source/Kernels.h"
#include "analysis/source/ProgramLaunches.h"
#include "analysis/source/safety/SharedText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/Regex.h"

namespace catt {
namespace {

//===-- Files ------------------------------------------------------------===//

/// Sites in files that are not to be edited become refusals.
void restrictFiles(Kernel &K, const Report &R, const llvm::Regex *Headers,
                   const std::set<std::string> &ReadTwice) {
  auto Editable = [&](const std::string &File) {
    return (File == R.MainFile || (Headers && Headers->match(File))) &&
           !ReadTwice.count(File);
  };
  auto Twice = [](const std::string &File) {
    return File + ", which is included more than once";
  };
  if (ReadTwice.count(K.Span.File))
    K.Refusals.push_back({Reason::OtherFile, K.Where, Twice(K.Span.File)});
  for (Loop &L : K.Loops)
    if (L.Site && ReadTwice.count(L.Site->Span.File)) {
      L.Refusals.push_back(
          {Reason::OtherFile, L.Site->Where, Twice(L.Site->Span.File)});
      L.Site.reset();
    }
  for (Loop &L : K.Loops)
    if (L.Site && !Editable(L.Site->Span.File)) {
      L.Refusals.push_back({Reason::OtherFile, L.Site->Where, ""});
      L.Site.reset();
    }
  for (Launch &L : K.Launches)
    for (std::optional<SourceSpan> *S : {&L.SharedArgument, &L.Statement})
      if (*S && !Editable((*S)->File))
        S->reset();
  for (Launch &L : K.Launches)
    if (L.Written && !Editable(L.Written->Config.File))
      L.Written.reset();
}

/// A kernel with an error in its text, or in that of a function it reaches, is
/// not to be trusted, nor edited: what is wrong is missing from the AST. So may
/// be launches, wherever the error is.
void refuseBroken(Kernel &K, const Report &R) {
  if (llvm::any_of(R.Diagnostics, isError))
    K.AllLaunchesVisible = false;
  if (llvm::any_of(K.Refusals, [](const Refusal &Known) {
        return Known.Kind == Reason::BrokenCode;
      }))
    return;
  for (const Diagnostic &D : R.Diagnostics)
    for (const LineRange &L : K.Lines)
      if (isError(D) && D.Where.File == L.File && L.First <= D.Where.Line &&
          D.Where.Line <= L.Last) {
        K.Refusals.push_back({Reason::BrokenCode, D.Where, D.Message});
        return;
      }
}

/// N of `__maxnreg__(N)`, which clang does not know; 0 if it is no number.
std::optional<int64_t> writtenMaxRegisters(const Kernel &K, const Report &R) {
  auto Text = R.Texts.find(K.Span.File);
  if (Text == R.Texts.end() || K.BodyBegin < K.Span.Begin)
    return std::nullopt;
  auto [Before, After] = llvm::StringRef(Text->second)
                             .substr(K.Span.Begin, K.BodyBegin - K.Span.Begin)
                             .split("__maxnreg__");
  After = After.ltrim();
  if (!After.consume_front("("))
    return std::nullopt;
  int64_t Number = 0;
  if (After.split(')').first.trim().getAsInteger(0, Number))
    return 0;
  return Number;
}

/// Operations to count in one round of decisions about a file. There are two
/// rounds: before and after registers are estimated.
constexpr uint64_t OperationsPerRound = 400'000'000;

//===-- Decisions --------------------------------------------------------===//

using Launches = std::vector<std::vector<Launch>>;

/// Without an answer, all that is known are the kernels' bounds. Two kernels of
/// one name cannot be told apart in the answers.
void setRegisters(const TranslationUnit &Unit, const AnalysisOptions &Options,
                  const RegisterAnswers &Answers, Report &R, KernelReport &K) {
  auto SameName = [&](const KernelReport &Other) {
    return Other.Source.Name == K.Source.Name;
  };
  RegisterOptions O =
      registerOptions(K.Source, R, optionsFor(K, Options), Unit);
  auto Known = Answers.find(K.Source.Name);
  bool Clear =
      Known != Answers.end() && llvm::count_if(R.Kernels, SameName) == 1;
  K.Source.Registers = Clear ? registersOf(K.Source, Known->second.Use, O)
                             : anyRegisters(K.Source, O);
}

/// What was counted for each kernel of the report, in its order.
using Memos = std::vector<ProfileMemo>;

/// One round of decisions, about the kernels that are wanted. Those with a
/// known launch come first: what the others cost, which are counted for every
/// block size, is not taken from them.
void decideRound(AnalysisOptions Options, Memos &Counted, Report &R,
                 llvm::function_ref<bool(const KernelReport &)> IsWanted) {
  CountingQuota Quota(OperationsPerRound);
  Options.Quota = &Quota;
  for (bool Known : {true, false})
    for (auto [K, Memo] : llvm::zip_equal(R.Kernels, Counted)) {
      if (hasKnownBlock(K.Source) != Known || !IsWanted(K))
        continue;
      Options.Counted = &Memo;
      decide(K, Options);
      if (!dependsOnRegisters(K))
        Memo = ProfileMemo(); // is not decided again
    }
}

/// Where nobody was asked: an estimate, for kernels that it matters for.
void decideByEstimate(const TranslationUnit &Unit,
                      const AnalysisOptions &Options, const RegistersTold &Told,
                      Memos &Counted, Report &R) {
  RegisterCaps Caps;
  for (const KernelReport &K : R.Kernels)
    if (!Told.isAbout(K) && dependsOnRegisters(K))
      Caps[K.Source.Name];
  if (Caps.empty())
    return;
  RegisterAnswers Known;
  RegisterSourceOptions Estimate;
  Estimate.Known = Options.Compiled;
  if (auto Answers = registerSource(Estimate)(Unit, Caps))
    Known = std::move(*Answers);
  else
    R.Notes.push_back("registers: " + llvm::toString(Answers.takeError()));
  auto IsWanted = [&](const KernelReport &K) {
    return Caps.count(K.Source.Name) && dependsOnRegisters(K);
  };
  for (KernelReport &K : R.Kernels)
    if (IsWanted(K))
      setRegisters(Unit, Options, Known, R, K);
  decideRound(Options, Counted, R, IsWanted);
}

/// Nothing else is planned that changes how many of its blocks run together.
bool mayTryLevels(const KernelReport &K, const Means &May) {
  return May.Levels && !May.Bounds && !May.Spill && !May.Remat &&
         !changes(K.Plan);
}

void decideAll(const TranslationUnit &Unit, const AnalysisOptions &Options,
               const Launches &Seen, Report &R) {
  const RegistersTold Told = askRegisters(Unit, Options, Seen, R);
  Memos Counted(R.Kernels.size());
  for (KernelReport &K : R.Kernels)
    if (Told.isAbout(K))
      setRegisters(Unit, Options, Told.Answers, R, K);
  decideRound(Options, Counted, R, [](const KernelReport &) { return true; });
  hintRegisters(Unit, Options, Seen, Told.Answers, R);
  decideByEstimate(Unit, Options, Told, Counted, R);
  for (KernelReport &K : R.Kernels)
    if (mayTryLevels(K, optionsFor(K, Options).May))
      K.Levels = planLevels(K.Source, K.Pressure ? &*K.Pressure : nullptr,
                            K.Registers ? &*K.Registers : nullptr, R.Gpu);
}

} // namespace

llvm::Expected<Report> analyze(const TranslationUnit &Unit,
                               const AnalysisOptions &Options) {
  Report R;
  R.MainFile = Unit.mainFile();
  R.Gpu = Options.Gpu;
  R.Counting = Options.Counting;
  R.Cuda = Unit.toolkit();
  R.Notes = Unit.notes();
  R.Diagnostics = Unit.diagnostics();
  llvm::Expected<llvm::GlobPattern> Glob =
      llvm::GlobPattern::create(Options.KernelGlob);
  if (!Glob)
    return Glob.takeError();
  llvm::Regex Headers(Options.HeaderFilter);

  std::vector<Kernel> Kernels = findKernels(
      Unit,
      [&](const std::string &Name, const std::string &Unqualified) {
        return Glob->match(Name) || Glob->match(Unqualified);
      },
      Options.May.Stage || Options.May.Sums || Options.Choose, R.Diagnostics);
  layOutAlike(Kernels);
  auto AddText = [&](const std::string &Path) {
    if (!Path.empty() && !R.Texts.count(Path))
      if (auto Text = textOf(Unit, Path))
        R.Texts[Path] = std::move(*Text);
  };
  AddText(R.MainFile);
  const std::set<std::string> ReadTwice = filesReadTwice(Unit.ast());
  Launches Seen; // before the user's go before them
  for (Kernel &K : Kernels) {
    AddText(K.Span.File);
    addLaunches(Options.Elsewhere, K);
    refuseBroken(K, R);
    restrictFiles(K, R, Options.HeaderFilter.empty() ? nullptr : &Headers,
                  ReadTwice);
    for (const Loop &L : K.Loops)
      if (L.Site)
        AddText(L.Site->Span.File);
    Seen.push_back(K.Launches);
    K.MaxRegisters = writtenMaxRegisters(K, R);
    KernelReport KR;
    KR.Source = std::move(K);
    KR.Source.Launches = launchesOf(KR.Source, Options);
    R.Kernels.push_back(std::move(KR));
  }
  if (Options.Choose)
    Options.Choose(R);
  decideAll(Unit, Options, Seen, R);
  for (KernelReport &K : R.Kernels)
    llvm::append_range(K.Source.Warnings, warningsOf(K.Source, R.Gpu));
  return R;
}

} // namespace catt
