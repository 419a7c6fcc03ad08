//===- Recipes.h - Ways to write a kernel, by name --------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Kernel --(recipesFor)--> "default", "tiles-64", "groups-4-of-loop-0", ...
//   name ----(findRecipe)--> Recipe --(ownOptions)--> what it is planned by
//
// What catt-tune tries, and what a measured entry of a .catt file names.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_OPTIMIZE_RECIPES_H
#define CATT_TOOL_OPTIMIZE_RECIPES_H

#include "analysis/Analysis.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace catt {

/// A setting of catt-rewrite for one kernel.
struct Recipe {
  std::string Kernel;                  ///< unqualified
  std::string Name;                    ///< "groups-4-of-loop-0"
  std::vector<std::string> Transforms; ///< empty: those that are default
  std::optional<int64_t> TileBytes, Registers;
  std::vector<std::string> Loops; ///< of Groups and BlocksRemoved; empty: not
                                  ///< forced
  int64_t Groups = 1;             ///< warp groups
  int64_t BlocksRemoved = 0;
  std::string Rule;                 ///< --selector; empty: none
  std::optional<int64_t> OptBlocks; ///< --opt-tlp

  /// What is written without any option.
  bool isModelsChoice() const { return Transforms.empty(); }
  /// Estimates of registers are no ground to write bounds, and do not say how
  /// many blocks there are to take away from.
  bool needsPtxas() const;
  /// What it forces, as --force does: a choice for each of Loops.
  std::vector<ForcedChoice> forced() const;
};

/// The name of a kernel's text as it is: no recipe, but the best there may be.
constexpr llvm::StringLiteral AsWritten = "as written";

/// How many numbers of warps and blocks.
enum class Points : uint8_t {
  Few,    ///< beside everything else that can be written
  Blocks, ///< at most so many on an SM, whatever the loops, and nothing else:
          ///< what CRAT's OptTLP is profiled by
  All, ///< and nothing else but the default. One choice for all loops, which is
       ///< CATT's best-fixed thread throttling (BFTT, section 5), and each loop
       ///< by itself
};

/// Those that may give other texts of this kernel, in a fixed order.
std::vector<Recipe> recipesFor(const Kernel &K, Points Which = Points::Few);

/// What CRAT's method writes where so many blocks on an SM are best: bounds by
/// its rule, with the spills of ptxas and with spills to shared memory.
std::vector<Recipe> cratRecipes(llvm::StringRef Kernel, int64_t OptBlocks);

/// What the paper of a rule writes: bounds by it, with the spills of ptxas and
/// with what the paper does about them. That is shared memory, and for TLP-RM
/// and the model also values that are computed again.
std::vector<Recipe> strategyRecipes(llvm::StringRef Kernel, const Selector &By);

/// Of Orion also what it chooses among when the program runs (section 3.3): up
/// to five numbers of blocks in its direction, by registers for more and by
/// shared memory for fewer.
std::vector<Recipe> orionCandidates(llvm::StringRef Kernel,
                                    const SelectorInput &In);

/// Nothing: the kernel has none of this name.
std::optional<Recipe> findRecipe(const Kernel &K, llvm::StringRef Name);

/// What a plan may be made of, if these transforms run. Where nothing of warps
/// and blocks is written, it says what could be.
Means meansOf(llvm::ArrayRef<std::string> Transforms);

/// What a kernel with the recipe is planned by, in a file with these options
/// and transforms. Ask: who knows registers, where the recipe needs ptxas.
OwnOptions ownOptions(const Recipe &P, const AnalysisOptions &OfFile,
                      llvm::ArrayRef<std::string> Transforms,
                      const RegisterSource &Ask);

/// Of a kernel that stays as it is written.
OwnOptions ownOptionsAsWritten(const AnalysisOptions &OfFile);

} // namespace catt

#endif
