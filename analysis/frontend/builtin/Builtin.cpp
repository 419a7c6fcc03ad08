//===- Builtin.cpp - The CUDA headers inside this library -----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/frontend/builtin/Builtin.h"
#include "llvm/ADT/STLExtras.h"

namespace catt {

namespace {
struct Header {
  const char *Name;
  llvm::StringLiteral Text;
};

constexpr Header Headers[] = {
#include "BuiltinHeaders.inc"
};
} // namespace

llvm::StringRef builtinRoot() { return "/catt-rewrite-builtin"; }

static llvm::StringRef textOf(llvm::StringRef Name) {
  return llvm::find_if(Headers, [&](const Header &H) { return Name == H.Name; })
      ->Text;
}

llvm::StringRef stagedRowsHeader() {
  return textOf("runtime/catt/staged_rows.h");
}

llvm::StringRef narrowRowsHeader() {
  return textOf("runtime/catt/narrow_rows.h");
}

llvm::StringRef launchesHeader() { return textOf("runtime/catt/launches.h"); }

llvm::StringRef timingHeader() { return textOf("runtime/catt/timing.h"); }

llvm::StringRef replayHeader() { return textOf("runtime/catt/replay.h"); }

llvm::StringRef savedHeader() { return textOf("runtime/catt/saved.h"); }

void addBuiltinHeaders(llvm::vfs::InMemoryFileSystem &Files) {
  for (const Header &H : Headers) {
    std::string Path = (builtinRoot() + "/" + H.Name).str();
    Files.addFileNoOwn(Path, /*ModificationTime=*/0,
                       llvm::MemoryBufferRef(H.Text, Path));
  }
}

} // namespace catt
