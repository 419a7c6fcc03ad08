//===- SourceEdit.cpp - Added lines that can be taken out again -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/SourceEdit.h"
#include "transforms/FilePlaces.h"
#include "transforms/Layout.h"
#include "llvm/ADT/StringExtras.h"

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

std::string freshName(const FileContext &File, StringRef Base) {
  std::string Name = Base.str();
  if (!File.MentionsCatt)
    return Name;
  auto Taken = [](size_t) { return true; };
  for (unsigned I = 2; anyWord(File.Text, Name, Taken); ++I)
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

FileContext::FileContext(const std::string &Text,
                         const clang::format::FormatStyle *Style)
    : Text(Text), Style(Style), MayBeMarked(StringRef(Text).contains("catt:")),
      MentionsCatt(StringRef(Text).contains("catt")),
      MacroOnBuiltin(macroOnBuiltin(Text)) {
  size_t Dos = StringRef(Text).count("\r\n");
  LineEnding = 2 * Dos > StringRef(Text).count('\n') ? "\r\n" : "\n";
}

const FilePlaces &FileContext::places() const {
  if (!Places)
    Places = std::make_shared<const FilePlaces>(Text);
  return *Places;
}

FileContexts contextsOf(const std::map<std::string, std::string> &Texts,
                        const FileStyles &Styles) {
  FileContexts Out;
  for (const auto &[File, Text] : Texts) {
    auto Style = Styles.find(File);
    Out.try_emplace(File, Text,
                    Style == Styles.end() ? nullptr : &Style->second);
  }
  return Out;
}

bool isMarked(const SourceSpan &Span, StringRef Transform,
              const FileContexts &Files) {
  auto File = Files.find(Span.File);
  return File != Files.end() && File->second.MayBeMarked &&
         llvm::any_of(
             findMarkers(File->second.Text, Span.Begin, Span.End),
             [&](const Marker &M) { return M.Transform == Transform; });
}

bool isMarked(const Kernel &K, StringRef Transform, const FileContexts &Files) {
  return isMarked(K.Span, Transform, Files);
}

bool hasRewrittenLoop(const Kernel &K, const FileContexts &Files) {
  return llvm::any_of(K.Loops, [&](const Loop &L) {
    auto File = Files.find(L.Span.File);
    return File != Files.end() && File->second.MayBeMarked &&
           isInsideAddition(File->second.Text, L.Span);
  });
}

bool isMarkedLaunch(const Launch &L, StringRef Transform,
                    const FileContexts &Files) {
  auto File = Files.find(L.Written ? L.Written->Config.File : "");
  return File != Files.end() &&
         StringRef(File->second.Text)
             .slice(L.Written->Config.Begin, L.Written->Config.End)
             .contains(("/* catt: " + Transform + "(").str());
}

bool isThrottled(const Kernel &K, const FileContexts &Files) {
  return llvm::any_of(allTransforms(), [&](const Transform *T) {
    return T->hasThrottled(K, Files);
  });
}

static bool standsAgainstEdits(Reason Why) {
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

std::vector<Refusal> againstEdits(const Kernel &K,
                                  llvm::ArrayRef<Reason> Others) {
  std::vector<Refusal> Out;
  llvm::copy_if(K.Refusals, std::back_inserter(Out), [&](const Refusal &R) {
    return standsAgainstEdits(R.Kind) || llvm::is_contained(Others, R.Kind);
  });
  return Out;
}

bool contains(const SourceSpan &Outer, const SourceSpan &Inner) {
  return Outer.File == Inner.File && Outer.Begin <= Inner.Begin &&
         Inner.End <= Outer.End;
}

std::optional<Refusal> cannotEdit(const FileContexts &Files,
                                  const SourceSpan &Span,
                                  const Location &Where) {
  auto Found = Files.find(Span.File);
  if (Found == Files.end())
    return Refusal{Reason::OtherFile, Where, Span.File};
  const std::string &Text = Found->second.Text;
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

std::pair<std::string, std::string>
EditBuilder::layOut(const std::string &File, unsigned Offset, StringRef Indent,
                    const Addition &What) const {
  const FileContext &In = Files.at(File);
  Lines Added =
      catt::layOut(By.name(), What, Indent,
                   In.Style ? *In.Style : surroundingStyle(In.Text, Offset));
  auto Joined = [&](const std::vector<std::string> &Rows) {
    std::string Out;
    for (const std::string &Row : Rows)
      Out += Row + In.LineEnding;
    return Out;
  };
  return {Joined(Added.Open), Joined(Added.Close)};
}

std::string linesAsTheyAre(const Transform &By, const Addition &What,
                           StringRef LineEnding) {
  std::string Code = "// " + headOf(By.name(), What, true) + "\n" +
                     llvm::join(What.Open, "\n") + " // catt: done\n";
  llvm::SmallVector<StringRef> Rows;
  StringRef(Code).split(Rows, '\n');
  return llvm::join(Rows, LineEnding);
}

void EditBuilder::insert(const std::string &File, unsigned Offset,
                         StringRef Added) {
  Out.Added[{File, Offset, Offset}].append(Added);
}

void EditBuilder::done(const Location &Where, std::string Summary) {
  Out.Done.push_back({&By, Where, std::move(Summary)});
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

void EditBuilder::addInline(const SourceSpan &Span, const Addition &What) {
  std::string Open = "/* " + headOf(By.name(), What, false) + " */ " +
                     llvm::join(What.Open, " ");
  if (What.Close.empty()) {
    insert(Span.File, Span.Begin, Open + " /* catt: done */ ");
    return;
  }
  insert(Span.File, Span.Begin, Open + " /* catt: begin */ ");
  Out.Added[{Span.File, Span.End, Span.End}].close(
      Span.Begin,
      " /* catt: end */ " + llvm::join(What.Close, " ") + " /* catt: done */");
}

void EditBuilder::wrapStatements(const SourceSpan &Span, bool OwnLines,
                                 const Addition &What) {
  const std::string &Text = Files.at(Span.File).Text;
  std::optional<unsigned> Behind = behindLine(Text, Span.End);
  if (!OwnLines || !Behind || !isFirstOnLine(Text, Span.Begin)) {
    SourceSpan Inner = Span;
    Inner.Begin = beforePragmaOperator(Text, Span.Begin);
    addInline(Inner, What);
    return;
  }
  auto [Open, Close] =
      layOut(Span.File, Span.Begin, indentation(Text, Span.Begin), What);
  unsigned Top = topOf(Text, Span.Begin);
  insert(Span.File, Top, Open);
  Out.Added[{Span.File, *Behind, *Behind}].close(Top, Close);
}

void EditBuilder::addBefore(const SourceSpan &Statement, const Addition &What) {
  const std::string &Text = Files.at(Statement.File).Text;
  if (!isFirstOnLine(Text, Statement.Begin)) {
    unsigned At = beforePragmaOperator(Text, Statement.Begin);
    addInline({Statement.File, At, At}, What);
    return;
  }
  insert(Statement.File, topOf(Text, Statement.Begin),
         layOut(Statement.File, Statement.Begin,
                indentation(Text, Statement.Begin), What)
             .first);
}

void EditBuilder::addBehindBrace(const std::string &File, unsigned Offset,
                                 const Addition &What) {
  const std::string &Text = Files.at(File).Text;
  std::optional<unsigned> Behind = behindLine(Text, Offset);
  if (!Behind) {
    addInline({File, Offset, Offset}, What);
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
  insert(File, *Behind, layOut(File, First, Indent, What).first);
}

void EditBuilder::addBehindDefinition(const SourceSpan &Definition,
                                      const Addition &What) {
  const std::string &Text = Files.at(Definition.File).Text;
  std::optional<unsigned> Behind = behindLine(Text, Definition.End);
  if (!Behind) {
    addInline({Definition.File, Definition.End, Definition.End}, What);
    return;
  }
  insert(Definition.File, *Behind,
         layOut(Definition.File, Definition.Begin,
                indentation(Text, Definition.Begin), What)
             .first);
}

bool EditBuilder::replace(const SourceSpan &Span, const Addition &What) {
  if (Span.Begin >= Span.End || overlapsOther(Out, Span))
    return false;
  std::string Old =
      escaped(StringRef(Files.at(Span.File).Text).slice(Span.Begin, Span.End));
  std::string New = "/* catt: hides " + Old + " */";
  if (!What.Open.empty())
    New = "/* " + headOf(By.name(), What, false) + " was: " + Old + " */ " +
          llvm::join(What.Open, " ") + " /* catt: done */";
  Out.Added[Span].append(New);
  return true;
}

} // namespace catt
