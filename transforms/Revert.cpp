//===- Revert.cpp - Take every edit out again --------------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   text --markers--> head..begin, end..done, head..done
//        --pieces---> the bytes that were added, checked to be code of ours
//        --erase----> the text as it was
//
// A text that was reformatted since is reverted too, as long as the markers and
// the code between them are there. Whatever else stands between two markers of
// one piece (an edit by hand, code that lost its line) is an error: revert
// takes out what was added, never what somebody wrote.
//
//===----------------------------------------------------------------------===//
#include "transforms/LaunchCalls.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using llvm::StringRef;

namespace catt {
namespace {

using Kind = Marker::Kind;

/// Bytes that were added in one go, from one marker to the next.
struct Piece {
  const Marker *First, *Last;
  std::string Transform;
  unsigned Begin = 0, End = 0;
};

/// What the code of a transform looks like, without blanks and comments.
struct CodeShape {
  StringRef Transform;
  Kind First, Last;
  std::string Pattern;
};

} // namespace

/// Moves between variables and slots, of spill-shared.
static const char Moves[] =
    R"((\{?(_Pragma\("unroll"\)for\(intcattI=0;cattI<[0-9]+;\+\+cattI\))?)"
    R"((if\([^;{}]*\))?\{?([^;{}]*cattSpill[0-9]*_[^;{}]*;)+\}?)*)";

static const char SetAttribute[] =
    R"(\(void\)cudaFuncSetAttribute\([^;{}]*\);)";

/// Values computed again (Rematerialize.cpp).
static constexpr StringRef Recomputed =
    R"(\{?(\{(auto|uint3)cattHidden[0-9]*=[^;{}]*;)"
    R"(asmvolatile\("":("\+[rlhfd]"\(cattHidden[0-9.xyz]*\),?)+\);)"
    R"(\{(const(auto|uint3)|decltype\([^;{}=]*\))[^;{}=]*=cattHidden[0-9]*;[^;{}=]*=[^;]*;\}\})+\{?)";

/// The same for values that are declared anew.
static constexpr StringRef DeclaredAgain =
    R"((\{(auto|uint3)cattHidden[0-9]*=[^;{}]*;)"
    R"(asmvolatile\("":("\+[rlhfd]"\(cattHidden[0-9.xyz]*\),?)+\);)"
    R"((const(auto|uint3)|decltype\([^;{}=]*\))[^;{}=]*=cattHidden[0-9]*;)"
    R"(decltype\([^;{}=]*\)[^;{}=]*=[^;]*;)+\{)";

/// What a call in a launch looks like: around an argument, and as one.
static const char CallBegin[] = R"(catt(Shared|Spill|PreferL1)\([^;{}]*,)";
static const char CallEnd[] = R"(,[^;{}]*\))";
static const char Call[] = R"(,catt(Shared|Spill|PreferL1)\([^;{}]*\))";

/// Whether code is what the transform writes between such markers.
static bool isOurs(const Piece &P, StringRef Code) {
  if (isLaunchFunction(Code))
    return P.First->K == Kind::Head && P.Last->K == Kind::Done;
  static const CodeShape Shapes[] = {
      {"split-warp-groups", Kind::Head, Kind::Begin,
       R"((\{unsignedcattThreads[0-9]*=[0-9]+;(if\([^;{}]*\)cattThreads[0-9]*=[^;{}]*;)+)?)"
       R"(for\(unsignedcattGroup[^;{}]*;[^;{}]*;[^;{}]*\)\{if\([^;{}]*\)\{)"},
      {"split-warp-groups", Kind::End, Kind::Done,
       R"(\}(__syncthreads\(\);|if\(cattThreads[0-9]*<blockDim\.x)"
       R"((\*blockDim\.y\*blockDim\.z|\*blockDim\.y)?\)__syncthreads\(\);\}?)\})"},
      {"reserve-shared", Kind::Head, Kind::Done,
       R"(__shared__charcattReserved[0-9]*\[[0-9]+\];)"
       R"(asmvolatile\(""::"l"\(cattReserved[0-9]*\)\);)"},
      {"reserve-shared", Kind::Head, Kind::Done, SetAttribute},
      {"reserve-shared", Kind::Head, Kind::Done, R"(,[0-9]+)"},
      {"reserve-shared", Kind::Head, Kind::Begin, R"(\()"},
      {"reserve-shared", Kind::End, Kind::Done, R"(\)\+[0-9]+)"},
      {"reserve-shared", Kind::Head, Kind::Done,
       R"(staticsize_tcattReserve_[a-zA-Z0-9_]+\(dim3block,size_tshared\)\{)"
       R"(unsignedthreads=[^;{}]*;shared\+=[^;{}]*;if\(shared>[0-9]+\))"
       R"(\(void\)cudaFuncSetAttribute\([^;{}]*\);returnshared;\})"},
      {"reserve-shared", Kind::Head, Kind::Done,
       R"(,[a-zA-Z0-9_:]*cattReserve_[^;{}]*,0\))"},
      {"reserve-shared", Kind::Head, Kind::Begin,
       R"([a-zA-Z0-9_:]*cattReserve_[^;{}]*,)"},
      {"reserve-shared", Kind::End, Kind::Done, R"(\))"},
      {"prefer-l1", Kind::Head, Kind::Done, SetAttribute},
      {"prefer-l1", Kind::Head, Kind::Done,
       R"(staticvoidcattPreferL1_[a-zA-Z0-9_]+\(dim3block\)\{)"
       R"(unsignedthreads=[^;{}]*;\(void\)cudaFuncSetAttribute\([^;{}]*\);\})"},
      {"prefer-l1", Kind::Head, Kind::Done,
       R"([a-zA-Z0-9_:]*cattPreferL1_[a-zA-Z0-9_]+\([^;{}]*\);)"},
      {"reserve-shared", Kind::Head, Kind::Begin, CallBegin},
      {"reserve-shared", Kind::End, Kind::Done, CallEnd},
      {"reserve-shared", Kind::Head, Kind::Done, Call},
      {"prefer-l1", Kind::Head, Kind::Begin, CallBegin},
      {"prefer-l1", Kind::End, Kind::Done, CallEnd},
      {"prefer-l1", Kind::Head, Kind::Done, Call},
      {"spill-shared", Kind::Head, Kind::Begin, CallBegin},
      {"spill-shared", Kind::End, Kind::Done, CallEnd},
      {"spill-shared", Kind::Head, Kind::Done, Call},
      {"rematerialize", Kind::Head, Kind::Done, Recomputed.str()},
      {"rematerialize", Kind::Head, Kind::Begin, Recomputed.str()},
      {"rematerialize", Kind::Head, Kind::Begin, DeclaredAgain.str()},
      {"rematerialize", Kind::End, Kind::Done, R"(\}\}+)"},
      {"launch-bounds", Kind::Head, Kind::Done,
       R"(__launch_bounds__\([0-9]+,[0-9]+\))"},
      {"launch-bounds", Kind::Head, Kind::Done, R"(__maxnreg__\([0-9]+\))"},
      {"launch-bounds", Kind::Head, Kind::Done, R"(,[0-9]+)"},
      {"launch-bounds", Kind::Head, Kind::Begin, R"(0\*\()"},
      {"launch-bounds", Kind::End, Kind::Done, R"(\)\+[0-9]+)"},
      {"spill-shared", Kind::Head, Kind::Done,
       R"(__shared____align__\(8\)unsignedcharcattSpill[0-9]*\[[0-9]+\];)"},
      {"spill-shared", Kind::Head, Kind::Done,
       R"(extern__shared____align__\(8\)unsignedcharcattSpill_[^;{}]*\[\];)"},
      {"spill-shared", Kind::Head, Kind::Done, SetAttribute},
      {"spill-shared", Kind::Head, Kind::Done, R"(,[0-9]+)"},
      {"spill-shared", Kind::Head, Kind::Begin, R"(\()"},
      {"spill-shared", Kind::End, Kind::Done, R"(\)\+[0-9]+)"},
      {"spill-shared", Kind::Head, Kind::Done,
       R"(asmvolatile\("\.pragma \\"enable_smem_spilling\\";"\);)"},
      {"spill-shared", Kind::Head, Kind::Done, Moves},
      {"spill-shared", Kind::Head, Kind::Begin,
       std::string(R"(\{)") + Moves + R"(\{)"},
      {"spill-shared", Kind::End, Kind::Done,
       std::string(R"(\})") + Moves + R"(\})"},
  };
  return llvm::any_of(Shapes, [&](const CodeShape &S) {
    return S.Transform == P.Transform && S.First == P.First->K &&
           S.Last == P.Last->K &&
           llvm::Regex("^" + S.Pattern + "$").match(Code);
  });
}

static llvm::Error damaged(StringRef File, StringRef Text, unsigned Offset,
                           StringRef What) {
  unsigned Line = Text.take_front(Offset).count('\n') + 1;
  return llvm::createStringError(
      (File + ":" + llvm::Twine(Line) + ": " + What +
       "; restore the lines that catt-rewrite added there, or take out by hand "
       "the rest of them and their `catt:` comments, then revert again")
          .str());
}

/// Pairs the markers up. Wraps may stand inside wraps.
static llvm::Expected<std::vector<Piece>>
pieces(StringRef File, StringRef Text, const std::vector<Marker> &Markers) {
  std::vector<Piece> Out;
  llvm::SmallVector<const Marker *> Open; // heads that wait for their end
  for (size_t I = 0; I < Markers.size(); I += 2) { // a piece has two markers
    const Marker &M = Markers[I];
    const Marker *Next = I + 1 < Markers.size() ? &Markers[I + 1] : nullptr;
    if (M.K == Kind::Head) {
      if (!Next || (Next->K != Kind::Begin && Next->K != Kind::Done))
        return damaged(
            File, Text, M.Begin,
            "this marker has lost its `catt: begin` or `catt: done`");
      Out.push_back({&M, Next, M.Transform});
      if (Next->K == Kind::Begin)
        Open.push_back(&M);
    } else if (M.K == Kind::End && !Open.empty()) {
      if (!Next || Next->K != Kind::Done)
        return damaged(File, Text, M.Begin,
                       "`catt: end` has lost its `catt: done`");
      Out.push_back({&M, Next, Open.pop_back_val()->Transform});
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

/// The bytes of a piece: whole lines for line comments; for block comments the
/// comments and what is between, with the blank that was added beside them.
static void delimit(Piece &P, StringRef Text) {
  P.Begin = P.First->Begin;
  P.End = P.Last->End;
  if (!P.First->Block) {
    P.Begin = lineStart(Text, P.Begin);
    size_t Newline = Text.find('\n', P.End);
    P.End = Newline == StringRef::npos ? Text.size() : Newline + 1;
  } else if (P.First->K == Kind::End) {
    P.Begin -= Text.take_front(P.Begin).ends_with(" ");
  } else {
    P.End += Text.drop_front(P.End).starts_with(" ");
  }
}

/// Checks that nothing but code of ours would be erased.
static llvm::Error check(const Piece &P, StringRef File,
                         const std::string &Text) {
  if (P.First->Block != P.Last->Block)
    return damaged(File, Text, P.First->Begin,
                   "a line comment and a block comment make no pair");
  std::string Code;
  bool Foreign = false;
  forEachToken(Text, P.Begin,
               [&](const clang::Token &Token, unsigned Begin, unsigned End) {
                 if (Begin >= P.End)
                   return false;
                 StringRef Word = StringRef(Text).slice(Begin, End);
                 if (Token.isNot(clang::tok::comment))
                   Code += Word;
                 else if (Begin != P.First->Begin && Begin != P.Last->Begin)
                   // A formatter may have broken a long head into several
                   // comments.
                   Foreign |= !Code.empty() || !Word.starts_with("//") ||
                              P.First->K != Kind::Head ||
                              Begin < P.First->Begin;
                 return true;
               });
  if (Foreign || !isOurs(P, Code))
    return damaged(File, Text, P.First->Begin,
                   "the code between these markers was changed by hand");
  return llvm::Error::success();
}

/// Brings back the words that comments hide, the last one first, and forgets
/// their markers.
static void unhide(std::string &Text, std::vector<Marker> &Markers) {
  for (size_t I = Markers.size(); I-- > 0;) {
    if (Markers[I].K != Kind::Hides)
      continue;
    unsigned Begin = Markers[I].Begin, End = Markers[I].End;
    unsigned Length = End - Begin;
    auto IsWord = [&](unsigned At) {
      return At < Text.size() && (llvm::isAlnum(Text[At]) || Text[At] == '_');
    };
    // A formatter may have taken the blanks beside it.
    std::string Word = Begin > 0 && IsWord(Begin - 1) ? " const" : "const";
    if (IsWord(End))
      Word += " ";
    Text.replace(Begin, Length, Word);
    Markers.erase(Markers.begin() + I);
    for (Marker &M : llvm::MutableArrayRef(Markers).drop_front(I)) {
      M.Begin -= Length - Word.size();
      M.End -= Length - Word.size();
    }
  }
}

llvm::Expected<std::string> revert(StringRef File, StringRef Text) {
  std::string Out = Text.str();
  std::vector<Marker> Markers = findMarkers(Out);
  unhide(Out, Markers);
  auto Pieces = pieces(File, Out, Markers);
  if (!Pieces)
    return Pieces.takeError();
  for (Piece &P : *Pieces) {
    delimit(P, Out);
    if (llvm::Error Failed = check(P, File, Out))
      return std::move(Failed);
  }
  llvm::sort(*Pieces,
             [](const Piece &A, const Piece &B) { return A.Begin > B.Begin; });
  for (const Piece &P : *Pieces)
    Out.erase(P.Begin, P.End - P.Begin);
  return Out;
}

} // namespace catt
