//===- Estimate.cpp - Prints what is estimated of registers ---------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: catt-registers kernel.ptx
//        catt-registers [--builtin] kernel.cu -- <flags of nvcc>
//        catt-registers --ptx [--builtin] kernel.cu -- <flags of nvcc>
//
// One line of JSON for each kernel: the measures that the model is fitted on,
// the estimate, and the spills predicted under caps of 32, 48 and 64 registers.
// accuracy.py and fit.py read it. With --ptx, the PTX that clang makes instead.
//
//===----------------------------------------------------------------------===//
#include "analysis/frontend/DeviceCode.h"
#include "analysis/registers/Pressure.h"
#include "clang/Tooling/CompilationDatabase.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace catt;

static llvm::Expected<std::string> compile(llvm::StringRef File, bool BuiltIn,
                                           llvm::ArrayRef<char *> Flags) {
  clang::tooling::CompileCommand Command;
  Command.Directory = ".";
  Command.Filename = File.str();
  Command.CommandLine = {"nvcc"};
  Command.CommandLine.insert(Command.CommandLine.end(), Flags.begin(),
                             Flags.end());
  Command.CommandLine.push_back(File.str());
  FrontEndOptions Options;
  Options.BuiltInOnly = BuiltIn;
  Options.KeepPreamble = false;
  auto Unit = parse(Command, Options);
  if (!Unit)
    return Unit.takeError();
  auto Code = compileToPtx(**Unit);
  if (!Code)
    return Code.takeError();
  return std::move(Code->Ptx);
}

static llvm::Expected<std::string> readText(llvm::StringRef File) {
  auto Text = llvm::MemoryBuffer::getFile(File);
  if (!Text)
    return llvm::createStringError(Text.getError(), "cannot read " + File);
  return (*Text)->getBuffer().str();
}

static void print(const ptx::Module &M, const ptx::Function &F) {
  PressureFeatures Features = featuresOf(lower(F));
  PressureOptions Options;
  Options.Caps = {32, 48, 64};
  RegisterUse Use = estimateRegisters(
      M, F, Options, [](const Location &) { return std::string(); });
  llvm::json::OStream J(llvm::outs());
  J.object([&] {
    J.attribute("kernel", F.Name);
    J.attribute("max_live", Features.MaxLive);
    J.attribute("ordered", Features.Ordered);
    J.attribute("batched", Features.Batched);
    J.attribute("operations", Features.Operations);
    J.attribute("across_calls", Features.AcrossCalls);
    J.attribute("calls", Features.Calls);
    J.attribute("registers", Use.Default.Registers);
    J.attributeArray("spills", [&] {
      for (const RegisterPoint &P : Use.Caps)
        J.value(P.spilledBytes());
    });
  });
  llvm::outs() << "\n";
}

int main(int Count, char **Words) {
  llvm::ArrayRef<char *> Rest(Words + 1, Words + Count);
  bool OnlyPtx = !Rest.empty() && llvm::StringRef(Rest.front()) == "--ptx";
  Rest = Rest.drop_front(OnlyPtx ? 1 : 0);
  bool BuiltIn = !Rest.empty() && llvm::StringRef(Rest.front()) == "--builtin";
  Rest = Rest.drop_front(BuiltIn ? 1 : 0);
  if (Rest.empty()) {
    llvm::errs() << "usage: catt-registers [--ptx] [--builtin] <file> "
                    "[-- <flags>]\n";
    return 2;
  }
  llvm::StringRef File = Rest.front();
  auto Text = File.ends_with(".ptx")
                  ? readText(File)
                  : compile(File, BuiltIn,
                            Rest.drop_front(std::min<size_t>(2, Rest.size())));
  if (!Text) {
    llvm::errs() << llvm::toString(Text.takeError()) << "\n";
    return 1;
  }
  if (OnlyPtx) {
    llvm::outs() << *Text;
    return 0;
  }
  auto M = ptx::readPtx(*Text, File);
  if (!M) {
    llvm::errs() << llvm::toString(M.takeError()) << "\n";
    return 1;
  }
  for (const ptx::Function &F : M->Functions)
    if (F.IsEntry)
      print(*M, F);
  return 0;
}
