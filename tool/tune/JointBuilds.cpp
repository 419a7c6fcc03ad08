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
#include <limits>

using namespace llvm;

namespace catt {

void JointBuilds::plan(ArrayRef<Tried> Search, size_t First,
                       const AnalysedFile &In, const FileTexts &Plain,
                       function_ref<bool(const WrittenVariant &)> IsKnown,
                       const SayProgress &Say) {
  const std::string Kernel = Search[First].What.How.Kernel;
  const size_t Limit = most(Kernel);
  std::vector<size_t> Numbers;
  std::vector<const WrittenVariant *> Each;
  for (size_t I = First; I != Search.size() && Each.size() < Limit; ++I) {
    const Tried &T = Search[I];
    if (!T.isToTry() || T.Result || T.What.File != In.Name ||
        T.What.How.Kernel != Kernel || Planned.count(I) || IsKnown(T.What))
      continue;
    Planned.insert(I);
    Numbers.push_back(I);
    Each.push_back(&T.What);
  }
  if (Each.size() < 2)
    return;
  Expected<KernelPlaces> At =
      placesOf(Kernel, *In.Job.Outcome.Analysed, In.Launches, Plain);
  Expected<OneBuild> One = At ? joined(Each, *At, Plain, In.Launches)
                              : Expected<OneBuild>(At.takeError());
  if (!One)
    return Say("each variant of " + Kernel +
               " is built alone: " + toString(One.takeError()));
  JointBuild &Build = All.emplace_back();
  Build.Texts = std::move(One->Texts);
  Build.Launches = std::move(One->Launches);
  for (const auto &[Index, Number] : One->Numbers)
    Build.Choices[Numbers[Index]] = Kernel + "=" + std::to_string(Number);
  std::string Said = std::to_string(One->Numbers.size()) + " variants of " +
                     Kernel + " are built in one";
  if (!One->Alone.empty()) {
    const auto &[Index, Why] = *One->Alone.begin();
    Said.append(", others alone: of ").append(Each[Index]->How.Name);
    Said.append(", ").append(Why);
  }
  Say(Said);
}

std::list<JointBuild>::iterator JointBuilds::holding(size_t Variant) {
  return find_if(All,
                 [&](const JointBuild &B) { return B.Choices.count(Variant); });
}

JointBuild *JointBuilds::find(size_t Variant) {
  auto Found = holding(Variant);
  return Found == All.end() ? nullptr : &*Found;
}

std::vector<size_t> JointBuilds::besides(size_t Variant) {
  std::vector<size_t> Others;
  if (const JointBuild *One = find(Variant))
    for (const auto &[Number, Choice] : One->Choices)
      if (Number != Variant)
        Others.push_back(Number);
  return Others;
}

size_t JointBuilds::giveUp(size_t Variant, const std::string &Kernel) {
  auto Found = holding(Variant);
  for (const auto &[Number, Choice] : Found->Choices)
    Planned.erase(Number);
  const size_t Half = Found->Choices.size() / 2;
  All.erase(Found);
  return Most[Kernel] = Half;
}

void JointBuilds::takeCourage(const std::string &Kernel) {
  if (auto Found = Most.find(Kernel); Found != Most.end())
    Found->second *= 2;
}

size_t JointBuilds::most(const std::string &Kernel) const {
  auto Found = Most.find(Kernel);
  return Found == Most.end() ? std::numeric_limits<size_t>::max()
                             : Found->second;
}

} // namespace catt
