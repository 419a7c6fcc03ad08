//===- Processes.cpp - Other programs, several at a time ------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/Processes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <deque>
#include <optional>

using llvm::StringRef;

namespace catt {

namespace fs = llvm::sys::fs;

//===-- Temporary files ---------------------------------------------------===//

llvm::Expected<TemporaryFile> TemporaryFile::create(StringRef Suffix,
                                                    StringRef Text) {
  TemporaryFile File;
  int Descriptor = -1;
  if (std::error_code E =
          fs::createTemporaryFile("catt", Suffix, Descriptor, File.Path))
    return llvm::createStringError(E, "cannot make a temporary file");
  llvm::raw_fd_ostream OS(Descriptor, /*shouldClose=*/true);
  OS << Text;
  OS.close();
  if (std::error_code E = OS.error()) {
    OS.clear_error();
    return llvm::createStringError(E, "cannot write a temporary file");
  }
  return File;
}

TemporaryFile::TemporaryFile(TemporaryFile &&Other) noexcept
    : Path(std::move(Other.Path)) {
  Other.Path.clear();
}

TemporaryFile::~TemporaryFile() {
  if (!Path.empty())
    (void)fs::remove(Path);
}

std::string TemporaryFile::text() const {
  auto Buffer = llvm::MemoryBuffer::getFile(Path);
  return Buffer ? (*Buffer)->getBuffer().str() : "";
}

//===-- Processes ---------------------------------------------------------===//

std::string ProcessResult::error() const {
  if (!Why.empty())
    return Why;
  for (StringRef Line : llvm::split(Said, '\n'))
    if (Line.contains("error") || Line.contains("fatal"))
      return Line.str();
  StringRef First = StringRef(Said).split('\n').first;
  return First.empty() ? "no message" : First.str();
}

namespace {
/// A program that was started.
struct Running {
  size_t Index; ///< of its command
  TemporaryFile Output;
  llvm::sys::ProcessInfo Process;
};
} // namespace

static std::optional<Running> start(const CommandLine &Command, size_t Index,
                                    ProcessResult &Result) {
  llvm::Expected<TemporaryFile> Output = TemporaryFile::create("txt", "");
  if (!Output) {
    Result.Why = llvm::toString(Output.takeError());
    return std::nullopt;
  }
  std::string Path = Output->path(), Why;
  std::vector<StringRef> Words(Command.begin(), Command.end());
  bool Failed = false;
  llvm::sys::ProcessInfo Process = llvm::sys::ExecuteNoWait(
      Command.front(), Words, std::nullopt,
      {StringRef(""), StringRef(Path), StringRef(Path)}, 0, &Why, &Failed);
  if (Failed) {
    Result.Why = "cannot run " + Command.front() + ": " + Why;
    return std::nullopt;
  }
  return Running{Index, std::move(*Output), Process};
}

static void finish(const Running &R, unsigned TimeoutSeconds,
                   ProcessResult &Result) {
  Result.Exit =
      llvm::sys::Wait(R.Process, TimeoutSeconds, &Result.Why).ReturnCode;
  Result.Said = R.Output.text();
}

std::vector<ProcessResult> runCommands(llvm::ArrayRef<CommandLine> Commands,
                                       unsigned Jobs, unsigned TimeoutSeconds) {
  std::vector<ProcessResult> Results(Commands.size());
  std::deque<Running> Started;
  auto FinishOne = [&] {
    finish(Started.front(), TimeoutSeconds, Results[Started.front().Index]);
    Started.pop_front();
  };
  for (size_t I = 0; I < Commands.size(); ++I) {
    if (Started.size() >= std::max(Jobs, 1U))
      FinishOne();
    if (std::optional<Running> R = start(Commands[I], I, Results[I]))
      Started.push_back(std::move(*R));
  }
  while (!Started.empty())
    FinishOne();
  return Results;
}

} // namespace catt
