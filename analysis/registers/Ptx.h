//===- Ptx.h - Reader of PTX text -------------------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   PTX text --(lexer)--> tokens --(readPtx)--> Module
//
//   .reg .b32 %r<3>;            Registers   %r1: 32 bits, %r2: 32 bits
//   @%p1 bra $L__BB0_2;         Blocks      B0 -> B1, B2
//   ld.global.f32 %r2, [%rd1];  Instruction defines %r2, uses %rd1
//
// What is read: what registers an instruction defines and uses, where control
// goes, and the source line that `.loc` gives. Meaning beyond that is not: an
// opcode that this file has never heard of defines its first operand, as
// almost all of PTX does. Sources: "Parallel Thread Execution ISA 9.0", NVIDIA,
// sections 4 (syntax), 9.7 (instructions) and 11 (directives).
//
// Limits: registers of a .func's parameter list (PTX before ABI) are read as
// live on entry; call targets held in a register are not followed.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_REGISTERS_PTX_H
#define CATT_ANALYSIS_REGISTERS_PTX_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace catt::ptx {

/// A virtual register of a function.
struct Register {
  std::string Name;
  unsigned Bits = 0; ///< 1 for a predicate; all elements of a vector together
  bool isPredicate() const { return Bits == 1; }
  /// 32-bit registers that hold it; predicates have a file of their own.
  unsigned words() const { return isPredicate() ? 0 : (Bits + 31) / 32; }
};

/// A `.loc`: a line of a `.file`. Line 0: not known.
struct Mark {
  unsigned File = 0, Line = 0, Column = 0;
  bool operator==(const Mark &) const = default;
};

/// One operand, as written.
struct Operand {
  std::vector<unsigned> Registers; ///< in the order of the text
  bool Memory = false;             ///< [ ... ]
  bool List = false;               ///< ( ... ), of a call
  std::string Text; ///< of an operand without registers: "0f3F800000", "$L_1"
};

struct Instruction {
  std::string Opcode; ///< whole: "ld.global.nc.f32"
  std::vector<Operand> Operands;
  /// By index into Function::Registers. Uses holds the guard too, and under a
  /// guard also the definitions: they keep their old value where it is false.
  std::vector<unsigned> Defines, Uses;
  std::optional<unsigned> Guard;
  unsigned TextLine = 0; ///< in the PTX, from 1
  Mark At;               ///< where the operation was written
  Mark InlinedAt;        ///< the call that brought it here, if there is one
  std::string Callee;    ///< of a direct call

  /// "ld" of "ld.global.f32".
  llvm::StringRef base() const {
    return llvm::StringRef(Opcode).split('.').first;
  }
  /// True if one of the words between its dots is Word.
  bool has(llvm::StringRef Word) const;
};

/// Instructions [First, End) without a jump in or out between them.
struct Block {
  unsigned First = 0, End = 0;
  std::vector<unsigned> Successors;
  bool NoUnroll = false; ///< .pragma "nounroll" stands in it
};

struct Function {
  std::string Name; ///< as mangled
  bool IsEntry = false;
  unsigned TextLine = 0;
  std::vector<Register> Registers;
  std::vector<Instruction> Instructions;
  std::vector<Block> Blocks;
  unsigned LocalBytes = 0; ///< of its .local variables
  /// .maxntid (product), .minnctapersm, .maxnreg; 0: not given.
  unsigned MaxThreads = 0, MinBlocks = 0, MaxRegisters = 0;
};

struct Module {
  std::string Target;                                  ///< "sm_80"
  std::vector<std::pair<unsigned, std::string>> Files; ///< of .file, by number
  std::vector<Function> Functions; ///< those with a body, in order

  const Function *find(llvm::StringRef Name) const;
  /// The kernel that has this name with some compiler. They write those that no
  /// other file sees differently: clang _ZL1kPf, nvcc _Z1kPf for
  /// `static __global__ void k(float *)`. Null: none, or several.
  const Function *findKernel(llvm::StringRef Mangled) const;
  std::string fileName(unsigned Number) const; ///< "" if there is none
};

/// Reads a module. Error: "name:line: what is wrong" for the first thing that
/// is not PTX. Never crashes, whatever the text.
llvm::Expected<Module> readPtx(llvm::StringRef Text, llvm::StringRef Name);

} // namespace catt::ptx

#endif
