//===- Compile.cpp - From a .cu file to code for the executor --------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/executor/Compile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SHA1.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace catt::simt;

namespace {

using Command = std::vector<std::string>;

std::string hashOf(StringRef Bytes) {
  return toHex(SHA1::hash(arrayRefFromStringRef(Bytes)), true);
}

/// The hash of a file's content, or of nothing if it cannot be read.
std::string hashOfFile(const Twine &Path) {
  auto Buffer = MemoryBuffer::getFile(Path);
  return hashOf(Buffer ? (*Buffer)->getBuffer() : StringRef());
}

/// What belongs to the executor, beside the program that runs.
std::string part(const Twine &Name) {
  static const std::string Directory = [] {
    static int Here; // any address of this program
    SmallString<128> Path(sys::fs::getMainExecutable(nullptr, &Here));
    sys::path::remove_filename(Path);
    sys::path::append(Path, "..", "lib", "catt", "executor");
    sys::path::remove_dots(Path, true);
    return std::string(Path);
  }();
  return Directory + "/" + Name.str();
}

/// The clang that the plugin was built for; empty if there is none.
std::string clangPath() {
  if (sys::fs::can_execute(CATT_SIMT_CLANG))
    return CATT_SIMT_CLANG;
  auto Found =
      sys::findProgramByName("clang++-" + std::to_string(LLVM_VERSION_MAJOR));
  return Found ? *Found : "";
}

/// Clang and everything of the executor's that ends up in a result.
std::string toolHash(StringRef Clang) {
  std::string All = Clang.str() + hashOfFile(part("catt_simt_plugin.so"));
  std::error_code EC;
  std::vector<std::string> Headers;
  for (const char *Folder : {"include", "library", "shared"})
    for (sys::fs::recursive_directory_iterator I(part(Folder), EC), End;
         I != End && !EC; I.increment(EC))
      if (I->type() == sys::fs::file_type::regular_file)
        Headers.push_back(I->path());
  sort(Headers);
  for (const std::string &H : Headers)
    All += hashOfFile(H);
  return hashOf(All);
}

bool isCuda(StringRef File) { return File.ends_with(".cu"); }

/// What every view is compiled with. The first -std wins over none, a later
/// one of the caller's over the first.
Command common(StringRef Clang, const Source &S, const CompileOptions &O,
               StringRef Overlay) {
  Command C = {Clang.str(),
               "-std=c++17",
               "-O1",
               "-fPIC",
               "-ffp-contract=off",
               "-I" + part("include"),
               "-isystem" + part("library"),
               "-isystem" + part("shared")};
  if (isCuda(S.File))
    for (const std::string &A :
         {std::string("-x"), std::string("cuda"),
          std::string("--cuda-host-only"), std::string("-nocudainc"),
          std::string("-nocudalib"), std::string("-Wno-unknown-cuda-version"),
          // Launches through cudaLaunchKernel, also where no toolkit says
          // which version it is.
          std::string("-Xclang"), std::string("-target-sdk-version=12.8"),
          "-fpass-plugin=" + part("catt_simt_plugin.so"),
          std::string("-include"), std::string("catt_simt/device.h")})
      C.push_back(A);
  if (!Overlay.empty())
    C.push_back("-ivfsoverlay" + Overlay.str());
  if (!S.Directory.empty())
    C.push_back("-working-directory=" + S.Directory);
  append_range(C, O.Arguments);
  append_range(C, S.Arguments);
  return C;
}

/// Starts C with its messages going to Log.
sys::ProcessInfo start(const Command &C, const std::string &Log) {
  std::vector<StringRef> Args(C.begin(), C.end());
  std::optional<StringRef> Redirects[] = {StringRef(), StringRef(Log),
                                          StringRef(Log)};
  return sys::ExecuteNoWait(C[0], Args, std::nullopt, Redirects);
}

Error finish(const sys::ProcessInfo &P, const std::string &Log,
             const std::string &Program) {
  std::string Message;
  bool Started = P.Pid != 0;
  int Status = Started ? sys::Wait(P, std::nullopt, &Message).ReturnCode : -1;
  auto Text = MemoryBuffer::getFile(Log);
  (void)sys::fs::remove(Log);
  if (Status == 0)
    return Error::success();
  if (!Started)
    Message = "cannot run " + Program;
  return createStringError((Text ? (*Text)->getBuffer().str() : "") + Message);
}

/// True if each file in the list "hash path\n" still has its hash.
bool upToDate(const std::string &List) {
  auto Buffer = MemoryBuffer::getFile(List);
  if (!Buffer)
    return false;
  SmallVector<StringRef> Lines;
  (*Buffer)->getBuffer().split(Lines, '\n', -1, false);
  return all_of(Lines, [](StringRef Line) {
    auto [Hash, Path] = Line.split(' ');
    return hashOfFile(Path) == Hash;
  });
}

/// Turns make's "x.o: a b \" into the list that upToDate reads.
Error addToList(const std::string &Makefile, raw_ostream &List) {
  auto Buffer = MemoryBuffer::getFile(Makefile);
  if (!Buffer)
    return createStringError("cannot read " + Makefile);
  StringRef Rest = (*Buffer)->getBuffer().split(": ").second;
  SmallVector<StringRef> Words;
  SplitString(Rest, Words, " \\\n");
  for (StringRef Path : Words)
    List << hashOfFile(Path) << ' ' << Path << '\n';
  return Error::success();
}

/// Files of one build. Others may build the same at the same time: their names
/// are unique, and the result is renamed.
class Build {
public:
  Build(std::string Clang, std::string Result)
      : Clang(std::move(Clang)), Result(std::move(Result)) {}
  ~Build() {
    for (const std::string &File : Temporary)
      (void)sys::fs::remove(File);
  }

  /// Texts that stand for those on the disk, as clang is to see them.
  Error overlay(const std::map<std::string, std::string> &Texts) {
    if (Texts.empty())
      return Error::success();
    vfs::YAMLVFSWriter Map;
    Map.setUseExternalNames(false);
    for (const auto &[Path, Text] : Texts) {
      std::string Copy = temporary(".text" + Twine(Temporary.size()));
      if (Error E = write(Copy, Text))
        return E;
      Map.addFileMapping(Path, Copy);
    }
    std::string Text;
    raw_string_ostream Out(Text);
    Map.write(Out);
    Overlay = temporary(".overlay");
    return write(Overlay, Text);
  }

  /// All views of a source at the same time.
  Error compile(const Source &S, const CompileOptions &O) {
    Command Host = common(Clang, S, O, Overlay), Device = Host;
    std::string Stem = ".unit" + std::to_string(Objects.size());
    std::string Makefile = temporary(Stem + ".d");
    for (const std::string &A :
         {std::string("-MMD"), std::string("-MF"), Makefile})
      Host.push_back(A);
    if (!isCuda(S.File))
      return finishAll({start(Host, S, Stem + ".host")}, Makefile);
    // An embedded image, even an empty one, makes clang register the kernels.
    for (const char *A :
         {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", "/dev/null"})
      Host.push_back(A);
    for (const std::string &A :
         {std::string("-gline-tables-only"),
          std::string("-fdebug-compilation-dir=/"), std::string("-Xclang"),
          std::string("-fcuda-is-device"),
          "-fplugin=" + part("catt_simt_plugin.so")})
      Device.push_back(A);
    Started D = start(Device, S, Stem + ".device");
    Started H = start(Host, S, Stem + ".host");
    return finishAll({D, H}, Makefile);
  }

  Error link(Output Kind) {
    std::string Linked = temporary("");
    Command C = {Clang};
    append_range(C, Objects);
    for (const std::string &A :
         {std::string("-o"), Linked, part("libcatt_simt.so"),
          "-Wl,-rpath," + part(""), std::string("-fuse-ld=lld"),
          std::string("-lm"), std::string("-lpthread")})
      C.push_back(A);
    if (Kind == Output::SharedObject)
      for (const char *A : {"-shared", "-Wl,-Bsymbolic"})
        C.push_back(A);
    std::string Log = temporary(".log");
    if (Error E = finish(::start(C, Log), Log, Clang))
      return E;
    if (Error E = write(Result + ".files", List))
      return E;
    return errorCodeToError(sys::fs::rename(Linked, Result));
  }

private:
  struct Started {
    sys::ProcessInfo Process;
    std::string Log;
  };

  std::string temporary(const Twine &Suffix) {
    Temporary.push_back(
        (Result + "." + Twine(sys::Process::getProcessId()) + Suffix).str());
    return Temporary.back();
  }

  static Error write(const std::string &Path, StringRef Text) {
    std::error_code EC;
    raw_fd_ostream Out(Path, EC);
    if (EC)
      return createStringError(EC, "cannot write " + Path);
    Out << Text;
    return Error::success();
  }

  Started start(Command C, const Source &S, const std::string &Suffix) {
    Objects.push_back(temporary(Suffix + ".o"));
    for (const std::string &A :
         {std::string("-c"), S.File, std::string("-o"), Objects.back()})
      C.push_back(A);
    std::string Log = temporary(Suffix + ".log");
    return {::start(C, Log), Log};
  }

  /// Waits for all. Of several errors the first counts: views of one source
  /// mostly say the same.
  Error finishAll(ArrayRef<Started> All, const std::string &Makefile) {
    Error First = Error::success();
    for (const Started &S : All) {
      Error E = finish(S.Process, S.Log, Clang);
      if (First)
        consumeError(std::move(E));
      else
        First = std::move(E);
    }
    if (First)
      return First;
    raw_string_ostream Out(List);
    return addToList(Makefile, Out);
  }

  std::string Clang, Result, Overlay, List;
  std::vector<std::string> Temporary, Objects;
};

} // namespace

Expected<std::string> catt::simt::compile(ArrayRef<Source> Sources, Output Kind,
                                          const CompileOptions &O) {
  std::string Clang = clangPath();
  if (Clang.empty() || !sys::fs::exists(part("catt_simt_plugin.so")))
    return createStringError(
        "the executor needs " +
        (Clang.empty() ? "clang++-" + std::to_string(LLVM_VERSION_MAJOR) +
                             ", which is not installed"
                       : part("catt_simt_plugin.so") + ", which is not there"));
  if (std::error_code EC = sys::fs::create_directories(O.Directory))
    return createStringError(EC, "cannot create " + O.Directory);
  std::vector<Source> All(Sources);
  std::string Key = toolHash(Clang) + join(O.Arguments, "\n") +
                    (Kind == Output::Program ? "p" : "s");
  for (Source &S : All) {
    SmallString<128> Path(S.File);
    if (std::error_code EC = sys::fs::make_absolute(Path))
      return createStringError(EC, "no current directory");
    S.File = std::string(Path);
    Key += "\n" + S.File + hashOfFile(S.File) + join(S.Arguments, "\n") +
           S.Directory;
  }
  for (const auto &[Path, Text] : O.Texts)
    Key += "\n" + Path + hashOf(Text);
  std::string Result = O.Directory + "/" +
                       sys::path::stem(All.front().File).str() + "-" +
                       hashOf(Key).substr(0, 24);
  if (sys::fs::exists(Result) && upToDate(Result + ".files"))
    return Result;
  Build B(Clang, Result);
  if (Error E = B.overlay(O.Texts))
    return E;
  for (const Source &S : All)
    if (Error E = B.compile(S, O))
      return E;
  if (Error E = B.link(Kind))
    return E;
  return Result;
}
