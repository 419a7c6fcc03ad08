//===- Module.cpp - Kernels by name; results as text -----------------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   shared object --dlopen--> constructors --registry()--> Module --> run()
//
//===----------------------------------------------------------------------===//

#include "tool/executor/Internal.h"
#include <algorithm>
#include <cxxabi.h>
#include <dlfcn.h>

namespace catt::simt {

Registry &registry() {
  static Registry *R = new Registry; // outlives every destructor
  return *R;
}

std::string demangle(const char *Name) {
  int Status = 0;
  char *Text = abi::__cxa_demangle(Name, nullptr, nullptr, &Status);
  std::string Result = Status == 0 ? Text : Name;
  std::free(Text);
  // The demangled name of a template instantiation begins with its type.
  return Result.starts_with("void ") ? Result.substr(5) : Result;
}

Module Module::load(const std::string &Path, std::string &Error) {
  Module M;
  size_t Known = registry().Kernels.size();
  M.Handle = dlopen(Path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!M.Handle) {
    Error = dlerror();
    return M;
  }
  M.Kernels.assign(registry().Kernels.begin() + Known,
                   registry().Kernels.end());
  return M;
}

Module::Module(Module &&M) noexcept { *this = std::move(M); }

Module &Module::operator=(Module &&M) noexcept {
  std::swap(Handle, M.Handle);
  std::swap(Kernels, M.Kernels);
  return *this;
}

Module::~Module() {
  if (!Handle)
    return;
  forgetSites();
  forgetCachedAllocations();
  Registry &R = registry();
  std::erase_if(R.Kernels, [this](const KernelEntry *K) {
    return std::find(Kernels.begin(), Kernels.end(), K) != Kernels.end();
  });
  // Device code's variables lie in the object itself.
  std::erase_if(R.Variables, [this](void *V) {
    Dl_info A, B;
    bool Mine = !Kernels.empty() && dladdr(V, &A) && dladdr(Kernels[0], &B) &&
                A.dli_fbase == B.dli_fbase;
    if (Mine)
      unregisterMemory(V);
    return Mine;
  });
  dlclose(Handle);
}

std::vector<std::string> Module::kernels() const {
  std::vector<std::string> Names;
  for (const KernelEntry *K : Kernels)
    Names.push_back(demangle(K->Name));
  std::sort(Names.begin(), Names.end());
  return Names;
}

static Result notRun(const std::string &Name, const char *Message) {
  Result R;
  R.Error = 98; // cudaErrorInvalidDeviceFunction
  R.Findings.push_back({FindingKind::BadLaunch, {}, {}, {}, {}, Name, Message});
  return R;
}

Result Module::run(const std::string &Name, Dim Grid, Dim Block,
                   size_t SharedBytes, const std::vector<void *> &Args,
                   const Options &O) const {
  std::vector<const KernelEntry *> Fitting;
  for (const KernelEntry *K : Kernels) {
    std::string Full = demangle(K->Name);
    if (Full == Name || K->Name == Name ||
        Full.substr(0, Full.find_first_of("<(")) == Name ||
        Full.substr(0, Full.find('(')) == Name)
      Fitting.push_back(K);
  }
  if (Fitting.size() != 1)
    return notRun(Name, Fitting.empty() ? "no such kernel"
                                        : "several kernels have this name");
  if (Fitting[0]->Info->StaticShared > StaticLimit)
    return notRun(Name, "more static shared memory than ptxas takes");
  Result R;
  LaunchShape S{Grid, Block, SharedBytes};
  std::vector<void *> Copy = Args;
  runLaunch(*Fitting[0], S, Copy.data(), O, R);
  return R;
}

Result Module::call(const std::string &Function, void **Argument,
                    const Options &O) const {
  if (auto *F =
          reinterpret_cast<void (*)(void **)>(dlsym(Handle, Function.c_str())))
    return runHost([&] { F(Argument); }, O);
  return notRun(Function, "no such function");
}

bool Module::hasMain() const { return dlsym(Handle, "main") != nullptr; }

Result Module::callMain(const std::vector<std::string> &Arguments,
                        const Options &O, int &Status) const {
  auto *F = reinterpret_cast<int (*)(int, char **)>(dlsym(Handle, "main"));
  if (!F)
    return notRun("main", "no such function");
  std::vector<std::string> Words = {"program"};
  Words.insert(Words.end(), Arguments.begin(), Arguments.end());
  std::vector<char *> Pointers;
  for (std::string &W : Words)
    Pointers.push_back(W.data());
  Pointers.push_back(nullptr);
  return runHost([&] { Status = F(int(Words.size()), Pointers.data()); }, O);
}

//===-- Text --------------------------------------------------------------===//

Place placeOf(const Site *S) {
  if (!S)
    return {};
  return {S->File, S->Function, S->Line, S->Column};
}

std::string str(const Dim &D) {
  return "(" + std::to_string(D.X) + "," + std::to_string(D.Y) + "," +
         std::to_string(D.Z) + ")";
}

const char *name(FindingKind K) {
  static const char *const Names[] = {"barrier-divergence",
                                      "barrier-after-exit",
                                      "deadlock",
                                      "no-progress",
                                      "uninitialized-shared",
                                      "out-of-bounds",
                                      "misaligned",
                                      "constant-write",
                                      "race",
                                      "warp-mask",
                                      "crash",
                                      "bad-launch"};
  return Names[unsigned(K)];
}

static std::string str(const Place &P) {
  return P.File + ":" + std::to_string(P.Line) + ":" + std::to_string(P.Column);
}

std::string Finding::str() const {
  std::string Kernels = demangle(Kernel.c_str());
  std::string Text = Where.Line ? simt::str(Where) : "<launch>";
  Text += ": error: " + Message + " [" + name(Kind) + "; " + Kernels +
          ", block " + simt::str(Block) + ", thread " + simt::str(Thread) + "]";
  if (Other)
    Text += "\n" + simt::str(*Other) + ": note: the other place";
  return Text;
}

} // namespace catt::simt
