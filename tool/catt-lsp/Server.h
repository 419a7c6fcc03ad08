//===- Server.h - The language server ------------------------ -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   editor --didChange--> text --(rest of 100 ms)--> Worker: runJob
//                                                      |
//   editor <--diagnostics------------------------- Snapshot
//   editor --hover, codeAction, ...--> the snapshot of the newest text; while
//                                      there is none, the request waits for it
//
// The reader's thread keeps the texts and answers; the worker's thread analyses
// one text at a time, by the same runJob() as the command line. A document
// keeps its compiled preamble from one edit to the next.
//
// Limits: a change of a header reaches the files that include it when one of
// them is edited or any file is saved.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATTLSP_SERVER_H
#define CATT_TOOL_CATTLSP_SERVER_H

#include "EditorSettings.h"
#include "Features.h"
#include "Json.h"
#include "Wire.h"
#include "Worker.h"
#include "analysis/plan/runtime/RuntimeRules.h"
#include "llvm/ADT/FunctionExtras.h"
#include <map>
#include <memory>
#include <mutex>
#include <set>

namespace catt {

class Server {
public:
  /// Registers its handlers; Messages must outlive the server.
  explicit Server(llvm::lsp::MessageHandler &Messages);
  ~Server(); ///< answers what still waits

  /// True once the editor asked for it: `exit` is then no failure.
  bool wasShutDown() const {
    std::lock_guard<std::mutex> Lock(Mutex);
    return State == Life::ShutDown;
  }

private:
  using Reply = llvm::lsp::Callback<llvm::json::Value>;
  using Compute = std::function<llvm::json::Value(const Snapshot &)>;
  enum class Life : uint8_t { New, Running, ShutDown };

  /// A request that waits for its document's snapshot.
  struct Waiting {
    llvm::json::Value Id;
    Compute Answer;
    Reply Send;
  };

  struct Document {
    std::string Uri, Path, Text;
    int64_t Version = 0;
    uint64_t Edit = 0; ///< number of its last change, of all documents'
    std::shared_ptr<const Snapshot> Shown; ///< of the newest text, or null
    std::shared_ptr<const Preamble> Kept;
    std::vector<Waiting> Requests;
  };

  /// What a worker needs of the settings; replaced as a whole.
  struct Configuration {
    EditorSettings Set;
    CommandFinder Commands; ///< the worker's
    ConfigFinder Files;     ///< the worker's
  };

  // Life cycle (Server.cpp).
  void onInitialize(const RawParams &P, Reply R);
  void onInitialized(const RawParams &P);
  void onShutdown(const RawParams &P, Reply R);
  void onConfiguration(const RawParams &P);
  void onCancel(const RawParams &P);
  void onBadMessage(const BadMessageParams &P, Reply R);
  void cancelAll();
  bool refuse(Reply &R) const;
  void configure(const llvm::json::Value &V);

  // Documents (Documents.cpp).
  void onOpen(const llvm::lsp::DidOpenTextDocumentParams &P);
  void onChange(const llvm::lsp::DidChangeTextDocumentParams &P);
  void onSave(const RawParams &P);
  void onClose(const llvm::lsp::DidCloseTextDocumentParams &P);
  void schedule(const Document &D, std::chrono::milliseconds Delay);
  void scheduleAll();
  void analyse(const std::string &Path);
  void finish(const std::string &Path, uint64_t Edit,
              const std::shared_ptr<const Snapshot> &S);
  JobResult work(const Document &Copy, Configuration &C, const Options &O,
                 llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files);
  llvm::Expected<ChosenGpu> gpuFor(const Options &O, bool FromFile);
  void publish(const Snapshot &S);
  void withSnapshot(const llvm::lsp::URIForFile &Uri, llvm::json::Value Id,
                    Compute Answer, Reply R);

  // Requests (Requests.cpp).
  void onCodeAction(const Call<llvm::lsp::CodeActionParams> &P, Reply R);
  void onHover(const Call<llvm::lsp::TextDocumentPositionParams> &P, Reply R);
  void onInlayHint(const Call<llvm::lsp::InlayHintsParams> &P, Reply R);
  void onCodeLens(const Call<llvm::lsp::DocumentSymbolParams> &P, Reply R);
  void onCommand(const Call<RawParams> &P, Reply R);

  // To the editor.
  void say(llvm::lsp::MessageType How, const std::string &Text);
  void request(llvm::StringLiteral Method, const llvm::json::Value &Params);
  std::string beginProgress(const std::string &Title);
  void onProgressToken(const std::string &Token, bool Taken);
  void endProgress(const std::string &Token);
  void notifyProgress(const std::string &Token, llvm::json::Object Value);

  llvm::lsp::MessageHandler &Messages;
  llvm::lsp::OutgoingNotification<llvm::json::Value> Publish, Show, Progress,
      GpuChosen;

  mutable std::mutex Mutex; ///< of everything down to the worker
  Life State = Life::New;
  ClientAbilities Can;
  std::map<std::string, Document> Documents; ///< by path
  std::shared_ptr<Configuration> Config;
  uint64_t Edits = 0;
  int64_t Requests = 0;
  /// Tokens of work that goes on, and what its progress is called once the
  /// editor has taken the token.
  std::map<std::string, std::string> Working;
  std::set<std::string> Begun;

  std::map<std::string, ChosenGpu> Gpus; ///< the worker's, by setting
  std::string GpuSaid;                   ///< the worker's: what editors show
  /// The worker's: kernels that are as they were are planned by them.
  RuleMemo Rules;

  Worker Analyses; ///< last: it uses all of the above
};

} // namespace catt

#endif
