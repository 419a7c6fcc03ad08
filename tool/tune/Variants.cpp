//===- Variants.cpp - Ways to write a kernel ------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/tune/Variants.h"
#include "analysis/model/Reasons.h"
#include "tool/catt-rewrite/Output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace llvm;

namespace catt {
namespace {

/// Warps of the largest block that a launch shows, else 8.
int64_t warpsOf(const Kernel &K) {
  int64_t Threads = 0;
  for (const Launch &L : K.Launches)
    Threads = std::max(Threads, L.Block.count().value_or(0));
  return Threads ? (Threads + 31) / 32 : 8;
}

void addGroups(const Kernel &K, std::vector<Proposal> &All) {
  for (const Loop &L : K.Loops) {
    Proposal P;
    P.Transforms = {"split-warp-groups", "reserve-shared", "prefer-l1"};
    P.Loop = std::to_string(L.Id);
    int64_t Warps = warpsOf(K);
    for (P.Groups = 2; P.Groups <= Warps; ++P.Groups) {
      P.Name = "groups-" + std::to_string(P.Groups) + "-of-loop-" + P.Loop;
      if (Warps % P.Groups == 0)
        All.push_back(P);
    }
    P.Groups = 1;
    for (P.BlocksRemoved = 1; P.BlocksRemoved <= 2; ++P.BlocksRemoved) {
      P.Name = "blocks-" + std::to_string(P.BlocksRemoved) + "-fewer-in-loop-" +
               P.Loop;
      All.push_back(P);
    }
  }
}

void addRegisters(std::vector<Proposal> &All) {
  Proposal P;
  P.Transforms = {"launch-bounds"};
  for (StringRef Rule : {"model", "tpsc", "orion", "unified", "dru"}) {
    P.Rule = Rule.str();
    P.Name = "bounds-by-" + P.Rule;
    All.push_back(P);
  }
  P.Rule.clear();
  for (int64_t Registers : {32, 64, 128}) {
    P.Registers = Registers;
    P.Name = "registers-" + std::to_string(Registers);
    All.push_back(P);
  }
}

/// Why the plan of a kernel has nothing of what is proposed; null: it does not
/// say.
const Refusal *whyNot(const KernelReport &K, const Proposal &P) {
  auto First = [](const auto &Part) {
    return Part && !Part->Refusals.empty() ? &Part->Refusals.front() : nullptr;
  };
  if (is_contained(P.Transforms, "spill-shared") && First(K.Spill))
    return First(K.Spill);
  if (is_contained(P.Transforms, "rematerialize") && First(K.Remat))
    return First(K.Remat);
  if (is_contained(P.Transforms, "launch-bounds"))
    return First(K.Registers);
  for (const Refusal &F : K.Source.Refusals)
    return &F;
  for (const LoopPlan &L : K.Plan.Loops)
    if (L.Why && (P.Loop.empty() || P.Loop == std::to_string(L.Loop)))
      return &*L.Why;
  for (const Refusal &F : K.Plan.Refusals)
    return &F;
  return nullptr;
}

/// Why nothing was written, in one clause.
std::string reasonOf(const JobResult &R, const Proposal &P) {
  if (!R.Outcome.Error.empty())
    return R.Outcome.Error;
  for (const Refusal &F : R.Outcome.Changes.Refused)
    return whatText(F);
  if (!R.Outcome.Analysed)
    return "nothing is to be changed";
  if (is_contained(P.Transforms, "launch-bounds") &&
      !R.Outcome.Analysed->RegisterProblem.empty())
    return R.Outcome.Analysed->RegisterProblem;
  for (const KernelReport &K : R.Outcome.Analysed->Kernels)
    if (K.Source.UnqualifiedName == P.Kernel)
      if (const Refusal *Why = whyNot(K, P))
        return whatText(*Why);
  if (is_contained(P.Transforms, "launch-bounds"))
    return "no bound of its registers is asked for";
  return "nothing is to be changed";
}

/// The disk, under texts in memory.
IntrusiveRefCntPtr<vfs::FileSystem> filesUnder(const FileTexts &Over) {
  auto Disk = IntrusiveRefCntPtr<vfs::FileSystem>(
      vfs::createPhysicalFileSystem().release());
  auto Held = makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  for (const auto &[Path, Text] : Over)
    Held->addFile(Path, 0, MemoryBuffer::getMemBufferCopy(Text, Path));
  auto All = makeIntrusiveRefCnt<vfs::OverlayFileSystem>(Disk);
  All->pushOverlay(Held);
  return All;
}

} // namespace

std::vector<Proposal> proposals(const KernelReport &Kernel) {
  std::vector<Proposal> All;
  auto Add = [&](StringRef Name, std::vector<std::string> Transforms) {
    All.emplace_back();
    All.back().Name = Name.str();
    All.back().Transforms = std::move(Transforms);
  };
  Add("default", {});
  Add("l1", {"prefer-l1"});
  Add("sums", {"promote-accumulators"});
  for (int64_t Bytes : {32, 64, 128}) {
    Add("tiles-" + std::to_string(Bytes),
        {"stage-rows", "promote-accumulators", "prefer-l1"});
    All.back().TileBytes = Bytes;
  }
  addGroups(Kernel.Source, All);
  addRegisters(All);
  Add("spill", {"launch-bounds", "spill-shared"});
  Add("again", {"launch-bounds", "rematerialize"});
  for (Proposal &P : All)
    P.Kernel = Kernel.Source.UnqualifiedName;
  return All;
}

Options withProposal(Options O, const Proposal &P) {
  O.KernelGlob = P.Kernel;
  O.ByTrials = false; // these are the trials
  if (!P.Transforms.empty())
    O.Transforms = P.Transforms;
  if (P.TileBytes)
    O.TileBytes = P.TileBytes;
  if (P.Registers)
    O.TargetRegisters = P.Registers;
  if (!P.Rule.empty()) {
    Stated Said;
    cantFail(setValue(Said, "selector", P.Rule, "--selector"));
    O.RegistersBy = Said.Values.RegistersBy;
  }
  // Estimates of registers are no ground to write bounds.
  if (is_contained(P.Transforms, "launch-bounds"))
    O.AskPtxas = true;
  if (!P.Loop.empty()) {
    ForcedChoice F;
    F.Kernel = P.Kernel;
    F.Loop = P.Loop;
    F.Groups = P.Groups;
    F.BlocksRemoved = P.BlocksRemoved;
    F.Text = P.Kernel + ":" + P.Loop + "=" + std::to_string(P.Groups) + "," +
             std::to_string(P.BlocksRemoved);
    O.Forced.push_back(F);
  }
  return O;
}

Candidate writeVariant(const AnalysedFile &In, const Proposal &P,
                       const FileTexts &Over,
                       std::vector<TimedLaunch> &Launches) {
  Candidate V;
  V.How = P;
  V.File = In.Name;
  JobInput Input;
  Input.Earlier = In.Job.Kept;
  if (!Over.empty())
    Input.Files = filesUnder(Over);
  JobResult R = runJob(In.Name, In.Command, In.Gpu, withProposal(In.O, P),
                       std::move(Input));
  V.Texts = R.NewTexts;
  if (V.Texts.empty()) {
    V.Refused = reasonOf(R, P);
    return V;
  }
  std::vector<TimedLaunch> All;
  std::map<std::string, std::vector<TimedLaunch>> ByFile;
  for (const TimedLaunch &T : Launches)
    ByFile[T.File].push_back(T);
  for (auto &[Path, Each] : ByFile) {
    auto Edits = R.Outcome.Changes.Files.find(Path);
    if (Edits == R.Outcome.Changes.Files.end()) {
      append_range(All, Each);
      continue;
    }
    auto Moved = shifted(Each, Edits->second);
    if (!Moved) {
      V.Refused = toString(Moved.takeError());
      V.Texts.clear();
      return V;
    }
    append_range(All, *Moved);
  }
  Launches = std::move(All);
  return V;
}

FileTexts timedTexts(const FileTexts &Texts, ArrayRef<TimedLaunch> Launches,
                     StringRef Header) {
  FileTexts Out = Texts;
  for (auto &[Path, Text] : Out) {
    std::vector<TimedLaunch> Here;
    for (const TimedLaunch &T : Launches)
      if (T.File == Path)
        Here.push_back(T);
    if (!Here.empty())
      Text = withTimedLaunches(Path, Text, Here, Header);
  }
  return Out;
}

} // namespace catt
