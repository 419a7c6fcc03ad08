//===- Layout.cpp - Added code in the style of its file ----------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/Layout.h"
#include "transforms/SourceEdit.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using llvm::StringRef;

namespace catt {

/// Columns of the blanks that a line begins with.
static unsigned columns(StringRef Blank, unsigned TabWidth) {
  unsigned Column = 0;
  for (char C : Blank)
    Column = C == '\t' ? (Column / TabWidth + 1) * TabWidth : Column + 1;
  return Column;
}

clang::format::FormatStyle surroundingStyle(StringRef Text, unsigned Offset) {
  clang::format::FormatStyle Style = clang::format::getLLVMStyle();
  StringRef Indent = indentation(Text, Offset);
  if (Indent.contains('\t')) {
    Style.UseTab = clang::format::FormatStyle::UT_ForIndentation;
    Style.IndentWidth = Style.TabWidth = 8;
    return Style;
  }
  // One step is what the next line above that is indented less lacks.
  unsigned Start = lineStart(Text, Offset);
  while (Start > 0) {
    unsigned Above = lineStart(Text, Start - 1);
    StringRef Line = Text.slice(Above, Start).rtrim();
    StringRef Blank = indentation(Text, Above);
    if (!Line.empty() && !Line.starts_with("#") &&
        Blank.size() < Indent.size()) {
      Style.IndentWidth = std::min<size_t>(Indent.size() - Blank.size(), 8);
      break;
    }
    Start = Above;
  }
  return Style;
}

/// The style, less whatever would touch more than blanks.
static clang::format::FormatStyle prepared(clang::format::FormatStyle Style,
                                           unsigned IndentColumns) {
  using clang::format::FormatStyle;
  Style.Language = FormatStyle::LK_Cpp;
  Style.DisableFormat = false;
  Style.ReflowComments = FormatStyle::RCS_Never;
  Style.InsertBraces = Style.RemoveBracesLLVM = Style.RemoveSemicolon = false;
  Style.LineEnding = FormatStyle::LE_LF;
  Style.UseTab = FormatStyle::UT_Never;
  Style.QualifierAlignment = FormatStyle::QAS_Leave;
  // The snippet stands one step deep, its place in the file may be deeper.
  if (Style.ColumnLimit > 0)
    Style.ColumnLimit = std::max<int>(
        int(Style.ColumnLimit) - int(IndentColumns) + int(Style.IndentWidth),
        40);
  return Style;
}

std::string headOf(StringRef Transform, const Addition &What, bool WithReason) {
  std::string Head = "catt: " + Transform.str() + "(" + What.Argument + ")";
  if (WithReason && !What.Reason.empty())
    Head += ": " + What.Reason;
  return Head;
}

/// The head as comment lines of at most Limit columns each; 0: one line.
static std::string comment(StringRef Head, unsigned Limit) {
  std::string Out = "//";
  size_t Start = 0;
  llvm::SmallVector<StringRef> Words;
  Head.split(Words, ' ');
  for (StringRef Word : Words) {
    bool Full = Limit && Out.size() - Start + 1 + Word.size() > Limit;
    if (Full && Out.size() - Start > 2) {
      Out += '\n';
      Start = Out.size();
      Out += "//";
    }
    Out += " " + Word.str();
  }
  return Out + '\n';
}

/// The addition in a function of its own, ready for clang-format.
static std::string snippet(const Addition &What, StringRef Head,
                           unsigned CommentLimit) {
  std::string Out = "void f() {\n" + comment(Head, CommentLimit);
  Out += llvm::join(What.Open, "\n");
  if (What.Close.empty())
    return Out + " // catt: done\n}\n";
  Out += " // catt: begin\ncattEnclosed();\n" + What.Close.front() +
         " // catt: end\n";
  for (const std::string &Line : llvm::drop_begin(What.Close))
    Out += Line + "\n";
  if (What.Close.size() > 1) // else the marker stands alone
    Out.back() = ' ';
  return Out + "// catt: done\n}\n";
}

/// Adds a row, and leaves room for the hash behind a marker that ends it: what
/// would not fit stands on a line of its own, under the statement.
static void addRow(std::vector<std::string> &Rows, const std::string &Blank,
                   StringRef Body, StringRef Indent,
                   const clang::format::FormatStyle &Style) {
  if (Body.starts_with("#")) { // a directive, as people write them
    Rows.push_back(Body.str());
    return;
  }
  size_t Done = std::min(Body.find("// catt: done"), Body.size());
  size_t Marker = std::min(Body.find("// catt: begin"), Done);
  unsigned Width = columns(Blank, std::max(1u, Style.TabWidth)) + Body.size() +
                   StringRef(" ").size() + HashDigits;
  bool Fits = Style.ColumnLimit == 0 || Width <= Style.ColumnLimit;
  if (Fits || Marker == 0 || Marker == Body.size()) {
    Rows.push_back(Blank + Body.str());
    return;
  }
  Rows.push_back(Blank + Body.take_front(Marker).rtrim().str());
  Rows.push_back((Marker == Done ? Indent.str() : Blank) +
                 Body.drop_front(Marker).str());
}

static std::string reformatted(const std::string &Code,
                               const clang::format::FormatStyle &Style) {
  clang::tooling::Range All(0, Code.size());
  auto Changes = clang::format::reformat(Style, Code, All, "added.cu");
  return llvm::cantFail(clang::tooling::applyAllReplacements(Code, Changes));
}

std::string laidOut(StringRef Code, StringRef Indent,
                    const clang::format::FormatStyle &Style) {
  // No function is around it, as it is around the snippet of an addition.
  const unsigned Column =
      columns(Indent, std::max(1u, Style.TabWidth)) + Style.IndentWidth;
  const std::string Formatted =
      reformatted(Code.str(), prepared(Style, Column));
  llvm::SmallVector<StringRef> Rows;
  StringRef(Formatted).rtrim().split(Rows, '\n');
  return Indent.str() + llvm::join(Rows, ("\n" + Indent).str());
}

Lines layOut(StringRef Transform, const Addition &What, StringRef Indent,
             const clang::format::FormatStyle &Style) {
  unsigned TabWidth = std::max(1u, Style.TabWidth);
  unsigned Column = columns(Indent, TabWidth);
  unsigned Limit = Style.ColumnLimit;
  std::string Code = snippet(What, headOf(Transform, What, true),
                             Limit ? std::max(Limit, Column + 40) - Column : 0);
  const std::string Formatted = reformatted(Code, prepared(Style, Column));
  bool Tabs = Indent.contains('\t') ||
              Style.UseTab != clang::format::FormatStyle::UT_Never;
  llvm::SmallVector<StringRef> Rows;
  StringRef(Formatted).split(Rows, '\n');
  auto Row = llvm::find_if(
      Rows, [&](StringRef R) { return R.ltrim().starts_with("// catt:"); });
  size_t Base = Row->size() - Row->ltrim().size();
  Lines Out;
  std::vector<std::string> *Half = &Out.Open;
  for (; Row != Rows.end(); ++Row) {
    StringRef Body = Row->ltrim();
    if (Body.starts_with("cattEnclosed")) {
      Half = &Out.Close;
      continue;
    }
    size_t Deeper = Row->size() - Body.size();
    Deeper -= std::min(Deeper, Base);
    size_t TabCount = Tabs && Column % TabWidth == 0 ? Deeper / TabWidth : 0;
    addRow(*Half,
           Indent.str() + std::string(TabCount, '\t') +
               std::string(Deeper - TabCount * TabWidth, ' '),
           Body, Indent, Style);
    if (Body.ends_with("// catt: done"))
      break;
  }
  return Out;
}

} // namespace catt
