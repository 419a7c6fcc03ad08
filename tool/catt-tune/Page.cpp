//===- Page.cpp - A search as a page with pictures ------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   as written  |############################## 24.328 ms
//   default     |####  3.542 ms, 6.87x
//   tiles-32    |#######  6.093 ms, 3.99x
//
//===----------------------------------------------------------------------===//
#include "tool/catt-tune/Page.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace catt {
namespace {

constexpr int LabelWidth = 330, BarWidth = 420, RowHeight = 22,
              ValueWidth = 270;

constexpr StringLiteral Head =
    R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>catt-tune</title>
<style>
body { font: 15px sans-serif; max-width: 60em; margin: 2em auto; color: #222; }
svg { font: 13px sans-serif; }
td, th { text-align: left; padding: 0 1em 0.2em 0; vertical-align: top; }
.as-written { fill: #9aa5b1; } .fine { fill: #2b7bba; } .best { fill: #3d9a50; }
</style>
</head>
<body>
)";

std::string escapedForHtml(StringRef Text) {
  std::string Out;
  raw_string_ostream OS(Out);
  printHTMLEscaped(Text, OS);
  return Out;
}

StringRef colourOf(const TuneTable &Table, const TuneRow &Row) {
  return Row.IsBest                    ? "best"
         : &Row == &Table.Rows.front() ? "as-written"
                                       : "fine";
}

/// A bar for each time.
std::string picture(const TuneTable &Table) {
  double Most = 0;
  int Bars = 0;
  for (const TuneRow &Row : Table.Rows) {
    Most = std::max(Most, Row.Ms);
    Bars += Row.Ms > 0;
  }
  std::string Svg =
      formatv("<svg width=\"{0}\" height=\"{1}\" role=\"img\">\n",
              LabelWidth + BarWidth + ValueWidth, Bars * RowHeight + 4)
          .str();
  int Y = 0;
  for (const TuneRow &Row : Table.Rows) {
    if (Row.Ms <= 0)
      continue;
    const int Width = std::max(1, int(BarWidth * Row.Ms / Most));
    Svg += formatv("<text x=\"{0}\" y=\"{1}\" text-anchor=\"end\">{2}</text>"
                   "<rect class=\"{3}\" x=\"{4}\" y=\"{5}\" width=\"{6}\" "
                   "height=\"{7}\"/><text x=\"{8}\" y=\"{1}\">{9} ms{10}{11}"
                   "</text>\n",
                   LabelWidth - 8, Y + 15, escapedForHtml(Row.Variant),
                   colourOf(Table, Row), LabelWidth, Y + 3, Width,
                   RowHeight - 6, LabelWidth + Width + 6, milliseconds(Row.Ms),
                   Row.Gain.empty() ? "" : ", ",
                   Row.Gain + (Row.Predicted.empty()
                                   ? ""
                                   : " (predicted: " + Row.Predicted + ")"))
               .str();
    Y += RowHeight;
  }
  return Svg + "</svg>\n";
}

/// What became of variants without a time.
std::string others(const TuneTable &Table) {
  std::string Rows;
  for (const TuneRow &Row : Table.Rows)
    if (Row.Ms <= 0 && !Row.Verdict.empty())
      Rows += "<tr><td>" + escapedForHtml(Row.Variant) + "</td><td>" +
              escapedForHtml(Row.Verdict) + "</td></tr>\n";
  if (Rows.empty())
    return "";
  return "<details><summary>Variants without a time</summary>\n<table>\n" +
         Rows + "</table>\n</details>\n";
}

/// Each line a paragraph.
std::string paragraphs(StringRef Lines) {
  std::string Text;
  for (StringRef Line : split(Lines.rtrim('\n'), '\n'))
    if (!Line.empty())
      Text += "<p>" + escapedForHtml(Line) + "</p>\n";
  return Text;
}

} // namespace

std::string pageHtml(const TuneResult &R, Checking By) {
  std::string Page = Head.str() + "<h1>catt-tune on " +
                     escapedForHtml(R.Device) + "</h1>\n" +
                     paragraphs(endOf(R)) + paragraphs(remarksOn(R, By));
  for (const TuneTable &Table : tablesOf(R))
    Page += "<h2>" + escapedForHtml(Table.Title) + "</h2>\n" + picture(Table) +
            others(Table);
  return Page + "</body>\n</html>\n";
}

} // namespace catt
