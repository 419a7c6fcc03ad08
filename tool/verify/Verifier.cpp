//===- Verifier.cpp - What --verify does ----------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/verify/Verifier.h"
#include "analysis/frontend/NvccFlags.h"
#include "tool/catt-rewrite/Commands.h"
#include "tool/catt-rewrite/Output.h"
#include "tool/verify/Verify.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace catt {
namespace {

/// Of a compile command what tells how a text is read. The executor has its own
/// way with all else: optimization, architectures, warnings.
std::vector<std::string> readingFlags(ArrayRef<std::string> Flags) {
  constexpr StringLiteral WithValue[] = {
      "-I", "-isystem", "-iquote", "-include", "-idirafter", "-D", "-U"};
  std::vector<std::string> Kept;
  for (size_t I = 0; I < Flags.size(); ++I) {
    StringRef Flag = Flags[I];
    if (Flag.starts_with("-std="))
      Kept.push_back(Flag.str());
    for (StringRef Name : WithValue) {
      if (!Flag.starts_with(Name) || Flag.starts_with("-include-"))
        continue;
      Kept.push_back(Flag.str());
      if (Flag == Name && I + 1 < Flags.size())
        Kept.push_back(Flags[++I]);
      break;
    }
  }
  return Kept;
}

Expected<std::vector<simt::Source>> sourcesOf(ArrayRef<Task> Tasks) {
  std::vector<simt::Source> Sources;
  CommandFinder Finder;
  for (const Task &T : Tasks) {
    Expected<FoundCommand> Found = Finder.find(T.File, T.O);
    if (!Found)
      return Found.takeError();
    Expected<ClangCommand> Clang =
        translateNvcc(Found->Command.CommandLine, Found->Command.Directory,
                      *vfs::getRealFileSystem());
    if (!Clang)
      return Clang.takeError();
    Sources.push_back({absolutePath(T.File), readingFlags(Clang->Arguments),
                       Found->Command.Directory});
  }
  return Sources;
}

Expected<Verification> compared(const Options &O, ArrayRef<Task> Tasks,
                                const EditedFiles &Files) {
  watchForInterrupts();
  if (!O.RunCommand.empty()) {
    TrialOptions Trying;
    Trying.Build = O.BuildCommand;
    Trying.Run = O.RunCommand;
    Trying.LimitSeconds = O.LimitSeconds;
    return verifyByRunning(Trying, Files);
  }
  VerifyOptions How;
  Expected<std::vector<simt::Source>> Sources = sourcesOf(Tasks);
  if (!Sources)
    return Sources.takeError();
  How.Sources = std::move(*Sources);
  How.Arguments = O.Arguments;
  How.LimitSeconds = O.LimitSeconds;
  return verifyOnExecutor(How, Files);
}

} // namespace

Expected<bool> verifyProgram(const Options &O, ArrayRef<Task> Tasks,
                             const MergedFiles &Files) {
  EditedFiles Edited;
  for (const auto &[Path, File] : Files)
    Edited[Path] = {File.Old, File.New, File.Edits};
  Expected<Verification> V = compared(O, Tasks, Edited);
  if (!V)
    return createStringError("--verify: " + toString(V.takeError()));
  for (const std::string &Line : V->Said)
    if (!V->Equal)
      complain("--verify: " + Line);
    else if (!O.Quiet)
      errs() << "catt-rewrite: note: verified: " << Line << "\n";
  return V->Equal;
}

} // namespace catt
