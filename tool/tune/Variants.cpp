//===- Variants.cpp - Ways to write a kernel ------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/tune/Variants.h"
#include "analysis/model/Reasons.h"
#include "analysis/plan/throttle/PointGain.h"
#include "tool/catt-rewrite/Output.h"
#include "tool/optimize/Optimize.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace llvm;

namespace catt {
namespace {

/// Why the plan of a kernel has nothing of what is proposed; null: it does not
/// say.
const Refusal *whyNot(const KernelReport &K, const Recipe &P) {
  auto First = [](const auto &Part) {
    return Part && !Part->Refusals.empty() ? &Part->Refusals.front() : nullptr;
  };
  if (is_contained(P.Transforms, "spill-shared") && First(K.Spill))
    return First(K.Spill);
  if (is_contained(P.Transforms, "rematerialize") && First(K.Remat))
    return First(K.Remat);
  if (is_contained(P.Transforms, "launch-bounds"))
    return First(K.Registers);
  for (const Refusal &F : K.Source.Refusals)
    return &F;
  if (P.OptBlocks && !K.Plan.Refusals.empty())
    return &K.Plan.Refusals.front();
  for (const LoopPlan &L : K.Plan.Loops)
    if (L.Why &&
        (P.Loops.empty() || is_contained(P.Loops, std::to_string(L.Loop))))
      return &*L.Why;
  for (const Refusal &F : K.Plan.Refusals)
    return &F;
  return nullptr;
}

/// Why nothing was written, in one clause.
std::string reasonOf(const JobResult &R, const Recipe &P) {
  if (!R.Outcome.Error.empty())
    return R.Outcome.Error;
  for (const Refusal &F : R.Outcome.Changes.Refused)
    return whatText(F);
  if (!R.Outcome.Analysed)
    return "nothing is to be changed";
  if (is_contained(P.Transforms, "launch-bounds") &&
      !R.Outcome.Analysed->RegisterProblem.empty())
    return R.Outcome.Analysed->RegisterProblem;
  for (const KernelReport &K : R.Outcome.Analysed->Kernels)
    if (K.Source.UnqualifiedName == P.Kernel && P.OptBlocks && K.Plan.Before &&
        K.Plan.Before->BlocksPerSM <= *P.OptBlocks)
      return "an SM holds no more of its blocks as it is";
  for (const KernelReport &K : R.Outcome.Analysed->Kernels)
    if (K.Source.UnqualifiedName == P.Kernel)
      if (const Refusal *Why = whyNot(K, P))
        return whatText(*Why);
  if (is_contained(P.Transforms, "launch-bounds"))
    return "no bound of its registers is asked for";
  return "nothing is to be changed";
}

/// The disk, under texts in memory.
IntrusiveRefCntPtr<vfs::FileSystem> filesUnder(const FileTexts &Over) {
  auto Disk = IntrusiveRefCntPtr<vfs::FileSystem>(
      vfs::createPhysicalFileSystem().release());
  auto Held = makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  for (const auto &[Path, Text] : Over)
    Held->addFile(Path, 0, MemoryBuffer::getMemBufferCopy(Text, Path));
  auto All = makeIntrusiveRefCnt<vfs::OverlayFileSystem>(Disk);
  All->pushOverlay(Held);
  return All;
}

} // namespace

Options withRecipe(Options O, const Recipe &P) {
  O.KernelGlob = P.Kernel;
  O.By = Decider::Model; // these are the trials
  if (!P.Transforms.empty())
    O.Transforms = P.Transforms;
  if (P.TileBytes)
    O.TileBytes = P.TileBytes;
  if (P.Registers)
    O.TargetRegisters = P.Registers;
  if (P.OptBlocks)
    O.OptBlocks = P.OptBlocks;
  if (!P.Rule.empty()) {
    Stated Said;
    cantFail(setValue(Said, "selector", P.Rule, "--selector"));
    O.RegistersBy = Said.Values.RegistersBy;
  }
  if (P.needsPtxas())
    O.AskPtxas = true;
  append_range(O.Forced, P.forced());
  return O;
}

JobInput againOn(const AnalysedFile &In) {
  JobInput Input;
  Input.Earlier = In.Job.Kept;
  Input.Compiled = In.Compiled;
  return Input;
}

std::vector<std::optional<double>>
predictedGains(const AnalysedFile &In, const Kernel &K, ArrayRef<Recipe> All) {
  std::vector<ThrottlePoint> Points;
  for (const Recipe &P : All)
    if (!P.Loops.empty())
      Points.push_back(P.forced());
  AnalysisOptions Plan = planOptions(In.O);
  Plan.Gpu = In.Job.Outcome.Analysed->Gpu;
  std::vector<std::optional<double>> Known;
  CrashRecoveryContext Recovery;
  if (!Recovery.RunSafelyOnThread(
          [&] { Known = predictedGains(K, Plan, Points); }, OptimizeStackBytes))
    Known.assign(Points.size(), std::nullopt);
  std::vector<std::optional<double>> Gains;
  auto Next = Known.begin();
  for (const Recipe &P : All)
    Gains.push_back(P.Loops.empty() ? std::nullopt : *Next++);
  return Gains;
}

std::vector<Recipe> recipesOfStrategy(const AnalysedFile &In, const Kernel &K,
                                      const Selector &By) {
  std::vector<Recipe> All = strategyRecipes(K.UnqualifiedName, By);
  if (!(By == Selector::Orion))
    return All;
  JobResult R = runJob(In.Name, In.Command, In.Gpu,
                       withRecipe(In.O, All.front()), againOn(In));
  if (R.Outcome.Analysed)
    for (const KernelReport &Each : R.Outcome.Analysed->Kernels)
      if (Each.Source.Name == K.Name && Each.Registers)
        append_range(All,
                     orionCandidates(K.UnqualifiedName, Each.Registers->In));
  return All;
}

WrittenVariant writeVariant(const AnalysedFile &In, const Recipe &P,
                            const FileTexts &Over,
                            std::vector<TimedLaunch> &Launches) {
  WrittenVariant V;
  V.How = P;
  V.File = In.Name;
  JobInput Input = againOn(In);
  if (!Over.empty()) {
    Input.Files = filesUnder(Over);
    Input.Compiled = nullptr; // is of other texts
  }
  JobResult R = runJob(In.Name, In.Command, In.Gpu, withRecipe(In.O, P),
                       std::move(Input));
  if (R.Outcome.Analysed)
    for (const KernelReport &K : R.Outcome.Analysed->Kernels)
      if (K.Source.UnqualifiedName == P.Kernel && K.Plan.Before)
        V.Blocks = K.Plan.Before->BlocksPerSM;
  V.Texts = R.NewTexts;
  V.Edits = R.Outcome.Changes.Files;
  if (V.Texts.empty()) {
    V.Refused = reasonOf(R, P);
    return V;
  }
  std::vector<TimedLaunch> All;
  std::map<std::string, std::vector<TimedLaunch>> ByFile;
  for (const TimedLaunch &T : Launches)
    ByFile[T.File].push_back(T);
  for (auto &[Path, Each] : ByFile) {
    auto Edits = R.Outcome.Changes.Files.find(Path);
    if (Edits == R.Outcome.Changes.Files.end()) {
      append_range(All, Each);
      continue;
    }
    auto Moved = shifted(Each, Edits->second);
    if (!Moved) {
      V.Refused = toString(Moved.takeError());
      V.Texts.clear();
      return V;
    }
    append_range(All, *Moved);
  }
  Launches = std::move(All);
  return V;
}

FileTexts timedTexts(const FileTexts &Texts, ArrayRef<TimedLaunch> Launches,
                     StringRef Header) {
  FileTexts Out = Texts;
  for (auto &[Path, Text] : Out) {
    std::vector<TimedLaunch> Here;
    for (const TimedLaunch &T : Launches)
      if (T.File == Path)
        Here.push_back(T);
    if (!Here.empty())
      Text = withTimedLaunches(Path, Text, Here, Header);
  }
  return Out;
}

} // namespace catt
