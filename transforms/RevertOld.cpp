//===- RevertOld.cpp - What was added before there were hashes ---*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   // catt: prefer-l1(11): why
//   (void)cudaFuncSetAttribute(...); // catt: done      no hash behind "done"
//
// Version 0.1 wrote markers without a hash. Whether the code between two of
// them is what it wrote is told by a pattern for each form that it had.
//
// Limits: nothing is added here. A transform writes hashes and needs no
// pattern; these stay as long as such files are about.
//
//===----------------------------------------------------------------------===//
#include "transforms/RevertOld.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Regex.h"

using llvm::StringRef;

namespace catt {
namespace {

using Kind = Marker::Kind;

/// What the code of a transform looks like, without blanks and comments.
struct CodeShape {
  StringRef Transform;
  Kind First, Last;
  StringRef Pattern;
  StringRef Around = ""; ///< stands before and after it
};

} // namespace

/// Moves between variables and slots, of spill-shared.
static constexpr StringRef Moves =
    R"((\{?(_Pragma\("unroll"\)for\(intcattI=0;cattI<[0-9]+;\+\+cattI\))?)"
    R"((if\([^;{}]*\))?\{?([^;{}]*cattSpill[0-9]*_[^;{}]*;)+\}?)*)";

static constexpr StringRef SetAttribute =
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
static constexpr StringRef CallBegin =
    R"(catt(Shared|Spill|PreferL1)\([^;{}]*,)";
static constexpr StringRef CallEnd = R"(,[^;{}]*\))";
static constexpr StringRef Call = R"(,catt(Shared|Spill|PreferL1)\([^;{}]*\))";

/// Hashes of the functions that launches call, from `#ifndef` to `#endif`.
static constexpr StringRef LaunchFunctions[] = {
    "58d7f2", // cattThreads
    "a96591", // cattShared
    "20df34", // cattSpill
    "c50fc7", // cattPreferL1
};

static constexpr CodeShape Shapes[] = {
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
    {"rematerialize", Kind::Head, Kind::Done, Recomputed},
    {"rematerialize", Kind::Head, Kind::Begin, Recomputed},
    {"rematerialize", Kind::Head, Kind::Begin, DeclaredAgain},
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
    {"spill-shared", Kind::Head, Kind::Begin, Moves, R"(\{)"},
    {"spill-shared", Kind::End, Kind::Done, Moves, R"(\})"},
};

static std::string withoutBlanks(const std::string &Text, unsigned Begin,
                                 unsigned End) {
  std::string Code;
  forEachToken(Text, Begin,
               [&](const clang::Token &Token, unsigned B, unsigned E) {
                 if (B < End && Token.isNot(clang::tok::comment))
                   Code += StringRef(Text).slice(B, E);
                 return B < End;
               });
  return Code;
}

bool wasWrittenWithoutHash(StringRef Transform, const Marker &First,
                           const Marker &Last, const std::string &Text) {
  if (llvm::is_contained(LaunchFunctions, hashOfCode(Text, First, Last)))
    return First.K == Kind::Head && Last.K == Kind::Done;
  std::string Code = withoutBlanks(Text, codeBegin(Text, First), Last.Begin);
  return llvm::any_of(Shapes, [&](const CodeShape &S) {
    return S.Transform == Transform && S.First == First.K && S.Last == Last.K &&
           llvm::Regex(
               (llvm::Twine("^") + S.Around + S.Pattern + S.Around + "$").str())
               .match(Code);
  });
}

} // namespace catt
