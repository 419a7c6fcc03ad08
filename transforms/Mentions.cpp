//===- Mentions.cpp - What sees more of a name than its value -------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   A[i] = i;           both are on the analysis' list of plain reads
//   decltype(i) t;      this one is not: nobody may declare another i around it
//
//===----------------------------------------------------------------------===//
#include "transforms/SourceEdit.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using llvm::StringRef;

namespace catt {

/// The place of an offset in a text.
static Location locationAt(const std::string &File, StringRef Text,
                           unsigned At) {
  StringRef Above = Text.take_front(At);
  unsigned Line = Above.count('\n') + 1;
  return {File, Line, At - unsigned(Above.rfind('\n') + 1) + 1};
}

namespace {
/// Goes through the words of a text, one behind the other.
class Reader {
public:
  Reader(const Kernel &K, llvm::ArrayRef<std::string> Names)
      : K(K), Names(Names) {}

  /// True: the word before this one is seen otherwise.
  bool next(StringRef Word, unsigned At) {
    bool Odd = Thread && Word != ".";
    if (Field)
      Odd |= Word != "x" && Word != "y" && Word != "z";
    Field = Thread && Word == ".";
    Thread = false;
    if (Odd)
      return true;
    bool Member = Before == "." || Before == "->";
    if (!Member && llvm::is_contained(Names, Word)) {
      Name = Word;
      Where = At;
      Thread = Word == "threadIdx";
      if (!Thread &&
          !std::binary_search(K.PlainReads.begin(), K.PlainReads.end(), At))
        return true;
    }
    Before = Word;
    return false;
  }

  StringRef Name;
  unsigned Where = 0;

private:
  const Kernel &K;
  llvm::ArrayRef<std::string> Names;
  StringRef Before;
  bool Thread = false; ///< the word before is threadIdx
  bool Field = false;  ///< the words before are `threadIdx .`
};
} // namespace

std::string hiddenBuiltin(const std::string &Text, unsigned From, unsigned To) {
  std::vector<std::pair<unsigned, std::string>> Declared; // depth, name
  unsigned Depth = 0, Parens = 0;
  bool AfterType = false, Pending = false;
  std::string Name;
  forEachToken(
      Text, From, [&](const clang::Token &Token, unsigned Begin, unsigned End) {
        if (Begin >= To)
          return false;
        if (Token.is(clang::tok::comment))
          return true;
        // A parameter lives in the block that follows the parentheses.
        if (Pending && Token.isNot(clang::tok::period))
          Declared.push_back({Depth + (Parens > 0), Name});
        Pending = false;
        StringRef Word = StringRef(Text).slice(Begin, End);
        if (Word == "threadIdx" || Word == "blockDim" ||
            Word == "__syncthreads") {
          Pending = AfterType;
          Name = Word.str();
        }
        AfterType = Token.isOneOf(clang::tok::star, clang::tok::amp,
                                  clang::tok::ampamp, clang::tok::greater) ||
                    (Token.is(clang::tok::raw_identifier) && Word != "return" &&
                     Word != "else" && Word != "do");
        if (Token.is(clang::tok::l_paren))
          ++Parens;
        if (Token.is(clang::tok::r_paren))
          Parens -= Parens > 0;
        if (Token.is(clang::tok::semi) && Parens == 0) // of a prototype
          llvm::erase_if(Declared, [&](auto &D) { return D.first > Depth; });
        if (Token.is(clang::tok::l_brace))
          ++Depth;
        if (Token.is(clang::tok::r_brace)) {
          llvm::erase_if(Declared, [&](auto &D) { return D.first >= Depth; });
          Depth -= Depth > 0;
        }
        return true;
      });
  return Declared.empty() ? "" : Declared.front().second;
}

std::optional<Refusal> seenOtherwise(const Kernel &K, const FileContexts &Files,
                                     unsigned From, unsigned To,
                                     llvm::ArrayRef<std::string> Names) {
  auto Refuse = [](StringRef Name, Location Where) {
    return Refusal{Reason::AddressTaken, std::move(Where),
                   ("'" + Name + "' is named otherwise than to read it").str()};
  };
  for (const Mention &M : K.MacroMentions)
    if (llvm::is_contained(Names, M.Name) && M.Name != "threadIdx" &&
        (!M.IsHere || (From <= M.At && M.At < To)))
      return Refuse(M.Name, M.Where);
  auto Found = Files.find(K.Span.File);
  if (Found == Files.end())
    return Refusal{Reason::OtherFile, K.Where, K.Span.File};
  const std::string &Text = Found->second.Text;
  Reader Words(K, Names);
  bool Odd = false;
  forEachToken(Text, From,
               [&](const clang::Token &T, unsigned Begin, unsigned End) {
                 if (Begin >= To || Odd)
                   return false;
                 if (T.isNot(clang::tok::comment))
                   Odd = Words.next(StringRef(Text).slice(Begin, End), Begin);
                 return true;
               });
  if (!Odd)
    return std::nullopt;
  return Refuse(Words.Name, locationAt(K.Span.File, Text, Words.Where));
}

} // namespace catt
