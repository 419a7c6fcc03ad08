//===- AddedFunctions.h - Functions that rewritten code calls ---*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Edits::Calls --> // catt: reserve-shared(launch): why
//                    #ifndef CATT_SHARED
//                    #define CATT_SHARED
//                    ... cattShared ...
//                    #endif // catt: done 3f2a1c
//
// They stand at file scope, above the first place that calls them, each once in
// whatever way the file is compiled. What a header has is included instead
// where that is asked for, or where the header alone has it.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_ADDEDFUNCTIONS_H
#define CATT_TRANSFORMS_ADDEDFUNCTIONS_H

#include "transforms/SourceEdit.h"

namespace catt {

struct AddedFunction {
  llvm::StringRef Name, Guard, Reason;
  llvm::StringRef Attribute; ///< that it sets for a kernel
  std::string Code;          ///< empty: only the header has it
  bool ForLaunches = true;   ///< and not for code of kernels
  llvm::StringRef Header{};  ///< "<catt/staged_rows.h>", which has it, too
  std::vector<llvm::StringRef> Calls{}; ///< other added functions
};

/// nullptr if none has the name.
const AddedFunction *findFunction(llvm::StringRef Name);

/// Whether the file has the function's name, and not from an earlier run.
bool isTaken(const FileContext &File, const AddedFunction &F);

/// Adds the functions that the calls in Out.Calls need, or the header that has
/// them.
void addFunctions(const FileContexts &Files, Runtime From, Edits &Out);

} // namespace catt

#endif
