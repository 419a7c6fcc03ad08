//===- KnownFunctions.h - What CUDA's own functions do ----------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   FunctionDecl --(CUDA's own? by name, then by header)--> Known
//
// The one table of functions whose bodies need not be read, in
// KnownFunctions.def. It holds for the declarations of CUDA and of the compiler
// alone: builtins, what stands in the toolkit's, clang's or our own CUDA
// headers, and C functions of system headers that have no body. A user's
// function of the same name is Unlisted, even in a header given by -isystem.
//
// Limits: a toolkit installed into /usr/include makes every header that stands
// directly in there CUDA's own.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_SAFETY_KNOWNFUNCTIONS_H
#define CATT_ANALYSIS_SOURCE_SAFETY_KNOWNFUNCTIONS_H

#include "clang/AST/Decl.h"

namespace catt {

enum class Known : uint8_t {
  Unlisted,     ///< judge it by its body
  Computes,     ///< from its arguments alone; may store through pointer ones
  ReadsThread,  ///< thread's number, lane, clock
  ReadOnlyLoad, ///< of memory that nobody writes during the launch
  PollingLoad,  ///< of memory that others may write
  Store,
  Atomic,
  WarpWide, ///< waits for lanes of its own warp at most
  Fence,
  Output,       ///< prints, or ends the kernel with an error
  BlockBarrier, ///< all threads of the block
  NamedBarrier, ///< a part of the block
  Waits,        ///< for time, copies, or other blocks
  TakesMemory,  ///< malloc, free
};

Known knownFunction(const clang::FunctionDecl &F);

} // namespace catt

#endif
