//===- Server.cpp - The life of the language server -----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Server.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace catt {

Server::Server(lsp::MessageHandler &Messages)
    : Messages(Messages), Publish(Messages.outgoingNotification<json::Value>(
                              "textDocument/publishDiagnostics")),
      Show(Messages.outgoingNotification<json::Value>("window/showMessage")),
      Progress(Messages.outgoingNotification<json::Value>("$/progress")),
      GpuChosen(Messages.outgoingNotification<json::Value>("catt/gpu")),
      Config(std::make_shared<Configuration>()) {
  Config->Set = readSettings(nullptr);
  Messages.method(BadMessage, this, &Server::onBadMessage);
  Messages.method("initialize", this, &Server::onInitialize);
  Messages.notification("initialized", this, &Server::onInitialized);
  Messages.method("shutdown", this, &Server::onShutdown);
  Messages.notification("workspace/didChangeConfiguration", this,
                        &Server::onConfiguration);
  Messages.notification("$/cancelRequest", this, &Server::onCancel);
  Messages.notification("textDocument/didOpen", this, &Server::onOpen);
  Messages.notification("textDocument/didChange", this, &Server::onChange);
  Messages.notification("textDocument/didSave", this, &Server::onSave);
  Messages.notification("textDocument/didClose", this, &Server::onClose);
  Messages.method("textDocument/codeAction", this, &Server::onCodeAction);
  Messages.method("textDocument/hover", this, &Server::onHover);
  Messages.method("textDocument/inlayHint", this, &Server::onInlayHint);
  Messages.method("textDocument/codeLens", this, &Server::onCodeLens);
  Messages.method("workspace/executeCommand", this, &Server::onCommand);
}

Server::~Server() { cancelAll(); }

void Server::onBadMessage(const BadMessageParams &P, Reply R) {
  R(make_error<lsp::LSPError>(P.Why, P.Code));
}

static json::Value abilities() {
  json::Array Kinds;
  for (const Transform *T : allTransforms())
    Kinds.push_back((ActionKind + "." + T->name()).str());
  for (StringRef Scope : {"kernel", "file", "revert"})
    Kinds.push_back((ActionKind + "." + Scope).str());
  return json::Object{
      {"positionEncoding", "utf-16"},
      {"textDocumentSync",
       json::Object{
           {"openClose", true},
           {"change", static_cast<int>(lsp::TextDocumentSyncKind::Incremental)},
           {"save", json::Object{{"includeText", false}}}}},
      {"codeActionProvider",
       json::Object{{"codeActionKinds", std::move(Kinds)}}},
      {"hoverProvider", true},
      {"inlayHintProvider", true},
      {"codeLensProvider", json::Object{{"resolveProvider", false}}},
      {"executeCommandProvider",
       json::Object{
           {"commands", json::Array{ShowReport, ApplyKernel, ApplyFile}}}}};
}

void Server::onInitialize(const RawParams &P, Reply R) {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (State != Life::New)
      return R(make_error<lsp::LSPError>("the server is initialized already",
                                         lsp::ErrorCode::InvalidRequest));
    State = Life::Running;
    if (const json::Object *O = P.V.getAsObject())
      if (const json::Value *Given = O->get("capabilities"))
        Can = readAbilities(*Given);
  }
  R(json::Object{{"capabilities", abilities()},
                 {"serverInfo", json::Object{{"name", "catt-lsp"},
                                             {"version", CATT_VERSION}}}});
  const json::Object *O = P.V.getAsObject();
  if (const json::Value *Given = O ? O->get("initializationOptions") : nullptr)
    configure(*Given);
}

void Server::onInitialized(const RawParams &) {}

void Server::onShutdown(const RawParams &, Reply R) {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    State = Life::ShutDown;
  }
  cancelAll();
  R(nullptr);
}

/// Answers what comes before `initialize` or after `shutdown`.
bool Server::refuse(Reply &R) const {
  std::unique_lock<std::mutex> Lock(Mutex);
  if (State == Life::Running)
    return false;
  bool New = State == Life::New;
  Lock.unlock();
  R(make_error<lsp::LSPError>(New ? "the server is not initialized"
                                  : "the server was shut down",
                              New ? lsp::ErrorCode::ServerNotInitialized
                                  : lsp::ErrorCode::InvalidRequest));
  return true;
}

void Server::onConfiguration(const RawParams &P) {
  const json::Object *O = P.V.getAsObject();
  const json::Object *Given = O ? O->getObject("settings") : nullptr;
  // Editors send the settings of other servers too, or an empty object.
  if (!Given || !Given->getObject("catt"))
    return;
  configure(*O->get("settings"));
  ClientAbilities Abilities;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Abilities = Can;
  }
  if (Abilities.RefreshHints)
    request("workspace/inlayHint/refresh", nullptr);
  if (Abilities.RefreshLenses)
    request("workspace/codeLens/refresh", nullptr);
}

void Server::configure(const json::Value &V) {
  auto Next = std::make_shared<Configuration>();
  Next->Set = readSettings(V);
  for (const std::string &Problem : Next->Set.Problems)
    say(lsp::MessageType::Warning, Problem);
  std::lock_guard<std::mutex> Lock(Mutex);
  Config = std::move(Next);
  scheduleAll();
}

static lsp::LSPError cancelled() {
  return {"cancelled", lsp::ErrorCode::RequestCancelled};
}

/// Nobody analyses or waits from here on.
void Server::cancelAll() {
  std::vector<Waiting> Cancelled;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    for (auto &[Path, D] : Documents) {
      Analyses.drop(Path);
      std::move(D.Requests.begin(), D.Requests.end(),
                std::back_inserter(Cancelled));
      D.Requests.clear();
    }
  }
  for (Waiting &W : Cancelled)
    W.Send(make_error<lsp::LSPError>(cancelled()));
}

void Server::onCancel(const RawParams &P) {
  const json::Object *O = P.V.getAsObject();
  const json::Value *Id = O ? O->get("id") : nullptr;
  if (!Id)
    return;
  std::vector<Waiting> Cancelled;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    for (auto &[Path, D] : Documents) {
      auto Theirs = llvm::partition(
          D.Requests, [&](const Waiting &W) { return W.Id != *Id; });
      std::move(Theirs, D.Requests.end(), std::back_inserter(Cancelled));
      D.Requests.erase(Theirs, D.Requests.end());
    }
  }
  for (Waiting &W : Cancelled)
    W.Send(make_error<lsp::LSPError>(cancelled()));
}

//===-- To the editor -----------------------------------------------------===//

void Server::say(lsp::MessageType How, const std::string &Text) {
  Show(json::Object{{"type", static_cast<int>(How)},
                    {"message", json::fixUTF8(Text)}});
}

void Server::request(StringLiteral Method, const json::Value &Params) {
  int64_t Id = 0;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Id = ++Requests;
  }
  auto Send = Messages.outgoingRequest<json::Value, RawParams>(
      Method, [](const json::Value &, Expected<RawParams> Answer) {
        if (!Answer)
          consumeError(Answer.takeError());
      });
  Send(Params, Id);
}

/// Asks for a token; the editor's answer begins the progress.
std::string Server::beginProgress(const std::string &Title) {
  std::string Token;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (!Can.Progress)
      return "";
    Token = formatv("catt-{0}", ++Requests).str();
    Working[Token] = Title;
  }
  auto Send = Messages.outgoingRequest<json::Value, RawParams>(
      "window/workDoneProgress/create",
      [this, Token](const json::Value &, Expected<RawParams> Answer) {
        bool Taken = static_cast<bool>(Answer);
        if (!Taken)
          consumeError(Answer.takeError());
        onProgressToken(Token, Taken);
      });
  Send(json::Object{{"token", Token}}, Token);
  return Token;
}

void Server::onProgressToken(const std::string &Token, bool Taken) {
  // The lock is held so that an end cannot overtake its beginning.
  std::lock_guard<std::mutex> Lock(Mutex);
  auto It = Working.find(Token);
  if (It == Working.end() || !Taken)
    return;
  Begun.insert(Token);
  notifyProgress(Token, json::Object{{"kind", "begin"}, {"title", It->second}});
}

void Server::endProgress(const std::string &Token) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Working.erase(Token);
  if (Begun.erase(Token))
    notifyProgress(Token, json::Object{{"kind", "end"}});
}

void Server::notifyProgress(const std::string &Token, json::Object Value) {
  Progress(json::Object{{"token", Token}, {"value", std::move(Value)}});
}

} // namespace catt
