//===- SourceEdit.h - Added lines that can be taken out again ----*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is added stands between markers (Markers.h), whose hashes are filled in
// when all is added:
//
//   // catt: split-warp-groups(2): why        \  added lines
//   for (...) {                                | of the opening
//     if (...) { // catt: begin 3f2a1c        /
//   the lines that were there, byte for byte
//     } // catt: end                          \  added lines
//     __syncthreads();                         | of the closing
//   } // catt: done 90be47                    /
//
//   // catt: prefer-l1(11): why               \  lines added before
//   call(...); // catt: done 51c07d           /  a statement
//
//   /* catt: name(1) was: A[i] */ tile[0] /* catt: done 3f2a1c */   in place of
//   /* catt: hides const */ float x = A[i];   a word that is a comment now
//
// Where the statement shares its line with other code, the same markers are
// block comments inside that line.
//
// Limits: a place inside a preprocessor directive, and statements that an
// #if, #else or #endif cuts in two, are refused.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_SOURCEEDIT_H
#define CATT_TRANSFORMS_SOURCEEDIT_H

#include "transforms/Markers.h"
#include "transforms/Transform.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace catt {

using TextMap = std::map<std::string, std::string>;

//===-- Reading ----------------------------------------------------------===//

/// Offset of the first byte of the line that holds Offset.
unsigned lineStart(llvm::StringRef Text, unsigned Offset);

/// Whether nothing but blanks stands before Offset on its line.
bool isFirstOnLine(llvm::StringRef Text, unsigned Offset);

/// The blanks that the line of Offset begins with.
llvm::StringRef indentation(llvm::StringRef Text, unsigned Offset);

/// Start of the line behind the one that Offset ends: what stands between may
/// be blanks and comments, spliced or longer than a line. std::nullopt if other
/// code or the end of the text comes first.
std::optional<unsigned> behindLine(llvm::StringRef Text, unsigned Offset);

/// Where lines are added before the statement at Offset: the start of its line,
/// or of the topmost #pragma or _Pragma line directly above. Offset itself if
/// the statement does not come first on its line.
unsigned topOf(llvm::StringRef Text, unsigned Offset);

/// Whether the line of Offset, spliced lines above included, is a directive.
bool inDirective(llvm::StringRef Text, unsigned Offset);

/// Whether each conditional directive in [Begin, End) opens and closes there.
bool conditionalsBalanced(const std::string &Text, unsigned Begin,
                          unsigned End);

/// Base, or the first of Base2, Base3, ... that is no identifier of the text.
std::string freshName(llvm::StringRef Text, llvm::StringRef Base,
                      const FileFacts &Facts);

/// The facts of one file, scanned on first use.
const FileFacts &factsOf(const TextMap &Texts, const std::string &File,
                         Edits &Out);

/// Whether one of these transforms has left a marker in the kernel's text.
bool isMarked(const Kernel &K, llvm::ArrayRef<llvm::StringRef> Transforms,
              const TextMap &Texts, Edits &Out);

/// Whether an earlier run has added something around or in one of the kernel's
/// loops, whichever function they stand in.
bool hasRewrittenLoop(const Kernel &K, const TextMap &Texts, Edits &Out);

/// Whether the launch carries the marker of what an earlier run asks for.
bool isMarkedLaunch(const Launch &L, llvm::StringRef Transform,
                    const TextMap &Texts);

/// Whether an earlier run of any transform has throttled the kernel.
bool isThrottled(const Kernel &K, const TextMap &Texts, Edits &Out);

/// Reasons of the analysis against any edit of a kernel's text.
bool standsAgainstEdits(Reason Why);

/// Why nothing can be added around the span, if so: not a known file, not in
/// its text, in a directive, cut by a conditional.
std::optional<Refusal> cannotEdit(const TextMap &Texts, const SourceSpan &Span,
                                  const Location &Where);

/// Something in [From, To) of the kernel's file that names one of these
/// otherwise than to read it, so that it may see more of it than its value: its
/// type, its address, whether it is const. Member names are none of them.
/// `threadIdx` counts as read in `threadIdx.x`.
std::optional<Refusal> seenOtherwise(const Kernel &K, const TextMap &Texts,
                                     unsigned From, unsigned To,
                                     llvm::ArrayRef<std::string> Names);

//===-- Writing ----------------------------------------------------------===//

/// What is added, free of layout: one statement or brace per element, the last
/// of Open and the first of Close being those that touch the enclosed text. An
/// empty Close adds Open before a statement.
struct Addition {
  std::string Transform; ///< "split-warp-groups"
  std::string Argument;  ///< "2"
  std::string Reason;    ///< "4 of 8 warps at a time", in whole lines only
  std::vector<std::string> Open, Close;
};

/// Inserts at an offset, behind what was inserted there before.
void insert(Edits &Out, const std::string &File, unsigned Offset,
            llvm::StringRef Added);

/// Puts Open before and Close behind the statements of a span that cannotEdit
/// does not object to. A #pragma above them stays with them.
void wrapStatements(const TextMap &Texts, const SourceSpan &Span, bool OwnLines,
                    const Addition &What, Edits &Out);

/// Puts Open before a statement, above the #pragmas that belong to it.
void addBefore(const TextMap &Texts, const SourceSpan &Statement,
               const Addition &What, Edits &Out);

/// Puts Open first into the compound statement whose brace ends at Offset.
void addBehindBrace(const TextMap &Texts, const std::string &File,
                    unsigned Offset, const Addition &What, Edits &Out);

/// Puts Open behind a definition at file or namespace scope, on lines of its
/// own where nothing else stands behind it.
void addBehindDefinition(const TextMap &Texts, const SourceSpan &Definition,
                         const Addition &What, Edits &Out);

/// Puts Open, and Close if there is one, around the bytes of an expression.
void addInline(const SourceSpan &Span, const Addition &What, Edits &Out);

/// Puts Open in place of the bytes of a span that cannotEdit does not object
/// to; without Open they become a comment. False if another edit is in the way,
/// and nothing is changed.
bool replace(const TextMap &Texts, const SourceSpan &Span, const Addition &What,
             Edits &Out);

} // namespace catt

#endif
