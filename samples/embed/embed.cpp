//===- embed.cpp - A program that calls the library -----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   embed h200 kernel.cu    prints the rewritten source
//
// docs/library.md says what is behind it.
//
//===----------------------------------------------------------------------===//
#include "tool/optimize/Optimize.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/thread.h"

static llvm::Error run(llvm::StringRef Card, const std::string &File) {
  catt::OptimizeOptions Options;
  llvm::Expected<catt::Device> Gpu = catt::findDevice(Card);
  if (!Gpu)
    return Gpu.takeError();
  Options.Gpu = *Gpu;
  clang::tooling::CompileCommand Command(".", File, {"nvcc", File}, "");
  llvm::Expected<catt::Outcome> Done =
      catt::optimize(Command, llvm::vfs::getRealFileSystem(), Options);
  if (!Done)
    return Done.takeError();
  if (Done->Against)
    return llvm::createStringError(Done->Against->Message);
  for (const catt::Applied &A : Done->Changes.Done)
    llvm::errs() << A.Where.File << ":" << A.Where.Line << ": " << A.Summary
                 << "\n";
  for (const auto &[Path, Text] : Done->NewTexts)
    llvm::outs() << Text;
  return llvm::Error::success();
}

int main(int Argc, char **Argv) {
  if (Argc != 3) {
    llvm::errs() << "usage: embed <card> <file.cu>\n";
    return 2;
  }
  std::string Problem;
  llvm::thread Deep(std::optional(catt::OptimizeStackBytes),
                    [&] { Problem = llvm::toString(run(Argv[1], Argv[2])); });
  Deep.join();
  llvm::errs() << Problem << (Problem.empty() ? "" : "\n");
  return Problem.empty() ? 0 : 1;
}
