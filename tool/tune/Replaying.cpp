//===- Replaying.cpp - Kernels that are replayed alone --------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/tune/Replaying.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/GlobPattern.h"

using namespace llvm;

namespace catt {
namespace {

/// What the file says against replaying a kernel; empty: nothing.
std::string againstReplay(const Kernel &K) {
  if (!K.HiddenState.empty())
    return K.HiddenState;
  for (const Launch &L : K.Launches)
    if (!L.Written)
      return "a launch of it has no text in a file that can be edited";
    else if (!L.Written->OnlyOnce.empty())
      return "a launch of it may not run twice: " + L.Written->OnlyOnce;
  return "";
}

/// The arguments of the launch that begins there.
const LaunchText *launchAt(const Report &Analysed, const TimedLaunch &T) {
  for (const KernelReport &K : Analysed.Kernels)
    for (const Launch &L : K.Source.Launches)
      if (L.Written && L.Written->Alone.File == T.File &&
          L.Written->Alone.Begin == T.Begin)
        return &*L.Written;
  return nullptr;
}

bool matches(StringRef Glob, StringRef Kernel) {
  return Glob.empty() ||
         cantFail(GlobPattern::create(Glob, MaxReplayPatterns)).match(Kernel);
}

} // namespace

void allowReplays(std::vector<AnalysedFile> &Files, StringRef Glob,
                  Replaying &Out) {
  for (const AnalysedFile &F : Files)
    for (const KernelReport &K : F.Job.Outcome.Analysed->Kernels)
      if (matches(Glob, K.Source.UnqualifiedName))
        if (std::string Why = againstReplay(K.Source); !Why.empty())
          Out.Without.emplace(K.Source.UnqualifiedName, Why);
  for (AnalysedFile &F : Files)
    for (TimedLaunch &T : F.Launches)
      if (matches(Glob, T.Kernel) && !Out.Without.count(T.Kernel))
        if (const LaunchText *At = launchAt(*F.Job.Outcome.Analysed, T))
          T.Replayed = At->AllArguments;
}

Error replayOriginal(Trials &Each, const FileTexts &Original,
                     const std::set<std::string> &Kernels, StringRef Glob,
                     Trial &Written, Replaying &Out) {
  const int64_t Runs = int64_t(std::max<size_t>(1, Written.WallMs.size()));
  auto IsChosen = [&](const std::string &Kernel) {
    const int64_t N = Written.LaunchesOf[Kernel] / Runs;
    return N > 0 && (!Glob.empty() || N < ManyLaunches) &&
           matches(Glob, Kernel) && Kernels.count(Kernel);
  };
  // The others need no reason.
  std::erase_if(Out.Without,
                [&](const auto &Of) { return !IsChosen(Of.first); });
  for (const std::string &Kernel : Kernels)
    if (IsChosen(Kernel) && !Out.Without.count(Kernel))
      Out.Launches[Kernel] = Written.LaunchesOf[Kernel] / Runs;
  std::map<std::string, std::vector<double>> Ms;
  for (bool IsFirst : {true, false}) {
    if (Out.Launches.empty())
      return Error::success();
    ReplayedKernels Now;
    Expected<Trial> T = Each.replay(Original, Out.Launches, Now);
    if (!T)
      return T.takeError();
    for (auto &[Kernel, Of] : Now.Ms)
      append_range(Ms[Kernel], Of);
    const LaunchCounts Asked = Out.Launches;
    for (const auto &[Kernel, Count] : Asked) {
      std::string Why = T->Why;
      if (auto At = Now.Why.find(Kernel); At != Now.Why.end())
        Why = At->second;
      else if (Why.empty() && !IsFirst && Now.Left[Kernel] != Out.Left[Kernel])
        Why = "what it leaves in memory differs between runs";
      if (Why.empty())
        continue;
      Out.Without[Kernel] = Why;
      Out.Launches.erase(Kernel);
    }
    Out.Left = std::move(Now.Left);
  }
  for (const auto &[Kernel, Count] : Out.Launches)
    Written.KernelMs[Kernel] = Ms[Kernel];
  return Error::success();
}

Expected<Trial> replayVariant(Trials &Each, const FileTexts &Texts,
                              const std::string &Kernel, Checking By,
                              const Replaying &Of, StringRef Choice) {
  ReplayedKernels Now;
  Expected<Trial> T =
      Each.replay(Texts, {{Kernel, Of.Launches.at(Kernel)}}, Now, Choice);
  if (!T || !T->fine())
    return T;
  if (auto Why = Now.Why.find(Kernel); Why != Now.Why.end()) {
    T->End = Verdict::NotTimed;
    T->Why = "it was not replayed: " + Why->second;
    return T;
  }
  T->KernelMs[Kernel] = Now.Ms[Kernel];
  T->Launches = T->LaunchesOf[Kernel] = Now.Times[Kernel];
  if (By != Checking::None && Now.Left[Kernel] != Of.Left.at(Kernel)) {
    T->End = Verdict::OtherOutput;
    T->Why = "what it leaves in memory is not what the original leaves";
  }
  return T;
}

std::string remarksOn(const Replaying &R) {
  std::string Text;
  for (const auto &[Kernel, Count] : R.Launches)
    Text += (Text.empty() ? "Replayed alone: " : ", ") + Kernel + " (" +
            std::to_string(Count) + (Count == 1 ? " launch)" : " launches)");
  if (!Text.empty())
    Text += ".\n";
  for (const auto &[Kernel, Why] : R.Without)
    Text += formatv("Kernel '{0}' is not replayed: {1}.\n", Kernel, Why).str();
  return Text;
}

} // namespace catt
