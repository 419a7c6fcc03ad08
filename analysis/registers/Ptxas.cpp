//===- Ptxas.cpp - What the real assembler says ---------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/Ptxas.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
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

static llvm::Error fail(const llvm::Twine &Message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), Message);
}

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

/// The number in front of What: "24" of "bytes stack frame, 24 bytes spill".
static unsigned numberBefore(StringRef Line, StringRef What) {
  StringRef Head = Line.substr(0, Line.find(What)).rtrim();
  StringRef Digits =
      Head.take_back(Head.size() - Head.find_last_not_of("0123456789") - 1);
  unsigned Number = 0;
  return !Line.contains(What) || Digits.getAsInteger(10, Number) ? 0 : Number;
}

std::map<std::string, RegisterPoint> readPtxasMessages(StringRef Text,
                                                       unsigned Cap) {
  std::map<std::string, RegisterPoint> Found;
  std::string Kernel;
  bool OfKernel = false; // or of a function that it calls
  RegisterPoint Point;
  for (StringRef Line : llvm::split(Text, '\n')) {
    if (Line.contains("Compiling entry function '")) {
      Kernel = Line.split('\'').second.split('\'').first.str();
      Point = RegisterPoint();
      Point.CapRegisters = Cap;
      Point.From = Origin::Measured;
    } else if (Line.contains("Function properties for ")) {
      OfKernel = Line.split("Function properties for ").second.trim() == Kernel;
    } else if (OfKernel && Line.contains("bytes stack frame")) {
      Point.StackBytes = numberBefore(Line, "bytes stack frame");
      Point.SpillStoreBytes = numberBefore(Line, "bytes spill stores");
      Point.SpillLoadBytes = numberBefore(Line, "bytes spill loads");
    } else if (Line.contains("Used ") && !Kernel.empty()) {
      Point.Registers = numberBefore(Line, "registers");
      Point.SharedBytes = numberBefore(Line, "bytes smem");
      Found[Kernel] = Point;
      Kernel.clear();
    }
  }
  return Found;
}

namespace {

/// One run of ptxas.
struct Run {
  unsigned Cap = 0;
  std::string CacheFile; ///< empty: not kept
  std::string Messages;
  llvm::SmallString<128> Output; ///< where the process writes them
  llvm::sys::ProcessInfo Process;
};

/// A temporary file that goes away with its owner.
struct Temporary {
  llvm::SmallString<128> Path;
  Temporary() = default;
  Temporary(const Temporary &) = delete;
  Temporary &operator=(const Temporary &) = delete;
  ~Temporary() {
    if (!Path.empty())
      (void)fs::remove(Path);
  }
};

} // namespace

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

static std::string cacheFile(StringRef Ptx, unsigned Cap,
                             const PtxasOptions &Options) {
  if (Options.CacheDirectory.empty())
    return "";
  fs::file_status Program;
  llvm::SHA256 Hash;
  Hash.update(Ptx);
  Hash.update("|" + std::to_string(Cap) + "|" + Options.Architecture + "|" +
              Options.Program);
  if (!fs::status(Options.Program, Program))
    Hash.update(
        "|" + std::to_string(Program.getSize()) + "|" +
        std::to_string(
            Program.getLastModificationTime().time_since_epoch().count()));
  llvm::SmallString<128> Path(Options.CacheDirectory);
  path::append(Path, llvm::toHex(Hash.final(), /*LowerCase=*/true) + ".txt");
  return std::string(Path);
}

static llvm::Error start(Run &R, StringRef PtxFile,
                         const PtxasOptions &Options) {
  if (fs::createTemporaryFile("catt-ptxas", "txt", R.Output))
    return fail("cannot make a temporary file for ptxas");
  std::vector<std::string> Arguments = {
      Options.Program, "-v",         "-arch=" + Options.Architecture, "-o",
      "/dev/null",     PtxFile.str()};
  if (R.Cap != 0)
    Arguments.push_back("-maxrregcount=" + std::to_string(R.Cap));
  std::vector<StringRef> Views(Arguments.begin(), Arguments.end());
  std::string Why;
  bool Failed = false;
  R.Process = llvm::sys::ExecuteNoWait(
      Options.Program, Views, std::nullopt,
      {StringRef(""), StringRef(R.Output), StringRef(R.Output)}, 0, &Why,
      &Failed);
  return Failed ? fail("cannot run " + Options.Program + ": " + Why)
                : llvm::Error::success();
}

/// Waits for R, and keeps what it said if it succeeded.
static llvm::Error finish(Run &R, const PtxasOptions &Options) {
  std::string Why;
  llvm::sys::ProcessInfo Ended =
      llvm::sys::Wait(R.Process, Options.TimeoutSeconds, &Why);
  if (auto Text = llvm::MemoryBuffer::getFile(R.Output))
    R.Messages = (*Text)->getBuffer().str();
  (void)fs::remove(R.Output);
  if (Ended.ReturnCode == 0) {
    keep(R.CacheFile, R.Messages);
    return llvm::Error::success();
  }
  StringRef First = StringRef(R.Messages).split('\n').first;
  for (StringRef Line : llvm::split(R.Messages, '\n'))
    if (Line.contains("error") || Line.contains("fatal")) {
      First = Line;
      break;
    }
  return fail(Options.Program + " did not assemble the PTX: " +
              (Why.empty() ? First : StringRef(Why)));
}

/// Runs those that the cache does not know, Options.Jobs at a time.
static llvm::Error runAll(std::vector<Run> &Runs, StringRef Ptx,
                          const PtxasOptions &Options) {
  std::vector<Run *> Todo;
  for (Run &R : Runs)
    if (R.Messages.empty())
      Todo.push_back(&R);
  if (Todo.empty())
    return llvm::Error::success();
  Temporary File;
  int Descriptor = -1;
  if (fs::createTemporaryFile("catt", "ptx", Descriptor, File.Path))
    return fail("cannot make a temporary file for ptxas");
  {
    llvm::raw_fd_ostream OS(Descriptor, /*shouldClose=*/true);
    OS << Ptx;
  }
  llvm::Error All = llvm::Error::success();
  unsigned Step = std::max(Options.Jobs, 1U);
  for (size_t Begin = 0; Begin < Todo.size(); Begin += Step) {
    auto Batch = llvm::ArrayRef(Todo).slice(
        Begin, std::min<size_t>(Step, Todo.size() - Begin));
    std::vector<Run *> Started;
    for (Run *R : Batch) {
      if (llvm::Error E = start(*R, File.Path, Options))
        All = llvm::joinErrors(std::move(All), std::move(E));
      else
        Started.push_back(R);
    }
    for (Run *R : Started)
      All = llvm::joinErrors(std::move(All), finish(*R, Options));
    if (All)
      return All;
  }
  return All;
}

llvm::Expected<PtxasAnswer> askPtxas(StringRef Ptx,
                                     llvm::ArrayRef<unsigned> Caps,
                                     const PtxasOptions &Options) {
  std::vector<Run> Runs;
  for (unsigned Cap : Caps) {
    Run R;
    R.Cap = Cap;
    R.CacheFile = cacheFile(Ptx, Cap, Options);
    if (auto Text = llvm::MemoryBuffer::getFile(R.CacheFile);
        !R.CacheFile.empty() && Text &&
        !readPtxasMessages((*Text)->getBuffer(), Cap).empty())
      R.Messages = (*Text)->getBuffer().str();
    Runs.push_back(std::move(R));
  }
  if (llvm::Error E = runAll(Runs, Ptx, Options))
    return std::move(E);
  PtxasAnswer Answer;
  for (const Run &R : Runs)
    for (auto &[Kernel, Point] : readPtxasMessages(R.Messages, R.Cap))
      Answer[Kernel].push_back(Point);
  return Answer;
}

} // namespace catt
