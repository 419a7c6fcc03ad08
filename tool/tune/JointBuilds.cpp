//===- JointBuilds.cpp - Which variants are built together ----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/tune/JointBuilds.h"
#include "tool/tune/OneBuild.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace catt {

std::string
JointBuilds::plan(const std::map<size_t, const WrittenVariant *> &Variants,
                  const AnalysedFile &In, const FileTexts &Plain) {
  std::vector<size_t> Numbers;
  std::vector<const WrittenVariant *> Each;
  for (const auto &[Number, Variant] : Variants) {
    Planned.insert(Number);
    Numbers.push_back(Number);
    Each.push_back(Variant);
  }
  if (Each.size() < 2)
    return "";
  const std::string &Kernel = Each.front()->How.Kernel;
  Expected<KernelPlaces> At =
      placesOf(Kernel, *In.Job.Outcome.Analysed, In.Launches, Plain);
  Expected<OneBuild> One = At ? joined(Each, *At, Plain, In.Launches)
                              : Expected<OneBuild>(At.takeError());
  if (!One)
    return "each variant of " + Kernel +
           " is built alone: " + toString(One.takeError());
  JointBuild &Build = All.emplace_back();
  Build.Texts = std::move(One->Texts);
  Build.Launches = std::move(One->Launches);
  for (const auto &[Index, Number] : One->Numbers)
    Build.Choices[Numbers[Index]] = Kernel + "=" + std::to_string(Number);
  std::string Said = std::to_string(One->Numbers.size()) + " variants of " +
                     Kernel + " are built in one";
  for (const auto &[Index, Why] : One->Alone)
    return Said + ", others alone: of " + Each[Index]->How.Name + ", " + Why;
  return Said;
}

JointBuild *JointBuilds::find(size_t Variant) {
  auto Found = find_if(
      All, [&](const JointBuild &B) { return B.Choices.count(Variant); });
  return Found == All.end() ? nullptr : &*Found;
}

void JointBuilds::giveUp(size_t Variant) {
  All.remove_if(
      [&](const JointBuild &B) { return B.Choices.count(Variant) != 0; });
}

} // namespace catt
