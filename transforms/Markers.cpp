//===- Markers.cpp - The comments around what was added ----------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/Markers.h"
#include "transforms/SourceEdit.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using llvm::StringRef;

namespace catt {

using Kind = Marker::Kind;

//===-- Tokens ------------------------------------------------------------===//

static const clang::LangOptions &languageOptions() {
  static const clang::LangOptions Options = [] {
    clang::LangOptions O;
    O.CPlusPlus = O.CPlusPlus11 = O.CPlusPlus14 = O.CPlusPlus17 = 1;
    O.LineComment = O.RawStringLiterals = O.CUDA = O.Bool = 1;
    return O;
  }();
  return Options;
}

void forEachToken(
    const std::string &Text, unsigned From,
    llvm::function_ref<bool(const clang::Token &, unsigned, unsigned)> Call) {
  constexpr unsigned Base = 1;
  clang::Lexer Lexer(clang::SourceLocation::getFromRawEncoding(Base),
                     languageOptions(), Text.data(), Text.data() + From,
                     Text.data() + Text.size());
  Lexer.SetCommentRetentionState(true);
  clang::Token Token;
  for (;;) {
    Lexer.LexFromRawLexer(Token);
    if (Token.is(clang::tok::eof))
      return;
    unsigned Begin = Token.getLocation().getRawEncoding() - Base;
    if (!Call(Token, Begin, Begin + Token.getLength()))
      return;
  }
}

//===-- Comments ----------------------------------------------------------===//

static bool isHash(StringRef Word) {
  return Word.size() == HashDigits && llvm::all_of(Word, [](char C) {
           return llvm::isDigit(C) || ('a' <= C && C <= 'f');
         });
}

/// What a comment says: "catt: done 3f2a1c", with one blank for several and for
/// the ends of lines.
static std::string wordsOf(StringRef Comment) {
  if (!Comment.consume_front("//")) {
    Comment.consume_front("/*");
    Comment.consume_back("*/");
  }
  llvm::SmallVector<StringRef> Words;
  llvm::SplitString(Comment, Words, " \t\v\f\r\n");
  llvm::erase(Words, "*"); // that a formatter begins lines with
  return llvm::join(Words, " ");
}

/// Each byte that is escaped, and the letter for it.
static constexpr std::pair<char, char> Escapes[] = {
    {'\\', '\\'}, {'*', '*'},  {'\n', 'n'}, {'\r', 'r'},
    {'\t', 't'},  {'\v', 'v'}, {'\f', 'f'}, {'\0', '0'}};

std::string escaped(StringRef Bytes) {
  std::string Out;
  for (size_t I = 0; I < Bytes.size(); ++I) {
    char C = Bytes[I];
    auto Escape =
        llvm::find_if(Escapes, [&](const auto &E) { return E.first == C; });
    bool Alone = I > 0 && I + 1 < Bytes.size() && Bytes[I - 1] != ' ' &&
                 Bytes[I + 1] != ' ';
    if (Escape != std::end(Escapes))
      Out += {'\\', Escape->second};
    else if (C == ' ' && !Alone)
      Out += "\\s";
    else if (C == '/' && I > 0 && Bytes[I - 1] == '*')
      Out += "\\/";
    else
      Out += C;
  }
  return Out;
}

static std::string unescaped(StringRef Text) {
  std::string Out;
  for (size_t I = 0; I < Text.size(); ++I) {
    if (Text[I] != '\\' || I + 1 == Text.size()) {
      Out += Text[I];
      continue;
    }
    char C = Text[++I];
    auto Escape =
        llvm::find_if(Escapes, [&](const auto &E) { return E.second == C; });
    Out += Escape != std::end(Escapes) ? Escape->first : C == 's' ? ' ' : C;
  }
  return Out;
}

/// The name that a head begins with, "split-warp-groups(2)...", or nothing.
static StringRef nameOfHead(StringRef Body) {
  StringRef Name = Body.take_while(
      [](char C) { return llvm::isLower(C) || llvm::isDigit(C) || C == '-'; });
  return Body.drop_front(Name.size()).starts_with("(") ? Name : StringRef();
}

/// The marker that a comment of these words is, if it is one.
static std::optional<Marker> classify(StringRef Body, bool Block) {
  Marker M;
  M.Block = Block;
  if (!Body.consume_front("catt:"))
    return std::nullopt;
  Body = Body.ltrim();
  if (M.Block && Body.consume_front("hides ")) {
    M.K = Kind::Hides;
    M.Was = unescaped(Body);
    return M;
  }
  auto [Word, Hash] = Body.split(' ');
  if (Body == "end" || Word == "begin" || Word == "done") {
    M.K = Word == "begin" ? Kind::Begin
          : Word == "end" ? Kind::End
                          : Kind::Done;
    M.Hash = Hash.str();
    return Hash.empty() || isHash(Hash) ? std::optional(M) : std::nullopt;
  }
  M.Transform = nameOfHead(Body).str();
  if (M.Transform.empty() || M.Transform == "launch") // of a user's directive
    return std::nullopt;
  if (size_t At = Body.find(") was: "); M.Block && At != StringRef::npos)
    M.Was = unescaped(Body.drop_front(At + StringRef(") was: ").size()));
  return M;
}

namespace {
/// Goes through the comments of a text.
class MarkerReader {
public:
  explicit MarkerReader(StringRef Text) : Text(Text) {}

  void read(unsigned Begin, unsigned End) {
    StringRef Comment = Text.slice(Begin, End);
    bool Block = Comment.starts_with("/*");
    std::string Words = wordsOf(Comment);
    if (Block || !goesOn(Words, End))
      add(Words, Block, Begin, End);
  }

  void otherToken() { Broken = ""; }

  std::vector<Marker> Found;

private:
  /// A formatter breaks a comment that is too long into several.
  bool goesOn(const std::string &Words, unsigned End) {
    if (Broken.empty())
      return false;
    std::string Whole = Broken + " " + Words;
    std::optional<Marker> M = classify(Whole, false);
    if (!M || (Broken != "catt:" && M->Hash.empty()))
      return false;
    if (!Found.empty() && Found.back().Begin == BrokenAt)
      Found.pop_back();
    add(Whole, false, BrokenAt, End);
    return true;
  }

  void add(const std::string &Words, bool Block, unsigned Begin, unsigned End) {
    bool MayGoOn = !Block && llvm::is_contained(
                                 {"catt:", "catt: begin", "catt: done"}, Words);
    Broken = MayGoOn ? Words : "";
    BrokenAt = Begin;
    if (std::optional<Marker> M = classify(Words, Block)) {
      M->Begin = Begin;
      M->End = End;
      Found.push_back(std::move(*M));
    }
  }

  StringRef Text;
  std::string Broken; ///< the words of a line comment that may go on
  unsigned BrokenAt = 0;
};
} // namespace

/// Every marker, and whatever looks like a head.
static std::vector<Marker> likelyMarkers(const std::string &Text, unsigned From,
                                         unsigned To) {
  MarkerReader Reader(Text);
  if (!StringRef(Text).slice(From, To).contains("catt:"))
    return {};
  forEachToken(Text, From,
               [&](const clang::Token &Token, unsigned Begin, unsigned End) {
                 if (Begin >= To)
                   return false;
                 if (Token.is(clang::tok::comment))
                   Reader.read(Begin, End);
                 else
                   Reader.otherToken();
                 return true;
               });
  return std::move(Reader.Found);
}

std::vector<Marker> findMarkers(const std::string &Text, unsigned From,
                                unsigned To) {
  std::vector<Marker> All = likelyMarkers(Text, From, To), Found;
  for (size_t I = 0; I < All.size(); ++I) {
    const Marker &M = All[I];
    bool Known = M.K != Kind::Head ||
                 llvm::any_of(allTransforms(), [&](const Transform *T) {
                   return T->name() == M.Transform;
                 });
    bool HashFollows = I + 1 < All.size() && !All[I + 1].Hash.empty();
    if (Known || HashFollows)
      Found.push_back(M);
  }
  return Found;
}

//===-- Hashes ------------------------------------------------------------===//

static bool isPlainString(StringRef Token) {
  return Token.size() > 1 && Token.front() == '"' && Token.back() == '"';
}

unsigned codeBegin(const std::string &Text, const Marker &First) {
  return First.Block ? First.End : lineStart(Text, First.Begin);
}

std::string tokensOf(const std::string &Text, unsigned From, unsigned To) {
  std::string Code;
  bool BehindString = false;
  auto Read = [&](const clang::Token &Token, unsigned B, unsigned E) {
    if (B >= To)
      return false;
    if (Token.is(clang::tok::comment))
      return true;
    StringRef Word = StringRef(Text).slice(B, E);
    bool String = isPlainString(Word);
    if (BehindString && String) { // one string, broken in two
      Code.resize(Code.size() - 2);
      Word = Word.drop_front();
    }
    BehindString = String;
    for (; Word.size() > 1 && Word.front() == '>' && Word.back() == '>';
         Word = Word.drop_front())
      Code.append(">\0", 2); // `> >` may be closed up
    Code.append(Word.data(), Word.size());
    Code += '\0';
    return true;
  };
  forEachToken(Text, From, Read);
  return Code;
}

std::string hashOfCode(const std::string &Text, const Marker &First,
                       const Marker &Last) {
  std::string Code = tokensOf(Text, codeBegin(Text, First), Last.Begin);
  if (First.Was)
    Code += *First.Was;
  return llvm::utohexstr(llvm::xxh3_64bits(Code), /*LowerCase=*/true,
                         /*Width=*/16)
      .substr(0, HashDigits);
}

std::string sealed(const std::string &Text) {
  std::vector<Marker> Markers = likelyMarkers(Text, 0, Text.size());
  std::string Out;
  unsigned From = 0;
  for (size_t I = 1; I < Markers.size(); ++I) {
    const Marker &M = Markers[I];
    if (!M.endsPiece())
      continue;
    std::string Words = M.K == Kind::Begin ? "catt: begin " : "catt: done ";
    Words += hashOfCode(Text, Markers[I - 1], M);
    Out += Text.substr(From, M.Begin - From);
    Out += M.Block ? "/* " + Words + " */" : "// " + Words;
    From = M.End;
  }
  return Out + Text.substr(From);
}

//===-- What stands between markers ---------------------------------------===//

bool isInsideAddition(const std::string &Text, const SourceSpan &Span) {
  unsigned Head = 0;
  for (const Marker &M : findMarkers(Text)) {
    if (M.K == Kind::Head)
      Head = M.Begin;
    if (M.K == Kind::Done && Head < Span.End && Span.Begin < M.End)
      return true;
  }
  return false;
}

static std::string withoutBlanks(StringRef Text) {
  std::string Out = Text.str();
  llvm::erase_if(Out, [](char C) { return llvm::isSpace(C); });
  return Out;
}

bool markedBefore(const std::string &Text, const SourceSpan &Statement,
                  StringRef Transform, StringRef Needle) {
  std::vector<Marker> Above = findMarkers(Text, 0, Statement.Begin);
  unsigned End = Statement.Begin;
  auto Touches = [&](const Marker &M) {
    return M.End <= End && StringRef(Text).slice(M.End, End).trim().empty();
  };
  // Additions may stand on top of each other, so climb from one to the next.
  while (Above.size() > 1 && Above.back().K == Kind::Done &&
         Touches(Above.back())) {
    const Marker &Head = Above[Above.size() - 2];
    if (Head.K != Kind::Head)
      return false;
    StringRef Added = StringRef(Text).slice(Head.Begin, Above.back().End);
    if (Head.Transform == Transform &&
        StringRef(withoutBlanks(Added)).contains(withoutBlanks(Needle)))
      return true;
    End = Head.Begin;
    Above.resize(Above.size() - 2);
  }
  return false;
}

} // namespace catt
