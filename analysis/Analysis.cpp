//===- Analysis.cpp - What is true of a program -----------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   findKernels -> for each launch: planForLaunch -> what all of them agree to
//
// A kernel has one text and may have several launches. It is changed only as
// far as every launch that is known agrees: of the plans for one loop the one
// that keeps most warps active is taken.
//
//===----------------------------------------------------------------------===//

#include "analysis/Analysis.h"
#include "analysis/LaunchPlan.h"
#include "analysis/RuntimeCases.h"
#include "analysis/memory/Footprint.h"
#include "analysis/source/Kernels.h"
#include "analysis/source/safety/SharedText.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/Regex.h"

namespace catt {
namespace {

/// True if the first keeps more warps active than the second, or as many but
/// not always.
bool throttlesLess(const LoopPlan &A, const LoopPlan &B) {
  if ((A.Groups == 1) != (B.Groups == 1))
    return A.Groups == 1;
  if (A.WarpsPerGroup != B.WarpsPerGroup)
    return A.WarpsPerGroup > B.WarpsPerGroup;
  return !A.Cases.empty() && B.Cases.empty();
}

/// The launch with nothing known but what all of these agree to: its place.
Launch anyLaunch(const Kernel &K) {
  if (K.Launches.size() == 1)
    return K.Launches.front();
  Launch Any;
  Any.Where = K.Launches.empty() ? K.Where : K.Launches.front().Where;
  return Any;
}

/// Two launches decide by the same parameter: at each of its values the one
/// that divides less counts. False if they do not.
bool agreeByValue(KernelPlan &Plan, LoopPlan &Into, const KernelPlan &Other,
                  const LoopPlan &From) {
  if (Into.Why || From.Why || Into.Cases.empty() || From.Cases.empty() ||
      !Plan.Before || !Other.Before)
    return false;
  int64_t Whole =
      std::max(Plan.Before->WarpsPerBlock, Other.Before->WarpsPerBlock);
  auto Cases = lessDivided(Into.Cases, From.Cases, Whole);
  if (!Cases || Cases->empty())
    return false;
  Into.Cases = std::move(*Cases);
  Into.WarpsPerGroup = Whole;
  for (const RuntimeCase &C : Into.Cases)
    Into.WarpsPerGroup = std::min(Into.WarpsPerGroup, C.WarpsPerGroup);
  Into.Groups = (Whole + Into.WarpsPerGroup - 1) / Into.WarpsPerGroup;
  return true;
}

/// Narrows the plan to what another launch agrees to.
void agree(KernelPlan &Plan, const KernelPlan &Other, unsigned LaunchIndex) {
  for (size_t I = 0; I < Plan.Loops.size() && I < Other.Loops.size(); ++I)
    if (!agreeByValue(Plan, Plan.Loops[I], Other, Other.Loops[I]) &&
        throttlesLess(Other.Loops[I], Plan.Loops[I])) {
      Plan.Loops[I] = Other.Loops[I];
      Plan.LaunchIndex = LaunchIndex;
    }
  if (Plan.CarveoutPercent != Other.CarveoutPercent)
    Plan.CarveoutPercent.reset();
}

/// The launches that count: what the user tells goes before what is seen.
std::vector<Launch> launchesOf(const Kernel &K,
                               const AnalysisOptions &Options) {
  for (const std::string &Name : {K.Name, K.UnqualifiedName})
    if (auto It = Options.Told.find(Name); It != Options.Told.end())
      return It->second;
  std::vector<Launch> Comments;
  for (const Launch &L : K.Launches)
    if (L.From == Origin::Told)
      Comments.push_back(L);
  return Comments.empty() ? K.Launches : Comments;
}

void decide(KernelReport &Report, const AnalysisOptions &Options) {
  Kernel &K = Report.Source;
  K.Launches = launchesOf(K, Options);
  for (const Loop &L : K.Loops)
    Report.Profiles.push_back({L.Id, {}, std::nullopt, std::nullopt});
  if (K.Loops.empty()) {
    if (K.Refusals.empty())
      Report.Plan.Refusals.push_back({Reason::NoLoop, K.Where, ""});
    return;
  }
  std::vector<unsigned> Known; // launches with a block size
  for (unsigned I = 0; I < K.Launches.size(); ++I)
    if (K.Launches[I].Block.count())
      Known.push_back(I);
  // Reserved shared memory is the same for every launch of the kernel, so only
  // a single launch can ask for it.
  bool MayReserve = Known.size() == 1;
  bool Planned = false;
  for (unsigned I : Known) {
    LaunchPlan P = planForLaunch(K, K.Launches[I], Options, MayReserve);
    if (Planned) {
      agree(Report.Plan, P.Plan, I);
      continue;
    }
    Planned = true;
    Report.Profiles = std::move(P.Profiles);
    Report.Plan = std::move(P.Plan);
    Report.Plan.LaunchIndex = I;
  }
  if (Planned)
    return;
  if (K.Refusals.empty() && isAlongX(K)) {
    LaunchPlan P = planForAnyBlock(K, anyLaunch(K), Options,
                                   /*MayReserve=*/K.Launches.size() == 1);
    bool Divides = llvm::any_of(
        P.Plan.Loops, [](const LoopPlan &L) { return !L.Cases.empty(); });
    if (Divides || !P.Plan.ByThreads.empty()) {
      Report.Profiles = std::move(P.Profiles);
      Report.Plan = std::move(P.Plan);
    } else if (Options.Quota && Options.Quota->isSpent()) {
      Report.Plan.Refusals = std::move(P.Plan.Refusals);
    }
  }
  Report.Plan.Refusals.push_back({Reason::UnknownLaunch, K.Where, ""});
}

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
  auto IsError = [](const Diagnostic &D) {
    return D.Severity >= Diagnostic::Level::Error;
  };
  if (llvm::any_of(R.Diagnostics, IsError))
    K.AllLaunchesVisible = false;
  if (llvm::any_of(K.Refusals, [](const Refusal &Known) {
        return Known.Why == Reason::BrokenCode;
      }))
    return;
  for (const Diagnostic &D : R.Diagnostics)
    for (const LineRange &L : K.Lines)
      if (IsError(D) && D.Where.File == L.File && L.First <= D.Where.Line &&
          D.Where.Line <= L.Last) {
        K.Refusals.push_back({Reason::BrokenCode, D.Where, D.Message});
        return;
      }
}

/// Operations to count for one kernel, and for all kernels of a file; spent by
/// kernel after kernel in the order of the text.
constexpr uint64_t OperationsPerKernel = 500'000'000;
constexpr uint64_t OperationsPerFile = 4'000'000'000;

} // namespace

llvm::Expected<Report> analyze(const TranslationUnit &Unit,
                               const AnalysisOptions &Options) {
  Report R;
  R.MainFile = Unit.mainFile();
  R.Gpu = Options.Gpu;
  R.How = Options.How;
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
      R.Diagnostics);
  auto AddText = [&](const std::string &Path) {
    if (!Path.empty() && !R.Texts.count(Path))
      if (auto Text = textOf(Unit, Path))
        R.Texts[Path] = std::move(*Text);
  };
  AddText(R.MainFile);
  const std::set<std::string> ReadTwice = filesReadTwice(Unit.ast());
  AnalysisOptions WithQuota = Options;
  uint64_t Left = OperationsPerFile;
  std::vector<std::vector<Launch>> Seen; // before the user's go before them
  for (Kernel &K : Kernels) {
    AddText(K.Span.File);
    refuseBroken(K, R);
    restrictFiles(K, R, Options.HeaderFilter.empty() ? nullptr : &Headers,
                  ReadTwice);
    for (const Loop &L : K.Loops)
      if (L.Site)
        AddText(L.Site->Span.File);
    Seen.push_back(K.Launches);
    KernelReport KR;
    KR.Source = std::move(K);
    uint64_t Share = std::min(Left, OperationsPerKernel);
    CountingQuota Quota(Share);
    WithQuota.Quota = &Quota;
    decide(KR, WithQuota);
    Left -= Share - Quota.left();
    R.Kernels.push_back(std::move(KR));
  }
  hintRegisters(Unit, Options.Registers, Seen, Options.MinGain, R);
  return R;
}

} // namespace catt
