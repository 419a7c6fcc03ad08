//===- Wire.h - Messages as they come in --------------------- -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   bytes --(frames)--> text --(checks)--> message for llvm::lsp::JSONTransport
//
// LLVM's transport ends the server at a message without "jsonrpc": "2.0", and
// hides a request's id from its handler, so that nothing could be cancelled.
// Here what is no message becomes a request of the method `BadMessage`, whose
// handler answers with an error; and a request's id travels in its parameters
// too, under the key "$id" (see Call).
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATTLSP_WIRE_H
#define CATT_TOOL_CATTLSP_WIRE_H

#include "llvm/Support/JSON.h"
#include "llvm/Support/LSP/Transport.h"
#include <cstdio>
#include <optional>
#include <string>

namespace catt {

/// The parameters of a request, and its id.
template <typename T> struct Call {
  T Params;
  llvm::json::Value Id = nullptr;
};

template <typename T>
bool fromJSON(const llvm::json::Value &V, Call<T> &Out, llvm::json::Path P) {
  if (const llvm::json::Object *O = V.getAsObject())
    if (const llvm::json::Value *Id = O->get("$id"))
      Out.Id = *Id;
  return fromJSON(V, Out.Params, P);
}

/// Stands for a message that is none; its parameters are a BadMessageParams.
constexpr llvm::StringLiteral BadMessage = "catt/badMessage";

struct BadMessageParams {
  llvm::lsp::ErrorCode Code = llvm::lsp::ErrorCode::InvalidRequest;
  std::string Why;
};

bool fromJSON(const llvm::json::Value &V, BadMessageParams &Out,
              llvm::json::Path P);

/// A message that JSONTransport can take, whatever the text is.
std::string checkedMessage(llvm::StringRef Text);

/// Messages from a stream, each of them checked.
class MessageInput final : public llvm::lsp::JSONTransportInput {
public:
  explicit MessageInput(std::FILE *In) : In(In) {}

  bool hasError() const override { return std::ferror(In) != 0; }
  bool isEndOfInput() const override { return std::feof(In) != 0; }
  llvm::LogicalResult readStandardMessage(std::string &Json) override;
  llvm::LogicalResult readDelimitedMessage(std::string &Json) override;

private:
  bool readLine(std::string &Line);
  std::optional<size_t> readHeader();

  std::FILE *In;
};

} // namespace catt

#endif
