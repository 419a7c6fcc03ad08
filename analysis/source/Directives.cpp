//===- Directives.cpp - What comments tell the tool -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/source/Directives.h"
#include "llvm/ADT/StringExtras.h"

namespace catt {

llvm::Expected<Shape> parseShape(llvm::StringRef Text) {
  llvm::SmallVector<llvm::StringRef, 3> Parts;
  Text.split(Parts, 'x');
  int64_t Extents[3] = {1, 1, 1};
  bool Good = Parts.size() <= 3;
  for (size_t I = 0; Good && I < Parts.size(); ++I)
    Good = !Parts[I].trim().getAsInteger(10, Extents[I]) && Extents[I] > 0;
  if (!Good)
    return llvm::createStringError(
        "'" + Text +
        "' is not a shape: write one to three positive numbers "
        "joined by 'x', such as 256 or 32x8");
  return Shape{Extents[0], Extents[1], Extents[2]};
}

llvm::Expected<Launch> parseLaunchComment(llvm::StringRef Text) {
  Launch L;
  L.From = Origin::Told;
  L.Text = ("launch(" + Text + ")").str();
  llvm::SmallVector<llvm::StringRef, 3> Parts;
  Text.split(Parts, ',');
  for (llvm::StringRef Part : Parts) {
    auto [Key, Number] = Part.trim().split('=');
    Key = Key.trim();
    Number = Number.trim();
    if (Key == "shared") {
      int64_t Bytes;
      if (Number.getAsInteger(10, Bytes) || Bytes < 0)
        return llvm::createStringError("'" + Number +
                                       "' is not a number of bytes");
      L.DynamicSharedBytes = Bytes;
      continue;
    }
    if (Key != "grid" && Key != "block")
      return llvm::createStringError(
          "'" + Key + "' is not known here: use grid=, block= and shared=");
    llvm::Expected<Shape> S = parseShape(Number);
    if (!S)
      return S.takeError();
    (Key == "grid" ? L.Grid : L.Block) = *S;
  }
  if (!L.Block.X)
    return llvm::createStringError("block= is missing");
  return L;
}

Directives::Directives(llvm::StringRef File, llvm::StringRef Text)
    : File(File.str()) {
  Off.push_back(false); // lines count from 1
  CommentLine.push_back(false);
  unsigned Number = 1;
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    readLine(Line, Number++);
    Text = Rest;
  }
}

/// NOLINT(catt-a, other-*): true if the list is absent or names us.
static bool namesUs(llvm::StringRef AfterWord) {
  if (!AfterWord.consume_front("("))
    return true;
  llvm::SmallVector<llvm::StringRef, 4> Names;
  AfterWord.take_until([](char C) { return C == ')'; }).split(Names, ',');
  for (llvm::StringRef N : Names) {
    N = N.trim();
    if (N == "*" || N.starts_with("catt-"))
      return true;
  }
  return false;
}

void Directives::readLine(llvm::StringRef Line, unsigned Number) {
  llvm::StringRef Trimmed = Line.trim();
  CommentLine.push_back(Trimmed.starts_with("//") ||
                        Trimmed.starts_with("template"));
  bool ThisOff = NextOff;
  NextOff = false;
  if (size_t At = Line.find("//"); At != llvm::StringRef::npos) {
    llvm::StringRef Comment = Line.substr(At);
    size_t Command = Comment.find("catt:");
    if (Command != llvm::StringRef::npos) {
      llvm::StringRef Rest = Comment.substr(Command + 5).trim();
      if (Rest == "off" || Rest.starts_with("off "))
        InOff = true;
      else if (Rest == "on" || Rest.starts_with("on "))
        InOff = false;
      else if (Rest.consume_front("launch(")) {
        Location Where{File, Number, unsigned(At + Command) + 1};
        auto L = parseLaunchComment(
            Rest.take_until([](char C) { return C == ')'; }));
        if (L) {
          L->Where = Where;
          Launches.push_back({Number, std::move(*L)});
        } else
          Problems.push_back({Where, llvm::toString(L.takeError())});
      }
    }
    size_t NoLint = Comment.find("NOLINT");
    if (NoLint != llvm::StringRef::npos) {
      llvm::StringRef Rest = Comment.substr(NoLint + 6);
      if (Rest.consume_front("NEXTLINE"))
        NextOff = namesUs(Rest);
      else if (Rest.consume_front("BEGIN"))
        InNoLint |= namesUs(Rest);
      else if (Rest.consume_front("END"))
        InNoLint &= !namesUs(Rest);
      else
        ThisOff |= namesUs(Rest);
    }
  }
  Off.push_back(ThisOff || InOff || InNoLint);
}

bool Directives::suppressed(unsigned Line) const {
  return Line < Off.size() && Off[Line];
}

std::vector<Launch> Directives::launchesAbove(unsigned Line) const {
  unsigned First = Line;
  while (First > 1 && First - 1 < CommentLine.size() && CommentLine[First - 1])
    --First;
  std::vector<Launch> Result;
  for (auto &[Number, L] : Launches)
    if (Number >= First && Number <= Line)
      Result.push_back(L);
  return Result;
}

} // namespace catt
