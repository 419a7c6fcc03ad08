//===- Requests.cpp - What an editor asks of a document -------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Server.h"

using namespace llvm;

namespace catt {

void Server::onCodeAction(const Call<lsp::CodeActionParams> &P, Reply R) {
  withSnapshot(
      P.Params.textDocument.uri, P.Id,
      [this, Range = P.Params.range,
       Only = P.Params.context.only](const Snapshot &S) -> json::Value {
        ClientAbilities Abilities;
        {
          std::lock_guard<std::mutex> Lock(Mutex);
          Abilities = Can;
        }
        return codeActions(S, Range, Only, Abilities);
      },
      std::move(R));
}

void Server::onHover(const Call<lsp::TextDocumentPositionParams> &P, Reply R) {
  withSnapshot(
      P.Params.textDocument.uri, P.Id,
      [At = P.Params.position](const Snapshot &S) { return hover(S, At); },
      std::move(R));
}

void Server::onInlayHint(const Call<lsp::InlayHintsParams> &P, Reply R) {
  withSnapshot(
      P.Params.textDocument.uri, P.Id,
      [this, Range = P.Params.range](const Snapshot &S) -> json::Value {
        {
          std::lock_guard<std::mutex> Lock(Mutex);
          if (!Config->Set.InlayHints)
            return json::Array{};
        }
        return inlayHints(S, Range);
      },
      std::move(R));
}

void Server::onCodeLens(const Call<lsp::DocumentSymbolParams> &P, Reply R) {
  withSnapshot(
      P.Params.textDocument.uri, P.Id,
      [this](const Snapshot &S) -> json::Value {
        {
          std::lock_guard<std::mutex> Lock(Mutex);
          if (!Config->Set.CodeLens)
            return json::Array{};
        }
        return codeLenses(S);
      },
      std::move(R));
}

namespace {

/// The arguments of our commands: a document, and perhaps a line in it.
struct CommandArguments {
  std::string Command;
  lsp::URIForFile Uri;
  std::optional<int64_t> Line;
};

Expected<CommandArguments> readCommand(const json::Value &V) {
  CommandArguments Out;
  const json::Object *O = V.getAsObject();
  const json::Array *Given = O ? O->getArray("arguments") : nullptr;
  Out.Command = O ? O->getString("command").value_or("").str() : "";
  if (Out.Command != ShowReport && Out.Command != ApplyKernel &&
      Out.Command != ApplyFile)
    return make_error<lsp::LSPError>(
        "there is no command '" + Out.Command + "'; the commands are " +
            ShowReport.str() + ", " + ApplyKernel.str() + " and " +
            ApplyFile.str(),
        lsp::ErrorCode::InvalidParams);
  std::optional<StringRef> Uri;
  if (Given && !Given->empty())
    Uri = Given->front().getAsString();
  if (!Uri)
    return make_error<lsp::LSPError>(Out.Command +
                                         " takes the URI of a document",
                                     lsp::ErrorCode::InvalidParams);
  Expected<lsp::URIForFile> Parsed = lsp::URIForFile::fromURI(*Uri);
  if (!Parsed)
    return make_error<lsp::LSPError>(toString(Parsed.takeError()),
                                     lsp::ErrorCode::InvalidParams);
  Out.Uri = *Parsed;
  if (Given->size() > 1)
    Out.Line = (*Given)[1].getAsInteger();
  if (Out.Command == ApplyKernel && !Out.Line)
    return make_error<lsp::LSPError>(Out.Command +
                                         " takes the line of a kernel, from 0",
                                     lsp::ErrorCode::InvalidParams);
  return Out;
}

} // namespace

void Server::onCommand(const Call<RawParams> &P, Reply R) {
  if (refuse(R))
    return;
  Expected<CommandArguments> C = readCommand(P.Params.V);
  if (!C)
    return R(C.takeError());
  std::optional<int64_t> Line = C->Line;
  if (C->Command == ShowReport)
    return withSnapshot(
        C->Uri, P.Id,
        [Line](const Snapshot &S) -> json::Value {
          return json::fixUTF8(report(S, Line));
        },
        std::move(R));
  if (C->Command == ApplyFile)
    Line = std::nullopt;
  withSnapshot(
      C->Uri, P.Id,
      [this, Line](const Snapshot &S) -> json::Value {
        ClientAbilities Abilities;
        {
          std::lock_guard<std::mutex> Lock(Mutex);
          Abilities = Can;
        }
        std::optional<json::Value> Edit = allEdits(S, Line, Abilities);
        if (!Edit || !Abilities.ApplyEdit)
          return false;
        request("workspace/applyEdit",
                json::Object{{"label", "catt"}, {"edit", std::move(*Edit)}});
        return true;
      },
      std::move(R));
}

} // namespace catt
