//===- Optimize.cpp - The library that every program calls ----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/optimize/Optimize.h"
#include "analysis/frontend/NvccFlags.h"
#include "analysis/memory/Footprint.h"
#include "analysis/plan/Decide.h"
#include "analysis/plan/RegisterSources.h"
#include "analysis/plan/runtime/RuntimeRules.h"
#include "analysis/plan/throttle/Force.h"
#include "analysis/source/ProgramLaunches.h"
#include "tool/optimize/Forced.h"
#include "tool/optimize/Search.h"
#include "transforms/Replan.h"
#include "clang/Format/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <set>

using namespace llvm;

namespace catt {

char ObstacleError::ID = 0;

namespace {

using Kind = Obstacle::Kind;

Error obstacle(Kind What, const Twine &Message) {
  return make_error<ObstacleError>(Obstacle{What, Message.str()});
}

//===-- What is asked for -------------------------------------------------===//

struct Target {
  Device Gpu;
  std::string Origin;
};

/// What the code is compiled for goes before the default.
Target targetOf(const clang::tooling::CompileCommand &Command,
                vfs::FileSystem &Files, const OptimizeOptions &O) {
  if (O.Gpu)
    return Target{*O.Gpu, O.GpuOrigin};
  Expected<ClangCommand> Words =
      translateNvcc(Command.CommandLine, Command.Directory, Files);
  if (Words) {
    Expected<Device> Gpu = findDevice(Words->Architecture.value_or(""));
    if (Gpu)
      return Target{*Gpu, "the compile command"};
    consumeError(Gpu.takeError());
  } else {
    consumeError(Words.takeError()); // parsing says so
  }
  return Target{cantFail(findDevice("sm_80")), "default"};
}

AnalysisOptions planFor(const OptimizeOptions &O, const Device &Gpu,
                        vfs::FileSystem &Files) {
  AnalysisOptions A = O.Plan;
  A.Gpu = Gpu;
  A.May = meansOf(O.Transforms);
  A.May.Trials = O.By != Decider::Model;
  A.May.Slices = O.By == Decider::Slices;
  if (!O.Measured.All.empty())
    A.Choose = [&](Report &R) {
      auto Real = [&](const std::string &Path) {
        SmallString<256> Out;
        return Files.getRealPath(Path, Out) ? Path : Out.str().str();
      };
      chooseMeasured(R, O.Measured, O.Plan, O.Transforms, Real);
    };
  return A;
}

//===-- Reading -----------------------------------------------------------===//

/// Remembers which files were opened: what a build has to watch.
class RecordingFiles : public vfs::ProxyFileSystem {
public:
  using vfs::ProxyFileSystem::ProxyFileSystem;
  ErrorOr<std::unique_ptr<vfs::File>>
  openFileForRead(const Twine &Path) override {
    auto File = vfs::ProxyFileSystem::openFileForRead(Path);
    if (File) {
      // Builds fold `..` without looking at links, so no such path may be left.
      SmallString<256> Absolute, Real;
      Path.toVector(Absolute);
      (void)makeAbsolute(Absolute);
      if (sys::fs::real_path(Absolute, Real))
        Real = Absolute;
      Opened.insert(Real.str().str());
    }
    return File;
  }
  std::set<std::string> Opened;
};

/// Read: gets the files that were opened, sorted.
Expected<std::unique_ptr<TranslationUnit>>
parseFor(const Target &For, const clang::tooling::CompileCommand &Command,
         IntrusiveRefCntPtr<vfs::FileSystem> Files, const OptimizeOptions &O,
         std::vector<std::string> &Read) {
  FrontEndOptions F = O.FrontEnd;
  F.Architecture = For.Gpu.architecture();
  auto Recorded = makeIntrusiveRefCnt<RecordingFiles>(Files);
  auto Unit = parse(Command, F, Recorded);
  if (!Unit)
    return obstacle(Kind::Input, toString(Unit.takeError()));
  Read.assign(Recorded->Opened.begin(), Recorded->Opened.end());
  return Unit;
}

/// The .clang-format that applies to each file, where there is one. One that
/// cannot be read is no reason to fail: lines are then added like those around.
FileStyles stylesFor(const Report &Analysed, vfs::FileSystem &Files) {
  FileStyles Styles;
  for (const auto &[Path, Text] : Analysed.Texts) {
    auto Style = clang::format::getStyle("file", Path, "none", "", &Files);
    if (!Style)
      consumeError(Style.takeError());
    else if (!Style->DisableFormat)
      Styles[Path] = *Style;
  }
  return Styles;
}

std::string place(const Diagnostic &D) {
  return D.Where.File + ":" + std::to_string(D.Where.Line) + ":" +
         std::to_string(D.Where.Column);
}

/// Parsing goes on without the header, but what it would have changed is not
/// known: a macro, a launch, another overload.
bool isMissingHeader(const Diagnostic &D) {
  return isError(D) && StringRef(D.Message).ends_with("' file not found");
}

/// An input error that stands against rewriting this file at all, or nothing.
std::string fatalProblem(const Report &R, const std::string &File) {
  // What nvcc accepts and clang does not is no error of the input.
  bool Errors = any_of(R.Diagnostics, isError);
  for (const KernelReport &K : R.Kernels)
    for (const Refusal &F : K.Source.Refusals)
      if (F.Kind == Reason::BrokenCode && Errors)
        return "'" + File + "': kernel '" + K.Source.Name +
               "' has errors (above); nothing was changed";
  for (const Diagnostic &D : R.Diagnostics)
    if (D.Severity == Diagnostic::Level::Fatal || isMissingHeader(D))
      return "'" + File + "' cannot be parsed: " + place(D) + ": " + D.Message;
  if (R.Kernels.empty() && any_of(R.Diagnostics, isError))
    return "'" + File + "' has errors (above), and no kernel was found";
  return "";
}

//===-- Searching ---------------------------------------------------------===//

/// Whether who measures texts of a file is asked about this kernel; else it is
/// who measures those of its best variant.
bool isOfFile(const KernelReport &K) { return !K.Own || !K.Own->Registers.Ask; }

/// Decides what is computed again and what is moved: by trials where something
/// measures them, else by the estimates that are planned.
void searchKernels(Report &R, bool OfFile, const AnalysisOptions &Plan,
                   const RewriteOptions &Rewriting,
                   const TextMeasure &Measure) {
  if (Measure) {
    std::vector<Searched> Each = searchesOf(R, Plan.May);
    erase_if(Each, [&](const Searched &S) {
      return isOfFile(R.Kernels[S.Kernel]) != OfFile;
    });
    Error E = search(R, std::move(Each), Rewriting, Measure);
    if (!E)
      return;
    R.Notes.push_back("registers: decided by an estimate: " +
                      toString(std::move(E)));
  }
  for (KernelReport &K : R.Kernels) {
    const Means May = optionsFor(K, Plan).May;
    if (isOfFile(K) == OfFile && May.Remat && May.Spill)
      keepApart(K.Source, K);
  }
}

void searchAll(Report &R, const TranslationUnit &Unit,
               const AnalysisOptions &Plan, const RewriteOptions &Rewriting,
               const Measure *ByFile, const Measure *ByMeasured) {
  searchKernels(R, /*OfFile=*/true, Plan, Rewriting,
                ByFile ? ByFile->start(Unit) : TextMeasure());
  if (!all_of(R.Kernels, isOfFile))
    searchKernels(R, /*OfFile=*/false, Plan, Rewriting,
                  ByMeasured ? ByMeasured->start(Unit) : TextMeasure());
}

//===-- Checking ----------------------------------------------------------===//

/// The first error of the rewritten text that the input had not. Lines move, so
/// errors are compared by message and counted.
std::optional<Diagnostic> newError(ArrayRef<Diagnostic> Before,
                                   ArrayRef<Diagnostic> After) {
  std::map<std::string, int> Known;
  for (const Diagnostic &D : Before)
    if (isError(D))
      ++Known[D.Message];
  for (const Diagnostic &D : After)
    if (isError(D) && Known[D.Message]-- <= 0)
      return D;
  return std::nullopt;
}

/// What nvcc makes of the rewritten text that it does not make of the original,
/// or why it cannot be told.
std::string changedCode(const TranslationUnit &Unit,
                        const std::map<std::string, std::string> &Texts,
                        unsigned Jobs) {
  Expected<std::vector<std::string>> Changed = compareCode(Unit, Texts, Jobs);
  if (!Changed)
    return toString(Changed.takeError()) + "; nothing was changed";
  if (Changed->empty())
    return "";
  return "nvcc rounds the rewritten code differently: " + join(*Changed, "; ") +
         "; nothing was changed";
}

/// The texts after the edits, which parse as well as those before.
Expected<std::map<std::string, std::string>>
checkedTexts(const Report &Analysed, const Edits &Changes,
             const TranslationUnit &Unit, const std::string &File,
             const OptimizeOptions &O) {
  auto Texts = catt::apply(Changes, Analysed.Texts);
  if (!Texts)
    return obstacle(Kind::Defect,
                    "the edits of '" + File +
                        "' cannot be applied: " + toString(Texts.takeError()));
  if (Texts->empty())
    return Texts;
  auto After = Unit.check(*Texts);
  if (!After)
    return obstacle(Kind::Defect,
                    "the rewritten '" + File +
                        "' cannot be checked: " + toString(After.takeError()));
  if (std::optional<Diagnostic> D = newError(Analysed.Diagnostics, *After))
    return obstacle(Kind::Defect,
                    "the rewritten '" + File +
                        "' has an error that the input had not: " + place(*D) +
                        ": " + D->Message);
  if (O.VerifyCode)
    if (std::string Why = changedCode(Unit, *Texts, O.Jobs); !Why.empty())
      return obstacle(Kind::Input, "'" + File + "': --verify-code: " + Why);
  return Texts;
}

//===-- The way through ---------------------------------------------------===//

Expected<Report> analysed(const TranslationUnit &Unit,
                          const AnalysisOptions &Plan,
                          const std::string &File) {
  Expected<Report> R = analyze(Unit, Plan);
  if (!R)
    return obstacle(Kind::Defect, "analysing '" + File +
                                      "' failed: " + toString(R.takeError()));
  std::vector<PlannedKernel> Plans;
  for (const KernelReport &K : R->Kernels)
    Plans.push_back({&K.Source, &K.Plan});
  for (const ForcedChoice &F : Plan.Forced)
    if (std::string Why = forceError(F, Plans); !Why.empty())
      return obstacle(Kind::Choice, Twine("'") + File + "': " + Why);
  return R;
}

/// Searches, rewrites and checks. Error: what stands against it.
Error change(Outcome &Done, const TranslationUnit &Unit,
             const AnalysisOptions &Plan, const std::string &File,
             const OptimizeOptions &O, const Measure *By) {
  if (std::string P = fatalProblem(Done.Analysed, File); !P.empty())
    return obstacle(Kind::Input, P);
  searchAll(Done.Analysed, Unit, Plan, Done.Rewriting, By, O.Measured.Texts);
  Expected<Edits> Changes = rewriteWhole(Done.Analysed, Plan, Done.Rewriting);
  if (!Changes)
    return obstacle(Kind::Defect, "rewriting '" + File + "' failed: " +
                                      toString(Changes.takeError()));
  for (const ForcedChoice &F : Plan.Forced)
    if (std::string Why = notWritten(F, Done.Analysed, *Changes); !Why.empty())
      return obstacle(Kind::Choice, Twine("'") + File + "': " + Why);
  Done.Changes = std::move(*Changes);
  auto Texts = checkedTexts(Done.Analysed, Done.Changes, Unit, File, O);
  if (!Texts)
    return Texts.takeError();
  Done.NewTexts = std::move(*Texts);
  return Error::success();
}

//===-- Without tiles -----------------------------------------------------===//

/// Operations to count for a file: somebody waits in an editor.
constexpr uint64_t OperationsWithoutTiles = 100'000'000;

/// The kernels of which rows are staged, and those that share their text.
std::vector<KernelReport> stagedKernels(const Report &R) {
  std::vector<KernelReport> Out;
  auto Stages = [](const KernelReport &K) { return K.Plan.Tiles.Threads != 0; };
  for (const KernelReport &K : R.Kernels)
    if (any_of(R.Kernels, [&](const KernelReport &Other) {
          return Stages(Other) && Other.Source.Where == K.Source.Where;
        }))
      Out.push_back(K);
  return Out;
}

/// Plans these kernels with nothing but warps and blocks to decide. None if
/// what that writes cannot be trusted.
std::vector<KernelReport> withoutTiles(const Outcome &Done,
                                       const TranslationUnit &Unit,
                                       AnalysisOptions Plan,
                                       const std::string &File,
                                       const OptimizeOptions &O) {
  Report R = Done.Analysed;
  R.Kernels = stagedKernels(Done.Analysed);
  if (R.Kernels.empty())
    return {};
  CountingQuota Quota(OperationsWithoutTiles);
  Plan.Quota = &Quota;
  Plan.May.Stage = Plan.May.Sums = Plan.May.Trials = false;
  for (KernelReport &K : R.Kernels) {
    K.Own.reset(); // a measured variant may be one with tiles
    decide(K, Plan);
  }
  RewriteOptions How{{}, Done.Rewriting.How};
  for (const Transform *T : throttlings(chosenTransforms(O.Transforms)))
    How.Transforms.push_back(T->name().str());
  if (How.Transforms.empty())
    return std::move(R.Kernels);
  Expected<Edits> Changes = rewriteWhole(R, Plan, How);
  if (!Changes) {
    consumeError(Changes.takeError());
    return {};
  }
  auto Texts = checkedTexts(R, *Changes, Unit, File, O);
  if (!Texts) {
    consumeError(Texts.takeError());
    return {};
  }
  return std::move(R.Kernels);
}

} // namespace

std::vector<const Transform *>
throttlings(ArrayRef<const Transform *> Transforms) {
  std::vector<const Transform *> Out;
  copy_if(Transforms, std::back_inserter(Out), [](const Transform *T) {
    return T->writes(Part::Groups) || T->writes(Part::Reserve) ||
           T->writes(Part::Carveout);
  });
  return Out;
}

Expected<Outcome> optimize(const clang::tooling::CompileCommand &Command,
                           IntrusiveRefCntPtr<vfs::FileSystem> Files,
                           const OptimizeOptions &O, const Measure *By) {
  const std::string File = O.Name.empty() ? Command.Filename : O.Name;
  Target For = targetOf(Command, *Files, O);
  Outcome Done;
  auto Unit = parseFor(For, Command, Files, O, Done.Read);
  if (!Unit)
    return Unit.takeError();
  Done.Kept = (*Unit)->preamble();
  AnalysisOptions Plan = planFor(O, For.Gpu, *Files);
  RuleMemo Rules;
  if (!Plan.Rules)
    Plan.Rules = &Rules;
  Expected<Report> R = analysed(**Unit, Plan, File);
  if (!R)
    return R.takeError();
  Done.Analysed = std::move(*R);
  Done.Analysed.GpuOrigin = For.Origin;
  Done.Rewriting = {O.Transforms, {stylesFor(Done.Analysed, *Files), O.From}};
  if (Error E = change(Done, **Unit, Plan, File, O, By)) {
    handleAllErrors(std::move(E),
                    [&](const ObstacleError &Why) { Done.Against = Why.Why; });
    Done.Changes.Files.clear();
    Done.Changes.Done.clear();
  } else if (O.AndWithoutTiles) {
    Done.WithoutTiles = withoutTiles(Done, **Unit, Plan, File, O);
  }
  return Done;
}

Expected<UnitLaunches>
readLaunches(const clang::tooling::CompileCommand &Command,
             IntrusiveRefCntPtr<vfs::FileSystem> Files,
             const OptimizeOptions &O) {
  UnitLaunches Out;
  auto Unit =
      parseFor(targetOf(Command, *Files, O), Command, Files, O, Out.Read);
  if (!Unit)
    return Unit.takeError();
  Out.Kernels = kernelsOf(**Unit);
  Out.Kept = (*Unit)->preamble();
  Out.KeptBytes = (*Unit)->preambleBytes();
  for (const Diagnostic &D : (*Unit)->diagnostics())
    if (isError(D) && Out.Problem.empty())
      Out.Problem = place(D) + ": " + D.Message;
  return Out;
}

} // namespace catt
