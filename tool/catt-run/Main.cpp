//===- Main.cpp - catt-run, CUDA programs on the CPU ----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   catt-run [--seed N] [--seeds K] [...] file.cu [file.cpp ...] [-- arguments]
//
// Exit status: the program's own; 86 if there were findings; 2 if it did not
// compile; 3 if the outputs of two seeds differed.
//
//===----------------------------------------------------------------------===//

#include "tool/executor/Compile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/WithColor.h"
#include <cstdlib>

using namespace llvm;

static cl::OptionCategory Category("Options of catt-run");
static cl::opt<std::string> File(cl::Positional, cl::Required,
                                 cl::desc("file.cu"), cl::cat(Category));
static cl::list<std::string> Rest(cl::ConsumeAfter,
                                  cl::desc("[file.cpp ...] [-- arguments]"),
                                  cl::cat(Category));
static cl::opt<uint64_t> Seed("seed", cl::desc("First schedule; 0 is in order"),
                              cl::cat(Category));
static cl::opt<unsigned>
    Seeds("seeds", cl::init(1), cl::cat(Category),
          cl::desc("Run K schedules, compare the outputs"));
static cl::opt<std::string>
    Trace("trace", cl::desc("Append accesses to a file"), cl::cat(Category));
static cl::opt<unsigned>
    Blocks("blocks", cl::init(1), cl::cat(Category),
           cl::desc("Blocks that interleave; 0: as many as fit"));
static cl::opt<unsigned> SMs("sms", cl::init(4), cl::cat(Category),
                             cl::desc("Of the device, for --blocks=0"));
static cl::opt<unsigned> Switch("switch", cl::cat(Category),
                                cl::desc("Accesses between scheduling points"));
static cl::opt<unsigned>
    Sm("sm", cl::init(90), cl::cat(Category),
       cl::desc("Below 70, exited threads block barriers"));
static cl::opt<std::string>
    Keep("keep", cl::cat(Category),
         cl::desc("A folder that keeps what was compiled, for the next run"));
static cl::list<std::string>
    CompilerArguments("Xcompiler", cl::desc("Hand an argument to clang"),
                      cl::cat(Category));

/// Sources, then what the program is given.
static std::vector<catt::simt::Source>
splitWords(std::vector<std::string> &Arguments) {
  std::vector<catt::simt::Source> Sources = {{File, {}}};
  Arguments = Rest;
  auto IsSource = [](StringRef Word) {
    return is_contained({".cu", ".cpp", ".cc", ".cxx"},
                        sys::path::extension(Word));
  };
  auto FirstArgument = find_if_not(Arguments, IsSource);
  for (auto It = Arguments.begin(); It != FirstArgument; ++It)
    Sources.push_back({*It, {}});
  if (FirstArgument != Arguments.end() && *FirstArgument == "--")
    ++FirstArgument;
  Arguments.erase(Arguments.begin(), FirstArgument);
  return Sources;
}

/// Runs Program once and returns its exit status; Output gets what it printed,
/// or, if null, the terminal does.
static int runOnce(const std::string &Program, ArrayRef<std::string> Arguments,
                   uint64_t S, std::string *Output) {
  setenv("CATT_SIMT_SEED", std::to_string(S).c_str(), 1);
  std::vector<StringRef> Args = {Program};
  append_range(Args, Arguments);
  if (!Output)
    return sys::ExecuteAndWait(Program, Args);
  SmallString<128> Path;
  if (sys::fs::createTemporaryFile("catt-run", "out", Path))
    return 1;
  std::optional<StringRef> Redirects[] = {std::nullopt, Path.str(),
                                          std::nullopt};
  int Status = sys::ExecuteAndWait(Program, Args, std::nullopt, Redirects);
  if (auto Buffer = MemoryBuffer::getFile(Path))
    *Output = (*Buffer)->getBuffer().str();
  (void)sys::fs::remove(Path);
  return Status;
}

/// Runs all schedules. Programs that print times differ and will be told so.
static int runAll(const std::string &Program, ArrayRef<std::string> Arguments) {
  if (Seeds <= 1)
    return runOnce(Program, Arguments, Seed, nullptr);
  std::string First;
  for (unsigned I = 0; I < Seeds; ++I) {
    std::string Output;
    int Status = runOnce(Program, Arguments, Seed + I, &Output);
    if (I == 0)
      outs() << (First = Output);
    if (Status != 0) {
      WithColor::error() << "seed " << Seed + I << " ends with status "
                         << Status << '\n';
      return Status;
    }
    if (Output != First) {
      WithColor::error() << "seed " << Seed + I << " prints something else:\n"
                         << Output;
      return 3;
    }
  }
  return 0;
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(Category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Runs a CUDA program on the CPU and looks for its mistakes\n");
  catt::simt::CompileOptions O;
  O.Arguments = CompilerArguments;
  O.Directory = Keep;
  SmallString<128> Temporary;
  if (Keep.empty()) {
    if (std::error_code EC =
            sys::fs::createUniqueDirectory("catt-run", Temporary)) {
      WithColor::error() << "no temporary directory: " << EC.message() << '\n';
      return 2;
    }
    O.Directory = std::string(Temporary);
  }
  std::vector<std::string> Arguments;
  std::vector<catt::simt::Source> Sources = splitWords(Arguments);
  auto Program = catt::simt::compile(Sources, catt::simt::Output::Program, O);
  int Status = 2;
  if (Program) {
    setenv("CATT_SIMT_BLOCKS", std::to_string(Blocks).c_str(), 1);
    setenv("CATT_SIMT_SMS", std::to_string(SMs).c_str(), 1);
    setenv("CATT_SIMT_SWITCH", std::to_string(Switch).c_str(), 1);
    setenv("CATT_SIMT_SM", std::to_string(Sm).c_str(), 1);
    if (!Trace.empty())
      setenv("CATT_SIMT_TRACE", Trace.c_str(), 1);
    Status = runAll(*Program, Arguments);
  } else {
    errs() << toString(Program.takeError()) << '\n';
  }
  if (!Temporary.empty())
    (void)sys::fs::remove_directories(Temporary);
  return Status;
}
