//===- GateRun.cpp - --baseline and --gate --------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "GateRun.h"
#include "Output.h"
#include "tool/gate/Gate.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace catt {

/// Of every log together. "-" is standard input.
static Expected<std::vector<PtxasEntry>> readLogs(const Options &O) {
  std::vector<PtxasEntry> All;
  for (const std::string &Path : O.PtxasLogs) {
    auto Text = MemoryBuffer::getFileOrSTDIN(Path);
    if (!Text)
      return createStringError("--ptxas-log: '" + Path + "' cannot be read: " +
                               Text.getError().message());
    Expected<std::vector<PtxasEntry>> Entries =
        readPtxasLog((*Text)->getBuffer(), Path);
    if (!Entries)
      return Entries.takeError();
    append_range(All, std::move(*Entries));
  }
  return All;
}

static int record(const Options &O, const Baseline &Now) {
  if (Error E = writeFile(O.BaselineFile, writeBaseline(Now))) {
    complain(toString(std::move(E)));
    return ExitInput;
  }
  return ExitFine;
}

static int gate(const Options &O, const Baseline &Now) {
  auto Text = MemoryBuffer::getFile(O.BaselineFile);
  if (!Text) {
    complain("the baseline '" + O.BaselineFile +
             "' cannot be read: " + Text.getError().message() +
             "; record it with --baseline and without --gate");
    return ExitUsage;
  }
  Expected<Baseline> Then = readBaseline((*Text)->getBuffer(), O.BaselineFile);
  if (!Then) {
    complain(toString(Then.takeError()));
    return ExitUsage;
  }
  GateResult Result = compare(*Then, Now);
  outs() << renderGate(Result, O.BaselineFile);
  return Result.failed() ? ExitPending : ExitFine;
}

int runGate(const Options &O, const KnownLaunches &Launches) {
  Expected<std::vector<PtxasEntry>> Entries = readLogs(O);
  if (!Entries) {
    complain(toString(Entries.takeError()));
    return ExitInput;
  }
  Baseline Now = makeBaseline(*Entries, Launches);
  return O.Gate ? gate(O, Now) : record(O, Now);
}

} // namespace catt
