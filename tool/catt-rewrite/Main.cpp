//===- Main.cpp - catt-rewrite, the command line --------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Options.h"
#include "tool/verify/Verifier.h"
#include "llvm/Support/InitLLVM.h"

int main(int Argc, const char **Argv) {
  llvm::InitLLVM Init(Argc, Argv);
  llvm::setBugReportMsg("catt-rewrite crashed: this is its own defect.\n");
  catt::ParsedOptions Parsed = catt::parseOptions(Argc, Argv);
  return Parsed.Run ? catt::run(*Parsed.Run, catt::verifyProgram) : Parsed.Exit;
}
