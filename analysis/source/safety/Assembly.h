//===- Assembly.h - What inline PTX may do to other warps -------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   text        = { ["{"] [statement] ["}"] ";" }     comments are blanks
//   statement   = declaration | ["@" ["!"] name] instruction
//   declaration = ".reg" { "." type } name { "," name }
//   instruction = opcode { "." modifier } [operand { "," operand }]
//
// Harmless means: every statement was parsed, every opcode and every modifier
// stands in a list (PTX ISA, "Instruction Set"). All else is named: barriers,
// branches, labels, calls, asynchronous copies, volatile and acquire accesses,
// and whatever the list does not know.
//
// Limits: a text that the operands complete ("C" constraints), and assembly
// that jumps (asm goto), are never harmless.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SAFETY_ASSEMBLY_H
#define CATT_ANALYSIS_SOURCE_SAFETY_ASSEMBLY_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace clang {
class AsmStmt;
}

namespace catt {

struct AssemblyFacts {
  std::string Unknown;      ///< what was not understood; empty: harmless
  bool ReadsMemory = false; ///< that others may write
  bool WarpWide = false;
  bool isHarmless() const { return Unknown.empty(); }
};

AssemblyFacts readAssembly(llvm::StringRef Text);
AssemblyFacts readAssembly(const clang::AsmStmt &S);

} // namespace catt

#endif
