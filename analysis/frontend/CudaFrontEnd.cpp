//===- CudaFrontEnd.cpp - CUDA C++ to a Clang AST -------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/frontend/CudaFrontEnd.h"
#include "analysis/frontend/ClangSession.h"
#include "analysis/frontend/CudaToolkit.h"
#include "analysis/frontend/NvccFlags.h"
#include "analysis/frontend/builtin/Builtin.h"
#include "analysis/source/safety/ReachedCode.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/OffloadArch.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Driver/CreateInvocationFromArgs.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Options/OptionUtils.h"
#include "clang/Tooling/CompilationDatabase.h"
#include "llvm/Support/Path.h"

using namespace clang;
using llvm::StringRef;

namespace catt {

namespace {

namespace path = llvm::sys::path;
namespace vfs = llvm::vfs;

/// A view of a file system with a working directory of its own, so that parses
/// of different directories can share one file system.
class ViewFrom : public vfs::ProxyFileSystem {
public:
  ViewFrom(FilesRef Under, std::string Dir)
      : ProxyFileSystem(std::move(Under)), Dir(std::move(Dir)) {}
  llvm::ErrorOr<vfs::Status> status(const llvm::Twine &P) override {
    return ProxyFileSystem::status(absolute(P));
  }
  bool exists(const llvm::Twine &P) override {
    return ProxyFileSystem::exists(absolute(P));
  }
  llvm::ErrorOr<std::unique_ptr<vfs::File>>
  openFileForRead(const llvm::Twine &P) override {
    return ProxyFileSystem::openFileForRead(absolute(P));
  }
  vfs::directory_iterator dir_begin(const llvm::Twine &P,
                                    std::error_code &EC) override {
    return ProxyFileSystem::dir_begin(absolute(P), EC);
  }
  std::error_code getRealPath(const llvm::Twine &P,
                              llvm::SmallVectorImpl<char> &Out) override {
    return ProxyFileSystem::getRealPath(absolute(P), Out);
  }
  llvm::ErrorOr<std::string> getCurrentWorkingDirectory() const override {
    return Dir;
  }
  std::error_code setCurrentWorkingDirectory(const llvm::Twine &P) override {
    Dir = absolute(P);
    return {};
  }

private:
  std::string absolute(const llvm::Twine &P) const {
    llvm::SmallString<256> Path;
    P.toVector(Path);
    path::make_absolute(Dir, Path);
    return std::string(Path);
  }
  std::string Dir;
};

} // namespace

struct TranslationUnit::Impl {
  std::string MainFile, Architecture;
  Toolkit Kit;
  std::vector<Diagnostic> Diagnostics;
  std::vector<std::string> Notes;
  std::optional<int> MaxRegisters;
  std::shared_ptr<CompilerInvocation> Invocation;
  FilesRef Files;
  std::shared_ptr<const Preamble> Prefix;
  std::unique_ptr<Session> Main; ///< borrows from Prefix
};

/// What is wrong with a file that cannot be source text; "" if nothing is.
static std::string whyNotSource(StringRef Name, StringRef Text) {
  static constexpr StringRef Others[] = {
      ".a",    ".bc",   ".cl",   ".cmake", ".cubin", ".f90", ".fatbin",
      ".go",   ".html", ".java", ".js",    ".json",  ".ll",  ".md",
      ".o",    ".ptx",  ".py",   ".rs",    ".s",     ".sh",  ".so",
      ".toml", ".ts",   ".txt",  ".xml",   ".yaml",  ".yml"};
  if (llvm::is_contained(Others, path::extension(Name)))
    return ("is not CUDA C++ by its name (" + path::extension(Name) +
            "); give a .cu, .cuh or C++ file")
        .str();
  if (Text.starts_with("\xff\xfe") || Text.starts_with("\xfe\xff"))
    return "is UTF-16 text; save it as UTF-8";
  if (size_t At = Text.find('\0'); At != StringRef::npos)
    return ("is not text: byte " + llvm::Twine(At) +
            " is NUL; give CUDA C++ source")
        .str();
  if (Text.trim().empty())
    return "is empty; there is nothing to analyze";
  return "";
}

/// Reads the main file, or says in one sentence why not.
static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readSource(StringRef Name, StringRef Path, vfs::FileSystem &Files) {
  auto Status = Files.status(Path);
  if (Status && Status->isDirectory())
    return llvm::createStringError(
        "cannot read '" + Name +
        "': it is a directory; name a CUDA source file");
  auto Text = Files.getBufferForFile(Path);
  if (!Text) {
    bool Missing = Text.getError() == std::errc::no_such_file_or_directory;
    return llvm::createStringError(
        "cannot read '" + Name + "': " + Text.getError().message() +
        (Missing ? "; check the path" : "; check its permissions"));
  }
  std::string Why = whyNotSource(Name, (*Text)->getBuffer());
  if (!Why.empty())
    return llvm::createStringError("'" + Name + "' " + Why);
  return std::move(*Text);
}

/// clang's arguments for one device-side parse of File.
static std::vector<std::string> driverArguments(const ClangCommand &Command,
                                                const Toolkit &Kit,
                                                StringRef Architecture,
                                                StringRef File,
                                                vfs::FileSystem &Files) {
  std::vector<std::string> A = {Command.Arguments.front()};
  llvm::append_range(A, forcedHeaders(Kit));
  llvm::append_range(A, llvm::drop_begin(Command.Arguments));
  llvm::append_range(A, toolkitArguments(Kit, Command.Arguments, Files));
  std::string Resources = findResourceDir(Files);
  if (!Resources.empty())
    A.push_back("-resource-dir=" + Resources);
  A.insert(A.end(),
           {"--cuda-device-only", ("--cuda-gpu-arch=" + Architecture).str(),
            "-fsyntax-only", "-ferror-limit=0",
            // Warnings are the compiler's business, and cost time.
            "-w", "-x", "cuda", "--", File.str()});
  return A;
}

static llvm::Expected<std::shared_ptr<CompilerInvocation>>
makeInvocation(const std::vector<std::string> &Arguments, FilesRef Files,
               std::vector<std::string> &Notes) {
  std::vector<const char *> Argv;
  for (const std::string &A : Arguments)
    Argv.push_back(A.c_str());
  DiagnosticCollector Collector;
  DiagnosticOptions Options;
  CreateInvocationOptions How;
  How.Diags = CompilerInstance::createDiagnostics(*Files, Options, &Collector,
                                                  /*ShouldOwnClient=*/false);
  How.VFS = Files;
  How.RecoverOnError = true;
  std::shared_ptr<CompilerInvocation> Invocation = createInvocation(Argv, How);
  std::string Errors;
  for (const Diagnostic &D : Collector.Found) {
    if (isError(D))
      Errors += (Errors.empty() ? "" : "; ") + D.Message;
  }
  if (!Invocation || Invocation->getFrontendOpts().Inputs.empty())
    return llvm::createStringError("clang cannot use the compile command: " +
                                   Errors);
  if (!Errors.empty())
    Notes.push_back("of the compile command, clang says: " + Errors);
  Invocation->getFrontendOpts().DisableFree = false;
  // See Session: bodies in system headers are rarely needed.
  Invocation->getFrontendOpts().SkipFunctionBodies = true;
  // The driver names no version that it does not know (13.0 and, without a
  // toolkit, any), and Sema would then look for the launch of CUDA 9.1.
  Invocation->getTargetOpts().SDKVersion = llvm::VersionTuple(12, 9);
  return Invocation;
}

/// The header of "'x' file not found", else "".
static StringRef missingHeader(const Diagnostic &D) {
  StringRef Message = D.Message;
  return Message.consume_back("' file not found") && Message.consume_front("'")
             ? Message
             : "";
}

/// True for headers that only a toolkit has: its libraries, and CCCL.
static bool isOfToolkit(StringRef Header) {
  static constexpr StringRef Prefixes[] = {
      "cublas",     "cub/",     "cuda/",
      "cuda_",      "cudnn",    "cufft",
      "curand",     "cusolver", "cusparse",
      "cutensor",   "mma.h",    "npp",
      "nvjpeg",     "nvml",     "nvrtc",
      "nvToolsExt", "nvtx3/",   "cooperative_groups/",
      "thrust/",    "cudaGL",   "cudaEGL"};
  return llvm::any_of(Prefixes,
                      [&](StringRef P) { return Header.starts_with(P); });
}

/// Adds what a user cannot see from clang's message alone. Error: there is no
/// C++ standard library, so that nothing can be parsed.
static llvm::Error explain(std::vector<Diagnostic> &Diagnostics,
                           const Toolkit &Kit) {
  std::vector<Diagnostic> All;
  for (Diagnostic &D : Diagnostics) {
    StringRef Header = missingHeader(D);
    if (Header == "climits" || Header == "cmath")
      return llvm::createStringError(
          "no C++ standard library was found (" + D.Message +
          "); install one, on Debian with `apt install g++`");
    bool Lacks = Kit.Path.empty() && isOfToolkit(Header);
    Location Where = D.Where;
    All.push_back(std::move(D));
    if (Lacks)
      All.push_back({Diagnostic::Level::Note, Where,
                     "this header comes with the CUDA toolkit, and none was "
                     "found; name one with --cuda-path"});
  }
  Diagnostics = std::move(All);
  return llvm::Error::success();
}

TranslationUnit::TranslationUnit(std::unique_ptr<Impl> P) : P(std::move(P)) {}
TranslationUnit::~TranslationUnit() = default;
ASTContext &TranslationUnit::ast() const {
  return P->Main->Clang->getASTContext();
}
const std::string &TranslationUnit::mainFile() const { return P->MainFile; }
const std::string &TranslationUnit::architecture() const {
  return P->Architecture;
}
const Toolkit &TranslationUnit::toolkit() const { return P->Kit; }
const std::vector<Diagnostic> &TranslationUnit::diagnostics() const {
  return P->Diagnostics;
}
std::optional<int> TranslationUnit::maxRegisters() const {
  return P->MaxRegisters;
}
const std::vector<std::string> &TranslationUnit::notes() const {
  return P->Notes;
}
const CompilerInvocation &TranslationUnit::invocation() const {
  return *P->Invocation;
}
FilesRef TranslationUnit::files() const { return P->Files; }
FilesRef TranslationUnit::filesWith(
    const std::map<std::string, std::string> &Texts) const {
  auto Changed = llvm::makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  for (const auto &[Path, Text] : Texts)
    Changed->addFileNoOwn(Path, /*ModificationTime=*/0,
                          llvm::MemoryBufferRef(Text, Path));
  auto Overlay = llvm::makeIntrusiveRefCnt<vfs::OverlayFileSystem>(P->Files);
  Overlay->pushOverlay(Changed);
  return Overlay;
}
size_t TranslationUnit::preambleBytes() const {
  auto Kept = preamble();
  return Kept ? Kept->Code.getSize() : 0;
}

std::shared_ptr<const Preamble> TranslationUnit::preamble() const {
  return P->Prefix;
}

llvm::Expected<std::vector<Diagnostic>>
TranslationUnit::check(const std::map<std::string, std::string> &Texts) const {
  FilesRef Files = filesWith(Texts);
  auto Text = Files->getBufferForFile(P->MainFile);
  if (!Text)
    return llvm::createStringError("cannot read '" + P->MainFile +
                                   "' again: " + Text.getError().message());
  auto S =
      Session::run(*P->Invocation, std::move(*Text), Files, P->Prefix.get());
  if (!S)
    return S.takeError();
  llvm::erase_if((*S)->Collector.Found, [](const Diagnostic &D) {
    return D.Severity < Diagnostic::Level::Error;
  });
  return std::move((*S)->Collector.Found);
}

/// File, absolute and without dots, seen from Directory.
static std::string absolute(StringRef File, StringRef Directory,
                            vfs::FileSystem &Files) {
  llvm::SmallString<256> Path(Directory);
  path::append(Path, path::is_absolute(File) ? "" : File);
  if (path::is_absolute(File))
    Path = File;
  (void)Files.makeAbsolute(Path); // a relative path will do
  path::remove_dots(Path, /*remove_dot_dot=*/true);
  return std::string(Path);
}

/// The architecture to parse for: what was asked for, else the command's.
static llvm::Expected<std::string>
chooseArchitecture(const FrontEndOptions &Options, const ClangCommand &Command,
                   std::vector<std::string> &Notes) {
  std::string Name = Options.Architecture;
  if (Name.empty())
    Name = Command.Architecture.value_or("sm_80");
  if (Name == "native") {
    Notes.push_back("-arch=native: no GPU was named; sm_80 is assumed");
    Name = "sm_80";
  }
  if (!IsNVIDIAOffloadArch(StringToOffloadArch(Name)))
    return llvm::createStringError("unknown GPU architecture '" + Name +
                                   "'; give one like sm_80");
  return Name;
}

/// Files with the built-in headers on top, seen from Directory.
static FilesRef withBuiltin(FilesRef Files, std::string Directory) {
  auto Builtin = llvm::makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  addBuiltinHeaders(*Builtin);
  auto Overlay = llvm::makeIntrusiveRefCnt<vfs::OverlayFileSystem>(Files);
  Overlay->pushOverlay(Builtin);
  return llvm::makeIntrusiveRefCnt<ViewFrom>(Overlay, std::move(Directory));
}

/// Everything up to clang's invocation for P->MainFile.
static llvm::Error prepare(TranslationUnit::Impl &P,
                           const tooling::CompileCommand &Command,
                           const FrontEndOptions &Options, FilesRef Files) {
  std::string Directory = absolute(Command.Directory, "", *Files);
  P.Files = withBuiltin(Files, Directory);
  auto Clang = translateNvcc(Command.CommandLine, Directory, *P.Files);
  if (!Clang)
    return Clang.takeError();
  P.Notes = Clang->Notes;
  P.MaxRegisters = Clang->MaxRegisters;
  auto Kit = findToolkit(Options, *Clang, *P.Files);
  if (!Kit)
    return Kit.takeError();
  P.Kit = *Kit;
  auto Architecture = chooseArchitecture(Options, *Clang, P.Notes);
  if (!Architecture)
    return Architecture.takeError();
  P.Architecture = *Architecture;
  auto Invocation = makeInvocation(
      driverArguments(*Clang, P.Kit, P.Architecture, P.MainFile, *P.Files),
      P.Files, P.Notes);
  if (!Invocation)
    return Invocation.takeError();
  P.Invocation = *Invocation;
  return llvm::Error::success();
}

/// The earlier preamble if it fits, else a new one where it is to be kept.
static std::shared_ptr<const Preamble>
preambleFor(const TranslationUnit::Impl &P, const llvm::MemoryBuffer &Text,
            const FrontEndOptions &Options, SystemBodies Bodies) {
  if (Options.Earlier &&
      Options.Earlier->fits(*P.Invocation, Text, *P.Files, Bodies))
    return Options.Earlier;
  if (!Options.KeepPreamble)
    return nullptr;
  std::optional<Preamble> Built =
      Preamble::build(*P.Invocation, Text, P.Files, Bodies);
  return Built ? std::make_shared<const Preamble>(std::move(*Built)) : nullptr;
}

/// Parses P's file into P, with the bodies in system headers that are wanted.
static llvm::Error parseInto(TranslationUnit::Impl &P,
                             const llvm::MemoryBuffer &Text,
                             const FrontEndOptions &Options,
                             SystemBodies Bodies) {
  P.Main.reset(); // borrows from the preamble
  P.Prefix = preambleFor(P, Text, Options, Bodies);
  if (P.Prefix)
    Bodies = P.Prefix->Bodies;
  auto S = Session::run(
      *P.Invocation,
      llvm::MemoryBuffer::getMemBufferCopy(Text.getBuffer(), P.MainFile),
      P.Files, P.Prefix.get(), Bodies);
  if (!S)
    return S.takeError();
  P.Main = std::move(*S);
  P.Diagnostics = P.Main->Collector.Found;
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<TranslationUnit>>
parse(const tooling::CompileCommand &Command, const FrontEndOptions &Options,
      FilesRef Files) {
  auto P = std::make_unique<TranslationUnit::Impl>();
  P->MainFile = absolute(Command.Filename, Command.Directory, *Files);
  auto Text = readSource(Command.Filename, P->MainFile, *Files);
  if (!Text)
    return Text.takeError();
  if (llvm::Error E = prepare(*P, Command, Options, Files))
    return std::move(E);
  if (llvm::Error E = parseInto(*P, **Text, Options, SystemBodies::Included))
    return std::move(E);
  if (reachesSkippedBodies(P->Main->Clang->getASTContext()))
    if (llvm::Error E = parseInto(*P, **Text, Options, SystemBodies::All))
      return std::move(E);
  if (llvm::Error E = explain(P->Diagnostics, P->Kit))
    return std::move(E);
  return std::make_unique<TranslationUnit>(std::move(P));
}

} // namespace catt
