//===- MeasuredFile.h - What was measured, in a .catt file ------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   # our card                        # our card
//   gpu: h200                         gpu: h200
//   measured:                         measured:
//     - kernel: rows     # old   -->    - kernel: rows
//       variant: sums                     variant: tiles-64
//       ...                               ...
//   no-cuda: true                     no-cuda: true
//
// Only lines of entries that are replaced, and those of new ones, change.
//
// Limits: comments in the lines of a replaced entry go with them. A `measured`
// in braces or brackets is written anew as a whole; a file that is all in
// braces is refused.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CONFIG_MEASUREDFILE_H
#define CATT_TOOL_CONFIG_MEASUREDFILE_H

#include "tool/config/ConfigFile.h"

namespace catt {

/// The text of a .catt file with these entries, no two of the same kernel, file
/// and card; each replaces the one that there is. Path: where the file stands,
/// from which entries name their sources. Error: the text is no .catt file, or
/// cannot be extended.
llvm::Expected<std::string>
withMeasured(llvm::StringRef Text, llvm::StringRef Path,
             llvm::ArrayRef<MeasuredVariant> Entries);

} // namespace catt

#endif
