//===- Nvcc.cpp - The PTX that a build would have -------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/Nvcc.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using llvm::StringRef;

namespace catt {

static llvm::Error fail(const llvm::Twine &Message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), Message);
}

std::string nvccBeside(StringRef Ptxas) {
  llvm::SmallString<128> Program(llvm::sys::path::parent_path(Ptxas));
  llvm::sys::path::append(Program, "nvcc");
  return llvm::sys::fs::can_execute(Program) ? std::string(Program) : "";
}

/// The line of nvcc's messages that says what is wrong.
static std::string firstError(StringRef Messages) {
  for (StringRef Line : llvm::split(Messages, '\n'))
    if (Line.contains("error") || Line.contains("fatal"))
      return Line.str();
  return Messages.split('\n').first.str();
}

llvm::Expected<std::string> compileWithNvcc(StringRef Text,
                                            const NvccOptions &Options) {
  llvm::SmallString<128> Source, Ptx, Messages;
  for (auto [Path, Suffix] : {std::pair(&Source, "cu"), std::pair(&Ptx, "ptx"),
                              std::pair(&Messages, "txt")})
    if (llvm::sys::fs::createTemporaryFile("catt", Suffix, *Path))
      return fail("cannot make a temporary file for nvcc");
  llvm::FileRemover RemoveSource(Source), RemovePtx(Ptx),
      RemoveMessages(Messages);
  std::error_code Bad;
  {
    llvm::raw_fd_ostream OS(Source, Bad);
    if (!Bad)
      OS << Text;
  }
  if (Bad)
    return fail("cannot write a temporary file for nvcc: " + Bad.message());
  std::vector<std::string> Words = {Options.Program,
                                    "-ptx",
                                    "-O3",
                                    "-w",
                                    "-x",
                                    "cu",
                                    "-arch=" + Options.Architecture,
                                    "--expt-relaxed-constexpr",
                                    "--extended-lambda",
                                    "-I" + Options.Directory,
                                    std::string(Source),
                                    "-o",
                                    std::string(Ptx)};
  Words.insert(Words.end() - 3, Options.Flags.begin(), Options.Flags.end());
  std::string Why;
  bool Failed = false;
  int Exit = llvm::sys::ExecuteAndWait(
      Options.Program, std::vector<StringRef>(Words.begin(), Words.end()),
      std::nullopt, {StringRef(""), StringRef(Messages), StringRef(Messages)},
      Options.TimeoutSeconds, 0, &Why, &Failed);
  if (Failed || Exit < 0)
    return fail("cannot run " + Options.Program + ": " + Why);
  auto Said = llvm::MemoryBuffer::getFile(Messages);
  if (Exit != 0)
    return fail(Options.Program + " did not compile the file: " +
                (Said ? firstError((*Said)->getBuffer()) : "no message"));
  auto Result = llvm::MemoryBuffer::getFile(Ptx);
  if (!Result)
    return fail(Options.Program + " left no PTX");
  return (*Result)->getBuffer().str();
}

} // namespace catt
