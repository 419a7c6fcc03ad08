//===- Text.h - Positions of editors and of compilers -------- -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   byte 17 of the file  <-->  line 2, column 5 (from 1, in bytes)
//                        <-->  line 1, character 3 (from 0, in UTF-16 units)
//
// Compilers count bytes, editors count UTF-16 code units: "x²" is 3 bytes and 2
// units. LLVM's own protocol library counts bytes on both sides, so its applyTo
// is not used. A line ends at "\n", "\r\n" or "\r", for both.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATTLSP_TEXT_H
#define CATT_TOOL_CATTLSP_TEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LSP/Protocol.h"
#include <string>
#include <vector>

namespace catt {

/// Converts between the ways to name a place in one text. A place outside the
/// text becomes the nearest one inside.
class TextPositions {
public:
  /// The text must outlive this.
  explicit TextPositions(llvm::StringRef Text);

  llvm::lsp::Position at(unsigned Offset) const;
  /// Line and column from 1, the column in bytes.
  llvm::lsp::Position at(unsigned Line, unsigned Column) const;
  unsigned offset(llvm::lsp::Position P) const;
  /// End of the line (from 1), in front of what ends it.
  llvm::lsp::Position endOfLine(unsigned Line) const;
  llvm::lsp::Range range(unsigned Begin, unsigned End) const;

private:
  llvm::StringRef line(unsigned Index) const; ///< from 0, without its end

  llvm::StringRef Text;
  std::vector<unsigned> Starts; ///< offset of the first byte of each line
};

/// Applies one change of an editor. False if its range runs backwards: the text
/// then stays.
bool applyChange(std::string &Text,
                 const llvm::lsp::TextDocumentContentChangeEvent &Change);

} // namespace catt

#endif
