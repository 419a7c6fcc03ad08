//===- TextAround.cpp - Can a statement be written before another? --------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/safety/TextAround.h"
#include "analysis/source/safety/WrapSites.h"
#include "clang/AST/Attr.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace catt {
namespace {

/// A token of the text, without comments and directives.
struct Word {
  tok::TokenKind Kind;
  llvm::StringRef Text;
  unsigned End;
};

} // namespace

/// The tokens of [Begin, End) of a file, without directives.
static std::vector<Word> wordsOf(llvm::StringRef All, unsigned Begin,
                                 unsigned End, const LangOptions &Options) {
  std::vector<Word> Words;
  Lexer Raw(SourceLocation::getFromRawEncoding(1), Options, All.data(),
            All.data() + Begin, All.data() + All.size());
  Token T;
  bool InDirective = false;
  for (Raw.LexFromRawLexer(T); T.isNot(tok::eof); Raw.LexFromRawLexer(T)) {
    unsigned At = T.getLocation().getRawEncoding() - 1;
    if (At >= End)
      break;
    if (T.isAtStartOfLine())
      InDirective = T.is(tok::hash);
    if (!InDirective)
      Words.push_back(
          {T.getKind(), All.substr(At, T.getLength()), At + T.getLength()});
  }
  return Words;
}

/// Drops `_Pragma("...")` from the end, as often as it stands there.
static void dropPragmas(std::vector<Word> &Words) {
  for (;;) {
    size_t N = Words.size();
    if (N < 4 || Words[N - 1].Kind != tok::r_paren ||
        Words[N - 3].Kind != tok::l_paren || Words[N - 4].Text != "_Pragma")
      return;
    Words.resize(N - 4);
  }
}

/// Whether a statement may begin after the last word. After a parenthesis
/// only if it closes the head of what holds the statement.
static bool endsWhatWasBefore(llvm::ArrayRef<Word> Words, const Stmt &Parent) {
  if (Words.empty())
    return true;
  const Word &Last = Words.back();
  if (isa<CompoundStmt>(Parent))
    return Last.Text == ";" || Last.Text == "{" || Last.Text == "}" ||
           Last.Text == "<%" || Last.Text == "%>";
  if (isa<DoStmt>(Parent))
    return Last.Text == "do";
  if (isa<IfStmt>(Parent))
    return Last.Text == ")" || Last.Text == "else" || Last.Text == "constexpr";
  return Last.Text == ")";
}

/// A pragma whose loop does not come next but for blanks and line comments:
/// lines cannot be added between.
static bool isFarFromPragma(llvm::StringRef All, const Stmt &Statement,
                            const SourceSpan &Span, const SourceManager &SM) {
  auto *A = dyn_cast<AttributedStmt>(&Statement);
  if (!A)
    return false;
  for (const Attr *X : A->getAttrs()) {
    if (X->getSyntax() != AttributeCommonInfo::AS_Pragma)
      continue;
    unsigned At = SM.getFileOffset(SM.getExpansionLoc(X->getLocation()));
    if (All.slice(At, Span.Begin).contains("/*"))
      return true;
  }
  return isFarFromPragma(All, *A->getSubStmt(), Span, SM);
}

static bool mixesAttributes(const Stmt &Statement) {
  auto *A = dyn_cast<AttributedStmt>(&Statement);
  bool Pragma = false,
       Other = isa_and_nonnull<AttributedStmt>(A ? A->getSubStmt() : nullptr);
  for (const Attr *X : A ? A->getAttrs() : llvm::ArrayRef<const Attr *>())
    (X->getSyntax() == AttributeCommonInfo::AS_Pragma ? Pragma : Other) = true;
  return Pragma && Other;
}

std::optional<Refusal> cannotPrecede(const FunctionDecl &F, const Stmt &Parent,
                                     const Stmt &Statement,
                                     const SourceSpan &Span,
                                     const ASTContext &Context) {
  const SourceManager &SM = Context.getSourceManager();
  SourceText Text(Context);
  const Location Where = Text.location(Statement.getBeginLoc());
  SourceLocation Body = SM.getExpansionLoc(F.getBody()->getBeginLoc());
  FileID File = SM.getFileID(SM.getFileLoc(Statement.getBeginLoc()));
  if (SM.getFileID(Body) != File)
    return Refusal{Reason::OtherFile, Where,
                   Span.File + ", which holds a part of " +
                       F.getNameAsString()};
  llvm::StringRef All = Text.text(File);
  if (Context.getLangOpts().Trigraphs && All.contains("?\?/"))
    return Refusal{Reason::InMacro, Where, "a trigraph"};
  if (mixesAttributes(Statement))
    return Refusal{Reason::InMacro, Where, "an attribute beside a pragma"};
  if (isFarFromPragma(All, Statement, Span, SM))
    return Refusal{Reason::InMacro, Where,
                   "a comment between a pragma and its loop"};
  std::vector<Word> Words =
      wordsOf(All, SM.getFileOffset(Body), Span.Begin, Context.getLangOpts());
  dropPragmas(Words);
  if (endsWhatWasBefore(Words, Parent))
    return std::nullopt;
  return Refusal{Reason::InMacro, Where,
                 ("'" + Words.back().Text +
                  "' before it, which may belong to "
                  "it")
                     .str()};
}

} // namespace catt
