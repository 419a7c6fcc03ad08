//===- Nvcc.cpp - The PTX that a build would have -------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/Nvcc.h"
#include "analysis/registers/Processes.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using llvm::StringRef;

namespace catt {

std::string nvccBeside(StringRef Ptxas) {
  llvm::SmallString<128> Program(llvm::sys::path::parent_path(Ptxas));
  llvm::sys::path::append(Program, "nvcc");
  return llvm::sys::fs::can_execute(Program) ? std::string(Program) : "";
}

static CommandLine commandFor(const NvccOptions &Options,
                              const std::string &Source,
                              const std::string &Ptx) {
  CommandLine Words = {Options.Program,
                       Options.MachineCode ? "-cubin" : "-ptx",
                       "-O3",
                       "-w",
                       "-x",
                       "cu",
                       "-arch=" + Options.Architecture,
                       "--expt-relaxed-constexpr",
                       "--extended-lambda",
                       "-I" + Options.Directory};
  Words.insert(Words.end(), Options.Flags.begin(), Options.Flags.end());
  Words.insert(Words.end(), {Source, "-o", Ptx});
  return Words;
}

namespace {
/// What one process of nvcc reads and writes.
struct Files {
  TemporaryFile Source, Ptx;
};
} // namespace

static llvm::Expected<Files> makeFiles(StringRef Text) {
  llvm::Expected<TemporaryFile> Source = TemporaryFile::create("cu", Text);
  if (!Source)
    return Source.takeError();
  llvm::Expected<TemporaryFile> Ptx = TemporaryFile::create("ptx", "");
  if (!Ptx)
    return Ptx.takeError();
  return Files{std::move(*Source), std::move(*Ptx)};
}

std::vector<NvccResult> compileWithNvcc(llvm::ArrayRef<std::string> Texts,
                                        const NvccOptions &Options) {
  std::vector<NvccResult> Results(Texts.size());
  std::vector<Files> All;
  std::vector<size_t> Of; // the text of each command
  std::vector<CommandLine> Commands;
  for (size_t I = 0; I < Texts.size(); ++I) {
    llvm::Expected<Files> F = makeFiles(Texts[I]);
    if (!F) {
      Results[I].Error = llvm::toString(F.takeError());
      continue;
    }
    Of.push_back(I);
    Commands.push_back(commandFor(Options, F->Source.path(), F->Ptx.path()));
    All.push_back(std::move(*F));
  }
  std::vector<ProcessResult> Ended =
      runCommands(Commands, Options.Jobs, Options.TimeoutSeconds);
  for (size_t C = 0; C < Ended.size(); ++C) {
    NvccResult &R = Results[Of[C]];
    if (Ended[C].Exit != 0)
      R.Error =
          Options.Program + " did not compile the file: " + Ended[C].error();
    else if (R.Ptx = All[C].Ptx.text(); R.Ptx.empty())
      R.Error = Options.Program + " left no code";
  }
  return Results;
}

} // namespace catt
