//===- CudaToolkit.cpp - Where CUDA's declarations come from --------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/frontend/CudaToolkit.h"
#include "analysis/frontend/builtin/Builtin.h"
#include "clang/Basic/Version.h"
#include "clang/Options/OptionUtils.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/VersionTuple.h"

using llvm::StringRef;

namespace catt {

namespace path = llvm::sys::path;
namespace vfs = llvm::vfs;

static std::string join(StringRef A, const llvm::Twine &B) {
  llvm::SmallString<256> Path(A);
  path::append(Path, B);
  return std::string(Path);
}

/// "13.0" from cuda.h's `#define CUDA_VERSION 13000`.
static std::optional<std::string> versionOf(StringRef Path,
                                            vfs::FileSystem &Files) {
  auto Text = Files.getBufferForFile(join(Path, "include/cuda.h"));
  if (!Text)
    return std::nullopt;
  StringRef Rest = (*Text)->getBuffer().split("#define CUDA_VERSION").second;
  unsigned Number = 0;
  if (Rest.ltrim(" \t").consumeInteger(10, Number) || Number < 1000)
    return std::nullopt;
  return (llvm::Twine(Number / 1000) + "." + llvm::Twine(Number % 1000 / 10))
      .str();
}

static std::optional<Toolkit> toolkitAt(StringRef Path,
                                        vfs::FileSystem &Files) {
  if (Path.empty())
    return std::nullopt;
  std::optional<std::string> Version = versionOf(Path, Files);
  // clang's headers add to the runtime's, so both must be there.
  if (!Version || !Files.exists(join(Path, "include/cuda_runtime.h")))
    return std::nullopt;
  return Toolkit{Path.str(), *Version};
}

llvm::Expected<Toolkit> findToolkit(const FrontEndOptions &Options,
                                    const ClangCommand &Command,
                                    vfs::FileSystem &Files) {
  if (Options.BuiltInOnly)
    return Toolkit();
  if (!Options.CudaPath.empty()) {
    if (auto Kit = toolkitAt(Options.CudaPath, Files))
      return *Kit;
    return llvm::createStringError(
        "no CUDA toolkit in '" + Options.CudaPath +
        "': include/cuda.h and include/cuda_runtime.h are not there; name "
        "the directory that holds bin/nvcc, or leave the option out to use "
        "the built-in declarations");
  }
  if (auto Env = llvm::sys::Process::GetEnv("CUDA_PATH"))
    if (auto Kit = toolkitAt(*Env, Files))
      return *Kit;
  if (Command.CudaPath)
    if (auto Kit = toolkitAt(*Command.CudaPath, Files))
      return *Kit;
  if (auto Kit = toolkitAt("/usr/local/cuda", Files))
    return *Kit;
  return Toolkit();
}

/// The newest GCC's own header directory, which has omp.h.
static std::optional<std::string> gccHeaders(vfs::FileSystem &Files) {
  std::optional<std::string> Best;
  llvm::VersionTuple Newest;
  std::error_code E;
  for (vfs::directory_iterator T = Files.dir_begin("/usr/lib/gcc", E), End;
       !E && T != End; T.increment(E)) {
    std::error_code Inner;
    for (vfs::directory_iterator V = Files.dir_begin(T->path(), Inner);
         !Inner && V != End; V.increment(Inner)) {
      llvm::VersionTuple Version;
      std::string Dir = join(V->path(), "include");
      if (Version.tryParse(path::filename(V->path())) || Version < Newest ||
          !Files.exists(join(Dir, "omp.h")))
        continue;
      Newest = Version;
      Best = Dir;
    }
  }
  return Best;
}

static bool says(llvm::ArrayRef<std::string> Arguments, StringRef Prefix) {
  return llvm::any_of(Arguments, [&](StringRef A) {
    return A.starts_with(Prefix) || A.starts_with(("-" + Prefix).str());
  });
}

std::vector<std::string> forcedHeaders(const Toolkit &Kit) {
  if (Kit.Path.empty())
    return {"-include", "cuda_runtime.h"};
  return {"-include", Kit.Path + "/include/cuda.h",
          "-include", "__clang_cuda_runtime_wrapper.h",
          "-include", (builtinRoot() + "/nvcc/catt_nvcc.h").str()};
}

std::vector<std::string> toolkitArguments(const Toolkit &Kit,
                                          llvm::ArrayRef<std::string> User,
                                          vfs::FileSystem &Files) {
  std::string Root = builtinRoot().str();
  std::vector<std::string> A = {"-nocudalib", "-Wno-unknown-cuda-version"};
  // nvcc 13's default; CCCL asks for no less.
  if (!says(User, "-std="))
    A.push_back("-std=c++17");
  A.push_back("-nocudainc");
  if (Kit.Path.empty()) {
    A.insert(A.end(), {"--cuda-path=" + Root, "-isystem", Root + "/include"});
  } else {
    std::string Headers = Kit.Path + "/include";
    A.insert(A.end(), {"--cuda-path=" + Kit.Path, "-isystem", Headers + "/cccl",
                       "-Xclang", "-internal-isystem", "-Xclang", Headers,
                       "-Wno-register", "-Wno-c++11-narrowing"});
  }
  A.insert(A.end(), {"-idirafter", Root + "/runtime"});
  if (auto Dir = gccHeaders(Files))
    A.insert(A.end(), {"-idirafter", *Dir});
  return A;
}

std::string findResourceDir(vfs::FileSystem &Files) {
  std::string Program = llvm::sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(&findResourceDir));
  std::string Beside = join(path::parent_path(path::parent_path(Program)),
                            "lib/clang/" CLANG_VERSION_MAJOR_STRING);
  for (const std::string &Dir :
       {clang::GetResourcesPath(CATT_LLVM_PREFIX "/bin/clang"), Beside})
    if (llvm::sys::fs::exists(join(Dir, "include/__clang_cuda_math.h")))
      return Dir;
  return "";
}

} // namespace catt
