//===- PtxLexer.cpp - PTX text to tokens ----------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/PtxLexer.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace catt::ptx {

namespace {
class Lexer {
public:
  explicit Lexer(StringRef Text) : Rest(Text) {}
  std::vector<Token> run();

private:
  void advance(size_t Bytes) {
    Line += Rest.take_front(Bytes).count('\n');
    Rest = Rest.drop_front(Bytes);
  }
  bool skipBlanks();
  static size_t wordLength(StringRef Text);

  StringRef Rest;
  unsigned Line = 1;
};
} // namespace

/// True if there is something left.
bool Lexer::skipBlanks() {
  while (!Rest.empty()) {
    if (llvm::isSpace(Rest.front()))
      advance(1);
    else if (Rest.starts_with("//"))
      advance(std::min(Rest.find('\n'), Rest.size()));
    else if (Rest.starts_with("/*"))
      advance(std::min(Rest.find("*/", 2), Rest.size() - 2) + 2);
    else
      return true;
  }
  return false;
}

static bool isWordStart(char C) {
  return llvm::isAlpha(C) || C == '_' || C == '$' || C == '%' || C == '.';
}

/// Length of the word at the front of Text; "::" belongs to it, ":" does not.
size_t Lexer::wordLength(StringRef Text) {
  size_t N = 0;
  while (N < Text.size()) {
    if (isWordStart(Text[N]) || llvm::isDigit(Text[N]))
      ++N;
    else if (N != 0 && Text.substr(N).starts_with("::"))
      N += 2;
    else
      break;
  }
  return N;
}

std::vector<Token> Lexer::run() {
  std::vector<Token> Tokens;
  while (skipBlanks()) {
    Token T{Token::Kind::Sign, Rest.take_front(1), Line};
    size_t Length = 1;
    if (Rest.front() == '"') {
      size_t End = std::min(Rest.find('"', 1), Rest.size());
      T = {Token::Kind::String, Rest.slice(1, End), Line};
      Length = std::min(End + 1, Rest.size());
    } else if (isWordStart(Rest.front()) || llvm::isDigit(Rest.front())) {
      Length = wordLength(Rest);
      T.Is =
          llvm::isDigit(Rest.front()) ? Token::Kind::Number : Token::Kind::Word;
      T.Text = Rest.take_front(Length);
    }
    Tokens.push_back(T);
    advance(Length);
  }
  Tokens.push_back({Token::Kind::End, "", Line});
  return Tokens;
}

std::vector<Token> lexPtx(StringRef Text) { return Lexer(Text).run(); }

} // namespace catt::ptx
