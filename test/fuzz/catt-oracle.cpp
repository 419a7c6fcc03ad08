//===- catt-oracle.cpp - A file's predictions against its trace ------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   catt-oracle [--rank] [-D NAME=VALUE]... file.cu [program arguments]
//
//   file --analyze--> kernels ------------------------+
//     |                                               v
//     +--compile, run main() on the executor--> each launch: compare
//
// A file without main() has no arguments for its kernels: pointers get zeroed
// memory, integers what the launch shows or 40, and one block runs. What a
// kernel then does out of bounds, or for too long, ends its comparison, and is
// said.
//
// With --rank, how the plan's candidates are ranked beside what a cache makes
// of them (Rank.cpp); nothing is asserted.
//
// Exit status: 0 all that could be compared is equal; 1 something differs;
// 2 usage, or the file does not compile; 77 nothing could be compared.
//
//===----------------------------------------------------------------------===//

#include "analysis/Analysis.h"
#include "test/fuzz/Oracle.h"
#include "test/fuzz/Rank.h"
#include "tool/executor/Compile.h"
#include "clang/Tooling/CompilationDatabase.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>
#include <set>

using namespace llvm;
using namespace catt;
using namespace catt::fuzz;

static cl::OptionCategory Category("Options of catt-oracle");
static cl::opt<std::string> File(cl::Positional, cl::Required,
                                 cl::desc("file.cu"), cl::cat(Category));
static cl::opt<bool> Rank("rank", cl::cat(Category),
                          cl::desc("Rank candidates, compare nothing"));
static cl::list<std::string> Defines("D", cl::Prefix, cl::cat(Category),
                                     cl::desc("A macro, as for the compiler"));
static cl::list<std::string>
    Arguments(cl::ConsumeAfter, cl::desc("[arguments]"), cl::cat(Category));

namespace {

/// Bytes of an integer parameter of this type; 0: not known.
unsigned integerBytes(StringRef Type) {
  Type.consume_front("const ");
  return StringSwitch<unsigned>(Type)
      .Cases({"int", "unsigned", "unsigned int", "uint", "int32_t", "uint32_t"},
             4)
      .Cases({"long", "unsigned long", "long long", "unsigned long long",
              "size_t", "int64_t", "uint64_t"},
             8)
      .Cases({"short", "unsigned short"}, 2)
      .Cases({"char", "unsigned char", "bool"}, 1)
      .Default(0);
}

/// "a::k<float>(int*, int)" without what follows the name.
std::string nameOf(StringRef Demangled) {
  Demangled.consume_front("void ");
  size_t At = 0;
  while (At < Demangled.size() &&
         (Demangled[At] != '(' ||
          Demangled.substr(At).starts_with("(anonymous namespace)")))
    ++At;
  return Demangled.take_front(At).str();
}

/// Compares launches with what the analysis says of their kernels.
class Comparison {
public:
  explicit Comparison(const Report &R) : Analysed(R) {}

  void take(const simt::HostLaunch &L, simt::Result &Run) {
    for (const KernelReport &K : Analysed.Kernels)
      if (K.Source.Name == nameOf(L.Kernel))
        compare(K.Source, L, Run);
    Run.Trace.clear();
  }

  int report() const {
    for (const auto &[Name, Count] : Seen)
      outs() << format("%12llu  ", static_cast<unsigned long long>(Count))
             << Name << '\n';
    for (const std::string &D : Differences)
      outs() << D << '\n';
    auto Compared = [&](const char *What) { return Seen.count(What) != 0; };
    if (!Differences.empty())
      return 1;
    return Compared("proved counts compared") ||
                   Compared("estimated counts compared") ||
                   Compared("traced addresses compared")
               ? 0
               : 77;
  }

  Counts Seen;

private:
  const Report &Analysed;
  std::vector<std::string> Differences;
  std::set<std::string> Ranked;

  void compare(const Kernel &K, const simt::HostLaunch &L,
               const simt::Result &Run) {
    TracedLaunch T = {L.Grid, L.Block, {}, {}};
    for (size_t I = 0; I < K.Parameters.size(); ++I) {
      const Parameter &P = K.Parameters[I];
      unsigned Bytes = integerBytes(P.Type);
      int64_t Value = 0; // little endian
      std::memcpy(&Value, L.Args[I], P.IsPointer ? 8 : Bytes);
      if (P.IsPointer)
        T.Buffers[P.Name] = uint64_t(Value);
      else if (P.IsInteger && Bytes)
        T.Integers[P.Name] = Bytes == 4 && !StringRef(P.Type).contains("uns")
                                 ? int32_t(Value)
                                 : Value;
    }
    ++Seen["launches"];
    if (Rank) {
      for (const std::string &Row : rankRows(K, T, Run))
        if (Ranked.insert(Row).second) // the same launch again
          outs() << Row << '\n';
      return;
    }
    for (const std::string &D : compareWithTrace(K, T, Run, Seen))
      Differences.push_back(K.Name + ": " + D);
  }
};

/// Arguments for a kernel that nobody calls.
class MadeUp {
public:
  MadeUp(const Kernel &K, const Launch &L) {
    simt::deviceReset();
    Values.reserve(K.Parameters.size());
    for (const Parameter &P : K.Parameters) {
      auto Known = L.Arguments.find(P.Name);
      int64_t Value = Known != L.Arguments.end() ? Known->second : 40;
      constexpr size_t Bytes = 24 << 20;
      if (P.IsPointer) {
        void *Memory = simt::deviceAlloc(Bytes);
        std::memset(Memory, 0, Bytes);
        Value = int64_t(reinterpret_cast<uintptr_t>(Memory));
      } else if (!P.IsInteger) {
        Value = 0; // of a float, or the first bytes of a struct
      }
      Values.push_back({Value});
      Pointers.push_back(Values.back().data());
    }
  }
  const std::vector<void *> &pointers() const { return Pointers; }

private:
  std::vector<std::array<int64_t, 16>> Values;
  std::vector<void *> Pointers;
};

/// The first launch whose block is known.
const Launch *knownLaunch(const Kernel &K) {
  for (const Launch &L : K.Launches)
    if (L.Block.count())
      return &L;
  return nullptr;
}

void runKernels(const simt::Module &Code, const Report &R, simt::Options O,
                Comparison &C) {
  O.Budget = 2'000'000;
  for (const std::string &Name : Code.kernels())
    for (const KernelReport &K : R.Kernels) {
      const Launch *L = knownLaunch(K.Source);
      if (K.Source.Name != nameOf(Name) || !L)
        continue;
      MadeUp Args(K.Source, *L);
      simt::Dim Block = {unsigned(*L->Block.X), unsigned(*L->Block.Y),
                         unsigned(*L->Block.Z)};
      simt::Result Run =
          Code.run(Name, {1}, Block, size_t(L->DynamicSharedBytes.value_or(0)),
                   Args.pointers(), O);
      for (const simt::Finding &F : Run.Findings)
        outs() << F.str() << '\n';
      if (Run.Findings.empty())
        C.take({Name, {1}, Block, Args.pointers().data()}, Run);
    }
}

int usage(Error E) {
  errs() << "catt-oracle: " << toString(std::move(E)) << '\n';
  return 2;
}

Expected<std::unique_ptr<TranslationUnit>>
parsed(const std::string &Path, const std::vector<std::string> &Flags) {
  clang::tooling::CompileCommand Command;
  Command.Directory = "/";
  Command.Filename = Path;
  Command.CommandLine = {"clang++", "-std=c++17"};
  Command.CommandLine.insert(Command.CommandLine.end(), Flags.begin(),
                             Flags.end());
  Command.CommandLine.push_back(Path);
  FrontEndOptions FrontEnd;
  FrontEnd.BuiltInOnly = true;
  return parse(Command, FrontEnd);
}

} // namespace

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(Category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Predicted lines against those touched\n");
  SmallString<128> Path(StringRef(File.getValue()));
  if (std::error_code EC = sys::fs::make_absolute(Path))
    return usage(createStringError(EC, "no current directory"));
  simt::CompileOptions Options;
  Options.Directory = CATT_SIMT_CACHE;
  for (const std::string &D : Defines)
    Options.Arguments.push_back("-D" + D);
  auto Unit = parsed(Path.str().str(), Options.Arguments);
  if (!Unit)
    return usage(Unit.takeError());
  AnalysisOptions Analysis;
  Analysis.Gpu = cantFail(findDevice("h200"));
  auto R = analyze(**Unit, Analysis);
  if (!R)
    return usage(R.takeError());
  auto Object =
      simt::compile({{File, {}}}, simt::Output::SharedObject, Options);
  if (!Object)
    return usage(Object.takeError());
  std::string Message;
  simt::Module Code = simt::Module::load(*Object, Message);
  if (!Code)
    return usage(createStringError(Message));
  Comparison C(*R);
  simt::Options O;
  O.Trace = true;
  O.AfterLaunch = [&](const simt::HostLaunch &L, simt::Result &Run) {
    C.take(L, Run);
  };
  if (!Code.hasMain()) {
    runKernels(Code, *R, O, C);
    return C.report();
  }
  int Status = 0;
  simt::Result Run = Code.callMain(Arguments, O, Status);
  for (const simt::Finding &F : Run.Findings)
    outs() << F.str() << '\n';
  if (Status != 0 || !Run.Findings.empty())
    return 1;
  return C.report();
}
