//===- Documents.cpp - Open texts and their analysis ----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Server.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <malloc.h>

using namespace llvm;

namespace catt {

void Server::onOpen(const lsp::DidOpenTextDocumentParams &P) {
  std::lock_guard<std::mutex> Lock(Mutex);
  std::string Path = P.textDocument.uri.file().str();
  Document &D = Documents[Path];
  D.Uri = P.textDocument.uri.uri().str();
  D.Path = Path;
  D.Text = P.textDocument.text;
  D.Version = P.textDocument.version;
  D.Edit = ++Edits;
  D.Shown = nullptr;
  schedule(D, std::chrono::milliseconds(0));
}

void Server::onChange(const lsp::DidChangeTextDocumentParams &P) {
  std::lock_guard<std::mutex> Lock(Mutex);
  auto It = Documents.find(P.textDocument.uri.file().str());
  if (It == Documents.end())
    return;
  Document &D = It->second;
  for (const lsp::TextDocumentContentChangeEvent &Change : P.contentChanges)
    if (!applyChange(D.Text, Change))
      lsp::Logger::error("a change of {0} runs backwards; it is left out",
                         D.Path);
  D.Version = P.textDocument.version;
  D.Edit = ++Edits;
  D.Shown = nullptr;
  // Who waits for an answer does not want to wait for the typing to stop.
  schedule(D, D.Requests.empty() ? Config->Set.Delay
                                 : std::chrono::milliseconds(0));
}

/// Whatever was saved may be included anywhere, and compile commands and .catt
/// files may have changed with it.
void Server::onSave(const RawParams &) {
  std::lock_guard<std::mutex> Lock(Mutex);
  auto Next = std::make_shared<Configuration>();
  Next->Set = Config->Set;
  Config = std::move(Next);
  scheduleAll();
}

void Server::onClose(const lsp::DidCloseTextDocumentParams &P) {
  std::vector<Waiting> Dropped;
  std::string Uri = P.textDocument.uri.uri().str();
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    auto It = Documents.find(P.textDocument.uri.file().str());
    if (It == Documents.end())
      return;
    Analyses.drop(It->first);
    Dropped = std::move(It->second.Requests);
    Documents.erase(It);
  }
  for (Waiting &W : Dropped)
    W.Send(make_error<lsp::LSPError>("the document was closed",
                                     lsp::ErrorCode::ContentModified));
  Publish(json::Object{{"uri", Uri}, {"diagnostics", json::Array{}}});
}

/// Under the lock.
void Server::schedule(const Document &D, std::chrono::milliseconds Delay) {
  Analyses.schedule(D.Path, Delay, [this, Path = D.Path] { analyse(Path); });
}

/// Under the lock.
void Server::scheduleAll() {
  for (auto &[Path, D] : Documents) {
    D.Edit = ++Edits;
    D.Shown = nullptr;
    schedule(D, std::chrono::milliseconds(0));
  }
}

void Server::withSnapshot(const lsp::URIForFile &Uri, json::Value Id,
                          Compute Answer, Reply R) {
  if (refuse(R))
    return;
  std::unique_lock<std::mutex> Lock(Mutex);
  auto It = Documents.find(Uri.file().str());
  if (It == Documents.end()) {
    Lock.unlock();
    return R(make_error<lsp::LSPError>("'" + Uri.file().str() + "' is not open",
                                       lsp::ErrorCode::InvalidParams));
  }
  Document &D = It->second;
  if (std::shared_ptr<const Snapshot> S = D.Shown) {
    Lock.unlock();
    return R(Answer(*S));
  }
  D.Requests.push_back({std::move(Id), std::move(Answer), std::move(R)});
  Analyses.hurry(D.Path);
}

/// The texts of all documents over the disk. Each change has a time of its own,
/// by which clang sees that a header is another one.
static IntrusiveRefCntPtr<vfs::FileSystem>
overDisk(ArrayRef<std::pair<std::string, std::string>> Texts,
         ArrayRef<uint64_t> Times) {
  auto Held = makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  for (const auto &[File, Time] : zip(Texts, Times))
    Held->addFile(File.first, static_cast<time_t>(Time),
                  MemoryBuffer::getMemBufferCopy(File.second, File.first));
  auto All = makeIntrusiveRefCnt<vfs::OverlayFileSystem>(
      IntrusiveRefCntPtr<vfs::FileSystem>(
          vfs::createPhysicalFileSystem().release()));
  All->pushOverlay(Held);
  return All;
}

static JobResult failed(const std::string &Path, Error E) {
  JobResult R;
  R.Outcome.Name = Path;
  R.Outcome.Error = toString(std::move(E));
  R.Exit = ExitInput;
  return R;
}

/// On the worker.
JobResult Server::work(const Document &Copy, Configuration &C, const Options &O,
                       IntrusiveRefCntPtr<vfs::FileSystem> Files) {
  Expected<ChosenGpu> Gpu =
      gpuFor(O, O.GpuName && !C.Set.Run.Said.count("gpu"));
  if (!Gpu)
    return failed(Copy.Path, Gpu.takeError());
  JobInput In;
  In.Files = std::move(Files);
  In.Earlier = Copy.Kept;
  In.AndWithoutTiles = true;
  In.Rules = &Rules;
  return runJob(Copy.Path, C.Commands.find(Copy.Path, O), *Gpu, O,
                std::move(In));
}

/// On the worker: asks for each GPU once, and tells the editor which one
/// counts.
Expected<ChosenGpu> Server::gpuFor(const Options &O, bool FromFile) {
  std::string Name = O.GpuName.value_or("");
  auto Known = Gpus.find(Name);
  if (Known == Gpus.end()) {
    Expected<ChosenGpu> Gpu = chooseGpu(O.GpuName);
    if (!Gpu)
      return Gpu.takeError();
    Known = Gpus.emplace(Name, *Gpu).first;
  }
  ChosenGpu Gpu = Known->second;
  if (O.GpuName)
    Gpu.Origin = FromFile ? ".catt" : "the editor's settings";
  std::string Said = Gpu.Gpu.Name + " " + Gpu.Origin;
  if (Said != GpuSaid)
    GpuChosen(json::Object{{"name", Gpu.Gpu.Name},
                           {"architecture", Gpu.Gpu.architecture()},
                           {"origin", Gpu.Origin}});
  GpuSaid = Said;
  return Gpu;
}

/// On the worker.
void Server::analyse(const std::string &Path) {
  Document Copy;
  std::shared_ptr<Configuration> C;
  std::vector<std::pair<std::string, std::string>> Texts;
  std::vector<uint64_t> Times;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    auto It = Documents.find(Path);
    if (It == Documents.end())
      return;
    const Document &D = It->second;
    Copy.Uri = D.Uri, Copy.Path = D.Path, Copy.Text = D.Text;
    Copy.Version = D.Version, Copy.Edit = D.Edit, Copy.Kept = D.Kept;
    C = Config;
    for (const auto &[Name, Open] : Documents) {
      Texts.push_back({Name, Open.Text});
      Times.push_back(Open.Edit);
    }
  }
  std::string Token;
  if (!Copy.Kept)
    Token = beginProgress("catt: analysing " + sys::path::filename(Path).str());
  Expected<catt::Config> File = C->Files.find(Path);
  Options O = File ? withConfig(C->Set.Run, *File) : C->Set.Run;
  JobResult R = File ? work(Copy, *C, O, overDisk(Texts, Times))
                     : failed(Path, File.takeError());
  finish(Path, Copy.Edit,
         std::make_shared<const Snapshot>(Copy.Uri, Path, Copy.Version,
                                          std::move(Copy.Text), std::move(R),
                                          O.Transforms));
  if (!Token.empty())
    endProgress(Token);
  // An AST is gone: give its pages back rather than keep them for the next.
  malloc_trim(0);
}

/// On the worker: shows a snapshot and answers who waits, unless the text has
/// changed meanwhile; another analysis is then on its way.
void Server::finish(const std::string &Path, uint64_t Edit,
                    const std::shared_ptr<const Snapshot> &S) {
  std::vector<Waiting> Answered;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    auto It = Documents.find(Path);
    if (It == Documents.end())
      return;
    Document &D = It->second;
    if (S->Result.Kept)
      D.Kept = S->Result.Kept;
    if (D.Edit != Edit)
      return;
    // Under the lock, so that no answer overtakes the diagnostics beside it.
    publish(*S);
    D.Shown = S;
    Answered = std::move(D.Requests);
    D.Requests.clear();
  }
  for (Waiting &W : Answered)
    W.Send(W.Answer(*S));
}

/// Under the lock.
void Server::publish(const Snapshot &S) {
  Publish(json::Object{{"uri", S.Uri},
                       {"version", S.Version},
                       {"diagnostics", diagnostics(S, Can)}});
}

} // namespace catt
