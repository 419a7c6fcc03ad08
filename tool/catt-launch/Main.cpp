//===- Main.cpp - catt-launch, a compiler launcher -----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   catt-launch [options of catt-rewrite] nvcc -c a.cu -o b/a.o
//     | catt-rewrite -o b/a.o.catt.cu a.cu -- nvcc -c -o b/a.o
//     | nvcc -c b/a.o.catt.cu -o b/a.o        else   nvcc -c a.cu -o b/a.o
//     v
//   b/a.o, and a dependency file that names a.cu
//
// Whatever goes wrong on the way, the original is compiled instead, with one
// line of warning: a build never fails because of this program. Nothing is
// written but the temporary file beside the result, which goes away again.
//
//===----------------------------------------------------------------------===//
#include "CompileLine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <optional>
#include <unistd.h>

using namespace llvm;
using namespace catt;

namespace {

void warn(const Twine &Message) {
  errs() << "catt-launch: warning: " << Message << "\n";
}

/// A temporary file that goes away with this object, or with a signal.
class Temporary {
public:
  explicit Temporary(std::string Path) : Path(std::move(Path)) {
    sys::RemoveFileOnSignal(this->Path);
  }
  Temporary(const Temporary &) = delete;
  Temporary &operator=(const Temporary &) = delete;
  ~Temporary() {
    (void)sys::fs::remove(Path);
    sys::DontRemoveFileOnSignal(Path);
  }
  const std::string &path() const { return Path; }
  std::string text() const {
    auto Buffer = MemoryBuffer::getFile(Path);
    return Buffer ? (*Buffer)->getBuffer().str() : "";
  }

private:
  std::string Path;
};

/// Runs a command; its output goes to files where they are named. The exit
/// code, or -1 if it could not be run or was killed.
int runProgram(ArrayRef<std::string> Words, StringRef Out = "",
               StringRef Err = "") {
  ErrorOr<std::string> Program = sys::findProgramByName(Words.front());
  if (!Program)
    return -1;
  std::vector<StringRef> Arguments(Words.begin(), Words.end());
  auto To = [](StringRef Path) {
    return Path.empty() ? std::optional<StringRef>() : Path;
  };
  std::optional<StringRef> Redirects[] = {std::nullopt, To(Out), To(Err)};
  return sys::ExecuteAndWait(*Program, Arguments, std::nullopt, Redirects);
}

/// Becomes the command. Returns only if that is not possible.
int become(ArrayRef<std::string> Words) {
  std::vector<char *> Arguments;
  for (const std::string &Word : Words)
    Arguments.push_back(const_cast<char *>(Word.c_str()));
  Arguments.push_back(nullptr);
  errs().flush();
  ::execvp(Arguments.front(), Arguments.data());
  errs() << "catt-launch: error: '" << Words.front()
         << "' cannot be run: " << strerror(errno) << "\n";
  return 127;
}

/// $CATT_REWRITE, the one beside this program, or the one on the PATH.
std::string findRewriter(const char *Argv0) {
  if (const char *Told = std::getenv("CATT_REWRITE"))
    return Told;
  static int Anchor;
  SmallString<256> Beside(sys::fs::getMainExecutable(Argv0, &Anchor));
  sys::path::remove_filename(Beside);
  sys::path::append(Beside, "catt-rewrite");
  return sys::fs::can_execute(Beside) ? Beside.str().str() : "catt-rewrite";
}

/// Every occurrence replaced.
std::string replaced(std::string Text, StringRef Old, StringRef New) {
  for (size_t At = Text.find(Old); At != std::string::npos;
       At = Text.find(Old, At + New.size()))
    Text.replace(At, Old.size(), New);
  return Text;
}

class Launcher {
public:
  Launcher(CompileLine Line, std::vector<std::string> Options,
           std::string Rewriter)
      : Line(std::move(Line)), Options(std::move(Options)),
        Rewriter(std::move(Rewriter)) {}

  /// The exit code of the compiler if rewritten sources were compiled; nothing
  /// if the originals are to be compiled.
  std::optional<int> run() {
    for (size_t Index : Line.Inputs)
      if (!rewrite(Line.Words[Index]))
        return std::nullopt;
    return compile();
  }

private:
  std::string temporaryFor(StringRef Input) const {
    std::string Stem = Line.Inputs.size() > 1 || Line.ToStdout
                           ? Line.Output + "." + sys::path::stem(Input).str()
                           : Line.Output;
    // Preprocessors of one source may run at the same time, all to a pipe.
    if (Line.ToStdout)
      Stem += "." + std::to_string(sys::Process::getProcessId());
    return Stem + ".catt.cu";
  }

  bool rewrite(const std::string &Input) {
    Sources.push_back(std::make_unique<Temporary>(temporaryFor(Input)));
    const std::string &New = Sources.back()->path();
    Temporary Messages(New + ".messages");
    std::vector<std::string> Words = {Rewriter, "--quiet", "--line-directives",
                                      "-o", New};
    append_range(Words, Options);
    Words.push_back(Input);
    Words.push_back("--");
    append_range(Words, flagsOf(Line));
    if (runProgram(Words, "", Messages.path()) == 0)
      return true;
    std::string Why = StringRef(Messages.text()).split('\n').first.str();
    warn("'" + Input + "' is compiled as it is: " +
         (Why.empty() ? "'" + Rewriter + "' cannot be run" : Why));
    return false;
  }

  std::optional<int> compile() {
    std::vector<std::string> Paths;
    for (const auto &Source : Sources)
      Paths.push_back(Source->path());
    Temporary Messages(Paths.front() + ".messages");
    Temporary Output(Paths.front() + ".stdout");
    int Status =
        runProgram(withInputs(Line, Paths), Line.ToStdout ? Output.path() : "",
                   Messages.path());
    if (Status != 0) {
      warn("'" + Line.Words[Line.Inputs.front()] +
           "' is compiled as it is: the compiler rejects the rewritten source");
      return std::nullopt;
    }
    errs() << withOriginals(Messages.text());
    if (Line.ToStdout)
      outs() << withOriginals(Output.text());
    nameOriginalsIn(Line.Depfile);
    // Whoever compares preprocessed texts must not see a temporary name.
    if (Line.Preprocesses && !Line.ToStdout)
      nameOriginalsIn(Line.Output);
    return Status;
  }

  /// A text of the compiler's with the sources' own names.
  std::string withOriginals(std::string Text) const {
    for (auto [Index, Source] : zip(Line.Inputs, Sources))
      Text = replaced(std::move(Text), Source->path(), Line.Words[Index]);
    return Text;
  }

  /// A build system that waits for the temporary file would never be done.
  void nameOriginalsIn(const std::string &File) const {
    if (File.empty())
      return;
    auto Buffer = MemoryBuffer::getFile(File);
    if (!Buffer)
      return;
    std::string Text = withOriginals((*Buffer)->getBuffer().str());
    for (auto [Index, Source] : zip(Line.Inputs, Sources))
      Text = replaced(std::move(Text), replaced(Source->path(), " ", "\\ "),
                      replaced(Line.Words[Index], " ", "\\ "));
    Buffer->reset();
    std::error_code EC;
    raw_fd_ostream OS(File, EC);
    if (!EC)
      OS << Text;
  }

  CompileLine Line;
  std::vector<std::string> Options;
  std::string Rewriter;
  std::vector<std::unique_ptr<Temporary>> Sources;
};

constexpr StringLiteral Help =
    "catt-launch - compiles CUDA sources as catt-rewrite would rewrite them\n\n"
    "USAGE: catt-launch [options of catt-rewrite] <compiler> <arguments>...\n\n"
    "  make NVCC=\"catt-launch --gpu=h200 nvcc\"\n"
    "  cmake -DCMAKE_CUDA_COMPILER_LAUNCHER=catt-launch\n\n"
    "Sources are never changed. Where rewriting fails the original is "
    "compiled, with a\nwarning. $CATT_REWRITE names another catt-rewrite.\n";

} // namespace

int main(int Argc, const char **Argv) {
  InitLLVM Init(Argc, Argv);
  CompileLine Line;
  std::vector<std::string> Options =
      takeOptions(ArrayRef(Argv, Argc).drop_front(), Line);
  if (is_contained(Options, "--help")) {
    outs() << Help;
    return 0;
  }
  if (Line.Words.empty()) {
    errs() << "catt-launch: error: no compiler is named; see --help\n";
    return 2;
  }
  if (!understand(Line))
    return become(Line.Words);
  std::optional<int> Status =
      Launcher(Line, Options, findRewriter(Argv[0])).run();
  outs().flush();
  return Status ? *Status : become(Line.Words);
}
