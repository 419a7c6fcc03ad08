//===- PtxReader.h - State of reading PTX -----------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   readPtx --> Reader::run --> moduleItem --> function --> body --> statement
//                                                           |- declaration
//                                                           |- label
//                                                           `- instruction
//
// Shared by Ptx.cpp (modules, functions, declarations) and PtxInstructions.cpp
// (labels, instructions, blocks); nothing else includes it.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_REGISTERS_PTXREADER_H
#define CATT_ANALYSIS_REGISTERS_PTXREADER_H

#include "analysis/registers/Ptx.h"
#include "analysis/registers/PtxLexer.h"
#include "llvm/ADT/StringMap.h"

namespace catt::ptx {

/// `%r<56>`: registers %r0 to %r55.
struct Range {
  unsigned Bits = 0;
  uint64_t Count = 0;
};

/// The names that a pair of braces declares.
struct Scope {
  llvm::StringMap<unsigned> Names; ///< to Function::Registers
  llvm::StringMap<Range> Ranges;   ///< by prefix
};

/// A label, or a jump to one that may come later.
struct Jump {
  unsigned Instruction = 0;
  std::string Label;
  unsigned TextLine = 0;
};

class Reader {
public:
  Reader(llvm::StringRef Text, llvm::StringRef Name)
      : Tokens(lexPtx(Text)), Name(Name) {}
  llvm::Expected<Module> run();

private:
  // All of these return true on failure, after fail() has noted why.
  bool fail(const llvm::Twine &Why);
  bool moduleItem();
  bool function(bool IsEntry);
  bool parameters();
  bool attributes();
  bool body();
  bool statement();
  bool declaration();
  bool registers();
  bool localVariable();
  bool label();
  bool instruction();
  bool operand(Operand &Into);
  bool atom(Operand &Into);
  bool call();
  bool lookUp(llvm::StringRef Word, std::optional<unsigned> &Id);
  bool finishJumps();
  bool skipStatement();

  void place();
  void file();
  bool number(uint64_t &Into);
  std::vector<Token> restOfLine();
  void definesAndUses(Instruction &I);
  void finishBlocks();
  void startBlock();
  unsigned addRegister(llvm::StringRef Name, unsigned Bits);

  const Token &peek(unsigned Ahead = 0) const {
    return Tokens[std::min<size_t>(Next + Ahead, Tokens.size() - 1)];
  }
  const Token &take() {
    const Token &T = peek();
    Next = std::min(Next + 1, Tokens.size() - 1);
    return T;
  }
  bool atEnd() const { return peek().Is == Token::Kind::End; }

  std::vector<Token> Tokens;
  llvm::StringRef Name;
  size_t Next = 0;
  std::string Problem;
  Module M;
  // Of the function being read:
  Function F;
  std::vector<Scope> Scopes;
  llvm::StringMap<unsigned> Labels;                 ///< to the block behind it
  llvm::StringMap<std::vector<std::string>> Tables; ///< of .branchtargets
  std::vector<Jump> Jumps;
  Mark At, InlinedAt;
  bool Open = true; ///< the next instruction starts a block
};

} // namespace catt::ptx

#endif
