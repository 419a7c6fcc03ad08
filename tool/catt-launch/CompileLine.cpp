//===- CompileLine.cpp - What a compiler is asked to do ------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CompileLine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace catt {
namespace {

/// Programs that run the compiler that follows them.
constexpr StringLiteral Launchers[] = {"ccache", "sccache", "distcc", "icecc",
                                       "icecream"};

/// Options whose value is a word of its own and could look like a source.
constexpr StringLiteral WithValue[] = {"-o",
                                       "--output-file",
                                       "-MF",
                                       "--dependency-output",
                                       "-MT",
                                       "-MQ",
                                       "-I",
                                       "-include",
                                       "-x",
                                       "--pre-include",
                                       "-D",
                                       "-ccbin",
                                       "-optf",
                                       "--options-file",
                                       "-isystem",
                                       "-odir",
                                       "--output-directory"};

/// Modes that name dependencies, or nothing, instead of compiling.
constexpr StringLiteral NoCompilation[] = {
    "-M",       "-MM",      "--generate-dependencies",
    "--dryrun", "-dryrun",  "--generate-nonsystem-dependencies",
    "--help",   "--version"};

bool isSource(StringRef Word, bool ForcedCuda) {
  StringRef Extension = sys::path::extension(Word);
  return Extension == ".cu" ||
         (ForcedCuda && is_contained({".cpp", ".cc", ".cxx", ".c"}, Extension));
}

bool forcesCuda(ArrayRef<std::string> Words) {
  for (size_t I = 0; I < Words.size(); ++I) {
    StringRef Word = Words[I];
    if (is_contained({"-xcu", "-xcuda", "--x=cu", "-x=cu"}, Word))
      return true;
    if (is_contained({"-x", "--x"}, Word) && I + 1 < Words.size() &&
        (Words[I + 1] == "cu" || Words[I + 1] == "cuda"))
      return true;
  }
  return false;
}

/// The value of an option in one of its spellings: "-o x", "--output-file=x".
std::string valueOf(ArrayRef<std::string> Words, StringRef Short,
                    StringRef Long) {
  for (size_t I = 0; I < Words.size(); ++I) {
    StringRef Word = Words[I];
    if ((Word == Short || Word == Long) && I + 1 < Words.size())
      return Words[I + 1];
    if (Word.consume_front(Long) && Word.consume_front("="))
      return Word.str();
  }
  return "";
}

/// What the compiler names its result after the source, without -o.
std::string defaultOutput(ArrayRef<std::string> Words, StringRef Input) {
  auto Has = [&](std::initializer_list<StringRef> Spellings) {
    return any_of(Spellings,
                  [&](StringRef S) { return is_contained(Words, S); });
  };
  StringRef Stem = sys::path::stem(Input);
  if (Has({"-c", "--compile", "-dc", "--device-c", "-dw", "--device-w"}))
    return (Stem + ".o").str();
  if (Has({"-ptx", "--ptx"}))
    return (Stem + ".ptx").str();
  if (Has({"-cubin", "--cubin"}))
    return (Stem + ".cubin").str();
  if (Has({"-fatbin", "--fatbin"}))
    return (Stem + ".fatbin").str();
  if (Has({"-S"}))
    return (Stem + ".s").str();
  return "a.out";
}

} // namespace

std::vector<std::string> takeOptions(ArrayRef<const char *> Arguments,
                                     CompileLine &Out) {
  const auto *Command = find_if(
      Arguments, [](const char *A) { return !StringRef(A).starts_with("-"); });
  Out.Words.assign(Command, Arguments.end());
  return {Arguments.begin(), Command};
}

bool understand(CompileLine &Line) {
  const std::vector<std::string> &Words = Line.Words;
  auto Name = [&](size_t I) { return sys::path::stem(Words[I]); };
  while (Line.Compiler + 1 < Words.size() &&
         is_contained(Launchers, Name(Line.Compiler)))
    ++Line.Compiler;
  ArrayRef<std::string> Flags =
      ArrayRef(Words).drop_front(std::min(Line.Compiler + 1, Words.size()));
  if (any_of(Flags, [](StringRef W) { return is_contained(NoCompilation, W); }))
    return false;
  Line.IsClang = Name(Line.Compiler).contains("clang");
  bool ForcedCuda = forcesCuda(Flags);
  for (size_t I = Line.Compiler + 1; I < Words.size(); ++I)
    if (!StringRef(Words[I]).starts_with("-") &&
        !is_contained(WithValue, Words[I - 1]) &&
        isSource(Words[I], ForcedCuda))
      Line.Inputs.push_back(I);
  if (Line.Inputs.empty())
    return false;
  Line.Output = valueOf(Flags, "-o", "--output-file");
  Line.HasOutput = !Line.Output.empty();
  Line.Preprocesses =
      is_contained(Flags, "-E") || is_contained(Flags, "--preprocess");
  Line.ToStdout = Line.Preprocesses && (!Line.HasOutput || Line.Output == "-");
  if (!Line.HasOutput) {
    // Several results would need several names.
    Line.Output = defaultOutput(Flags, Words[Line.Inputs.front()]);
    if (Line.Inputs.size() > 1 && Line.Output != "a.out")
      return false;
  }
  Line.Depfile = valueOf(Flags, "-MF", "--dependency-output");
  if (Line.Depfile.empty() && any_of(Flags, [](StringRef W) {
        return is_contained({"-MD", "-MMD",
                             "--generate-dependencies-with-compile",
                             "--generate-nonsystem-dependencies-with-compile"},
                            W);
      })) {
    SmallString<256> Path(Line.Output);
    sys::path::replace_extension(Path, "d");
    Line.Depfile = Path.str().str();
  }
  return true;
}

std::vector<std::string> withInputs(const CompileLine &Line,
                                    ArrayRef<std::string> Inputs) {
  std::vector<std::string> Words = Line.Words;
  std::vector<std::string> Quoted;
  for (auto [Index, New] : zip(Line.Inputs, Inputs)) {
    SmallString<256> Directory(Words[Index]);
    (void)sys::fs::make_absolute(Directory);
    sys::path::remove_filename(Directory);
    if (Line.IsClang) {
      Quoted.push_back("-iquote");
      Quoted.push_back(Directory.str().str());
    } else {
      Quoted.push_back(("-Xcompiler=-iquote," + Directory).str());
    }
    Words[Index] = New;
  }
  Words.insert(Words.begin() + Line.Compiler + 1, Quoted.begin(), Quoted.end());
  // Without -o the result would be named after the other file.
  if (!Line.HasOutput && !Line.ToStdout) {
    Words.push_back("-o");
    Words.push_back(Line.Output);
  }
  return Words;
}

std::vector<std::string> flagsOf(const CompileLine &Line) {
  std::vector<std::string> Words;
  for (size_t I = Line.Compiler; I < Line.Words.size(); ++I)
    if (!is_contained(Line.Inputs, I))
      Words.push_back(Line.Words[I]);
  return Words;
}

} // namespace catt
