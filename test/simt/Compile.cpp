//===- Compile.cpp - From a .cu file to code for the executor --------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/simt/Compile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SHA1.h"
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

/// Clang and everything of the executor's that ends up in a result.
std::string toolHash() {
  static const std::string Hash = [] {
    std::string All = CATT_SIMT_CLANG + hashOfFile(CATT_SIMT_PLUGIN);
    std::error_code EC;
    std::vector<std::string> Headers;
    for (const char *Folder : {CATT_SIMT_INCLUDE, CATT_SIMT_LIBRARY})
      for (sys::fs::recursive_directory_iterator I(Folder, EC), End;
           I != End && !EC; I.increment(EC))
        if (I->type() == sys::fs::file_type::regular_file)
          Headers.push_back(I->path());
    sort(Headers);
    for (const std::string &H : Headers)
      All += hashOfFile(H);
    return hashOf(All);
  }();
  return Hash;
}

/// What both views are compiled with. The first -std wins over none, a later
/// one of the caller's over the first.
Command common(const CompileOptions &O) {
  Command C = {CATT_SIMT_CLANG, "-x", "cuda", "--cuda-host-only", "-nocudainc",
               "-nocudalib", "-Wno-unknown-cuda-version", "-std=c++17", "-O1",
               "-fPIC", "-ffp-contract=off",
               // Launches through cudaLaunchKernel, also where no toolkit says
               // which version it is.
               "-Xclang", "-target-sdk-version=12.8",
               std::string("-fpass-plugin=") + CATT_SIMT_PLUGIN,
               std::string("-I") + CATT_SIMT_INCLUDE,
               std::string("-isystem") + CATT_SIMT_LIBRARY, "-include",
               "catt_simt/device.h"};
  C.insert(C.end(), O.Arguments.begin(), O.Arguments.end());
  return C;
}

/// Starts C with its messages going to Log.
sys::ProcessInfo start(const Command &C, const std::string &Log) {
  std::vector<StringRef> Args(C.begin(), C.end());
  std::optional<StringRef> Redirects[] = {StringRef(), StringRef(Log),
                                          StringRef(Log)};
  return sys::ExecuteNoWait(C[0], Args, std::nullopt, Redirects);
}

Error finish(const sys::ProcessInfo &P, const std::string &Log) {
  std::string Message;
  bool Started = P.Pid != 0;
  int Status = Started ? sys::Wait(P, std::nullopt, &Message).ReturnCode : -1;
  auto Text = MemoryBuffer::getFile(Log);
  (void)sys::fs::remove(Log);
  if (Status == 0)
    return Error::success();
  if (!Started)
    Message = "cannot run " CATT_SIMT_CLANG;
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
Error writeList(const std::string &Makefile, const std::string &List) {
  auto Buffer = MemoryBuffer::getFile(Makefile);
  std::error_code EC;
  raw_fd_ostream Out(List, EC);
  if (!Buffer || EC)
    return createStringError("cannot write " + List);
  StringRef Rest = (*Buffer)->getBuffer().split(": ").second;
  SmallVector<StringRef> Words;
  SplitString(Rest, Words, " \\\n");
  for (StringRef Path : Words)
    Out << hashOfFile(Path) << ' ' << Path << '\n';
  return Error::success();
}

/// Compiles both views at the same time and links them to Result.
Error build(const std::string &File, Output Kind, const CompileOptions &O,
            const std::string &Result, const std::string &List) {
  // Others may build the same at the same time: unique names, then a rename.
  std::string Stem =
      Result + "." + std::to_string(sys::Process::getProcessId());
  std::string Objects[] = {Stem + ".device.o", Stem + ".host.o"};
  FileRemover Temporary[] = {FileRemover(Objects[0]), FileRemover(Objects[1]),
                             FileRemover(Stem + ".d"), FileRemover(Stem)};
  Command Device = common(O), Host = common(O);
  for (const char *A : {"-gline-tables-only", "-fdebug-compilation-dir=/",
                        "-Xclang", "-fcuda-is-device"})
    Device.push_back(A);
  // An embedded image, even an empty one, makes clang register the kernels.
  for (const char *A : {"-Xclang", "-fcuda-include-gpubinary", "-Xclang",
                        "/dev/null", "-MMD", "-MF"})
    Host.push_back(A);
  Host.push_back(Stem + ".d");
  for (const std::string &A : {std::string("-c"), File, std::string("-o")}) {
    Device.push_back(A);
    Host.push_back(A);
  }
  Device.push_back(Objects[0]);
  Host.push_back(Objects[1]);
  sys::ProcessInfo D = start(Device, Stem + ".device.log");
  sys::ProcessInfo H = start(Host, Stem + ".host.log");
  Error DeviceError = finish(D, Stem + ".device.log");
  Error HostError = finish(H, Stem + ".host.log");
  if (DeviceError) { // the host view mostly says the same again
    consumeError(std::move(HostError));
    return DeviceError;
  }
  if (HostError)
    return HostError;
  Command Link = {CATT_SIMT_CLANG,
                  Objects[0],
                  Objects[1],
                  "-o",
                  Stem,
                  CATT_SIMT_RUNTIME,
                  std::string("-Wl,-rpath,") + CATT_SIMT_RUNTIME_DIR,
                  "-fuse-ld=lld",
                  "-lm"};
  if (Kind == Output::SharedObject)
    Link.insert(Link.end(), {"-shared", "-Wl,-Bsymbolic"});
  if (Error E = finish(start(Link, Stem + ".log"), Stem + ".log"))
    return E;
  if (Error E = writeList(Stem + ".d", List))
    return E;
  return errorCodeToError(sys::fs::rename(Stem, Result));
}

} // namespace

Expected<std::string> catt::simt::compile(const std::string &File, Output Kind,
                                          const CompileOptions &O) {
  SmallString<128> Path(File);
  if (std::error_code EC = sys::fs::make_absolute(Path))
    return createStringError(EC, "no current directory");
  std::string Directory =
      O.CacheDirectory.empty() ? CATT_SIMT_CACHE : O.CacheDirectory;
  if (std::error_code EC = sys::fs::create_directories(Directory))
    return createStringError(EC, "cannot create " + Directory);
  std::string Key = toolHash() + Path.str().str() + hashOfFile(Path) +
                    join(O.Arguments, "\n") +
                    (Kind == Output::Program ? "p" : "s");
  std::string Result = Directory + "/" + sys::path::stem(Path).str() + "-" +
                       hashOf(Key).substr(0, 24);
  std::string List = Result + ".files";
  if (sys::fs::exists(Result) && upToDate(List))
    return Result;
  if (Error E = build(std::string(Path), Kind, O, Result, List))
    return std::move(E);
  return Result;
}
