//===- Json.h - Values that every message needs -------------- -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATTLSP_JSON_H
#define CATT_TOOL_CATTLSP_JSON_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/LSP/Protocol.h"
#include <string>

namespace catt {

/// "file:///home/a%20b.cu".
inline std::string uriOf(llvm::StringRef Path) {
  auto Uri = llvm::lsp::URIForFile::fromFile(Path);
  if (Uri)
    return Uri->uri().str();
  llvm::consumeError(Uri.takeError());
  return "";
}

/// Parameters that are read by hand.
struct RawParams {
  llvm::json::Value V = nullptr;
};
inline bool fromJSON(const llvm::json::Value &V, RawParams &Out,
                     llvm::json::Path) {
  Out.V = V;
  return true;
}

} // namespace catt

#endif
