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

namespace catt {

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

/// Whether one span lies in another of the same file.
bool contains(const SourceSpan &Outer, const SourceSpan &Inner);

/// Whether the line of Offset, spliced lines above included, is a directive.
bool inDirective(llvm::StringRef Text, unsigned Offset);

/// Whether each conditional directive in [Begin, End) opens and closes there.
bool conditionalsBalanced(const std::string &Text, unsigned Begin,
                          unsigned End);

/// Base, or the first of Base2, Base3, ... that is no identifier of the file.
std::string freshName(const FileContext &File, llvm::StringRef Base);

/// Whether the transform has left a marker in a text, or in the kernel's.
bool isMarked(const SourceSpan &Span, llvm::StringRef Transform,
              const FileContexts &Files);
bool isMarked(const Kernel &K, llvm::StringRef Transform,
              const FileContexts &Files);

/// Whether an earlier run has added something around or in one of the kernel's
/// loops, whichever function they stand in.
bool hasRewrittenLoop(const Kernel &K, const FileContexts &Files);

/// Whether the launch carries the marker of what an earlier run asks for.
bool isMarkedLaunch(const Launch &L, llvm::StringRef Transform,
                    const FileContexts &Files);

/// Whether an earlier run of any transform has throttled the kernel.
bool isThrottled(const Kernel &K, const FileContexts &Files);

/// What the analysis found against any edit of the kernel's text, and for one
/// of the other reasons.
std::vector<Refusal> againstEdits(const Kernel &K,
                                  llvm::ArrayRef<Reason> Others = {});

/// Why nothing can be added around the span, if so: not a known file, not in
/// its text, in a directive, cut by a conditional.
std::optional<Refusal> cannotEdit(const FileContexts &Files,
                                  const SourceSpan &Span,
                                  const Location &Where);

/// Something in [From, To) of the kernel's file that names one of these
/// otherwise than to read it, so that it may see more of it than its value: its
/// type, its address, whether it is const. Member names are none of them.
/// `threadIdx` counts as read in `threadIdx.x`.
std::optional<Refusal> seenOtherwise(const Kernel &K, const FileContexts &Files,
                                     unsigned From, unsigned To,
                                     llvm::ArrayRef<std::string> Names);

/// The name of a builtin that a declaration in [From, To) hides behind it, if
/// any. `threadIdx` that is no member access and follows a type is a
/// declaration.
std::string hiddenBuiltin(const std::string &Text, unsigned From, unsigned To);

//===-- Writing ----------------------------------------------------------===//

/// What is added, free of layout: one statement or brace per element, the last
/// of Open and the first of Close being those that touch the enclosed text. An
/// empty Close adds Open before a statement.
struct Addition {
  std::string Argument; ///< "2"
  std::string Reason;   ///< "4 of 8 warps at a time", in whole lines only
  std::vector<std::string> Open, Close;
};

/// Open as whole lines, with their markers, that nobody lays out: functions of
/// their own, and parts of functions.
std::string linesAsTheyAre(const Transform &By, const Addition &What,
                           llvm::StringRef LineEnding);

/// Writes the edits of one transform to one kernel. What is inserted at an
/// offset comes behind what was inserted there before. No span given to it may
/// be one that cannotEdit objects to.
class EditBuilder {
public:
  EditBuilder(const Transform &By, const FileContexts &Files, Edits &Out)
      : By(By), Files(Files), Out(Out) {}

  /// Puts Open before and Close behind the statements of a span. A #pragma
  /// above them stays with them.
  void wrapStatements(const SourceSpan &Span, bool OwnLines,
                      const Addition &What);
  /// Puts Open before a statement, above the #pragmas that belong to it.
  void addBefore(const SourceSpan &Statement, const Addition &What);
  /// Puts Open first into the compound statement whose brace ends at Offset.
  void addBehindBrace(const std::string &File, unsigned Offset,
                      const Addition &What);
  /// Puts Open behind a definition at file or namespace scope, on lines of its
  /// own where nothing else stands behind it.
  void addBehindDefinition(const SourceSpan &Definition, const Addition &What);
  /// Puts Open, and Close if there is one, around the bytes of an expression.
  void addInline(const SourceSpan &Span, const Addition &What);
  /// Puts Open in place of the bytes of a span; without Open they become a
  /// comment. False if another edit is in the way, and nothing is changed.
  bool replace(const SourceSpan &Span, const Addition &What);
  /// What was done, for the remarks.
  void done(const Location &Where, std::string Summary);

  const Transform &transform() const { return By; }
  const FileContexts &files() const { return Files; }
  Edits &edits() { return Out; }

private:
  void insert(const std::string &File, unsigned Offset, llvm::StringRef Added);
  /// Open and Close as lines of the file.
  std::pair<std::string, std::string> layOut(const std::string &File,
                                             unsigned Offset,
                                             llvm::StringRef Indent,
                                             const Addition &What) const;

  const Transform &By;
  const FileContexts &Files;
  Edits &Out;
};

} // namespace catt

#endif
