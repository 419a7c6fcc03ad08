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

void addGroups(const Kernel &K, std::vector<Recipe> &All) {
  for (const Loop &L : K.Loops) {
    Recipe P;
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

void addRegisters(std::vector<Recipe> &All) {
  Recipe P;
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

/// The parts that transforms write.
Means partsOf(ArrayRef<std::string> Transforms) {
  Means Parts;
#define PART(Name, ...) Parts.Name = isChosen(Part::Name, Transforms);
#include "analysis/model/Parts.def"
  return Parts;
}

} // namespace

bool Recipe::needsPtxas() const {
  return is_contained(Transforms, "launch-bounds");
}

std::optional<ForcedChoice> Recipe::forced() const {
  if (Loop.empty())
    return std::nullopt;
  ForcedChoice F;
  F.Kernel = Kernel;
  F.Loop = Loop;
  F.Groups = Groups;
  F.BlocksRemoved = BlocksRemoved;
  F.Text = Kernel + ":" + Loop + "=" + std::to_string(Groups) + "," +
           std::to_string(BlocksRemoved);
  return F;
}

std::vector<Recipe> recipesFor(const Kernel &K) {
  std::vector<Recipe> All;
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
  addGroups(K, All);
  addRegisters(All);
  Add("spill", {"launch-bounds", "spill-shared"});
  Add("again", {"launch-bounds", "rematerialize"});
  for (Recipe &P : All)
    P.Kernel = K.UnqualifiedName;
  return All;
}

std::optional<Recipe> findRecipe(const Kernel &K, StringRef Name) {
  for (Recipe &P : recipesFor(K))
    if (P.Name == Name)
      return std::move(P);
  return std::nullopt;
}

Means meansOf(ArrayRef<std::string> Transforms) {
  Means May = partsOf(Transforms);
  May.Trials = false;
  if (!May.Groups && !May.Reserve && !May.Carveout)
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
  Own.Forced = OfFile.Forced;
  if (std::optional<ForcedChoice> F = P.forced())
    Own.Forced.push_back(*F);
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
