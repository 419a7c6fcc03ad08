//===- State.cpp - What a search leaves on the disk -----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/tune/State.h"
#include "tool/catt-rewrite/Output.h"
#include "tool/tune/TrialJson.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <unistd.h>

using namespace llvm;

namespace catt {

std::string hashOf(StringRef Text) {
  return utohexstr(xxh3_64bits(Text), /*LowerCase=*/true, /*Width=*/16);
}

std::string textOf(StringRef Path) {
  auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  return Buffer ? (*Buffer)->getBuffer().str() : "";
}

Expected<State> State::open(StringRef Directory) {
  State S(absolutePath(Directory));
  if (std::error_code EC = sys::fs::create_directories(S.Directory))
    return createStringError("the directory '" + S.Directory +
                             "' cannot be made: " + EC.message());
  int File = -1;
  if (std::error_code EC = sys::fs::openFileForReadWrite(
          S.path("lock"), File, sys::fs::CD_OpenAlways, sys::fs::OF_None))
    return createStringError("'" + S.path("lock") +
                             "' cannot be written: " + EC.message());
  if (sys::fs::tryLockFile(File)) {
    ::close(File);
    return createStringError("another search runs with the directory '" +
                             S.Directory + "'; let it end first");
  }
  S.Lock = File;
  S.readTrials();
  return S;
}

State::State(State &&Other) noexcept
    : Directory(std::move(Other.Directory)),
      Lock(std::exchange(Other.Lock, -1)),
      Originals(std::move(Other.Originals)), Now(std::move(Other.Now)),
      Written(std::move(Other.Written)), Trials(std::move(Other.Trials)) {}

State::~State() {
  if (Lock >= 0)
    ::close(Lock);
}

std::string State::path(StringRef Name) const {
  return Directory + "/" + Name.str();
}

//===-- The user's files --------------------------------------------------===//

Error checkReplaceable(ArrayRef<std::string> Files) {
  for (const std::string &File : Files) {
    Expected<sys::fs::perms> Mode = [&]() -> Expected<sys::fs::perms> {
      ErrorOr<sys::fs::perms> P = sys::fs::getPermissions(File);
      if (!P)
        return createStringError("there is no file '" + File + "'");
      return *P;
    }();
    if (!Mode)
      return Mode.takeError();
    if (!(*Mode & sys::fs::owner_write))
      return createStringError("'" + File +
                               "' is read-only, and a search "
                               "replaces it while variants are built; make it "
                               "writable, or tune a copy");
  }
  return Error::success();
}

Expected<std::vector<std::string>> State::recover() {
  std::vector<std::string> Back;
  std::string Text = textOf(path("kept.json"));
  if (Text.empty())
    return Back;
  Expected<json::Value> Read = json::parse(Text);
  auto Unreadable = [&] {
    return createStringError("'" + path("kept.json") + "' cannot be read; it " +
                             "holds the originals of your sources");
  };
  const json::Object *Files = Read ? Read->getAsObject() : nullptr;
  if (!Files) {
    consumeError(Read.takeError());
    return Unreadable();
  }
  std::vector<Replaced> All;
  for (const auto &[Path, Value] : *Files) {
    std::string Held = textOf(Path), Hash = hashOf(Held);
    const json::Object *Kept = Value.getAsObject();
    if (!Kept || !Kept->getString("original") || !Kept->getArray("written"))
      return Unreadable();
    std::string Original = Kept->getString("original").value_or("").str();
    if (Held == Original)
      continue;
    if (none_of(*Kept->getArray("written"), [&](const json::Value &W) {
          return W.getAsString() == StringRef(Hash);
        }))
      return createStringError(
          "'" + Path.str() + "' was changed after a search was killed that " +
          "had replaced it; its original is in '" + path("kept.json") +
          "'; delete that file when all is as it should be");
    All.push_back({Path.str(), Held, Original});
    Back.push_back(Path.str());
  }
  if (Error E = replaceFiles(All))
    return E;
  if (Error E = finish())
    return E;
  return Back;
}

Error State::writeKept() const {
  json::Object All;
  for (const auto &[Path, Text] : Originals) {
    json::Array Hashes;
    if (auto W = Written.find(Path); W != Written.end())
      for (const std::string &Hash : W->second)
        Hashes.push_back(Hash);
    All[Path] =
        json::Object{{"original", Text}, {"written", std::move(Hashes)}};
  }
  return writeFile(path("kept.json"),
                   formatv("{0}\n", json::Value(std::move(All))).str());
}

Error State::keep(const FileTexts &Texts) {
  Originals = Now = Texts;
  return writeKept();
}

Error State::replace(const FileTexts &Wanted) {
  std::vector<Replaced> All;
  FileTexts Next = Originals;
  for (const auto &[Path, Text] : Wanted)
    if (Next.count(Path))
      Next[Path] = Text;
  bool More = false;
  for (const auto &[Path, Text] : Next)
    if (Text != Now[Path]) {
      All.push_back({Path, Now[Path], Text});
      if (Text != Originals[Path])
        More |= Written[Path].insert(hashOf(Text)).second;
    }
  if (More)
    if (Error E = writeKept())
      return E;
  if (Error E = replaceFiles(All))
    return E;
  Now = std::move(Next);
  return Error::success();
}

Error State::finish() {
  Originals.clear();
  Now.clear();
  Written.clear();
  if (std::error_code EC = sys::fs::remove(path("kept.json")))
    return createStringError("'" + path("kept.json") +
                             "' cannot be removed: " + EC.message());
  return Error::success();
}

//===-- Trials ------------------------------------------------------------===//

void State::readTrials() {
  Expected<json::Value> Read = json::parse(textOf(path("results.json")));
  if (!Read)
    return consumeError(Read.takeError()); // none, or none that can be used
  if (const json::Object *All = Read->getAsObject())
    for (const auto &[Key, Value] : *All)
      if (std::optional<Trial> T = trialFromJson(Value)) {
        T->Known = true;
        Trials[Key.str()] = *T;
      }
}

const Trial *State::find(StringRef Key) const {
  auto Found = Trials.find(Key.str());
  return Found == Trials.end() ? nullptr : &Found->second;
}

Error State::remember(StringRef Key, const Trial &T) {
  Trials[Key.str()] = T;
  json::Object All;
  for (const auto &[Name, Each] : Trials)
    All[Name] = trialToJson(Each);
  return writeFile(path("results.json"),
                   formatv("{0:2}\n", json::Value(std::move(All))).str());
}

} // namespace catt
