//===- Forced.h - Was it done as it was asked for? --------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   --force=k:j=4 --> plan: 4 groups --> edits: none, the loop is in a macro
//                 `------------------ an error that says so
//
// The plan may agree with a --force, and a transform still refuse to write it.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_OPTIMIZE_FORCED_H
#define CATT_TOOL_OPTIMIZE_FORCED_H

#include "transforms/Transform.h"

namespace catt {

/// Why the edits are not what the choice asks for. Empty: they are.
std::string notWritten(const ForcedChoice &F, const Report &Analysed,
                       const Edits &Written);

} // namespace catt

#endif
