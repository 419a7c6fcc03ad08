//===- Recipes.cpp - Ways to write a kernel, by name ----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/optimize/Recipes.h"
#include "transforms/Transform.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

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

constexpr int64_t MostBlocksPerSM = 32;

/// That a block of so many warps can have on an SM.
int64_t mostBlocks(int64_t Warps) {
  constexpr int64_t WarpsPerSM = 64;
  return std::clamp<int64_t>(WarpsPerSM / Warps, 1, MostBlocksPerSM);
}

/// "groups-2-of-loop-0", "blocks-1-fewer-in-loop-0", or both in one name.
std::string nameOf(const Recipe &P, const std::string &Where) {
  std::string Groups = "groups-" + std::to_string(P.Groups) + "-of-" + Where,
              Blocks = "blocks-" + std::to_string(P.BlocksRemoved) +
                       "-fewer-in-" + Where;
  if (P.BlocksRemoved == 0)
    return Groups;
  return P.Groups == 1 ? Blocks : Groups + "-and-" + Blocks;
}

/// Those that can be run in groups and stand in no other loop.
std::vector<std::string> outermostLoops(const Kernel &K) {
  std::vector<std::string> Names;
  for (const Loop &L : K.Loops)
    if (!L.Parent && L.Site && L.Refusals.empty())
      Names.push_back(std::to_string(L.Id));
  return Names;
}

/// Those that are tried: of all those that give other numbers of warps at a
/// time, else those of equal groups.
bool isTried(int64_t Groups, int64_t Warps, Points Which) {
  if (Which == Points::Few)
    return Warps % Groups == 0;
  return divideCeil(Warps, Groups) != divideCeil(Warps, Groups - 1);
}

/// Numbers of groups of warps, and of blocks fewer on an SM. Points: one of
/// both, few blocks fewer, or all there are.
void addThrottles(const Kernel &K, Points Which, std::vector<Recipe> &All) {
  const int64_t Warps = warpsOf(K);
  const int64_t Most = Which == Points::All ? mostBlocks(Warps) - 1 : 2;
  auto AddFor = [&](std::vector<std::string> Loops, const std::string &Where) {
    Recipe P;
    P.Transforms = {"split-warp-groups", "reserve-shared", "prefer-l1"};
    P.Loops = std::move(Loops);
    auto Add = [&](int64_t Groups, int64_t BlocksRemoved) {
      P.Groups = Groups;
      P.BlocksRemoved = BlocksRemoved;
      P.Name = nameOf(P, Where);
      All.push_back(P);
    };
    for (int64_t Groups = 2; Groups <= Warps; ++Groups)
      for (int64_t Fewer = 0; isTried(Groups, Warps, Which) && Fewer <= Most;
           ++Fewer)
        if (Fewer == 0 || Which == Points::All)
          Add(Groups, Fewer);
    for (int64_t Fewer = 1; Fewer <= Most; ++Fewer)
      Add(1, Fewer);
  };
  if (std::vector<std::string> Outermost = outermostLoops(K);
      Which == Points::All && Outermost.size() > 1)
    AddFor(std::move(Outermost), "all-loops");
  for (const Loop &L : K.Loops)
    AddFor({std::to_string(L.Id)}, "loop-" + std::to_string(L.Id));
}

/// "1-block", "2-blocks"
std::string blocks(int64_t Count) {
  return std::to_string(Count) + (Count == 1 ? "-block" : "-blocks");
}

Recipe atMost(int64_t Blocks) {
  Recipe P;
  P.Name = "at-most-" + blocks(Blocks);
  P.Transforms = {"reserve-shared", "prefer-l1"};
  P.OptBlocks = Blocks;
  return P;
}

/// Fewer blocks than an SM could hold.
void addBlocks(const Kernel &K, std::vector<Recipe> &All) {
  for (int64_t Blocks = mostBlocks(warpsOf(K)) - 1; Blocks >= 1; --Blocks)
    All.push_back(atMost(Blocks));
}

Recipe withRegisters(int64_t Registers) {
  Recipe P;
  P.Name = "registers-" + std::to_string(Registers);
  P.Transforms = {"launch-bounds"};
  P.Registers = Registers;
  return P;
}

/// "bounds-by-tpsc"
Recipe byRule(StringRef What, StringRef Rule,
              std::vector<std::string> More = {}) {
  Recipe P;
  P.Name = (What + "-by-" + Rule).str();
  P.Transforms = {"launch-bounds"};
  append_range(P.Transforms, More);
  P.Rule = Rule.str();
  return P;
}

void addRegisters(std::vector<Recipe> &All) {
  for (StringRef Rule : {"model", "tpsc", "orion", "unified", "dru"})
    All.push_back(byRule("bounds", Rule));
  for (int64_t Registers : {32, 64, 128})
    All.push_back(withRegisters(Registers));
}

/// The parts that transforms write.
Means partsOf(ArrayRef<std::string> Transforms) {
  Means Parts;
#define PART(Name, ...) Parts.Name = isChosen(Part::Name, Transforms);
#include "analysis/model/Parts.def"
  return Parts;
}

} // namespace

bool Recipe::needsPtxas() const {
  return is_contained(Transforms, "launch-bounds") || OptBlocks;
}

std::vector<ForcedChoice> Recipe::forced() const {
  std::vector<ForcedChoice> All;
  for (const std::string &Loop : Loops) {
    ForcedChoice F;
    F.Kernel = Kernel;
    F.Loop = Loop;
    F.Groups = Groups;
    F.BlocksRemoved = BlocksRemoved;
    F.Text = Kernel + ":" + Loop + "=" + std::to_string(Groups) + "," +
             std::to_string(BlocksRemoved);
    All.push_back(std::move(F));
  }
  return All;
}

static std::vector<Recipe> of(StringRef Kernel, std::vector<Recipe> All) {
  for (Recipe &P : All)
    P.Kernel = Kernel.str();
  return All;
}

std::vector<Recipe> recipesFor(const Kernel &K, Points Which) {
  std::vector<Recipe> All;
  auto Add = [&](StringRef Name, std::vector<std::string> Transforms) {
    All.emplace_back();
    All.back().Name = Name.str();
    All.back().Transforms = std::move(Transforms);
  };
  if (Which == Points::Blocks) {
    addBlocks(K, All);
    return of(K.UnqualifiedName, std::move(All));
  }
  Add("default", {});
  if (Which == Points::All) {
    addThrottles(K, Which, All);
    return of(K.UnqualifiedName, std::move(All));
  }
  Add("l1", {"prefer-l1"});
  Add("sums", {"promote-accumulators"});
  for (int64_t Bytes : {32, 64, 128}) {
    Add("tiles-" + std::to_string(Bytes),
        {"stage-rows", "promote-accumulators", "prefer-l1"});
    All.back().TileBytes = Bytes;
  }
  addThrottles(K, Which, All);
  addRegisters(All);
  Add("spill", {"launch-bounds", "spill-shared"});
  Add("again", {"launch-bounds", "rematerialize"});
  return of(K.UnqualifiedName, std::move(All));
}

std::vector<Recipe> cratRecipes(StringRef Kernel, int64_t OptBlocks) {
  Recipe P;
  P.Rule = "tpsc";
  P.OptBlocks = OptBlocks;
  const std::string With = "-by-tpsc-with-" + blocks(OptBlocks);
  P.Name = "bounds" + With;
  P.Transforms = {"launch-bounds", "reserve-shared", "prefer-l1"};
  Recipe Spills = P;
  Spills.Name = "spill" + With;
  Spills.Transforms.push_back("spill-shared");
  return of(Kernel, {P, Spills});
}

std::vector<Recipe> strategyRecipes(StringRef Kernel, const Selector &By) {
  std::vector<Recipe> All = {byRule("bounds", By.Name),
                             byRule("spill", By.Name, {"spill-shared"})};
  if (By == Selector::Dru || By == Selector::Model) {
    All.push_back(byRule("again", By.Name, {"rematerialize"}));
    All.push_back(byRule("both", By.Name, {"spill-shared", "rematerialize"}));
  }
  return of(Kernel, std::move(All));
}

std::vector<Recipe> orionCandidates(StringRef Kernel, const SelectorInput &In) {
  constexpr size_t Most = 5;
  std::vector<Recipe> All;
  if (orionDirection(In.MaxLive, In.Gpu) == Direction::Increasing)
    for (const DesignPoint &P : drop_begin(In.Points))
      All.push_back(withRegisters(P.Compiled.CapRegisters));
  else
    for (int64_t Blocks = In.Points.front().Blocks - 1; Blocks >= 1; --Blocks)
      All.push_back(atMost(Blocks));
  if (All.size() > Most)
    All.resize(Most);
  return of(Kernel, std::move(All));
}

std::optional<Recipe> findRecipe(const Kernel &K, StringRef Name) {
  std::vector<Recipe> All;
  for (Points Which : {Points::Few, Points::Blocks, Points::All})
    append_range(All, recipesFor(K, Which));
  for (int64_t Blocks = 1; Blocks <= MostBlocksPerSM; ++Blocks)
    append_range(All, cratRecipes(K.UnqualifiedName, Blocks));
  for (const Selector &By : allSelectors())
    append_range(All, strategyRecipes(K.UnqualifiedName, By));
  for (int64_t Registers = 16; Registers <= 255; ++Registers)
    append_range(All, of(K.UnqualifiedName, {withRegisters(Registers)}));
  auto Found = find_if(All, [&](const Recipe &P) { return P.Name == Name; });
  if (Found == All.end())
    return std::nullopt;
  return std::move(*Found);
}

Means meansOf(ArrayRef<std::string> Transforms) {
  Means May = partsOf(Transforms);
  May.Trials = false;
  if (!May.Groups && !May.Reserve && !May.Carveout && !May.Levels)
    May.Groups = May.Reserve = May.Carveout = true;
  return May;
}

OwnOptions ownOptions(const Recipe &P, const AnalysisOptions &OfFile,
                      ArrayRef<std::string> Transforms,
                      const RegisterSource &Ask) {
  if (!P.Transforms.empty())
    Transforms = P.Transforms;
  OwnOptions Own;
  Own.May = meansOf(Transforms);
  Own.Written = partsOf(Transforms);
  Own.Registers = OfFile.Registers;
  Own.Registers.Ask = P.needsPtxas() ? Ask : RegisterSource();
  if (P.Registers)
    Own.Registers.Target = P.Registers;
  if (std::optional<Selector> By = findSelector(P.Rule))
    Own.Registers.By = *By;
  Own.TileBytes = P.TileBytes ? P.TileBytes : OfFile.TileBytes;
  Own.OptBlocks = P.OptBlocks ? P.OptBlocks : OfFile.OptBlocks;
  Own.Forced = OfFile.Forced;
  append_range(Own.Forced, P.forced());
  return Own;
}

OwnOptions ownOptionsAsWritten(const AnalysisOptions &OfFile) {
  OwnOptions Own;
  Own.Registers = OfFile.Registers;
  Own.Registers.Ask = nullptr;
#define PART(Name, ...) Own.Written.Name = false;
#include "analysis/model/Parts.def"
  Own.AsWritten = true;
  return Own;
}

} // namespace catt
