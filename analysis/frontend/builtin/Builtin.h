//===- Builtin.h - The CUDA headers inside this library ---------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   builtin/*.h --(Embed.cmake)--> BuiltinHeaders.inc --> addBuiltinHeaders()
//
// include/ stands in for a CUDA toolkit where there is none; nvcc/ adds to a
// real toolkit what nvcc knows by itself and clang does not; shared/ goes with
// both. runtime/ is installed, too: what rewritten code may include. All are
// served from memory, below builtinRoot().
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_BUILTIN_BUILTIN_H
#define CATT_ANALYSIS_SOURCE_BUILTIN_BUILTIN_H

#include "llvm/Support/VirtualFileSystem.h"

namespace catt {

/// The virtual directory that holds the headers; no such directory is on disk.
llvm::StringRef builtinRoot();

/// The text of catt/staged_rows.h, which rewritten code may include.
llvm::StringRef stagedRowsHeader();

/// The text of catt/narrow_rows.h, which includes that one.
llvm::StringRef narrowRowsHeader();

/// The text of catt/launches.h, which both include.
llvm::StringRef launchesHeader();

/// The text of catt/timing.h, which programs include whose launches are timed.
llvm::StringRef timingHeader();

/// The text of catt/replay.h, which includes that one and catt/saved.h:
/// programs whose launches are repeated include it.
llvm::StringRef replayHeader();

/// The text of catt/saved.h.
llvm::StringRef savedHeader();

/// Adds all headers below builtinRoot(). Their text is not copied.
void addBuiltinHeaders(llvm::vfs::InMemoryFileSystem &Files);

} // namespace catt

#endif
