//===- LaunchCalls.h - What a launch does in its own arguments --*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before:
//   rows<<<grid, 256, bytes>>>(A, y);
//
// After:
//   rows<<<grid, 256, cattShared(rows, bytes, 65536)>>>(A, y);
//
// A launch is asked for more shared memory, or for a carve-out, by a call in
// its third argument: evaluated when and where the argument was, once for each
// launch, for the device that is current then. Where the launch has no such
// argument, `, cattShared(rows, 0, 65536)` is one. The functions that are
// called stand in the file, above the first launch that needs them:
//
//   cattShared     bytes and more, with the attribute that allows them, or
//                  bytes alone if the device has no more
//   cattSpill      the same, but bytes and more in any case: the kernel uses
//                  them
//   cattPreferL1   bytes, after asking for a carve-out
//   cattThreads    the threads of a block
//
// They keep nothing between calls: a program may set the same attributes, and
// reset its devices. cattShared raises the limit as far as it goes, so that
// two threads that launch the kernel never lower it for each other.
//
// Limits. Refused: what LaunchText::Obstacle says; arguments that directives
// divide otherwise than as whole arguments; files where no function can be
// added above the launch, or whose own code has one of these names.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_LAUNCHCALLS_H
#define CATT_TRANSFORMS_LAUNCHCALLS_H

#include "transforms/SourceEdit.h"

namespace catt {

/// A call in the third argument of a launch.
struct LaunchCall {
  llvm::StringRef Transform;  ///< "reserve-shared"
  std::string Argument;       ///< of its marker
  llvm::StringRef Function;   ///< "cattShared"
  std::string Number;         ///< the last argument: "65536"
  bool CountsThreads = false; ///< Number calls cattThreads
};

/// Why the launch cannot make the call, if so.
std::optional<Refusal> cannotCall(const TextMap &Texts, const Launch &L,
                                  const LaunchCall &Call, Edits &Out);

/// Whether an earlier run has put a call of the function into the launch.
bool makesCall(const TextMap &Texts, const Launch &L, llvm::StringRef Function);

/// Adds a call that cannotCall does not object to.
void addCall(const TextMap &Texts, const Launch &L, const LaunchCall &Call,
             Edits &Out);

/// Adds the functions that the calls in Out.Calls need.
void addLaunchFunctions(const TextMap &Texts, Edits &Out);

/// Whether one of the functions has the name.
bool isLaunchFunctionName(llvm::StringRef Name);

/// `cattThreads(block) >= 513 ? 42 : 11`, by the cases; std::nullopt if the
/// launch gives its block by what may not be read twice.
std::optional<std::string>
byThreads(const Launch &L, llvm::ArrayRef<LaunchCase> Cases,
          llvm::function_ref<int64_t(const LaunchCase &)> Value);

/// The refusal for a launch whose block may not be read twice.
Refusal blockNotPlain(const Launch &L);

} // namespace catt

#endif
