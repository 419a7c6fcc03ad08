//===- Trials.cpp - Building and running a variant ------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/tune/Trials.h"
#include "analysis/frontend/builtin/Builtin.h"
#include "tool/catt-rewrite/Output.h"
#include "tool/tune/Launches.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>
#include <ctime>

using namespace llvm;

namespace catt {
namespace {

/// That a kernel is to be faster in, each.
constexpr unsigned LeastReplayGroups = 3;

std::vector<std::string> wordsOf(StringRef Text) {
  std::vector<std::string> Words;
  for (StringRef Line : split(Text, '\n')) {
    SmallVector<StringRef> Each;
    SplitString(Line, Each);
    for (StringRef Word : Each)
      Words.push_back(Word.str());
    Words.push_back("\n");
  }
  return Words;
}

bool isUnit(StringRef Word) {
  Word = Word.rtrim(".,;:)").ltrim("(");
  return is_contained({"ns", "us", "ms", "s", "sec", "seconds", "GB/s", "GiB/s",
                       "MB/s", "GFLOPS", "GFLOP/s", "GFlop/s", "TFLOP/s"},
                      Word);
}

bool isNumber(StringRef Word) {
  double D = 0;
  return !Word.trim("(),;:").getAsDouble(D);
}

bool saysTime(StringRef Word) {
  std::string Lower = Word.trim("()[],;:=").lower();
  return is_contained({"time", "times", "seconds", "secs", "sec", "elapsed",
                       "duration", "runtime", "milliseconds", "microseconds",
                       "ms", "us", "bandwidth", "throughput", "speed"},
                      Lower);
}

/// Whether the word at I is a number with a unit behind it, or with a word that
/// says so among the four before it, on its line or the end of the last.
bool isMeasured(ArrayRef<std::string> Words, size_t I) {
  if (!isNumber(Words[I]))
    return false;
  if (I + 1 < Words.size() && isUnit(Words[I + 1]))
    return true;
  bool IsFirst = I == 0 || Words[I - 1] == "\n";
  size_t From = I - (IsFirst && I != 0);
  for (size_t Back = 0; Back != 4 && From != 0; ++Back, --From) {
    const std::string &Before = Words[From - 1];
    if (Before == "\n" || isNumber(Before))
      return false;
    if (saysTime(Before))
      return true;
  }
  return false;
}

/// The line that the word at I stands on.
std::string lineAround(ArrayRef<std::string> Words, size_t I) {
  if (I >= Words.size())
    return "nothing";
  size_t From = I, To = I;
  while (From != 0 && Words[From - 1] != "\n")
    --From;
  while (To != Words.size() && Words[To] != "\n")
    ++To;
  return "'" + join(Words.slice(From, To - From), " ") + "'";
}

std::string now() {
  std::time_t Seconds = std::time(nullptr);
  std::tm Parts = {};
  ::gmtime_r(&Seconds, &Parts);
  char Text[40];
  std::strftime(Text, sizeof(Text), "%Y-%m-%dT%H:%M:%S+00:00", &Parts);
  return Text;
}

std::string seconds(double S) { return std::to_string(std::lround(S)) + " s"; }

} // namespace

void Reference::add(StringRef Output) {
  std::vector<std::string> New = wordsOf(Output);
  if (!Any) {
    Words = New;
    Same.assign(Words.size(), true);
    for (size_t I = 0; I < Words.size(); ++I)
      Same[I] = !isMeasured(Words, I);
    Any = true;
  }
  for (size_t I = 0; I < Words.size(); ++I)
    if (I >= New.size() || New[I] != Words[I])
      Same[I] = false;
}

std::string Reference::difference(StringRef Output) const {
  std::vector<std::string> New = wordsOf(Output);
  size_t Both = std::min(Words.size(), New.size()), I = 0;
  while (I != Both && (!Same[I] || New[I] == Words[I]))
    ++I;
  if (I == Words.size() && I == New.size())
    return "";
  return "it prints " + lineAround(New, I) + " where " + lineAround(Words, I) +
         " was printed";
}

bool Trials::build(Trial &T) {
  ShellCommand C{O.Build,
                 O.LimitSeconds,
                 Where.path("build.txt"),
                 Where.path("build.txt"),
                 {}};
  ShellResult R = runShell(C);
  T.BuildSeconds = R.Seconds;
  if (R.How == ShellResult::End::Exited && R.Code == 0)
    return true;
  T.End = R.How == ShellResult::End::Interrupted ? Verdict::Stopped
                                                 : Verdict::NotBuilt;
  T.Why = R.How == ShellResult::End::TimeOut
              ? "the build took more than " + seconds(O.LimitSeconds)
              : "the build ended with exit code " + std::to_string(R.Code);
  return false;
}

bool Trials::readTimes(Trial &T) {
  auto Times = parseTimes(textOf(Where.path("times.json")));
  if (!Times) {
    std::string Why = toString(Times.takeError());
    T.End = Verdict::NotTimed;
    T.Why = sys::fs::exists(Where.path("times.json"))
                ? Why
                : "the run wrote no times";
    return false;
  }
  T.Launches = 0;
  for (const auto &[Kernel, Of] : *Times) {
    T.KernelMs[Kernel].push_back(Of.Ms);
    T.Launches += Of.Launches;
    T.LaunchesOf[Kernel] += Of.Launches;
  }
  return true;
}

/// After readTimes: of kernels that are replayed, the median of all replays.
bool Trials::readReplays(Trial &T) {
  if (Replayed.empty())
    return true;
  auto All = parseReplays(textOf(Where.path("replays.json")));
  if (!All)
    consumeError(All.takeError());
  ReplayedKernels Of =
      replayedKernels(All ? *All : std::vector<ReplayedLaunch>(), Replayed, 1);
  for (const auto &[Kernel, Why] : Of.Why) {
    T.End = Verdict::NotTimed;
    T.Why = formatv("kernel '{0}' was not replayed: {1}", Kernel, Why).str();
    return false;
  }
  for (const auto &[Kernel, Ms] : Of.Ms) {
    T.KernelMs[Kernel].push_back(Ms.front());
    T.Launches += Of.Times[Kernel];
    T.LaunchesOf[Kernel] += Of.Times[Kernel];
  }
  return true;
}

/// Why the run did not end by itself with that exit code; or empty.
static std::string whyNotEnded(const ShellResult &R, double LimitSeconds,
                               int Wanted) {
  using End = ShellResult::End;
  if (R.How == End::TimeOut)
    return "the run took more than " + seconds(LimitSeconds);
  if (R.How == End::Signal)
    return "the run ended by signal " + std::to_string(R.Code);
  if (R.How != End::Exited)
    return "the run did not start";
  if (R.Code == Wanted)
    return "";
  // A shell says so of what it ran.
  return R.Code > 128
             ? "the run ended by signal " + std::to_string(R.Code - 128)
             : "the run ended with exit code " + std::to_string(R.Code);
}

static Verdict verdictOn(const ShellResult &R) {
  using End = ShellResult::End;
  return R.How == End::Interrupted ? Verdict::Stopped
         : R.How == End::TimeOut   ? Verdict::Hung
                                   : Verdict::Failed;
}

bool Trials::runOnce(Trial &T, bool Timed, StringRef Choice) {
  ShellCommand C{O.Run,
                 O.LimitSeconds,
                 Where.path("output.txt"),
                 Where.path("errors.txt"),
                 {}};
  if (Timed)
    C.Environment["CATT_TIMES"] = Where.path("times.json");
  if (!Choice.empty())
    C.Environment["CATT_VARIANT"] = Choice.str();
  if (Timed && !Replayed.empty()) {
    C.Environment["CATT_REPLAY"] = replayOrder(Replayed);
    C.Environment["CATT_REPLAYS"] = Where.path("replays.json");
  }
  (void)sys::fs::remove(Where.path("times.json"));
  (void)sys::fs::remove(Where.path("replays.json"));
  ShellResult R = runShell(C);
  T.RunSeconds += R.Seconds;
  T.WallMs.push_back(R.Seconds * 1000);
  T.End = verdictOn(R);
  T.Why = whyNotEnded(R, O.LimitSeconds, ExitCode.value_or(R.Code));
  if (!T.Why.empty())
    return false;
  ExitCode = R.Code;
  T.End = Verdict::Fine;
  return check(T) && (!Timed || (readTimes(T) && readReplays(T)));
}

bool Trials::check(Trial &T) {
  if (O.By == Checking::Output) {
    std::string Output = textOf(Where.path("output.txt"));
    if (!Judging)
      Original.add(Output);
    else if (!Original.accepts(Output)) {
      T.End = Verdict::OtherOutput;
      T.Why = "its output is not that of the original";
    }
  }
  if (O.By == Checking::Command) {
    ShellResult R = runShell({O.Check,
                              O.LimitSeconds,
                              Where.path("check.txt"),
                              Where.path("check.txt"),
                              {}});
    T.CheckSeconds += R.Seconds;
    if (R.How == ShellResult::End::Interrupted)
      T.End = Verdict::Stopped;
    else if (R.How != ShellResult::End::Exited || R.Code) {
      T.End = Verdict::OtherOutput;
      T.Why = "the check said no";
    }
  }
  return T.fine();
}

/// What is to be run, with the texts in place. False: T says why not.
Expected<bool> Trials::make(Trial &T, const FileTexts &Texts,
                            StringRef Choice) {
  T.When = now();
  if (Error E = Where.replace(Texts))
    return E;
  if (!Choice.empty() && Built == Texts)
    return true;
  Built.clear();
  if (!build(T))
    return false;
  if (!Choice.empty())
    Built = Texts;
  return true;
}

Expected<Trial> Trials::run(const FileTexts &Texts, bool Timed,
                            StringRef Choice) {
  Trial T;
  Expected<bool> Fine = make(T, Texts, Choice);
  if (!Fine)
    return Fine.takeError();
  for (unsigned I = 0; *Fine && I != O.Runs; ++I)
    *Fine = runOnce(T, Timed, Choice);
  if (*Fine)
    Judging = true;
  return T;
}

Expected<Trial> Trials::replay(const FileTexts &Texts,
                               const LaunchCounts &Launches,
                               ReplayedKernels &Out, StringRef Choice) {
  Trial T;
  Expected<bool> Fine = make(T, Texts, Choice);
  if (!Fine)
    return Fine.takeError();
  if (!*Fine)
    return T;
  ShellCommand C{O.Run,
                 O.LimitSeconds,
                 Where.path("output.txt"),
                 Where.path("errors.txt"),
                 {{"CATT_REPLAY", replayOrder(Launches)},
                  {"CATT_REPLAYS", Where.path("replays.json")},
                  {"CATT_REPLAY_ONLY", "1"}}};
  if (!Choice.empty())
    C.Environment["CATT_VARIANT"] = Choice.str();
  (void)sys::fs::remove(Where.path("replays.json"));
  ShellResult R = runShell(C);
  T.RunSeconds = R.Seconds;
  T.WallMs.push_back(R.Seconds * 1000);
  auto All = parseReplays(textOf(Where.path("replays.json")));
  if (All)
    Out = replayedKernels(*All, Launches, std::max(O.Runs, LeastReplayGroups));
  else
    consumeError(All.takeError());
  // What runs behind the program may miss its results: all are here.
  if (All && Out.Ms.size() == Launches.size())
    return T;
  if (T.Why = whyNotEnded(R, O.LimitSeconds, 0); !T.Why.empty()) {
    T.End = verdictOn(R);
  } else if (!All) {
    T.End = Verdict::NotTimed;
    T.Why = "the run wrote no times of replays";
  }
  return T;
}

std::vector<double> timesIn(ArrayRef<Trial> All, StringRef Kernel,
                            bool IsTimed) {
  std::vector<double> Times;
  for (const Trial &T : All) {
    std::vector<double> Sum(T.WallMs.size());
    for (const auto &[Name, Ms] : T.KernelMs)
      if (Kernel.empty() || Name == Kernel) {
        Sum.resize(std::max(Sum.size(), Ms.size())); // one run, many replays
        for (size_t I = 0; I < Ms.size(); ++I)
          Sum[I] += Ms[I];
      }
    append_range(Times, IsTimed ? Sum : T.WallMs);
  }
  return Times;
}

std::string keyOf(const TrialOptions &O, const std::string &Device,
                  bool IsTimed) {
  return O.Build + "\n" + O.Run + "\n" + O.Check + "\n" + Device + "\n" +
         std::to_string(int(O.By)) + " " + std::to_string(O.Runs) + " " +
         std::to_string(IsTimed) + "\n";
}

Error writeHeaders(State &Where) {
  for (auto [Name, Text] : {std::pair{"timing.h", timingHeader()},
                            {"saved.h", savedHeader()},
                            {"replay.h", replayHeader()}})
    if (Error E = writeFile(Where.path(Name), Text))
      return E;
  return Error::success();
}

int64_t launchesIn(ArrayRef<Trial> All, const std::string &Kernel) {
  int64_t Sum = 0;
  for (const Trial &T : All)
    if (auto Of = T.LaunchesOf.find(Kernel); Of != T.LaunchesOf.end())
      Sum += Of->second;
  return Sum;
}

} // namespace catt
