//===- Output.h - How results reach the user's files --------- -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   old text, new text --> unified diff | atomic replacement | fixes file
//
// The only code that writes files of the user. Limit: a file with several hard
// links keeps its old text under its other names after a replacement.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATTREWRITE_OUTPUT_H
#define CATT_TOOL_CATTREWRITE_OUTPUT_H

#include "clang/Tooling/Core/Replacement.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>

namespace catt {

/// "catt-rewrite: error: ..." on standard error.
void complain(const llvm::Twine &Message);

/// The directory that relative paths start from.
std::string workingDirectory();

/// From there, without dots.
std::string absolutePath(llvm::StringRef Path);

/// Reads a source file. Error: one sentence that names the file: missing, a
/// directory, unreadable, empty, or not text.
llvm::Expected<std::string> readSource(llvm::StringRef Path);

/// One file to be replaced.
struct Replaced {
  std::string Path;     ///< a symbolic link stands for its target
  std::string Old, New; ///< whole texts
};

/// Replaces all files or none. Each new text is written and synced beside its
/// file under a temporary name, with the file's mode, and renamed only when all
/// are: whatever stops the process leaves each file whole, old or new.
/// Error: a file that cannot be written, or that no longer holds Old.
llvm::Error replaceFiles(llvm::ArrayRef<Replaced> Files);

/// Writes a report or a fixes file, replacing an older one atomically.
llvm::Error writeFile(llvm::StringRef Path, llvm::StringRef Text);

/// A unified diff with three lines of context that `patch -p1` and `git apply`
/// take; empty if the texts are equal. An absolute path loses its first slash
/// behind a/ and b/.
std::string unifiedDiff(llvm::StringRef Path, llvm::StringRef Old,
                        llvm::StringRef New);

/// The text after the edits, with #line directives at its head and behind each
/// added line: what stood in the old text keeps its file and line. Columns, and
/// lines added in the middle of a line, are not told of.
std::string withLineDirectives(llvm::StringRef Path, llvm::StringRef Old,
                               const clang::tooling::Replacements &Edits);

/// "target: file ..." as make and ninja read it.
std::string makeRule(llvm::StringRef Target,
                     llvm::ArrayRef<std::string> Prerequisites);

/// The edits as clang-apply-replacements reads them. Texts are escaped, so that
/// line endings survive.
std::string
fixesYaml(const std::map<std::string, clang::tooling::Replacements> &Files);

} // namespace catt

#endif
