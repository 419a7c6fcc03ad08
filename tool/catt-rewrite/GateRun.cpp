//===- GateRun.cpp - --baseline and --gate --------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "GateRun.h"
#include "Output.h"
#include "analysis/registers/Ptxas.h"
#include "tool/config/Card.h"
#include "tool/gate/Gate.h"
#include "llvm/ADT/StringExtras.h"
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

/// "sm_90a" of ".target sm_90a, debug"; empty if there is none.
static std::string targetOf(StringRef Ptx) {
  for (StringRef Line : split(Ptx, '\n'))
    if (Line = Line.trim(); Line.consume_front(".target"))
      return Line.trim()
          .take_while([](char C) { return isAlnum(C) || C == '_'; })
          .str();
  return "";
}

/// ptxas for the GPU of the options, else for the one that the PTX names.
static Expected<PtxasOptions> assemblerFor(const Options &O, StringRef Ptx) {
  PtxasOptions P;
  P.Program = findPtxas(O.CudaPath);
  if (P.Program.empty())
    P.Program = findPtxas("/usr/local/cuda");
  if (P.Program.empty())
    return createStringError("--ptx: there is no ptxas here; name a CUDA "
                             "toolkit with --cuda-path, or give the output of "
                             "a build with --ptxas-log");
  P.Architecture = targetOf(Ptx);
  if (O.GpuName) {
    Expected<Device> Gpu = findCard(*O.GpuName);
    if (!Gpu)
      return Gpu.takeError();
    P.Architecture = Gpu->architecture();
  }
  if (P.Architecture.empty())
    return createStringError("--ptx: '" + O.PtxFile +
                             "' has no .target, and is no PTX");
  P.CacheDirectory = ptxasCacheDirectory();
  return P;
}

/// What ptxas says of the kernels of --ptx.
static Expected<std::vector<PtxasEntry>> askAboutPtx(const Options &O) {
  auto Text = MemoryBuffer::getFile(O.PtxFile);
  if (!Text)
    return createStringError("--ptx: '" + O.PtxFile +
                             "' cannot be read: " + Text.getError().message());
  StringRef Ptx = (*Text)->getBuffer();
  Expected<PtxasOptions> Assembler = assemblerFor(O, Ptx);
  if (!Assembler)
    return Assembler.takeError();
  auto Answers = askPtxas({{Ptx}}, *Assembler);
  if (!Answers)
    return Answers.takeError();
  std::vector<PtxasEntry> Entries;
  for (const auto &[Symbol, Point] : Answers->front())
    Entries.push_back({Symbol, Assembler->Architecture, Point});
  if (Entries.empty())
    return createStringError("--ptx: '" + O.PtxFile + "' has no kernel");
  return Entries;
}

/// From the logs and the PTX that are given.
static Expected<std::vector<PtxasEntry>> readEntries(const Options &O) {
  Expected<std::vector<PtxasEntry>> All = readLogs(O);
  if (!All || O.PtxFile.empty())
    return All;
  Expected<std::vector<PtxasEntry>> Asked = askAboutPtx(O);
  if (!Asked)
    return Asked;
  append_range(*All, std::move(*Asked));
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
  if (!Then->empty() && Result.Compared == 0) {
    complain("nothing was compared: no kernel of '" + O.BaselineFile +
             "' was compiled for the same architecture; record it again with "
             "--baseline");
    return ExitUsage;
  }
  return Result.failed() ? ExitPending : ExitFine;
}

int runGate(const Options &O, const KnownLaunches &Launches) {
  Expected<std::vector<PtxasEntry>> Entries = readEntries(O);
  if (!Entries) {
    complain(toString(Entries.takeError()));
    return ExitInput;
  }
  Baseline Now = makeBaseline(*Entries, Launches);
  if (!O.Quiet)
    for (const std::string &Text : impossibleLaunches(Now))
      errs() << "catt-rewrite: warning: " << Text << "\n";
  return O.Gate ? gate(O, Now) : record(O, Now);
}

} // namespace catt
