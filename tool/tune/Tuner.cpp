//===- Tuner.cpp - The search over variants of kernels --------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/tune/Tuner.h"
#include "tool/catt-rewrite/Output.h"
#include "tool/catt-rewrite/Tasks.h"
#include "tool/optimize/Measured.h"
#include "tool/tune/Conclusion.h"
#include "tool/tune/JointBuilds.h"
#include "tool/tune/OptTlp.h"
#include "tool/tune/Order.h"
#include "tool/tune/Statistics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/GlobPattern.h"
#include <chrono>
#include <numeric>
#include <set>

using namespace llvm;

namespace catt {
namespace {

class Tuner {
public:
  Tuner(const TuneOptions &O, State &Where, const SayProgress &Say)
      : O(O), Where(Where), Say(Say), Each(Where, O.Trying) {}

  Error analyse();
  Error measure();
  TuneResult Out;

private:
  Error measureOriginal();
  Error tryAll();
  Error tryOne(size_t Index);
  Expected<Trial> trialOf(size_t Index);
  Error tryNext(size_t Index);
  Error tryBounds();
  Error combine();
  Error confirm(const FileTexts &Timed);
  void propose(const AnalysedFile &In);
  std::vector<Tried> recipesOf(const AnalysedFile &In, const Kernel &K) const;
  void write(const AnalysedFile &In, Tried &T,
             std::map<FileTexts, std::string> &Known);
  void judge(Tried &T);
  const AnalysedFile &fileOf(const WrittenVariant &V) const;
  FileTexts timedWith(const FileTexts &Texts, ArrayRef<TimedLaunch> Moved,
                      const AnalysedFile &Of) const;
  std::vector<double> timesOf(ArrayRef<Trial> All, StringRef Kernel) const {
    return timesIn(All, Kernel, IsTimed);
  }
  std::string keyOf(const WrittenVariant &V) const;
  /// That timed texts include.
  std::string header() const {
    return Where.path(O.Replay ? "replay.h" : "timing.h");
  }
  bool isOver() {
    std::chrono::duration<double> Passed =
        std::chrono::steady_clock::now() - Begin;
    Out.OutOfBudget |= Passed.count() >= O.BudgetSeconds;
    Out.Interrupted |= isInterrupted();
    return Out.OutOfBudget || Out.Interrupted;
  }

  const TuneOptions &O;
  State &Where;
  const SayProgress &Say;
  Trials Each;
  std::vector<AnalysedFile> Files;
  FileTexts Plain;    ///< of all files that may change, as they were
  FileTexts Original; ///< the same, timed
  JointBuilds Joint;
  size_t Number = 0, Count = 0; ///< of what is tried, for the progress
  LastComparison Last;
  bool IsTimed = true;
  std::chrono::steady_clock::time_point Begin =
      std::chrono::steady_clock::now();
};

//===-- What can be tried -------------------------------------------------===//

Error Tuner::analyse() {
  Expected<std::vector<Task>> Tasks = planTasks(O.Rewriting);
  if (!Tasks)
    return Tasks.takeError();
  CommandFinder Finder;
  for (const Task &T : *Tasks) {
    Say("reading " + T.File);
    Expected<FoundCommand> Command = Finder.find(T.File, T.O);
    if (!Command)
      return Command.takeError();
    AnalysedFile F{T.File, *Command, T.Gpu, T.O, {}, {}};
    F.O.Measured.clear(); // it is measured anew
    F.Job = runJob(T.File, *Command, T.Gpu, F.O, againOn(F));
    if (F.Job.Exit != ExitFine)
      return createStringError(F.Job.Outcome.Error);
    std::map<std::string, std::string> Without;
    F.Launches = timedLaunches(*F.Job.Outcome.Analysed, Without);
    for (const auto &[Kernel, Why] : Without)
      if (Out.Untimed.empty())
        Out.Untimed = ("of kernel '" + Twine(Kernel) + "' " + Why).str();
    Out.Device = T.Gpu.Gpu.Name;
    for (const auto &[Path, Text] : F.Job.OldTexts)
      Plain.emplace(Path, Text);
    Files.push_back(std::move(F));
  }
  IsTimed = Out.Untimed.empty();
  if (O.Replay && IsTimed)
    allowReplays(Files, *O.Replay, Out.Replays);
  for (const AnalysedFile &F : Files)
    propose(F);
  if (Out.All.empty())
    return createStringError("there is no kernel to tune in the files given; "
                             "--kernel names one by a glob");
  return Error::success();
}

void Tuner::propose(const AnalysedFile &In) {
  std::set<std::string> Seen; // kernels
  std::map<FileTexts, std::string> Known;
  for (const KernelReport &K : In.Job.Outcome.Analysed->Kernels) {
    if (!Seen.insert(K.Source.UnqualifiedName).second)
      continue;
    TunedKernel &Tuned = Out.Kernels.emplace_back();
    Tuned.Source = In.Name;
    Tuned.Best = measurable(*In.Job.Outcome.Analysed, K.Source);
    unsigned Count = 0;
    for (Tried &T : recipesOf(In, K.Source)) {
      if (isInterrupted())
        return;
      T.LeftOut = Count == O.Most;
      if (!T.LeftOut)
        write(In, T, Known);
      Count += T.isToTry();
      Out.All.push_back(std::move(T));
    }
  }
}

/// In the order in which they are to be tried; none is written yet.
std::vector<Tried> Tuner::recipesOf(const AnalysedFile &In,
                                    const Kernel &K) const {
  GlobPattern Names =
      cantFail(GlobPattern::create(O.Names, MaxVariantPatterns));
  std::vector<Recipe> Recipes = O.Strategy
                                    ? recipesOfStrategy(In, K, *O.Strategy)
                                    : recipesFor(K, O.Which);
  erase_if(Recipes, [&](const Recipe &P) { return !Names.match(P.Name); });
  auto Gains = predictedGains(In, K, Recipes);
  std::vector<Tried> All;
  std::vector<size_t> Order(Recipes.size());
  std::iota(Order.begin(), Order.end(), 0);
  if (O.Most)
    Order = promisingFirst(Recipes, Gains);
  for (size_t I : Order) {
    All.emplace_back();
    All.back().What.How = Recipes[I];
    All.back().What.File = In.Name;
    All.back().What.PredictedGain = Gains[I];
  }
  return All;
}

void Tuner::write(const AnalysedFile &In, Tried &T,
                  std::map<FileTexts, std::string> &Known) {
  const Recipe &P = T.What.How;
  Say("writing " + P.Name + " of " + P.Kernel);
  const std::optional<double> Gain = T.What.PredictedGain;
  std::vector<TimedLaunch> Launches = In.Launches;
  T.What = writeVariant(In, P, {}, Launches);
  T.What.PredictedGain = Gain;
  if (!T.What.Refused.empty())
    return;
  auto [Same, IsNew] = Known.emplace(T.What.Texts, T.What.How.Name);
  if (!IsNew)
    T.SameAs = Same->second;
  for (const auto &[Path, Text] : T.What.Texts)
    if (!Plain.count(Path))
      T.What.Refused = "it changes '" + Path + "'";
  T.What.Timed = timedWith(T.What.Texts, Launches, In);
}

/// All texts that differ from the plain ones, timed: those of the variant, and
/// the launches of other files.
FileTexts Tuner::timedWith(const FileTexts &Texts, ArrayRef<TimedLaunch> Moved,
                           const AnalysedFile &Of) const {
  if (!IsTimed)
    return Texts;
  FileTexts All = Plain;
  for (const auto &[Path, Text] : Texts)
    All[Path] = Text;
  std::vector<TimedLaunch> Launches(Moved.begin(), Moved.end());
  std::set<std::string> Here;
  for (const TimedLaunch &T : Of.Launches)
    Here.insert(T.File);
  for (const AnalysedFile &F : Files)
    for (const TimedLaunch &T : F.Launches)
      if (F.Name != Of.Name && !Here.count(T.File))
        Launches.push_back(T);
  return timedTexts(All, Launches, header());
}

//===-- Measuring ---------------------------------------------------------===//

const AnalysedFile &Tuner::fileOf(const WrittenVariant &V) const {
  return *find_if(Files, [&](auto &F) { return F.Name == V.File; });
}

std::string Tuner::keyOf(const WrittenVariant &V) const {
  std::string All = catt::keyOf(O.Trying, Out.Device, IsTimed) +
                    (Out.Replays.has(V.How.Kernel) ? "replayed\n" : "");
  for (const FileTexts *Each : {&Plain, &V.Texts})
    for (const auto &[Path, Text] : *Each)
      All.append(Path).append("\n").append(Text).append("\n");
  return hashOf(All);
}

Error Tuner::measureOriginal() {
  Say("the original");
  if (Error E = writeHeaders(Where))
    return E;
  Original = timedWith({}, Files.front().Launches, Files.front());
  Expected<Trial> T = Each.run(Original, IsTimed);
  if (!T)
    return T.takeError();
  if (O.Replay && IsTimed && T->End == Verdict::NotBuilt)
    return createStringError("with launches that can be replayed " + T->Why +
                             "; --replay=<glob> names kernels, and without "
                             "--replay whole runs are measured");
  // A program that cannot be timed may still be built and run.
  if (IsTimed && (T->End == Verdict::NotTimed || T->End == Verdict::NotBuilt)) {
    Out.Untimed = T->Why + " with its launches timed";
    IsTimed = false;
    Original = Plain;
    for (Tried &V : Out.All)
      V.What.Timed = V.What.Texts;
    T = Each.run(Original, IsTimed);
    if (!T)
      return T.takeError();
  }
  Out.Interrupted = T->End == Verdict::Stopped;
  if (!T->fine() && !Out.Interrupted)
    return createStringError("the original cannot be measured: " + T->Why +
                             "; '" + Where.path("") + "' holds what it said");
  Out.Original = *T;
  Out.OriginalMs[""] = median(timesOf(*Out.Original, ""));
  if (O.Replay && IsTimed && T->fine()) {
    std::set<std::string> Kernels;
    for (const Tried &V : Out.All)
      if (V.What.Refused.empty())
        Kernels.insert(V.What.How.Kernel);
    if (Error E = replayOriginal(Each, Original, Kernels, *O.Replay,
                                 *Out.Original, Out.Replays))
      return E;
  }
  for (const Tried &V : Out.All)
    Out.OriginalMs[V.What.How.Kernel] =
        median(timesOf(*Out.Original, V.What.How.Kernel));
  return Error::success();
}

void Tuner::judge(Tried &T) {
  const std::string &Kernel = T.What.How.Kernel;
  if (!T.Result || !T.Result->fine())
    return;
  T.Ms = median(timesOf(*T.Result, Kernel));
  size_t Index = &T - Out.All.data();
  if (!isClearlyLess(timesOf(*T.Result, Kernel),
                     timesOf(*Out.Original, Kernel)))
    return;
  auto Held = find_if(Out.Winners, [&](size_t W) {
    const WrittenVariant &V = Out.All[W].What;
    return V.How.Kernel == Kernel && V.File == T.What.File;
  });
  if (Held == Out.Winners.end())
    Out.Winners.push_back(Index);
  else if (T.Ms < Out.All[*Held].Ms)
    *Held = Index;
}

/// Builds and runs a variant: where that can be, several are built in one.
Expected<Trial> Tuner::trialOf(size_t Index) {
  const WrittenVariant &V = Out.All[Index].What;
  auto Run = [&](const FileTexts &Texts, StringRef Choice) {
    return Out.Replays.has(V.How.Kernel)
               ? replayVariant(Each, Texts, V.How.Kernel, O.Trying.By,
                               Out.Replays, Choice)
               : Each.run(Texts, IsTimed, Choice);
  };
  if (!O.BuildEach && IsTimed && !Joint.isPlanned(Index))
    Joint.plan(
        Out.All, Index, fileOf(V), Plain,
        [&](const WrittenVariant &W) { return Where.find(keyOf(W)); }, Say);
  JointBuild *One = Joint.find(Index);
  Expected<Trial> Done =
      One ? Run(timedWith(One->Texts, One->Launches, fileOf(V)),
                One->Choices.at(Index))
          : Run(V.Timed, "");
  if (!Done)
    return Done;
  const bool IsBuilt = Done->End != Verdict::NotBuilt;
  if (One && !IsBuilt) {
    Say("in one " + Done->Why + "; now with half as many variants, " +
        std::to_string(Joint.giveUp(Index, V.How.Kernel)));
    return trialOf(Index);
  }
  if (!IsBuilt || (One && Done->BuildSeconds != 0))
    Joint.takeCourage(V.How.Kernel);
  if (One)
    Done->BuildSeconds = One->shareOf(Done->BuildSeconds);
  return Done;
}

Error Tuner::tryOne(size_t Index) {
  Tried &T = Out.All[Index];
  const std::string Key = keyOf(T.What);
  if (const Trial *Known = Where.find(Key)) {
    T.Result = *Known;
    judge(T);
    return Error::success();
  }
  Expected<Trial> Done = trialOf(Index);
  if (!Done)
    return Done.takeError();
  if (Done->End == Verdict::Stopped)
    return Error::success();
  T.Result = *Done;
  judge(T);
  return Where.remember(Key, *Done);
}

/// Unless the search is over.
Error Tuner::tryNext(size_t Index) {
  const Tried &T = Out.All[Index];
  if (!T.isToTry() || T.Result || isOver())
    return Error::success();
  std::string Best;
  for (size_t W : Out.Winners)
    if (Out.All[W].What.How.Kernel == T.What.How.Kernel)
      Best = "; best so far: " + Out.All[W].What.How.Name;
  Say(std::to_string(++Number) + " of " + std::to_string(Count) + ": " +
      T.What.How.Name + " of " + T.What.How.Kernel + Best);
  return tryOne(Index);
}

Error Tuner::tryAll() {
  Number = 0;
  Count = count_if(Out.All,
                   [](const Tried &T) { return T.isToTry() && !T.Result; });
  for (size_t I = 0; I != Out.All.size(); ++I) {
    if (Error E = tryNext(I))
      return E;
    // What is built now is not to be built again.
    for (size_t Other : Joint.besides(I))
      if (Error E = tryNext(Other))
        return E;
  }
  Out.Interrupted |= isInterrupted();
  return Error::success();
}

/// The second step of CRAT with a profiled OptTLP, for each kernel.
Error Tuner::tryBounds() {
  if (Error E = Where.replace({})) // variants are written from the originals
    return E;
  std::map<FileTexts, std::string> Known;
  for (const Tried &T : Out.All)
    Known.emplace(T.What.Texts, T.What.How.Name);
  for (const TunedKernel &K : Out.Kernels) {
    std::optional<OptTlp> Found = optTlpOf(Out, K);
    Out.Notes.push_back(noteOn(K, Found));
    if (!Found)
      continue;
    for (const Recipe &P : cratRecipes(K.Best.Kernel, Found->Blocks)) {
      Tried T;
      T.What.How = P;
      T.What.File = K.Source;
      write(fileOf(T.What), T, Known);
      Out.All.push_back(std::move(T));
    }
  }
  return tryAll();
}

//===-- The best of all kernels -------------------------------------------===//

Error Tuner::combine() {
  // The disk holds the variant that was tried last.
  FileTexts Texts = Plain;
  std::map<std::string, std::vector<TimedLaunch>> Launches; // by file
  for (const AnalysedFile &F : Files)
    Launches[F.Name] = F.Launches;
  for (size_t W : Out.Winners) {
    const WrittenVariant &Won = Out.All[W].What;
    WrittenVariant V =
        writeVariant(fileOf(Won), Won.How, Texts, Launches[Won.File]);
    if (!V.Refused.empty())
      return createStringError("the best variants of two kernels cannot be "
                               "written together: " +
                               V.Refused + "; name one with --kernel");
    for (auto &[Path, Text] : V.Texts)
      Texts[Path] = Text;
  }
  std::vector<TimedLaunch> All;
  for (const auto &[File, Of] : Launches)
    append_range(All, Of);
  for (const auto &[Path, Text] : Texts)
    if (Text != Plain[Path]) {
      Out.Best[Path] = Text;
      Out.Old[Path] = Plain[Path];
    }
  return confirm(IsTimed ? timedTexts(Texts, All, header()) : Texts);
}

Error Tuner::confirm(const FileTexts &Timed) {
  Each.setRuns(1);
  Each.setReplayed(Out.Replays.Launches);
  for (unsigned I = 0; I != O.Trying.Runs; ++I)
    for (bool IsBest : {false, true}) {
      Say("the best beside the original, round " + std::to_string(I + 1) +
          " of " + std::to_string(O.Trying.Runs));
      Expected<Trial> T = Each.run(IsBest ? Timed : Original, IsTimed);
      if (!T)
        return T.takeError();
      Out.Interrupted |= T->End == Verdict::Stopped;
      if (!T->fine())
        return Error::success();
      (IsBest ? Last.After : Last.Before).push_back(std::move(*T));
    }
  const std::vector<double> Old = timesOf(Last.Before, ""),
                            New = timesOf(Last.After, "");
  Out.ConfirmedOld = median(Old);
  Out.ConfirmedNew = median(New);
  Out.Confirmed = isClearlyLess(New, Old);
  return Error::success();
}

Error Tuner::measure() {
  if (Error E = Where.keep(Plain))
    return E;
  auto Steps = [&]() -> Error {
    if (Error E = measureOriginal())
      return E;
    if (Out.Interrupted)
      return Error::success();
    if (Error E = tryAll())
      return E;
    if (O.Which == Points::Blocks && !Out.Interrupted && !Out.OutOfBudget)
      if (Error E = tryBounds())
        return E;
    if (Error E = Out.Interrupted || Out.Winners.empty() ? Error::success()
                                                         : combine())
      return E;
    Last.IsTimed = IsTimed;
    if (!Out.Interrupted)
      for (TunedKernel &K : Out.Kernels)
        conclude(K, O, Out, Last);
    return Error::success();
  };
  Error Failed = Steps();
  if (Error E = Where.replace({}))
    return joinErrors(std::move(Failed), std::move(E));
  return joinErrors(std::move(Failed), Where.finish());
}

} // namespace

Expected<TuneResult> tune(const TuneOptions &O, const SayProgress &Say) {
  Expected<State> Where = State::open(O.Directory);
  if (!Where)
    return Where.takeError();
  Expected<std::vector<std::string>> Back = Where->recover();
  if (!Back)
    return Back.takeError();
  for (const std::string &File : *Back)
    Say("'" + File + "' is as it was before a search that was killed");
  if (Error E = checkReplaceable(O.Rewriting.Files))
    return std::move(E);
  if (O.Restart)
    Where->forget();
  CrashRecoveryContext::Enable();
  Tuner T(O, *Where, Say);
  Error Failed = T.analyse();
  CrashRecoveryContext::Disable();
  if (Failed)
    return std::move(Failed);
  T.Out.Interrupted |= isInterrupted();
  if (Error E = T.Out.Interrupted ? Error::success() : T.measure())
    return std::move(E);
  return std::move(T.Out);
}

} // namespace catt
