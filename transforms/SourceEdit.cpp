//===- SourceEdit.cpp - Added lines that can be taken out again -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/SourceEdit.h"
#include "transforms/Layout.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using llvm::StringRef;

namespace catt {

//===-- Reading ----------------------------------------------------------===//

static constexpr StringRef Blanks = " \t\v\f\r";

unsigned lineStart(StringRef Text, unsigned Offset) {
  size_t Newline = Text.take_front(Offset).rfind('\n');
  size_t Start = Newline == StringRef::npos ? 0 : Newline + 1;
  // A byte-order mark belongs to no line.
  if (Start == 0 && Text.starts_with("\xEF\xBB\xBF") && Offset >= 3)
    Start = 3;
  return Start;
}

StringRef indentation(StringRef Text, unsigned Offset) {
  StringRef Line = Text.drop_front(lineStart(Text, Offset));
  return Line.take_while([](char C) { return C == ' ' || C == '\t'; });
}

/// Behind a backslash, the start of the next line; std::nullopt if Pos is at no
/// backslash that joins two lines. Compilers allow blanks in between.
static std::optional<size_t> behindSplice(StringRef Text, size_t Pos) {
  if (Pos >= Text.size() || Text[Pos] != '\\')
    return std::nullopt;
  size_t Next = Text.find_first_not_of(Blanks, Pos + 1);
  if (Next == StringRef::npos || Text[Next] != '\n')
    return std::nullopt;
  return Next + 1;
}

/// The newline that ends a line comment, or the end of the text.
static size_t endOfLineComment(StringRef Text, size_t Pos) {
  while (Pos < Text.size() && Text[Pos] != '\n')
    Pos = behindSplice(Text, Pos).value_or(Pos + 1);
  return Pos;
}

std::optional<unsigned> behindLine(StringRef Text, unsigned Offset) {
  size_t Pos = Offset;
  while (Pos < Text.size()) {
    StringRef Rest = Text.drop_front(Pos);
    if (Rest[0] == '\n')
      return Pos + 1;
    if (Blanks.contains(Rest[0])) {
      ++Pos;
    } else if (std::optional<size_t> Next = behindSplice(Text, Pos)) {
      Pos = *Next;
    } else if (Rest.starts_with("//")) {
      Pos = endOfLineComment(Text, Pos);
    } else if (Rest.starts_with("/*")) {
      size_t Close = Text.find("*/", Pos + 2);
      if (Close == StringRef::npos)
        return std::nullopt;
      Pos = Close + 2;
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

/// Whether the line that ends before `Start` is joined with the next one.
static bool splicedAbove(StringRef Text, unsigned Start) {
  StringRef Above = Text.take_front(Start);
  return Above.consume_back("\n") && Above.rtrim(Blanks).ends_with("\\");
}

bool inDirective(StringRef Text, unsigned Offset) {
  unsigned Start = lineStart(Text, Offset);
  while (Start > 0 && splicedAbove(Text, Start))
    Start = lineStart(Text, Start - 1);
  return Text.drop_front(Start).ltrim(Blanks).starts_with("#");
}

bool conditionalsBalanced(const std::string &Text, unsigned Begin,
                          unsigned End) {
  if (!StringRef(Text).slice(Begin, End).contains('#'))
    return true;
  int Depth = 0;
  bool Balanced = true, BehindHash = false;
  forEachToken(
      Text, Begin, [&](const clang::Token &Token, unsigned B, unsigned E) {
        if (B >= End)
          return false;
        StringRef Word = StringRef(Text).slice(B, E);
        if (BehindHash && Word.starts_with("if"))
          ++Depth;
        else if (BehindHash && Word == "endif")
          Balanced &= --Depth >= 0;
        else if (BehindHash && Word.starts_with("el"))
          Balanced &= Depth > 0;
        BehindHash = Token.is(clang::tok::hash) && Token.isAtStartOfLine();
        return Balanced;
      });
  return Balanced && Depth == 0;
}

static bool isWordByte(char C) { return llvm::isAlnum(C) || C == '_'; }

/// Calls back with the offset of each whole-word occurrence until true.
static bool anyWord(StringRef Text, StringRef Word,
                    llvm::function_ref<bool(size_t)> Call) {
  for (size_t At = Text.find(Word); At != StringRef::npos;
       At = Text.find(Word, At + 1)) {
    size_t Behind = At + Word.size();
    if ((At == 0 || !isWordByte(Text[At - 1])) &&
        (Behind == Text.size() || !isWordByte(Text[Behind])) && Call(At))
      return true;
  }
  return false;
}

std::string freshName(StringRef Text, StringRef Base, const FileFacts &Facts) {
  std::string Name = Base.str();
  if (!Facts.MentionsCatt)
    return Name;
  auto Taken = [](size_t) { return true; };
  for (unsigned I = 2; anyWord(Text, Name, Taken); ++I)
    Name = Base.str() + std::to_string(I);
  return Name;
}

/// The first builtin whose name a directive of the text makes a macro.
static std::string macroOnBuiltin(StringRef Text) {
  for (StringRef Name : {"threadIdx", "blockDim", "gridDim", "__syncthreads"}) {
    bool Defined = anyWord(Text, Name, [&](size_t At) {
      StringRef Line = Text.slice(lineStart(Text, At), At).trim(Blanks);
      return Line.consume_front("#") && Line.ltrim(Blanks) == "define";
    });
    if (Defined)
      return Name.str();
  }
  return "";
}

const FileFacts &factsOf(const TextMap &Texts, const std::string &File,
                         Edits &Out) {
  FileFacts &Facts = Out.Facts[File];
  if (!Facts.LineEnding.empty())
    return Facts;
  auto Found = Texts.find(File);
  StringRef Text = Found == Texts.end() ? StringRef() : Found->second;
  size_t Dos = Text.count("\r\n");
  Facts.LineEnding = 2 * Dos > Text.count('\n') ? "\r\n" : "\n";
  Facts.MayBeMarked = Text.contains("catt:");
  Facts.MentionsCatt = Text.contains("catt");
  Facts.MacroOnBuiltin = macroOnBuiltin(Text);
  return Facts;
}

bool isMarked(const Kernel &K, llvm::ArrayRef<StringRef> Transforms,
              const TextMap &Texts, Edits &Out) {
  auto Text = Texts.find(K.Span.File);
  return Text != Texts.end() && factsOf(Texts, K.Span.File, Out).MayBeMarked &&
         llvm::any_of(findMarkers(Text->second, K.Span.Begin, K.Span.End),
                      [&](const Marker &M) {
                        return llvm::is_contained(Transforms, M.Transform);
                      });
}

bool hasRewrittenLoop(const Kernel &K, const TextMap &Texts, Edits &Out) {
  return llvm::any_of(K.Loops, [&](const Loop &L) {
    auto Text = Texts.find(L.Span.File);
    return Text != Texts.end() &&
           factsOf(Texts, L.Span.File, Out).MayBeMarked &&
           isInsideAddition(Text->second, L.Span);
  });
}

bool isMarkedLaunch(const Launch &L, StringRef Transform,
                    const TextMap &Texts) {
  auto Text = Texts.find(L.Written ? L.Written->Config.File : "");
  return Text != Texts.end() &&
         StringRef(Text->second)
             .slice(L.Written->Config.Begin, L.Written->Config.End)
             .contains(("/* catt: " + Transform + "(").str());
}

bool isThrottled(const Kernel &K, const TextMap &Texts, Edits &Out) {
  return llvm::any_of(allTransforms(), [&](const Transform *T) {
    return T->hasThrottled(K, Texts, Out);
  });
}

bool standsAgainstEdits(Reason Why) {
  switch (Why) {
  case Reason::Suppressed:
  case Reason::BrokenCode:
  case Reason::NotInstantiated:
  case Reason::InMacro:
  case Reason::InSystemHeader:
  case Reason::OtherFile:
    return true;
  default:
    return false;
  }
}

std::optional<Refusal> cannotEdit(const TextMap &Texts, const SourceSpan &Span,
                                  const Location &Where) {
  auto Found = Texts.find(Span.File);
  if (Found == Texts.end())
    return Refusal{Reason::OtherFile, Where, Span.File};
  const std::string &Text = Found->second;
  if (Span.Begin > Span.End || Span.End > Text.size())
    return Refusal{Reason::OtherFile, Where,
                   Span.File + ", whose text is not the one analysed"};
  if (inDirective(Text, Span.Begin) || inDirective(Text, Span.End))
    return Refusal{Reason::InMacro, Where, "a preprocessor directive"};
  if (!conditionalsBalanced(Text, Span.Begin, Span.End))
    return Refusal{Reason::InMacro, Where,
                   "an #if, #else or #endif that cuts the statement in two"};
  return std::nullopt;
}

//===-- Writing ----------------------------------------------------------===//

static std::string joined(const std::vector<std::string> &Rows,
                          StringRef LineEnding) {
  std::string Out;
  for (const std::string &Row : Rows)
    Out += Row + LineEnding.str();
  return Out;
}

static Lines layOut(const TextMap &Texts, const std::string &File,
                    unsigned Offset, StringRef Indent, const Addition &What,
                    Edits &Out) {
  const FileFacts &Facts = factsOf(Texts, File, Out);
  return layOut(What, Indent,
                Facts.Style ? *Facts.Style
                            : surroundingStyle(Texts.at(File), Offset));
}

void insert(Edits &Out, const std::string &File, unsigned Offset,
            StringRef Added) {
  Out.Added[{File, Offset, Offset}].append(Added);
}

bool isFirstOnLine(StringRef Text, unsigned Offset) {
  return Text.slice(lineStart(Text, Offset), Offset).ltrim(Blanks).empty();
}

/// `_Pragma("...")` and nothing else: a loop may follow on the same line.
static bool isPragmaOperator(StringRef Line) {
  auto Drop = [&](StringRef Word) {
    bool Found = Line.consume_front(Word);
    Line = Line.ltrim(Blanks);
    return Found;
  };
  if (!Drop("_Pragma") || !Drop("(") || !Drop("\""))
    return false;
  Line = Line.drop_until([](char C) { return C == '"'; });
  return Drop("\"") && Drop(")") && Line.empty();
}

/// An unroll pragma must stay directly before its loop.
static unsigned abovePragmas(StringRef Text, unsigned Offset) {
  unsigned Top = lineStart(Text, Offset);
  for (unsigned Below = Top, Start; Below > 0; Below = Start) {
    Start = lineStart(Text, Below - 1);
    while (Start > 0 && splicedAbove(Text, Start))
      Start = lineStart(Text, Start - 1);
    StringRef Line = Text.slice(Start, Below).trim();
    bool Pragma = isPragmaOperator(Line);
    if (Line.starts_with("#"))
      Pragma = Line.drop_front().ltrim(Blanks).starts_with("pragma");
    if (Pragma)
      Top = Start;
    else if (!Line.empty() && !Line.starts_with("//"))
      break;
  }
  return Top;
}

unsigned topOf(StringRef Text, unsigned Offset) {
  return isFirstOnLine(Text, Offset) ? abovePragmas(Text, Offset) : Offset;
}

/// Where `_Pragma("...")` begins that stands before Offset on its line.
static unsigned beforePragmaOperator(StringRef Text, unsigned Offset) {
  StringRef Line = Text.slice(lineStart(Text, Offset), Offset).rtrim(Blanks);
  size_t At = Line.rfind("_Pragma");
  if (At == StringRef::npos || !Line.ends_with(")") ||
      Line.drop_front(At).contains(';'))
    return Offset;
  return lineStart(Text, Offset) + At;
}

void addInline(const SourceSpan &Span, const Addition &What, Edits &Out) {
  std::string Open =
      "/* " + headOf(What, false) + " */ " + llvm::join(What.Open, " ");
  if (What.Close.empty()) {
    insert(Out, Span.File, Span.Begin, Open + " /* catt: done */ ");
    return;
  }
  insert(Out, Span.File, Span.Begin, Open + " /* catt: begin */ ");
  Out.Added[{Span.File, Span.End, Span.End}].close(
      Span.Begin,
      " /* catt: end */ " + llvm::join(What.Close, " ") + " /* catt: done */");
}

void wrapStatements(const TextMap &Texts, const SourceSpan &Span, bool OwnLines,
                    const Addition &What, Edits &Out) {
  const std::string &Text = Texts.at(Span.File);
  std::optional<unsigned> Behind = behindLine(Text, Span.End);
  if (!OwnLines || !Behind || !isFirstOnLine(Text, Span.Begin)) {
    SourceSpan Inner = Span;
    Inner.Begin = beforePragmaOperator(Text, Span.Begin);
    addInline(Inner, What, Out);
    return;
  }
  Lines Added = layOut(Texts, Span.File, Span.Begin,
                       indentation(Text, Span.Begin), What, Out);
  const std::string &LineEnding = factsOf(Texts, Span.File, Out).LineEnding;
  unsigned Top = topOf(Text, Span.Begin);
  insert(Out, Span.File, Top, joined(Added.Open, LineEnding));
  Out.Added[{Span.File, *Behind, *Behind}].close(
      Top, joined(Added.Close, LineEnding));
}

void addBefore(const TextMap &Texts, const SourceSpan &Statement,
               const Addition &What, Edits &Out) {
  const std::string &Text = Texts.at(Statement.File);
  if (!isFirstOnLine(Text, Statement.Begin)) {
    unsigned At = beforePragmaOperator(Text, Statement.Begin);
    addInline({Statement.File, At, At}, What, Out);
    return;
  }
  Lines Added = layOut(Texts, Statement.File, Statement.Begin,
                       indentation(Text, Statement.Begin), What, Out);
  insert(Out, Statement.File, topOf(Text, Statement.Begin),
         joined(Added.Open, factsOf(Texts, Statement.File, Out).LineEnding));
}

void addBehindBrace(const TextMap &Texts, const std::string &File,
                    unsigned Offset, const Addition &What, Edits &Out) {
  const std::string &Text = Texts.at(File);
  std::optional<unsigned> Behind = behindLine(Text, Offset);
  if (!Behind) {
    addInline({File, Offset, Offset}, What, Out);
    return;
  }
  // Indented like the first line of the body, or a step deeper than the brace
  // where that line is none to go by.
  StringRef Rest = StringRef(Text).drop_front(*Behind);
  unsigned First = *Behind + (Rest.size() - Rest.ltrim().size());
  std::string Indent = indentation(Text, First).str();
  if (First == Text.size() || Text[First] == '}' || Text[First] == '#') {
    First = Offset;
    Indent = (indentation(Text, Offset) +
              (indentation(Text, Offset).contains('\t') ? "\t" : "  "))
                 .str();
  }
  Lines Added = layOut(Texts, File, First, Indent, What, Out);
  insert(Out, File, *Behind,
         joined(Added.Open, factsOf(Texts, File, Out).LineEnding));
}

void addBehindDefinition(const TextMap &Texts, const SourceSpan &Definition,
                         const Addition &What, Edits &Out) {
  const std::string &Text = Texts.at(Definition.File);
  std::optional<unsigned> Behind = behindLine(Text, Definition.End);
  if (!Behind) {
    addInline({Definition.File, Definition.End, Definition.End}, What, Out);
    return;
  }
  Lines Added = layOut(Texts, Definition.File, Definition.Begin,
                       indentation(Text, Definition.Begin), What, Out);
  insert(Out, Definition.File, *Behind,
         joined(Added.Open, factsOf(Texts, Definition.File, Out).LineEnding));
}

bool replace(const TextMap &Texts, const SourceSpan &Span, const Addition &What,
             Edits &Out) {
  if (Span.Begin >= Span.End || overlapsOther(Out, Span))
    return false;
  std::string Old =
      escaped(StringRef(Texts.at(Span.File)).slice(Span.Begin, Span.End));
  std::string New = "/* catt: hides " + Old + " */";
  if (!What.Open.empty())
    New = "/* " + headOf(What, false) + " was: " + Old + " */ " +
          llvm::join(What.Open, " ") + " /* catt: done */";
  Out.Added[Span].append(New);
  return true;
}

} // namespace catt
