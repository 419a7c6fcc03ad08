//===- Baseline.cpp - What every kernel takes, recorded -------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/gate/Baseline.h"
#include "analysis/device/Occupancy.h"
#include "analysis/registers/KernelNames.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace catt {

static constexpr int64_t Version = 1;

std::optional<int64_t> blocksPerSM(const KernelRecord &K, int64_t Threads,
                                   StringRef Architecture) {
  Expected<Device> Gpu = findDevice(Architecture);
  if (!Gpu) {
    consumeError(Gpu.takeError());
    return std::nullopt;
  }
  BlockResources Block;
  Block.Threads = Threads;
  Block.RegistersPerThread = K.Registers;
  Block.StaticSharedBytes = K.SharedBytes;
  Block.DynamicSharedBytes = K.DynamicBytes.value_or(0);
  Expected<BlockLimits> Limits = blockLimits(*Gpu, Block);
  if (!Limits) {
    consumeError(Limits.takeError());
    return std::nullopt;
  }
  return Limits->smallest();
}

/// The launches of a kernel that is called so; null if none is known.
static const std::vector<Launch> *launchesOf(StringRef Symbol,
                                             const KnownLaunches &Launches) {
  std::string Bare = bareName(Symbol);
  StringRef Last(Bare);
  if (size_t At = Last.rfind("::"); At != StringRef::npos)
    Last = Last.drop_front(At + 2);
  for (const std::string &Name : {functionName(Symbol), Bare, Last.str()})
    if (auto At = Launches.find(Name); At != Launches.end())
      return &At->second;
  return nullptr;
}

/// The launch with the most threads in a block decides, as for bounds.
static void addLaunch(KernelRecord &K, const std::vector<Launch> &Launches) {
  for (const Launch &L : Launches)
    if (auto Threads = L.Block.count();
        Threads && *Threads > K.Block.value_or(0)) {
      K.Block = Threads;
      K.DynamicBytes = L.DynamicSharedBytes;
    }
}

Baseline makeBaseline(ArrayRef<PtxasEntry> Entries,
                      const KnownLaunches &Launches) {
  Baseline Kernels;
  for (const PtxasEntry &E : Entries) {
    KernelRecord &K = Kernels[{stableSymbol(E.Symbol), E.Architecture}];
    K.Registers = std::max<int64_t>(K.Registers, E.Point.Registers);
    K.SpillStoreBytes =
        std::max<int64_t>(K.SpillStoreBytes, E.Point.SpillStoreBytes);
    K.SpillLoadBytes =
        std::max<int64_t>(K.SpillLoadBytes, E.Point.SpillLoadBytes);
    K.SharedBytes = std::max<int64_t>(K.SharedBytes, E.Point.SharedBytes);
  }
  for (auto &[Key, K] : Kernels) {
    if (const auto *Known = launchesOf(Key.Symbol, Launches))
      addLaunch(K, *Known);
    if (K.Block)
      K.BlocksPerSM = blocksPerSM(K, *K.Block, Key.Architecture);
  }
  return Kernels;
}

std::string writeBaseline(const Baseline &Kernels) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "{\"version\": " << Version << ", \"kernels\": [\n";
  bool First = true;
  for (const auto &[Key, K] : Kernels) {
    OS << (First ? "" : ",\n");
    First = false;
    json::OStream J(OS);
    J.object([&, &Key = Key, &K = K] {
      J.attribute("kernel", Key.Symbol);
      J.attribute("arch", Key.Architecture);
      J.attribute("registers", K.Registers);
      J.attribute("spillStores", K.SpillStoreBytes);
      J.attribute("spillLoads", K.SpillLoadBytes);
      J.attribute("shared", K.SharedBytes);
      if (K.Block)
        J.attribute("block", *K.Block);
      if (K.DynamicBytes)
        J.attribute("dynamicShared", *K.DynamicBytes);
      if (K.BlocksPerSM)
        J.attribute("blocksPerSM", *K.BlocksPerSM);
    });
  }
  OS << (First ? "]}\n" : "\n]}\n");
  return Text;
}

/// A number that must be there, and not negative.
static bool take(const json::Object &From, StringRef Key, int64_t &Into) {
  std::optional<int64_t> Value = From.getInteger(Key);
  Into = Value.value_or(0);
  return Value && *Value >= 0;
}

/// One that may be missing.
static bool take(const json::Object &From, StringRef Key,
                 std::optional<int64_t> &Into) {
  Into = From.getInteger(Key);
  return Into ? *Into >= 0 : !From.get(Key);
}

/// One line of the file. False: a number is missing, or makes no sense.
static bool readRecord(const json::Object &From, KernelKey &Key,
                       KernelRecord &K) {
  Key.Symbol = From.getString("kernel").value_or("").str();
  Key.Architecture = From.getString("arch").value_or("").str();
  return !Key.Symbol.empty() && !Key.Architecture.empty() &&
         take(From, "registers", K.Registers) &&
         take(From, "spillStores", K.SpillStoreBytes) &&
         take(From, "spillLoads", K.SpillLoadBytes) &&
         take(From, "shared", K.SharedBytes) && take(From, "block", K.Block) &&
         take(From, "dynamicShared", K.DynamicBytes) &&
         take(From, "blocksPerSM", K.BlocksPerSM) && K.Block != 0;
}

Expected<Baseline> readBaseline(StringRef Text, StringRef Name) {
  auto Bad = [&](const Twine &What) {
    return createStringError("the baseline '" + Name + "' " + What +
                             "; record it again with --baseline");
  };
  Expected<json::Value> Root = json::parse(Text);
  if (!Root)
    return Bad("is no JSON (" + toString(Root.takeError()) + ")");
  const json::Object *Top = Root->getAsObject();
  if (!Top || !Top->getInteger("version"))
    return Bad("says no version");
  if (*Top->getInteger("version") != Version)
    return Bad("has version " + Twine(*Top->getInteger("version")) +
               ", and this program knows version " + Twine(Version));
  const json::Array *Lines = Top->getArray("kernels");
  if (!Lines)
    return Bad("has no list of kernels");
  Baseline Kernels;
  for (const json::Value &Line : *Lines) {
    const json::Object *Record = Line.getAsObject();
    KernelKey Key;
    KernelRecord K;
    if (!Record || !readRecord(*Record, Key, K))
      return Bad("has an entry that cannot be read" +
                 (Key.Symbol.empty() ? "" : " (of '" + Key.Symbol + "')"));
    if (!Kernels.emplace(Key, K).second)
      return Bad("has two entries of '" + Key.Symbol + "' for " +
                 Key.Architecture);
  }
  return Kernels;
}

} // namespace catt
