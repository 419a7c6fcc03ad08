//===- Ptxas.cpp - What the real assembler says ---------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/Ptxas.h"
#include "analysis/registers/Processes.h"
#include "analysis/registers/PtxasLog.h"
#include "analysis/registers/WarpTimeline.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using llvm::StringRef;

namespace catt {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

std::string findPtxas(StringRef ToolkitPath) {
  std::string Environment =
      llvm::sys::Process::GetEnv("CUDA_PATH").value_or("");
  for (StringRef Root : {ToolkitPath, StringRef(Environment)}) {
    llvm::SmallString<128> Program(Root);
    path::append(Program, "bin", "ptxas");
    if (!Root.empty() && fs::can_execute(Program))
      return std::string(Program);
  }
  auto OnPath = llvm::sys::findProgramByName("ptxas");
  return OnPath ? *OnPath : "";
}

std::string ptxasCacheDirectory() {
  llvm::SmallString<128> Directory;
  if (auto Xdg = llvm::sys::Process::GetEnv("XDG_CACHE_HOME");
      Xdg && !Xdg->empty())
    Directory = *Xdg;
  else if (!path::cache_directory(Directory))
    return "";
  path::append(Directory, "catt", "ptxas");
  return std::string(Directory);
}

/// How a kernel's WarpCost stands behind the messages that are kept.
static constexpr StringRef CostMark = "catt: warp ";

/// A line for each kernel of a cubin: its name, and the members of its
/// WarpCost.
static std::string costLines(StringRef Cubin, StringRef Architecture) {
  auto Costs = costsOfWarps(Cubin, Architecture);
  if (!Costs) { // another toolkit's format: nothing is known of it
    llvm::consumeError(Costs.takeError());
    return "";
  }
  std::string Out;
  for (const auto &[Name, C] : *Costs) {
    Out += CostMark.str() + Name;
    for (double WarpCost::*Each : WarpCostMembers)
      Out += llvm::formatv(" {0}", C.*Each).str();
    Out += "\n";
  }
  return Out;
}

static std::optional<WarpCost> readCost(StringRef Line) {
  WarpCost C;
  for (double WarpCost::*Each : WarpCostMembers) {
    auto [Word, Rest] = Line.split(' ');
    if (Word.getAsDouble(C.*Each))
      return std::nullopt;
    Line = Rest;
  }
  return C;
}

static void addCosts(StringRef Text, PtxasAnswer &Found) {
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    Text = Rest;
    if (!Line.consume_front(CostMark))
      continue;
    auto [Name, Members] = Line.split(' ');
    if (auto Of = Found.find(Name.str()); Of != Found.end())
      Of->second.Warp = readCost(Members);
  }
}

PtxasAnswer readPtxasMessages(StringRef Text, unsigned Cap) {
  PtxasAnswer Found;
  for (PtxasEntry &Entry : scanPtxasLog(Text).Entries) {
    Entry.Point.CapRegisters = Cap;
    Found[Entry.Symbol] = Entry.Point;
  }
  addCosts(Text, Found);
  return Found;
}

/// Writes Text to Path in one step; failing to keep it is no error.
static void keep(StringRef Path, StringRef Text) {
  if (Path.empty() || fs::create_directories(path::parent_path(Path)))
    return;
  auto File = fs::TempFile::create(Path + ".%%%%%%");
  if (!File) {
    llvm::consumeError(File.takeError());
    return;
  }
  llvm::raw_fd_ostream OS(File->FD, /*shouldClose=*/false);
  OS << Text;
  OS.flush();
  bool Bad = OS.has_error();
  OS.clear_error();
  llvm::consumeError(Bad ? File->discard() : File->keep(Path));
}

static std::string cacheFile(const PtxasQuestion &Q,
                             const PtxasOptions &Options) {
  if (Options.CacheDirectory.empty())
    return "";
  fs::file_status Program;
  llvm::SHA256 Hash;
  Hash.update(Q.Ptx);
  Hash.update("|costs 5|" + std::to_string(Q.Cap) + "|" + Options.Architecture +
              "|" + Options.Program);
  for (const std::string &Kernel : Q.Kernels)
    Hash.update("|" + Kernel);
  if (!fs::status(Options.Program, Program))
    Hash.update(
        "|" + std::to_string(Program.getSize()) + "|" +
        std::to_string(
            Program.getLastModificationTime().time_since_epoch().count()));
  llvm::SmallString<128> Path(Options.CacheDirectory);
  path::append(Path, llvm::toHex(Hash.final(), /*LowerCase=*/true) + ".txt");
  return std::string(Path);
}

static CommandLine commandFor(const PtxasQuestion &Q, const std::string &File,
                              const std::string &Cubin,
                              const PtxasOptions &Options) {
  CommandLine Words = {
      Options.Program, "-v", "-arch=" + Options.Architecture, "-o",
      Cubin,           File};
  if (Q.Cap != 0)
    Words.push_back("-maxrregcount=" + std::to_string(Q.Cap));
  if (!Q.Kernels.empty()) {
    Words.push_back("--entry");
    Words.push_back(llvm::join(Q.Kernels, ","));
  }
  return Words;
}

namespace {
/// What the cache does not know.
struct Unknown {
  size_t Question; ///< its index
  std::string CacheFile;
};
} // namespace

/// Runs the assembler, and keeps what it says.
static llvm::Error runAll(llvm::ArrayRef<PtxasQuestion> Questions,
                          llvm::ArrayRef<Unknown> Todo,
                          const PtxasOptions &Options,
                          std::vector<std::string> &Messages) {
  std::map<StringRef, TemporaryFile> Files; // one for each text
  std::vector<TemporaryFile> Cubins;
  std::vector<CommandLine> Commands;
  for (const Unknown &U : Todo) {
    const PtxasQuestion &Q = Questions[U.Question];
    auto At = Files.find(Q.Ptx);
    if (At == Files.end()) {
      llvm::Expected<TemporaryFile> File = TemporaryFile::create("ptx", Q.Ptx);
      if (!File)
        return File.takeError();
      At = Files.emplace(Q.Ptx, std::move(*File)).first;
    }
    llvm::Expected<TemporaryFile> Cubin = TemporaryFile::create("cubin", "");
    if (!Cubin)
      return Cubin.takeError();
    Cubins.push_back(std::move(*Cubin));
    Commands.push_back(
        commandFor(Q, At->second.path(), Cubins.back().path(), Options));
  }
  std::vector<ProcessResult> Ended =
      runCommands(Commands, Options.Jobs, Options.TimeoutSeconds);
  for (auto [U, R, Cubin] : llvm::zip_equal(Todo, Ended, Cubins)) {
    if (R.Exit != 0)
      return llvm::createStringError(Options.Program +
                                     " did not assemble the PTX: " + R.error());
    R.Said += costLines(Cubin.text(), Options.Architecture);
    keep(U.CacheFile, R.Said);
    Messages[U.Question] = std::move(R.Said);
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<PtxasAnswer>>
askPtxas(llvm::ArrayRef<PtxasQuestion> Questions, const PtxasOptions &Options) {
  std::vector<std::string> Messages(Questions.size());
  std::vector<Unknown> Todo;
  for (size_t I = 0; I < Questions.size(); ++I) {
    std::string File = cacheFile(Questions[I], Options);
    auto Text = llvm::MemoryBuffer::getFile(File);
    if (!File.empty() && Text &&
        !readPtxasMessages((*Text)->getBuffer(), 0).empty())
      Messages[I] = (*Text)->getBuffer().str();
    else
      Todo.push_back({I, std::move(File)});
  }
  if (llvm::Error E = runAll(Questions, Todo, Options, Messages))
    return std::move(E);
  std::vector<PtxasAnswer> Answers;
  for (auto [Q, Text] : llvm::zip(Questions, Messages))
    Answers.push_back(readPtxasMessages(Text, Q.Cap));
  return Answers;
}

} // namespace catt
