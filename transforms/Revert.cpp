//===- Revert.cpp - Take every edit out again --------------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   text --markers--> head..begin, end..done, head..done
//        --pieces---> the bytes that were added, checked by their hashes
//        --restore--> the text as it was
//
// Nothing here knows any transform. A text that was reformatted since is
// reverted too, as long as the markers and the code between them are there.
// Whatever else stands between two markers of one piece (an edit by hand, code
// that lost its line) is an error: revert takes out what was added, never what
// somebody wrote.
//
//===----------------------------------------------------------------------===//
#include "transforms/Markers.h"
#include "transforms/RevertOld.h"
#include "transforms/SourceEdit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using llvm::StringRef;

namespace catt {
namespace {

using Kind = Marker::Kind;

/// Bytes that were added in one go, from one marker to the next.
struct MarkedPiece {
  const Marker *First, *Last;
  std::string Transform;
  unsigned Begin = 0, End = 0;
  std::string Was; ///< what comes back in its place
};

} // namespace

static llvm::Error damaged(StringRef File, StringRef Text, unsigned Offset,
                           StringRef What) {
  unsigned Line = Text.take_front(Offset).count('\n') + 1;
  return llvm::createStringError(
      (File + ":" + llvm::Twine(Line) + ": " + What +
       "; restore the lines that catt-rewrite added there, or take out by hand "
       "the rest of them and their `catt:` comments, then revert again")
          .str());
}

/// Pairs the markers up, less those that only hide. Wraps may stand inside
/// wraps.
static llvm::Expected<std::vector<MarkedPiece>>
pieces(StringRef File, StringRef Text, llvm::ArrayRef<Marker> Markers) {
  std::vector<MarkedPiece> Out;
  llvm::SmallVector<const Marker *> Open; // heads that wait for their end
  for (size_t I = 0; I < Markers.size(); I += 2) { // a piece has two markers
    const Marker &M = Markers[I];
    const Marker *Next = I + 1 < Markers.size() ? &Markers[I + 1] : nullptr;
    if (M.K == Kind::Head) {
      if (!Next || (Next->K != Kind::Begin && Next->K != Kind::Done))
        return damaged(
            File, Text, M.Begin,
            "this marker has lost its `catt: begin` or `catt: done`");
      Out.push_back({&M, Next, M.Transform, 0, 0, M.Was.value_or("")});
      if (Next->K == Kind::Begin)
        Open.push_back(&M);
    } else if (M.K == Kind::End && !Open.empty()) {
      if (!Next || Next->K != Kind::Done)
        return damaged(File, Text, M.Begin,
                       "`catt: end` has lost its `catt: done`");
      Out.push_back({&M, Next, Open.pop_back_val()->Transform, 0, 0, ""});
    } else {
      return damaged(File, Text, M.Begin,
                     M.K == Kind::Done && !Open.empty()
                         ? "`catt: done` has lost its `catt: end`"
                         : "a marker without the one that opens it");
    }
  }
  if (!Open.empty())
    return damaged(File, Text, Open.back()->Begin,
                   "this marker has lost its `catt: end`");
  return Out;
}

/// The bytes of a piece: whole lines for line comments, and where a formatter
/// has given it lines of its own; else the comments and what is between, with
/// the blank that was added beside them.
static void delimit(MarkedPiece &P, StringRef Text) {
  P.Begin = P.First->Begin;
  P.End = P.Last->End;
  if (P.First->Was)
    return;
  unsigned Line = lineStart(Text, P.Begin);
  size_t Newline = std::min(Text.find('\n', P.End), Text.size());
  bool Alone = Text.slice(Line, P.Begin).trim().empty() &&
               Text.slice(P.End, Newline).trim().empty();
  if (!P.First->Block || Alone) {
    P.Begin = Line;
    P.End = std::min(Newline + 1, Text.size());
  } else if (P.First->K == Kind::End) {
    P.Begin -= Text.take_front(P.Begin).ends_with(" ");
  } else {
    P.End += Text.drop_front(P.End).starts_with(" ");
  }
}

/// Whether somebody's comment stands in the piece. A formatter may have broken
/// a long head into several.
static bool hasComment(const MarkedPiece &P, const std::string &Text) {
  bool BehindHead = false, Found = false;
  forEachToken(Text, codeBegin(Text, *P.First),
               [&](const clang::Token &Token, unsigned Begin, unsigned End) {
                 if (Begin >= P.Last->Begin)
                   return false;
                 bool Line =
                     StringRef(Text).slice(Begin, End).starts_with("//");
                 if (Begin == P.First->Begin)
                   BehindHead = P.First->K == Kind::Head;
                 else if (Token.isNot(clang::tok::comment))
                   BehindHead = false;
                 else
                   Found |= !BehindHead || !Line;
                 return !Found;
               });
  return Found;
}

/// Checks that nothing but code of ours would be erased.
static llvm::Error check(const MarkedPiece &P, StringRef File,
                         const std::string &Text) {
  if (P.First->Block != P.Last->Block)
    return damaged(File, Text, P.First->Begin,
                   "a line comment and a block comment make no pair");
  const std::string &Hash = P.Last->Hash;
  bool Same = Hash.empty()
                  ? wasWrittenWithoutHash(P.Transform, *P.First, *P.Last, Text)
                  : Hash == hashOfCode(Text, *P.First, *P.Last);
  if (!Same || hasComment(P, Text))
    return damaged(File, Text, P.First->Begin,
                   "the code between these markers was changed by hand");
  return llvm::Error::success();
}

/// Puts back what was there before the pieces, which are in order. A formatter
/// may have taken the blanks beside a word.
static std::string restored(StringRef Text,
                            llvm::ArrayRef<MarkedPiece> Pieces) {
  auto IsWord = [](char C) { return llvm::isAlnum(C) || C == '_'; };
  std::string Out;
  auto Add = [&](StringRef More, bool Seam) {
    if (Seam && !Out.empty() && !More.empty() && IsWord(Out.back()) &&
        IsWord(More.front()))
      Out += ' ';
    Out += More;
  };
  unsigned From = 0;
  bool Seam = false;
  for (const MarkedPiece &P : Pieces) {
    Add(Text.slice(From, P.Begin), Seam);
    Add(P.Was, /*Seam=*/true);
    Seam = !P.Was.empty();
    From = P.End;
  }
  Add(Text.drop_front(From), Seam);
  return Out;
}

llvm::Expected<std::string> revert(StringRef File, StringRef Text) {
  std::string Old = Text.str();
  std::vector<Marker> Markers = findMarkers(Old);
  auto Hiding =
      std::stable_partition(Markers.begin(), Markers.end(),
                            [](const Marker &M) { return M.K != Kind::Hides; });
  llvm::ArrayRef<Marker> Paired(Markers.data(), Hiding - Markers.begin());
  auto Pieces = pieces(File, Old, Paired);
  if (!Pieces)
    return Pieces.takeError();
  for (MarkedPiece &P : *Pieces) {
    delimit(P, Old);
    if (llvm::Error Failed = check(P, File, Old))
      return std::move(Failed);
  }
  bool Marked = false; // what an earlier run wrote was replaced by a later one
  for (const Marker &M : llvm::make_range(Hiding, Markers.end()))
    Pieces->push_back({&M, &M, "", M.Begin, M.End, *M.Was});
  for (const MarkedPiece &P : *Pieces)
    Marked |= StringRef(P.Was).contains("catt:");
  llvm::sort(*Pieces, [](const MarkedPiece &A, const MarkedPiece &B) {
    return A.Begin < B.Begin;
  });
  std::string Out = restored(Old, *Pieces);
  return Marked ? revert(File, Out) : std::move(Out);
}

} // namespace catt
