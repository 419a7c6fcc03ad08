//===- Units.cpp - What the files of a program launch ---------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Units.h"
#include "Job.h"
#include "Output.h"
#include "tool/optimize/Optimize.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <mutex>
#include <set>

using namespace llvm;

namespace catt {
namespace {

/// Preambles take tens of megabytes each.
constexpr size_t MostBytesKept = size_t(1) << 30;

/// A file whose launches are read.
struct Unit {
  Task What;
  bool IsGiven = false; ///< on the command line: it is read again
};

/// Whether the text of a file can launch or define a kernel. Headers are not
/// looked at: only sizes are asked for.
bool mayNameKernels(const std::string &File) {
  Expected<std::string> Text = readSource(File);
  if (!Text) {
    consumeError(Text.takeError());
    return false;
  }
  return any_of(
      ArrayRef<StringRef>{"<<<", "cudaLaunch", "__global__"},
      [&](StringRef Word) { return StringRef(*Text).contains(Word); });
}

/// Adds every word of a file that is not CUDA, with its place. Error: it cannot
/// be read, and may name anything.
Error addWords(const std::string &File, std::map<std::string, Location> &Out) {
  Expected<std::string> Text = readSource(File);
  if (!Text)
    return Text.takeError();
  auto IsPart = [](char C) { return isAlnum(C) || C == '_'; };
  unsigned Line = 1;
  for (StringRef Rest = *Text; !Rest.empty();) {
    StringRef Word = Rest.take_while(IsPart);
    if (!Word.empty())
      Out.try_emplace(Word.str(), Location{File, Line, 1});
    Rest = Rest.drop_front(Word.size());
    Line += Rest.starts_with("\n");
    Rest = Rest.empty() ? Rest : Rest.drop_front();
  }
  return Error::success();
}

/// The units to read, without duplicates. NotCuda: the other files.
Expected<std::vector<Unit>> unitsOf(const Options &O, ArrayRef<Task> Tasks,
                                    CommandFinder &Finder,
                                    std::set<std::string> &NotCuda) {
  std::vector<Unit> Out;
  std::set<std::string> Seen;
  std::vector<std::string> Beside;
  for (const Task &T : Tasks) {
    Seen.insert(absolutePath(T.File));
    if (O.WholeProgram || (Tasks.size() > 1 && mayNameKernels(T.File)))
      Out.push_back({T, true});
    if (!O.WholeProgram)
      continue;
    auto Others = Finder.unitsBeside(T.File, T.O);
    if (!Others)
      return Others.takeError();
    append_range(Beside, Others->Cuda);
    NotCuda.insert(Others->NotCuda.begin(), Others->NotCuda.end());
  }
  Options Of = O;
  erase_if(Beside,
           [&](const std::string &File) { return !Seen.insert(File).second; });
  Of.Files = std::move(Beside);
  Expected<std::vector<Task>> More = planTasks(Of);
  if (!More)
    return More.takeError();
  for (Task &T : *More)
    Out.push_back({std::move(T), false});
  return Out;
}

Expected<UnitLaunches> read(const Unit &U, CommandFinder &Finder,
                            std::mutex &FinderMutex, bool Keep) {
  auto Command = [&] {
    std::lock_guard<std::mutex> Lock(FinderMutex);
    return Finder.find(U.What.File, U.What.O);
  }();
  if (!Command)
    return Command.takeError();
  return launchesJob(U.What.File, *Command, U.What.Gpu, U.What.O, Keep);
}

} // namespace

Expected<Units> readUnits(const Options &O, ArrayRef<Task> Tasks,
                          CommandFinder &Finder) {
  Units Out;
  std::set<std::string> NotCuda;
  Expected<std::vector<Unit>> All = unitsOf(O, Tasks, Finder, NotCuda);
  if (!All)
    return All.takeError();
  if (All->empty() && NotCuda.empty())
    return Out;
  std::vector<std::optional<Expected<UnitLaunches>>> Results(All->size());
  std::mutex FinderMutex;
  std::atomic<size_t> BytesKept = 0;
  CrashRecoveryContext::Enable();
  DefaultThreadPool Pool(hardware_concurrency(O.Jobs));
  for (auto [U, Result] : zip_equal(*All, Results))
    Pool.async([&] {
      Result =
          read(U, Finder, FinderMutex,
               U.IsGiven && O.Depfile.empty() && BytesKept < MostBytesKept);
      if (*Result)
        BytesKept += (*Result)->KeptBytes;
    });
  Pool.wait();
  CrashRecoveryContext::Disable();

  std::string Problem;
  std::set<std::string> Read;
  std::map<std::string, Location> Defined;
  std::set<std::string> Ambiguous; // of several programs, then
  for (auto [U, Result] : zip_equal(*All, Results)) {
    std::string Why;
    if (*Result) {
      for (auto &[Symbol, Launches] : (*Result)->Kernels.Launches)
        append_range(Out.Joined.Launches[Symbol], Launches);
      for (auto &[Symbol, Where] : (*Result)->Kernels.Defined)
        if (Defined.try_emplace(Symbol, Where).first->second != Where)
          Ambiguous.insert(Symbol);
      Read.insert((*Result)->Read.begin(), (*Result)->Read.end());
      if ((*Result)->Kept)
        Out.Kept[U.What.File] = std::move((*Result)->Kept);
      Why = (*Result)->Problem;
    } else {
      Why = "'" + U.What.File + "': " + toString(Result->takeError());
    }
    if (Problem.empty())
      Problem = Why;
  }
  if (!O.WholeProgram)
    for (const std::string &Symbol : Ambiguous)
      Out.Joined.Launches.erase(Symbol);
  for (const std::string &File : NotCuda)
    if (Error E = addWords(File, Out.Joined.NamedIn)) {
      std::string Why = toString(std::move(E));
      if (Problem.empty())
        Problem = std::move(Why);
    }
  Read.insert(NotCuda.begin(), NotCuda.end());
  Out.Read.assign(Read.begin(), Read.end());
  Out.Joined.IsWhole = O.WholeProgram && Problem.empty();
  if (O.WholeProgram && !Problem.empty() && !O.Quiet)
    errs() << "catt-rewrite: note: kernels may be launched where nothing is "
              "seen: "
           << Problem << "\n";
  return Out;
}

} // namespace catt
