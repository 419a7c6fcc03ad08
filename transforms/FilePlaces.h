//===- FilePlaces.h - Where functions can be added to a file ----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   #include <cuda_runtime.h>
//                                <- here: behind a directive, above what
//   // launches rows                 belongs to the declaration
//   void host() { ... }
//   [[nodiscard]]
//   int next() { ... }           <- not here: inside of a declaration
//
// One pass over the tokens of a file. A declaration at file scope that the
// analysis names is a place if what stands before it ends something, and a
// launch is reached from there if no #if has an end in between: in whatever
// way the file is compiled, who has the launch has the function.
//
// Limits: declarations behind attributes, unfinished macros and pragmas are no
// places, nor those that begin in the middle of a line.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_FILEPLACES_H
#define CATT_TRANSFORMS_FILEPLACES_H

#include "transforms/SourceEdit.h"
#include <set>

namespace catt {

/// Of one file; see FileContext::places().
class FilePlaces {
public:
  explicit FilePlaces(const std::string &Text);

  /// The start of a line above the launch at offset At, before one of the
  /// declarations that begin at Tops, the nearest that reaches it.
  std::optional<unsigned> above(llvm::ArrayRef<unsigned> Tops,
                                unsigned At) const;

  /// Whether every compilation that has the text at To has that at From.
  bool reaches(unsigned From, unsigned To) const;

  /// Where `#ifndef Macro` stands.
  std::set<unsigned> guards(llvm::StringRef Macro) const;

  /// Where `#include Name` stands, with its quotes or angles.
  std::set<unsigned> includes(llvm::StringRef Name) const;

private:
  unsigned branchAt(unsigned Offset) const;
  void directive(llvm::StringRef Name, unsigned Begin);

  std::map<unsigned, unsigned> Starts; ///< of a declaration -> its place
  /// From an offset on: the branch of conditionals, by index in Parents.
  std::map<unsigned, unsigned> Branches = {{0, 0}};
  std::vector<unsigned> Parents = {0};
  std::multimap<std::string, unsigned> Guards, Includes;
  unsigned Branch = 0; ///< while the text is read
};

} // namespace catt

#endif
