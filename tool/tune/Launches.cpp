//===- Launches.cpp - Launches that are timed -----------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/tune/Launches.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include <set>

using namespace llvm;

namespace catt {
namespace {

/// Empty if the launch can be timed; else why not.
std::string place(const Launch &L, TimedLaunch &Out) {
  if (!L.Written)
    return "no <<<>>> in a file that can be edited";
  const LaunchText &W = *L.Written;
  if (W.Alone.File.empty())
    return "a macro holds the launch, or it is no statement of its own";
  Out.File = W.Alone.File;
  Out.Begin = W.Alone.Begin;
  Out.End = W.Alone.End;
  Out.Stream = W.PlainStream.value_or("");
  return W.PlainStream ? "" : "its stream may not be read twice";
}

} // namespace

std::vector<TimedLaunch>
timedLaunches(const Report &Analysed,
              std::map<std::string, std::string> &Without) {
  std::map<std::pair<std::string, unsigned>, TimedLaunch> Found;
  for (const KernelReport &K : Analysed.Kernels) {
    const std::string &Name = K.Source.UnqualifiedName;
    if (K.Source.Launches.empty())
      Without.emplace(Name, "no launch of it is in sight");
    for (const Launch &L : K.Source.Launches) {
      TimedLaunch T;
      T.Kernel = Name;
      std::string Why = place(L, T);
      if (!Why.empty())
        Without.emplace(Name, Why);
      else
        Found.try_emplace({T.File, T.Begin}, T);
    }
  }
  std::vector<TimedLaunch> All;
  for (auto &[Where, T] : Found)
    All.push_back(std::move(T));
  return All;
}

Expected<std::vector<TimedLaunch>>
shifted(std::vector<TimedLaunch> Launches,
        const clang::tooling::Replacements &Edits) {
  for (TimedLaunch &T : Launches) {
    int64_t Begin = T.Begin, End = T.End;
    for (const auto &R : Edits) {
      unsigned From = R.getOffset(), To = From + R.getLength();
      int64_t More = int64_t(R.getReplacementText().size()) - R.getLength();
      if ((From < T.Begin && To > T.Begin) || (From < T.End && To > T.End))
        return createStringError("an edit crosses the edge of a launch");
      if (From < T.Begin)
        Begin += More;
      if (From < T.End || To == T.End)
        End += More;
    }
    T.Begin = unsigned(Begin);
    T.End = unsigned(End);
  }
  return Launches;
}

std::string withTimedLaunches(StringRef Path, StringRef Text,
                              ArrayRef<TimedLaunch> Launches,
                              StringRef Header) {
  std::string Out =
      ("#include \"" + Header + "\"\n#line 1 \"" + Path + "\"\n").str();
  size_t Done = 0;
  for (const TimedLaunch &T : Launches) {
    Out += Text.slice(Done, T.Begin);
    Out += T.Replayed ? "{ for (catt::Replay cattReplay(\""
                      : "{ catt::Timed cattTimed(\"";
    Out += T.Kernel + "\"";
    if (!T.Stream.empty() || T.Replayed)
      Out += ", " + (T.Stream.empty() ? "nullptr" : T.Stream);
    for (const std::string &Argument :
         T.Replayed.value_or(std::vector<std::string>()))
      Out += ", " + Argument;
    Out += T.Replayed ? "); cattReplay.next();) " : "); ";
    Out += Text.slice(T.Begin, T.End);
    // A comment that ends an edit may run to the end of the line.
    Out += StringRef(Out).rsplit('\n').second.contains("//") ? "\n}" : " }";
    Done = T.End;
  }
  return Out + Text.drop_front(Done).str();
}

Expected<std::map<std::string, KernelTimes>> parseTimes(StringRef Text) {
  Expected<json::Value> Read = json::parse(Text);
  if (!Read)
    return Read.takeError();
  const json::Object *All = Read->getAsObject();
  const json::Object *Kernels = All ? All->getObject("kernels") : nullptr;
  if (!Kernels)
    return createStringError("there are no kernels in the file of times");
  if (int64_t N = All->getInteger("untimed").value_or(0))
    return createStringError(Twine(N) + " launches could not be timed");
  std::map<std::string, KernelTimes> Out;
  for (const auto &[Name, Value] : *Kernels) {
    const json::Object *K = Value.getAsObject();
    auto Total = K ? K->getNumber("total_ms") : std::nullopt;
    if (!Total)
      return createStringError("there is no total_ms of kernel '" + Name.str() +
                               "' in the file of times");
    Out[Name.str()] = {*Total, K->getInteger("launches").value_or(0)};
  }
  return Out;
}

} // namespace catt
