//===- PtxLexer.h - PTX text to tokens --------------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   @%p1 ld.global.f32 %r2, [%rd1+4];  // text
//     ->  @  %p1  ld.global.f32  %r2  ,  [  %rd1  +  4  ]  ;
//
// Words keep their dots and double colons, as opcodes and special registers
// have them. Comments, the "begin inline asm" ones too, are skipped.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_REGISTERS_PTXLEXER_H
#define CATT_ANALYSIS_REGISTERS_PTXLEXER_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <vector>

namespace catt::ptx {

struct Token {
  enum class Kind : uint8_t { Word, Number, String, Sign, End };
  Kind Is = Kind::End;
  llvm::StringRef Text; ///< of a String: without its quotes
  unsigned Line = 0;    ///< from 1
  bool is(char Sign) const {
    return Is == Kind::Sign && Text.size() == 1 && Text[0] == Sign;
  }
  bool is(llvm::StringRef Word) const {
    return Is == Kind::Word && Text == Word;
  }
};

/// All tokens of Text, with one of kind End behind the last. They point into
/// Text. A byte that PTX does not know becomes a Sign.
std::vector<Token> lexPtx(llvm::StringRef Text);

} // namespace catt::ptx

#endif
