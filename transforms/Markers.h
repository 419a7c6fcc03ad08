//===- Markers.h - The comments around what was added ------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a transform adds stands between comments, from which Revert.cpp finds it
// again, whichever transform it was:
//
//   // catt: split-warp-groups(2): why        head  \  a piece
//   for (...) {                                      |
//     if (...) { // catt: begin 3f2a1c        begin /
//   the lines that were there, byte for byte
//     } // catt: end                          end   \  a piece
//     __syncthreads();                               |
//   } // catt: done 90be47                    done  /
//
//   // catt: prefer-l1(11): why               head  \  a piece
//   call(...); // catt: done 51c07d           done  /
//
//   /* catt: name(1) was: A[i] */ tile[0] /* catt: done 3f2a1c */   a piece
//   that
//   /* catt: hides const */ float x;          replaces; one that only takes
//   away
//
// The comment that ends a piece holds a hash of the tokens in the piece, so
// that revert knows whether they are still those that were added. Comments and
// blanks do not count, nor do the places where a string is broken in two or
// where `>>` is closed up: a formatter may have been there.
//
// Limits: a formatter that adds, removes or moves tokens (braces, `const`,
// parentheses, digit separators) changes the code, and revert says so. Code
// that is added must not hold comments of its own.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_MARKERS_H
#define CATT_TRANSFORMS_MARKERS_H

#include "clang/Lex/Token.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace catt {

struct SourceSpan;

/// Hexadecimal digits of a hash.
constexpr unsigned HashDigits = 6;

/// A comment of this tool. `// catt: off`, `on` and `launch(...)` belong to the
/// user and are none.
struct Marker {
  enum class Kind : uint8_t { Head, Begin, End, Done, Hides };
  Kind K = Kind::Head;
  bool Block = false; ///< a block comment
  unsigned Begin = 0; ///< the bytes of the comment
  unsigned End = 0;
  std::string Transform; ///< of a head: "split-warp-groups"
  /// Of what ends a piece: "3f2a1c"; empty in files of version 0.1.
  std::string Hash;
  /// Of a head, and of what hides: the bytes that were there.
  std::optional<std::string> Was;

  bool endsPiece() const { return K == Kind::Begin || K == Kind::Done; }
};

/// Calls back with each raw token (comments are tokens too) that begins at or
/// behind From, and the bytes it covers, until false is returned.
void forEachToken(
    const std::string &Text, unsigned From,
    llvm::function_ref<bool(const clang::Token &, unsigned, unsigned)> Call);

/// The markers that begin in [From, To), in the order of the text. From must
/// not lie inside a token or comment. Markers in string literals are none, nor
/// is the head of a transform that is not known, unless a hash follows.
std::vector<Marker> findMarkers(const std::string &Text, unsigned From = 0,
                                unsigned To = ~0u);

/// Bytes as they can stand in a block comment, and be found there behind a
/// formatter, which breaks comments at blanks: `\*`, `\n`, `\s` for a blank
/// that is not alone.
std::string escaped(llvm::StringRef Bytes);

/// Where the code of the piece begins that the marker is the first of: a line
/// comment may stand behind the first of it.
unsigned codeBegin(const std::string &Text, const Marker &First);

/// The tokens that begin in [From, To), each with a NUL behind it, in a form
/// that blanks, comments, strings broken in two and `> >` do not change.
std::string tokensOf(const std::string &Text, unsigned From, unsigned To);

/// The hash of the tokens of a piece, and of the bytes that they replace.
std::string hashOfCode(const std::string &Text, const Marker &First,
                       const Marker &Last);

/// Added text with the hash of each of its pieces in the marker that ends it.
std::string sealed(const std::string &Text);

/// Whether the span stands between the head and the end of an addition.
bool isInsideAddition(const std::string &Text, const SourceSpan &Span);

/// Whether an addition of the transform whose code holds `Needle` (blanks do
/// not count) stands directly above or before the statement.
bool markedBefore(const std::string &Text, const SourceSpan &Statement,
                  llvm::StringRef Transform, llvm::StringRef Needle);

} // namespace catt

#endif
