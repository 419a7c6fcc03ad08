//===- VariantsTesting.h - Jobs on a text in memory -------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_TUNE_VARIANTSTESTING_H
#define CATT_TEST_TUNE_VARIANTSTESTING_H

#include "tool/tune/Variants.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace catt {

constexpr char SnippetPath[] = "/snippet/a.cu";

inline JobResult job(const std::string &Text, const Options &O) {
  auto Held = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  Held->addFile(SnippetPath, 0, llvm::MemoryBuffer::getMemBufferCopy(Text));
  auto All = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
      llvm::vfs::getRealFileSystem());
  All->pushOverlay(Held);
  JobInput In;
  In.Files = All;
  FoundCommand Command{{"/snippet", SnippetPath, {"nvcc", SnippetPath}, ""},
                       "the test"};
  ChosenGpu Gpu{llvm::cantFail(findDevice("sm_80")), "--gpu"};
  // Most of a job is the built-in declarations, which are read once.
  static std::shared_ptr<const Preamble> Kept;
  In.Earlier = Kept;
  JobResult Out = runJob(SnippetPath, Command, Gpu, O, std::move(In));
  if (Out.Kept)
    Kept = Out.Kept;
  return Out;
}

inline Options builtIn() {
  Options O;
  O.BuiltInOnly = true;
  return O;
}

} // namespace catt

#endif
