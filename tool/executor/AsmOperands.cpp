//===- AsmOperands.cpp - PTX's operand letters as clang takes them here ----==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   asm("" : "+f"(x))   ->   asm("" : "+r"(x))
//
// PTX's letters say how wide a register is; for x86 the same ones are invalid
// ("h", "=f") or name a register of their own ("d"). Assembly.cpp turns every
// asm statement into IR, by the types of its operands: any letter does that
// means "a value in a register", before clang checks it.
//
// device.h makes asm a macro that begins with _Pragma("catt_simt_asm"). So the
// preprocessor hands over each asm statement behind its macros, and its tokens
// go back with other letters, at the places that they had. "n" and "i" mean the
// same here. "C" (text as an operand) has no meaning here, and Assembly.cpp
// does not know what it then reads.
//
//===----------------------------------------------------------------------===//

#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"

namespace tok = clang::tok;
using clang::Preprocessor, clang::Token;

namespace {

class AsmOperands : public clang::PragmaHandler {
public:
  AsmOperands() : clang::PragmaHandler("catt_simt_asm") {}

  void HandlePragma(Preprocessor &PP, clang::PragmaIntroducer,
                    Token &First) override {
    PP.Lex(First); // the end of the pragma
    llvm::SmallVector<Token> All;
    auto Take = [&] {
      PP.Lex(All.emplace_back());
      return All.back().getKind();
    };
    tok::TokenKind Kind = Take();
    while (isKeyword(Kind))
      Kind = Take();
    unsigned Depth = 0, Colons = 0;
    for (;; Kind = Take()) {
      if (Kind == tok::l_paren)
        ++Depth;
      else if (Kind == tok::r_paren && Depth > 0)
        --Depth;
      else if (Depth == 1 && Kind == tok::colon)
        ++Colons;
      else if (Depth == 1 && Kind == tok::coloncolon)
        Colons += 2;
      else if (Depth == 1 && Kind == tok::string_literal &&
               (Colons == 1 || Colons == 2))
        replace(PP, All.back());
      if (Depth == 0 || Kind == tok::eof)
        break;
    }
    auto Owned = std::make_unique<Token[]>(All.size());
    llvm::copy(All, Owned.get());
    PP.EnterTokenStream(std::move(Owned), All.size(),
                        /*DisableMacroExpansion=*/true, /*IsReinject=*/false);
  }

private:
  static bool isKeyword(tok::TokenKind Kind) {
    return Kind == tok::kw_asm || Kind == tok::kw_volatile ||
           Kind == tok::kw_inline || Kind == tok::kw_goto;
  }

  /// "=&f", or the "f" of "=" "f".
  static void replace(Preprocessor &PP, Token &T) {
    std::string Text = PP.getSpelling(T);
    llvm::StringRef Letter = llvm::StringRef(Text).trim('"').ltrim("=+&");
    if (Letter.size() != 1 || !llvm::StringRef("fhdlq").contains(Letter[0]))
      return;
    Text[Text.size() - 2] = 'r';
    clang::SourceLocation At = T.getLocation();
    PP.CreateString(Text, T, At, At);
  }
};

clang::PragmaHandlerRegistry::Add<AsmOperands>
    AsmOperandsRegistered("catt_simt_asm", "PTX's operand letters");

} // namespace
