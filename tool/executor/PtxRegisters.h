//===- PtxRegisters.h - The operands of inline PTX ---------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   asm("..." : "=r"(a) : "r"(b))      $0 -> a, $1 -> b
//   .reg .u32 t; mov.u32 t, $1;        t  -> b
//
// What the names in one asm statement stand for while it is written as IR:
// operands, registers that it declares, special registers, numbers, vectors of
// these. Registers have no type: each is as wide as what was put there.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_EXECUTOR_PTXREGISTERS_H
#define CATT_TOOL_EXECUTOR_PTXREGISTERS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IRBuilder.h"
#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace catt::simt {

/// The statements of an asm statement's text, as clang writes it for x86,
/// without comments and the braces around them. A vector is "{a|b}".
std::vector<std::string> ptxStatements(llvm::StringRef Text);

/// "{a|b}": a, b. Nothing for another text.
llvm::SmallVector<llvm::StringRef> ptxElements(llvm::StringRef Vector);

class PtxRegisters {
public:
  /// B writes before C, an asm statement.
  PtxRegisters(llvm::CallInst &C, llvm::IRBuilder<> &B)
      : C(C), B(B), M(*C.getModule()) {}

  /// False if an operand is in memory.
  bool bindOperands();
  /// Replaces the statement by what its outputs hold; 0 if nothing was written.
  void replaceStatement();

  /// The same bits, or as many of them as there is room for.
  llvm::Value *as(llvm::Value *V, llvm::Type *T);
  /// Null if the name is not known.
  llvm::Value *operand(llvm::StringRef Name, llvm::Type *T);
  /// A pointer for "[$1+4]"; Shared: from where the block's shared memory
  /// begins.
  llvm::Value *address(llvm::StringRef Text, bool Shared);
  llvm::Value *sharedMemory();
  /// False if there is no V, or the name is none.
  bool set(llvm::StringRef Name, llvm::Value *V);
  /// What is written and set until endIf() is so only if the condition holds;
  /// a register that held nothing before is 0 otherwise.
  void beginIf(llvm::Value *Condition);
  void endIf();

private:
  llvm::Value *field(llvm::StringRef Variable, char Axis);
  llvm::Value *linearThread();
  llvm::Value *special(llvm::StringRef Name);
  llvm::Value *laneMask(llvm::StringRef Which);
  llvm::Value *literal(llvm::StringRef Name, llvm::Type *T);
  llvm::Value *together(llvm::ArrayRef<llvm::StringRef> Parts, llvm::Type *T);

  llvm::CallInst &C;
  llvm::IRBuilder<> &B;
  llvm::Module &M;
  llvm::StringMap<llvm::Value *> Values; ///< of "$0", or of a register
  llvm::StringMap<llvm::Value *> Before; ///< beginIf()
  llvm::BasicBlock *Head = nullptr;      ///< the same
  llvm::SmallVector<llvm::Type *> Results;
};

} // namespace catt::simt

#endif
