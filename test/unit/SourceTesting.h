//===- SourceTesting.h - Kernels from snippets -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_UNIT_SOURCETESTING_H
#define CATT_TEST_UNIT_SOURCETESTING_H

#include "analysis/frontend/CudaFrontEnd.h"
#include "analysis/source/Kernels.h"
#include "clang/Lex/Lexer.h"
#include "clang/Tooling/CompilationDatabase.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "gmock/gmock.h"
#include <map>

namespace catt::testing {

struct Parsed {
  std::string Code;
  std::unique_ptr<TranslationUnit> Unit;
  std::vector<Kernel> Kernels;
  std::vector<Diagnostic> Problems;

  const Kernel &kernel(llvm::StringRef Name = "") const {
    for (const Kernel &K : Kernels)
      if (Name.empty() || K.UnqualifiedName == Name || K.Name == Name)
        return K;
    ADD_FAILURE() << "no kernel " << Name.str();
    static Kernel None;
    return None;
  }
  /// The text of a span of the snippet.
  std::string text(const SourceSpan &S) const {
    return Code.substr(S.Begin, S.End - S.Begin);
  }
};

/// Parses a snippet as kernel.cu with the built-in CUDA declarations, or those
/// of a toolkit, as if Compiler had been called with the flags.
inline Parsed parseSnippet(llvm::StringRef Code,
                           const std::vector<std::string> &Flags = {},
                           llvm::StringRef Compiler = "clang++",
                           llvm::StringRef Toolkit = "") {
  Parsed Result;
  Result.Code = Code.str();
  auto Memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  Memory->addFile("/snippet/kernel.cu", 0,
                  llvm::MemoryBuffer::getMemBufferCopy(Code));
  auto Files = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
      llvm::vfs::getRealFileSystem());
  Files->pushOverlay(Memory);
  clang::tooling::CompileCommand Command;
  Command.Directory = "/snippet";
  Command.Filename = "/snippet/kernel.cu";
  Command.CommandLine = {Compiler.str()};
  for (const std::string &F : Flags)
    Command.CommandLine.push_back(F);
  Command.CommandLine.push_back("/snippet/kernel.cu");
  FrontEndOptions Options;
  Options.BuiltInOnly = Toolkit.empty();
  Options.CudaPath = Toolkit.str();
  // Most of a parse is the built-in declarations: read once for the snippets
  // that are alike in their flags and in the directives that they begin with,
  // unless a test has only one.
  static std::map<std::vector<std::string>, std::shared_ptr<const Preamble>>
      Kept;
  std::vector<std::string> Key = Command.CommandLine;
  Key.push_back(Toolkit.str());
  Key.push_back(
      Code.take_front(clang::Lexer::ComputePreamble(Code, {}).Size).str());
  auto [Known, IsFirst] = Kept.try_emplace(std::move(Key));
  Options.KeepPreamble = !IsFirst;
  Options.Earlier = Known->second;
  auto Unit = parse(Command, Options, Files);
  if (!Unit) {
    ADD_FAILURE() << llvm::toString(Unit.takeError());
    return Result;
  }
  Known->second = (*Unit)->preamble();
  Result.Unit = std::move(*Unit);
  for (const Diagnostic &D : Result.Unit->diagnostics())
    EXPECT_LT(D.Severity, Diagnostic::Level::Error)
        << D.Where.File << ":" << D.Where.Line << ": " << D.Message;
  Result.Kernels = findKernels(
      *Result.Unit,
      [](const std::string &, const std::string &) { return true; },
      /*WithRows=*/true, Result.Problems);
  return Result;
}

/// The snippet's accesses, by their text: "A[i]" -> "4*threadIdx.x".
inline std::string offsetOf(const Kernel &K, llvm::StringRef Text) {
  for (const Access &A : K.Accesses)
    if (A.Text == Text)
      return A.Offset ? A.Offset->str([&](unsigned Id) {
        return K.Loops[Id].Iterator.empty() ? "#" + std::to_string(Id)
                                            : K.Loops[Id].Iterator;
      })
                      : "irregular: " + (A.Irregularity
                                             ? A.Irregularity->Detail
                                             : std::string("no reason"));
  return "no such access";
}

} // namespace catt::testing

#endif
