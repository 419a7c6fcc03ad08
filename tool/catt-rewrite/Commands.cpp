//===- Commands.cpp - How each file is compiled ---------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Commands.h"
#include "Output.h"
#include "clang/Tooling/ArgumentsAdjusters.h"
#include "clang/Tooling/JSONCompilationDatabase.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace clang::tooling;
using namespace llvm;

namespace catt {

/// The path of the database that applies to a file, or nothing: that of the
/// nearest directory around it, or of build/ in it, as clangd looks for it.
static std::string databaseFor(StringRef AbsoluteFile, const Options &O) {
  SmallString<256> Directory(O.BuildPath.empty()
                                 ? sys::path::parent_path(AbsoluteFile)
                                 : StringRef(O.BuildPath));
  while (!Directory.empty()) {
    for (StringRef Inside : {"", "build"}) {
      SmallString<256> Candidate(Directory);
      sys::path::append(Candidate, Inside, "compile_commands.json");
      if (sys::fs::exists(Candidate) || !O.BuildPath.empty())
        return Candidate.str().str();
    }
    StringRef Parent = sys::path::parent_path(Directory);
    if (Parent.size() == Directory.size())
      break;
    Directory.resize(Parent.size());
  }
  return "";
}

Expected<const CompilationDatabase *>
CommandFinder::load(const std::string &Path) {
  std::unique_ptr<CompilationDatabase> &Slot = Loaded[Path];
  if (Slot)
    return Slot.get();
  std::string Message;
  Slot = JSONCompilationDatabase::loadFromFile(
      Path, Message, JSONCommandLineSyntax::AutoDetect);
  if (!Slot)
    return createStringError("'" + Path + "' cannot be used: " + Message);
  return Slot.get();
}

/// The length of the common prefix of two paths, in characters.
static size_t common(StringRef A, StringRef B) {
  size_t N = 0;
  while (N < A.size() && N < B.size() && A[N] == B[N])
    ++N;
  return N;
}

/// True for an entry that compiles CUDA: by the file's name, the compiler's, or
/// the language that is asked for. Flags of the C++ beside it are no guide.
static bool isCuda(const CompileCommand &Entry) {
  if (StringRef(Entry.Filename).ends_with(".cu"))
    return true;
  ArrayRef<std::string> Words = Entry.CommandLine;
  if (!Words.empty() && sys::path::stem(Words.front()) == "nvcc")
    return true;
  for (size_t I = 0; I + 1 < Words.size(); ++I)
    if (Words[I] == "-x" && (Words[I + 1] == "cu" || Words[I + 1] == "cuda"))
      return true;
  return is_contained(Words, "-xcu") || is_contained(Words, "-xcuda");
}

/// The CUDA entry whose file has the longest path in common with this one,
/// compiled for this file instead.
static std::optional<CompileCommand> nearest(const CompilationDatabase &All,
                                             StringRef File) {
  std::optional<CompileCommand> Best;
  auto Rank = [&](const CompileCommand &C) { return common(C.Filename, File); };
  for (CompileCommand &C : All.getAllCompileCommands())
    if (isCuda(C) && (!Best || Rank(C) > Rank(*Best) ||
                      (Rank(C) == Rank(*Best) && C.Filename < Best->Filename)))
      Best = std::move(C);
  if (!Best)
    return std::nullopt;
  std::string Entry = Best->Filename;
  Best->Filename = File.str();
  for (std::string &Argument : Best->CommandLine)
    if (Argument == Entry)
      Argument = File.str();
  Best->Heuristic = "inferred from " + Entry;
  return Best;
}

/// Without a database: flags behind `--`, in the spelling of nvcc unless the
/// first word names another compiler.
static CompileCommand fixedCommand(const Options &O, const std::string &File) {
  std::vector<std::string> Words;
  if (O.CompileFlags)
    Words = *O.CompileFlags;
  if (Words.empty() || StringRef(Words.front()).starts_with("-"))
    Words.insert(Words.begin(), "nvcc");
  Words.push_back(File);
  return CompileCommand(workingDirectory(), File, std::move(Words), "");
}

Expected<FoundCommand> CommandFinder::find(const std::string &Name,
                                           const Options &O) {
  std::string File = absolutePath(Name);
  FoundCommand Found{fixedCommand(O, File),
                     O.CompileFlags ? "the command line"
                                    : "none (no compile command)",
                     !O.CompileFlags};
  std::string Path = O.CompileFlags ? "" : databaseFor(File, O);
  if (!Path.empty()) {
    auto Database = load(Path);
    if (!Database)
      return Database.takeError();
    std::vector<CompileCommand> Entries = (*Database)->getCompileCommands(File);
    if (!Entries.empty()) {
      Found = {Entries.front(), Path, false};
      // The entry may name the file through a link or another directory.
      Found.Command.Filename = File;
    } else if (auto Near = nearest(**Database, File)) {
      Found = {*Near, Path + ", " + Near->Heuristic, false};
    }
  }
  if (Found.Without && O.Strict)
    return createStringError(
        "there is no compile command for '" + Name +
        "', and --strict asks for one; name the directory of "
        "compile_commands.json with -p, or give flags behind --");
  auto Insert = [&](ArrayRef<std::string> Flags, ArgumentInsertPosition Where) {
    if (!Flags.empty())
      Found.Command.CommandLine = getInsertArgumentAdjuster(
          CommandLineArguments(Flags.begin(), Flags.end()),
          Where)(Found.Command.CommandLine, File);
  };
  Insert(O.ExtraArgsBefore, ArgumentInsertPosition::BEGIN);
  Insert(O.ExtraArgs, ArgumentInsertPosition::END);
  return Found;
}

Expected<CommandFinder::Units>
CommandFinder::unitsBeside(const std::string &Name, const Options &O) {
  Units Out;
  std::string Path = O.CompileFlags ? "" : databaseFor(absolutePath(Name), O);
  if (Path.empty())
    return Out;
  auto Database = load(Path);
  if (!Database)
    return Database.takeError();
  for (const CompileCommand &C : (*Database)->getAllCompileCommands()) {
    SmallString<256> File(C.Filename);
    sys::path::make_absolute(C.Directory, File);
    sys::path::remove_dots(File, /*remove_dot_dot=*/true);
    (isCuda(C) ? Out.Cuda : Out.NotCuda).push_back(File.str().str());
  }
  return Out;
}

} // namespace catt
