//===- State.h - What a search leaves on the disk ---------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   .catt-tune/
//     lock            held while a search runs
//     kept.json       the originals of sources that are replaced, and hashes of
//                     all that was written in their place
//     results.json    trials by a hash of texts and commands
//     timing.h, saved.h, replay.h     what timed texts include
//     *.txt           what the commands said
//
// Whatever ends the program leaves either the originals in place or kept.json,
// by which the next search puts them back.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_TUNE_STATE_H
#define CATT_TOOL_TUNE_STATE_H

#include "tool/tune/Trial.h"
#include "llvm/Support/Error.h"
#include <set>

namespace catt {

/// Error: one of the files is not there, or is marked as not to be written.
llvm::Error checkReplaceable(llvm::ArrayRef<std::string> Files);

/// The whole file; empty if there is none.
std::string textOf(llvm::StringRef Path);

/// The directory of one search at a time.
class State {
public:
  /// Makes the directory, and waits for nobody. Error: another search runs
  /// there, or it cannot be written.
  static llvm::Expected<State> open(llvm::StringRef Directory);
  State(State &&Other) noexcept;
  State &operator=(State &&) = delete;
  ~State();

  std::string path(llvm::StringRef Name) const;

  /// Puts back what a search left that was killed. Returns the files. Error: a
  /// file is neither the original nor what the search wrote.
  llvm::Expected<std::vector<std::string>> recover();

  /// Keeps the originals, before the first replacement.
  llvm::Error keep(const FileTexts &Originals);
  /// Makes every kept file what `Wanted` says, or its original. Files that are
  /// so already are not touched. Error: somebody else has changed a file.
  llvm::Error replace(const FileTexts &Wanted);
  /// The originals are back: they are kept no longer.
  llvm::Error finish();

  const Trial *find(llvm::StringRef Key) const;
  llvm::Error remember(llvm::StringRef Key, const Trial &T);
  void forget() { Trials.clear(); }

private:
  explicit State(std::string Directory) : Directory(std::move(Directory)) {}
  llvm::Error writeKept() const;
  void readTrials();

  std::string Directory;
  int Lock = -1;
  FileTexts Originals, Now;
  std::map<std::string, std::set<std::string>> Written; ///< hashes, by path
  std::map<std::string, Trial> Trials;                  ///< by key
};

/// A hash of texts and words, as 16 hexadecimal digits.
std::string hashOf(llvm::StringRef Text);

} // namespace catt

#endif
