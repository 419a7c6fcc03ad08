//===- Variants.h - Ways to write a kernel ----------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Kernel --> Recipes --(runJob in this process)--> WrittenVariants
//
// Each is one that catt-rewrite writes, too, given the same options. Kernels
// with one unqualified name (overloads, instantiations) are one kernel here.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_TUNE_VARIANTS_H
#define CATT_TOOL_TUNE_VARIANTS_H

#include "analysis/plan/RegisterSources.h"
#include "tool/catt-rewrite/Job.h"
#include "tool/tune/Launches.h"
#include "tool/tune/Trial.h"

namespace catt {

/// The options of a run that the user has, with those of a recipe.
Options withRecipe(Options O, const Recipe &P);

/// A file as it stands, analysed once.
struct AnalysedFile {
  std::string Name;
  FoundCommand Command;
  ChosenGpu Gpu;
  Options O;
  JobResult Job;
  std::vector<TimedLaunch> Launches;
  /// Nobody compiles it, as it stands, twice.
  std::shared_ptr<CompiledAsIs> Compiled = std::make_shared<CompiledAsIs>();
};

/// For a job on the texts that the file has: what former ones left.
JobInput againOn(const AnalysedFile &In);

/// How many times as fast as it is written the time model takes a kernel of the
/// file to be with each recipe. Nothing where it cannot say: for all but
/// numbers of warp groups and blocks (PointGain.h). Of kernels with one name
/// the first counts.
std::vector<std::optional<double>> predictedGains(const AnalysedFile &In,
                                                  const Kernel &K,
                                                  llvm::ArrayRef<Recipe> All);

/// strategyRecipes, and what Orion chooses among, where registers are known.
std::vector<Recipe> recipesOfStrategy(const AnalysedFile &In, const Kernel &K,
                                      const Selector &By);

/// Writes a variant, in memory. Over: texts that stand for those on the disk,
/// with `Launches`, which are those of the file then. Variants that are equal
/// to what stands there already, or cannot be written, say so in Refused.
/// Launches become those of the new texts.
WrittenVariant writeVariant(const AnalysedFile &In, const Recipe &P,
                            const FileTexts &Over,
                            std::vector<TimedLaunch> &Launches);

/// The texts of all files that have launches or have changed, timed.
FileTexts timedTexts(const FileTexts &Texts,
                     llvm::ArrayRef<TimedLaunch> Launches,
                     llvm::StringRef Header);

} // namespace catt

#endif
